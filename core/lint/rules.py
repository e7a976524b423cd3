"""A lint rule as data: what is wrong, how bad it is, which repairs help, whose rule it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ..engine.messages import EMPTY_TEXT, ODD_INPUT, VOID
from ..engine.settings import PROFILES
from ..errors import format_value
from .projection import Finding, Policy, Projection, Severity


class Breach(NamedTuple):
    """A place where a rule is broken, in one sentence; no position means the whole projection.

    ``severity`` and ``repairs`` are given only where the rule is milder or allows less than usual.
    """

    position: int | None
    message: str
    severity: Severity | None = None
    repairs: tuple[Policy, ...] | None = None


Check = Callable[[Projection], Iterator[Breach]]
"""Yields every place of a projection where a rule is broken."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: its id, how bad a breach is, what is wrong in a few words, and the check.

    ``repairs`` are all that can ever apply. The findings of a rule that ``leads`` stand before
    those of others about the same place.
    """

    id: str
    severity: Severity
    words: str
    check: Check
    repairs: tuple[Policy, ...] = ()
    profiles: tuple[str, ...] = PROFILES
    leads: bool = False
    of_empty: bool = False
    """Whether a conversation in which nothing was ever said breaks it, too."""
    why: str = ""
    """Why a provider minds, in one sentence."""

    def findings(self, projection: Projection) -> list[Finding]:
        """Return a finding for every breach in a projection."""
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


PARALLEL = 2
DROP: tuple[Policy, ...] = ("drop",)
WARNING: Severity = "warning"


def orphaned_result(p: Projection) -> Iterator[Breach]:
    """A result whose call does not stand before it; only calls that were made can be restored."""
    for position, call in p.pairing.orphans:
        if call is None:
            severity = None if p.pairing.sites else WARNING
            yield Breach(position, "This tool message names no call.", severity, DROP)
        else:
            sentence = f"This result has no call {format_value(call)} before it."
            yield Breach(position, sentence, repairs=None if call in p.known_calls else DROP)


def unanswered_call(p: Projection) -> Iterator[Breach]:
    """A call without a result; one that may still come is no error."""
    for site in p.unsound:
        for call in site.missing():
            if site.waits(p.size):
                sentence = f"Call {format_value(call)} is waiting for a result."
                yield Breach(site.position, sentence, WARNING)
            else:
                yield Breach(site.position, f"Call {format_value(call)} has no result.")


def displaced_result(p: Projection) -> Iterator[Breach]:
    """A result that is not adjacent to its call."""
    for site in p.unsound:
        for call, position in site.displaced:
            sentence = (
                f"This result of {format_value(call)} does not stand right after its call "
                f"at position {site.position}."
            )
            yield Breach(position, sentence)


def split_parallel_calls(p: Projection) -> Iterator[Breach]:
    """Parallel calls of which not all have their result in the block right after."""
    for site in p.unsound:
        if len(site.calls) < PARALLEL or site.is_complete():
            continue
        inside = {id for id, _ in site.in_block}
        count = sum(call in inside for call in site.calls)
        sentence = f"{count} of {len(site.calls)} parallel calls have their result right after."
        if site.waits(p.size):
            yield Breach(site.position, f"Waiting: {sentence}", WARNING)
        else:
            yield Breach(site.position, sentence)


def repeated_id(p: Projection) -> Iterator[Breach]:
    """An id that is used twice."""
    for position, call, is_call in p.pairing.repeats:
        what = "call id is used" if is_call else "call has its result"
        yield Breach(position, f"This {what} twice: {format_value(call)}.")


def nothing_to_send(p: Projection) -> Iterator[Breach]:
    """Nothing to send."""
    if not p.size:
        yield Breach(None, "Nothing is visible.")
    elif not p.conversation:
        yield Breach(None, "Only system messages are visible.")


def odd_input(p: Projection) -> Iterator[Breach]:
    """Tool input that is not an object."""
    for position in p.positions(ODD_INPUT):
        yield Breach(position, "The input of a call is not a JSON object.")


def empty_text(p: Projection) -> Iterator[Breach]:
    """Empty text."""
    for position in p.positions(EMPTY_TEXT):
        yield Breach(position, "A text of this message is empty.")


GENERIC_RULES = (
    Rule(
        "G1",
        "error",
        "orphaned result",
        orphaned_result,
        ("drop", "restore"),
        why="Providers pair every result with the call before it, by its id.",
    ),
    Rule(
        "G2",
        "error",
        "call without result",
        unanswered_call,
        ("drop", "stub"),
        why="A model that has called a tool is sent the result before anything else.",
    ),
    Rule(
        "G3",
        "error",
        "displaced result",
        displaced_result,
        ("drop",),
        why="Results stand right after the message that called; nothing else may come between.",
    ),
    Rule(
        "G4",
        "error",
        "parallel calls split",
        split_parallel_calls,
        ("drop",),
        why="All calls of one message are answered together, in the block right after it.",
    ),
    Rule(
        "G5",
        "warning",
        "id used twice",
        repeated_id,
        why="An id stands for one call and one result; used twice, nobody can tell which is meant.",
    ),
    Rule(
        "G6",
        "error",
        "nothing to send",
        nothing_to_send,
        why="A request needs at least one message that is not the system's.",
    ),
    Rule(
        "G7",
        "warning",
        "odd tool input",
        odd_input,
        why="The input of a call is a JSON object; some providers refuse anything else.",
    ),
    Rule(
        "G8",
        "warning",
        "empty text",
        empty_text,
        why="Some providers refuse a text without a character in it.",
    ),
)


def over_limit(p: Projection) -> Iterator[Breach]:
    """More tokens than the model takes."""
    if p.limit is not None and p.tokens > p.limit:
        yield Breach(None, f"{p.tokens:,} tokens are above the limit of {p.limit:,}.")


LIMIT_RULES = (
    Rule(
        "G9",
        "warning",
        "over the limit",
        over_limit,
        leads=True,
        why="More than the model takes is refused, or cut off without a word.",
    ),
)

TRAINED = ("system", "developer", "user", "assistant", "tool", "function")
"""The roles that a fine-tuning file may name."""
WRITTEN_AS = "openai"
"""The format of such a file: under its name messages note the role they were read by."""


def no_assistant(p: Projection) -> Iterator[Breach]:
    """Nothing to learn from."""
    if not p.of_role("assistant"):
        yield Breach(None, "No assistant message is visible.")


def empty_assistant(p: Projection) -> Iterator[Breach]:
    """An empty assistant message without a call."""
    for position in p.positions(VOID):
        if p.role(position) == "assistant":
            yield Breach(position, "This assistant message is empty.")


def assistant_not_last(p: Projection) -> Iterator[Breach]:
    """A sample that does not end with the assistant."""
    if p.size and p.role(p.size - 1) != "assistant":
        yield Breach(p.size - 1, "The last message is not the assistant's.")


def unknown_role(p: Projection) -> Iterator[Breach]:
    """A role that no trainer knows, which stands in the file as it was read."""
    for position, raw in enumerate(p.raws):
        metadata = p.log[raw].metadata
        noted = metadata and metadata.get(WRITTEN_AS)
        role = noted.get("role") if isinstance(noted, Mapping) else None
        if isinstance(role, str) and role not in TRAINED:
            yield Breach(position, f"No trainer knows the role {format_value(role)}.")


TRAINING_RULES = (
    Rule(
        "F1",
        "error",
        "no assistant",
        no_assistant,
        profiles=("fine-tuning",),
        of_empty=True,
        why="Only what the assistant says is learned from.",
    ),
    Rule(
        "F2",
        "error",
        "empty assistant",
        empty_assistant,
        profiles=("fine-tuning",),
        why="An empty answer teaches to say nothing.",
    ),
    Rule(
        "F3",
        "warning",
        "assistant not last",
        assistant_not_last,
        profiles=("fine-tuning",),
        why="What stands behind the last answer is not learned from.",
    ),
    Rule(
        "F4",
        "error",
        "unknown role",
        unknown_role,
        profiles=("fine-tuning",),
        why="A message of any other role is written with it again, and the file is refused.",
    ),
)
