"""The one way the engine says no: a sentence the user can act on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

SHOWN_LENGTH = 60
SHOWN_BITS = 200


def shown(value: object) -> str:
    """Return a value as it may stand in a sentence: short, one line, no control characters."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            if len(value) <= SHOWN_LENGTH:
                return repr(value)
            return f"{value[:SHOWN_LENGTH]!r}… ({len(value):,} characters)"
        case int():
            # A number with thousands of digits is legal JSON but not legal in a sentence.
            return repr(value) if value.bit_length() < SHOWN_BITS else "a number of over 60 digits"
        case float():
            return repr(value)
        case list() | tuple():
            return "[]" if len(value) == 0 else f"a list of {len(value)}"
        case dict():
            return "{}" if not value else f"an object with {', '.join(map(shown, list(value)[:3]))}"
        case _:
            return f"a {type(value).__name__}"


def key_name(key: object) -> str:
    """Return a key of an object as text; JSON has no others, but Python has."""
    return key if isinstance(key, str) else shown(key)


class Refused(ValueError):  # noqa: N818 - the public name says what happened
    """An operation, message or query that was not accepted; nothing has changed.

    ``field``, ``value`` and ``legal`` say what was wrong and what would be right; ``step`` is the
    place of the operation in its list, counted from 0; ``hint`` is what its author could do, which
    depends on where the value came from. ``others`` is what else is wrong with the same value, for
    whoever wants all of it at once.
    """

    def __init__(
        self,
        sentence: str,
        *,
        field: str | None = None,
        value: object = None,
        legal: str | None = None,
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
    def together(refusals: Sequence[Refused]) -> Refused:
        """Return the first of several refusals, which knows the others."""
        first, *rest = (one for refusal in refusals for one in refusal.all)
        first.others = tuple(rest)
        return first

    @property
    def all(self) -> tuple[Refused, ...]:
        """Return this refusal and what else is wrong, each for itself."""
        return (self, *self.others)

    def __str__(self) -> str:
        """Return the sentence, with the step of a list in front and the hint behind."""
        told = self.sentence if self.step is None else f"step {self.step}: {self.sentence}"
        return told if self.hint is None else f"{told}; {self.hint}"

    def at(self, step: int) -> Self:
        """Return this refusal with its place in a list of operations."""
        self.step = step
        return self

    def hinting(self, hint: str) -> Self:
        """Return this refusal with another hint, if it has one at all."""
        self.hint = self.hint and hint
        return self

    def inside(self, where: str) -> Refused:
        """Return the same refusal told from outside: ``role`` becomes ``messages[2].role``."""
        field = where if self.field is None else f"{where}.{self.field}"
        told = Refused(
            f"{where}: {self.sentence}",
            field=field,
            value=self.value,
            legal=self.legal,
            step=self.step,
            hint=self.hint,
        )
        told.others = tuple(other.inside(where) for other in self.others)
        return told


def outside(field: str, value: object, legal: str, *, why: str = "") -> Refused:
    """Return the refusal for a value outside its legal range."""
    tail = f" ({why})" if why else ""
    return Refused(
        f"{field} {shown(value)} is outside {legal}{tail}", field=field, value=value, legal=legal
    )


def below(field: str, value: object, least: int) -> Refused:
    """Return the refusal for a value that is too small where there is no largest one."""
    return Refused(
        f"{field} {shown(value)} is below {least}; it must be {least} or more",
        field=field,
        value=value,
        legal=f"{least} or more",
    )


def not_a(field: str, value: object, legal: str) -> Refused:
    """Return the refusal for a value of the wrong kind."""
    return Refused(f"{field} {shown(value)} is not {legal}", field=field, value=value, legal=legal)
