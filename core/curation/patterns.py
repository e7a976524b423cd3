"""Patterns: what is looked for to be replaced, own words or one of those that come along.

The built-in ones find what is about a person or opens a door: mail addresses, phone numbers, keys.
What only looks like it is a *doubt*: it is shown with the reason, and not replaced unless asked.
"""

from __future__ import annotations

import json
import re
from bisect import bisect, bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import regex

from ..errors import Refused, not_a, shown
from ..queries.patterns import check_pattern
from ..queries.text_search import MESSAGE_SECONDS, TooSlow, compiled
from ..values.models import read_text
from .doubts import about_key, about_mail, about_phone, no_doubt
from .json_strings import escaped_strings

OWN = "words"
"""The name of a pattern that a user gave."""


@dataclass(frozen=True)
class Pattern:
    """A regular expression or several, and what stands in place of what they find."""

    name: str
    texts: tuple[str, ...]
    replacement: str
    doubt: Callable[[str, int, int], str] = no_doubt
    """Says why something at a place of a text is probably not meant; nothing if it is."""
    hint: str = ""
    """What can be looked for quickly, and must be there for anything to be found."""
    is_template: bool = False
    """Whether the replacement may name groups of the expression, as ``\\1`` does."""
    ignores_case: bool = False
    seconds: float = MESSAGE_SECONDS

    @cached_property
    def compiled(self) -> tuple[regex.Pattern[str], ...]:
        """Return the expressions, ready to be used."""
        flags = regex.IGNORECASE if self.ignores_case else 0
        return tuple(compiled(text, flags) for text in self.texts)

    @cached_property
    def _quick(self) -> re.Pattern[str]:
        return re.compile(self.hint)

    def matches(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Yield what is found by each expression, and what would stand there.

        TooSlow is raised for one that would take forever.
        """
        if self.hint and self._quick.search(text) is None:
            return
        try:
            for expression in self.compiled:
                for match in expression.finditer(text, timeout=self.seconds):
                    start, end = match.span()
                    if start < end:
                        yield start, end, self._after(match)
        except (TimeoutError, MemoryError):
            raise TooSlow(self.texts[0]) from None

    def _after(self, match: regex.Match[str]) -> str:
        return match.expand(self.replacement) if self.is_template else self.replacement


def own_pattern(
    text: str, replacement: str, *, is_regex: bool = False, case_sensitive: bool = False
) -> Pattern:
    """Return a pattern of a user's words or expression; refuse one that can't be or would hang."""
    read_text(text, "text")
    if not isinstance(replacement, str):
        raise not_a("replacement", replacement, "text")
    if not is_regex:
        escaped = regex.escape(text, literal_spaces=True)
        return Pattern(OWN, (escaped,), replacement, ignores_case=not case_sensitive)
    check_pattern(text)
    made = Pattern(OWN, (text,), replacement, is_template=True, ignores_case=not case_sensitive)
    _check_template(made)
    return made


def _check_template(pattern: Pattern) -> None:
    """Refuse a replacement that names a group which the expression has not."""
    (expression,) = pattern.compiled
    names = {number: name for name, number in expression.groupindex.items()}
    groups = range(1, expression.groups + 1)
    # As many groups of the same names, which find nothing in nothing.
    twin = "".join(f"(?P<{names[one]}>)" if one in names else "()" for one in groups)
    try:
        found = regex.match(twin, "")
        assert found is not None
        found.expand(pattern.replacement)
    except (regex.error, IndexError, ValueError) as error:
        raise Refused(
            f"replacement {shown(pattern.replacement)} can't be used: {error}",
            field="replacement",
            value=pattern.replacement,
            legal=r"text, with \1 for a group of the pattern and \\ for a backslash",
        ) from None


_MAIL = r"""(?x)
(?:(?<![\w.%+'\\-])|(?<=\\[nrt]))
[\w%+'-][\w.%+'-]{0,63}(?<!\.)
@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,8}
(?:xn--[a-zA-Z0-9-]{2,59}|\p{L}{2,24})
(?![\w@]|-\w)
"""
_ABROAD = r"""(?x)
\+(?<![\w+]\+)[1-9](?:[\ \u00a0().\-/]{0,2}\d){6,14}(?![\w]|[.,:/@-]\d)
"""
_AT_HOME = r"""(?x)
(?<![\w.,+\#/@=-]|\d:)
(?:
    00[1-9]\d{0,2}[\ \u00a0.\-/](?:[\ \u00a0().\-/]{0,2}\d){6,12}
  | \(?0[1-9]\d{0,3}\)?[\ \u00a0\-/](?:[\ \u00a0\-/]?\d){5,9}
  | (?:1[\ .-])?(?:\([2-9]\d{2}\)\ ?|[2-9]\d{2}[\ .-])\d{3}[\ .-]\d{4}
)
(?![\w]|[.,:/@-]\d)
"""
_DIGITS = r"[0-9][0-9 \u00a0().\-/]{5,}[0-9]"
_TOKEN = r"""(?x)
\b(?:
    sk-[A-Za-z0-9_-]{16,}
  | [rsp]k_(?:live|test)_[0-9A-Za-z]{8,}
  | whsec_[0-9A-Za-z]{16,}
  | gh[pousr]_[A-Za-z0-9]{20,}
  | github_pat_[A-Za-z0-9_]{20,}
  | glpat-[\w-]{16,}
  | xox[abeprs]-[A-Za-z0-9-]{10,}
  | (?:AKIA|ASIA)[0-9A-Z]{16}
  | AIza[\w-]{35}
  | ya29\.[\w-]{20,}
  | hf_[A-Za-z0-9]{20,}
  | npm_[A-Za-z0-9]{30,}
  | pypi-[\w-]{30,}
  | eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*
)
"""
_BEARER = r"\b[Bb]earer\s\K[\w.~+/-]{16,}=*"
_BASIC = r"(?i:authorization)[\"']?\s{0,3}[:=]\s{0,3}[\"']?[Bb]asic\s\K[\w+/-]{8,}=*"
_IN_ADDRESS = r"://[^\s/:@]{1,64}:\K[^\s/@]{3,}(?=@)"
_NAMED = r"""(?x)
[:=]\s{0,3}["']?\K
(?<=(?i:password|passwd|(?:api|access|auth|private|secret)[_-]?key|secret|token)
    ["']?\s{0,3}[:=]\s{0,3}["']?)
(?=[^\s"',;&<>(){}\[\]]*[0-9])(?=[^\s"',;&<>(){}\[\]]*[A-Za-z])[^\s"',;&<>(){}\[\]]{8,}
(?![(\[])
"""
_BLOCK = (
    r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]{0,10000}?-----END [A-Z ]{0,30}PRIVATE KEY-----"
)
KNOWN_SECONDS = 30.0
"""Seconds that a pattern of ours may take over a message; its time grows with the text only."""

PATTERNS: dict[str, Pattern] = {
    one.name: one
    for one in (
        Pattern("mail", (_MAIL,), "[mail]", about_mail, "@", seconds=KNOWN_SECONDS),
        Pattern(
            *("phone", (_ABROAD, _AT_HOME), "[phone]", about_phone, _DIGITS), seconds=KNOWN_SECONDS
        ),
        Pattern(
            *("key", (_BLOCK, _IN_ADDRESS, _TOKEN, _BEARER, _BASIC, _NAMED), "[key]", about_key),
            seconds=KNOWN_SECONDS,
        ),
    )
}
"""The patterns that come along, by the names people choose them by."""
_FIRST = ("key", "mail", "phone", OWN)
"""Which one counts where two find something at the same place: the one that hides more.

Own words count only where they leave nothing of what another one has found.
"""


def named_patterns(names: str | Sequence[str]) -> list[Pattern]:
    """Return built-in patterns by their names, also as one text with commas between."""
    asked = [one.strip() for one in (names.split(",") if isinstance(names, str) else names)]
    legal = ", ".join(PATTERNS)
    for name in asked:
        if name not in PATTERNS:
            raise Refused(
                f"what {shown(name)} is not one of {legal}", field="what", value=name, legal=legal
            )
    return [PATTERNS[name] for name in dict.fromkeys(asked)]


class Found(NamedTuple):
    """Something that a pattern found in a text."""

    start: int
    end: int
    after: str
    """What would stand there."""
    pattern: str
    doubt: str


def find_all(text: str, what: Sequence[Pattern]) -> list[Found]:
    """Return what patterns find in a text, from left to right, nothing of it twice."""
    found = [
        (_rank(pattern), Found(start, end, after, pattern.name, pattern.doubt(text, start, end)))
        for pattern in what
        for start, end, after in pattern.matches(text)
    ]
    if len(found) < 2 or sum(len(one.texts) for one in what) == 1:  # noqa: PLR2004 - one alone
        return [one for _, one in found]
    taken: list[Found] = []
    for _, one in sorted(found, key=_order):
        first = bisect(taken, one.start, key=lambda other: other.end)
        last = bisect_left(taken, one.end, first, key=lambda other: other.start)
        if all(_hides(one, other, text) for other in taken[first:last]):
            taken[first:last] = [one]
    return taken


def find_written(text: str, what: Sequence[Pattern]) -> list[Found]:
    """Return what patterns find in a text, also in strings within it that are written with escapes.

    Of these, what stands in place of a hit is written so, too.
    """
    found = find_all(text, what)
    for string in escaped_strings(text):
        for one in find_written(string.text, what):
            start, end = string.places[one.start], string.places[one.end]
            if all(end <= other.start or other.end <= start for other in found):
                after = json.dumps(one.after, ensure_ascii=text.isascii())[1:-1]
                found.append(one._replace(start=start, end=end, after=after))
    return sorted(found)


def _hides(own: Found, other: Found, text: str) -> bool:
    """Tell whether own words leave nothing of what a built-in pattern found."""
    if own.pattern != OWN or other.pattern == OWN:
        return False
    covers = own.start <= other.start and other.end <= own.end
    return covers and text[other.start : other.end] not in own.after


def _order(ranked: tuple[int, Found]) -> tuple[bool, int, int, int]:
    """Return what is taken first: what is certain, hides more, comes earlier and is longer."""
    rank, one = ranked
    return bool(one.doubt), rank, one.start, -one.end


def _rank(pattern: Pattern) -> int:
    return _FIRST.index(pattern.name) if pattern.name in _FIRST else len(_FIRST)
