"""Reading rows: the tables of a file become the conversation again, and every claim is checked."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, NamedTuple

from ..conversation.conversation import Clock, Conversation, apply_record
from ..conversation.native import MessageRefReader, same_log
from ..engine.calls import MOST_COUNTED, Call
from ..engine.journal import Record, read_record
from ..engine.messages import Message, read_messages
from ..engine.operations import Append
from ..errors import Refused, format_value, wrong_type
from ..values.models import read_count
from ..values.times import LATEST, gc_paused, read_time
from .checksummed import ChecksummedContent, TableRow, Tables, check_version, digest
from .details import Details
from .disk import Disk
from .errors import Damaged, NotFound, TooNew
from .folder import SessionPaths
from .journal_file import Confirmed, JournalPlace, JournalText, read_confirmed, read_journal
from .rows import figures, is_group, mark_rows, records_of, revision_rows, table
from .session import ReadPosition, SessionFiles

MOST_RUNS = 20_000
"""Runs of views that are walked at opening; beyond, replay and fingerprints must do."""

CORRUPT_DATA_ERRORS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What the engine may stumble over in data that nothing of ours has written."""


class StoredHistory(NamedTuple):
    """What a file holds: all messages, and the records that add them."""

    messages: tuple[Message, ...]
    records: list[Record]


def rows_in(tables: Tables, name: str) -> list[Any]:
    """Return the rows of a table in order, or refuse one with a gap."""
    found = tables.get(name)
    if not isinstance(found, dict):
        raise wrong_type(name, found, "a table of rows")
    for expected, key in enumerate(found, start=1):
        if key != str(expected):
            raise Refused(
                f"the table {name} has row {format_value(key)} in place of row {expected}",
                field=name,
            )
    return list(found.values())


def read_history(tables: Tables) -> StoredHistory:
    """Return the messages and records of tables, or refuse them."""
    messages = read_messages(rows_in(tables, "messages"))
    bodies = MessageRefReader(messages)
    records: list[Record] = []
    for row in rows_in(tables, "journal"):
        records += records_in(row, bodies, len(records))
    return StoredHistory(messages, records)


def records_in(row: Any, bodies: MessageRefReader, place: int) -> Iterator[Record]:
    """Yield the records that a row of ``journal`` holds."""
    if not is_group(row):
        yield read_record(bodies.put_into(row, f"journal[{place}]"), place)
        return
    where = f"journal[{place}]"
    messages = bodies.taken([row.get("raw")], f"{where}.raw")
    counter, times = row.get("counter"), _counts(row, "times", where)
    sizes, counts = _counts(row, "sizes", where), _counts(row, "counts", where)
    if not isinstance(counter, str):
        raise wrong_type(f"{where}.counter", counter, "the name of a counter")
    if sum(sizes) != len(messages) or len(counts) != len(messages) or len(times) != len(sizes):
        raise Refused(f"{where} has APPENDs of {sum(sizes)} messages, not {len(messages)}")
    if max(times, default=0) > LATEST:
        read_time(max(times), f"{where}.times")
    if not all(sizes) or max(counts, default=0) > MOST_COUNTED:
        raise Refused(f"{where} has an APPEND of nothing, or a count beyond {MOST_COUNTED}")
    start = 0
    for time, size in zip(times, sizes, strict=True):
        stop = start + size
        operation = Append.model_construct(messages=tuple(messages[start:stop]))
        yield Record((operation,), False, time, counter, tuple(counts[start:stop]))
        start = stop


def _counts(row: TableRow, name: str, where: str) -> list[int]:
    found = row.get(name)
    if not isinstance(found, list):
        raise wrong_type(f"{where}.{name}", found, "a list of whole numbers")
    for number in found:
        if type(number) is not int or number < 0:
            read_count(number, f"{where}.{name}")
    return found


class Replayed(NamedTuple):
    """The conversation of tables, and which of its messages they hold with more metadata.

    Older versions kept in a copy that an edit made what formats had noted about the old text.
    """

    conversation: Conversation
    outdated: tuple[int, ...]


def replayed(tables: Tables, clock: Clock) -> Replayed:
    """Return the conversation of tables, every claim of theirs checked; or refuse them."""
    try:
        messages, records = read_history(tables)
        conversation = Conversation.replay(records, clock=clock)
        same_log(messages, conversation.log)
        same_claims(tables, conversation)
    except Refused:
        raise
    except CORRUPT_DATA_ERRORS as error:
        raise Refused(f"the rows don't hold together: {error}", field="tables") from None
    pairs = zip(messages, conversation.log, strict=True)
    outdated = (
        raw for raw, (stored, made) in enumerate(pairs) if stored is not made and stored != made
    )
    return Replayed(conversation, tuple(outdated))


def same_claims(tables: Tables, conversation: Conversation) -> None:
    """Refuse tables whose revisions, marks or figures are not those of the conversation."""
    for name, made in (
        ("revisions", revision_rows(conversation)),
        ("marks", mark_rows(conversation)),
    ):
        _same_rows(name, rows_in(tables, name), list(made))
    meta = tables.get("meta", {}).get("1", {})
    for key, value in figures(conversation).items():
        if meta.get(key) != value:
            raise Refused(
                f"meta has {key} {format_value(meta.get(key))}, but the journal leads to "
                f"{format_value(value)}",
                field=key,
            )
    revisions = conversation.revisions
    if (
        len(revisions) <= MOST_RUNS
        and sum(revision.view.run_count for revision in revisions) <= MOST_RUNS
    ):
        for sentence in conversation.check():
            raise Refused(sentence, field="revisions")


def _same_rows(name: str, given: Sequence[Any], made: Sequence[TableRow]) -> None:
    if list(given) == list(made):
        return
    for number, (one, other) in enumerate(zip(table(given).values(), made, strict=False), start=1):
        if one != other:
            raise Refused(
                f"row {number} of {name} is not what the journal leads to", field=name, value=number
            )
    raise Refused(f"{name} has {len(given)} rows, but the journal leads to {len(made)}", field=name)


STEP = re.compile(
    r'(?:[{}]\s*+(?:,\s*+)?+"(?P<table>messages|revisions|journal|marks|meta)"\s*+:\s*+\{\s*+'
    r'|,\s*+(?="\d))(?:"(?P<row>\d{1,10})"\s*+:\s*+(?=\{))?'
)
"""What leads to a row: the beginning of a table, or the comma behind the row before.

It never goes back over what it took, so that no text takes longer than its length."""
MOST_PASSES = 100
MOST_NESTED_CHARACTERS = 100_000
CHARACTERS_PER_PLACE = 16
"""How many times its length may be parsed of a text, and what it costs where that fails: nesting
too deep counts as so many characters; saying the place takes a part of all those before it."""
FAR = 100_000
"""How many rows a damaged stretch may have swallowed."""
NumberedRow = tuple[int, Any]
NAMED = 5
"""How many rows a sentence names one by one."""


class Salvaged(NamedTuple):
    """What could be read, and in sentences what could not."""

    conversation: Conversation
    details: Details
    lost: tuple[str, ...]


def salvage(main: bytes, journal: bytes | None, clock: Clock) -> Salvaged:
    """Return a conversation of all that can be read; refuse files that hold nothing readable."""
    text = main.decode("utf-8", "replace")
    tables, is_whole = _tables(text)
    messages, lost = _messages(tables.get("messages", []))
    if not is_whole:
        lost.append("the file is damaged in so many places that its end was not read")
    conversation, stopped = _replayed(messages, lost, tables.get("journal", []), clock)
    if stopped:
        lost.append(stopped)
    known = 0 if conversation is None else len(conversation.log)
    behind = [messages[raw] for raw in sorted(messages) if raw >= known]
    later = list(_inline(journal))
    if conversation is None and not behind and not later:
        raise Damaged(
            "nothing in the session file can be read; it was left as it is, "
            "so a backup can replace it",
            field="session",
        )
    if conversation is None:
        conversation = Conversation(behind, clock=clock)
        lost.append("the history could not be read: the messages are there, in order of arrival")
    elif behind:
        conversation.execute(Append(messages=behind))
        lost.append(_at_the_end(len(behind), "later changes"))
    if later:
        conversation.execute(Append(messages=later))
        lost.append(_at_the_end(len(later), "the journal file"))
    return Salvaged(conversation, _details(tables.get("meta", [])), tuple(lost))


PLURALS = {"": "", "is": " are", "was": " were"}


def _many(count: int, noun: str, verb: str = "") -> str:
    return f"1 {noun} {verb}".rstrip() if count == 1 else f"{count} {noun}s{PLURALS[verb]}"


def _at_the_end(count: int, of: str) -> str:
    return f"{_many(count, 'message')} of {of} {'is' if count == 1 else 'are'} at the end"


def _tables(text: str) -> tuple[dict[str, list[NumberedRow]], bool]:
    """Return every row that can be read, by table, and whether the end was reached.

    What can't be read is passed over, unless there is so much of it that the end is not in sight.
    """
    tables: dict[str, list[NumberedRow]] = defaultdict(list)
    decoder = json.JSONDecoder()
    name, last = "", 0
    left = MOST_PASSES * len(text) + MOST_NESTED_CHARACTERS
    step = STEP.search(text)
    while step is not None and left > 0:
        at = step.end()
        if step["table"] is not None:
            name, last = step["table"], 0
        if step["row"] is not None and last < int(step["row"]) <= last + FAR:
            try:
                value, end = decoder.raw_decode(text, at)
            except json.JSONDecodeError as error:
                left -= error.pos - at + error.pos // CHARACTERS_PER_PLACE
            except (ValueError, RecursionError):
                left -= MOST_NESTED_CHARACTERS
            else:
                left -= end - at
                if name != "messages" or "role" in value:
                    last, at = int(step["row"]), end
                    tables[name].append((last, value))
        step = STEP.search(text, at)
    return tables, step is None


def _messages(rows: list[NumberedRow]) -> tuple[dict[int, Message], list[str]]:
    """Return the messages that can be read by raw index, and a sentence about the others."""
    messages: dict[int, Message] = {}
    for number, row in rows:
        try:
            messages.setdefault(number - 1, Message.from_dict(row))
        except Refused:
            continue
    highest = max([number for number, _ in rows], default=0)
    missing = highest - len(messages)
    if not missing:
        return messages, []
    # Rows can be very far apart, so that only the first few missing ones are looked for.
    first = list(islice((raw for raw in range(highest) if raw not in messages), NAMED))
    named = ", ".join(map(str, first)) + (" …" if missing > NAMED else "")
    return messages, [f"{_many(missing, 'message')} could not be read: {named}"]


def _replayed(
    messages: dict[int, Message], lost: list[str], rows: list[NumberedRow], clock: Clock
) -> tuple[Conversation | None, str | None]:
    """Return what the journal leads to as far as it can be applied, and why no further."""
    if lost or [number for number, _ in rows] != list(range(1, len(rows) + 1)) or not rows:
        return None, None
    bodies = MessageRefReader([messages[raw] for raw in sorted(messages)])
    conversation: Conversation | None = None
    done = 0
    for place, (_, row) in enumerate(rows):
        try:
            for record in records_in(row, bodies, done):
                if conversation is None:
                    conversation = Conversation.replay([record], clock=clock)
                else:
                    apply_record(conversation, record)
                done += 1
        except CORRUPT_DATA_ERRORS as error:
            rest = sum(_size(row) for _, row in rows[place:])
            return conversation, f"{_many(rest, 'change')} could not be done again: {error}"
    return conversation, None


def _size(row: Any) -> int:
    try:
        return records_of(row)
    except CORRUPT_DATA_ERRORS:
        return 1


def _inline(journal: bytes | None) -> Iterator[Message]:
    """Yield the messages in a journal file, whatever it says about them."""
    try:
        lines: list[TableRow] = [] if journal is None else read_journal(journal).lines
    except Refused:
        return
    for line in lines:
        with suppress(RecursionError):  # Nothing of ours is nested that deep.
            yield from list(_bodies(line.get("record")))


def _bodies(value: Any) -> Iterator[Message]:
    if isinstance(value, Mapping) and value.get("operation") != Call.title:
        try:
            yield Message.from_dict(value)
        except Refused:
            for item in value.values():
                yield from _bodies(item)
    elif isinstance(value, list):
        for item in value:
            yield from _bodies(item)


def _details(rows: list[NumberedRow]) -> Details:
    for _, row in rows:
        try:
            return Details.from_dict(row)
        except CORRUPT_DATA_ERRORS:
            continue
    return Details("untitled")


TRIES = 5
"""How often a session is read again that its holder writes at the same moment."""


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
    """What a check reports although the session can be used; ``notes`` has it, too."""
    outdated: tuple[int, ...] = ()
    """The messages of which the file holds more metadata than is read."""


class SessionBytes(NamedTuple):
    """The files of a session, as they were at one moment."""

    main: bytes
    journal: bytes | None
    confirmed: bytes | None = None


def read_files(disk: Disk, place: SessionPaths) -> SessionBytes:
    """Return the bytes of the files; none may have been replaced while the others were read."""
    for _ in range(TRIES):
        before = disk.version(place.main)
        if before is None:
            raise NotFound(
                f"there is no session {place.id} in {place.folder}", field="session", value=place.id
            )
        try:
            main = disk.read(place.main)
            # The record first: a holder at work may add lines to the journal file meanwhile.
            confirmed = disk.read(place.confirmed) if disk.version(place.confirmed) else None
            journal = disk.read(place.journal) if disk.version(place.journal) else None
        except FileNotFoundError:
            continue
        if disk.version(place.main) == before:
            return SessionBytes(main, journal, confirmed)
    raise NotFound(f"session {place.id} is being rewritten; try again", field="session")


def read_session(files: SessionFiles, given: SessionBytes, clock: Clock) -> SessionRead:
    """Return the conversation of a session, or as much of it as can be read."""
    with gc_paused():
        return _read(files, given, clock)


def _read(files: SessionFiles, given: SessionBytes, clock: Clock) -> SessionRead:
    origin = digest(given.main, given.journal or b"")
    try:
        content = files.storage.content(given.main)
        tables = content.tables
        check_version(tables.get("meta", {}).get("1", {}), "session file")
        conversation, outdated = replayed(tables, clock)
        meta = tables["meta"]["1"]
        details = Details.from_dict(meta)
    except TooNew:
        raise
    except CORRUPT_DATA_ERRORS as error:
        found = salvage(given.main, given.journal, clock)
        damages = (f"the session file is damaged: {error}", *found.lost)
        return SessionRead(found.conversation, found.details, (), damages, origin)
    checksum = content.checksum
    previous = _texts(meta.get("previous"))
    files.known(len(conversation.journal), details, previous)
    applied = _Applied(details)
    text, damage = _journal(given.journal, content, previous)
    confirmed, doubts = _confirmed(given.confirmed, checksum)
    lost = 0 if confirmed is None else confirmed.lost(text)
    unused = 0
    if text is not None:
        is_old = text.header.base != checksum
        applied = _apply_lines(conversation, details, text.lines, is_old=is_old)
        damage = applied.misfit or text.damage
        # The line that can't be read is reported separately.
        unused = text.unread if applied.misfit else text.unread - 1
        if text.torn and not lost:
            known = "that may have been" if confirmed is None else "none of that was"
            dropped = _many(text.unread, "line", "was")
            end = "broke off at the end of the journal file"
            doubts.append(f"{dropped} dropped that {end}; {known} confirmed")
        if damage is None and given.journal is not None:
            files.resume(text, given.journal, is_doubtful=text.torn and confirmed is None)
    wrong = [] if content.is_sealed else ["the session file was changed by another program"]
    if damage is not None:
        wrong.append(damage)
        was = "was" if unused == 1 else "were"
        wrong += [f"{unused} more of its lines {was} not used"] if unused > 0 else []
    if lost:
        whole = "with the whole journal file"
        where = whole if given.journal is None else "at the end of the journal file"
        wrong.append(f"{_many(lost, 'confirmed change', 'is')} missing {where}")
    if not wrong:
        is_next = text is not None and text.header.base == checksum
        place = JournalPlace.after(text) if text is not None and is_next else None
        files.reached = ReadPosition(checksum, tuple(previous), place)
    recovered = f"{_many(applied.changes, 'change', 'was')} recovered from the journal"
    notes = (*([recovered] if applied.changes else []), *doubts)
    return SessionRead(
        conversation, applied.details, notes, tuple(wrong), origin, tuple(doubts), outdated
    )


def _confirmed(data: bytes | None, checksum: str) -> tuple[Confirmed | None, list[str]]:
    """Return the record of what is confirmed since a session file, or what is wrong with it."""
    if data is None:
        return None, []
    try:
        found = read_confirmed(data)
    except Refused as refusal:
        unknown = "whether confirmed changes are missing is unknown"
        return None, [f"the record of what is confirmed can't be read: {refusal}; {unknown}"]
    return (found if found.base == checksum else None), []


def _texts(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _unused(count: int, which: str = "") -> str:
    return f"1 line{which} was not used" if count == 1 else f"{count} lines{which} were not used"


def _journal(
    data: bytes | None, content: ChecksummedContent, previous: Sequence[str]
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


class _Applied(NamedTuple):
    """What came of the lines of a journal file: the details, how many changes, what is wrong."""

    details: Details
    changes: int = 0
    misfit: str | None = None


def _apply_lines(
    conversation: Conversation, details: Details, lines: Sequence[TableRow], *, is_old: bool
) -> _Applied:
    """Apply lines in order, up to the first bad one; older ones may be in the session file."""
    done = 0
    for number, line in enumerate(lines):
        place, here = line.get("n"), len(conversation.journal)
        try:
            if "details" in line:
                details = details if is_old else Details.from_dict(line["details"])
            elif place == here:
                apply_record(conversation, line.get("record", {}))
                done += 1
            elif not (is_old and isinstance(place, int) and place < here):
                raise Refused(
                    f"it is change {format_value(place)}, but change {here} should follow",
                    field="n",
                )
        except CORRUPT_DATA_ERRORS as error:
            rest = _unused(len(lines) - number, " from there on")
            misfit = f"line {number + 2} of the journal file does not fit: {error}; {rest}"
            return _Applied(details, done, misfit)
    return _Applied(details, done)
