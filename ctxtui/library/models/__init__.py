"""What the library screens work with: the list of sessions, and changes to many of them."""
