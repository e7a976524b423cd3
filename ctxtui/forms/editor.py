"""The user's own editor, for texts that deserve more than a few lines."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from textual.app import SuspendNotSupported
from textual.screen import Screen

from ctxtui.notify import notify
from ctxtui.text.toast import failed, note


def edit_text(screen: Screen[Any], text: str | None, take: Callable[[str], object]) -> None:
    """Edit a text in $EDITOR, and take over what was saved there."""
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if text is None:
        notify(screen, note("There is no text to edit here"))
    elif not command:
        notify(screen, note("EDITOR is not set", "So there is no editor to open."))
    else:
        try:
            with screen.app.suspend():
                made = edited(command, text)
        except SuspendNotSupported:
            problem = "this terminal can't be lent to another program"
        except (OSError, ValueError) as error:
            problem = f"{command} could not be run: {error}"
        else:
            take(made)
            return
        notify(screen, failed(problem))


def edited(command: str, text: str) -> str:
    """Return a text as an editor has left it; as it was if the editor says that it failed."""
    with tempfile.TemporaryDirectory(prefix="ctxtui-") as folder:
        path = Path(folder) / "message.md"
        path.write_text(text, encoding="utf-8", errors="surrogatepass")
        done = subprocess.run([*shlex.split(command), str(path)], check=False)
        if done.returncode != 0:
            return text
        return path.read_text(encoding="utf-8", errors="surrogatepass")
