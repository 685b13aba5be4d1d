"""What perturbations of numbers share: which numbers are amounts, which are operands, what may be denied."""
