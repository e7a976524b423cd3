"""Patterns: how large a regular expression may become when it is compiled.

Repeats are written out by the compiler, those within repeats as often as both say, so that a few
characters can ask for gigabytes: ``((a{1000}){1000}){1000}``. This is found out beforehand.
"""

from __future__ import annotations

import re

from ..errors import Refused, shown

MOST_CHARACTERS = 10_000
MOST_STEPS = 100_000
"""Single characters, classes and groups, each as often as it is repeated: 80 MB at the worst."""

_TOKEN = re.compile(
    r"""
    (?P<escape>  \\. )
  | (?P<flags>   \(\?[A-Za-z0-9-]*\) )            # an item follows on what stands before it
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
"""Digits of the largest number that is read; a longer one is as good as this."""


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
        why = f"has braces beside {UNCLEAR}, where repeats can't be counted; leave out one of them"
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
    """Return a count of repeats; none of them may be larger than all steps together."""
    number = int((digits or "").lstrip("0")[:_LONGEST] or 0)
    if number > MOST_STEPS:
        raise _refused(text, f"repeats {number:,} times or more; {MOST_STEPS:,} are legal", STEPS)
    return number


def _refused(text: str, why: str, legal: str) -> Refused:
    return Refused(f"text {shown(text)} {why}", field="text", value=text, legal=legal)
