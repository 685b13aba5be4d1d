"""What leaves the machine: results in the forms that others read, and repositories of the Hub."""
