"""Black-box attacks in four parts: goal, constraints, transformation, search; `run` joins them."""
