"""Tables: the types of their rows, columns and cells, and the relations between their amounts."""
