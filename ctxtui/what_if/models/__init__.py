"""What the what-if screens compare: recipes, policies over a run, and sweeps."""
