"""A language model proposes rewrites in a file; the promises of the certificate decide which become rows."""
