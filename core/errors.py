"""Refusals: how the engine rejects a value, in a sentence the user can act on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Self

LONGEST_TEXT = 60
MOST_BITS = 200


def format_value(value: object) -> str:
    """Return a value for use in a sentence: short, on one line, without control characters."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            if len(value) <= LONGEST_TEXT:
                return repr(value)
            return f"{value[:LONGEST_TEXT]!r}… ({len(value):,} characters)"
        case int():
            # A number with thousands of digits is legal JSON, but too long for a sentence.
            return repr(value) if value.bit_length() < MOST_BITS else "a number of over 60 digits"
        case float():
            return repr(value)
        case list() | tuple():
            return "[]" if len(value) == 0 else f"a list of {len(value)}"
        case dict():
            return (
                "{}"
                if not value
                else f"an object with {', '.join(map(format_value, list(value)[:3]))}"
            )
        case _:
            return f"a {type(value).__name__}"


def key_name(key: object) -> str:
    """Return the key of an object as text; in Python, unlike JSON, it may be anything."""
    return key if isinstance(key, str) else format_value(key)


class Refused(ValueError):  # noqa: N818 - the public name says what happened
    """An operation, message or query that was not accepted; nothing has changed.

    ``field``, ``value`` and ``legal`` say what was wrong and what is allowed; ``step`` is the
    index of the operation in its list; ``hint`` says what the author of the value can do, which
    depends on where it was read. ``others`` are further problems of the same value.
    """

    def __init__(
        self,
        sentence: str,
        field: str | None = None,
        value: object = None,
        legal: str | None = None,
        *,
        step: int | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.field = field
        self.value = value
        self.legal = legal
        self.step = step
        self.hint = hint
        self.others: tuple[Refused, ...] = ()

    @staticmethod
    def combined(refusals: Sequence[Refused]) -> Refused:
        """Return the first of several refusals, holding the others."""
        first, *rest = (one for refusal in refusals for one in refusal.all)
        first.others = tuple(rest)
        return first

    @property
    def all(self) -> tuple[Refused, ...]:
        return (self, *self.others)

    def __str__(self) -> str:
        sentence = self.sentence if self.step is None else f"step {self.step}: {self.sentence}"
        return sentence if self.hint is None else f"{sentence}; {self.hint}"

    def with_step(self, step: int) -> Self:
        """Return this refusal with the index of its operation in a list."""
        self.step = step
        return self

    def with_hint(self, hint: str) -> Self:
        """Return this refusal with another hint, if it has a hint."""
        self.hint = self.hint and hint
        return self

    def prefixed(self, where: str) -> Refused:
        """Return the refusal as seen from the outer value: ``messages[2].role`` for ``role``."""
        field = where if self.field is None else f"{where}.{self.field}"
        sentence, known = f"{where}: {self.sentence}", (self.value, self.legal)
        outer = Refused(sentence, field, *known, step=self.step, hint=self.hint)
        outer.others = tuple(other.prefixed(where) for other in self.others)
        return outer


@contextmanager
def refusals_at(where: str) -> Iterator[None]:
    """Prefix the refusals of a block with the place of the value that it reads."""
    try:
        yield
    except Refused as refusal:
        raise refusal.prefixed(where) from None


def out_of_range(field: str, value: object, legal: str, *, why: str = "") -> Refused:
    """Return the refusal for a value outside its legal range."""
    tail = f" ({why})" if why else ""
    return Refused(f"{field} {format_value(value)} is outside {legal}{tail}", field, value, legal)


def too_small(field: str, value: object, least: int) -> Refused:
    """Return the refusal for a value that is too small."""
    legal = f"{least} or more"
    sentence = f"{field} {format_value(value)} is below {least}; it must be {legal}"
    return Refused(sentence, field, value, legal)


def wrong_type(field: str, value: object, legal: str) -> Refused:
    """Return the refusal for a value of the wrong kind."""
    return Refused(f"{field} {format_value(value)} is not {legal}", field, value, legal)


def not_one_of(field: str, value: object, legal: Iterable[str]) -> Refused:
    """Return the refusal for a value that is not one of a few names."""
    return wrong_type(field, value, f"one of {', '.join(legal)}")


def unknown_key(
    key: object, value: object, what: str, legal: Iterable[str], *, hint: str | None = None
) -> Refused:
    """Return the refusal for a key of an object that has other keys."""
    names = ", ".join(legal) or "no field"
    sentence = f"{format_value(key)} is not a field of {what}; it takes {names}"
    return Refused(sentence, key_name(key), value, names, hint=hint)


def check_keys(data: Mapping[Any, Any], what: str, legal: Iterable[str]) -> None:
    """Refuse an object with an unknown key; ``what`` names the object, as "a stage"."""
    known = tuple(legal)
    for key, value in data.items():
        if key not in known:
            raise unknown_key(key, value, what, known)
