"""The settings of the app."""
