"""Squashing, splitting and purging sessions, and what formats kept of removed text.

Versions up to 0.1 left the notes of a format in the metadata of a message that was redacted or
replaced; such a note may hold the very text that was to go. Now an edit drops them. Where history
is there, what an edit took away is known. Where a session was squashed since, it is not: there a
note is suspect if it says what its message does not say.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Any, NamedTuple, Self

from ..conversation.conversation import Conversation
from ..conversation.readable import Readable
from ..engine.messages import FORMAT_KEYS, Message, Part, ToolResultPart, without_formats
from ..engine.meta_fields import (
    FIELDS,
    LINES,
    PARTED,
    TRANSCRIPTS,
    WEB_LINES,
    other_fields,
    parted,
    texts_below,
    with_fields,
)
from ..engine.operations import Redact, Replace, Select
from ..errors import Refused, out_of_range
from ..formats.format_metadata import without
from ..formats.warnings import FormatWarning
from ..storage.details import tidy_title
from ..storage.errors import NotFound, StorageError
from ..storage.library import Library
from ..storage.session import Session
from ..values.frozen import thaw
from ..values.models import read_number
from .catalog import Catalog
from .patterns import Pattern, common_ends, json_strings
from .replacing import count_in, meant, moved, search
from .texts import SEALED, TextWalk

SHORTEST_STRETCH, SHORTEST_WORD = 4, 2
"""Characters of a removed stretch by which it is known within another text, and as a word of it."""
MOST_COMPARED = 10_000_000
"""Pairs of words that are compared to find all stretches that were removed from a text."""
WORDS = re.compile(r"[^\W\u2e80-\uffff]+|\S")
SHORTEST_SENTENCE = 12
"""Characters of a text with spaces that is no mere name, such as a model's or a reason's."""


class Leftovers(NamedTuple):
    """The messages whose notes hold what was removed from them, by raw index."""

    edited: tuple[int, ...] = ()
    """Those that history says it of."""
    suspect: tuple[int, ...] = ()
    """Those of a session squashed before whose notes hold a text that is not in the message.

    It may have been removed, or it may never have been in the message, as the text of a citation.
    """

    @property
    def all(self) -> tuple[int, ...]:
        return tuple(sorted({*self.edited, *self.suspect}))


def leftovers(conversation: Readable) -> Leftovers:
    """Return the messages whose notes hold, or may hold, what was removed from them."""
    edited = {
        raw
        for old, raw in _edits(conversation)
        if _holds_removed(conversation.log[old], conversation.log[raw])
    }
    origin = conversation.moment.head.meta.get("origin")
    if isinstance(origin, Mapping) and origin.get("cleaned") is True:
        return Leftovers(tuple(sorted(edited)))
    suspect = [
        raw
        for raw, message in enumerate(conversation.log)
        if raw not in edited and "squashedFrom" in (message.metadata or ()) and _is_odd(message)
    ]
    return Leftovers(tuple(sorted(edited)), tuple(suspect))


def leftovers_in(library: Library, id: str) -> Leftovers:
    """Return the messages of a session that hold removed text, or may; the session stays.

    Of redacted messages only the file can still hold it: what is read from it does not.
    """
    stored = library.as_stored(id)
    found = leftovers(stored.conversation)
    edited = sorted({*found.edited, *stored.outdated})
    return found._replace(edited=tuple(edited))


def without_notes(message: Message) -> Message:
    """Return a message without what formats kept of it and of its parts."""
    content = message.content
    if not isinstance(content, str):
        content = tuple(_bare(part) for part in content)
    metadata = message.metadata and without_formats(message.metadata)
    return replace(message, content=content, metadata=metadata)


def _bare(part: Part) -> Part:
    if isinstance(part, ToolResultPart) and isinstance(part.content, tuple):
        part = replace(part, content=tuple(_bare(inner) for inner in part.content))
    return replace(part, metadata=part.metadata and without_formats(part.metadata))


def _edits(conversation: Readable) -> Iterator[tuple[int, int]]:
    """Yield messages that an edit put another in the place of, each with that one."""
    for revision in conversation.revisions:
        if revision.parent is None or not isinstance(revision.operation, Redact | Replace):
            continue
        before, after = conversation.revisions[revision.parent].view, revision.view
        for start, length in revision.fresh:
            for new in range(start, start + length):
                position = after.position(new)
                if position is not None and position < len(before):
                    old = before[position]
                    if after.position(old) is None:
                        yield old, new


def _holds_removed(old: Message, new: Message) -> bool:
    """Return whether notes of a message hold a text that only the message before it held."""
    before, after = _texts(old), _texts(new)
    gone = [text for text in before if text.strip() and text not in after]
    if not gone:
        return False
    kept = "\n".join(after).casefold()
    held = [note for note in map(str.casefold, _notes(new)) if note.strip() and note not in kept]
    if not held:
        return False
    for note in held:
        if any(text.casefold() in note or note in text.casefold() for text in gone):
            return True
    pairs = zip(before, after, strict=False)
    stretches = {text for one, other in pairs for text in _stretches(one, other)}
    return any(_is_within(text.casefold(), note) for text in stretches for note in held)


def _is_within(stretch: str, note: str) -> bool:
    if len(stretch) >= SHORTEST_STRETCH:
        return stretch in note
    return len(stretch) >= SHORTEST_WORD and stretch in WORDS.findall(note)


def _stretches(old: str, new: str) -> Iterator[str]:
    """Yield what was removed from a text: as whole words, and without what stayed of these."""
    if old == new:
        return
    yield _middle(old, new)
    words, others = list(WORDS.finditer(old)), list(WORDS.finditer(new))
    if len(words) * len(others) > MOST_COMPARED:
        return
    matcher = SequenceMatcher(None, [one[0] for one in words], [one[0] for one in others])
    for tag, first, end, start, stop in matcher.get_opcodes():
        if tag in ("delete", "replace"):
            gone = old[words[first].start() : words[end - 1].end()]
            yield gone
            if start < stop:
                yield _middle(gone, new[others[start].start() : others[stop - 1].end()])


def _middle(old: str, new: str) -> str:
    first, last = common_ends(old, new)
    return old[first : len(old) - last].strip()


def _texts(message: Message) -> list[str]:
    return [
        place.text
        for place in TextWalk().message(message)
        if "metadata" not in place.path and place.kind != SEALED and place.path != ("id",)
    ]


def _format_notes(message: Message) -> Iterator[Any]:
    holders: list[Message | Part] = [message]
    for part in message.parts:
        holders.append(part)
        if isinstance(part, ToolResultPart) and isinstance(part.content, tuple):
            holders += part.content
    for one in holders:
        yield from (value for key, value in (one.metadata or {}).items() if key in FORMAT_KEYS)


def _notes(message: Message) -> Iterator[str]:
    """Yield the texts of what formats kept of a message, those in JSON texts too."""
    for value in _format_notes(message):
        for place in TextWalk().provided(value, ()):
            if place.kind != SEALED:
                yield place.text


def _is_odd(message: Message) -> bool:
    """Return whether notes hold a sentence, or a text in JSON, that is not in the message."""
    texts = _texts(message)
    said = "\n".join(texts)
    known = {json.dumps(thaw(value), sort_keys=True) for value in _values(message)}
    return any(
        json.dumps(json.loads(text), sort_keys=True) not in known
        if json_strings(text)
        else len(text) >= SHORTEST_SENTENCE and " " in text.strip() and text not in said
        for value in _format_notes(message)
        for _, text in texts_below(value)
    )


def _values(message: Message) -> Iterator[Any]:
    """Yield the JSON values of a message: what calls are given, and texts that are JSON."""
    for part in message.parts:
        given = getattr(part, "input", None)
        for value in (given, getattr(part, "content", None), getattr(part, "text", None)):
            if isinstance(value, str) and json_strings(value):
                yield json.loads(value)
            elif value is not None and value is given:
                yield value


WORD = "squashed"


class Squashed(NamedTuple):
    """A session that was made of what is visible in another."""

    old: str
    new: str
    title: str
    messages: int
    raw_messages: int
    is_purged: bool
    notes: tuple[str, ...] = ()
    """What had to be done to read the old one."""
    kept: tuple[str, ...] = ()
    """What a purged session holds in addition to its messages, in words."""
    cleaned: int = 0
    """From how many messages notes of a format were dropped that held removed text, or may."""


class Purging:
    """Sessions that are removed for good; caches forget all of them at the end of the block."""

    def __init__(self, library: Library, wait: float = 0.0) -> None:
        self._library = library
        self._wait = wait
        self._gone: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Remove what is gone from the caches, also if the rest could not be removed."""
        if self._gone:
            forget(self._library, self._gone)

    def remove(self, id: str) -> None:
        try:
            self._library.delete(id, wait=self._wait)
        except NotFound:
            self._library.trash.must_hold(id)
        self._library.purge(id)
        self._gone.append(id)

    def hand_over(self, id: str, changes: int, heirs: Sequence[str]) -> None:
        """Remove a session for new ones that were made of it when it had so many changes.

        Where it can't be removed, or was changed meanwhile, it stays and the new ones go.
        """
        try:
            self._library.delete(id, wait=self._wait)
            with self._library.look_in_trash(id) as seen:
                is_same = len(seen.conversation.journal) == changes
            if not is_same:
                self._library.restore(id)
                raise StorageError(
                    f"session {id} was changed while it was squashed, so it stays as it is",
                    field="session",
                    value=id,
                )
        except StorageError:
            for heir in heirs:
                self.remove(heir)
            raise
        self.remove(id)

    def squash(self, id: str, *, has_fields: bool = True) -> Squashed:
        """Make a new session of what is visible in another, and then remove that one.

        The new one is on disk and found whole before the old one goes.
        """
        with self._library.open(id, wait=self._wait) as old:
            if old.id != id:
                raise _damaged(id)
            news = cleaned(old.conversation)
            meta = bare_meta(old, has_fields=has_fields)
            made = old.conversation.squash(meta=meta, instead=news)
            raw, title = len(old.conversation.log), old.title
            changes = len(old.conversation.journal)
            new = _kept(self._library, made, title, old, is_heir=True)
            kept = kept_words(old, made)
        self.hand_over(id, changes, [new])
        return Squashed(id, new, title, len(made.log), raw, True, (), kept, len(news))


def squash_session(
    library: Library,
    id: str,
    *,
    is_purging: bool = False,
    has_fields: bool = True,
    wait: float = 0.0,
) -> Squashed:
    """Make a new session of what is visible in another, which stays unless it is to be purged.

    It has the other fields, too, unless they shall be left out.
    """
    if is_purging:
        with Purging(library, wait) as purging:
            return purging.squash(id, has_fields=has_fields)
    with library.open(id, read_only=True) as old:
        meta = old.conversation.meta
        made = old.conversation.squash(meta=meta if has_fields else without_fields(meta))
        title = tidy_title(f"{old.title} ({WORD})")
        new = _kept(library, made, title, old, is_heir=False)
        raw = len(old.conversation.log)
        return Squashed(id, new, title, len(made.log), raw, False, old.notes)


def cleaned(conversation: Readable) -> dict[int, Message]:
    """Return the visible messages whose notes hold removed text, or may, without these notes."""
    shown_now = set(conversation.view)
    return {
        raw: without_notes(conversation.log[raw])
        for raw in leftovers(conversation).all
        if raw in shown_now
    }


def kept_words(session: Session, made: Conversation) -> tuple[str, ...]:
    """Return in words what a purged session holds in addition to its messages."""
    conversation, details = session.conversation, session.details
    settings, meta, view = conversation.settings, made.meta, conversation.view
    tools = meta.get("tools")
    counts = {
        "tag": len(details.tags),
        "note on a message": sum(view.position(raw) is not None for raw, _ in details.remarks),
        "label": len(conversation.marks),
        "tool definition": len(tools) if isinstance(tools, tuple) else 0,
        "other field": len(other_fields(meta)),
    }
    many = {"note on a message": "notes on messages"}
    words = ["the title"]
    words += ["the note"] if details.note else []
    words += [
        f"{count:,} {one if count == 1 else many.get(one, one + 's')}"
        for one, count in counts.items()
        if count
    ]
    words += ["the tool description"] if settings.tool_description else []
    return (*words, "the verdict", "the settings")


def bare_meta(session: Session, *, has_fields: bool = True) -> dict[str, Any]:
    """Return what a purged conversation may still say of itself.

    These are its title, its tools, its other fields if it shall have them, and the layout of its
    file. Lines of a transcript that are no messages go: they repeat what is hidden.
    """
    meta = session.conversation.meta
    objects = {key: value for key, value in meta.items() if isinstance(value, Mapping)}
    layouts = {key: without(thaw(parted(key, value)[1]), "tools") for key, value in objects.items()}
    formats: dict[str, Any] = {key: layouts[key] if key in PARTED else {} for key in objects}
    tools = {"tools": thaw(meta["tools"])} if "tools" in meta else {}
    lines = (LINES, WEB_LINES) if any(key in meta for key in TRANSCRIPTS) else ()
    fields = without(thaw(other_fields(meta)), *lines) if has_fields else {}
    rest = without(formats, "origin", FIELDS)
    return {**rest, **tools, **({FIELDS: fields} if fields else {}), "title": session.title}


def without_fields(meta: Mapping[str, Any]) -> dict[str, Any]:
    """Return the meta of a conversation without its other fields, wherever they are kept."""
    bare = {**meta, **with_fields(meta, {})}
    return {key: value for key, value in bare.items() if value is not None}


def _kept(library: Library, made: Conversation, title: str, old: Session, *, is_heir: bool) -> str:
    """Return the id of a session that is made of another; its heir is verified."""
    details = old.details
    about: dict[str, Any] = {"tags": details.tags}
    if is_heir:
        places = {raw: place for place, raw in enumerate(old.conversation.view)}
        remarks = moved(details.remarks, places)
        about |= {"status": details.status, "note": details.note, "remarks": remarks}
    warnings = inherited(details.warnings, is_purged=is_heir)
    return _saved(library, made, title, warnings, about, is_verified=is_heir)


def _saved(
    library: Library,
    made: Conversation,
    title: str,
    warnings: tuple[FormatWarning, ...],
    about: Mapping[str, Any],
    *,
    is_verified: bool = False,
) -> str:
    """Return the id of a new session that is safe on disk; if anything fails, none is left."""
    session = library.create(made, title=title, warnings=warnings)
    try:
        if not session.is_saved:
            raise StorageError(session.problem or "it can't be saved", field="session")
        session.describe(**about)
        session.close()
        wrong = library.verify(session.id) if is_verified else []
        if wrong:
            raise StorageError(f"the new session is not whole: {wrong[0]}", field="session")
    except BaseException:
        session.abandon()
        with suppress(StorageError):
            purge(library, [session.id])
        raise
    return session.id


def inherited(warnings: Iterable[FormatWarning], *, is_purged: bool) -> tuple[FormatWarning, ...]:
    """Return the warnings of a session for one that is made of it, where messages move.

    Of a purged session no name stays: it may repeat what is to go.
    """
    return tuple(
        FormatWarning.of(one.code, () if is_purged else one.names, count=one.count)
        for one in warnings
    )


def _damaged(id: str) -> StorageError:
    return StorageError(
        f"session {id} is damaged, so it is not purged; what could be read is in a new session",
        field="session",
        value=id,
    )


def purge(library: Library, ids: Iterable[str], *, wait: float = 0.0) -> None:
    """Remove sessions for good, wherever they are, and everything that is known of them."""
    with Purging(library, wait) as purging:
        for id in ids:
            purging.remove(id)


def forget(library: Library, ids: Sequence[str]) -> None:
    """Let caches know nothing of sessions any more."""
    library.list()  # Removes unfinished files, too.
    with Catalog(library) as catalog:
        catalog.forget(ids)


class InTrash(NamedTuple):
    """How often patterns are found in deleted sessions, and in how many of them."""

    hits: int
    sessions: int


def in_spool(library: Library, what: Sequence[Pattern]) -> int:
    """Count what patterns find in recorded calls that are in no session yet.

    A proxy that was killed has left them; the next one records them.
    """
    found = 0
    for slip in library.spool.entries():
        with suppress(OSError):  # It may have been recorded meanwhile.
            lines = [line.decode("utf-8", "replace") for line in slip.lines()]
            found += count_in(lines, what)
    return found


def in_trash(library: Library, what: Sequence[Pattern]) -> InTrash:
    """Count what patterns find in the trash; a session that can't be read counts as one hit."""
    found = sessions = 0
    for id in library.trash.ids():
        try:
            with library.look_in_trash(id) as session:
                conversation, details = session.conversation, session.details
        except StorageError:
            here = 1
        else:
            seen = search(conversation, what, details=details)
            here = len(meant(seen.hits)) + seen.stays.total()
        found += here
        sessions += here > 0
    return InTrash(found, sessions)


class SplitHalf(NamedTuple):
    """A session that was made of a part of another."""

    id: str
    title: str
    messages: int
    errors: int
    """What lint finds in it; a call may have been parted from its result."""


def halves(conversation: Readable, position: int, *, with_system: bool) -> tuple[list[int], ...]:
    """Return the raw indices before a visible position, and from it on.

    ``with_system`` lets the second begin with the system messages of the first.
    """
    view = list(conversation.view)
    if not 1 <= read_number(position, "position") < len(view):
        legal = f"1…{len(view) - 1}" if len(view) > 1 else "a conversation of two messages or more"
        raise out_of_range("position", position, legal)
    first, second = view[:position], view[position:]
    shared = [raw for raw in first if conversation.log[raw].role == "system"] if with_system else []
    return first, [*shared, *second]


def split(
    conversation: Conversation, position: int, *, with_system: bool = False
) -> tuple[Conversation, Conversation]:
    """Return two new conversations of what is visible before a position and from it on."""
    first, second = halves(conversation, position, with_system=with_system)
    return conversation.squash(only=first), conversation.squash(only=second)


def split_session(
    library: Library,
    id: str,
    position: int,
    *,
    with_system: bool = False,
    is_purging: bool = False,
    wait: float = 0.0,
) -> tuple[SplitHalf, SplitHalf]:
    """Make two new sessions of one, which stays unless it is to be purged."""
    with library.open(id, read_only=not is_purging, wait=wait) as old:
        if old.id != id:
            raise StorageError(f"session {id} is damaged, so it is not split", field="session")
        talk, details = old.conversation, old.details
        meta = bare_meta(old) if is_purging else None
        news = cleaned(talk) if is_purging else None
        both = halves(talk, position, with_system=with_system)
        changes = len(talk.journal)
        made: list[SplitHalf] = []
        try:
            for number, raws in enumerate(both, 1):
                part = talk.squash(only=raws, meta=meta, instead=news)
                remarks = moved(details.remarks, {raw: at for at, raw in enumerate(raws)})
                about = {"tags": details.tags, "remarks": remarks}
                title = tidy_title(f"{old.title} ({number} of 2)")
                warnings = inherited(details.warnings, is_purged=is_purging)
                new = _saved(library, part, title, warnings, about)
                errors = sum(one.severity == "error" for one in part.lint())
                made.append(SplitHalf(new, title, len(part.log), errors))
        except BaseException:
            purge(library, [half.id for half in made])
            raise
    if is_purging:
        with Purging(library, wait) as purging:
            purging.hand_over(id, changes, [half.id for half in made])
    return made[0], made[1]


def keep_only(conversation: Readable, raws: Iterable[int]) -> Select:
    """Return the operation that hides everything but some visible messages, in their order."""
    wanted = set(raws)
    kept = [raw for raw in conversation.view if raw in wanted]
    if not kept:
        raise Refused(
            "nothing that is visible is selected, so nothing can be kept",
            field="selection",
            legal="one visible message or more",
        )
    return Select(indices=kept)
