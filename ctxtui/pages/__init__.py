"""HTML pages: a lesson to step through, and the report of a corpus run."""
