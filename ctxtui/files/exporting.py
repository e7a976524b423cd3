"""Exporting a conversation to a file a user names."""

from __future__ import annotations

from core import Conversation, Refused
from core.formats import Format
from ctxtui.files.paths import read_path
from ctxtui.files.writing import write_whole

MOST_REMARKS = 3
LONGEST_STEM = 80
"""Characters of a title that the name of a file takes."""


class Exporter:
    """Writes a conversation to files; over one that is there only when asked twice."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._overwriting: str | None = None

    def check(self, name: str) -> None:
        """Refuse a name that is taken unless it was given before."""
        if self._overwriting != name and _exists(name):
            self._overwriting = name
            sentence = f"{name} is there already. enter again writes over it"
            raise Refused(sentence, field="file", value=name, legal="a name that is not taken")
        self._overwriting = None

    def write(self, name: str, chosen: Format) -> tuple[str, list[str]]:
        """Write the file as a whole or not at all; return that in words, and remarks on it."""
        written = chosen.write(self._conversation.copy())
        write_whole(read_path(name), written.text)
        return f"Exported to {name} ({chosen.name})", list(written.problems[:MOST_REMARKS])


def usual_name(title: str, chosen: Format) -> str:
    """Return what a file of a session is called if nobody says otherwise: its title, an ending."""
    known = title
    for suffix in (*chosen.suffixes, ".json", ".jsonl"):
        known = known.removesuffix(suffix)
    kept = "".join(char if char.isalnum() or char in "-_. " else "-" for char in known)
    stem = kept[:LONGEST_STEM].strip(" .-") or "conversation"
    return f"{stem}{chosen.suffixes[0] if chosen.suffixes else '.json'}"


def _exists(name: str) -> bool:
    """Tell whether there is a file of that name."""
    try:
        return read_path(name).exists()
    except (Refused, OSError, ValueError):
        return False
