"""The rules every provider shares: G1 to G9."""

from __future__ import annotations

from collections.abc import Iterator

from core.errors import shown
from core.lint.findings import Finding, Policy
from core.lint.projection import Projection
from core.messages.facts import EMPTY_TEXT, ODD_INPUT

PARALLEL = 2


def g1(p: Projection) -> Iterator[Finding]:
    """A result whose call does not stand before it."""
    for position, call in p.pairing.orphans:
        if call is None:
            severity = "error" if p.pairing.sites else "warning"
            yield p.finding("G1", severity, position, "This tool message names no call.", ("drop",))  # type: ignore[arg-type]
        else:
            sentence = f"This result has no call {shown(call)} before it."
            repairs: tuple[Policy, ...] = ("drop",)
            if call in p.known_calls:
                repairs = ("drop", "restore")
            yield p.finding("G1", "error", position, sentence, repairs)


def g2(p: Projection) -> Iterator[Finding]:
    """A call without a result."""
    for site in p.unsound:
        for call in site.missing():
            if site.waits(p.size):
                sentence = f"Call {shown(call)} is waiting for a result."
                yield p.finding("G2", "warning", site.position, sentence, ("drop", "stub"))
            else:
                sentence = f"Call {shown(call)} has no result."
                yield p.finding("G2", "error", site.position, sentence, ("drop", "stub"))


def g3(p: Projection) -> Iterator[Finding]:
    """A result that is not adjacent to its call."""
    for site in p.unsound:
        for call, position in site.displaced:
            sentence = (
                f"This result of {shown(call)} does not stand right after its call "
                f"at position {site.position}."
            )
            yield p.finding("G3", "error", position, sentence, ("drop",))


def g4(p: Projection) -> Iterator[Finding]:
    """Parallel calls of which not all have their result in the block right after."""
    for site in p.unsound:
        if len(site.calls) < PARALLEL or site.is_complete():
            continue
        inside = {id for id, _ in site.in_block}
        count = sum(call in inside for call in site.calls)
        sentence = f"{count} of {len(site.calls)} parallel calls have their result right after."
        if site.waits(p.size):
            yield p.finding("G4", "warning", site.position, f"Waiting: {sentence}", ("drop",))
        else:
            yield p.finding("G4", "error", site.position, sentence, ("drop",))


def g5(p: Projection) -> Iterator[Finding]:
    """An id that is used twice."""
    for position, call, is_call in p.pairing.repeats:
        what = "call id is used" if is_call else "call has its result"
        yield p.finding("G5", "warning", position, f"This {what} twice: {shown(call)}.")


def g6(p: Projection) -> Iterator[Finding]:
    """Nothing to send."""
    if not p.size:
        yield p.finding("G6", "error", None, "Nothing is visible.")
    elif not p.conversation:
        yield p.finding("G6", "error", None, "Only system messages are visible.")


def g7(p: Projection) -> Iterator[Finding]:
    """Tool input that is not an object."""
    for position in p.positions(ODD_INPUT):
        yield p.finding("G7", "warning", position, "The input of a call is not a JSON object.")


def g8(p: Projection) -> Iterator[Finding]:
    """Empty text."""
    for position in p.positions(EMPTY_TEXT):
        yield p.finding("G8", "warning", position, "A text of this message is empty.")


PAIR_RULES = (g1, g2, g3, g4)
RULES = (*PAIR_RULES, g5, g6, g7, g8)
