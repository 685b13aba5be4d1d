"""A language model proposes rewrites in a file. The promises of the certificate decide which become rows."""
