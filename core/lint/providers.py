"""The rules of single providers and of training data, beyond those all share."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from core.lint.findings import Finding
from core.lint.projection import Projection
from core.messages.facts import LATE_RESULT, THINKING, VOID
from core.messages.parts import TextPart, ThinkingPart


def o1(p: Projection) -> Iterator[Finding]:
    """A message that says and does nothing."""
    for position in p.positions(VOID):
        yield p.finding("O1", "warning", position, "No content and no call.")


def a1(p: Projection) -> Iterator[Finding]:
    """A system message after the first user message."""
    first = next(iter(p.of_role("user")), p.size)
    for position in p.of_role("system"):
        if position > first:
            sentence = "A system message after the first user message is lifted to the top."
            yield p.finding("A1", "warning", position, sentence)


def a2(p: Projection) -> Iterator[Finding]:
    """A conversation that the user does not begin."""
    if p.conversation and p.role(p.conversation[0]) != "user":
        first = p.conversation[0]
        sentence = f"The first message is the {p.role(first)}'s; it must be the user's."
        yield p.finding("A2", "error", first, sentence)


def a3(p: Projection) -> Iterator[Finding]:
    """A result that is not at the very start of the turn after its call."""
    for site in p.pairing.sites:
        for _, position in site.displaced:
            sentence = f"The result of position {site.position} is not in the next message."
            yield p.finding("A3", "error", position, sentence, ("drop",))
        for position in dict.fromkeys(position for _, position in site.in_block):
            if p.flags[position] & LATE_RESULT and position != site.position:
                sentence = "A result does not stand first in its message."
                yield p.finding("A3", "error", position, sentence)


def a4(p: Projection) -> Iterator[Finding]:
    """Empty content anywhere but at the end."""
    for position in p.positions(VOID):
        if position != p.size - 1 or p.role(position) != "assistant":
            yield p.finding("A4", "error", position, "This message is empty.")


def a6(p: Projection) -> Iterator[Finding]:
    """The assistant has the last word."""
    if p.conversation and p.role(p.conversation[-1]) == "assistant":
        last = p.conversation[-1]
        yield p.finding("A6", "warning", last, "The last message is the assistant's.")


def a7(p: Projection) -> Iterator[Finding]:
    """A final assistant text that ends in white space."""
    if p.size and p.role(p.size - 1) == "assistant":
        last = p.log[p.raws[-1]].parts[-1]
        if isinstance(last, TextPart) and last.text != last.text.rstrip():
            yield p.finding("A7", "error", p.size - 1, "The final text ends in white space.")


def a8(p: Projection) -> Iterator[Finding]:
    """Thinking of the latest tool loop that was removed or is not first."""
    asked = [at for at in p.of_role("user") if not p.is_result(at)]
    start = asked[-1] + 1 if asked else 0
    loop = [at for at in p.of_role("assistant") if at >= start]
    thinking = [at for at in loop if p.flags[at] & THINKING]
    for at in thinking:
        if not isinstance(p.log[p.raws[at]].parts[0], ThinkingPart):
            yield p.finding("A8", "warning", at, "Thinking does not stand first in its message.")
    calling = [at for at in loop if p.is_call(at)]
    if thinking and calling and thinking[0] > calling[0]:
        sentence = "The thinking before this call was removed."
        yield p.finding("A8", "warning", calling[0], sentence)


def m1(p: Projection) -> Iterator[Finding]:
    """A call that follows neither the user nor a result."""
    turns = p.conversation
    for site in p.pairing.sites:
        before = turns[bisect_left(turns, site.position) - 1] if site.position != turns[0] else -1
        if before < 0 or not (p.role(before) == "user" or p.is_result(before)):
            sentence = "A call must follow a user or result turn."
            yield p.finding("M1", "error", site.position, sentence)


def m3(p: Projection) -> Iterator[Finding]:
    """As many results as calls."""
    for site in p.pairing.sites:
        if len(site.in_block) != len(site.calls) and not site.waits(p.size):
            sentence = f"Calls: {len(site.calls)}; results right after: {len(site.in_block)}."
            yield p.finding("M3", "error", site.position, sentence)


def m4(p: Projection) -> Iterator[Finding]:
    """The model has the last word."""
    if p.conversation and p.role(p.conversation[-1]) == "assistant":
        yield p.finding("M4", "error", p.conversation[-1], "The last turn is the model's.")


def t1(p: Projection) -> Iterator[Finding]:
    """More than one system message, or one that is not first."""
    for position in p.of_role("system"):
        if position:
            sentence = "A system message stands only once, at the start."
            yield p.finding("T1", "error", position, sentence)


def t2(p: Projection) -> Iterator[Finding]:
    """User and assistant that don't take turns; tool calls and their results are passed over."""
    before = ""
    for position in p.conversation:
        role = p.role(position)
        if role == "tool" or p.is_call(position) or p.is_result(position):
            continue
        if role == before:
            yield p.finding("T2", "error", position, f"Two {role} messages in a row.")
        before = role


def t3(p: Projection) -> Iterator[Finding]:
    """A conversation that the assistant begins."""
    if p.conversation and p.role(p.conversation[0]) == "assistant":
        first = p.conversation[0]
        yield p.finding("T3", "error", first, "The first message is the assistant's.")


def f1(p: Projection) -> Iterator[Finding]:
    """Nothing to learn from."""
    if not p.of_role("assistant"):
        yield p.finding("F1", "error", None, "No assistant message is visible.")


def f2(p: Projection) -> Iterator[Finding]:
    """An empty assistant message without a call."""
    for position in p.positions(VOID):
        if p.role(position) == "assistant":
            yield p.finding("F2", "error", position, "This assistant message is empty.")


def f3(p: Projection) -> Iterator[Finding]:
    """A sample that does not end with the assistant."""
    if p.size and p.role(p.size - 1) != "assistant":
        yield p.finding("F3", "warning", p.size - 1, "The last message is not the assistant's.")
