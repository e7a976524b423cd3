"""What screens ask the app for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from textual.message import Message

if TYPE_CHECKING:
    from ctxtui.core import Conversation
    from ctxtui.core.storage import Entry
    from ctxtui.inspector.models.search import Spot
    from ctxtui.lessons.files import LessonFile
    from ctxtui.what_if.models.comparison import SimulatedCall


@dataclass
class OpenSession(Message):
    """A session of the library should be opened, at its end or at a place in it."""

    entry: Entry
    spot: Spot | None = None


@dataclass
class OpenOther(Message):
    """Another session of the library should be opened instead of the one that is open."""

    id: str
    title: str
    is_review: bool = False
    """Whether a verdict led there, which u may take back."""


@dataclass
class OpenTarget(Message):
    """A file should be opened."""

    name: str


class OpenLibrary(Message):
    """The library should be shown; a session is closed first, and it may have come from watch."""


class OpenWatch(Message):
    """The sessions that others write should be shown."""


class OpenLessons(Message):
    """The lessons should be shown."""


@dataclass
class OpenLesson(Message):
    """A lesson should be played."""

    found: LessonFile


@dataclass
class LeaveLesson(Message):
    """The lesson of a name should be left for the list of them."""

    name: str


@dataclass
class OpenPractice(Message):
    """A copy of a lesson's conversation should be opened, to be tried on and forgotten."""

    conversation: Conversation
    title: str


@dataclass
class OpenSquashed(Message):
    """A session of what is visible at a revision should be made, and opened instead."""

    conversation: Conversation
    revision: int
    title: str
    tags: tuple[str, ...]


@dataclass
class OpenSimulated(Message):
    """A session of what a policy sends at a call should be made, and opened instead."""

    call: SimulatedCall


@dataclass
class Preferred(Message):
    """A setting of the app was chosen: it should count from now on, and be remembered."""

    name: str
    value: Any


class OpenSettings(Message):
    """The settings of the app should be shown."""
