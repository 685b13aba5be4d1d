"""Relations: how the numbers of a problem hang together, one module per kind of story."""
