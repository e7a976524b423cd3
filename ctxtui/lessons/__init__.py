"""Lessons: playing them, checking answers, and remembering progress."""
