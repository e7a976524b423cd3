"""Torture: each module has ``run(count, seed)``, which tries that often to break something."""
