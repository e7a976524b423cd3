"""Drawing the library: sessions, previews, and the lists of bulk changes."""
