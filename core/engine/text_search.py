"""Text search: a text or a regular expression, with limits on time and memory.

The compiler of regular expressions writes repeats out, nested ones as often as both say, so that a
few characters can need gigabytes: ``((a{1000}){1000}){1000}``. Such patterns are refused.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from functools import cached_property

import regex

from ..errors import Refused, format_value
from ..values.models import read_text
from .messages import Message

MOST_CHARACTERS = 10_000
MOST_STEPS = 100_000
"""Single characters, classes and groups, each as often as it is repeated: 80 MB at the worst."""

_TOKEN = re.compile(
    r"""
    (?P<escape>  \\. )
  | (?P<flags>   \(\?[A-Za-z0-9-]*\) )            # an item follows on what comes before it
  | (?P<set>     \[\^?(?:\\.|.)(?:\\.|[^\]\\])*\] )
  | (?P<unclosed> \[ )
  | (?P<open>    \( )
  | (?P<close>   \) )
  | (?P<either>  \| )
  | (?P<count>   \{(?=[0-9,])(?P<least>[0-9]*)(?:,(?P<most>[0-9]*))?\} )
  | (?P<fuzzy>   \{[^{}\[\]()|\\]*[<=][^{}\[\]()|\\]*\} )
  | (?P<other>   . )
    """,
    re.VERBOSE | re.DOTALL,
)
_CALL = re.compile(r"\(\?(?:R|P?&|P>|[+-]?[0-9])")
_UNCLEAR = re.compile(r"\(\?(?:\#|[A-Za-z0-9]*(?:x|V1))|\[:")
"""What makes brackets mean something else: comments, verbose and nested sets, POSIX classes."""
UNCLEAR = "(?x), (?V1), (?#…) or [:…:]"
STEPS = f"1…{MOST_STEPS} steps"
_LONGEST = 12
"""Digits of the largest number that is read; a longer one counts as this."""


def check_pattern(text: str) -> None:
    """Refuse a regular expression that would take too much time or memory to compile."""
    if len(text) > MOST_CHARACTERS:
        why = f"is too long for a regular expression, which may have {MOST_CHARACTERS:,}"
        raise _refused(text, why, f"1…{MOST_CHARACTERS} characters")
    if call := _CALL.search(text):
        why = f"calls a group by {call[0]}…, which may call itself without end; write it out"
        raise _refused(text, why, "no calls of groups")
    if "{" not in text:
        return  # There is no repeat the compiler would write out.
    if _UNCLEAR.search(text):
        why = f"has braces and {UNCLEAR}, where repeats can't be counted; leave out one of them"
        raise _refused(text, why, f"braces or {UNCLEAR}, not both")
    _unfold(text)


def _unfold(text: str) -> None:
    """Count the steps of a pattern as it will be compiled, and stop at too many.

    Where a pattern is broken the compiler will say so: what counts is never to count too few.
    """
    done, last = 0, 0
    outer: list[tuple[int, int]] = []
    for token in _TOKEN.finditer(text):
        size = len(token[0])
        match token.lastgroup:
            case "open":
                outer.append((done, last))
                done, last = 0, 0
            case "close" if outer:
                done, last = sum(outer.pop()), done + last + 1
            case "close" | "unclosed":
                raise _refused(text, f"has an unpaired {token[0]} at {token.start()}", "pairs")
            case "count":
                last *= max(1, *(_number(token[side], text) for side in ("least", "most")))
            case "either":
                done, last = done + last + 1, 0
            case "flags":
                last += size
            case "fuzzy":
                for digits in re.findall("[0-9]+", token[0]):
                    _number(digits, text)
            case "set":
                done, last = done + last, size
            case _:
                done, last = done + last, 1
        if done + last > MOST_STEPS:
            why = f"unfolds to {done + last:,} steps or more; {MOST_STEPS:,} are legal"
            raise _refused(text, f"{why}, and repeats within repeats multiply", STEPS)


def _number(digits: str | None, text: str) -> int:
    """Return a count of repeats; larger ones count as more than the limit."""
    number = int((digits or "").lstrip("0")[:_LONGEST] or 0)
    if number > MOST_STEPS:
        raise _refused(text, f"repeats {number:,} times or more; {MOST_STEPS:,} are legal", STEPS)
    return number


def _refused(text: str, why: str, legal: str) -> Refused:
    return Refused(f"text {format_value(text)} {why}", "text", text, legal)


MESSAGE_SECONDS = 0.5
"""Seconds a pattern may spend on one message; some would need years for a short text."""


LINE_SECONDS = 0.005
"""Seconds a pattern may spend on a line that is being drawn."""


class TooSlow(Exception):  # noqa: N818 - it says what the pattern is
    """A regular expression took longer over a text than it may."""


class TextFinder:
    """Finds a text in messages, and its positions in a line."""

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
        self._is_exact = case_sensitive
        self._folded = text.casefold()
        self._flags = 0 if case_sensitive else regex.IGNORECASE
        if is_regex:
            check_pattern(text)
            self._pattern = compiled(text, self._flags)

    def is_in(self, words: str) -> bool:
        """Return whether a text contains it; raise TooSlow if a pattern takes too long."""
        if not self.is_regex:
            return self.text in words if self._is_exact else self._folded in words.casefold()
        try:
            return self._pattern.search(words, timeout=self._limit) is not None
        except (TimeoutError, MemoryError):
            raise TooSlow(self.text) from None

    def spans(self, line: str) -> list[tuple[int, int]]:
        """Return where a short line contains it; nothing if a pattern takes too long."""
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
                if self.is_in(message.search_text):
                    yield number
            except TooSlow:
                raise Refused(
                    f"text {format_value(self.text)} takes longer than {self._limit:g} s "
                    f"on message {number} and was stopped",
                    field="text",
                    value=self.text,
                    legal="a regular expression without nested repetition",
                ) from None


def compiled(text: str, flags: int) -> regex.Pattern[str]:
    """Return a compiled regular expression, or refuse it."""
    try:
        with warnings.catch_warnings(action="ignore"):
            return regex.compile(text, flags)
    except (regex.error, ValueError, OverflowError, RecursionError, MemoryError) as error:
        raise Refused(
            f"text {format_value(text)} is not a regular expression: {error}",
            field="text",
            value=text,
            legal="a regular expression",
        ) from None
