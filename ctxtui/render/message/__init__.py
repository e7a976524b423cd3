"""One message as text: in a line, in a pane, with all its parts."""
