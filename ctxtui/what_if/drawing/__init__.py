"""Drawing recipes, policies over a run, and sweeps."""
