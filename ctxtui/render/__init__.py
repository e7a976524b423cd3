"""Pure functions from conversations to text: nothing here knows a widget."""
