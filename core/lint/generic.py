"""The rules about messages that every provider shares."""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import shown
from ..messages.facts import EMPTY_TEXT, ODD_INPUT
from .findings import Policy, Severity
from .projection import Projection
from .rule import Breach, Rule

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
            sentence = f"This result has no call {shown(call)} before it."
            yield Breach(position, sentence, repairs=None if call in p.known_calls else DROP)


def unanswered_call(p: Projection) -> Iterator[Breach]:
    """A call without a result; one that may still come is no error."""
    for site in p.unsound:
        for call in site.missing():
            if site.waits(p.size):
                sentence = f"Call {shown(call)} is waiting for a result."
                yield Breach(site.position, sentence, WARNING)
            else:
                yield Breach(site.position, f"Call {shown(call)} has no result.")


def displaced_result(p: Projection) -> Iterator[Breach]:
    """A result that is not adjacent to its call."""
    for site in p.unsound:
        for call, position in site.displaced:
            sentence = (
                f"This result of {shown(call)} does not stand right after its call "
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
        yield Breach(position, f"This {what} twice: {shown(call)}.")


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


RULES = (
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
