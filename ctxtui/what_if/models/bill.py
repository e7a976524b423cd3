"""The bill of a run: what it cost as it is, and what it would cost under a policy."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from ctxtui.core import Conversation
from ctxtui.core.policies import CallFigures, Policy, PolicyFigures, Prices
from ctxtui.core.policies.runs import SimulationConfig
from ctxtui.core.policies.simulation import NAME, StillWanted, recorded, run_policy
from ctxtui.what_if.models.comparison import Strategy, StrategyComparison

NOTHING = {"when": {"messagesAbove": 10**9}, "do": [{"operation": "CLEAR"}]}
"""A policy that never acts: all there is would be sent."""


class BillColumn(NamedTuple):
    """A strategy on the bill: its letter, what it is called, and its figures."""

    letter: str
    name: str
    figures: PolicyFigures

    @property
    def prefix(self) -> int:
        """Return the tokens that a prompt cache serves."""
        return self.figures.tokens_cached

    def parts(self, prices: Prices) -> tuple[float, float, float, float]:
        """Return what is paid for what is not cached, from a cache, in answers, and for summaries.

        Together that is the cost.
        """
        mine = self.figures
        bare = replace(mine, prices=prices, summaries=())
        fresh = prices.cost(mine.tokens_sent - self.prefix, 0, 0, mine.tokens_written)
        cached = prices.cost(self.prefix, self.prefix, 0)
        summaries = (replace(mine, prices=prices).cost or 0) - (bare.cost or 0)
        return fresh, cached, prices.cost(0, 0, mine.output), summaries

    @property
    def refused(self) -> int:
        """Return how many calls a provider would refuse: a broken rule, or more than the limit."""
        return sum(one.errors > 0 or self._is_over(one) for one in self.figures.per_call)

    @property
    def failing(self) -> int:
        """Return how many would be refused or lack a message that must stay."""
        return sum(one.fails or self._is_over(one) for one in self.figures.per_call)

    def _is_over(self, one: CallFigures) -> bool:
        return self.figures.limit is not None and one.tokens > self.figures.limit

    @property
    def price(self) -> float:
        """Return by what it is compared: its cost, or without prices the tokens not cached."""
        cost = self.figures.cost
        return self.figures.tokens_outside_prefix if cost is None else cost


class MeasuredUsage(NamedTuple):
    """What the provider counted for all calls of a run."""

    input: int
    cached: int
    output: int


class Bill(NamedTuple):
    """The run as it is, the policy that is chosen, and the best one, each once.

    The best one has the fewest calls that fail, and of these it is the cheapest.
    """

    title: str
    columns: tuple[BillColumn, ...]
    best: BillColumn | None
    prices: Prices | None
    measured: MeasuredUsage | None
    labels: tuple[str, ...] = ()

    @property
    def as_it_is(self) -> BillColumn:
        return self.columns[0]


def as_it_is(question: SimulationConfig, wanted: StillWanted | None = None) -> PolicyFigures:
    """Return the figures of what was sent; without recorded calls, of sending all there is."""
    run = recorded(question) or run_policy(question, Policy(NOTHING, name=NAME), wanted)
    return run.figures


def bill_of(comparison: StrategyComparison, mine: PolicyFigures | None) -> Bill | None:
    """Return the bill as far as it is known; None while the run is read or has no calls.

    ``mine`` are the figures of the run as it is.
    """
    question = comparison.question
    if question is None or mine is None:
        return None
    known = {
        one.id: column for one in comparison.strategies if (column := _column(comparison, one))
    }
    first = BillColumn("R", NAME, replace(mine, prices=question.prices))
    others = [column for column in known.values() if column.letter != "R"]
    best = min(others, key=lambda one: (one.failing, one.price), default=None)
    current = comparison.current
    chosen = [known[current.id]] if current is not None and current.id in known else []
    columns = [first]
    for column in (*chosen, *([] if best is None else [best])):
        if column.letter not in [one.letter for one in columns]:
            columns.append(column)
    usage = measured_usage(comparison.conversation)
    labels = tuple(question.required_labels)
    return Bill(comparison.title, tuple(columns), best, question.prices, usage, labels)


def _column(comparison: StrategyComparison, strategy: Strategy) -> BillColumn | None:
    figures = strategy.figures
    if figures is None:
        return None
    return BillColumn(comparison.letter(strategy), strategy.name, figures)


def measured_usage(conversation: Conversation) -> MeasuredUsage | None:
    """Return what the provider counted, if it did so for every call."""
    found = [call.usage for call in conversation.calls.all]
    usages = [one for one in found if one is not None and one.input is not None]
    if not found or len(usages) < len(found):
        return None
    return MeasuredUsage(
        sum(one.input or 0 for one in usages),
        sum(one.cached or 0 for one in usages),
        sum(one.output or 0 for one in usages),
    )
