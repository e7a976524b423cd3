"""What a run costs: what a cache really serves, the calls that summaries need, and the payback."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from ..errors import Refused, format_value, wrong_type
from ..requests.provider_rules import cache_lifetime, smallest_cached
from ..values.models import JsonRecord
from ..values.numbers import decimal_in

MILLION = 1_000_000
PRICES = ("input", "cached", "written", "output")
CENTS = 6
"""Decimals of a cost: a millionth is what one token of the cheapest models costs."""
CACHING: Mapping[str, str] = {"anthropic": "messages", "openai": "chat"}
"""The profiles of providers whose caches are known, with the kind of their requests."""


@dataclass(frozen=True, slots=True)
class Prices:
    """What a million tokens cost: sent uncached, read from a cache, generated, put into a cache.

    Without ``written``, to write a cache costs nothing beside what is sent.
    """

    input: float
    cached: float
    output: float = 0.0
    written: float | None = None

    @classmethod
    def read(cls, text: str) -> Prices:
        """Return prices as they are typed: ``input=3,cached=0.3,written=3.75,output=15``."""
        found: dict[str, float] = {}
        for piece in text.split(","):
            name, equals, number = (one.strip() for one in piece.partition("="))
            if not equals or name not in PRICES or name in found:
                legal = "input=…, and cached=… and output=… and written=… if you like"
                raise wrong_type("price", text, legal)
            price = decimal_in(number)
            if price is None or not 0 <= price <= MILLION:
                raise wrong_type(f"price {name}", number, f"a number from 0 to {MILLION:,}")
            found[name] = price
        if "input" not in found:
            raise Refused(f"price {format_value(text)} has no input", "price", legal="input=…")
        return cls(**{"cached": found["input"], **found})

    def __str__(self) -> str:
        given = ((name, getattr(self, name)) for name in PRICES)
        return ",".join(f"{name}={price:g}" for name, price in given if price is not None)

    def cost(self, sent: int, prefix: int, output: int, written: int = 0) -> float:
        """Return what tokens cost; ``written`` are those of the uncached that went into a cache."""
        total = (sent - prefix) * self.input + prefix * self.cached + output * self.output
        if self.written is not None:
            total += written * (self.written - self.input)
        return round(total / MILLION, CENTS)


class CacheTerms(NamedTuple):
    """What a cache keeps: requests of a size, for some time.

    ``expired`` are the calls before which it had forgotten what was sent.
    """

    smallest: int = 0
    expired: frozenset[int] = frozenset()

    @classmethod
    def of(
        cls, profile: str, times: Sequence[int | None], model: str | None, pace: float | None
    ) -> CacheTerms:
        """Return the terms of a provider; ``pace`` are the seconds from call to call."""
        if profile not in CACHING:
            return ANY_CACHE
        lifetime = cache_lifetime(CACHING[profile], is_for_an_hour=False) or 0
        if pace is not None:
            gaps = [pace * 1000] * (len(times) - 1)
        else:
            gaps = [
                0 if one is None or other is None else other - one for one, other in pairwise(times)
            ]
        late = (call for call, gap in enumerate(gaps, 2) if gap > lifetime)
        return cls(smallest_cached(model), frozenset(late))

    def served(self, call: int, prefix: int) -> int:
        """Return how many tokens come from the cache, of those that were sent before."""
        return 0 if prefix < self.smallest or call in self.expired else prefix


class SummaryCall(NamedTuple):
    """A call that writes a summary: before which call, what it reads, and what it writes."""

    call: int
    input: int
    output: int


@dataclass(frozen=True, slots=True)
class Payback(JsonRecord):
    """From call ``first`` on a policy acts, and the so many-th call ``after`` makes it cheaper.

    It stays so. ``calls`` is how many there were; None for ``after`` means never.
    """

    first: int
    after: int | None
    calls: int

    def in_words(self) -> str:
        there = f"there {'was' if self.calls == 1 else 'were'} {self.calls:,}"
        if self.after is None:
            return f"never pays back: {there} from call {self.first} on"
        calls = "call" if self.after == 1 else "calls"
        return f"pays back after {self.after:,} {calls} from call {self.first} on, {there}"


def payback(first: int | None, mine: Sequence[float], all_sent: Sequence[float]) -> Payback | None:
    """Compare what each call costs with what it would cost to send all there is.

    ``first`` is the first call before which something was done; None: there is nothing to pay back.
    """
    if first is None:
        return None
    balance, last = 0.0, first - 1
    for call, (one, other) in enumerate(zip(mine, all_sent, strict=False), 1):
        balance += one - other
        if call >= first and balance >= 0:
            last = call
    calls = len(mine) - first + 1
    return Payback(first, None if balance >= 0 else last - first + 2, calls)


def cost_by_call(summaries: Iterable[SummaryCall], prices: Prices) -> Mapping[int, float]:
    """Return what the summaries cost before each call, in millionths."""
    found: defaultdict[int, float] = defaultdict(float)
    for one in summaries:
        found[one.call] += one.input * prices.input + one.output * prices.output
    return found


ANY_CACHE = CacheTerms()
"""A cache that keeps everything for ever, where a provider's is not known."""
