"""English for the perturbations: word lists, reading and rewording."""
