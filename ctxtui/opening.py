"""Opens a file as a conversation, or says in one sentence why it can't be."""

from __future__ import annotations

import json
from pathlib import Path

from core import Conversation
from core.scripts import Script


class Unreadable(Exception):  # noqa: N818 - it says what the file is
    """A file that can't be read as a conversation."""


def open_file(path: str) -> Conversation:
    """Return the conversation that a script file leads to."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise Unreadable("there is no such file") from None
    except UnicodeDecodeError as error:
        raise Unreadable(f"byte {error.start} is not UTF-8 text") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a file name"
        raise Unreadable(f"it can't be read: {reason}") from None
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise Unreadable(f"line {error.lineno} is not JSON: {error.msg}") from None
    except (RecursionError, ValueError):
        raise Unreadable("it is JSON nested or numbered beyond what can be read") from None
    return Script.from_dict(data).run()
