"""Relations between the numbers of a problem, one module per kind of story."""
