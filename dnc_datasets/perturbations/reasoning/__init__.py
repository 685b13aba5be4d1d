"""What perturbations of the reasoning share: thresholds, comparisons in words, and the rows that they make."""
