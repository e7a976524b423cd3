"""Replacing: what patterns find in a session gives way to something else, and only that.

First ``search`` says what would be replaced and what would stay, for a dry run; then ``replace``
does what is wanted, as one change that can be undone. What holds a conversation together (names of
fields, numbers, ids, types of data) stays unless ``everywhere`` is asked for; what is hidden or was
recorded stays until the session is purged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from typing import Any, Literal, NamedTuple

from ..conversation.conversation import Conversation, Result
from ..conversation.readable import Readable
from ..engine.messages import Message, ToolUsePart
from ..engine.operation import Operation
from ..engine.operations import Configure, Describe, DescribeMeta, Mark, Replace, Unmark
from ..engine.text_search import TooSlow
from ..engine.views import runs_of
from ..errors import Refused, format_value
from ..storage.details import ACCEPTED, IN_REVIEW, Details, tidy_title
from ..storage.errors import StorageError
from ..storage.library import Library
from ..storage.session import Session
from ..values.frozen import thaw
from ..values.models import LABEL_LENGTH, ROLES, read_role
from .patterns import Pattern, PatternMatch, find_written
from .texts import (
    ID,
    NAME,
    REACHED,
    SEALED,
    TEXT,
    TOOL,
    Kind,
    TextPath,
    TextPlace,
    TextWalk,
    ids_of,
    place_words,
    put,
    unlike,
    with_texts,
)

Remedy = Literal["everywhere", "purge", "roles"]
EVERYWHERE: Remedy = "everywhere"
PURGE: Remedy = "purge"
OTHER_ROLES: Remedy = "roles"
REMEDIES: tuple[Remedy, ...] = (EVERYWHERE, PURGE, OTHER_ROLES)
WHOLE = frozenset((ID, TOOL))
"""Names of something: one that is changed is changed as a whole, and the same wherever it is."""
HIDDEN = "hidden message"
SHORT, MOST_SHORT = 32, 100_000
"""Characters of texts whose hits are remembered in a search, and how many of them."""
DETAILS = ("title", "tags", "note", "remarks")


class ReplaceHit(NamedTuple):
    """One place where something would be replaced."""

    raw: int | None
    """The raw index of its message; None where it is in no message."""
    position: int | None
    role: str
    path: TextPath
    """Where the text is in its message or in the session; see ``core/curation/texts.py``."""
    start: int
    end: int
    """Where in that text."""
    before: str
    after: str
    pattern: str
    doubt: str = ""
    """Why it is probably not meant; it is replaced only if it is chosen."""
    kind: Kind = TEXT
    where: str = ""
    """The place in words; no text that is looked for is in them."""


class Staying(NamedTuple):
    """A place where something is found that replacing does not change."""

    where: str
    raw: int | None
    hits: int
    remedy: Remedy
    """What removes it: asking for everything, purging, or asking for no roles."""


class Stays(NamedTuple):
    """What patterns find where replacing does not reach, and what can't be searched."""

    places: tuple[Staying, ...] = ()
    sealed: int = 0
    """Encrypted or encoded parts, signatures among them: nothing in them is looked for."""

    def __add__(self, other: tuple[Any, ...]) -> Stays:
        places, sealed = other
        return Stays((*self.places, *places), self.sealed + sealed)

    def total(self, *remedies: Remedy) -> int:
        """Return how often something is found, of all or of what some remedies remove."""
        return sum(one.hits for one in self.places if not remedies or one.remedy in remedies)


class Searched(NamedTuple):
    """Everything that patterns find in a session."""

    hits: list[ReplaceHit]
    stays: Stays


class _Placed(NamedTuple):
    """A text of a session, and which message it is in."""

    raw: int | None
    position: int | None
    role: str
    place: TextPlace


def search(
    conversation: Readable,
    what: Sequence[Pattern],
    roles: Collection[str] = ROLES,
    *,
    everywhere: bool = False,
    details: Details | None = None,
) -> Searched:
    """Look for patterns in all of a session; ``details`` is what is said about it.

    ``roles`` limits what is replaced to messages of these roles, and to nothing else. Ids
    tie messages of different roles together, so they are replaced only where no role is left out.
    """
    return _ReplaceSearch(conversation, what, roles, everywhere, details).found


class _ReplaceSearch:
    def __init__(
        self,
        conversation: Readable,
        what: Sequence[Pattern],
        roles: Collection[str],
        everywhere: bool,
        details: Details | None,
    ) -> None:
        self._talk, self._what, self._details = conversation, what, details
        self._roles = {read_role(role) for role in roles}
        self._is_all = self._roles == set(ROLES)
        self._everywhere = everywhere
        self._short: dict[str, list[PatternMatch]] = {}
        self._walk = TextWalk(ids_of(conversation))

    @cached_property
    def _placed(self) -> list[_Placed]:
        """Return every text that is visible or in no message."""
        log = self._talk.log
        found = [
            _Placed(raw, position, log[raw].role, place)
            for position, raw in enumerate(self._talk.view)
            for place in self._walk.message(log[raw])
        ]
        found += [
            _Placed(None, None, "", place)
            for place in beside_messages(self._talk, self._details, self._walk)
        ]
        return found

    @cached_property
    def _renamed(self) -> Mapping[str, dict[str, str]]:
        """Return what each id and each name of a tool becomes; no two become the same."""
        return {kind: self._new_names(kind) for kind in WHOLE}

    def _new_names(self, kind: str) -> dict[str, str]:
        names = list(
            dict.fromkeys(one.place.text for one in self._placed if one.place.kind == kind)
        )
        found = {name: self._find(name, None) for name in names}
        taken = {name for name in names if not found[name]}
        news: dict[str, str] = {}
        for name in names:
            if found[name]:
                sure = [one for one in found[name] if not one.doubt] or found[name]
                new = edited(name, sure) or kind.partition(" ")[0]
                news[name] = unlike(new, taken)
                taken.add(news[name])
        return news

    @property
    def found(self) -> Searched:
        """Return what would be replaced, and what stays with what removes it."""
        hits: list[ReplaceHit] = []
        stays: list[Staying] = []
        sealed = 0
        for one in self._placed:
            if one.place.kind == SEALED:
                sealed += 1
                continue
            found = self._find(one.place.text, one.raw)
            if not found:
                continue
            remedy, where = self._remedy(one), self._where(one)
            if remedy is None:
                hits += self._hits(one, found, where)
            elif count := sum(not each.doubt for each in found):
                stays.append(Staying(where, one.raw, count, remedy))
        return Searched(hits, Stays(_merged(stays), sealed) + self._out_of_reach())

    def _remedy(self, one: _Placed) -> Remedy | None:
        """Return what must be asked for to change a text; None if it is changed anyway."""
        kind = one.place.kind
        if (not self._is_all) if one.raw is None else one.role not in self._roles:
            return OTHER_ROLES
        if kind not in REACHED and not self._everywhere:
            return EVERYWHERE
        return OTHER_ROLES if kind == ID and not self._is_all else None

    def _where(self, one: _Placed) -> str:
        """Return where a text is, in words that say nothing of what is looked for."""
        path, kind = one.place.path, one.place.kind
        if one.raw is None:
            words = _beside_words(path, self._talk)
        else:
            words = place_words(self._talk.log[one.raw], path)
        words = self._without(words)
        if kind in REACHED or words in ("message id", "tool call"):
            return f"id of {words}" if words == "tool call" else words
        return f"{kind} in {words}"

    def _without(self, words: str) -> str:
        found = [one for one in self._find(words, None) if not one.doubt]
        return edited(words, found) if found else words

    def _find(self, text: str, raw: int | None) -> list[PatternMatch]:
        """Return what is found in a text; that of short ones, which come often, is remembered."""
        if len(text) > SHORT:
            return self._found_in(text, raw)
        if text not in self._short:
            if len(self._short) > MOST_SHORT:
                self._short.clear()
            self._short[text] = self._found_in(text, raw)
        return self._short[text]

    def _found_in(self, text: str, raw: int | None) -> list[PatternMatch]:
        try:
            return [
                one
                for one in find_written(text, self._what)
                if text[one.start : one.end] != one.after
            ]
        except TooSlow as slow:
            raise too_slow(str(slow), raw) from None

    def _hits(self, one: _Placed, found: list[PatternMatch], where: str) -> Iterator[ReplaceHit]:
        path, text, kind = one.place
        if kind in WHOLE:
            first = ([each for each in found if not each.doubt] or found)[0]
            new = self._renamed[kind][text]
            found = [first._replace(start=0, end=len(text), after=new)] if new != text else []
        for each in found:
            before = text[each.start : each.end]
            yield ReplaceHit(
                *(one.raw, one.position, one.role, path, each.start, each.end, before),
                *(each.after, each.pattern, each.doubt, kind, where),
            )

    def _out_of_reach(self) -> Stays:
        """Return what is found in hidden messages, in calls, and in what came with the session."""
        shown_now = set(self._talk.view)
        found: list[Staying] = []
        sealed = 0
        for raw, message in enumerate(self._talk.log):
            if raw not in shown_now:
                places = list(self._walk.message(message))
                sealed += sum(place.kind == SEALED for place in places)
                found.append(self._purged(HIDDEN, raw, places))
        for where, value in _recorded(self._talk, self._details):
            places = list(self._walk.provided(value, ("calls",)))
            sealed += sum(place.kind == SEALED for place in places)
            found.append(self._purged(where, None, places))
        return Stays(tuple(one for one in found if one.hits), sealed)

    def _purged(self, where: str, raw: int | None, places: Iterable[TextPlace]) -> Staying:
        texts = [place.text for place in places if place.kind != SEALED]
        return Staying(where, raw, count_in(texts, self._what), PURGE)


def _merged(stays: Iterable[Staying]) -> tuple[Staying, ...]:
    counts: Counter[tuple[str, int | None, Remedy]] = Counter()
    for where, raw, count, remedy in stays:
        counts[where, raw, remedy] += count
    return tuple(
        Staying(where, raw, count, remedy) for (where, raw, remedy), count in counts.items()
    )


def beside_messages(
    conversation: Readable, details: Details | None, walk: TextWalk
) -> Iterator[TextPlace]:
    """Yield every text of a session that is in no message and in nothing recorded."""
    if details is not None:
        yield from _of_details(details)
    kept = conversation.settings.compression_config.keep_marks or ()
    for label in dict.fromkeys((*conversation.marks, *kept)):
        yield TextPlace(("labels", label), label)
    yield TextPlace(("toolDescription",), conversation.settings.tool_description or "")
    for batch in conversation.batches:
        yield TextPlace(("batches", batch.id), batch.description)
    yield from walk.meta(conversation.moment.head.meta)


def _beside_words(path: TextPath, conversation: Readable) -> str:
    match path:
        case ("remarks", raw):
            return f"note on message {raw}"
        case ("batches", id):
            return f"name of batch {id}"
        case ("meta", "tools", int(number), *_):
            tool = conversation.moment.head.meta["tools"][number]
            name = tool.get("name") if isinstance(tool, Mapping) else None
            return f"definition of tool {name}" if isinstance(name, str) else "tool definition"
        case ("meta", "title"):
            return "title in the file"
        case ("tags" | "labels", _):
            return str(path[0])[:-1]
        case ("toolDescription",):
            return "tool description"
        case ("meta", *_):
            return "other field"
    return str(path[0])


def _recorded(conversation: Readable, details: Details | None) -> Iterator[tuple[str, Any]]:
    """Yield what was recorded of each call, and what says where a session comes from."""
    calls = conversation.calls
    for number, call in enumerate(calls.all):
        data = call.to_dict()
        for key in ("parameters", "answer", "wire", "model", "request"):
            if data.get(key) is not None:
                yield f"recorded call {number}: {key}", data[key]
    for number, definitions in enumerate(calls.tools.values()):
        yield f"recorded tool definitions {number}", definitions
    if details is not None and details.warnings:
        yield "warnings of the import", [list(one.names) for one in details.warnings]
    if details is not None and details.source is not None:
        yield "path of the imported file", details.source.path
    if details is not None and details.thread is not None:
        yield "name of the recording", details.thread.to_dict()


def too_slow(text: str, raw: int | None) -> Refused:
    """Return the refusal of a pattern that takes too long over a message."""
    place = "the text outside of messages" if raw is None else f"message {raw}"
    return Refused(
        f"text {format_value(text)} takes too long on {place} and was stopped",
        field="text",
        value=text,
        legal="a regular expression without nested repetition",
    )


def meant(found: Iterable[ReplaceHit]) -> list[ReplaceHit]:
    """Return the hits without a doubt."""
    return [hit for hit in found if not hit.doubt]


def replaced(message: Message, found: Iterable[ReplaceHit]) -> Message:
    """Return a message with each of its hits replaced."""
    return with_texts(message, _new_texts(TextWalk().message(message), found))


def _new_texts(places: Iterable[TextPlace], found: Iterable[ReplaceHit]) -> dict[TextPath, str]:
    """Return the new texts by their paths; refuse hits of other texts than there are now."""
    by_path: dict[TextPath, list[ReplaceHit]] = {}
    for hit in sorted(found, key=lambda hit: hit.start):
        by_path.setdefault(hit.path, []).append(hit)
    old = {place.path: place.text for place in places if place.path in by_path}
    for path, some in by_path.items():
        _must_fit(old.get(path), some)
    return {path: edited(old[path], some) for path, some in by_path.items()}


def _must_fit(text: str | None, some: Sequence[ReplaceHit]) -> None:
    """Refuse hits that were found in another text than the one that is there now."""
    ends = [0, *(hit.end for hit in some)]
    for hit, before in zip(some, ends, strict=False):
        if text is None or text[hit.start : hit.end] != hit.before or hit.start < before:
            place = "the session is" if hit.raw is None else f"message {hit.raw} is"
            raise Refused(
                f"{place} not the one in which {format_value(hit.before)} was found; look for it "
                "again",
                field="hits",
                value=hit.before,
                legal="hits of the conversation as it is",
            )


def edited(text: str, some: Iterable[PatternMatch | ReplaceHit]) -> str:
    """Return a text with what was found replaced."""
    pieces, at = [], 0
    for hit in some:
        pieces += [text[at : hit.start], hit.after]
        at = hit.end
    return "".join([*pieces, text[at:]])


def operations(conversation: Readable, found: Sequence[ReplaceHit]) -> list[Operation]:
    """Return the operations that replace hits: neighbours together, then what is in no message.

    The hits must be of the conversation as it is; a message that is not visible where it was found
    is refused. Title, tags and notes are no part of a conversation: see ``details_changes``.
    """
    by_raw: dict[int, list[ReplaceHit]] = {}
    for hit in found:
        if hit.raw is not None:
            by_raw.setdefault(hit.raw, []).append(hit)
    places = {conversation.view.position(raw): raw for raw in by_raw}
    if None in places or any(
        hit.position != conversation.view.position(hit.raw) for hit in found if hit.raw is not None
    ):
        raise Refused(
            "the messages are not where something was found in them; look for it again",
            field="hits",
            legal="hits of the conversation as it is",
        )
    word = f"replaced {', '.join(sorted({hit.pattern for hit in found}))}"
    asked: list[Operation] = []
    for start, length in runs_of(sorted(place for place in places if place is not None)):
        raws = [places[place] for place in range(start, start + length)]
        messages = [replaced(conversation.log[raw], by_raw[raw]) for raw in raws]
        asked.append(Replace(indices=raws, messages=messages, description=word))
    beside = [hit for hit in found if hit.raw is None and hit.path[0] not in DETAILS]
    texts = _new_texts(beside_messages(conversation, None, TextWalk()), beside) if beside else {}
    labels = {str(path[1]): new for path, new in texts.items() if path[0] == "labels"}
    asked += _relabelled(conversation, new_places(conversation, found), labels)
    asked += _described(conversation, texts)
    asked += _configured(conversation, texts, labels)
    return asked


def new_places(conversation: Readable, found: Iterable[ReplaceHit]) -> dict[int, int]:
    """Return where in the log the messages will be that take the place of those with hits."""
    placed = [(hit.position, hit.raw) for hit in found if hit.raw is not None]
    order = dict.fromkeys(raw for _, raw in sorted(placed))
    return {raw: len(conversation.log) + number for number, raw in enumerate(order)}


def _relabelled(
    conversation: Readable, news: Mapping[int, int], labels: Mapping[str, str]
) -> Iterator[Operation]:
    """Yield what puts the labels of old messages on new ones, under their new names."""
    marks = conversation.marks
    for label in marks.keys() & labels.keys():
        yield Unmark(indices=marks[label], label=label)
    for label, marked in marks.items():
        carried = [news[raw] for raw in marked if raw in news]
        new = labels.get(label, label)[:LABEL_LENGTH]
        if label in labels:
            carried = [*marked, *carried]
        if carried and new:
            yield Mark(indices=carried, label=new)


def _described(conversation: Readable, texts: Mapping[TextPath, str]) -> Iterator[Operation]:
    """Yield what names batches, and what describes the conversation, with other texts."""
    for path, text in texts.items():
        if path[0] == "batches":
            operation = conversation.batches[int(path[1])].operation
            kind = "START" if operation is None else operation.title
            yield Describe(batch=int(path[1]), text=text or kind)
    about = {path[1:]: text for path, text in texts.items() if path[0] == "meta"}
    if about:
        old = conversation.moment.head.meta
        new = put(old, about)
        gone = dict.fromkeys(key for key in old if key not in new)
        changed = {key: thaw(new[key]) for key in new if key not in old or new[key] != old[key]}
        yield DescribeMeta(meta={**gone, **changed})


def _configured(
    conversation: Readable, texts: Mapping[TextPath, str], labels: Mapping[str, str]
) -> Iterator[Operation]:
    """Yield what changes the settings that hold texts: the tool description, and kept labels."""
    news: dict[str, Any] = {}
    if ("toolDescription",) in texts:
        news["toolDescription"] = texts["toolDescription",] or None
    kept = conversation.settings.compression_config.keep_marks or ()
    if set(kept) & labels.keys():
        named = [labels.get(label, label)[:LABEL_LENGTH] for label in kept]
        news["compressionConfig"] = {"keepMarks": [label for label in named if label] or None}
    if news:
        yield Configure(**news)


def details_changes(
    details: Details, found: Iterable[ReplaceHit], places: Mapping[int, int]
) -> dict[str, Any]:
    """Return title, tags and notes as far as they change.

    A tag or a note about a message of which nothing is left goes; a title can't. A note about a
    message that is replaced is also on the one in its place.
    """
    mine = [hit for hit in found if hit.raw is None and hit.path[0] in DETAILS]
    texts = _new_texts(_of_details(details), mine)
    tags = (texts.get(("tags", at), tag)[:LABEL_LENGTH] for at, tag in enumerate(details.tags))
    remarks = [(raw, texts.get(("remarks", raw), text)) for raw, text in details.remarks]
    kept = tuple((raw, text) for raw, text in remarks if text)
    title = texts.get(("title",))
    new = {
        "title": details.title if title is None else tidy_title(title),
        "tags": tuple(tag for tag in tags if tag),
        "note": texts.get(("note",), details.note),
        "remarks": (*kept, *moved(kept, places)),
    }
    return {name: value for name, value in new.items() if value != getattr(details, name)}


def _of_details(details: Details) -> Iterator[TextPlace]:
    yield TextPlace(("title",), details.title)
    for number, tag in enumerate(details.tags):
        yield TextPlace(("tags", number), tag)
    yield TextPlace(("note",), details.note)
    for raw, text in details.remarks:
        yield TextPlace(("remarks", raw), text)


def moved(
    remarks: Sequence[tuple[int, str]], places: Mapping[int, int]
) -> tuple[tuple[int, str], ...]:
    """Return the notes about messages that have another raw index elsewhere."""
    return tuple(sorted((places[raw], text) for raw, text in remarks if raw in places))


def replace(conversation: Conversation, found: Sequence[ReplaceHit]) -> Result | None:
    """Replace some hits as one change that UNDO takes back; None where there are none."""
    asked = operations(conversation, found)
    return conversation.execute(asked) if asked else None


def count_in(texts: Iterable[str], what: Sequence[Pattern]) -> int:
    """Return how often patterns are found in some texts; doubts don't count."""
    count = 0
    for text in texts:
        try:
            count += sum(not one.doubt for one in find_written(text, what))
        except TooSlow:
            count += 1  # It can't be data, so it is not called clean.
    return count


def by_pattern(found: Iterable[ReplaceHit]) -> dict[str, int]:
    """Return how many hits each pattern has, doubts left out."""
    return dict(Counter(hit.pattern for hit in meant(found)))


def by_message(found: Iterable[ReplaceHit]) -> list[tuple[int, list[ReplaceHit]]]:
    """Return the hits of each message by its raw index, in visible order."""
    inside = [hit for hit in found if hit.raw is not None]
    return [(raw, list(some)) for raw, some in groupby(inside, key=lambda hit: int(hit.raw or 0))]


def beside(found: Iterable[ReplaceHit]) -> list[ReplaceHit]:
    """Return the hits that are in no message."""
    return [hit for hit in found if hit.raw is None]


AROUND = 40
"""Characters that are shown on either side of a hit; hits that are nearer are shown together."""
CUT = "…"


class HitExcerpt(NamedTuple):
    """Some hits that are shown together, with what is around them."""

    label: str
    """What the text is, where it is nothing that was said: a tool's name and an argument."""
    hits: tuple[ReplaceHit, ...]
    old: str
    new: str
    """The same text with its hits replaced, doubts left out."""


def excerpts(
    places: Iterable[TextPlace], found: Sequence[ReplaceHit], message: Message | None = None
) -> Iterator[HitExcerpt]:
    """Yield the excerpts of hits in the places of a message, or outside of messages."""
    texts = {place.path: place.text for place in places}
    for path, some in groupby(found, key=lambda hit: hit.path):
        for hits in _near_hits(list(some)):
            text = texts[path]
            first, last = max(0, hits[0].start - AROUND), hits[-1].end + AROUND
            start, end = CUT if first else "", CUT if last < len(text) else ""
            wanted = edited(text[:last], (hit for hit in hits if not hit.doubt))
            label = _label(message, hits[0])
            yield HitExcerpt(
                label, hits, f"{start}{text[first:last]}{end}", f"{start}{wanted[first:]}{end}"
            )


def _near_hits(found: list[ReplaceHit]) -> Iterator[tuple[ReplaceHit, ...]]:
    """Yield hits that are so near that what is between them is shown."""
    start = 0
    for at in range(1, len(found) + 1):
        if at == len(found) or found[at].start - found[at - 1].end > 2 * AROUND:
            yield tuple(found[start:at])
            start = at


def _label(message: Message | None, hit: ReplaceHit) -> str:
    """Return what a text is: nothing where it was said, the field where it is an argument."""
    if message is None or hit.kind == NAME:
        return hit.where
    if hit.where in ("", "text", "tool result"):
        return ""
    part = message.parts[hit.path[0]] if isinstance(hit.path[0], int) else None
    if isinstance(part, ToolUsePart) and hit.path[1] == "input":
        names = ".".join(str(step) for step in hit.path[2:])
        return f"{part.name} {names}".rstrip()
    return hit.where


class FoundHits(NamedTuple):
    """What a dry run found in a session."""

    id: str
    title: str
    status: str
    hits: list[ReplaceHit]
    """Everything that was found, doubts among it; the figures are without them."""
    visible: int
    tokens: int
    tokens_after: int
    errors: int
    errors_after: int
    """What lint finds, before and after."""
    stays: Stays

    @property
    def goes_back(self) -> bool:
        return self.status == ACCEPTED and bool(meant(self.hits))


class Replaced(NamedTuple):
    """What became of a session; one without a hit is as it was."""

    id: str
    title: str
    hits: int
    messages: int
    tokens_before: int
    tokens_after: int
    goes_back: bool
    beside: tuple[str, ...]
    """The places outside of messages where something was replaced, in words."""
    stays: Stays
    """What was found and not replaced, without what stays of the old text in the history."""


def save_changes(session: Session, journal: int, about: Mapping[str, Any] | None = None) -> bool:
    """Save what was done to a session; return whether an accepted one is in review again.

    ``journal`` is how many records there were before: what changes nothing leaves none. ``about``
    is what changes of title, tags and notes.
    """
    news = dict(about or {})
    is_changed = len(session.conversation.journal) != journal or bool(news)
    goes_back = is_changed and session.details.status == ACCEPTED
    if goes_back:
        news["status"] = IN_REVIEW
    if news:
        session.describe(**news)
    session.save()
    return goes_back


def find_in(
    library: Library,
    id: str,
    what: Sequence[Pattern],
    roles: Collection[str] = ROLES,
    *,
    everywhere: bool = False,
) -> FoundHits:
    """Return what would be replaced in a session, and what would stay; nothing is changed."""
    with library.open(id, read_only=True) as session:
        talk, details = session.conversation, session.details
    found, stays = search(talk, what, roles, everywhere=everywhere, details=details)
    wanted = operations(talk, meant(found))
    after = talk.copy()
    if wanted:
        after.execute(wanted)
    return FoundHits(
        id,
        details.title,
        details.status,
        found,
        len(talk.view),
        talk.tokens.total,
        after.tokens.total,
        _errors(talk) if wanted else 0,
        _errors(after) if wanted else 0,
        stays,
    )


def _errors(conversation: Conversation) -> int:
    return sum(one.severity == "error" for one in conversation.lint())


def replace_in(
    library: Library,
    id: str,
    what: Sequence[Pattern],
    roles: Collection[str] = ROLES,
    *,
    everywhere: bool = False,
    wait: float = 0.0,
) -> Replaced:
    """Replace what patterns find in a session, doubts left out.

    One in which there is nothing is only read, also while others write it.
    """

    def look(session: Session) -> tuple[list[ReplaceHit], Stays]:
        found, stays = search(
            session.conversation, what, roles, everywhere=everywhere, details=session.details
        )
        return meant(found), stays

    with library.open(id, read_only=True) as seen:
        found, stays = look(seen)
        if not found:
            tokens = seen.conversation.tokens.total
            return Replaced(id, seen.title, 0, 0, tokens, tokens, False, (), stays)
    with library.open(id, wait=wait) as session:
        if session.id != id:
            raise StorageError(
                f"session {id} is damaged, so nothing is replaced in it; "
                f"what could be read is in the new session {session.id}",
                field="session",
                value=id,
            )
        before = session.conversation.tokens.total
        try:
            found, stays = look(session)
            journal = len(session.conversation.journal)
            goes_back = save_changes(session, journal, change_hits(session, found))
        except BaseException:
            session.abandon()  # What is on disk stays as it was.
            raise
        return Replaced(
            id,
            session.title,
            len(found),
            len({hit.raw for hit in found if hit.raw is not None}),
            before,
            session.conversation.tokens.total,
            goes_back,
            tuple(dict.fromkeys(hit.where for hit in found if hit.raw is None)),
            stays,
        )


def change_hits(session: Session, found: Sequence[ReplaceHit]) -> dict[str, Any]:
    """Replace hits in an open session, in memory; return what of title, tags and notes changes.

    ``save_changes`` makes both safe.
    """
    talk = session.conversation
    about = details_changes(session.details, found, new_places(talk, found))
    asked = operations(talk, found)
    if asked:
        session.change(asked)
    return about
