"""Expectations: what must hold of a policy over a run, so that a simulation is a check."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from operator import eq, ge, gt, le, lt, ne

from ..errors import Refused, not_a, shown
from ..values.numbers import read_decimal, read_integer
from .figures import PolicyFigures

SIGNS: dict[str, Callable[[float, float], bool]] = {
    "<=": le,
    ">=": ge,
    "!=": ne,
    "==": eq,
    "=": eq,
    "<": lt,
    ">": gt,
}
FIGURES: dict[str, Callable[[PolicyFigures], float | None]] = {
    "calls": lambda figures: figures.calls,
    "broken": lambda figures: figures.broken,
    "withoutMarked": lambda figures: figures.without_marked,
    "tokensSent": lambda figures: figures.tokens_sent,
    "tokensOutsidePrefix": lambda figures: figures.tokens_outside_prefix,
    "peak": lambda figures: figures.peak,
    "overLimit": lambda figures: figures.over_limit,
    "acted": lambda figures: figures.acted,
    "refused": lambda figures: len(figures.refused),
    "cost": lambda figures: figures.cost,
}
"""The figures that something can be expected of."""
_SHAPE = re.compile(r"\s*(\w+)\s*(<=|>=|!=|==|=|<|>)\s*([0-9]+(?:\.[0-9]+)?)\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Expectation:
    """A figure, a sign and a number: ``broken=0`` or ``tokensSent<=900000``."""

    figure: str
    sign: str
    number: float

    @classmethod
    def read(cls, text: str) -> Expectation:
        """Return an expectation as it is typed, or refuse it."""
        found = _SHAPE.fullmatch(text)
        if found is None:
            raise not_a("expect", text, "such as broken=0 or 'tokensSent<=900000'")
        figure, sign, number = found.groups()
        if figure not in FIGURES:
            raise not_a("expect", figure, f"one of {', '.join(FIGURES)}")
        read = read_decimal if "." in number else read_integer
        return cls(figure, sign, read(number, figure))

    def miss(self, figures: PolicyFigures) -> str | None:
        """Return a sentence where it does not hold of a policy, and None where it does."""
        found = FIGURES[self.figure](figures)
        if found is None:
            raise Refused(
                "cost can't be expected without a price", field="expect", legal="--price beside it"
            )
        if SIGNS[self.sign](found, self.number):
            return None
        return f"{self.figure} is {shown(found)}; expected is {self}"

    def __str__(self) -> str:
        """Return it as it is typed."""
        return f"{self.figure}{self.sign}{self.number}"
