"""Training: the loop, the solvers trained from scratch, and the attack and defense protocol."""
