"""What was needed later: hidden text that a recorded answer uses, and tokens kept for nothing.

All of it is an estimate. A run records what the model said while it saw more than a policy would
have sent; an answer that repeats rare words of a hidden message, and of nothing that would have
been sent, is taken to need that message. What the model would have said instead can't be known.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from math import log
from typing import NamedTuple

from ..conversation.readable import Readable
from ..engine.messages import Message, ToolUsePart
from ..engine.views import View
from ..errors import Refused, format_value
from ..values.frozen import thaw
from .costs import payback
from .figures import Estimates, NeededCall, ProbeFinding
from .runs import RecordedRun
from .simulation import NAME as RECORDED
from .simulation import PolicyRun

WORDS = re.compile(
    r"""
    (?P<path>   (?:https?:/|~|\.{1,2})?(?:/[\w@%+~-][\w.@%+~-]*)+
              | [\w@%+-][\w.@%+-]*(?:/[\w.@%+~-]+)+ )
  | (?P<quoted> "[^"\n\\]{3,80}" | `[^`\n]{3,80}` | (?<!\w)'[^'\n]{3,80}'(?!\w)
              | “[^”\n]{2,80}” | 「[^」\n]{2,80}」 | 『[^』\n]{2,80}』 | 《[^》\n]{2,80}》 )
  | (?P<id>     (?<![\w-])[A-Za-z_](?=[\w-]*(?:\d|[A-Za-z]_[A-Za-z]|[a-z][A-Z]))[\w-]*\w(?:\.\w+)* )
  | (?P<number> (?<![\w.])\d(?:[\d,.:]*\d)?(?![\w]) )
  | (?P<name>   (?<![.!?:][ \n])(?<=[\w,;)][ \n])[A-Z][a-z]{3,}(?:[ ][A-Z][a-z]{2,})* )
    """,
    re.VERBOSE | re.ASCII,
)
WEIGHTS = {"path": 1.0, "quoted": 0.8, "id": 1.0, "number": 0.8, "name": 0.6}
LEAST_DIGITS = 3
"""Numbers with fewer digits are counts and list numbers."""
ENOUGH = 0.4
"""The weight of missing words from which an answer is taken to need what was hidden."""
MOST_WORDS = 5
"""Words that are reported of one answer."""
_QUESTION = re.compile(r"[^.!?\n。！？]{12,}[?？]")


class TellingWord(NamedTuple):
    """A word that can be told from others, and how much it says: from 0 to 1."""

    text: str
    weight: float


def terms_in(text: str) -> Iterator[TellingWord]:
    """Yield the identifiers, paths, numbers, quoted texts and names of a text."""
    for found in WORDS.finditer(text):
        kind = str(found.lastgroup)
        word = found[0][1:-1] if kind == "quoted" else found[0]
        if kind == "quoted":
            yield from terms_in(word)
            if " " not in word and word.isascii():
                continue  # A quoted word is known by its own kind.
        if kind == "number" and sum(char.isdigit() for char in word) < LEAST_DIGITS:
            continue
        yield TellingWord(word, WEIGHTS[kind])


@dataclass(frozen=True, slots=True)
class Use:
    """Something that an answer uses: words, and the messages of the run that have them.

    ``is_text`` says that other text that has the words serves as well; nothing else serves for the
    result of a call, or the answer to a question, that was gone and so was asked for again.
    """

    words: str
    weight: float
    places: tuple[int, ...]
    is_text: bool = True


class RunUses:
    """What each answer of a run uses of the messages before it, whatever policy is judged."""

    def __init__(self, run: RecordedRun) -> None:
        self._run = run
        self._texts = [message.search_text for message in run.messages]
        self._places: defaultdict[str, list[int]] = defaultdict(list)
        self._has: dict[str, tuple[int, ...]] = {}
        self._terms = [list(dict.fromkeys(terms_in(text))) for text in self._texts]
        for place, terms in enumerate(self._terms):
            for word in {term.text for term in terms}:
                self._places[word].append(place)

    @cached_property
    def _tools(self) -> str:
        """Return the tool definitions and names of the run: they are sent with every call."""
        state = self._run.state
        kept = [state.head.meta.get("tools"), *Readable(state).calls.tools.values()]
        parts = (part for message in self._run.messages for part in message.parts)
        names = {part.name for part in parts if isinstance(part, ToolUsePart)}
        return "\n".join([*sorted(names), *(_json(one) for one in kept if one is not None)])

    @cached_property
    def by_call(self) -> Sequence[Sequence[Use]]:
        """Return for each call what its answer uses."""
        ends = [*(point.at for point in self._run.calls), len(self._texts)]
        views = [point.view for point in self._run.calls]
        called: dict[str, tuple[int, ...]] = {}
        asked: dict[str, int] = {}
        results = self._results()
        found: list[list[Use]] = []
        for (start, stop), view in zip(pairwise(ends), views, strict=True):
            uses: list[Use] = []
            for place in range(start, stop):
                message = self._run.messages[place]
                if message.role == "assistant":
                    uses += self._words_used(place)
                    uses += (
                        use
                        for use in (
                            *_again(message, called, results),
                            *_asked(message, asked, place),
                        )
                        if not any(self._run.raws[one] in view for one in use.places)
                    )
            found.append(uses)
        return found

    def _was_sent(self, use: Use, view: View) -> bool:
        """Return whether what is asked for again was there when the run was recorded."""
        return any(self._run.raws[place] in view for place in use.places)

    def _words_used(self, answer: int) -> Iterator[Use]:
        size = answer + 1
        for term in self._terms[answer]:
            places = self._places[term.text]
            before = tuple(place for place in places if place < answer)
            if before and term.text not in self._tools:
                rarity = log((1 + size) / (1 + len(before))) / log(1 + size)
                yield Use(term.text, term.weight * rarity, before)

    def _results(self) -> Mapping[str, tuple[int, ...]]:
        """Return the places of the results of each call, by its id."""
        found: defaultdict[str, tuple[int, ...]] = defaultdict(tuple)
        for place, message in enumerate(self._run.messages):
            for one in message.results:
                found[one] += (place,)
        return found

    def has(self, word: str) -> tuple[int, ...]:
        """Return the messages that have a word, also as a part of another."""
        if word not in self._has:
            self._has[word] = tuple(place for place, text in enumerate(self._texts) if word in text)
        return self._has[word]

    @cached_property
    def last_use(self) -> Sequence[int]:
        """Return for each message the last call whose answer uses it, 0 if none does."""
        last = [0] * len(self._texts)
        for call, uses in enumerate(self.by_call, 1):
            for use in uses:
                if use.weight >= ENOUGH / 2:
                    for place in use.places:
                        last[place] = call
        for place, message in enumerate(self._run.messages):
            if message.role == "system":
                last[place] = len(self.by_call)
        return last

    def judged(self, run: PolicyRun, probes: Sequence[str] = ()) -> PolicyRun:
        """Return a policy's run with the estimates among its figures."""
        return replace(run, figures=replace(run.figures, estimates=self.estimates(run, probes)))

    def estimates(self, judged: PolicyRun, probes: Sequence[str] = ()) -> Estimates:
        """Return what a policy would have hidden too early, and what it kept for nothing."""
        count = judged.figures.calls
        if not count:
            return Estimates((), 0, 0)
        sent = _SentPlaces(self._run, judged)
        needed = [
            found
            for call, uses in enumerate(self.by_call[:count], 1)
            if (found := self._needed(sent, call, uses)) is not None
        ]
        mine, everything = judged.figures, judged.config.all_sent
        return Estimates(
            tuple(needed),
            count,
            sum(self._dead(sent, call) for call in range(1, count + 1)),
            tuple(self._probe(sent, text, count) for text in probes),
            payback(mine.first_act, mine.spent(), everything.spent()),
        )

    def _needed(self, sent: _SentPlaces, call: int, uses: Iterable[Use]) -> NeededCall | None:
        view, made = sent.view(call), None
        missing: list[Use] = []
        for use in uses:
            if sent.has_any(view, use.places):
                continue
            if use.is_text:
                made = sent.made_text(view) if made is None else made
                before = (place for place in self.has(use.words) if place < self._end(call))
                if use.words in made or sent.has_any(view, before):
                    continue
            missing.append(use)
        if sum(use.weight for use in missing) < ENOUGH:
            return None
        missing.sort(key=lambda use: -use.weight)
        place = missing[0].places[-1]
        words = tuple(dict.fromkeys(use.words for use in missing))[:MOST_WORDS]
        return NeededCall(call, self._run.raws[place], words, sent.blame(call, place))

    def _end(self, call: int) -> int:
        return self._run.calls[call - 1].at

    def _dead(self, sent: _SentPlaces, call: int) -> int:
        """Return the tokens of the messages of a call that no answer from then on uses."""
        last, counts = self.last_use, self._run.counts
        return sum(counts[place] for place in sent.places(call) if last[place] < call)

    def _probe(self, sent: _SentPlaces, text: str, count: int) -> ProbeFinding:
        places = self.has(text)
        if not places:
            raise Refused(
                f"no message of this run has the text {format_value(text)}",
                field="probe",
                value=text,
                legal="words as a message of the run has them",
            )
        lacking = [
            call
            for call in range(1, count + 1)
            if places[0] < self._end(call)
            and not sent.has_any(sent.view(call), places)
            and text not in sent.made_text(sent.view(call))
        ]
        return ProbeFinding(text, len(lacking), lacking[0] if lacking else None)


def _json(value: object) -> str:
    """Return a value as text, whatever the order of its keys."""
    return json.dumps(thaw(value), sort_keys=True, ensure_ascii=False)


def _again(
    message: Message, called: dict[str, tuple[int, ...]], results: Mapping[str, tuple[int, ...]]
) -> Iterator[Use]:
    """Yield the calls of tools that were made before with the same arguments, and note new ones."""
    for part in message.parts:
        if isinstance(part, ToolUsePart):
            key = f"{part.name} {_json(part.input)}"
            if earlier := called.get(key):
                yield Use(f"{part.name} again", 1.0, earlier, is_text=False)
            if own := results.get(part.id):
                called[key] = own


def _asked(message: Message, asked: dict[str, int], place: int) -> Iterator[Use]:
    """Yield the questions that were asked before, by the message after the first, and note new."""
    for question in _QUESTION.findall(message.text):
        key = " ".join(question.split()).casefold()
        if key in asked:
            yield Use(" ".join(question.split()), 1.0, (asked[key],), is_text=False)
        asked.setdefault(key, place)


class _SentPlaces:
    """What a policy sends at each call, by the places of the run's messages."""

    def __init__(self, run: RecordedRun, judged: PolicyRun) -> None:
        self._judged = judged
        self._is_foreign = judged.policy is None and judged.name != RECORDED
        self._at: dict[int, Readable] = {}
        self._places: dict[int, int] = {}
        self._raws: dict[int, int] = {}
        self._made: dict[int, str] = {}
        known = {id(message): place for place, message in enumerate(run.messages)}
        log = self._readable(judged.figures.calls).moment.log
        for raw in range(len(log)):
            place = known.get(id(log[raw]))
            if place is not None:
                self._places.setdefault(raw, place)
        self._raws = {place: raw for raw, place in self._places.items()}
        self._made = {
            raw: log[raw].search_text for raw in range(len(log)) if raw not in self._places
        }

    def _readable(self, call: int) -> Readable:
        if call not in self._at:
            self._at = {call: self._judged.at(call)}
        return self._at[call]

    def view(self, call: int) -> View:
        return self._readable(call).view

    def has_any(self, view: View, places: Iterable[int]) -> bool:
        return any(self._raws.get(place, -1) in view for place in places)

    def places(self, call: int) -> Iterator[int]:
        """Yield the messages of the run that a call sends."""
        return (place for raw in self.view(call) if (place := self._places.get(raw)) is not None)

    def made_text(self, view: View) -> str:
        """Return the text that is sent and was never said: summaries, and messages rewritten."""
        return "\n".join(text for raw, text in self._made.items() if raw in view)

    def blame(self, call: int, place: int) -> str | None:
        """Return the operation that hid a message, if it was ever sent and there is one."""
        raw = self._raws.get(place)
        if self._is_foreign:
            lacking = (at for at in range(call, 0, -1) if raw in self.view(at))
            return f"{self._judged.name} before call {next(lacking, 0) + 1}"
        found = None if raw is None else self._readable(call).blame(raw)
        if found is None or found.operation is None or found.batch is None:
            return None
        return str(found.batch.description or found.operation.title)
