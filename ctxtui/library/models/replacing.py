"""Find and replace over many sessions: what a dry run found, what of it is chosen, and doing it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

from ctxtui.core import Conversation
from ctxtui.core.curation.patterns import PATTERNS, Pattern, named_patterns, own_pattern
from ctxtui.core.curation.purging import InTrash, in_spool, in_trash
from ctxtui.core.curation.replacing import (
    EVERYWHERE,
    OTHER_ROLES,
    PURGE,
    ReplaceHit,
    Stays,
    beside,
    beside_messages,
    by_message,
    change_hits,
    meant,
    replaced,
    search,
)
from ctxtui.core.curation.texts import Surroundings, TextPath, TextWalk
from ctxtui.core.engine.messages import Message, ToolResultPart, ToolUsePart
from ctxtui.core.engine.tokens import counter_named
from ctxtui.core.storage import Entry, Library, Session
from ctxtui.core.storage.details import ACCEPTED
from ctxtui.core.values.models import ROLES
from ctxtui.inspector.models.links import links_of
from ctxtui.library.models.library import Done
from ctxtui.library.models.steps import change_many
from ctxtui.progress import TaskProgress
from ctxtui.text.options import Option
from ctxtui.text.plurals import plural
from ctxtui.text.toast import done, sentence_of

# What find and replace looks for, and the replacement.


@dataclass(frozen=True)
class ReplaceQuery:
    """What is looked for: built-in patterns, own words or an expression, and in which roles."""

    names: frozenset[str] = frozenset(PATTERNS)
    words: str = ""
    expression: str = ""
    text: str = ""
    """The replacement of own words."""
    roles: frozenset[str] = frozenset(ROLES)
    everywhere: bool = False
    """Whether names of fields, ids, types and numbers are replaced, too."""

    @cached_property
    def patterns(self) -> list[Pattern]:
        found = named_patterns([name for name in PATTERNS if name in self.names])
        if self.words:
            found.append(own_pattern(self.words, self.text))
        if self.expression:
            found.append(own_pattern(self.expression, self.text, is_regex=True))
        return found

    def having(self, name: str, value: Any) -> ReplaceQuery:
        """Return it with another value; words and an expression replace each other."""
        if name in ROLES:
            return replace(self, roles=self.roles ^ {name})
        if name in PATTERNS:
            return replace(self, names=self.names ^ {name})
        news: dict[str, Any] = {"everywhere" if name == EVERYWHERE else name: value}
        if name in ("words", "expression"):
            news["expression" if name == "words" else "words"] = ""
        query = replace(self, **news)
        _ = query.patterns  # Refused now, while it can still be mended.
        return query

    def options(self, counts: dict[str, int]) -> list[Option]:
        def hint(name: str, pattern: Pattern) -> str:
            return f"→ {pattern.replacement}" + (f"  {counts[name]:,}" if counts.get(name) else "")

        find, where = "Find", "In"
        return [
            *(
                Option(name, LABELS[name], name in self.names, group=find, hint=hint(name, pattern))
                for name, pattern in PATTERNS.items()
            ),
            Option("words", "own words", self.words, group=find, hint="in any case"),
            Option("expression", "/pattern/", self.expression, group=find, hint=r"order \d+"),
            Option("text", "replace them by", self.text, group=find, hint=r"nothing; \1 a group"),
            *(Option(role, role, role in self.roles, group=where) for role in ROLES),
            Option(EVERYWHERE, EVERYWHERE, self.everywhere, group=where, hint="names, ids …"),
        ]


LABELS = {"mail": "mail addresses", "phone": "phone numbers", "key": "keys, tokens"}
"""What the built-in patterns are called."""
AROUND = 160
"""Characters kept on each side of a match: more can't be seen next to it."""
Key = tuple[str, int | None, TextPath, int]
"""What a hit is known by: session, message if it is in one, text, and where in that."""
SoFar = Callable[[int, int], None]
"""Called with how many sessions were searched, and how many hits they have."""


class HitPlace(NamedTuple):
    """One hit, and the text around it."""

    entry: Entry
    raw: int | None
    """The message it is in; None where it is outside the messages."""
    role: str
    before: str
    """What is before the hit: of a string in JSON, also what is written around that."""
    after: str
    is_cut: bool
    """Whether more is before that."""
    hit: ReplaceHit
    call: str = ""
    """The tool that is called, and the name of the field it is in, where it is in a call."""
    tool: str = ""
    """The tool that answered, where it is in a result."""
    is_first: bool = True
    """Whether no other hit of its message is before it."""

    @property
    def key(self) -> Key:
        return self.entry.id, self.raw, self.hit.path, self.hit.start


class SessionHits(NamedTuple):
    """A session in which something was found."""

    entry: Entry
    places: tuple[HitPlace, ...]
    visible: int
    tokens: int
    stays: Stays
    messages: Mapping[int, Message]
    """Those with hits in them."""
    counter: str

    def tokens_with(self, chosen: Sequence[ReplaceHit]) -> int:
        count, total = counter_named(self.counter).count, self.tokens
        for raw, some in by_message(chosen):
            message = self.messages[raw]
            total += count(replaced(message, some)) - count(message)
        return total

    @property
    def meant(self) -> list[ReplaceHit]:
        """Return the hits without a doubt."""
        return meant(place.hit for place in self.places)


class DryRun(NamedTuple):
    """What was found in all sessions, before anything is done."""

    sessions: int
    touched: tuple[SessionHits, ...] = ()
    visible: int = 0
    stays: Stays = Stays()
    trash: InTrash = InTrash(0, 0)
    problems: tuple[str, ...] = ()
    tokens: Mapping[str, int] = {}
    """What each session would have by its id, with all hits replaced that are meant."""
    spool: int = 0
    """Hits in recorded calls that are in no session yet."""
    is_searched: bool = True
    """Whether anything was looked for, and all of the search is done."""

    @property
    def counts(self) -> dict[str, int]:
        hits = (place.hit for touched in self.touched for place in touched.places)
        return Counter(hit.pattern for hit in hits if not hit.doubt)


def dry_run(
    library: Library,
    entries: Sequence[Entry],
    query: ReplaceQuery,
    watch: TaskProgress,
    so_far: SoFar = lambda _, __: None,
) -> DryRun:
    """Look through sessions for the query; one that can't be read is reported."""
    found: list[SessionHits] = []
    problems: list[str] = []
    visible, stays = 0, Stays()
    count = 0
    patterns = query.patterns
    for number, entry in enumerate(entries if patterns else ()):
        so_far(number, count)
        watch.step(number / len(entries))
        try:
            with library.open(entry.id, read_only=True) as session:
                one = _touched(session, entry, query)
        except Exception as problem:
            problems.append(f"{entry.name}: {sentence_of(problem)}")
            continue
        visible += one.visible
        stays = stays + one.stays
        count += len(one.places)
        if one.places:
            found.append(one)
    so_far(len(entries), count)
    trash = in_trash(library, patterns) if patterns else InTrash(0, 0)
    tokens = {one.entry.id: one.tokens_with(one.meant) for one in found}
    return DryRun(
        *(len(entries), tuple(found), visible, stays, trash, tuple(problems), tokens),
        spool=in_spool(library, patterns) if patterns else 0,
        is_searched=bool(patterns),
    )


def _touched(session: Session, entry: Entry, query: ReplaceQuery) -> SessionHits:
    talk, details = session.conversation, session.details
    found, stays = search(
        talk, query.patterns, query.roles, everywhere=query.everywhere, details=details
    )
    return SessionHits(
        entry,
        tuple(_places(session, entry, found)),
        len(talk.view),
        talk.tokens.total,
        stays,
        {hit.raw: talk.log[hit.raw] for hit in found if hit.raw is not None},
        talk.settings.counter,
    )


def _places(session: Session, entry: Entry, found: Sequence[ReplaceHit]) -> Iterator[HitPlace]:
    """Yield hits with the text around them: those outside the messages first."""
    talk = session.conversation
    others = beside_messages(talk, session.details, TextWalk())
    said = {place.path: place.text for place in others}
    where = ""
    for hit in beside(found):
        yield _place(entry, hit, said[hit.path], is_first=hit.where != where)
        where = hit.where
    for raw, some in by_message(found):
        message = talk.log[raw]
        texts = {place.path: place.text for place in TextWalk().message(message)}
        around = Surroundings(message, AROUND + 1)
        for hit in some:
            place = _place(entry, hit, texts[hit.path], around.of(hit.path))
            call, tool = _call(message, hit.path), _tool(talk, raw, hit.path)
            yield place._replace(call=call, tool=tool, is_first=hit is some[0])


def _place(
    entry: Entry,
    hit: ReplaceHit,
    text: str,
    around: tuple[str, str] = ("", ""),
    *,
    is_first: bool = True,
) -> HitPlace:
    before = around[0] + text[max(0, hit.start - AROUND - 1) : hit.start]
    after = text[hit.end : hit.end + AROUND] + around[1]
    return HitPlace(
        entry,
        hit.raw,
        hit.role,
        before[-AROUND:],
        after[:AROUND],
        len(before) > AROUND,
        hit,
        is_first=is_first,
    )


def _call(message: Message, path: TextPath) -> str:
    """Return the call that a text is in: the tool, and the nearest name around the text."""
    part = message.parts[path[0]] if isinstance(path[0], int) else None
    if not isinstance(part, ToolUsePart) or path[1] != "input":
        return ""
    names = [step for step in path[2:] if isinstance(step, str)]
    return " ".join((part.name, *names[-1:]))


def _tool(talk: Conversation, raw: int, path: TextPath) -> str:
    """Return the tool whose result a text is in, as far as its call is there."""
    part = talk.log[raw].parts[path[0]] if isinstance(path[0], int) else None
    if not isinstance(part, ToolResultPart) or path[1] != "content":
        return ""
    for near in links_of(talk).calls([part.tool_use_id], raw):
        for call in talk.log[near].parts:
            if isinstance(call, ToolUsePart) and call.id == part.tool_use_id:
                return call.name
    return ""


class ReplaceChoice:
    """Which of what was found is to be replaced; what is probably not meant is left out first."""

    def __init__(self, run: DryRun) -> None:
        self.run = run
        self._turned: set[Key] = set()
        self._by_id = {touched.entry.id: touched for touched in run.touched}
        self._tokens = dict(run.tokens)

    def is_chosen(self, place: HitPlace) -> bool:
        return bool(place.hit.doubt) == (place.key in self._turned)

    def turn(self, places: Sequence[HitPlace]) -> None:
        """Leave places out or take them in; several all the same way."""
        is_wanted = not all(self.is_chosen(place) for place in places)
        for place in places:
            if self.is_chosen(place) != is_wanted:
                self._turned ^= {place.key}
        for id in {place.entry.id for place in places}:
            touched = self._by_id[id]
            self._tokens[id] = touched.tokens_with(self.chosen(touched))

    def chosen(self, touched: SessionHits) -> list[ReplaceHit]:
        return [place.hit for place in touched.places if self.is_chosen(place)]

    @property
    def figures(self) -> ReplaceFigures:
        by_session = [(touched, self.chosen(touched)) for touched in self.run.touched]
        acted = [(touched, some) for touched, some in by_session if some]
        every = [hit for _, some in acted for hit in some]
        return ReplaceFigures(
            hits=len(every),
            left_out=sum(len(touched.places) for touched in self.run.touched) - len(every),
            messages=len(
                {
                    (touched.entry.id, hit.raw)
                    for touched, some in acted
                    for hit in some
                    if hit.raw is not None
                }
            ),
            beside=len(beside(every)),
            sessions=len(acted),
            accepted=sum(touched.entry.status == ACCEPTED for touched, _ in acted),
            tokens_before=sum(touched.tokens for touched, _ in acted),
            tokens_after=sum(self._tokens[touched.entry.id] for touched, _ in acted),
        )

    def apply(self, library: Library, watch: TaskProgress) -> Done:
        wanted = {touched.entry.id: self.chosen(touched) for touched in self.run.touched}
        entries = [touched.entry for touched in self.run.touched if wanted[touched.entry.id]]
        figures = self.figures
        bulk = change_many(library, entries, partial(_replace, wanted), watch)
        toast = done(
            f"Replaced {plural(figures.hits, 'hit')} in {plural(len(bulk.changed), 'session')}",
            " ".join(["The old text is hidden, not gone.", *staying_words(self.run.stays)]),
            ("u", "undoes it"),
        )
        return bulk.done(library, toast, "replaced")


class ReplaceFigures(NamedTuple):
    """What a replacement would come to."""

    hits: int
    left_out: int
    messages: int
    beside: int
    """Hits in titles, tags, notes, labels, tools and other fields."""
    sessions: int
    accepted: int
    """Accepted sessions that would be in review again."""
    tokens_before: int
    tokens_after: int
    """What is visible in the sessions that would be changed."""


def staying_words(stays: Stays) -> list[str]:
    """Return in a sentence each what was found and is not replaced."""
    words = {
        EVERYWHERE: "in names of fields, ids, types or numbers",
        PURGE: "in hidden messages, recorded calls or the path of a file",
        OTHER_ROLES: "in other roles or outside messages",
    }
    counts = ((stays.total(remedy), text) for remedy, text in words.items())
    return [f"{plural(count, 'hit stays', 'hits stay')} {text}." for count, text in counts if count]


def _replace(wanted: dict[str, list[ReplaceHit]], session: Session) -> dict[str, Any]:
    return change_hits(session, wanted[session.id])
