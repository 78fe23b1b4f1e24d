"""What runs cost, and the limits and shares to which that is held."""
