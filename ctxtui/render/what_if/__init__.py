"""Recipes side by side as text."""
