"""Explaining: the operations that lead from what was visible to what was sent, and why these."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from ..engine.messages import Message, TextPart, ToolResultPart
from ..engine.operation import Operation
from ..engine.operations import Append, Compress, Delete, Insert, Redact, Replace, Select, Truncate
from ..errors import format_value
from .bodies import (
    SentMessage,
    key_of,
    names_for_missing_ids,
    other_names,
    renamed,
    sender_of,
    shapes_of,
)
from .cache import counted, raws
from .memory import ThreadMemory
from .routing import SummaryProof
from .similarity import (
    SIMILAR_SHARE,
    MatchKind,
    MessageMatch,
    UnmatchedRange,
    has_shrunk,
    longest_rise,
    matched,
    unmatched_ranges,
)

Certainty = Literal["proven", "likely"]
Proofs = Mapping[int, SummaryProof]
COPIED_FROM = "copiedFrom"
MIN_COMPRESSED = 2
"""Messages that must be gone for one in their place to be likely a summary."""
PLACEHOLDER = re.compile(r"\s*(?:\[.*\]|<.*>|\(.*\)|\{.*\}|\*.*\*)\s*", re.DOTALL)
"""What replaces the text of messages; results may be replaced by any text."""
REASONS = {
    MatchKind.BY_ID: "another content, for the same calls",
    MatchKind.VOLATILE: "only times, ids or numbers differ",
    MatchKind.GREW: "something was added at its end",
    MatchKind.SHRANK: "some of its parts are gone",
    MatchKind.SIMILAR: "it was rewritten",
}


class ExplainedStep(NamedTuple):
    """An operation, one sentence that says why it is this one, and how certain that is."""

    operation: Operation
    reason: str
    certainty: Certainty


class StepPlan(NamedTuple):
    """Steps that lead from some visible messages to a request, and which hidden ones it copies."""

    steps: list[ExplainedStep]
    copies: Mapping[int, int]


def difference(
    memory: ThreadMemory,
    sent: Sequence[SentMessage],
    answer: Sequence[SentMessage],
    proofs: Proofs,
) -> list[ExplainedStep]:
    """Return the steps after which exactly a request is visible.

    ``answer`` is the last response: from where the request has it, all is new. ``proofs`` say of
    messages, by their position, why they must be a summary.
    """
    if memory.shared(sent) == len(memory.raws):
        return _grown(memory, sent, answer)
    here = _plan(memory, memory.raws, sent, answer, proofs)
    earlier = memory.earlier(sent)
    if earlier is None:
        return here.steps
    there = _plan(memory, earlier.raws, sent, answer, proofs, is_back=True)
    is_longer = len(earlier.raws) > memory.shared(sent)
    if len(there.copies) >= len(here.copies) + is_longer:
        return here.steps
    reason = f"{counted(len(earlier.raws))} that had been sent before were sent again unchanged"
    back = ExplainedStep(memory.way_to(earlier.revision), reason, "likely")
    return [back, *there.steps]


def replace_all(memory: ThreadMemory, sent: Sequence[SentMessage]) -> list[ExplainedStep]:
    """Return the steps that need no explanation: all messages are replaced."""
    size, reason = len(memory.raws), "it could not be explained in any other way"
    gone = [ExplainedStep(Truncate(remove_first=size), reason, "likely")] if size else []
    messages = [one.message for one in sent]
    new = [ExplainedStep(Append(messages=messages), reason, "likely")] if sent else []
    return [*gone, *new]


def first_messages(memory: ThreadMemory, sent: Sequence[SentMessage]) -> list[Message]:
    """Return the messages that a thread begins with."""
    names = names_for_missing_ids(sent, lambda _: None, memory.make_id)
    return [renamed(one.message, names) for one in sent]


def _grown(
    memory: ThreadMemory, sent: Sequence[SentMessage], answer: Sequence[SentMessage]
) -> list[ExplainedStep]:
    """Return the one step of a request that only adds messages, as nearly all do."""
    old, news = sent[: len(memory.raws)], sent[len(memory.raws) :]
    if not news:
        return []
    names = _names(memory, sent, dict(enumerate(memory.raws)))
    messages = [renamed(one.message, names) for one in news]
    rest = len(news) - len(answer)
    has_answer = bool(answer) and news[0].key == answer[0].key and rest >= 0
    if has_answer:
        added = "the answer was added"
        if rest:
            added = f"the answer and {counted(rest)} were added"
    else:
        added = _were(len(news), "added")
    # Where an old one is said again, that may be the old one, and what is before it be inserted.
    known = {one.key for one in old}
    may_be_insert = not has_answer and any(one.key in known for one in news)
    # Where it begins as one did that was left, that state may have been gone back to.
    left = memory.earlier(sent) if memory.has_hidden else None
    may_be_back = left is not None and len(left.raws) > len(memory.raws)
    certainty: Certainty = "likely" if may_be_insert or may_be_back else "proven"
    reason = f"{added}; all before is unchanged"
    return [ExplainedStep(Append(messages=messages), reason, certainty)]


def _plan(
    memory: ThreadMemory,
    raws: Sequence[int],
    sent: Sequence[SentMessage],
    answer: Sequence[SentMessage],
    proofs: Proofs,
    *,
    is_back: bool = False,
) -> StepPlan:
    """Return what leads to a request from a state in which some messages are visible.

    ``is_back`` says that going back to that state is only likely.
    """
    old = memory.seen(raws)
    answer_at = _answer_at(old, sent, answer)
    if answer_at in proofs:
        answer_at = None  # A compaction alone: what follows it may be older.
    summaries = {place for place, raw in enumerate(raws) if raw in memory.summaries}
    matches = matched(old, sent, answer_at=answer_at, apart=(summaries, set(proofs)))
    places = {match.new: raws[match.old] for match in matches}
    for match in matches:
        if match.kind is MatchKind.SAME and old[match.old].key != sent[match.new].key:
            logged = memory.message(raws[match.old])
            memory.names |= other_names(sent[match.new].message, logged)
    names = _names(memory, sent, places)
    copies = _copies(memory, sent, places, len(sent) if answer_at is None else answer_at)

    def fresh(place: int) -> Message:
        message = renamed(sent[place].message, names)
        return message.noted(**{COPIED_FROM: copies[place]}) if place in copies else message

    visible = {one.key for one in memory.visible} if is_back else set()
    is_new = answer_at is not None and sent[answer_at].key not in visible
    change = _Change(
        raws, old, sent, matches, fresh, proofs, copies, answer_at, is_back, is_answer_new=is_new
    )
    return StepPlan(change.steps(), copies)


def _names(
    memory: ThreadMemory, sent: Sequence[SentMessage], places: Mapping[int, int]
) -> dict[str, str]:
    """Return the ids that the log has for the calls of a request."""
    if not any(one.has_made_ids for one in sent):
        return memory.names
    return names_for_missing_ids(
        sent,
        lambda place: memory.message(places[place]) if place in places else None,
        memory.make_id,
    )


def _answer_at(
    old: Sequence[SentMessage], sent: Sequence[SentMessage], answer: Sequence[SentMessage]
) -> int | None:
    """Return the position of the last answer in a request, from where on all is new.

    If something like it was said before, it has to be there once more.
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

    After all that stayed, a message may just happen to say the same as another; there it must be
    of the same calls, or come with its neighbour.
    """
    visible = set(places.values())
    last = max(places, default=-1)
    found: dict[int, int] = {}
    for place, one in enumerate(sent[:stop]):
        hidden = [] if place in places else memory.hidden(one.key, visible)
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


@dataclass
class _Change:
    """What was visible, what was sent, and what is known of the two.

    ``raws`` are those of the old messages; ``copies`` say of new messages which hidden message they
    copy; ``fresh`` returns a new message as it is added to the log. From ``answer_at`` on all is
    new.
    """

    raws: Sequence[int]
    old: Sequence[SentMessage]
    new: Sequence[SentMessage]
    matches: Sequence[MessageMatch]
    fresh: Callable[[int], Message]
    proofs: Proofs
    copies: Mapping[int, int]
    answer_at: int | None
    is_back: bool
    is_answer_new: bool

    def steps(self) -> list[ExplainedStep]:
        """Return the steps that explain it, in the order in which they are done."""
        order = [(match.old, match.new) for match in self.matches]
        placed = {match.new for match in self.matches}
        stayed = longest_rise(order)
        steps: list[ExplainedStep] = []
        if len(stayed) < len(order):
            steps.append(self._reordered(order, len(order) - len(stayed)))
        else:
            gone, put = [], []
            is_open = self.answer_at is None
            stop = len(self.new) if self.answer_at is None else self.answer_at
            for one in unmatched_ranges(order, len(self.old), stop, is_open=is_open):
                step = self._put_in_place(one, placed)
                if step is None:
                    gone += one.old
                else:
                    put.append(step)
            steps += [*([self._removed(gone)] if gone else []), *put]
        steps += self._rewritten()
        is_sure = not self.is_back and all(step.certainty == "proven" for step in steps)
        return [*steps, *self._added(placed, is_sure=is_sure)]

    def _raws_of(self, places: Sequence[int]) -> list[int]:
        return [self.raws[place] for place in places]

    def _reordered(self, order: list[tuple[int, int]], moved: int) -> ExplainedStep:
        kept = self._raws_of([old for old, _ in order])
        gone = len(self.old) - len(kept)
        also = f", and {_were(gone, 'removed')}" if gone else ""
        return ExplainedStep(Select(indices=kept), f"{_were(moved, 'moved')}{also}", "likely")

    def _put_in_place(self, range_: UnmatchedRange, placed: set[int]) -> ExplainedStep | None:
        """Return the step that puts what is new in the place of what is gone, if it is one."""
        gone = self._raws_of(range_.old)
        summary = next((place for place in range_.new if place in self.proofs), None)
        if not gone or (summary is None and (range_.is_open or not range_.new)):
            return None
        if summary is not None:
            placed.add(summary)
            proof = self.proofs[summary]
            is_covered = proof.covers(self.old[place].message for place in range_.old)
            is_covered = is_covered and not self._has_equal(range_.old)
            reason = f"{raws(gone)} became one message, {proof.reason}"
            operation = Compress(indices=gone, summary=self.fresh(summary))
            return ExplainedStep(operation, reason, "proven" if is_covered else "likely")
        placed.update(range_.new)
        text = self._placeholder(range_)
        if text is not None:
            return ExplainedStep(Redact(indices=gone, text=text), _now_read(gone, text), "likely")
        news = [self.fresh(place) for place in range_.new]
        if len(gone) >= MIN_COMPRESSED and len(news) == 1 and _may_summarise(news[0]):
            reason = f"{raws(gone)} were removed, and one message is in their place"
            return ExplainedStep(Compress(indices=gone, summary=news[0]), reason, "likely")
        is_one = len(news) == 1
        reason = f"{counted(len(news))} {'is' if is_one else 'are'} in place of {raws(gone)}"
        return ExplainedStep(Replace(indices=gone, messages=news), reason, "likely")

    def _has_equal(self, places: Sequence[int]) -> bool:
        """Return whether another old message equals one of some, and could be meant as well."""
        keys = {self.old[place].key for place in places}
        return any(one.key in keys for at, one in enumerate(self.old) if at not in places)

    def _placeholder(self, range_: UnmatchedRange) -> str | None:
        """Return the one text that replaced each message, if that is all that happened."""
        if len(range_.old) != len(range_.new):
            return None
        pairs = zip(range_.old, range_.new, strict=True)
        texts = {redaction(self.old[was].message, self.new[now]) for was, now in pairs}
        return texts.pop() if len(texts) == 1 else None

    def _removed(self, gone: list[int]) -> ExplainedStep:
        """Return the step that hides what is gone: a cut at an end where it is one."""
        size, count = len(self.old), len(gone)
        others = [at for at in range(size) if self.old[at].message.role != "system"]
        named, some = raws(self._raws_of(gone)), _were(count, "removed", "the {} message")
        operation: Operation
        if count == size:
            operation = Truncate(remove_first=count)
            reason = f"nothing of {named} was sent again"
        elif gone == list(range(count)):
            operation = Truncate(remove_first=count)
            reason = f"{some.format('oldest')} ({named}); the rest is unchanged"
        elif gone == others[:count]:
            operation = Truncate(remove_first=count, keep_system=True)
            reason = f"{some.format('oldest')} ({named}), except the system's"
        elif gone == list(range(size - count, size)):
            operation = Truncate(remove_last=count)
            reason = f"{some.format('newest')} ({named}); the rest is unchanged"
        else:
            operation = Delete(indices=self._raws_of(gone))
            reason = f"{named} {'was' if count == 1 else 'were'} removed"
        return ExplainedStep(operation, reason, "likely")

    def _rewritten(self) -> Iterator[ExplainedStep]:
        """Yield a step for each text that replaced others, and for each new content."""
        texts: dict[str, list[MessageMatch]] = {}
        others: list[MessageMatch] = []
        for match in self.matches:
            if match.kind is MatchKind.SAME:
                continue
            text = redaction(self.old[match.old].message, self.new[match.new])
            if text is None:
                others.append(match)
            else:
                texts.setdefault(text, []).append(match)
        for text, some in texts.items():
            named = self._raws_of([match.old for match in some])
            operation = Redact(indices=named, text=text)
            yield ExplainedStep(operation, _now_read(named, text), self._certainty(some))
        for run in _runs(others):
            named = self._raws_of([match.old for match in run])
            news = [self.fresh(match.new) for match in run]
            reason = f"{raws(named)}: {self._reason(run[0])}"
            swap = Replace(indices=named, messages=news)
            yield ExplainedStep(swap, reason, self._certainty(run))

    def _certainty(self, matches: Sequence[MessageMatch]) -> Certainty:
        by_id = all(match.kind is MatchKind.BY_ID for match in matches)
        is_alone = not self._has_equal([match.old for match in matches])
        return "proven" if by_id and is_alone else "likely"

    def _reason(self, match: MessageMatch) -> str:
        """Return what became of a message."""
        old, new = self.old[match.old], self.new[match.new]
        if shapes_of(old.message) == shapes_of(new.message):
            was, now = sender_of(old.message), sender_of(new.message)
            if was != now:
                return f"name changed from {format_value(was)} to {format_value(now)}"
        if match.kind is MatchKind.BY_ID and has_shrunk(old, new):
            return "some of its calls or results are gone"
        return REASONS[match.kind]

    def _added(self, placed: set[int], *, is_sure: bool) -> Iterator[ExplainedStep]:
        """Yield what adds all that is not there yet, from the front to the end.

        That messages were added at the end is as sure as the steps before, or as the answer.
        """
        size, start = len(self.new), 0
        known = {one.key for one in self.old}
        while start < size:
            end = start
            while end < size and end not in placed:
                end += 1
            if end > start:
                news = [self.fresh(place) for place in range(start, end)]
                back = [self.copies[at] for at in range(start, end) if at in self.copies]
                reason = _arrival(len(news), back, is_answer=start == self.answer_at)
                if end == size:
                    is_new = is_sure and all(one.key not in known for one in self.new[start:])
                    is_answer = self.is_answer_new and start == self.answer_at
                    is_proven = not back and (is_new or is_answer)
                    certainty: Certainty = "proven" if is_proven else "likely"
                    yield ExplainedStep(Append(messages=news), reason, certainty)
                else:
                    yield ExplainedStep(Insert(position=start, messages=news), reason, "likely")
            start = end + 1


def redaction(old: Message, new: SentMessage) -> str | None:
    """Return the text that replaced a message's own, if that is all that happened."""
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


def _may_summarise(message: Message) -> bool:
    return message.role != "tool" and not message.calls and not message.results


def _runs(matches: Sequence[MessageMatch]) -> Iterator[list[MessageMatch]]:
    """Yield matches that follow each other in both orders together: one REPLACE does for them."""
    run: list[MessageMatch] = []
    for match in matches:
        if run and (run[-1].old + 1, run[-1].new + 1, run[-1].kind) != tuple(match):
            yield run
            run = []
        run.append(match)
    if run:
        yield run


def _now_read(indices: Sequence[int], text: str) -> str:
    return f"{raws(indices)} now {'reads' if len(indices) == 1 else 'read'} {format_value(text)}"


def _were(count: int, done: str, noun: str | None = None) -> str:
    """Return a sentence such as ``2 messages were added``."""
    what = counted(count) if noun is None else noun if count == 1 else f"the {{}} {counted(count)}"
    return f"{what} {'was' if count == 1 else 'were'} {done}"


def _arrival(count: int, back: list[int], *, is_answer: bool) -> str:
    if is_answer:
        rest = f" and {counted(count - 1)} were" if count > 1 else " was"
        return f"the answer{rest} added"
    if not back:
        return _were(count, "added")
    first = f"{_were(count - len(back), 'added')}, and " if count > len(back) else ""
    again = "was added again, as a copy" if len(back) == 1 else "were added again, as copies"
    return f"{first}{raws(back)} {again}"
