"""Drawing the library: a row for each session, the head above them, and one session at length."""
