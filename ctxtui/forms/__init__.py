"""Forms: made from the operation models, so that a new operation has its form for nothing."""
