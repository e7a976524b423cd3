"""Taking things along: text to the clipboard or a file, the screen as a picture."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from textual.app import App

MOST = 100_000


def copy_text(app: App[Any], name: str, text: str) -> str:
    """Copy a text, or write it to a file where it is too large; return what was done."""
    if len(text) <= MOST:
        # A terminal takes no lone surrogates.
        app.copy_to_clipboard(text.encode("utf-8", "replace").decode("utf-8"))
        return f"Copied {name}: {len(text):,} characters."
    try:
        path = Path(tempfile.mkdtemp(prefix="ctxtui-")) / f"{name}.txt"
        path.write_text(text, encoding="utf-8", errors="surrogatepass")
    except OSError as error:
        return f"Not copied: no file can be written: {error.strerror}"
    return f"Too large for the clipboard, so written to {path}"


def save_picture(app: App[Any]) -> str:
    """Save a picture of the screen in this folder; return what was done."""
    try:
        return f"Picture saved: {app.save_screenshot(path=str(Path.cwd()))}"
    except OSError as error:
        return f"No picture: it can't be written here: {error.strerror}"
