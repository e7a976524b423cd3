"""One recorded call: what was sent, what it cost, and which operations explain it."""
