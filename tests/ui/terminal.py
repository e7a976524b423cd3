"""A terminal that keeps what is written to it, so that a test can read the bytes."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from textual.drivers.headless_driver import HeadlessDriver
from textual.pilot import Pilot

from ctxtui.app import CtxtuiApp

_OURS = re.compile(r"\x1b\[(?:[\d;]*m|\d+;\d+H|\?2026[hl])|\x1b\]22;[a-z-]*\x07")
"""Colours, places of the cursor, frames, and the shape of the mouse."""
_COPIED = re.compile(r"\x1b\]52;c;(?!SGFja2Vk)[\w+/=]*\x07", re.ASCII)
"""What a user has copied; what a file copies has a text of its own."""
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


def faults(written: list[str], *, may_copy: bool = False) -> list[str]:
    """Return what a terminal would act on, other than colours and places of the cursor.

    Where a user may have copied something, the clipboard may be written too.
    """
    found = []
    for data in written:
        if _SENT in data:
            found.append("a colour that a file has chosen")
        ours = _COPIED.sub("", data) if may_copy else data
        found += [ascii(one) for one in _ACTS.findall(_OURS.sub("", ours))]
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
