"""What perturbations that borrow statements share: where they come from and where they may go."""
