"""The strings and numbers within a text that is JSON: they are changed, all around them stays.

Tools are often given JSON as text, and answer with it. Replacing something in such a text as it is
could break it, and would miss what is written with escapes.
"""

from __future__ import annotations

import json
import re
from bisect import bisect, bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import NamedTuple

import regex

from ..engine.text_search import MESSAGE_SECONDS, TooSlow, check_pattern, compiled
from ..errors import Refused, format_value, not_one_of, wrong_type
from ..values.models import read_text

_STRING = re.compile(
    r'"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)', re.DOTALL
)
_UNIT = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|.",
    re.DOTALL,
)
"""What one character within a string is written as."""


class JsonString(NamedTuple):
    """A string or a number of a JSON text: what it says, and where it is written."""

    text: str
    start: int
    end: int
    is_name: bool
    """Whether it names a field, and is no value."""
    is_number: bool = False


def json_strings(text: str) -> list[JsonString]:
    """Return the strings and numbers of a text that is a JSON object or list, else none."""
    if text.lstrip()[:1] not in ("{", "["):
        return []
    try:
        json.loads(text)
        return [_read(found) for found in _STRING.finditer(text)]
    except (ValueError, RecursionError):
        return []


def _read(found: re.Match[str]) -> JsonString:
    if found[3] is not None:
        return JsonString(found[3], *found.span(3), is_name=False, is_number=True)
    written = found[1]
    said = json.loads(f'"{written}"') if "\\" in written else written
    return JsonString(said, *found.span(1), found[2] is not None)


def with_strings(text: str, changes: Mapping[int, str]) -> str:
    """Return a JSON text in which some strings say something else; a number becomes a string."""
    pieces, at = [], 0
    for number, old in enumerate(json_strings(text)):
        if number in changes:
            pieces += [text[at : old.start], _written_anew(text, old, changes[number])]
            at = old.end
    return "".join([*pieces, text[at:]])


def _written_anew(text: str, old: JsonString, new: str) -> str:
    if old.is_number:
        return json.dumps(new, ensure_ascii=text.isascii())
    return _rewritten(text[old.start : old.end], old.text, new)


def _rewritten(written: str, old: str, new: str) -> str:
    """Return how a string is written that was changed; what is the same is written the same."""
    first, last = common_ends(old, new)
    places = [0, *(unit.end() for unit in _UNIT.finditer(written))]
    fresh = json.dumps(new[first : len(new) - last], ensure_ascii=written.isascii())[1:-1]
    return written[: places[first]] + fresh + written[places[len(old) - last] :]


def common_ends(old: str, new: str) -> tuple[int, int]:
    """Return how many characters two texts share at the start, and then at the end."""
    first = _common(old, new)
    return first, _common(old[first:][::-1], new[first:][::-1])


def _common(a: str, b: str) -> int:
    shared = takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False))
    return sum(1 for _ in shared)


class EscapedString(NamedTuple):
    """A string as it is written within a text, with escapes: what it says, and where."""

    text: str
    places: tuple[int, ...]
    """Where each of its characters is written, and where the last one ends."""


def escaped_strings(text: str) -> Iterator[EscapedString]:
    """Yield the strings in quotes within any text that are written with escapes of JSON."""
    if "\\" not in text:
        return
    for found in _STRING.finditer(text):
        written = found[1]
        if written and "\\" in written:
            with suppress(ValueError):
                said = json.loads(f'"{written}"', strict=False)
                ends = (unit.end() for unit in _UNIT.finditer(written))
                places = tuple(found.start(1) + end for end in (0, *ends))
                if len(places) == len(said) + 1:
                    yield EscapedString(said, places)


FILES = frozenset(
    (
        *("avif", "bmp", "css", "csv", "dll", "docx", "exe", "gif", "gz", "heic", "htm", "html"),
        *("ico", "jpeg", "jpg", "js", "json", "jsx", "less", "mp", "pdf", "png", "pptx", "scss"),
        *("svg", "tar", "tif", "tiff", "toml", "ts", "tsx", "ttf", "txt", "wav", "webm", "webp"),
        *("woff", "xlsx", "xml", "yaml", "yml"),
    )
)
"""How names of files end, and no address does."""
BEFORE = 24
"""Characters before a number in which a word may say what it is."""
NUMBER_OF = re.compile(
    r"\b(?:order|invoice|parcel|ticket|tracking|article|item|serial|account|iban|isbn|id|ref|"
    r"reference|no|nr|number of the order)\b[\s.:#№-]*$",
    re.IGNORECASE,
)
DATE = re.compile(r"\d{1,2}([-/. ])\d{1,2}\1\d{4}|\d{4}([-/. ])\d{1,2}\2\d{1,2}")
VERSION = re.compile(r"\d+\.\d")
NOBODYS = re.compile(r"(?:1[ .-])?\(?[2-9]\d{2}\)?[ .-]?[01]\d{2}[ .-]\d{4}")
"""A number as 555 123 4567: none that is given out has 0 or 1 behind the area code."""
ROW_BEFORE = re.compile(r"\d[ \u00a0\t]$")
ROW_AFTER = re.compile(r"[ \u00a0\t]\d")
"""Digits next to a number, as in a table or a dump."""
NAME = re.compile(r"[A-Za-z_][A-Za-z_.]*\d{0,2}[A-Za-z_.]*")
KNOWN = ("sk_", "rk_", "pk_", "whsec_", "gh", "npm_", "hf_", "eyJ", "ya29.", "AIza")
"""How a name in code looks, and how keys begin that look the same."""


def no_doubt(text: str, start: int, end: int) -> str:
    """Return nothing: whatever is found is meant."""
    return ""


def about_mail(text: str, start: int, end: int) -> str:
    """Return why something like a mail address is probably none."""
    person, _, host = text[start:end].rpartition("@")
    if host.rpartition(".")[2].casefold() in FILES:
        return "a file name, not an address"
    if VERSION.match(host):
        return "a version, not an address"
    if person == "git":
        return "where a repository is, not a person's address"
    return ""


def about_phone(text: str, start: int, end: int) -> str:
    """Return why something like a phone number is probably none."""
    number = text[start:end]
    if DATE.fullmatch(number):
        return "a date, not a phone number"
    if number.startswith("+"):
        return ""
    before = text[max(0, start - BEFORE) : start]
    if ROW_BEFORE.search(before) or ROW_AFTER.match(text, end):
        return "one of a row of numbers, not a phone number"
    if NUMBER_OF.search(before):
        return "the number of something else, not of a phone"
    return "a number as in examples, not one that is given out" if NOBODYS.fullmatch(number) else ""


def about_key(text: str, start: int, end: int) -> str:
    """Return why something like a key is probably none."""
    key = text[start:end]
    is_name = NAME.fullmatch(key) is not None and ("_" in key or "." in key)
    return "a name in code, not a key" if is_name and not key.startswith(KNOWN) else ""


OWN = "words"
"""The name of a pattern that a user gave."""


@dataclass(frozen=True)
class Pattern:
    """A regular expression or several, and what replaces their matches."""

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
        flags = regex.IGNORECASE if self.ignores_case else 0
        return tuple(compiled(text, flags) for text in self.texts)

    @cached_property
    def _quick(self) -> re.Pattern[str]:
        return re.compile(self.hint)

    def matches(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Yield the matches of each expression, with their replacements.

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
        raise wrong_type("replacement", replacement, "text")
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
    groups_alone = "".join(f"(?P<{names[one]}>)" if one in names else "()" for one in groups)
    try:
        found = regex.match(groups_alone, "")
        assert found is not None
        found.expand(pattern.replacement)
    except (regex.error, IndexError, ValueError) as error:
        raise Refused(
            f"replacement {format_value(pattern.replacement)} can't be used: {error}",
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
    for name in asked:
        if name not in PATTERNS:
            raise not_one_of("what", name, PATTERNS)
    return [PATTERNS[name] for name in dict.fromkeys(asked)]


class PatternMatch(NamedTuple):
    """Something that a pattern found in a text."""

    start: int
    end: int
    after: str
    """What would replace it."""
    pattern: str
    doubt: str


def find_all(text: str, what: Sequence[Pattern]) -> list[PatternMatch]:
    """Return what patterns find in a text, from left to right, nothing of it twice."""
    found = [
        (
            _rank(pattern),
            PatternMatch(start, end, after, pattern.name, pattern.doubt(text, start, end)),
        )
        for pattern in what
        for start, end, after in pattern.matches(text)
    ]
    if len(found) < 2 or sum(len(one.texts) for one in what) == 1:  # noqa: PLR2004 - one alone
        return [one for _, one in found]
    taken: list[PatternMatch] = []
    for _, one in sorted(found, key=_order):
        first = bisect(taken, one.start, key=lambda other: other.end)
        last = bisect_left(taken, one.end, first, key=lambda other: other.start)
        if all(_hides(one, other, text) for other in taken[first:last]):
            taken[first:last] = [one]
    return taken


def find_written(text: str, what: Sequence[Pattern]) -> list[PatternMatch]:
    """Return what patterns find in a text, also in strings within it that are written with escapes.

    Of these, the replacement of a hit is written like it, too.
    """
    found = find_all(text, what)
    for string in escaped_strings(text):
        for one in find_written(string.text, what):
            start, end = string.places[one.start], string.places[one.end]
            if all(end <= other.start or other.end <= start for other in found):
                after = json.dumps(one.after, ensure_ascii=text.isascii())[1:-1]
                found.append(one._replace(start=start, end=end, after=after))
    return sorted(found)


def _hides(own: PatternMatch, other: PatternMatch, text: str) -> bool:
    """Return whether own words leave nothing of what a built-in pattern found."""
    if own.pattern != OWN or other.pattern == OWN:
        return False
    covers = own.start <= other.start and other.end <= own.end
    return covers and text[other.start : other.end] not in own.after


def _order(ranked: tuple[int, PatternMatch]) -> tuple[bool, int, int, int]:
    """Return the order of matches: certain ones, longer and earlier ones first."""
    rank, one = ranked
    return bool(one.doubt), rank, one.start, -one.end


def _rank(pattern: Pattern) -> int:
    return _FIRST.index(pattern.name) if pattern.name in _FIRST else len(_FIRST)


def personal_in(texts: Iterable[str]) -> dict[str, int]:
    """Return how often each built-in pattern is found; those that are not are left out."""
    found: Counter[str] = Counter()
    for text in texts:
        try:
            every = tuple(PATTERNS.values())
            found.update(one.pattern for one in find_all(text, every) if not one.doubt)
        except TooSlow:
            continue  # Only a list is poorer for it: replacing would say so.
    return dict(sorted(found.items()))
