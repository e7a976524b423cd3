"""Queries: the fields by which sessions are chosen, how each is read, and when it matches."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import NamedTuple

from .. import formats
from ..engine.meta_fields import Leaf, leaf_text
from ..errors import Refused, format_value, wrong_type
from ..lint import RULES
from ..storage.details import STATUSES, VERDICTS
from ..storage.entries import Entry
from ..storage.library import Library
from ..values.numbers import count_in, decimal_in
from .catalog import Catalog, Step, no_progress
from .digest import LONGEST_VALUE, Digest, SessionRow
from .duplicates import Duplicate
from .patterns import PATTERNS

Test = Callable[[SessionRow], bool | None]
"""Returns whether a session matches; None where that is unknown."""
STATUS_WORDS = ("reviewed", "unreviewed")
LINT_WORDS = ("error", "warning", "clean")
YES_NO = ("yes", "no")
THINGS = ("tag", "note", "problem")
NUMBER = re.compile(
    r"(?P<sign>[<>]?)(?P<number>[0-9]{1,15})|(?P<low>[0-9]{1,15})\.\.(?P<high>[0-9]{1,15})"
)
FIELD_VALUE = re.compile(r"(?P<name>[^=<>]+)(?:(?P<sign>[=<>])(?P<value>.*))?", re.DOTALL)


class QueryField(NamedTuple):
    """A field: how its value is read, and the test of such a value."""

    read: Callable[[str], str]
    test: Callable[[str], Test]
    needs_digest: bool = False


def _one_of(field: str, legal: tuple[str, ...]) -> Callable[[str], str]:
    """Return the reader of a word; spaces may be written as other characters."""
    spelt = {_plain(word): word for word in legal}

    def read(value: str) -> str:
        found = spelt.get(_plain(value))
        if found is None:
            raise wrong_type(field, value, f"one of {', '.join(legal)}")
        return found

    return read


def _plain(word: str) -> str:
    return " ".join(re.split(r"[\s_-]+", word.strip().casefold()))


def _read_format(value: str) -> str:
    return _one_of("format", (*formats.READABLE, "none"))(value)


def read_status(value: str) -> str:
    """Return the status that a word means, or refuse it with all there are."""
    return _one_of("status", STATUSES)(value)


def _some(field: str) -> Callable[[str], str]:
    def read(value: str) -> str:
        if not value.strip():
            raise Refused(f"{field}: is followed by nothing", field=field, legal="a text")
        return value

    return read


def _of_entry(test: Callable[[Entry], bool]) -> Test:
    """Return a test of what a list shows, which is unknown for a session that can't be read."""
    return lambda row: None if row.entry.problem is not None else test(row.entry)


def _of_digest(test: Callable[[Digest], bool]) -> Test:
    return lambda row: None if row.digest is None else test(row.digest)


def _words(value: str) -> Test:
    folded = value.casefold()

    def test(row: SessionRow) -> bool:
        texts = (row.entry.title, *row.entry.tags, _notes(row.entry))
        return any(folded in text.casefold() for text in texts)

    return test


def _status(value: str) -> Test:
    if value in STATUS_WORDS:
        wanted = value == "reviewed"
        return _of_entry(lambda entry: (entry.status in VERDICTS) is wanted)
    return _of_entry(lambda entry: entry.status == value)


def _tag(value: str) -> Test:
    folded = value.casefold()
    return _of_entry(lambda entry: any(tag.casefold() == folded for tag in entry.tags))


def _within(words: Callable[[Entry], str]) -> Callable[[str], Test]:
    """Return how a value is looked for in some words of a session, whatever its capitals."""

    def make(value: str) -> Test:
        folded = value.casefold()
        return _of_entry(lambda entry: folded in words(entry).casefold())

    return make


def _notes(entry: Entry) -> str:
    return "\n".join((entry.note, *entry.remarks))


def _lint(value: str) -> Test:
    match value:
        case "error":
            return _of_digest(lambda digest: digest.errors > 0)
        case "warning":
            return _of_digest(lambda digest: digest.warnings > 0)
        case "clean":
            return _of_digest(lambda digest: not digest.errors and not digest.warnings)
    return _of_digest(lambda digest: value in digest.rules)


def _format(value: str) -> Test:
    wanted = "" if value == "none" else value
    return _of_digest(lambda digest: digest.format == wanted)


def _read_dup(value: str) -> str:
    if (group := count_in(value)) is not None:
        return str(group)
    if value.casefold() in YES_NO:
        return value.casefold()
    raise wrong_type("dup", value, "yes, no or the number of a group, from 1")


def _dup(value: str) -> Test:
    """Return the test of duplicates, which are unknown for a session without a digest."""

    def of(test: Callable[[Duplicate | None], bool]) -> Test:
        def asked(row: SessionRow) -> bool | None:
            is_known = row.duplicate is not None or row.digest is not None
            return test(row.duplicate) if is_known else None

        return asked

    if value in YES_NO:
        return of(lambda own: (own is not None) is (value == "yes"))
    return of(lambda own: own is not None and own.group + 1 == int(value))


def _personal(value: str) -> Test:
    if value in YES_NO:
        return _of_digest(lambda digest: bool(digest.personal) is (value == "yes"))
    return _of_digest(lambda digest: value in digest.personal)


def _has(value: str) -> Test:
    match value:
        case "tag":
            return _of_entry(lambda entry: bool(entry.tags))
        case "note":
            return _of_entry(lambda entry: bool(_notes(entry).strip()))
    return lambda row: row.entry.problem is not None


def _read_field(value: str) -> str:
    found = FIELD_VALUE.fullmatch(value)
    is_amount = found is not None and found["sign"] in ("<", ">")
    if found is None or (is_amount and decimal_in(found["value"]) is None):
        raise wrong_type("field", value, "NAME, NAME=VALUE, NAME>N or NAME<N")
    return value


def _other_field(value: str) -> Test:
    """Return the test of another field: that there is one, or that one of its values matches."""
    found = FIELD_VALUE.fullmatch(value)
    assert found is not None
    name, sign, wanted = found["name"], found["sign"], found["value"]
    below = (f"{name}.", f"{name}[")

    def test(digest: Digest) -> bool:
        values = digest.values.items()
        found = [leaf for path, leaf in values if path == name or path.startswith(below)]
        if sign is None:
            return name in digest.fields or bool(found)
        return any(_compare(leaf, sign, wanted) for leaf in found)

    return _of_digest(test)


def _compare(leaf: Leaf, sign: str, wanted: str) -> bool:
    """Compare a value with the wanted one: as numbers where both are, else as texts."""
    number, asked = leaf, decimal_in(wanted)
    if isinstance(number, int | float) and not isinstance(number, bool) and asked is not None:
        return {"=": number == asked, "<": number < asked, ">": number > asked}[sign]
    return sign == "=" and leaf_text(leaf).casefold() == wanted[:LONGEST_VALUE].casefold()


def _yes_no(field: str, of: Callable[[Digest], object]) -> QueryField:
    """Return the field of something that a conversation has or has not."""
    return QueryField(
        _one_of(field, YES_NO),
        lambda value: _of_digest(lambda digest: bool(of(digest)) is (value == "yes")),
        needs_digest=True,
    )


def _amount(field: str, of: Callable[[Entry], int]) -> QueryField:
    """Return the field of a figure: the very number, more or less than it, or between two."""

    def read(value: str) -> str:
        if NUMBER.fullmatch(value) is None:
            raise wrong_type(field, value, "a number, >N, <N or N..M")
        return value

    def test(value: str) -> Test:
        low, high = _bounds(value)
        return _of_entry(lambda entry: low <= of(entry) <= high)

    return QueryField(read, test)


def _bounds(value: str) -> tuple[float, float]:
    found = NUMBER.fullmatch(value)
    assert found is not None
    if found["low"] is not None:
        return int(found["low"]), int(found["high"])
    number = int(found["number"])
    match found["sign"]:
        case ">":
            return number + 1, inf
        case "<":
            return 0, number - 1
    return number, number


WORDS = QueryField(str, _words)
FIELDS: dict[str, QueryField] = {
    "status": QueryField(_one_of("status", (*STATUSES, *STATUS_WORDS)), _status),
    "tag": QueryField(_some("tag"), _tag),
    "title": QueryField(_some("title"), _within(lambda entry: entry.title)),
    "note": QueryField(_some("note"), _within(_notes)),
    "lint": QueryField(
        _one_of("lint", (*LINT_WORDS, *(rule.id for rule in RULES))), _lint, needs_digest=True
    ),
    "format": QueryField(_read_format, _format, needs_digest=True),
    "dup": QueryField(_read_dup, _dup, needs_digest=True),
    "personal": QueryField(_one_of("personal", (*YES_NO, *PATTERNS)), _personal, needs_digest=True),
    "trainable": _yes_no("trainable", lambda digest: digest.trainable),
    "field": QueryField(_read_field, _other_field, needs_digest=True),
    "fields": _yes_no("fields", lambda digest: digest.fields),
    "has": QueryField(_one_of("has", THINGS), _has),
    "messages": _amount("messages", lambda entry: entry.messages),
    "visible": _amount("visible", lambda entry: entry.visible),
    "batches": _amount("batches", lambda entry: entry.batches),
    "tokens": _amount("tokens", lambda entry: entry.tokens),
}
"""Every field that can be asked for, by its name."""

TERM = re.compile(
    r"""(?P<minus>-?)(?:(?P<field>[A-Za-z]+):)?(?P<values>(?:"(?:[^"\\]|\\.)*"|[^\s",]+|,)*)""",
    re.DOTALL,
)
VALUE = re.compile(r'"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<bare>[^\s",]+)|(?P<comma>,)', re.DOTALL)
PLAIN = re.compile(r"""(?!-)(?![A-Za-z]+:)[^\s",\\]+""")
"""What needs no quotes."""


class Term(NamedTuple):
    """One condition; without a field, words are looked for."""

    field: str
    values: tuple[str, ...]
    is_negated: bool = False

    def __str__(self) -> str:
        named = f"{self.field}:" if self.field else ""
        values = ",".join(map(_written, self.values))
        return f"{'-' if self.is_negated else ''}{named}{values}"


@dataclass(frozen=True)
class SessionQuery:
    """Which sessions match; without a term, all do."""

    terms: tuple[Term, ...] = ()

    def matches(self, row: SessionRow) -> bool:
        """Return whether a session matches; what is unknown of it matches neither way."""
        return all(test(row) is wanted for test, wanted in self._tests)

    @cached_property
    def _tests(self) -> tuple[tuple[Test, bool], ...]:
        return tuple((_test(term), not term.is_negated) for term in self.terms)

    @property
    def needs_digest(self) -> bool:
        """Return whether it asks for more than the list of sessions shows."""
        return any(FIELDS[term.field].needs_digest for term in self.terms if term.field)

    def __str__(self) -> str:
        return " ".join(map(str, self.terms))


def read_query(text: str) -> SessionQuery:
    """Return what a text asks for; refuse an unknown field or value with the legal ones."""
    return SessionQuery(tuple(_terms(text)))


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
                f"{format_value(text[at:])} has a quote that nothing closes; "
                'a quote itself is written \\" inside quotes',
                field="where",
                value=text,
                legal='"…"',
            )
        yield _term(found["field"], found["values"], bool(found["minus"]))
        at = end


def _term(field: str | None, given: str, is_negated: bool) -> Term:
    """Return a term of its pieces; a lone minus is looked for as such."""
    values = list(_values(given, is_split=field is not None))
    if field is None:
        if not given and is_negated:
            return Term("", ("-",))
        return Term("", ("".join(values),), is_negated)
    name = field.casefold()
    if name not in FIELDS:
        legal = ", ".join(FIELDS)
        raise Refused(
            f"{format_value(field)} is not a field to choose sessions by ({legal}); "
            f'put words with a colon in quotes: "{field}:…"',
            field="where",
            value=field,
            legal=legal,
        )
    return Term(name, tuple(dict.fromkeys(map(FIELDS[name].read, values or [""]))), is_negated)


def _values(given: str, *, is_split: bool) -> Iterator[str]:
    """Yield the values between commas; within words, a comma is a character like others."""
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

    def either(row: SessionRow) -> bool | None:
        found = [test(row) for test in tests]
        return True if True in found else None if None in found else False

    return either


def choose(
    library: Library,
    names: Sequence[str],
    where: str | None = None,
    step: Step = no_progress,
) -> list[Entry]:
    """Return the sessions of some ids or titles, or those that match ``where``.

    All names are found before anything is done to one; what ``where`` asks of sessions is found
    out first where it is not known yet.
    """
    if where is None:
        named = (library.listing.one(id) for id in library.find_all(names))
        return [found[0] for found in named if found is not None]
    asked = read_query(where)
    if not asked.needs_digest:
        return [entry for entry in library.list() if asked.matches(SessionRow(entry))]
    with Catalog(library) as catalog:
        catalog.learn(step=step)
        return [row.entry for row in catalog.rows() if asked.matches(row)]
