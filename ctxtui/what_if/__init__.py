"""What if: recipes tried on the current state, policies played over a whole run, and sweeps."""
