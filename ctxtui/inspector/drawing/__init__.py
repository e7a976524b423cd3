"""Drawing the panes and views of the inspector."""
