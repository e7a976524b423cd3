"""What-if in words: names, labels, prices, what a strategy does, and whatever is missing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ctxtui.core.engine.operation import Operation
from ctxtui.core.engine.tokens import is_exact
from ctxtui.core.policies import Policy, Prices
from ctxtui.core.policies.conditions import When
from ctxtui.core.policies.simulation import NAME
from ctxtui.core.policies.stages import Stage
from ctxtui.core.what_if import WhatIfOutcome
from ctxtui.inspector.drawing.head import Tab, TabLine
from ctxtui.inspector.drawing.lists import mark_kind
from ctxtui.text.icons import ERROR
from ctxtui.text.lines import Line, Piece, breadcrumb, longest
from ctxtui.text.numbers import tokens
from ctxtui.text.plurals import percent, plural
from ctxtui.text.symbols import printable
from ctxtui.what_if.models.comparison import Ground, Strategy, StrategyComparison

MOST_LABELS = 4
LABEL_CHARACTERS = 24
NAME_CHARACTERS = 60
SENTENCE_CHARACTERS = 400
"""How many labels are named, and how much of a label, a name and a sentence is shown."""
STAR = "★"
SIDES = {"what-if": "What if", "sweep": "Sweep"}
"""The screens of what-if, as tabs."""

NO_CALLS = "No assistant message: nothing was asked of a model."
NO_STRATEGIES = "No strategy yet. i adds one."
WALKING = "… walking through the run"
NONE_READ = "No strategy can be read; the table says why. i adds another, del removes one."
NOT_PLAYED = "It is tried on the state now only. p plays it before every call."
ONLY_RECIPES = "Recipes are tried on the state now. p plays one before every call; i adds a policy."


def side_tabs(active: str, title: str, width: int, *, is_long: bool = True) -> TabLine:
    """Return the tabs behind the way to them; for a short run only the one that is shown."""
    shown = SIDES if is_long else [active]
    tabs = [Tab(name, SIDES[name]) for name in shown]
    return TabLine(tabs, active, width, [], breadcrumb(title, "", width)[:-1])


# Names


def name_text(strategy: Strategy) -> str:
    """Return what a strategy is called, safe to show."""
    return printable(strategy.name, NAME_CHARACTERS)


def labels_text(labels: Iterable[str]) -> str:
    """Return labels, a few of them."""
    shown = list(labels)
    text = ", ".join(printable(label, LABEL_CHARACTERS) for label in shown[:MOST_LABELS])
    return f"{text} …" if len(shown) > MOST_LABELS else text


def money(amount: float) -> str:
    """Return an amount of money: cents, or for little money as many places as say something."""
    if amount and abs(amount) < 0.01:  # noqa: PLR2004 - a cent
        return f"${amount:.2g}" if abs(amount) >= 0.0001 else "<$0.0001"  # noqa: PLR2004
    return f"${amount:,.2f}"


# What a strategy does


def strategy_text(strategy: Strategy) -> str:
    """Return what a strategy does, in plain words; nothing before it is read."""
    if strategy.policy is not None:
        return printable(strategy.policy.in_words(), SENTENCE_CHARACTERS)
    text = "; then ".join(operation.sentence() for operation in strategy.recipe or ())
    return printable(text, SENTENCE_CHARACTERS)


def brief_text(strategy: Strategy) -> str:
    """Return what a strategy does in a few words, safe to show."""
    if strategy.is_recorded:
        is_sent = strategy.name == NAME
        return "what was really sent" if is_sent else "what the model saw of it"
    if strategy.policy is not None:
        return printable(briefly(strategy.policy), SENTENCE_CHARACTERS)
    done = " and ".join(map(_operation, strategy.recipe or ()))
    return printable(f"{done}, now" if done else "", SENTENCE_CHARACTERS)


def briefly(policy: Policy) -> str:
    """Return what a policy does in the fewest words: its numbers, and when it acts."""
    return "; then ".join(map(_stage, policy.stages))


def _stage(stage: Stage) -> str:
    return f"{' and '.join(map(_operation, stage.operations))}, {_when(stage.when)}"


def _operation(operation: Operation) -> str:
    """Return the numbers of an operation and of its choice; of a TRUNCATE they say enough."""
    fields = operation.to_dict()
    chosen = fields.get("select")
    numbers = [
        f"{name} {tokens(value) if value > 0 else value}"
        for name, value in {**fields, **(chosen if isinstance(chosen, dict) else {})}.items()
        if isinstance(value, int) and not isinstance(value, bool)
    ]
    if operation.title == "TRUNCATE" and numbers:
        return " ".join(numbers)
    return " ".join([operation.title.lower(), *numbers])


def _when(when: When) -> str:
    if not when.is_plain or when.is_always:
        return when.in_words()
    words = [
        f"above {tokens(when.tokens_above)} tokens" if when.tokens_above is not None else "",
        f"above {when.messages_above:,} messages" if when.messages_above is not None else "",
        f"every {when.every_calls:,} calls" if when.every_calls is not None else "",
    ]
    return " or ".join(one for one in words if one)


# What it makes of the state now


def in_short(ground: Ground | None, strategies: Sequence[Strategy], chosen: int) -> str:
    """Return one sentence of facts about what the chosen strategy makes of the state now."""
    if not strategies:
        return NO_STRATEGIES
    strategy = strategies[chosen]
    name, outcome = name_text(strategy), strategy.outcome
    problem = strategy.problem or strategy.refusal
    if problem is not None:
        return f"{name} can't be opened here: {printable(problem, SENTENCE_CHARACTERS)}."
    if outcome is None or ground is None:
        return f"{name} is being tried."
    if strategy.policy is not None and not strategy.operations:
        return f"{name}: no stage is due now, so the same would be sent."
    if outcome.keeps_projection:
        return f"{name}: the same would be sent as now."
    facts = [
        _size(ground, outcome),
        _lint(outcome, strategies),
        _marks(ground, outcome),
        _cache(outcome),
    ]
    return f"{name}: {'; '.join(fact for fact in facts if fact)}."


def _size(ground: Ground, outcome: WhatIfOutcome) -> str:
    now = ground.now
    text = f"{now.messages:,} → {plural(outcome.messages, 'message')}"
    if outcome.new:
        text += f", {outcome.new:,} of them new"
    if outcome.back:
        text += f", {outcome.back:,} brought back"
    if outcome.counter != now.counter:
        counter = printable(outcome.counter, NAME_CHARACTERS)
        text += f", {tokens(outcome.tokens)} tokens as {counter} counts"
    else:
        text += f", {tokens(now.tokens)} → {tokens(outcome.tokens)} tokens"
    if outcome.limit is not None:
        text += f", {percent(outcome.tokens, outcome.limit)} of the limit"
    return text


def _lint(outcome: WhatIfOutcome, strategies: Sequence[Strategy]) -> str:
    if outcome.errors:
        count = plural(outcome.error_count, "error")
        return f"lint refuses it with {count} ({outcome.in_words('error')})"
    outcomes = [one.outcome for one in strategies]
    passed = [one for one in outcomes if one is not None and not one.errors]
    is_done = not any(one.is_untried for one in strategies)
    alone = len(outcomes) > 1 and len(passed) == 1 and is_done
    text = "lint accepts only this one" if alone else "lint accepts it"
    if outcome.warnings:
        text += f" with {plural(outcome.warning_count, 'warning')} ({outcome.in_words('warning')})"
    return text


def _marks(ground: Ground, outcome: WhatIfOutcome) -> str:
    if not ground.marked:
        return ""
    if not outcome.marks_lost:
        return "every marked message stays"
    count = plural(len(outcome.marks_lost), "marked message")
    return f"{count} would go ({labels_text(outcome.lost)})"


def _cache(outcome: WhatIfOutcome) -> str:
    prefix = outcome.prefix
    if not outcome.resent:
        return f"a prompt cache keeps all {tokens(outcome.tokens)} tokens"
    if not prefix.messages:
        return "a prompt cache keeps nothing"
    kept = f"{plural(prefix.messages, 'message')} ({tokens(prefix.tokens)} tokens)"
    return f"a prompt cache keeps {kept}, {tokens(outcome.resent)} are sent again"


# The comparison


def missing_text(comparison: StrategyComparison) -> str:
    """Return why nothing of the run can be drawn yet, or at all; nothing where something can."""
    if comparison.problem and comparison.is_pending:
        return ERROR.text(printable(comparison.problem, SENTENCE_CHARACTERS))
    if comparison.question is None:
        return "… reading the run"
    if not comparison.calls:
        return NO_CALLS
    strategies = comparison.strategies
    if not strategies:
        return NO_STRATEGIES
    if any(one.figures is not None for one in strategies):
        return ""
    if any(one.is_pending for one in strategies):
        return WALKING
    return ONLY_RECIPES if any(one.recipe for one in strategies) else NONE_READ


def prices_text(prices: Prices | None) -> str:
    """Return what a million tokens cost."""
    if prices is None:
        return ""
    written = "" if prices.written is None else f"  ${prices.written:g} written"
    return f"${prices.input:g} in  ${prices.cached:g} cached{written}  ${prices.output:g} out"


def asked_line(comparison: StrategyComparison, text: str, short: str, width: int) -> Line:
    """Return what is asked of which run: how long it is, what must stay, at what prices.

    What is told first gets short where there is little room.
    """
    question = comparison.question
    lead = [Piece(" WHAT IF ", "bright"), Piece(f"  {text}", "muted")]
    tight = [lead[0], Piece(f"  {short}" if short else "", "muted")]
    if question is None:
        return longest([(lead, [])], width)
    run = question.run
    size = [
        Piece(f"   {len(run.messages):,}", "bright"),
        Piece(f" {plural(len(run.messages), 'message').split()[-1]}", "muted"),
        Piece(f"   {len(run.calls):,}", "bright"),
        Piece(f" {plural(len(run.calls), 'call').split()[-1]}", "muted"),
    ]
    must: Line = [Piece("   nothing is marked", "muted")]
    if question.required_labels:
        kind = mark_kind(question.required_labels[0])
        must = [
            Piece("   must stay ", "muted"),
            Piece(f"{STAR} {labels_text(question.required_labels)}", kind),
        ]
    counter = f"{'' if is_exact(run.state.counter) else '~ '}{printable(run.state.counter, 20)} "
    prices = prices_text(question.prices)
    least = [Piece(counter, "muted")]
    some = [Piece(f"   {prices}", "muted"), Piece(f"  {counter}", "muted")] if prices else least
    end = [some[0], Piece(" per million", "faint"), some[1]] if prices else least
    return longest(
        [
            ([*lead, *size, *must], end),
            ([*lead, *size, *must], some),
            ([*lead, *size, *must], least),
            ([*tight, *size, *must], least),
            ([*tight, *size, *must], []),
            ([*tight, *must], []),
            ([*size, *must], []),
            (size, []),
        ],
        width,
    )
