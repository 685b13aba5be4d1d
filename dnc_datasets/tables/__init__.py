"""Tables: the types of their rows, columns and cells, and the sums that hold in them."""
