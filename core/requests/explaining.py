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
from .bodies import SentMessage, key_of, names_for_missing_ids, other_names, renamed
from .cache import counted, raws
from .memory import ThreadMemory
from .similarity import SIMILAR_SHARE, MatchKind, MessageMatch, has_shrunk, longest_rise, matched

Certainty = Literal["proven", "likely"]


class ExplainedStep(NamedTuple):
    """An operation, one sentence that says why it is this one, and how sure that is."""

    operation: Operation
    reason: str
    certainty: Certainty


@dataclass(frozen=True, slots=True)
class RequestChange:
    """What was visible, what was sent, and what is known of the two.

    ``raws`` are those of the old messages. ``summary_proofs`` say of new messages by which answer
    they are known to be a summary; ``copies`` which hidden message they are; ``fresh`` gives a new
    message as it is added to the log. From ``answer_at`` on all is new.
    """

    raws: Sequence[int]
    old: Sequence[SentMessage]
    new: Sequence[SentMessage]
    matches: Sequence[MessageMatch]
    fresh: Callable[[int], Message]
    summary_proofs: Mapping[int, str] = field(default_factory=dict)
    copies: Mapping[int, int] = field(default_factory=dict)
    answer_at: int | None = None

    def raws_of(self, places: Sequence[int]) -> list[int]:
        """Return the raw indices of old messages."""
        return [self.raws[place] for place in places]


PLACEHOLDER = re.compile(r"\s*(?:\[.*\]|<.*>|\(.*\)|\{.*\}|\*.*\*)\s*", re.DOTALL)
"""What stands for something that was said: results may be replaced by any text, others not."""
SAID = {
    MatchKind.BY_ID: "another content, for the same calls",
    MatchKind.VOLATILE: "only times, ids or numbers differ",
    MatchKind.GREW: "something was added behind it",
    MatchKind.SHRANK: "some of its parts went",
    MatchKind.SIMILAR: "it was written anew",
}


def rewritten(change: RequestChange) -> Iterator[ExplainedStep]:
    """Yield a step for each text that took the place of others, and for each new content."""
    texts: dict[str, list[MessageMatch]] = {}
    others: list[MessageMatch] = []
    for match in change.matches:
        if match.how is MatchKind.SAME:
            continue
        text = redaction(change.old[match.old].message, change.new[match.new])
        if text is None:
            others.append(match)
        else:
            texts.setdefault(text, []).append(match)
    for text, some in texts.items():
        named = change.raws_of([match.old for match in some])
        said = f"{raws(named)} {'reads' if len(named) == 1 else 'read'} {format_value(text)} now"
        yield ExplainedStep(Redact(indices=named, text=text), said, _certainty(some))
    for run in _runs(others):
        named = change.raws_of([match.old for match in run])
        said = f"{raws(named)}: {_said(change, run[0])}"
        news = [change.fresh(match.new) for match in run]
        yield ExplainedStep(Replace(indices=named, messages=news), said, _certainty(run))


def _said(change: RequestChange, match: MessageMatch) -> str:
    """Return what became of a message."""
    if match.how is MatchKind.BY_ID and has_shrunk(change.old[match.old], change.new[match.new]):
        return "some of its calls or results went"
    return SAID[match.how]


def redaction(old: Message, new: SentMessage) -> str | None:
    """Return the text that took the place of a message's own, if that is all that happened."""
    text = _text_of(new.message)
    if not text or len(text) >= len(old.search_text):
        return None
    if not old.results and not PLACEHOLDER.fullmatch(text):
        return None
    words, before = set(text.split()), set(old.search_text.split())
    if len(words & before) >= SIMILAR_SHARE * len(words):
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


def _certainty(matches: Sequence[MessageMatch]) -> Certainty:
    return "proven" if all(match.how is MatchKind.BY_ID for match in matches) else "likely"


def _runs(matches: Sequence[MessageMatch]) -> Iterator[list[MessageMatch]]:
    """Yield matches that follow each other in both orders together: one REPLACE does for them."""
    run: list[MessageMatch] = []
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


def explained(change: RequestChange) -> list[ExplainedStep]:
    """Return the steps that explain a change, in the order they are done."""
    order = [(match.old, match.new) for match in change.matches]
    stayed = longest_rise(order)
    placed = {match.new for match in change.matches}
    steps: list[ExplainedStep] = []
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


def _gaps(change: RequestChange) -> Iterator[Gap]:
    edges = [(match.old, match.new) for match in change.matches]
    answer_at = len(change.new) if change.answer_at is None else change.answer_at
    ends = [(-1, -1), *edges, (len(change.old), answer_at)]
    for number, ((a, b), (a_end, b_end)) in enumerate(pairwise(ends)):
        if a_end - a == 1 == b_end - b:
            continue
        is_open = number == len(edges) and change.answer_at is None
        yield Gap(list(range(a + 1, a_end)), list(range(b + 1, b_end)), is_open)


def _reordered(change: RequestChange, order: list[tuple[int, int]], moved: int) -> ExplainedStep:
    kept = change.raws_of([old for old, _ in order])
    went = len(change.old) - len(kept)
    said = f"{counted(moved)} of those that stayed stand elsewhere now"
    also = f", and {counted(went)} went" if went else ""
    return ExplainedStep(Select(indices=kept), said + also, "likely")


def _put_in_place(change: RequestChange, gap: Gap, placed: set[int]) -> ExplainedStep | None:
    """Return the step that puts what came in the place of what went, if it is one."""
    gone = change.raws_of(gap.gone)
    proven = next((place for place in gap.came if place in change.summary_proofs), None)
    if not gone or (proven is None and (gap.is_open or not gap.came)):
        return None
    if proven is not None:
        placed.add(proven)
        summary = Compress(indices=gone, summary=change.fresh(proven))
        return ExplainedStep(
            summary, f"{raws(gone)} became one message, {change.summary_proofs[proven]}", "proven"
        )
    placed.update(gap.came)
    text = _placeholder(change, gap)
    if text is not None:
        said = f"{raws(gone)} {'reads' if len(gone) == 1 else 'read'} {format_value(text)} now"
        return ExplainedStep(Redact(indices=gone, text=text), said, "likely")
    news = [change.fresh(place) for place in gap.came]
    if len(gone) >= FEWEST_COMPRESSED and len(news) == 1 and _may_sum_up(news[0]):
        said = f"{raws(gone)} went, and one message stands in their place"
        return ExplainedStep(Compress(indices=gone, summary=news[0]), said, "likely")
    said = (
        f"{counted(len(news))} {'stands' if len(news) == 1 else 'stand'} in place of {raws(gone)}"
    )
    return ExplainedStep(Replace(indices=gone, messages=news), said, "likely")


def _placeholder(change: RequestChange, gap: Gap) -> str | None:
    """Return the one text that took the place of each message, if that is all that happened."""
    if len(gap.gone) != len(gap.came):
        return None
    pairs = zip(gap.gone, gap.came, strict=True)
    texts = {redaction(change.old[was].message, change.new[now]) for was, now in pairs}
    return texts.pop() if len(texts) == 1 else None


def _may_sum_up(message: Message) -> bool:
    return message.role != "tool" and not message.calls and not message.results


def _removed(change: RequestChange, gone: list[int]) -> ExplainedStep:
    """Return the step that hides what went: a cut at an end where it is one."""
    size, count = len(change.old), len(gone)
    others = [at for at in range(size) if change.old[at].message.role != "system"]
    named, some = raws(change.raws_of(gone)), "message" if count == 1 else counted(count)
    if count == size:
        return ExplainedStep(
            Truncate(remove_first=count), f"nothing of {named} was sent again", "likely"
        )
    if gone == list(range(count)):
        said = f"the oldest {some} went ({named}); those behind are the same"
        return ExplainedStep(Truncate(remove_first=count), said, "likely")
    if gone == others[:count]:
        said = f"the oldest {some} went ({named}), the system's aside"
        return ExplainedStep(Truncate(remove_first=count, keep_system=True), said, "likely")
    if gone == list(range(size - count, size)):
        said = f"the newest {some} went ({named}); those before are the same"
        return ExplainedStep(Truncate(remove_last=count), said, "likely")
    return ExplainedStep(Delete(indices=change.raws_of(gone)), f"{named} went", "likely")


def _added(change: RequestChange, placed: set[int]) -> Iterator[ExplainedStep]:
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
            said = _arrival(len(news), back, is_answer=start == change.answer_at)
            if end == size:
                yield ExplainedStep(Append(messages=news), said, "likely" if back else "proven")
            else:
                yield ExplainedStep(Insert(position=start, messages=news), said, "likely")
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


class StepPlan(NamedTuple):
    """Steps that lead from some visible messages to a request, and which hidden ones it copies."""

    steps: list[ExplainedStep]
    copies: Mapping[int, int]


def difference(
    memory: ThreadMemory,
    sent: Sequence[SentMessage],
    answer: Sequence[SentMessage],
    summary_proofs: Proofs,
) -> list[ExplainedStep]:
    """Return the steps after which exactly a request is visible.

    ``answer`` is what came back last: where it stands in the request, all that follows is new.
    ``summary_proofs`` say of messages by which answer they are known to be a summary.
    """
    if memory.shared(sent) == len(memory.raws):
        return _grown(memory, sent, answer)
    here = _plan(memory, memory.raws, sent, answer, summary_proofs)
    earlier = memory.earlier(sent) if here.copies else None
    if earlier is None:
        return here.steps
    there = _plan(memory, earlier.raws, sent, answer, summary_proofs)
    if len(there.copies) >= len(here.copies):
        return here.steps
    said = f"{counted(len(earlier.raws))} that had been sent before came back as they were"
    return [ExplainedStep(memory.way_to(earlier.revision), said, "likely"), *there.steps]


def replace_all(memory: ThreadMemory, sent: Sequence[SentMessage]) -> list[ExplainedStep]:
    """Return the steps that need no explanation: everything goes, everything comes."""
    size, said = len(memory.raws), "it could not be explained in any other way"
    gone = [ExplainedStep(Truncate(remove_first=size), said, "likely")] if size else []
    messages = [one.message for one in sent]
    return [*gone, *([ExplainedStep(Append(messages=messages), said, "likely")] if sent else [])]


def first_messages(memory: ThreadMemory, sent: Sequence[SentMessage]) -> list[Message]:
    """Return the messages that a thread begins with."""
    names = names_for_missing_ids(sent, lambda _: None, memory.make_id)
    return [renamed(one.message, names) for one in sent]


def _grown(
    memory: ThreadMemory, sent: Sequence[SentMessage], answer: Sequence[SentMessage]
) -> list[ExplainedStep]:
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
    return [ExplainedStep(Append(messages=messages), f"{said}; all before is the same", "proven")]


def _plan(
    memory: ThreadMemory,
    raws: Sequence[int],
    sent: Sequence[SentMessage],
    answer: Sequence[SentMessage],
    summary_proofs: Proofs,
) -> StepPlan:
    """Return what leads to a request from where some messages are visible."""
    old = memory.seen(raws)
    answer_at = _answer_at(old, sent, answer)
    summaries = {place for place, raw in enumerate(raws) if raw in memory.summaries}
    matches = matched(old, sent, answer_at=answer_at, apart=(summaries, set(summary_proofs)))
    places = {match.new: raws[match.old] for match in matches}
    for match in matches:
        if match.how is MatchKind.SAME and old[match.old].key != sent[match.new].key:
            logged = memory.message(raws[match.old])
            memory.names |= other_names(sent[match.new].message, logged)
    names = _names(memory, sent, places)
    copies = _copies(memory, sent, places, len(sent) if answer_at is None else answer_at)

    def fresh(place: int) -> Message:
        message = renamed(sent[place].message, names)
        return message.noted(**{COPIED_FROM: copies[place]}) if place in copies else message

    change = RequestChange(raws, old, sent, matches, fresh, summary_proofs, copies, answer_at)
    return StepPlan(explained(change), copies)


def _names(
    memory: ThreadMemory, sent: Sequence[SentMessage], places: Mapping[int, int]
) -> dict[str, str]:
    """Return under which ids the log has the calls of a request."""
    if not any(one.has_made_ids for one in sent):
        return memory.names

    def logged(place: int) -> Message | None:
        return memory.message(places[place]) if place in places else None

    return names_for_missing_ids(sent, logged, memory.make_id)


def _answer_at(
    old: Sequence[SentMessage], sent: Sequence[SentMessage], answer: Sequence[SentMessage]
) -> int | None:
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
    memory: ThreadMemory, sent: Sequence[SentMessage], places: Mapping[int, int], stop: int
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
