"""Finding text in messages: plain words, or a regular expression that can't take forever."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import cached_property

import regex

from ..errors import Refused, shown
from ..messages.message import Message
from ..values.models import read_text
from .patterns import check_pattern

MESSAGE_SECONDS = 0.5
"""Seconds a pattern may spend on one message; some would need years for a short text."""


LINE_SECONDS = 0.005
"""Seconds a pattern may spend on a line that is being drawn."""


class TooSlow(Exception):  # noqa: N818 - it says what the pattern is
    """A regular expression took longer over a text than it may."""


class Finder:
    """Tells whether a text occurs in a message, and where in a line."""

    def __init__(
        self,
        text: str,
        is_regex: bool = False,
        case_sensitive: bool = False,
        time_limit: float = MESSAGE_SECONDS,
    ) -> None:
        self.text = read_text(text, "text")
        self.is_regex = is_regex
        self._limit = time_limit
        self._is_too_slow = False
        self._flags = 0 if case_sensitive else regex.IGNORECASE
        self._occurs = self._plain(text, case_sensitive) if not is_regex else self._matches
        if is_regex:
            check_pattern(text)
            self._pattern = compiled(text, self._flags)

    def occurs_in(self, message: Message) -> bool:
        """Tell whether a message holds the text; raise TooSlow where a pattern can't tell."""
        return self._occurs(message.search_text)

    def is_in(self, words: str) -> bool:
        """Tell whether a text stands in another one; raise TooSlow where a pattern can't tell."""
        return self._occurs(words)

    def spans(self, line: str) -> list[tuple[int, int]]:
        """Return where the text stands in a short line; nothing where a pattern can't tell."""
        if self._is_too_slow or (not self.is_regex and len(self.text) > len(line)):
            return []
        try:
            found = self._pattern.finditer(line, timeout=LINE_SECONDS)
            return [match.span() for match in found if match.end() > match.start()]
        except (TimeoutError, MemoryError):
            self._is_too_slow = True  # Once is enough: a screen has hundreds of pieces.
            return []

    @cached_property
    def _pattern(self) -> regex.Pattern[str]:
        """Return the pattern of a plain text; one longer than any line is never needed."""
        return compiled(regex.escape(self.text, literal_spaces=True), self._flags)

    def among(self, messages: Iterator[tuple[int, Message]]) -> Iterator[int]:
        """Yield the numbers of the messages that hold the text; refuse a pattern too slow."""
        for number, message in messages:
            try:
                if self.occurs_in(message):
                    yield number
            except TooSlow:
                raise Refused(
                    f"text {shown(self.text)} takes longer than {self._limit:g} s "
                    f"on message {number} and was stopped",
                    field="text",
                    value=self.text,
                    legal="a regular expression without nested repetition",
                ) from None

    @staticmethod
    def _plain(text: str, case_sensitive: bool) -> Callable[[str], bool]:
        if case_sensitive:
            return lambda words: text in words
        folded = text.casefold()
        return lambda words: folded in words.casefold()

    def _matches(self, words: str) -> bool:
        try:
            return self._pattern.search(words, timeout=self._limit) is not None
        except (TimeoutError, MemoryError):
            raise TooSlow(self.text) from None


def compiled(text: str, flags: int) -> regex.Pattern[str]:
    """Return a regular expression that is ready to be used, or refuse one that is none."""
    try:
        with warnings.catch_warnings(action="ignore"):
            return regex.compile(text, flags)
    except (regex.error, ValueError, OverflowError, RecursionError, MemoryError) as error:
        raise Refused(
            f"text {shown(text)} is not a regular expression: {error}",
            field="text",
            value=text,
            legal="a regular expression",
        ) from None
