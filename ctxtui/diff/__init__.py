"""Two batches side by side, and where a prompt cache would break."""
