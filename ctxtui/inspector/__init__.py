"""The inspector: one session with its panes and views, and everything that can be done to it."""
