"""Export of results and upload of repositories to the Hub."""
