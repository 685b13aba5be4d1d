"""What perturbations of tables share: what each row is, and which periods are meant."""
