"""The rules of single providers, beyond those all share."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from ..engine.messages import LATE_RESULT, THINKING, VOID, TextPart, ThinkingPart
from .projection import Projection
from .rules import Breach, Rule


def says_nothing(p: Projection) -> Iterator[Breach]:
    """A message that says and does nothing."""
    for position in p.positions(VOID):
        yield Breach(position, "No content and no call.")


def late_system(p: Projection) -> Iterator[Breach]:
    """A system message after the first user message."""
    first = next(iter(p.of_role("user")), p.size)
    for position in p.of_role("system"):
        if position > first:
            sentence = "A system message after the first user message is lifted to the top."
            yield Breach(position, sentence)


def user_not_first(p: Projection) -> Iterator[Breach]:
    """A conversation that the user does not begin."""
    if p.conversation and p.role(p.conversation[0]) != "user":
        first = p.conversation[0]
        sentence = f"The first message is the {p.role(first)}'s; it must be the user's."
        yield Breach(first, sentence)


def late_result(p: Projection) -> Iterator[Breach]:
    """A result that is not at the very start of the turn after its call."""
    for site in p.pairing.sites:
        for _, position in site.displaced:
            sentence = f"The result of position {site.position} is not in the next message."
            yield Breach(position, sentence)
        for position in dict.fromkeys(position for _, position in site.in_block):
            if p.flags[position] & LATE_RESULT and position != site.position:
                yield Breach(position, "A result does not stand first in its message.", repairs=())


def empty_content(p: Projection) -> Iterator[Breach]:
    """Empty content anywhere but at the end."""
    for position in p.positions(VOID):
        if position != p.size - 1 or p.role(position) != "assistant":
            yield Breach(position, "This message is empty.")


def assistant_last(p: Projection) -> Iterator[Breach]:
    """The assistant has the last word."""
    if p.conversation and p.role(p.conversation[-1]) == "assistant":
        last = p.conversation[-1]
        yield Breach(last, "The last message is the assistant's.")


def trailing_white_space(p: Projection) -> Iterator[Breach]:
    """A final assistant text that ends in white space."""
    if p.size and p.role(p.size - 1) == "assistant":
        last = p.log[p.raws[-1]].parts[-1]
        if isinstance(last, TextPart) and last.text != last.text.rstrip():
            yield Breach(p.size - 1, "The final text ends in white space.")


def misplaced_thinking(p: Projection) -> Iterator[Breach]:
    """Thinking of the latest tool loop that was removed or is not first."""
    asked = [at for at in p.of_role("user") if not p.is_result(at)]
    start = asked[-1] + 1 if asked else 0
    loop = [at for at in p.of_role("assistant") if at >= start]
    thinking = [at for at in loop if p.flags[at] & THINKING]
    for at in thinking:
        if not isinstance(p.log[p.raws[at]].parts[0], ThinkingPart):
            yield Breach(at, "Thinking does not stand first in its message.")
    calling = [at for at in loop if p.is_call(at)]
    if thinking and calling and thinking[0] > calling[0]:
        sentence = "The thinking before this call was removed."
        yield Breach(calling[0], sentence)


def call_out_of_turn(p: Projection) -> Iterator[Breach]:
    """A call that follows neither the user nor a result."""
    turns = p.conversation
    for site in p.pairing.sites:
        before = turns[bisect_left(turns, site.position) - 1] if site.position != turns[0] else -1
        if before < 0 or not (p.role(before) == "user" or p.is_result(before)):
            sentence = "A call must follow a user or result turn."
            yield Breach(site.position, sentence)


def uneven_results(p: Projection) -> Iterator[Breach]:
    """As many results as calls."""
    for site in p.pairing.sites:
        if len(site.in_block) != len(site.calls) and not site.waits(p.size):
            sentence = f"Calls: {len(site.calls)}; results right after: {len(site.in_block)}."
            yield Breach(site.position, sentence)


def model_last(p: Projection) -> Iterator[Breach]:
    """The model has the last word."""
    if p.conversation and p.role(p.conversation[-1]) == "assistant":
        yield Breach(p.conversation[-1], "The last turn is the model's.")


def system_not_first(p: Projection) -> Iterator[Breach]:
    """More than one system message, or one that is not first."""
    for position in p.of_role("system"):
        if position:
            sentence = "A system message stands only once, at the start."
            yield Breach(position, sentence)


def same_role_twice(p: Projection) -> Iterator[Breach]:
    """User and assistant that don't take turns; tool calls and their results are passed over."""
    before = ""
    for position in p.conversation:
        role = p.role(position)
        if role == "tool" or p.is_call(position) or p.is_result(position):
            continue
        if role == before:
            yield Breach(position, f"Two {role} messages in a row.")
        before = role


def assistant_first(p: Projection) -> Iterator[Breach]:
    """A conversation that the assistant begins."""
    if p.conversation and p.role(p.conversation[0]) == "assistant":
        first = p.conversation[0]
        yield Breach(first, "The first message is the assistant's.")


RULES = (
    Rule(
        "O1",
        "warning",
        "empty message",
        says_nothing,
        profiles=("openai",),
        why="A message has content or calls a tool; some routes refuse one that does neither.",
    ),
    Rule(
        "A1",
        "warning",
        "late system message",
        late_system,
        profiles=("anthropic",),
        why="There is one system prompt, above the conversation: later ones move there.",
    ),
    Rule(
        "A2",
        "error",
        "user not first",
        user_not_first,
        profiles=("anthropic",),
        why="A conversation begins with the user.",
    ),
    Rule(
        "A3",
        "error",
        "late result",
        late_result,
        ("drop",),
        profiles=("anthropic",),
        why="Results stand first in the very next message after their call.",
    ),
    Rule(
        "A4",
        "error",
        "empty content",
        empty_content,
        profiles=("anthropic",),
        why="Only a final message of the assistant may be empty.",
    ),
    Rule(
        "A6",
        "warning",
        "assistant is last",
        assistant_last,
        profiles=("anthropic",),
        why="Not every model goes on where a message of its own ends.",
    ),
    Rule(
        "A7",
        "error",
        "ends in white space",
        trailing_white_space,
        profiles=("anthropic",),
        why="A final text that is to be continued may not end in white space.",
    ),
    Rule(
        "A8",
        "warning",
        "thinking removed",
        misplaced_thinking,
        profiles=("anthropic",),
        why="The thinking of a tool loop goes with it, unchanged and first in its message.",
    ),
    Rule(
        "M1",
        "error",
        "call out of turn",
        call_out_of_turn,
        profiles=("gemini",),
        why="A call comes right after a turn of the user or after results.",
    ),
    Rule(
        "M3",
        "error",
        "calls without results",
        uneven_results,
        profiles=("gemini",),
        why="A turn of calls is followed by exactly as many results.",
    ),
    Rule(
        "M4",
        "error",
        "model is last",
        model_last,
        profiles=("gemini",),
        why="The last turn is the user's or a result: something to answer.",
    ),
    Rule(
        "T1",
        "error",
        "system not first",
        system_not_first,
        profiles=("strict-template",),
        why="Chat templates of open models know one system message, at the start.",
    ),
    Rule(
        "T2",
        "error",
        "roles don't alternate",
        same_role_twice,
        profiles=("strict-template",),
        why="Chat templates of open models want user and assistant to take turns.",
    ),
    Rule(
        "T3",
        "error",
        "assistant first",
        assistant_first,
        profiles=("strict-template",),
        why="Chat templates of open models want the user to begin.",
    ),
)
