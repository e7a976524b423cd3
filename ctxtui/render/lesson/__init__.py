"""Drawing of lessons: the story, the line above it, the index arrays, and the list of lessons."""
