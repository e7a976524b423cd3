"""Where: which sessions are meant, in a few words such as ``status:accepted tag:x -lint:error``.

Words stand for themselves: they are looked for in titles, tags and notes. ``field:value`` asks for
something else, ``field:one,two`` for either, and ``-`` before any of it for its contrary. Quotes
keep together what would be taken apart. All of it must be so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from ..errors import Refused, shown
from ..storage.entries import Entry
from ..storage.library import Library
from .asking import FIELDS, WORDS, Test
from .catalog import Catalog, Watching
from .row import Row

TERM = re.compile(
    r"""(?P<minus>-?)(?:(?P<field>[A-Za-z]+):)?(?P<values>(?:"(?:[^"\\]|\\.)*"|[^\s",]+|,)*)""",
    re.DOTALL,
)
VALUE = re.compile(r'"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<bare>[^\s",]+)|(?P<comma>,)', re.DOTALL)
PLAIN = re.compile(r"""(?!-)(?![A-Za-z]+:)[^\s",\\]+""")
"""What needs no quotes to stand for itself."""


class Term(NamedTuple):
    """One thing asked of a session; a field of no name stands for words."""

    field: str
    values: tuple[str, ...]
    is_negated: bool = False

    def __str__(self) -> str:
        """Return the term as it is read."""
        named = f"{self.field}:" if self.field else ""
        values = ",".join(map(_written, self.values))
        return f"{'-' if self.is_negated else ''}{named}{values}"


@dataclass(frozen=True)
class Where:
    """What sessions must be to be meant; without a term, all are."""

    terms: tuple[Term, ...] = ()

    def matches(self, row: Row) -> bool:
        """Tell whether a session is meant; what is not known of it is neither so nor not so."""
        return all(test(row) is wanted for test, wanted in self._tests)

    @cached_property
    def _tests(self) -> tuple[tuple[Test, bool], ...]:
        return tuple((_test(term), not term.is_negated) for term in self.terms)

    @property
    def needs_digest(self) -> bool:
        """Tell whether it asks for more than the list of sessions says."""
        return any(FIELDS[term.field].needs_digest for term in self.terms if term.field)

    @property
    def needs_alike(self) -> bool:
        """Tell whether it asks which sessions are alike."""
        return any(term.field == "dup" for term in self.terms)

    def __str__(self) -> str:
        """Return the words it was read from, in their usual form."""
        return " ".join(map(str, self.terms))


def read_where(text: str) -> Where:
    """Return what a text asks for; refuse an unknown field or value with the legal ones."""
    return Where(tuple(_terms(text)))


def _terms(text: str) -> Iterator[Term]:
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        found = TERM.match(text, at)
        assert found is not None
        end = found.end()
        if end < len(text) and not text[end].isspace():
            raise Refused(
                f"{shown(text[at:])} has a quote that nothing closes; "
                'a quote itself is written \\" inside quotes',
                field="where",
                value=text,
                legal='"…"',
            )
        yield _term(found["field"], found["values"], bool(found["minus"]))
        at = end


def _term(field: str | None, given: str, is_negated: bool) -> Term:
    """Return a term of its pieces; words that look like a lone sign stand for that sign."""
    values = list(_values(given, is_split=field is not None))
    if field is None:
        if not given and is_negated:
            return Term("", ("-",))
        return Term("", ("".join(values),), is_negated)
    name = field.casefold()
    if name not in FIELDS:
        legal = ", ".join(FIELDS)
        raise Refused(
            f"{shown(field)} is not a field to choose sessions by ({legal}); "
            f'words with a colon stand in quotes: "{field}:…"',
            field="where",
            value=field,
            legal=legal,
        )
    return Term(name, tuple(dict.fromkeys(map(FIELDS[name].read, values or [""]))), is_negated)


def _values(given: str, *, is_split: bool) -> Iterator[str]:
    """Yield the values between commas; within words, a comma is a sign like others."""
    value: str | None = None
    for found in VALUE.finditer(given):
        if found["comma"] and is_split:
            if value is not None:
                yield value
            value = None
        elif found["quoted"] is not None:
            value = (value or "") + re.sub(r"\\(.)", r"\1", found["quoted"], flags=re.DOTALL)
        else:
            value = (value or "") + found[0]
    if value is not None:
        yield value


def _written(value: str) -> str:
    if PLAIN.fullmatch(value):
        return value
    escaped = re.sub(r'(["\\])', r"\\\1", value)
    return f'"{escaped}"'


def _test(term: Term) -> Test:
    asked = FIELDS[term.field] if term.field else WORDS
    tests: Sequence[Test] = [asked.test(value) for value in term.values]
    if len(tests) == 1:
        return tests[0]

    def either(row: Row) -> bool | None:
        found = [test(row) for test in tests]
        return True if True in found else None if None in found else False

    return either


def choose(
    library: Library,
    names: Sequence[str],
    where: str | None = None,
    watch: Watching | None = None,
) -> list[Entry]:
    """Return the sessions that are meant: those of some ids or titles, or those that are so.

    All names are found before anything is done to one; what ``where`` asks of sessions is found
    out first where it is not known yet.
    """
    if where is None:
        return _named(library, names)
    asked = read_where(where)
    if not asked.needs_digest:
        return [entry for entry in library.list() if asked.matches(Row(entry))]
    with Catalog(library) as catalog:
        catalog.learn(watch=watch)
        return [row.entry for row in catalog.rows() if asked.matches(row)]


def _named(library: Library, names: Sequence[str]) -> list[Entry]:
    entries = (library.listing.one(id) for id in library.find_all(names))
    return [found[0] for found in entries if found is not None]
