"""Opening: a session is read from its files, and everything odd about it is told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..conversation.conversation import Clock, Conversation, follow
from ..errors import Refused, shown
from ..values.collecting import uncollected
from .confirmed import Confirmed, read_confirmed
from .details import Details
from .disk import Disk
from .errors import NotFound, TooNew
from .files import Reached, SessionFiles
from .journal_text import JournalPlace, JournalText, read_journal
from .names import SessionPaths
from .replay import ODD, replayed
from .salvage import Salvaged, salvage
from .schema import VERSION, migrated
from .sealed import SealedContent, TableRow, digest

TRIES = 5
"""How often a session is read anew that its holder writes at the same moment."""


class SessionRead(NamedTuple):
    """What the files of a session gave."""

    conversation: Conversation
    details: Details
    notes: tuple[str, ...]
    damage: tuple[str, ...]
    """What is wrong with the files; they are then left alone, and this is a recovered copy."""
    origin: str
    """The checksum of both files as they were read."""
    doubts: tuple[str, ...] = ()
    """What a check tells although the session can be used as it is; ``notes`` tell it, too."""
    outdated: tuple[int, ...] = ()
    """The messages of which the file holds more metadata than is read."""


class Bytes(NamedTuple):
    """The files of a session, as they were at one moment."""

    main: bytes
    journal: bytes | None
    confirmed: bytes | None = None


def read_files(disk: Disk, place: SessionPaths) -> Bytes:
    """Return the bytes of the files; none may have been replaced while the others were read."""
    for _ in range(TRIES):
        before = disk.stamp(place.main)
        if before is None:
            raise NotFound(
                f"there is no session {place.id} in {place.folder}", field="session", value=place.id
            )
        try:
            main = disk.read(place.main)
            # The record first: a holder at work may add lines to the journal file meanwhile.
            confirmed = disk.read(place.confirmed) if disk.stamp(place.confirmed) else None
            journal = disk.read(place.journal) if disk.stamp(place.journal) else None
        except FileNotFoundError:
            continue
        if disk.stamp(place.main) == before:
            return Bytes(main, journal, confirmed)
    raise NotFound(f"session {place.id} is being rewritten; try again", field="session")


def read_session(files: SessionFiles, given: Bytes, clock: Clock) -> SessionRead:
    """Return the conversation of a session, or as much of it as can be read."""
    with uncollected():
        return _read(files, given, clock)


def _read(files: SessionFiles, given: Bytes, clock: Clock) -> SessionRead:
    origin = digest(given.main, given.journal or b"")
    try:
        content = files.storage.content(given.main)
        tables, version = migrated(content.tables)
        conversation, outdated = replayed(tables, clock)
        meta = tables["meta"]["1"]
        details = Details.from_dict(meta)
    except TooNew:
        raise
    except ODD as error:
        return _rescued(salvage(given.main, given.journal, clock), str(error), origin)
    checksum, previous = content.checksum, _texts(meta.get("previous"))
    files.known(len(conversation.journal), details, previous)
    news = _Newer(conversation, details)
    text, damage = _journal(given.journal, content, previous)
    confirmed, doubts = _confirmed(given.confirmed, checksum)
    lost = 0 if confirmed is None else confirmed.lost(text)
    unused = 0
    if text is not None:
        misfit = news.take(text.lines, is_old=text.header.base != checksum)
        damage = misfit or text.damage
        # The line that can't be read is told by itself.
        unused = text.unread if misfit else text.unread - 1
        if text.torn and not lost:
            doubts.append(_torn(text.unread, is_sure=confirmed is not None))
        if damage is None and given.journal is not None:
            files.resume(text, given.journal, is_doubtful=text.torn and confirmed is None)
    wrong = [] if content.is_sealed else ["the session file was changed by another program"]
    if damage is not None:
        wrong.append(damage)
        was = "was" if unused == 1 else "were"
        wrong += [f"{unused} more of its lines {was} not used"] if unused > 0 else []
    if lost:
        wrong.append(_missing(lost, given.journal is not None))
    if not wrong:
        goes_on = text is not None and text.header.base == checksum
        place = JournalPlace.after(text) if text is not None and goes_on else None
        files.reached = Reached(checksum, tuple(previous), place)
    notes = (*_about(version), *news.notes(), *doubts)
    return SessionRead(
        conversation, news.details, notes, tuple(wrong), origin, tuple(doubts), outdated
    )


def _confirmed(data: bytes | None, checksum: str) -> tuple[Confirmed | None, list[str]]:
    """Return the record of what is confirmed since a session file, or what is wrong with it."""
    if data is None:
        return None, []
    try:
        found = read_confirmed(data)
    except Refused as refusal:
        unknown = "whether confirmed changes are missing can't be told"
        return None, [f"the record of what is confirmed can't be read: {refusal}; {unknown}"]
    return (found if found.base == checksum else None), []


def _unused(count: int, which: str = "") -> str:
    """Return that some lines of the journal file were not used."""
    return f"1 line{which} was not used" if count == 1 else f"{count} lines{which} were not used"


def _torn(count: int, *, is_sure: bool) -> str:
    lost = "1 line was" if count == 1 else f"{count} lines were"
    known = "none of that was confirmed" if is_sure else "that may have been confirmed"
    return f"{lost} dropped that broke off at the end of the journal file; {known}"


def _missing(count: int, has_journal: bool) -> str:
    changes = "1 confirmed change is" if count == 1 else f"{count} confirmed changes are"
    where = "at the end of the journal file" if has_journal else "with the whole journal file"
    return f"{changes} missing {where}"


def _rescued(salvaged: Salvaged, why: str, origin: str) -> SessionRead:
    wrong = (f"the session file is damaged: {why}", *salvaged.lost)
    return SessionRead(salvaged.conversation, salvaged.details, (), wrong, origin)


def _texts(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _about(version: int) -> list[str]:
    if version == VERSION:
        return []
    return [f"the session file was of version {version}; it is written as version {VERSION} now"]


def _journal(
    data: bytes | None, content: SealedContent, previous: Sequence[str]
) -> tuple[JournalText | None, str | None]:
    """Return the journal file as text if it belongs to the session file, else what is wrong."""
    if data is None:
        return None, None
    try:
        text = read_journal(data)
    except TooNew:
        raise
    except Refused as refusal:
        return None, f"the journal file can't be used: {refusal}"
    if text.header.base != content.checksum and text.header.base not in previous:
        unused = _unused(len(text.lines))
        return None, f"the journal file continues another session file, so its {unused}"
    return text, None


class _Newer:
    """A conversation that takes up what the journal file says came after the session file."""

    def __init__(self, conversation: Conversation, details: Details) -> None:
        self._conversation = conversation
        self.details = details
        self._changes = 0

    def take(self, lines: Sequence[TableRow], *, is_old: bool) -> str | None:
        """Do what the lines tell, in order; return what is wrong with the first bad one."""
        for number, line in enumerate(lines, start=2):
            try:
                self._line(line, is_old)
            except ODD as error:
                rest = _unused(len(lines) - (number - 2), " from there on")
                return f"line {number} of the journal file does not fit: {error}; {rest}"
        return None

    def _line(self, line: Mapping[str, Any], is_old: bool) -> None:
        if "details" in line:
            if not is_old:
                self.details = Details.from_dict(line["details"])
            return
        place, here = line.get("n"), len(self._conversation.journal)
        if is_old and isinstance(place, int) and place < here:
            return
        if place != here:
            raise Refused(
                f"it is change {shown(place)}, but change {here} should follow", field="n"
            )
        follow(self._conversation, line.get("record", {}))
        self._changes += 1

    def notes(self) -> list[str]:
        """Return in plain words what was done."""
        if not self._changes:
            return []
        many = "1 change was" if self._changes == 1 else f"{self._changes} changes were"
        return [f"{many} recovered from the journal"]
