"""A change: what was visible, what was sent, and the steps that lead from one to the other."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, NamedTuple

from ..engine.messages import Message, TextPart, ToolResultPart
from ..engine.operations import (
    Append,
    Compress,
    Delete,
    Insert,
    Operation,
    Redact,
    Replace,
    Select,
    Truncate,
)
from ..errors import format_value
from .bodies import Sent, key_of, names_without_ids, other_names, renamed
from .cache import counted, raws
from .memory import Memory
from .similarity import ALIKE_SHARE, How, Match, has_shrunk, longest_rise, matched

Certainty = Literal["proven", "likely"]


class Step(NamedTuple):
    """An operation, one sentence that says why it is this one, and how sure that is."""

    operation: Operation
    reason: str
    certainty: Certainty


@dataclass(frozen=True, slots=True)
class Change:
    """What was visible, what was sent, and what is known of the two.

    ``raws`` are those of the old messages. ``proofs`` say of new messages by which answer they are
    known to be a summary; ``copies`` which hidden message they are; ``fresh`` gives a new message
    as it goes into the log. From ``fence`` on all is new.
    """

    raws: Sequence[int]
    old: Sequence[Sent]
    new: Sequence[Sent]
    matches: Sequence[Match]
    fresh: Callable[[int], Message]
    proofs: Mapping[int, str] = field(default_factory=dict)
    copies: Mapping[int, int] = field(default_factory=dict)
    fence: int | None = None

    def raws_of(self, places: Sequence[int]) -> list[int]:
        """Return the raw indices of old messages."""
        return [self.raws[place] for place in places]


PLACEHOLDER = re.compile(r"\s*(?:\[.*\]|<.*>|\(.*\)|\{.*\}|\*.*\*)\s*", re.DOTALL)
"""What stands for something that was said: results may be replaced by any text, others not."""
SAID = {
    How.BY_ID: "another content, for the same calls",
    How.VOLATILE: "only times, ids or numbers differ",
    How.GREW: "something was added behind it",
    How.SHRANK: "some of its parts went",
    How.ALIKE: "it was written anew",
}


def rewritten(change: Change) -> Iterator[Step]:
    """Yield a step for each text that took the place of others, and for each new content."""
    texts: dict[str, list[Match]] = {}
    others: list[Match] = []
    for match in change.matches:
        if match.how is How.SAME:
            continue
        text = redaction(change.old[match.old].message, change.new[match.new])
        if text is None:
            others.append(match)
        else:
            texts.setdefault(text, []).append(match)
    for text, some in texts.items():
        named = change.raws_of([match.old for match in some])
        said = f"{raws(named)} {'reads' if len(named) == 1 else 'read'} {format_value(text)} now"
        yield Step(Redact(indices=named, text=text), said, _certainty(some))
    for run in _runs(others):
        named = change.raws_of([match.old for match in run])
        said = f"{raws(named)}: {_said(change, run[0])}"
        news = [change.fresh(match.new) for match in run]
        yield Step(Replace(indices=named, messages=news), said, _certainty(run))


def _said(change: Change, match: Match) -> str:
    """Return what became of a message."""
    if match.how is How.BY_ID and has_shrunk(change.old[match.old], change.new[match.new]):
        return "some of its calls or results went"
    return SAID[match.how]


def redaction(old: Message, new: Sent) -> str | None:
    """Return the text that took the place of a message's own, if that is all that happened."""
    text = _text_of(new.message)
    if not text or len(text) >= len(old.search_text):
        return None
    if not old.results and not PLACEHOLDER.fullmatch(text):
        return None
    words, before = set(text.split()), set(old.search_text.split())
    if len(words & before) >= ALIKE_SHARE * len(words):
        return None
    return text if key_of(old.redacted(text)) == new.key else None


def _text_of(message: Message) -> str:
    """Return the text of a message's first result, or of its first text."""
    for part in message.parts:
        match part:
            case ToolResultPart(content=str(text)) | TextPart(text):
                return text
            case ToolResultPart(content=(TextPart(text),)):
                return text
    return ""


def _certainty(matches: Sequence[Match]) -> Certainty:
    return "proven" if all(match.how is How.BY_ID for match in matches) else "likely"


def _runs(matches: Sequence[Match]) -> Iterator[list[Match]]:
    """Yield matches that follow each other in both orders together: one REPLACE does for them."""
    run: list[Match] = []
    for match in matches:
        if run and (run[-1].old + 1, run[-1].new + 1, run[-1].how) != tuple(match):
            yield run
            run = []
        run.append(match)
    if run:
        yield run


FEWEST_COMPRESSED = 2
"""So many must have gone for one message to be likely what became of them."""


class Gap(NamedTuple):
    """What went and what came between two messages that stayed; an open one ends the request."""

    gone: list[int]
    came: list[int]
    is_open: bool


def explained(change: Change) -> list[Step]:
    """Return the steps that explain a change, in the order they are done."""
    order = [(match.old, match.new) for match in change.matches]
    stayed = longest_rise(order)
    placed = {match.new for match in change.matches}
    steps: list[Step] = []
    if len(stayed) < len(order):
        steps.append(_reordered(change, order, len(order) - len(stayed)))
    else:
        gone, put = [], []
        for gap in _gaps(change):
            step = _put_in_place(change, gap, placed)
            if step is None:
                gone += gap.gone
            else:
                put.append(step)
        steps += [*([_removed(change, gone)] if gone else []), *put]
    return [*steps, *rewritten(change), *_added(change, placed)]


def _gaps(change: Change) -> Iterator[Gap]:
    edges = [(match.old, match.new) for match in change.matches]
    fence = len(change.new) if change.fence is None else change.fence
    ends = [(-1, -1), *edges, (len(change.old), fence)]
    for number, ((a, b), (a_end, b_end)) in enumerate(pairwise(ends)):
        if a_end - a == 1 == b_end - b:
            continue
        is_open = number == len(edges) and change.fence is None
        yield Gap(list(range(a + 1, a_end)), list(range(b + 1, b_end)), is_open)


def _reordered(change: Change, order: list[tuple[int, int]], moved: int) -> Step:
    kept = change.raws_of([old for old, _ in order])
    went = len(change.old) - len(kept)
    said = f"{counted(moved)} of those that stayed stand elsewhere now"
    also = f", and {counted(went)} went" if went else ""
    return Step(Select(indices=kept), said + also, "likely")


def _put_in_place(change: Change, gap: Gap, placed: set[int]) -> Step | None:
    """Return the step that puts what came in the place of what went, if it is one."""
    gone = change.raws_of(gap.gone)
    proven = next((place for place in gap.came if place in change.proofs), None)
    if not gone or (proven is None and (gap.is_open or not gap.came)):
        return None
    if proven is not None:
        placed.add(proven)
        summary = Compress(indices=gone, summary=change.fresh(proven))
        return Step(summary, f"{raws(gone)} became one message, {change.proofs[proven]}", "proven")
    placed.update(gap.came)
    text = _placeholder(change, gap)
    if text is not None:
        said = f"{raws(gone)} {'reads' if len(gone) == 1 else 'read'} {format_value(text)} now"
        return Step(Redact(indices=gone, text=text), said, "likely")
    news = [change.fresh(place) for place in gap.came]
    if len(gone) >= FEWEST_COMPRESSED and len(news) == 1 and _may_sum_up(news[0]):
        said = f"{raws(gone)} went, and one message stands in their place"
        return Step(Compress(indices=gone, summary=news[0]), said, "likely")
    said = (
        f"{counted(len(news))} {'stands' if len(news) == 1 else 'stand'} in place of {raws(gone)}"
    )
    return Step(Replace(indices=gone, messages=news), said, "likely")


def _placeholder(change: Change, gap: Gap) -> str | None:
    """Return the one text that took the place of each message, if that is all that happened."""
    if len(gap.gone) != len(gap.came):
        return None
    pairs = zip(gap.gone, gap.came, strict=True)
    texts = {redaction(change.old[was].message, change.new[now]) for was, now in pairs}
    return texts.pop() if len(texts) == 1 else None


def _may_sum_up(message: Message) -> bool:
    return message.role != "tool" and not message.calls and not message.results


def _removed(change: Change, gone: list[int]) -> Step:
    """Return the step that hides what went: a cut at an end where it is one."""
    size, count = len(change.old), len(gone)
    others = [at for at in range(size) if change.old[at].message.role != "system"]
    named, some = raws(change.raws_of(gone)), "message" if count == 1 else counted(count)
    if count == size:
        return Step(Truncate(remove_first=count), f"nothing of {named} was sent again", "likely")
    if gone == list(range(count)):
        said = f"the oldest {some} went ({named}); those behind are the same"
        return Step(Truncate(remove_first=count), said, "likely")
    if gone == others[:count]:
        said = f"the oldest {some} went ({named}), the system's aside"
        return Step(Truncate(remove_first=count, keep_system=True), said, "likely")
    if gone == list(range(size - count, size)):
        said = f"the newest {some} went ({named}); those before are the same"
        return Step(Truncate(remove_last=count), said, "likely")
    return Step(Delete(indices=change.raws_of(gone)), f"{named} went", "likely")


def _added(change: Change, placed: set[int]) -> Iterator[Step]:
    """Yield what puts all that is not yet in its place there, from the front to the end."""
    size = len(change.new)
    start = 0
    while start < size:
        end = start
        while end < size and end not in placed:
            end += 1
        if end > start:
            news = [change.fresh(place) for place in range(start, end)]
            back = [change.copies[at] for at in range(start, end) if at in change.copies]
            said = _arrival(len(news), back, is_answer=start == change.fence)
            if end == size:
                yield Step(Append(messages=news), said, "likely" if back else "proven")
            else:
                yield Step(Insert(position=start, messages=news), said, "likely")
        start = end + 1


def _arrival(count: int, back: list[int], *, is_answer: bool) -> str:
    if is_answer:
        return f"the answer and {counted(count - 1)} came" if count > 1 else "the answer came"
    if not back:
        return f"{counted(count)} came"
    came = f"{counted(count - len(back))} came, and " if count > len(back) else ""
    return f"{came}{raws(back)} came back, as {'a copy' if len(back) == 1 else 'copies'}"


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
    """Return the messages that a thread begins with."""
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
