"""The screens a picture can be taken of, and the keys that lead to each."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from tempfile import TemporaryDirectory
from typing import NamedTuple

from textual.keys import Keys, key_to_character
from textual.pilot import Pilot

from ctxtui.app import CtxtuiApp
from ctxtui.core import Conversation, Refused, Revision
from ctxtui.core.errors import wrong_type
from ctxtui.core.storage import MemoryLibrary
from ctxtui.files.preferences import FOLDER, Preferences
from ctxtui.inspector.screen import InspectorScreen
from ctxtui.library.screen import LibraryScreen
from ctxtui.pictures.svg import tidied
from ctxtui.text.symbols import printable

KEYS = frozenset(key.value for key in Keys)
"""Names of keys that write no character."""

SCREENS: dict[str, tuple[str, ...]] = {
    "inspector": (),
    "raw": ("1",),
    "visible": ("2",),
    "message": ("3",),
    "timeline": ("4",),
    "text": ("0",),
    "roles": ("5",),
    "mark-map": ("6",),
    "state": ("6", "6"),
    "journal": ("7",),
    "tokens": ("8",),
    "lint": ("L",),
    "diff": ("equals_sign",),
    "what-if": ("w",),
    "over-run": ("w", "w"),
    "sweep": ("w", "tab"),
    "call": ("I",),
    "loom": ("Z",),
    "operations": ("o",),
    "help": ("question_mark",),
    "library": (),
}
"""Screens of the app by the name a command knows them by."""

LIBRARY = "library"
"""The one screen that shows no conversation, but all of a file's."""
CALL = "call"
"""The one screen that shows what was really sent, and so needs a recorded call."""
OF_TWO_BATCHES = ("diff",)
"""Screens that compare the selected batch with now; by default the batch before."""


def read_keys(text: str) -> tuple[str, ...]:
    """Return the keys of a text with spaces between them; a name that no key has is refused."""
    keys = tuple(text.split())
    for key in keys:
        if len(key) > 1 and key not in KEYS and key_to_character(key) is None:
            raise wrong_type("keys", key, "a key, such as j, enter, ctrl+s or question_mark")
    return keys


# Waiting for an app without a terminal: for what a key has caused, not for how busy a machine is.

MOST_ROUNDS = 100
"""Drawing may lead to something that has to be drawn."""


async def settled(app: CtxtuiApp) -> None:
    """Wait until an app has done and drawn all that follows from what was typed."""
    for turn in range(MOST_ROUNDS):
        await app.type_ahead.settled()
        if not app.is_running or not app.screen_stack:
            return
        if app._resize_event is not None:
            app._check_resize()
            await app.type_ahead.settled()
        app.screen._on_timer_update()
        if turn and not app.screen._layout_required:
            return
        await asyncio.sleep(0)


# Taking a picture: the same conversation and the same options give the same picture.

NO_TIME = 1_700_049_600_000
"""Noon of a day in 2023, in milliseconds: when things happened that have no time of their own."""
FOR_EVER_SECONDS = 86_400.0


class Subject(NamedTuple):
    """A conversation, and what it is called."""

    conversation: Conversation
    title: str


@dataclass(frozen=True)
class PictureOptions:
    """What is to be seen: a screen, at a batch, in a size and a theme, after some more keys.

    ``name`` keeps the elements of several pictures on one page apart.
    """

    screen: str = "inspector"
    size: tuple[int, int] = (120, 40)
    theme: str = "ink"
    batch: Revision | None = None
    keys: tuple[str, ...] = ()
    name: str = "ctxtui"


class PictureApp(CtxtuiApp):
    """The app, unseen: nothing moves, and no toast goes before it is drawn."""

    NOTIFICATION_TIMEOUT = FOR_EVER_SECONDS

    def load_preferences(self) -> Preferences:
        """Return what the app comes with, so that a picture is the same wherever it is taken."""
        return Preferences()

    def save_preferences(self, preferences: Preferences) -> None:
        """Save nothing."""


def take(subjects: Sequence[Subject], options: PictureOptions) -> str:
    """Return a picture, as SVG, of the first of these conversations, or of all as a library."""
    with nowhere():
        return asyncio.run(_take(subjects, options))


def picture_app(subjects: Sequence[Subject], options: PictureOptions) -> PictureApp:
    """Return the app on the first of these conversations, or on all as a library."""
    library = MemoryLibrary(clock=lambda: NO_TIME, ids=_ids())
    for conversation, title in subjects:
        library.create(timeless(conversation), title=printable(title)).close()
    first = library.list()[0]
    start = None if options.screen == LIBRARY else library.open(first.id)
    if start is not None:
        start.notes = ()
    app = PictureApp(start, library)
    app.animation_level = "none"
    app.theme = options.theme  # Whatever colours the terminal has that is not there.
    return app


async def _take(subjects: Sequence[Subject], options: PictureOptions) -> str:
    app = picture_app(subjects, options)
    async with app.run_test(size=options.size) as pilot:
        await calm(app)
        for toast in app.toasts:
            app.remove_toast(toast)  # A greeting, which is not what the picture is taken for.
        if options.screen == LIBRARY:
            await app.switch_screen(LibraryScreen(app.library, clock=lambda: NO_TIME))
        elif options.batch is not None and isinstance(app.screen, InspectorScreen):
            app.screen.explorer.look_at_batch(options.batch.batch)
        for key in _way(options):
            await _press(app, pilot, key)
        _hide_cursors(app)
        await calm(app)
        return tidied(app.export_screenshot(), options.name)


def _way(options: PictureOptions) -> Iterator[str]:
    """Yield the keys that lead to what is wished for."""
    if options.batch is None and options.screen in OF_TWO_BATCHES:
        yield "left_square_bracket"
    yield from SCREENS[options.screen]
    yield from options.keys


async def _press(app: CtxtuiApp, pilot: Pilot[str], key: str) -> None:
    await pilot.press(key)
    await calm(app)
    if not app.is_running:
        raise Refused(f"keys: {key} leaves the app, so there is nothing to see", field="keys")


async def calm(app: CtxtuiApp) -> None:
    """Wait until everything is done and drawn, behind the scenes too."""
    await settled(app)
    await app.workers.wait_for_complete()
    await settled(app)


def _hide_cursors(app: CtxtuiApp) -> None:
    """Let no cursor blink, which would be in every other picture."""
    for field in app.screen.query("Input, TextArea"):
        field.cursor_blink = False  # type: ignore[attr-defined]


def timeless(conversation: Conversation, since: int | None = None) -> Conversation:
    """Return a conversation in which nothing happened while it was read.

    Formats that know no times, and scripts, get those of the clock: from ``since`` on, which is
    when this program began to read.
    """
    began = _BEGAN if since is None else since
    data = conversation.to_dict()
    for record in data["journal"]:
        if record["time"] >= began:
            record["time"] = NO_TIME
    return Conversation.from_dict(data)


_BEGAN = int(time.time() * 1000)


def _ids() -> Callable[[], str]:
    numbers = count(1)
    return lambda: f"a{next(numbers):011d}"


@contextmanager
def nowhere() -> Iterator[None]:
    """Depend on no machine: times are UTC, and no preferences are read.

    Recipes and policies of the user's own would be in some pictures, too.
    """
    with TemporaryDirectory(prefix="ctxtui-") as empty:
        news = {"TZ": "UTC", FOLDER: empty}
        before = {name: os.environ.get(name) for name in news}
        _set(news)
        try:
            yield
        finally:
            _set(before)


def _set(values: Mapping[str, str | None]) -> None:
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    if hasattr(time, "tzset"):
        time.tzset()
