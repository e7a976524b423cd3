"""Taking things along: text to the clipboard or a file, the screen as a picture."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path
from textual.app import App

from ctxtui.files.preferences import FOLDER
from ctxtui.files.writing import write_new
from ctxtui.pictures.svg import tidied
from ctxtui.text.toast import Toast, done, failed

MOST_CHARACTERS = 100_000
"""Characters that a terminal takes for the clipboard."""
KEPT = 10
"""Copies that stay; an older one goes when a new one comes."""
PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700


def copies_folder() -> Path:
    """Return where copies are kept that are too large for the clipboard.

    That is the user's cache, or the folder that ``CTXTUI_CONFIG`` names. A copy outlives the app,
    since it is wanted by whatever the user does next; only the last few stay, and no other user can
    read them.
    """
    folder = os.environ.get(FOLDER)
    return (Path(folder) if folder else user_cache_path("ctxtui")) / "copies"


def copy_text(app: App[Any], name: str, text: str) -> Toast:
    """Copy a text, or write it to a file where it is too large; return what was done."""
    if len(text) <= MOST_CHARACTERS:
        # A terminal takes no lone surrogates.
        app.copy_to_clipboard(text.encode("utf-8", "replace").decode("utf-8"))
        return done(f"Copied {name}", f"{len(text):,} characters.")
    folder = copies_folder()
    try:
        folder.mkdir(PRIVATE_FOLDER, parents=True, exist_ok=True)
        path = write_new(folder, name, ".txt", text, PRIVATE_FILE)
    except OSError as error:
        return failed("Not copied", f"No file can be written in {folder}: {error.strerror}")
    _forget_old(folder, path)
    return done("Too large for the clipboard, so written to a file", str(path))


def _forget_old(folder: Path, newest: Path) -> None:
    """Remove all copies but the last ones; one that can't be removed is left."""
    with suppress(OSError):
        others = [path for path in folder.glob("*.txt") if path != newest]
        others.sort(key=lambda path: path.stat().st_mtime_ns, reverse=True)
        for path in others[KEPT - 1 :]:
            path.unlink()


def save_picture(app: App[Any]) -> Toast:
    """Save a picture of the screen in this folder, or hand it to the browser; return what was done.

    In a browser this folder is one of another machine, where the user would not look for it.
    """
    name = f"ctxtui-{datetime.now():%Y-%m-%d-%H-%M-%S}"
    picture = tidied(app.export_screenshot())
    if app.is_web:
        # As bytes: of texts, Textual counts the characters where it means bytes.
        data = BytesIO(picture.encode("utf-8"))
        app.deliver_binary(data, save_filename=f"{name}.svg", mime_type="image/svg+xml")
        return done("Picture saved", "Your browser has it.")
    try:
        path = write_new(Path.cwd(), name, ".svg", picture)
    except OSError as error:
        return failed("No picture", f"It can't be written here: {error.strerror}")
    return done("Picture saved", str(path))
