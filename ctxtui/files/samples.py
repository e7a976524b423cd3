"""The sample conversations that come with the app."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import ctxtui
from core import Conversation
from ctxtui.files.opening import read_conversation
from ctxtui.files.reading import Unreadable

NAMES = (
    "tour.json",
    "refactor-parcel.json",
    "scripts/temporary-prompt.json",
    "scripts/summarise-twice.json",
    "scripts/curate-by-marks.json",
    "trip.openai.json",
)


class Sample(NamedTuple):
    """A sample: its file, and the conversation in it."""

    path: Path
    conversation: Conversation

    @property
    def title(self) -> str:
        """Return its title."""
        return str(self.conversation.meta.get("title", self.path.name))

    @property
    def about(self) -> str:
        """Return one sentence about it."""
        said = "An OpenAI chat with parallel tool calls, to try recipes on."
        return str(self.conversation.meta.get("about", said))


def samples_folder() -> Path:
    """Return where the samples are: beside the package in a checkout, inside it when installed."""
    package = Path(ctxtui.__file__).parent
    inside = package / "sample_sessions"
    return inside if inside.is_dir() else package.parent / "sample_sessions"


def load_samples() -> list[Sample]:
    """Return the samples that can be read."""
    found = []
    for name in NAMES:
        path = samples_folder() / name
        try:
            found.append(Sample(path, read_conversation(str(path)).conversation))
        except Unreadable:
            continue
    return found
