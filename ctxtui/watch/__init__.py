"""Watching sessions while other programs write them."""
