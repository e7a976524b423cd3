"""Drawing text: lines and their pieces, numbers, icons, plots, Markdown; no Textual."""
