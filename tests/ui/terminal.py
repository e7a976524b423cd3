"""A terminal that keeps what is written to it, so that a test can read the bytes."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from textual.drivers.headless_driver import HeadlessDriver
from textual.pilot import Pilot

from ctxtui.app import CtxtuiApp

HOSTILE = "".join(
    [
        "a\x1b]52;c;SGFja2Vk\x07",  # Writes the clipboard.
        "b\x9d52;c;SGFja2Vk\x9c",  # The same with C1 controls.
        "c\x1b[2J\x1b[6;6;6m\x9b2J",  # Clears the screen, changes colours.
        "d\x1b]0;title\x1b\\\x00\x08\x0b\x7f\x85",
        "e\u202e\u2066\u200f\u2028\u2029\ufeff",  # Turns the direction of writing.
        "f\ud800g\udfff",  # No UTF-8 at all.
        "[/foo] [bold]x[/bold] [@click=app.quit]y[/] [link=file:///]z[/]",
        "👩\u200d👩\u200d👧 漢字かな 한국어 e\u0301",
    ]
)
"""Everything a file may hold that a terminal or a markup parser would act on."""

_OURS = re.compile(r"\x1b\[(?:[\d;]*m|\d+;\d+H|\?2026[hl])|\x1b\]22;[a-z-]*\x07")
"""Colours, places of the cursor, frames, and the shape of the mouse."""
_SENT = "\x1b[6;6;6m"
_ACTS = re.compile(
    r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
)


class RecordingDriver(HeadlessDriver):
    """A driver without a terminal whose frames are encoded all the same, and kept."""

    written: list[str]

    @property
    def is_headless(self) -> bool:
        """Say that there is a terminal: only then frames are encoded."""
        return False

    def write(self, data: str) -> None:
        """Keep what would have been written."""
        if not hasattr(self, "written"):
            self.written = []
        self.written.append(data)

    def flush(self) -> None:
        """Do nothing: all of it is kept already."""


def faults(written: list[str]) -> list[str]:
    """Return what a terminal would act on, other than colours and places of the cursor."""
    found = []
    for data in written:
        if _SENT in data:
            found.append("a colour that a file has chosen")
        found += [ascii(one) for one in _ACTS.findall(_OURS.sub("", data))]
        try:
            data.encode("utf-8")
        except UnicodeEncodeError as error:
            found.append(str(error))
    return found


@asynccontextmanager
async def watched(
    app: CtxtuiApp, size: tuple[int, int] = (140, 42)
) -> AsyncIterator[tuple[Pilot[str], list[str]]]:
    """Run an app with toasts and tooltips, and give all it writes to its terminal."""
    app.animation_level = "none"
    app.driver_class = RecordingDriver
    run = app.run_test(headless=False, size=size, tooltips=True, notifications=True)
    async with run as pilot:
        await pilot.pause()
        driver = app._driver
        assert isinstance(driver, RecordingDriver)
        yield pilot, driver.written
