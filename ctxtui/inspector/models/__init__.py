"""What the inspector works with: the state that is shown, marks, lint, tokens, the timeline."""
