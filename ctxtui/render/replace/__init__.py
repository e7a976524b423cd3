"""Find and replace as lines: hits before and after, what it would come to, and what stays."""
