"""Help, the legend of all symbols, and the command palette."""
