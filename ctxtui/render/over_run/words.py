"""What is said of policies over a run: names, prices, labels and whatever is missing."""

from __future__ import annotations

from collections.abc import Sequence

from ctxtui.core.engine.operations import Operation
from ctxtui.core.engine.tokens import is_exact
from ctxtui.core.policies import Policy, Prices
from ctxtui.core.policies.policy import Stage, When
from ctxtui.models.contenders import Contender
from ctxtui.models.policy_comparison import PolicyComparison
from ctxtui.render.text.choosing import longest
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.marks import mark_kind
from ctxtui.render.text.numbers import tokens
from ctxtui.render.text.severity import ERROR
from ctxtui.symbols import visible
from ctxtui.words import plural

NAME_CHARACTERS = 60
LABEL_CHARACTERS = 24
MOST_LABELS = 3
SENTENCE_CHARACTERS = 400
"""How much of a name, a label and a sentence is looked at, and how many labels are named."""
NO_CALLS = "No assistant message: nothing was asked of a model."
NO_POLICIES = "No policy yet. + adds one."
READING = "… reading the run"
WALKING = "… walking through the run"
NONE_READ = "No policy can be read; the table says why. + adds another, - takes one out."


def name_told(contender: Contender) -> str:
    """Return what a policy is called, safe to show."""
    return visible(contender.name, NAME_CHARACTERS)


def brief_told(contender: Contender) -> str:
    """Return what a policy does in a few words, safe to show."""
    if contender.is_recorded:
        return "what was really sent"
    if contender.policy is None:
        return ""
    return visible(briefly(contender.policy), SENTENCE_CHARACTERS)


def briefly(policy: Policy) -> str:
    """Return what a policy does in the fewest words: its numbers, and when it acts."""
    return "; then ".join(map(_stage, policy.stages))


def _stage(stage: Stage) -> str:
    done = [one if isinstance(one, Operation) else one.operation for one in stage.do]
    return f"{' and '.join(map(_operation, done))}, {_when(stage.when)}"


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
    if when.is_always:
        return "before every call"
    told = [
        f"above {tokens(when.tokens_above)} tokens" if when.tokens_above is not None else "",
        f"above {when.messages_above:,} messages" if when.messages_above is not None else "",
        f"every {when.every_calls:,} calls" if when.every_calls is not None else "",
    ]
    return " or ".join(one for one in told if one)


def problem_told(contender: Contender) -> str:
    """Return why a policy can't be compared, safe to show."""
    return visible(contender.problem or "", SENTENCE_CHARACTERS)


def missing_told(comparison: PolicyComparison) -> str:
    """Return why nothing can be drawn yet, or at all; nothing where something can."""
    if comparison.problem and comparison.is_pending:
        return ERROR.text(visible(comparison.problem, SENTENCE_CHARACTERS))
    if comparison.question is None:
        return READING
    if not comparison.calls:
        return NO_CALLS
    if not comparison.contenders:
        return NO_POLICIES
    found = any(one.figures is not None for one in comparison.contenders)
    is_left = any(one.is_pending for one in comparison.contenders)
    return "" if found else WALKING if is_left else NONE_READ


def money(amount: float) -> str:
    """Return an amount of money: cents, or for little money as many places as say something."""
    if amount and abs(amount) < 0.01:  # noqa: PLR2004 - a cent
        return f"${amount:.2g}" if abs(amount) >= 0.0001 else "<$0.0001"  # noqa: PLR2004
    return f"${amount:,.2f}"


def labels_told(labels: Sequence[str]) -> str:
    """Return the labels that must stay, a few of them."""
    told = ", ".join(visible(label, LABEL_CHARACTERS) for label in labels[:MOST_LABELS])
    return f"{told} …" if len(labels) > MOST_LABELS else told


def prices_told(prices: Prices | None) -> str:
    """Return what a million tokens cost."""
    if prices is None:
        return ""
    told = [f"${prices.input:g} in", f"${prices.cached:g} cached"]
    return "  ".join([*told, f"${prices.output:g} out"])


def asked_line(comparison: PolicyComparison, told: str, short: str, width: int) -> Line:
    """Return what is asked of which run: how long it is, what must stay, at what prices.

    What is told first gets short where there is little room.
    """
    question = comparison.question
    lead = [Piece(" WHAT IF ", "bright"), Piece(f"  {told}", "muted")]
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
    if question.must:
        kind = mark_kind(question.must[0])
        must = [Piece("   must stay ", "muted"), Piece(f"★ {labels_told(question.must)}", kind)]
    counter = f"{'' if is_exact(run.state.counter) else '~ '}{visible(run.state.counter, 20)} "
    prices = prices_told(question.prices)
    per = Piece(" per million", "faint")
    end = [Piece(f"   {prices}", "muted"), per, Piece(f"  {counter}", "muted")] if prices else []
    some = [Piece(f"   {prices}", "muted"), Piece(f"  {counter}", "muted")] if prices else []
    least = [Piece(counter, "muted")]
    return longest(
        [
            ([*lead, *size, *must], end or least),
            ([*lead, *size, *must], some or least),
            ([*lead, *size, *must], least),
            ([*tight, *size, *must], least),
            ([*tight, *size, *must], []),
            ([*tight, *must], []),
            ([*size, *must], []),
            (size, []),
        ],
        width,
    )
