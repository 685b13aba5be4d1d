"""Black-box attacks in four parts: goal, constraints, transformation and search. `run` joins them."""
