"""The screens of the app, each with its style sheet beside it."""
