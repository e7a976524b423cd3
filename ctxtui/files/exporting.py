"""Exporting a conversation to a file a user names."""

from __future__ import annotations

from core import Conversation, Refused
from core.formats import dump_json, format_named
from ctxtui.files.paths import read_path
from ctxtui.files.writing import write_whole

OPENAI = ".openai.json"
HINT = f"a file: NAME.json for everything, NAME{OPENAI} for what is sent, as OpenAI chat"
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
        chosen = format_named("openai" if name.endswith(OPENAI) else "native")
        written = chosen.write(self._conversation.copy())
        write_whole(read_path(name), dump_json(written.data) + "\n")
        return f"Exported to {name} ({chosen.name})", list(written.problems[:MOST_REMARKS])


def _exists(name: str) -> bool:
    """Tell whether there is a file of that name."""
    try:
        return read_path(name).exists()
    except (Refused, OSError, ValueError):
        return False
