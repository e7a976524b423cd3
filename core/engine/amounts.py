"""Amounts: numbers that may be expressions, such as ``85% * limit`` or ``rows - 2``.

Arithmetic is exact: a count that is no whole number is compared as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from math import ceil, floor
from typing import Annotated, Any, NoReturn

from ..errors import Refused, format_value, wrong_type
from ..values.models import Checked, read_count, read_number

UNITS = (
    *("messages", "tokens", "characters", "rows", "sides"),
    *("groups", "exchanges", "turns", "items", "events"),
)
LIMIT, OUTPUT, SENT = "limit", "output", "sent"
NAMES = (*UNITS, LIMIT)
"""The names that any operation may use; a policy also knows ``output``, ``sent`` and selections."""
LONGEST = 400

Exact = int | Fraction
Lookup = Callable[[str], Exact]
"""Returns the number behind a name, or refuses it."""
_Program = Callable[[Lookup], Exact]

_TOKEN = re.compile(
    r"\s*(?:(?P<number>[0-9]{1,18}(?:\.[0-9]{1,18})?)"
    r"|(?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?)|(?P<sign>\S))",
    re.ASCII,
)
_FUNCTIONS: Mapping[str, tuple[int, Callable[..., Exact]]] = {
    "min": (2, min),
    "max": (2, max),
    "floor": (1, floor),
    "ceil": (1, ceil),
}


class Expression:
    """An expression as it was given, and what works it out."""

    __slots__ = ("_program", "given", "names")

    def __init__(self, given: str | float, names: frozenset[str], program: _Program) -> None:
        self.given = given
        self.names = names
        self._program = program

    @classmethod
    def read(cls, text: str, field: str) -> Expression:
        """Return the expression of a text; its names are not judged yet."""
        return cls(text, *_Parser(text, field).parsed())

    def value(self, look: Lookup) -> Exact:
        return self._program(look)

    def to_dict(self) -> str | float:
        return self.given

    def __str__(self) -> str:
        return str(self.given)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Expression) and self.given == other.given

    def __hash__(self) -> int:
        return hash(self.given)

    def __repr__(self) -> str:
        return f"Expression({self.given!r})"


class _Parser:
    """Reads one expression: sums of products of numbers, names, functions and brackets."""

    def __init__(self, text: str, field: str) -> None:
        self._text, self._field = text, field
        self._tokens = [] if len(text) > LONGEST else list(_TOKEN.finditer(text.rstrip()))
        self._at = 0
        self._names: set[str] = set()

    def parsed(self) -> tuple[frozenset[str], _Program]:
        program = self._sum()
        if self._at < len(self._tokens):
            self._fail()
        return frozenset(self._names), program

    def _fail(self) -> NoReturn:
        raise wrong_type(
            self._field,
            self._text,
            "a number or an expression of numbers, %, names, + - * / ( ), min, max, floor, ceil",
        )

    def _sign(self, *wanted: str) -> str | None:
        if self._at < len(self._tokens) and self._tokens[self._at]["sign"] in wanted:
            self._at += 1
            return self._tokens[self._at - 1]["sign"]
        return None

    def _sum(self) -> _Program:
        left = self._product()
        while sign := self._sign("+", "-"):
            left = _joined(sign, left, self._product())
        return left

    def _product(self) -> _Program:
        left = self._factor()
        while sign := self._sign("*", "/"):
            left = _joined(sign, left, self._factor())
        return left

    def _factor(self) -> _Program:
        if self._sign("-"):
            inner = self._factor()
            return lambda look: -inner(look)
        atom = self._atom()
        while self._sign("%"):
            atom = _joined("/", atom, lambda _: 100)
        return atom

    def _atom(self) -> _Program:
        if self._sign("("):
            inner = self._sum()
            if not self._sign(")"):
                self._fail()
            return inner
        if self._at == len(self._tokens):
            self._fail()
        token = self._tokens[self._at]
        self._at += 1
        if token["number"]:
            number = exact(token["number"])
            return lambda _: number
        name = token["name"]
        if not name:
            self._fail()
        if name in _FUNCTIONS and self._sign("("):
            return self._function(name)
        self._names.add(name)
        return lambda look: look(name)

    def _function(self, name: str) -> _Program:
        count, function = _FUNCTIONS[name]
        given = [self._sum()]
        while self._sign(","):
            given.append(self._sum())
        if len(given) != count or not self._sign(")"):
            self._fail()
        return lambda look: function(*(one(look) for one in given))


def _joined(sign: str, left: _Program, right: _Program) -> _Program:
    match sign:
        case "+":
            return lambda look: left(look) + right(look)
        case "-":
            return lambda look: left(look) - right(look)
        case "*":
            return lambda look: left(look) * right(look)

    def quotient(look: Lookup) -> Exact:
        divisor = right(look)
        if divisor == 0:
            raise Refused("a number is divided by 0", "/", 0, "a divisor that is not 0")
        return Fraction(left(look)) / divisor

    return quotient


def exact(number: str | float) -> Exact:
    """Return a number as it is written: 0.1 is a tenth."""
    found = Fraction(str(number))
    return found.numerator if found.denominator == 1 else found


Amount = int | Expression


def read_amount(value: object, field: str) -> Amount:
    """Return a count, or an expression of what an operation knows by itself."""
    return _read(value, field, read_count)


def read_signed(value: object, field: str) -> Amount:
    """Return a whole number, negative ones too, or an expression."""
    return _read(value, field, read_number)


def read_bound(value: object, field: str) -> Amount:
    """Return a number that something is compared with; decimals are read as written."""
    if isinstance(value, float) and abs(value) < 10**15:
        exact_value = exact(value)
        return Expression(value, frozenset(), lambda _: exact_value)
    return read_signed(value, field)


def _read(value: object, field: str, number: Callable[[object, str], int]) -> Amount:
    if isinstance(value, Expression):
        return value
    if not isinstance(value, str) or value.strip().isdigit():
        return number(value, field)
    found = Expression.read(value, field)
    for name in sorted(found.names.difference(NAMES)):
        names = ", ".join(NAMES)
        sentence = f"{field} {format_value(value)} names {name}; an expression may name {names}"
        raise Refused(sentence, field, value, names)
    return found


def worked_out(amount: Amount, look: Lookup) -> Exact:
    """Return the number that an amount is, exactly."""
    return amount if isinstance(amount, int) else amount.value(look)


Counted = Annotated[Any, Checked(read_amount)]
Signed = Annotated[Any, Checked(read_signed)]
Bound = Annotated[Any, Checked(read_bound)]
