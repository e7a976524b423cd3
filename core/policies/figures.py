"""Figures of a policy over a run: what each call would send, and the sums."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter, eq, ge, gt, le, lt, ne
from typing import Any, NamedTuple

from ..errors import Refused, format_value, wrong_type
from ..values.models import JsonRecord, to_camel
from ..values.numbers import read_decimal, read_integer
from .costs import ANY_CACHE, CacheTerms, Payback, Prices, SummaryCall, cost_by_call

COUNTED = (
    *("calls", "broken", "without_marked", "tokens_sent", "tokens_outside_prefix"),
    *("peak", "over_limit", "acted", "summary_calls"),
)
"""The figures of a policy that are whole numbers, in the order they are reported."""


@dataclass(frozen=True, slots=True)
class CallFigures(JsonRecord):
    """One call: what would be sent, what of it was sent before, and what is wrong with it.

    ``call`` counts from 1. ``prefix_tokens`` are at the start as in the call before, by raw
    index; ``marks_missing`` are required messages of the log that are not sent.
    """

    call: int
    messages: int
    tokens: int
    prefix_tokens: int
    errors: int
    marks_missing: int
    acted: bool

    @property
    def outside(self) -> int:
        """Return the tokens that a prompt cache can't serve."""
        return self.tokens - self.prefix_tokens

    @property
    def fails(self) -> bool:
        """Return whether the call is broken or lacks a required message."""
        return self.errors > 0 or self.marks_missing > 0


class RefusedCall(NamedTuple):
    """A call before which a stage of a policy was refused, and why."""

    call: int
    reason: str

    def to_dict(self) -> dict[str, Any]:
        return self._asdict()

    def to_error(self) -> dict[str, Any]:
        """Return it as what ended a strategy."""
        return {"call": self.call, "message": self.reason}


@dataclass(frozen=True, slots=True)
class NeededCall:
    """A call whose recorded answer uses a message that would not have been sent."""

    call: int
    raw_index: int
    words: tuple[str, ...]
    operation: str | None

    def to_dict(self) -> dict[str, Any]:
        return {
            "call": self.call,
            "rawIndex": self.raw_index,
            "words": list(self.words),
            "operation": self.operation,
        }


@dataclass(frozen=True, slots=True)
class ProbeFinding:
    """A text that must not be lost: how many calls lack it, and the first of them."""

    text: str
    calls: int
    first: int | None

    def to_dict(self) -> dict[str, Any]:
        return {"text": self.text, "calls": self.calls, "first": self.first}


@dataclass(frozen=True, slots=True)
class Estimates:
    """What is estimated of a policy over a run."""

    needed: tuple[NeededCall, ...]
    calls: int
    dead_weight: int
    probes: tuple[ProbeFinding, ...] = ()
    payback: Payback | None = None

    @property
    def rate(self) -> float:
        return len(self.needed) / max(1, self.calls)

    def to_dict(self) -> dict[str, Any]:
        return {
            "neededLater": {
                "count": len(self.needed),
                "rate": round(self.rate, 4),
                "calls": [one.to_dict() for one in self.needed],
            },
            "deadWeight": self.dead_weight,
            "payback": None if self.payback is None else self.payback.to_dict(),
            **({"probes": [one.to_dict() for one in self.probes]} if self.probes else {}),
            "estimates": ["neededLater", "deadWeight", "payback", "cost", "summaryCalls"],
        }


@dataclass(frozen=True)
class PolicyFigures:
    """What a policy gives over a whole run, call by call and in sums."""

    name: str
    per_call: tuple[CallFigures, ...]
    refused: tuple[RefusedCall, ...] = ()
    limit: int | None = None
    output: int = 0
    prices: Prices | None = None
    estimates: Estimates | None = None
    error: RefusedCall | None = None
    caching: CacheTerms = ANY_CACHE
    summaries: tuple[SummaryCall, ...] = ()

    @property
    def calls(self) -> int:
        return len(self.per_call)

    @cached_property
    def broken(self) -> int:
        """Return how many calls a provider would refuse."""
        return sum(one.errors > 0 for one in self.per_call)

    @cached_property
    def without_marked(self) -> int:
        """Return how many calls lack a message that must stay."""
        return sum(one.marks_missing > 0 for one in self.per_call)

    @cached_property
    def failing(self) -> int:
        return sum(one.fails for one in self.per_call)

    @cached_property
    def tokens_sent(self) -> int:
        return sum(one.tokens for one in self.per_call)

    @cached_property
    def tokens_outside_prefix(self) -> int:
        """Return the tokens of all calls that a prompt cache can't serve."""
        return sum(one.outside for one in self.per_call)

    @cached_property
    def peak(self) -> int:
        return max((one.tokens for one in self.per_call), default=0)

    @cached_property
    def over_limit(self) -> int:
        """Return how many calls are above the limit."""
        limit = self.limit
        return 0 if limit is None else sum(one.tokens > limit for one in self.per_call)

    @cached_property
    def acted(self) -> int:
        """Return before how many calls the policy changed what is sent."""
        return sum(one.acted for one in self.per_call)

    @cached_property
    def messages_kept(self) -> float:
        """Return how many messages a call sends, on average."""
        return sum(one.messages for one in self.per_call) / max(1, self.calls)

    @property
    def summary_calls(self) -> int:
        """Return how many summaries had to be written."""
        return len(self.summaries)

    @cached_property
    def tokens_cached(self) -> int:
        """Return the tokens of all calls that a cache really serves."""
        return sum(self.caching.served(one.call, one.prefix_tokens) for one in self.per_call)

    @cached_property
    def tokens_written(self) -> int:
        """Return the tokens that go into a cache, as far as requests are large enough for one."""
        return sum(map(self._written, self.per_call))

    def _written(self, one: CallFigures) -> int:
        served = self.caching.served(one.call, one.prefix_tokens)
        return one.tokens - served if one.tokens >= self.caching.smallest else 0

    @cached_property
    def cost(self) -> float | None:
        """Return what the run would cost, with the summaries, if there are prices."""
        if self.prices is None:
            return None
        read = sum(one.input for one in self.summaries)
        output = self.output + sum(one.output for one in self.summaries)
        sent = self.tokens_sent + read
        return self.prices.cost(sent, self.tokens_cached, output, self.tokens_written)

    def spent(self) -> list[float]:
        """Return what each call costs but for its answer; without prices, in uncached tokens."""
        prices = self.prices or Prices(1, 0, 1)
        side = cost_by_call(self.summaries, prices)
        more = 0 if prices.written is None else prices.written - prices.input
        found = []
        for one in self.per_call:
            cached = self.caching.served(one.call, one.prefix_tokens)
            price = (one.tokens - cached) * prices.input + cached * prices.cached
            found.append(price + self._written(one) * more + side.get(one.call, 0))
        return found

    @property
    def first_act(self) -> int | None:
        """Return before which call something was done first."""
        return next((one.call for one in self.per_call if one.acted), None)

    def sums(self) -> dict[str, Any]:
        """Return everything but the single calls, as JSON-ready data."""
        return {
            "name": self.name,
            **{to_camel(name): getattr(self, name) for name in COUNTED},
            "refused": [one.to_dict() for one in self.refused],
            **({} if self.cost is None else {"cost": self.cost}),
            **({} if self.estimates is None else self.estimates.to_dict()),
            **({} if self.error is None else {"error": self.error.to_error()}),
        }

    def to_dict(self) -> dict[str, Any]:
        return {**self.sums(), "perCall": [one.to_dict() for one in self.per_call]}


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
    **{to_camel(name): attrgetter(name) for name in COUNTED},
    "refused": lambda figures: len(figures.refused),
    "cost": lambda figures: figures.cost,
    "neededLater": lambda figures: (
        None if figures.estimates is None else len(figures.estimates.needed)
    ),
    "deadWeight": lambda figures: (
        None if figures.estimates is None else figures.estimates.dead_weight
    ),
}
"""The figures that something can be expected of."""
_SHAPE = re.compile(r"\s*(\w+)\s*(<=|>=|!=|==|=|<|>)\s*([0-9]+(?:\.[0-9]+)?)\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class FigureExpectation:
    """A figure, a sign and a number: ``broken=0`` or ``tokensSent<=900000``."""

    figure: str
    sign: str
    number: float

    @classmethod
    def read(cls, text: str, figures: Collection[str] = FIGURES) -> FigureExpectation:
        found = _SHAPE.fullmatch(text)
        if found is None:
            raise wrong_type("expect", text, "such as broken=0 or 'tokensSent<=900000'")
        figure, sign, number = found.groups()
        if figure not in figures:
            raise wrong_type("expect", figure, f"one of {', '.join(figures)}")
        read = read_decimal if "." in number else read_integer
        return cls(figure, sign, read(number, figure))

    def miss(self, figures: PolicyFigures) -> str | None:
        """Return a sentence if a policy does not meet it, else None."""
        found = FIGURES[self.figure](figures)
        if found is None:
            price = self.figure == "cost"
            missing, legal = ("a price", "with --price") if price else ("an estimate", None)
            raise Refused(
                f"{self.figure} can't be expected without {missing}", "expect", legal=legal
            )
        return self.miss_of(found)

    def miss_of(self, found: float) -> str | None:
        """Return a sentence if a figure does not meet it, else None."""
        if SIGNS[self.sign](found, self.number):
            return None
        return f"{self.figure} is {format_value(found)}; expected is {self}"

    def __str__(self) -> str:
        return f"{self.figure}{self.sign}{self.number}"
