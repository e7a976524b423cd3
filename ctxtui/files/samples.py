"""The sample conversations that come with the app.

Listing them reads one small index; a sample itself is read when it is selected.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import ctxtui
from ctxtui.core import Conversation, Refused
from ctxtui.files.opening import read_conversation
from ctxtui.files.sandbox import Unreadable

INDEX = "index.json"
"""The file that lists the samples; a test compares it with what is in them."""


@dataclass(frozen=True)
class Sample:
    """A sample: its file, what is said of it, and how much is in its first conversation."""

    path: Path
    title: str
    about: str
    messages: int
    batches: int
    conversations: int

    @cached_property
    def conversation(self) -> Conversation:
        """Return its first conversation; without messages where the file was damaged."""
        try:
            return read_conversation(str(self.path)).conversation
        except (Unreadable, Refused):
            return Conversation()


def samples_folder() -> Path:
    """Return where the samples are: beside the package in a checkout, inside it when installed."""
    package = Path(ctxtui.__file__).parent
    inside = package / "sample_sessions"
    return inside if inside.is_dir() else package.parent / "sample_sessions"


def load_samples() -> list[Sample]:
    """Return the samples that are there, without reading them."""
    folder = samples_folder()
    try:
        rows = json.loads((folder / INDEX).read_text(encoding="utf-8"))
    except OSError:
        return []
    samples = [Sample(folder / row.pop("file"), **row) for row in rows]
    return [sample for sample in samples if sample.path.is_file()]
