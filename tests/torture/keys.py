"""Random keys on every screen, with random sizes of the terminal: nothing may break or be lost."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections import deque
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from random import Random
from time import perf_counter

from textual import events
from textual.keys import _character_to_key
from textual.pilot import Pilot
from textual.worker import WorkerCancelled

from ctxtui.app import CtxtuiApp
from ctxtui.calls.keys import CALL
from ctxtui.commands.command import SYMBOLS
from ctxtui.commands.common import LISTS
from ctxtui.core import Conversation
from ctxtui.core.storage import Library, MemoryLibrary
from ctxtui.diff.keys import DIFF
from ctxtui.files.samples import load_samples
from ctxtui.forms.keys import FORM
from ctxtui.inspector.keys import INSPECTOR
from ctxtui.inspector.screen import InspectorScreen, PracticeScreen
from ctxtui.lessons.keys import LESSON
from ctxtui.library.keys import BULK, LIBRARY
from ctxtui.settings.keys import SETTINGS
from ctxtui.what_if.keys import SWEEP, WHAT_IF
from tests.settling import install
from tests.torture.report import Report
from tests.ui.hostility import HOSTILE, called, hostile
from tests.ui.terminal import faults, watched

ROUND = 200
"""Keys after which everything is checked, and another session is opened."""
RESIZE = 40
"""One of so many keys is a terminal of another size instead."""
BURST = 3
"""One of so many keys is followed by the next before anything can answer."""
WEIGHTS = (40, 48, 10, 2)
"""How often keys are common ones, commands, texts, and something pasted."""
LAST = 30
"""How many of the last keys a failure tells."""

COMMANDS = [
    key
    for command in (
        *INSPECTOR,
        *LISTS,
        *LIBRARY,
        *LESSON,
        *FORM,
        *WHAT_IF,
        *SWEEP,
        *DIFF,
        *SETTINGS,
        *BULK,
        *CALL,
    )
    for key in command.keys.split(",")
    if key != "q"
]
"""Every key of the registry but the one that leaves: a round would be over."""
WAYS_IN = ("", "w", "w tab", "w shift+tab", "equals_sign", "I", "comma", "a", "t", "o")
"""What opens the screens above the inspector."""
WAYS_FROM_LIBRARY = ("", "l", "l enter", "l j enter")
"""What leads from the library to lessons."""
COMMON = ("escape", "tab", "enter", "pagedown", "pageup", "j", "k", "ctrl+s", "u", "backspace")
TEXTS = (
    *("0", "1", "7", "-1", "99999999999999999999", "0,1,2", "1-2 window", "#1", "*keep", "keep"),
    *("error", "G1", "gone", "/a/", "/(a/", "[/foo]", "漢字", "a.json", "a.openai.json", "/", "~x"),
    '{"operation": "TRUNCATE", "keepLast": 2}',
    *("input=3,cached=0.3", "k=1:9:4", "status:new -tag:x", "lint:no", "dup:yes", "-good, a"),
)
SIZES = ((1, 1), (2, 2), (4, 3), (6, 10), (20, 5), (40, 12), (80, 24), (140, 42), (220, 70))


def run(count: int, seed: int) -> Report:
    """Press so many keys, and tell what broke with the keys that led there."""
    install()
    began, failures = perf_counter(), []
    with _own_folder():
        for number, start in enumerate(range(0, count, ROUND)):
            torture = Torture(Random(seed + number), min(ROUND, count - start))
            asyncio.run(torture.run())
            # The same seed and one round show the same failure again.
            failures += [f"seed {seed + number}: {one}" for one in torture.failures]
    return Report("keys", count, failures, perf_counter() - began)


class Torture:
    """One session, or a library of some, under random keys."""

    def __init__(self, dice: Random, count: int) -> None:
        self.dice = dice
        self.count = count
        self.failures: list[str] = []
        self.pressed: deque[str] = deque(maxlen=LAST)

    async def run(self) -> None:
        """Press all keys, then look whether everything is as it should be."""
        library = MemoryLibrary()
        conversations = [
            hostile(),
            called(),
            Conversation(),
            *(one.conversation for one in load_samples()),
        ]
        for number, conversation in enumerate(conversations):
            library.create(conversation.copy(), title=f"session {number}").close()
        chosen = self.dice.choice([None, None, *library.list()])
        start = None if chosen is None else library.open(chosen.id)
        where = "the library" if chosen is None else chosen.title
        app = CtxtuiApp(start, library)
        try:
            async with watched(app, self.dice.choice(SIZES)) as (pilot, written):
                way_in = self.dice.choice(WAYS_FROM_LIBRARY if start is None else WAYS_IN)
                for key in way_in.split():
                    await self._send(pilot, key)
                for _ in range(self.count):
                    await self._press(pilot)
                    self._note(where, [f"writes {one}" for one in faults(written, may_copy=True)])
                    written.clear()
                await _settle(pilot)
                self._note(where, list(_wrong(app, library)))
        except Exception as error:  # Whatever it is, it is what is looked for.
            self._note(where, [f"{type(error).__name__}: {error}"])

    async def _press(self, pilot: Pilot[str]) -> None:
        dice = self.dice
        kind = dice.choices(("common", "command", "text", "paste"), WEIGHTS)[0]
        if dice.randrange(RESIZE) == 0:
            width, height = dice.choice([*SIZES, (dice.randint(1, 220), dice.randint(1, 70))])
            self.pressed.append(f"={width}x{height}")
            await pilot.resize_terminal(width, height)
        elif kind == "text":
            text = dice.choice(TEXTS)
            self.pressed.append(repr(text))
            for char in text:
                pilot.app.post_message(events.Key(_character_to_key(char), char))
        elif kind == "paste":
            self.pressed.append("a paste")
            pilot.app.post_message(events.Paste(HOSTILE))
        else:
            await self._send(pilot, dice.choice(COMMON if kind == "common" else COMMANDS))

    async def _send(self, pilot: Pilot[str], key: str) -> None:
        self.pressed.append(key)
        pilot.app.post_message(_event(key))
        if self.dice.randrange(BURST):
            await pilot.pause()

    def _note(self, where: str, wrong: list[str]) -> None:
        if wrong:
            keys = " ".join(self.pressed)
            self.failures.append(f"{where}: {'; '.join(wrong[:3])}; the last keys were {keys}")


def _event(key: str) -> events.Key:
    """Return a key of the registry as a terminal would send it."""
    sign = SYMBOLS.get(key, key)
    char = " " if key == "space" else sign if len(sign) == 1 and sign.isascii() else None
    return events.Key(_character_to_key(char) if char else key, char)


async def _settle(pilot: Pilot[str]) -> None:
    """Wait until everything that was asked for is done."""
    while any(worker.is_running for worker in pilot.app.workers):
        try:
            await pilot.app.workers.wait_for_complete()
        except WorkerCancelled:
            continue
        finally:
            await pilot.pause()
    await pilot.pause()


def _wrong(app: CtxtuiApp, library: Library) -> Iterator[str]:
    """Yield what is not as it should be: in memory, on disk, and between the two."""
    for screen in app.screen_stack:
        if isinstance(screen, InspectorScreen):
            yield from screen.conversation.check()
            problem = screen.workspace.saver.close()
            if problem is not None:
                yield problem
            elif not screen.session.read_only and not isinstance(screen, PracticeScreen):
                with library.open(screen.session.id, read_only=True) as saved:
                    if saved.conversation != screen.conversation:
                        yield "what is saved is not what is in memory"
    for entry in library.list():
        yield from library.verify(entry.id)


@contextmanager
def _own_folder() -> Iterator[None]:
    """Let what is exported, recorded and preferred go to a folder that is removed afterwards."""
    old = {name: os.environ.get(name) for name in ("CTXTUI_CONFIG", "EDITOR", "VISUAL")}
    with tempfile.TemporaryDirectory(prefix="ctxtui-keys-") as folder, chdir(folder):
        os.environ["CTXTUI_CONFIG"] = folder
        for name in ("EDITOR", "VISUAL"):
            os.environ.pop(name, None)
        try:
            yield
        finally:
            for name, value in old.items():
                os.environ.pop(name, None)
                if value is not None:
                    os.environ[name] = value
