"""The lint rules: each is one decorated function that yields where it is violated.

Its docstring is the reason that is shown to users. No other code knows a rule by its id, except
those that ``linting.py`` counts.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..engine.messages import (
    EMPTY_MESSAGE,
    EMPTY_TEXT,
    LATE_RESULT,
    NON_OBJECT_INPUT,
    THINKING,
    DataPart,
    Message,
    TextPart,
    ThinkingPart,
)
from ..engine.settings import PROFILES
from ..errors import format_value
from ..values.models import read_choice
from .projection import Finding, Projection, RepairKind, Severity


class Violation(NamedTuple):
    """A position where a rule is violated, in one sentence; None is the projection as a whole.

    ``severity`` and ``repairs`` are given only if they differ from those of the rule.
    """

    position: int | None
    message: str
    severity: Severity | None = None
    repairs: tuple[RepairKind, ...] | None = None


Check = Callable[[Projection], Iterator[Violation]]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: its id, how bad a violation is, what is wrong in a few words, and the check.

    ``repairs`` are all that can ever apply. The findings of a rule with ``sort_first`` come before
    those of others at the same position; one ``of_empty`` also checks an empty conversation.
    """

    id: str
    severity: Severity
    words: str
    check: Check
    repairs: tuple[RepairKind, ...] = ()
    profiles: tuple[str, ...] = PROFILES
    sort_first: bool = False
    of_empty: bool = False

    @property
    def why(self) -> str:
        """Return why a provider refuses or minds a violation, in one sentence."""
        return self.check.__doc__ or ""

    def findings(self, projection: Projection) -> list[Finding]:
        return [
            Finding(
                self.id,
                severity or self.severity,
                None if position is None else projection.raws[position],
                position,
                message,
                self.repairs if repairs is None else repairs,
            )
            for position, message, severity, repairs in self.check(projection)
        ]


RULES: list[Rule] = []
"""Every rule, in the order in which rules are listed."""

PARALLEL = 2
DROP: tuple[RepairKind, ...] = ("drop",)
WARNING: Severity = "warning"
TRAINED = ("system", "developer", "user", "assistant", "tool", "function")
"""The roles that a fine-tuning file may name."""
WRITTEN_AS = "openai"
"""The format of such a file; its name is the key under which metadata has the role in the file."""


def rule(id: str, severity: Severity, words: str, **options: Any) -> Callable[[Check], Check]:
    """Add a check to the rules; its docstring says why a provider minds."""

    def add(check: Check) -> Check:
        RULES.append(Rule(id, severity, words, check, **options))
        return check

    return add


def profile_rules(profile: str) -> tuple[Rule, ...]:
    """Return the rules of a profile, or refuse one that is unknown."""
    known = read_choice(profile, "profile", PROFILES)
    return tuple(one for one in RULES if known in one.profiles)


def rule_named(id: str) -> Rule:
    """Return the rule with an id, or refuse one that is unknown."""
    known = {one.id: one for one in RULES}
    return known[read_choice(id, "rule", tuple(known))]


@rule("G1", "error", "orphaned result", repairs=("drop", "restore"))
def orphaned_result(p: Projection) -> Iterator[Violation]:
    """Providers pair every result with the call before it, by its id."""
    for position, call in p.pairing.orphans:
        if call is None:
            severity = None if p.pairing.sites else WARNING
            yield Violation(position, "This tool message names no call.", severity, DROP)
        else:
            sentence = f"This result has no call {format_value(call)} before it."
            yield Violation(position, sentence, repairs=None if call in p.known_calls else DROP)


@rule("G2", "error", "call without result", repairs=("drop", "stub"))
def unanswered_call(p: Projection) -> Iterator[Violation]:
    """A model that has called a tool is sent the result before anything else."""
    for site in p.pairing.unsound:
        for call in site.missing():
            if site.waits(p.size):
                sentence = f"Call {format_value(call)} is waiting for a result."
                yield Violation(site.position, sentence, WARNING)
            else:
                yield Violation(site.position, f"Call {format_value(call)} has no result.")


@rule("G3", "error", "displaced result", repairs=("drop",))
def displaced_result(p: Projection) -> Iterator[Violation]:
    """Results come right after the message that called, with nothing in between."""
    for site in p.pairing.unsound:
        for call, position in site.displaced:
            sentence = (
                f"This result of {format_value(call)} does not come right after its call "
                f"at position {site.position}."
            )
            yield Violation(position, sentence)


@rule("G4", "error", "parallel calls split", repairs=("drop",))
def split_parallel_calls(p: Projection) -> Iterator[Violation]:
    """All calls of one message are answered together, in the block right after it."""
    for site in p.pairing.unsound:
        if len(site.calls) < PARALLEL or site.is_complete():
            continue
        inside = {id for id, _ in site.in_block}
        count = sum(call in inside for call in site.calls)
        sentence = f"{count} of {len(site.calls)} parallel calls have their result right after."
        if site.waits(p.size):
            yield Violation(site.position, f"Waiting: {sentence}", WARNING)
        else:
            yield Violation(site.position, sentence)


@rule("G5", "warning", "id used twice")
def repeated_id(p: Projection) -> Iterator[Violation]:
    """An id names one call and one result; used twice, it is ambiguous."""
    for position, call, is_call in p.pairing.repeats:
        what = "call id is used" if is_call else "call has its result"
        yield Violation(position, f"This {what} twice: {format_value(call)}.")


@rule("G6", "error", "nothing to send")
def nothing_to_send(p: Projection) -> Iterator[Violation]:
    """A request needs at least one message that is not the system's."""
    if not p.size:
        yield Violation(None, "Nothing is visible.")
    elif not p.conversation:
        yield Violation(None, "Only system messages are visible.")


@rule("G7", "warning", "odd tool input")
def odd_input(p: Projection) -> Iterator[Violation]:
    """The input of a call is a JSON object; some providers refuse anything else."""
    for position in p.positions(NON_OBJECT_INPUT):
        yield Violation(position, "The input of a call is not a JSON object.")


@rule("G8", "warning", "empty text")
def empty_text(p: Projection) -> Iterator[Violation]:
    """Some providers refuse a text without a character in it."""
    for position in p.positions(EMPTY_TEXT):
        yield Violation(position, "A text of this message is empty.")


@rule("O1", "warning", "empty message", profiles=("openai",))
def says_nothing(p: Projection) -> Iterator[Violation]:
    """A message has content or calls a tool; some routes refuse one that does neither."""
    for position in p.positions(EMPTY_MESSAGE):
        yield Violation(position, "No content and no call.")


@rule("A1", "warning", "late system message", profiles=("anthropic",))
def late_system(p: Projection) -> Iterator[Violation]:
    """There is one system prompt, above the conversation: later ones move there."""
    first = next(iter(p.of_role("user")), p.size)
    for position in p.of_role("system"):
        if position > first:
            sentence = "A system message after the first user message is lifted to the top."
            yield Violation(position, sentence)


@rule("A2", "error", "user not first", profiles=("anthropic",))
def user_not_first(p: Projection) -> Iterator[Violation]:
    """A conversation begins with the user."""
    if p.conversation and p.role(p.conversation[0]) != "user":
        first = p.conversation[0]
        if _is_compaction(p.log[p.raws[first]]):
            return
        sentence = f"The first message is the {p.role(first)}'s; it must be the user's."
        yield Violation(first, sentence)


def _is_compaction(message: Message) -> bool:
    """Return whether a message begins with what a provider made of those before it."""
    first = message.parts[0]
    return isinstance(first, DataPart) and first.data.get("type") == "compaction"


@rule("A3", "error", "late result", repairs=("drop",), profiles=("anthropic",))
def late_result(p: Projection) -> Iterator[Violation]:
    """Results come first in the very next message after their call."""
    for site in p.pairing.sites:
        for _, position in site.displaced:
            sentence = f"The result of position {site.position} is not in the next message."
            yield Violation(position, sentence)
        for position in dict.fromkeys(position for _, position in site.in_block):
            if p.flags[position] & LATE_RESULT and position != site.position:
                yield Violation(position, "A result is not first in its message.", repairs=())


@rule("A4", "error", "empty content", profiles=("anthropic",))
def empty_content(p: Projection) -> Iterator[Violation]:
    """Only a final message of the assistant may be empty."""
    for position in p.positions(EMPTY_MESSAGE):
        if position != p.size - 1 or p.role(position) != "assistant":
            yield Violation(position, "This message is empty.")


@rule("A6", "warning", "assistant is last", profiles=("anthropic",))
def assistant_last(p: Projection) -> Iterator[Violation]:
    """Not every model continues a message of its own."""
    if p.conversation and p.role(p.conversation[-1]) == "assistant":
        last = p.conversation[-1]
        yield Violation(last, "The last message is the assistant's.")


@rule("A7", "error", "ends in white space", profiles=("anthropic",))
def trailing_white_space(p: Projection) -> Iterator[Violation]:
    """A final text that is to be continued may not end in white space."""
    if p.size and p.role(p.size - 1) == "assistant":
        last = p.log[p.raws[-1]].parts[-1]
        if isinstance(last, TextPart) and last.text != last.text.rstrip():
            yield Violation(p.size - 1, "The final text ends in white space.")


@rule("A8", "warning", "thinking removed", profiles=("anthropic",))
def misplaced_thinking(p: Projection) -> Iterator[Violation]:
    """The thinking of a tool loop is sent with it, unchanged and first in its message."""
    asked = [at for at in p.of_role("user") if not p.is_result(at)]
    start = asked[-1] + 1 if asked else 0
    loop = [at for at in p.of_role("assistant") if at >= start]
    thinking = [at for at in loop if p.flags[at] & THINKING]
    for at in thinking:
        if not isinstance(p.log[p.raws[at]].parts[0], ThinkingPart):
            yield Violation(at, "Thinking is not first in its message.")
    calling = [at for at in loop if p.is_call(at)]
    if thinking and calling and thinking[0] > calling[0]:
        sentence = "The thinking before this call was removed."
        yield Violation(calling[0], sentence)


@rule("M1", "error", "call out of turn", profiles=("gemini",))
def call_out_of_turn(p: Projection) -> Iterator[Violation]:
    """A call comes right after a turn of the user or after results."""
    turns = p.conversation
    for site in p.pairing.sites:
        before = turns[bisect_left(turns, site.position) - 1] if site.position != turns[0] else -1
        if before < 0 or not (p.role(before) == "user" or p.is_result(before)):
            sentence = "A call must follow a user or result turn."
            yield Violation(site.position, sentence)


@rule("M3", "error", "calls without results", profiles=("gemini",))
def uneven_results(p: Projection) -> Iterator[Violation]:
    """A turn of calls is followed by exactly as many results."""
    for site in p.pairing.sites:
        if len(site.in_block) != len(site.calls) and not site.waits(p.size):
            sentence = f"Calls: {len(site.calls)}; results right after: {len(site.in_block)}."
            yield Violation(site.position, sentence)


@rule("M4", "error", "model is last", profiles=("gemini",))
def model_last(p: Projection) -> Iterator[Violation]:
    """The last turn is the user's or a result: something to answer."""
    if p.conversation and p.role(p.conversation[-1]) == "assistant":
        yield Violation(p.conversation[-1], "The last turn is the model's.")


@rule("T1", "error", "system not first", profiles=("strict-template",))
def system_not_first(p: Projection) -> Iterator[Violation]:
    """Chat templates of open models know one system message, at the start."""
    for position in p.of_role("system"):
        if position:
            sentence = "Only one system message is allowed, at the start."
            yield Violation(position, sentence)


@rule("T2", "error", "roles don't alternate", profiles=("strict-template",))
def same_role_twice(p: Projection) -> Iterator[Violation]:
    """Chat templates of open models want user and assistant to take turns."""
    before = ""
    for position in p.conversation:
        role = p.role(position)
        if role == "tool" or p.is_call(position) or p.is_result(position):
            continue
        if role == before:
            yield Violation(position, f"Two {role} messages in a row.")
        before = role


@rule("T3", "error", "assistant first", profiles=("strict-template",))
def assistant_first(p: Projection) -> Iterator[Violation]:
    """Chat templates of open models want the user to begin."""
    if p.conversation and p.role(p.conversation[0]) == "assistant":
        first = p.conversation[0]
        yield Violation(first, "The first message is the assistant's.")


@rule("F1", "error", "no assistant", profiles=("fine-tuning",), of_empty=True)
def no_assistant(p: Projection) -> Iterator[Violation]:
    """Only what the assistant says is learned from."""
    if not p.of_role("assistant"):
        yield Violation(None, "No assistant message is visible.")


@rule("F2", "error", "empty assistant", profiles=("fine-tuning",))
def empty_assistant(p: Projection) -> Iterator[Violation]:
    """An empty answer teaches to say nothing."""
    for position in p.positions(EMPTY_MESSAGE):
        if p.role(position) == "assistant":
            yield Violation(position, "This assistant message is empty.")


@rule("F3", "warning", "assistant not last", profiles=("fine-tuning",))
def assistant_not_last(p: Projection) -> Iterator[Violation]:
    """What follows the last answer is not learned from."""
    if p.size and p.role(p.size - 1) != "assistant":
        yield Violation(p.size - 1, "The last message is not the assistant's.")


@rule("F4", "error", "unknown role", profiles=("fine-tuning",))
def unknown_role(p: Projection) -> Iterator[Violation]:
    """A message of any other role is written with that role again, and the file is refused."""
    for position, raw in enumerate(p.raws):
        metadata = p.log[raw].metadata
        noted = metadata and metadata.get(WRITTEN_AS)
        role = noted.get("role") if isinstance(noted, Mapping) else None
        if isinstance(role, str) and role not in TRAINED:
            yield Violation(position, f"No trainer knows the role {format_value(role)}.")


@rule("G9", "warning", "over the limit", sort_first=True)
def over_limit(p: Projection) -> Iterator[Violation]:
    """More than the model takes is refused, or cut off silently."""
    if p.limit is not None and p.tokens > p.limit:
        yield Violation(None, f"{p.tokens:,} tokens are above the limit of {p.limit:,}.")
