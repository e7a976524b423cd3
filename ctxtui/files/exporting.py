"""Exporting a conversation to a file a user names."""

from __future__ import annotations

from ctxtui.core import Conversation
from ctxtui.core.formats import Format
from ctxtui.core.formats.warnings import sentences
from ctxtui.files.overwriting import Overwriting
from ctxtui.files.paths import read_path
from ctxtui.files.writing import write_whole

MOST_WARNINGS = 3
LONGEST_STEM = 80
"""Characters of a title that the name of a file takes."""


class Exporter(Overwriting):
    """Writes a conversation to files; over one that is there only when asked twice."""

    def __init__(self, conversation: Conversation) -> None:
        super().__init__()
        self._conversation = conversation

    def write(self, name: str, chosen: Format) -> tuple[str, list[str]]:
        """Write the file as a whole or not at all; return that in words, and warnings about it."""
        written = chosen.write(self._conversation.copy())
        write_whole(read_path(name), written.text)
        return f"Exported to {name} ({chosen.name})", list(
            sentences(written.warnings[:MOST_WARNINGS])
        )


def usual_name(title: str, chosen: Format) -> str:
    """Return what a file of a session is called if nobody says otherwise: its title, an ending."""
    known = title
    for suffix in (*chosen.suffixes, ".json", ".jsonl"):
        known = known.removesuffix(suffix)
    kept = "".join(char if char.isalnum() or char in "-_. " else "-" for char in known)
    stem = kept[:LONGEST_STEM].strip(" .-") or "conversation"
    return f"{stem}{chosen.suffixes[0] if chosen.suffixes else '.json'}"
