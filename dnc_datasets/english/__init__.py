"""What the word-problem perturbations know of English, from word tables of our own."""
