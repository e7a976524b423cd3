"""Exporting a conversation to a file a user names."""

from __future__ import annotations

from core import Conversation, Refused
from core.formats import FORMATS, format_for, format_named
from ctxtui.files.paths import read_path
from ctxtui.files.writing import write_whole

HINT = "a file: NAME.json for everything; for what is sent, " + ", ".join(
    f"NAME{known.suffixes[0]} ({known.name})"
    for known in FORMATS
    if known.writes and known.suffixes and known.name != "native"
)
MOST_REMARKS = 3


class Exporter:
    """Writes a conversation to files; over one that is there only when asked twice."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._overwriting: str | None = None

    def check(self, name: str) -> None:
        """Refuse no name, and one that is taken unless it was given before."""
        if not name:
            raise Refused("nothing was typed: a file name is needed", field="file", value=name)
        if self._overwriting != name and _exists(name):
            self._overwriting = name
            sentence = f"{name} is there already. enter again writes over it"
            raise Refused(sentence, field="file", value=name, legal="a name that is not taken")
        self._overwriting = None

    def write(self, name: str) -> tuple[str, list[str]]:
        """Write the file as a whole or not at all; return that in words, and remarks on it."""
        chosen = format_for(name) or format_named("native")
        written = chosen.write(self._conversation.copy())
        write_whole(read_path(name), written.text)
        return f"Exported to {name} ({chosen.name})", list(written.problems[:MOST_REMARKS])


def _exists(name: str) -> bool:
    """Tell whether there is a file of that name."""
    try:
        return read_path(name).exists()
    except (Refused, OSError, ValueError):
        return False
