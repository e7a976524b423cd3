"""Paths as a user types them."""

from __future__ import annotations

from pathlib import Path

from ctxtui.core import Refused


def read_path(text: str) -> Path:
    """Return the path a user typed, with ~ for home, or refuse it.

    It is absolute, so that a file called - is not taken for standard input.
    """
    name = text.strip()
    try:
        return Path(name).expanduser().absolute()
    except RuntimeError:
        why = "there is no such home folder"
    except OSError:
        why = "this folder is gone"
    raise Refused(f"{name}: {why}", field="path", value=text)
