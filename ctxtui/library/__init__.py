"""The library of sessions: its screen, and everything that is done to many sessions at once."""
