"""The terminal's background colour: asked when the app starts, answered while it runs, or never.

Textual would take the answer for typed keys, so it is taken out of the input before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from operator import mul

from textual._xterm_parser import XTermParser
from textual.driver import Driver
from textual.message import Message

ASK = "\x1b]11;?\x1b\\"
_ANSWER = re.compile(r"\x1b\]11;([^\x07\x1b]*)(?:\x07|\x1b\\)")
_BEGUN = re.compile(r"\x1b\]1(?:1(?:;[^\x07\x1b]{0,40}\x1b?)?)?\Z")
"""The start of an answer, whose rest was not read yet."""
_COLOUR = re.compile(r"rgba?:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})")
WEIGHTS = (0.299, 0.587, 0.114)
"""How bright red, green and blue are."""
HALF = 0.5


class BackgroundKnown(Message):
    """The terminal has said which background it has."""

    def __init__(self, *, is_light: bool) -> None:
        super().__init__()
        self.is_light = is_light


def is_light(colour: str) -> bool | None:
    """Return whether a colour such as ``rgb:fcfc/fafa/f5f5`` is light; None if it is none."""
    found = _COLOUR.match(colour)
    if found is None:
        return None
    parts = [int(part, 16) / (int("f" * len(part), 16)) for part in found.groups()]
    return bool(sum(map(mul, parts, WEIGHTS)) > HALF)


class AnswerParser(XTermParser):
    """Parses what a terminal sends; an answer about its background becomes a message."""

    _rest = ""

    def feed(self, data: str) -> Iterable[Message]:
        if not data:
            yield from super().feed(data)
            return
        data, self._rest = self._rest + data, ""
        for colour in _ANSWER.findall(data):
            light = is_light(colour)
            if light is not None:
                yield BackgroundKnown(is_light=light)
        data = _ANSWER.sub("", data)
        begun = _BEGUN.search(data)
        if begun is not None:
            data, self._rest = data[: begun.start()], begun[0]
        if data:
            yield from super().feed(data)


@cache
def asking(driver: type[Driver]) -> type[Driver]:
    """Return a driver that asks a terminal for its background; others, such as a browser's, as is.

    It asks once it reads what the terminal sends, and waits for nothing.
    """
    if driver.__module__ != "textual.drivers.linux_driver":
        return driver
    from textual.drivers import linux_driver

    class AskingDriver(linux_driver.LinuxDriver):
        def start_application_mode(self) -> None:
            super().start_application_mode()  # type: ignore[no-untyped-call]
            self.write(ASK)
            self.flush()

        def run_input_thread(self) -> None:
            vars(linux_driver).update(XTermParser=AnswerParser)
            super().run_input_thread()

    return AskingDriver
