"""``ctxtui serve``: a server for browsers, and a read-only process behind each of them."""
