"""The registry of commands: keys, footers, palette, help and docs are made from it."""
