"""What a simulation gives, as tables and small plots of plain text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ctxtui.cli.output import print_line, print_table
from ctxtui.core.engine.tokens import is_exact
from ctxtui.core.policies import CallFigures, PolicyFigures
from ctxtui.core.policies.runs import Question
from ctxtui.core.policies.simulation import Family, PolicyRun, Setting
from ctxtui.render.text.numbers import tokens
from ctxtui.render.text.severity import ERROR, WARNING
from ctxtui.words import plural

CELLS = 60
"""Cells of a plot; a longer run has several calls in each."""
HEIGHTS = "▁▂▃▄▅▆▇█"
NOTHING = "·"
STAR = "★"
HEAD = ("policy", "broken", f"without {STAR}", "sent", "outside", "peak", "over limit", "acted")
SWEEP_HEAD = ("policy", "broken", f"without {STAR}", "kept", "outside", "peak")


def print_runs(question: Question, runs: Sequence[PolicyRun]) -> None:
    """Print a table of policies, and a plot of each over the calls."""
    figures = [one.figures for one in runs]
    has_cost = question.prices is not None
    rows = [(*HEAD, "cost") if has_cost else HEAD, *(_row(one) for one in figures)]
    print_table(rows, right=range(1, len(rows[0])))
    print_line(_about(question))
    for one in figures:
        if one.refused:
            first, times = one.refused[0], plural(len(one.refused), "time")
            told = f"{one.name} was refused {times}, first before call {first.call}"
            print_line(WARNING.text(f"{told}: {first.reason}"))
    top = max((one.peak for one in figures), default=0)
    width = max(len(one.name) for one in figures)
    for one in figures:
        print_line()
        print_line(f"{one.name:<{width}}  {_plot(one, top)}  {tokens(one.peak)} at most")
        for count, word, sign, fails in (
            (one.broken, "broken", ERROR.glyph, _is_broken),
            (one.without_marked, f"without {STAR}", STAR, _lacks),
        ):
            if count:
                print_line(f"{word:>{width}}  {_strip(one, sign, fails)}  {count:,}")


def _row(one: PolicyFigures) -> tuple[str, ...]:
    row = (
        one.name,
        f"{one.broken:,}",
        f"{one.without_marked:,}",
        tokens(one.tokens_sent),
        tokens(one.tokens_outside_prefix),
        tokens(one.peak),
        f"{one.over_limit:,}",
        f"{one.acted:,}",
    )
    return row if one.cost is None else (*row, f"${one.cost:,.2f}")


def _about(question: Question) -> str:
    run = question.run
    counter = run.state.counter
    told = [
        f"{plural(len(run.messages), 'message')}, {plural(len(run.calls), 'call')}"
        f"{'' if run.is_recorded else ', one before each answer'}",
        f"must stay: {', '.join(question.must)}" if question.must else "nothing is marked",
        f"{question.profile} profile",
        f"tokens by {counter}{'' if is_exact(counter) else ', an estimate'}",
    ]
    return "; ".join(told)


def _is_broken(call: CallFigures) -> bool:
    return call.errors > 0


def _lacks(call: CallFigures) -> bool:
    return call.marks_missing > 0


def _buckets(one: PolicyFigures) -> list[Sequence[CallFigures]]:
    count = one.calls
    cells = min(CELLS, count)
    return [
        one.per_call[count * cell // cells : count * (cell + 1) // cells] for cell in range(cells)
    ]


def _plot(one: PolicyFigures, top: int) -> str:
    """Return the tokens of the calls as a line of blocks, the largest call in each cell."""
    peaks = [max(call.tokens for call in bucket) for bucket in _buckets(one)]
    steps = len(HEIGHTS) - 1
    return "".join(HEIGHTS[-(-peak * steps // max(1, top))] for peak in peaks)


def _strip(one: PolicyFigures, sign: str, fails: Callable[[CallFigures], bool]) -> str:
    """Return a sign for each cell with a call of some kind."""
    return "".join(sign if any(map(fails, bucket)) else NOTHING for bucket in _buckets(one))


def print_family(family: Family) -> None:
    """Print every setting of a sweep, those on the front, and the one to ship."""
    has_cost = any(one.figures.cost is not None for one in family.settings)
    front = {id(one) for one in family.front}
    head = (*SWEEP_HEAD, *(("cost",) if has_cost else ()), "")
    rows = [(head[0], family.sweep.name, *head[1:])]
    for one in family.settings:
        verdict = "to ship" if one is family.shipped else "front" if id(one) in front else ""
        rows.append((*_setting(one), verdict))
    print_line()
    print_table(rows, right=range(1, len(rows[0]) - 1))
    for rule in family.rules:
        print_line(rule)
    shipped = family.shipped
    if shipped is None:
        print_line(WARNING.text("no setting is fit to ship: none on the front is clean with room"))
    else:
        print_line(f"ship {shipped.policy.name} with {family.sweep.name} {shipped.value}")


def _setting(one: Setting) -> tuple[str, ...]:
    figures = one.figures
    row = (
        one.policy.name,
        f"{one.value:,}",
        f"{figures.broken:,}",
        f"{figures.without_marked:,}",
        f"{figures.messages_kept:.0f}",
        tokens(figures.tokens_outside_prefix),
        tokens(figures.peak),
    )
    return row if figures.cost is None else (*row, f"${figures.cost:,.2f}")
