"""What is known of a recorded call, without drawing it."""
