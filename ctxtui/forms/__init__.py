"""Forms made from the operation models, with a live preview of what would happen."""
