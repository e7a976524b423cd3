"""What lists show: one source for each, made of pure functions."""
