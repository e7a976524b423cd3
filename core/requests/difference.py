"""The difference between a request and everything its lane ever held, as steps that explain it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..messages.message import Message
from ..operations import Append, Truncate
from .asked import Sent
from .change import Change, Step
from .explaining import explained
from .ids import names_without_ids, other_names, renamed
from .likeness import How
from .matching import matched
from .memory import Memory
from .wording import counted

COPIED_FROM = "copiedFrom"
Proofs = Mapping[int, str]


class Plan(NamedTuple):
    """Steps that lead from some visible messages to a request, and which hidden ones it copies."""

    steps: list[Step]
    copies: Mapping[int, int]


def difference(
    memory: Memory, sent: Sequence[Sent], answer: Sequence[Sent], proofs: Proofs
) -> list[Step]:
    """Return the steps after which exactly a request is visible.

    ``answer`` is what came back last: where it stands in the request, all that follows is new.
    ``proofs`` say of messages by which answer they are known to be a summary.
    """
    if memory.shared(sent) == len(memory.raws):
        return _grown(memory, sent, answer)
    here = _plan(memory, memory.raws, sent, answer, proofs)
    earlier = memory.earlier(sent) if here.copies else None
    if earlier is None:
        return here.steps
    there = _plan(memory, earlier.raws, sent, answer, proofs)
    if len(there.copies) >= len(here.copies):
        return here.steps
    said = f"{counted(len(earlier.raws))} that had been sent before came back as they were"
    return [Step(memory.way_to(earlier.revision), said, "likely"), *there.steps]


def wholesale(memory: Memory, sent: Sequence[Sent]) -> list[Step]:
    """Return the steps that need no explanation: everything goes, everything comes."""
    size, said = len(memory.raws), "it could not be explained in any other way"
    gone = [Step(Truncate(remove_first=size), said, "likely")] if size else []
    messages = [one.message for one in sent]
    return [*gone, *([Step(Append(messages=messages), said, "likely")] if sent else [])]


def first_messages(memory: Memory, sent: Sequence[Sent]) -> list[Message]:
    """Return the messages that a lane begins with."""
    names = names_without_ids(sent, lambda _: None, memory.make_id)
    return [renamed(one.message, names) for one in sent]


def _grown(memory: Memory, sent: Sequence[Sent], answer: Sequence[Sent]) -> list[Step]:
    """Return the one step of a request that only goes on, which nearly all do."""
    known = len(memory.raws)
    news = sent[known:]
    if not news:
        return []
    names = _names(memory, sent, dict(enumerate(memory.raws)))
    messages = [renamed(one.message, names) for one in news]
    rest = len(news) - len(answer)
    said = f"{counted(len(news))} came"
    if answer and news[0].key == answer[0].key and rest >= 0:
        said = "the answer came" if not rest else f"the answer and {counted(rest)} came"
    return [Step(Append(messages=messages), f"{said}; all before is the same", "proven")]


def _plan(
    memory: Memory,
    raws: Sequence[int],
    sent: Sequence[Sent],
    answer: Sequence[Sent],
    proofs: Proofs,
) -> Plan:
    """Return what leads to a request from where some messages are visible."""
    old = memory.seen(raws)
    fence = _fence(old, sent, answer)
    summaries = {place for place, raw in enumerate(raws) if raw in memory.summaries}
    matches = matched(old, sent, fence=fence, apart=(summaries, set(proofs)))
    places = {match.new: raws[match.old] for match in matches}
    for match in matches:
        if match.how is How.SAME and old[match.old].key != sent[match.new].key:
            logged = memory.message(raws[match.old])
            memory.names |= other_names(sent[match.new].message, logged)
    names = _names(memory, sent, places)
    copies = _copies(memory, sent, places, len(sent) if fence is None else fence)

    def fresh(place: int) -> Message:
        message = renamed(sent[place].message, names)
        return message.noted(**{COPIED_FROM: copies[place]}) if place in copies else message

    change = Change(raws, old, sent, matches, fresh, proofs, copies, fence)
    return Plan(explained(change), copies)


def _names(memory: Memory, sent: Sequence[Sent], places: Mapping[int, int]) -> dict[str, str]:
    """Return under which ids the log has the calls of a request."""
    if not any(one.has_made_ids for one in sent):
        return memory.names

    def logged(place: int) -> Message | None:
        return memory.message(places[place]) if place in places else None

    return names_without_ids(sent, logged, memory.make_id)


def _fence(old: Sequence[Sent], sent: Sequence[Sent], answer: Sequence[Sent]) -> int | None:
    """Return where the last answer stands in a request, from where on all is new.

    If something like it was said before, it has to stand there once more.
    """
    if not answer:
        return None
    first = answer[0]
    for same in (lambda one: one.key == first.key, lambda one: bool(first.ids & one.ids)):
        places = [
            place for place, one in enumerate(sent) if one.message.role == "assistant" and same(one)
        ]
        if places:
            known = sum(one.message.role == "assistant" and same(one) for one in old)
            return places[-1] if len(places) > known else None
    return None


def _copies(
    memory: Memory, sent: Sequence[Sent], places: Mapping[int, int], stop: int
) -> dict[int, int]:
    """Return which new messages are copies of hidden ones.

    Behind all that stayed, a message may just happen to say the same as another; there it must be
    of the same calls, or come with its neighbour.
    """
    visible = set(places.values())
    last = max(places, default=-1)
    found: dict[int, int] = {}
    for place, one in enumerate(sent[:stop]):
        if place in places:
            continue
        hidden = memory.hidden(one.key, visible)
        if hidden:
            found[place] = hidden[-1]
            visible.add(hidden[-1])
    return {
        place: raw
        for place, raw in found.items()
        if place < last
        or sent[place].ids
        or found.get(place - 1) == raw - 1
        or found.get(place + 1) == raw + 1
    }
