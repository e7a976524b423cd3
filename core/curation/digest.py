"""Digests: what lists, filters and previews need to know of a conversation."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import chain, islice
from typing import Any, NamedTuple

from .. import formats
from ..conversation.conversation import Conversation
from ..engine.log import LogReader
from ..engine.messages import (
    FORMAT_KEYS,
    DataPart,
    ImagePart,
    Message,
    Part,
    TextPart,
    ThinkingPart,
    ToolResultPart,
    ToolUsePart,
)
from ..engine.meta_fields import Leaf, field_texts, leaves, other_fields, path_name
from ..errors import wrong_type
from ..lint import RULES
from ..storage.details import ImportSource
from ..storage.disk import FileVersion
from ..storage.entries import Entry, first_words
from ..storage.rows import LISTED
from ..values.frozen import thaw
from ..values.models import ROLES, read_as
from .duplicates import Duplicate, identical
from .patterns import PATTERNS, personal_in

DIGEST_SIZE = 16


def projection_of(conversation: Conversation) -> str:
    """Return a hash that is equal for conversations that are the same for training.

    Ids of messages and calls, times, metadata and signatures don't count, nor whether a text is
    the content itself or its only part.
    """
    made = blake2b(digest_size=DIGEST_SIZE)
    _add(made, thaw(conversation.meta.get("tools")))
    calls: dict[str, int] = {}
    for message in conversation.visible:
        _add(made, [message.role, _content(message.content, calls)])
    return made.hexdigest()


def _add(made: Any, data: Any) -> None:
    made.update(json.dumps(data, sort_keys=True, separators=(",", ":")).encode())
    made.update(b"\n")


def _content(content: str | tuple[Part, ...], calls: dict[str, int]) -> Any:
    if isinstance(content, str):
        return content
    if len(content) == 1 and isinstance(content[0], TextPart):
        return content[0].text
    return [_part(part, calls) for part in content]


def _part(part: Part, calls: dict[str, int]) -> Any:
    """Return a part as data; a call is known by its place among the calls, not by its id."""
    match part:
        case TextPart(text=text):
            return text
        case ThinkingPart(text=text):
            return ["thinking", text]
        case ToolUsePart():
            number = calls.setdefault(part.id, len(calls))
            return ["call", number, part.name, thaw(part.input)]
        case ToolResultPart():
            number = calls.setdefault(part.tool_use_id, len(calls))
            return ["result", number, bool(part.is_error), _content(part.content, {})]
        case ImagePart(url=url):
            return ["image", url]
        case DataPart(data=data):
            return ["data", thaw(data)]


VERSION = 3
"""Is raised when the same conversation would be given another digest."""
RIBBON_CELLS = 48
EXCERPT_LENGTH = 400
VALUES_EACH, MOST_VALUES, LONGEST_VALUE = 20, 200, 100
"""How many values of a field, and of all, a digest knows, and how much of a text."""
TOGETHER = 20_000
"""Characters from which texts are looked through together."""
APART = "\n\0\n"
"""What no pattern goes across."""
TRAINING = "fine-tuning"
"""The profile of what a fine-tuning export takes."""
LETTERS = {"system": "s", "user": "u", "assistant": "a", "tool": "t"}


class RoleFigures(NamedTuple):
    """How much of what is visible a role has said."""

    role: str
    messages: int
    tokens: int


class MessageStart(NamedTuple):
    """How a message begins."""

    role: str
    text: str


class Digest(NamedTuple):
    """What a list, a filter and a preview need to know of a session's conversation.

    ``ribbon`` has a letter for each message of the raw log, or for each of so many stretches of it:
    s, u, a or t for the role, in capitals where it is sent. ``projection`` is equal for
    conversations that are the same for training. ``fields`` are the names of the other fields,
    ``values`` what is in them, by path; of many values and of long ones a digest knows the first.
    """

    format: str
    ribbon: str
    roles: tuple[RoleFigures, ...]
    profile: str
    errors: int
    warnings: int
    rules: tuple[str, ...]
    first: MessageStart | None
    last: MessageStart | None
    projection: str
    personal: Mapping[str, int]
    trainable: bool
    fields: tuple[str, ...] = ()
    values: Mapping[str, Leaf] = {}
    words: str = ""
    """The first words of the user: the name of a session whose title is that of its file."""

    def to_json(self) -> str:
        return json.dumps(self, ensure_ascii=True, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Digest:
        found = read_as(cls, json.loads(text))
        if found is None:
            raise wrong_type("digest", text, "a digest")
        return found


def made_by() -> str:
    """Return an identifier of the rules and patterns that digests depend on."""
    rules = [(rule.id, rule.severity, sorted(rule.profiles)) for rule in RULES]
    patterns = [(pattern.name, pattern.texts) for pattern in PATTERNS.values()]
    text = json.dumps([VERSION, rules, sorted(FORMAT_KEYS), patterns])
    return blake2b(text.encode(), digest_size=8).hexdigest()


def digest_of(conversation: Conversation, source: ImportSource | None = None) -> Digest:
    """Return what is to be known of a conversation as it is now."""
    view, log = conversation.view, conversation.log
    findings = conversation.lint()
    errors = sum(one.severity == "error" for one in findings)
    visible = conversation.visible
    return Digest(
        format=format_of(conversation, source),
        ribbon="".join(_ribbon(conversation)),
        roles=_roles(conversation),
        profile=conversation.settings.profile,
        errors=errors,
        warnings=len(findings) - errors,
        rules=tuple(sorted({one.rule for one in findings})),
        first=_first(conversation),
        last=_beginning(log[view[len(view) - 1]]) if len(view) else None,
        projection=projection_of(conversation),
        personal=personal_in(
            chain(
                (message.search_text for message in visible),
                _together(text for _, text in field_texts(conversation.meta)),
            )
        ),
        trainable=len(view) > 0
        and not any(one.severity == "error" for one in conversation.lint(TRAINING)),
        fields=tuple(other_fields(conversation.meta)),
        values=_values(conversation),
        words=first_words(conversation),
    )


def _together(texts: Iterable[str]) -> Iterator[str]:
    """Yield texts joined to longer ones, which are looked through far quicker than many short."""
    some: list[str] = []
    size = 0
    for text in texts:
        some.append(text)
        size += len(text)
        if size > TOGETHER:
            yield APART.join(some)
            some, size = [], 0
    yield APART.join(some)


def _values(conversation: Conversation) -> dict[str, Leaf]:
    fields = other_fields(conversation.meta).items()
    found = (islice(leaves(value, (name,)), VALUES_EACH) for name, value in fields)
    return {
        path_name(path): leaf[:LONGEST_VALUE] if isinstance(leaf, str) else leaf
        for path, leaf in islice(chain.from_iterable(found), MOST_VALUES)
    }


def _first(conversation: Conversation) -> MessageStart | None:
    """Return the start of the first message that is not from the system."""
    log, view = conversation.log, conversation.view
    system = ROLES.index("system")
    for start, length in view.runs():
        for raw, code in enumerate(log.roles(start, start + length), start):
            if code != system:
                return _beginning(log[raw])
    return _beginning(log[view[0]]) if len(view) else None


def format_of(conversation: Conversation, source: ImportSource | None) -> str:
    """Return the format a conversation was imported from; nothing for one that was made here.

    Older sessions don't say it. Most formats have left a note of their own in the conversation.
    """
    if source is None:
        return ""
    if source.format:
        return source.format
    names = formats.READABLE  # Loads all formats, which a list alone does not need.
    noted = [name for name in names if name in conversation.meta]
    if not noted and len(conversation.log):
        noted = [name for name in names if name in (conversation.log[0].metadata or ())]
    return noted[0] if noted else ""


def _roles(conversation: Conversation) -> tuple[RoleFigures, ...]:
    log, view, counter = conversation.log, conversation.view, conversation.tokens.counter
    messages, tokens = dict.fromkeys(ROLES, 0), dict.fromkeys(ROLES, 0)
    for start, length in view.runs():
        codes = log.roles(start, start + length)
        for raw, code in enumerate(codes, start):
            messages[ROLES[code]] += 1
            tokens[ROLES[code]] += log.tokens(raw, counter)
    return tuple(
        RoleFigures(role, messages[role], tokens[role]) for role in ROLES if messages[role]
    )


def _ribbon(conversation: Conversation) -> Iterator[str]:
    """Yield a letter for each stretch of the log: its most frequent one, and a sent one of two."""
    log = conversation.log
    letters = _letters(log, conversation)
    cells = min(len(letters), RIBBON_CELLS)
    for cell in range(cells):
        start, stop = cell * len(letters) // cells, (cell + 1) * len(letters) // cells
        stretch = letters[start:stop]
        yield min(set(stretch), key=lambda one: (-stretch.count(one), one))


def _letters(log: LogReader, conversation: Conversation) -> str:
    letters = [LETTERS[ROLES[code]] for code in log.roles(0, len(log))]
    for start, length in conversation.view.runs():
        letters[start : start + length] = [one.upper() for one in letters[start : start + length]]
    return "".join(letters)


def _beginning(message: Message) -> MessageStart:
    words = message.text.strip() or message.search_text.strip()
    return MessageStart(message.role, words[:EXCERPT_LENGTH])


class SessionRow(NamedTuple):
    """A session as a list shows it; without a digest, nothing more is known of it yet."""

    entry: Entry
    digest: Digest | None = None
    duplicate: Duplicate | None = None
    is_behind: bool = False
    """Whether the session has been written since then."""


def named(entry: Entry, digest: Digest | None) -> SessionRow:
    """Return a row whose entry knows the first words, as far as they are known."""
    return SessionRow(entry if digest is None else entry._replace(words=digest.words), digest)


class KnownDigest(NamedTuple):
    """A digest, and of which version of the session's file."""

    version: FileVersion
    digest: Digest
    entry: Entry | None = None
    """What a list would say of that very state; None where the session file said it."""


def with_newer_figures(entry: Entry, further: Entry) -> Entry:
    """Return an entry with what changes as a session grows; a verdict, say, stays as it is."""
    figures = {key: getattr(further, key) for key in (*LISTED, "updated", "words")}
    return entry._replace(**figures)


def with_duplicates(rows: Sequence[SessionRow]) -> list[SessionRow]:
    """Return rows that know which others are identical with them.

    This is where groups get their numbers, for every list and every command: in the order in which
    their first sessions were made, whatever the order of the rows is.
    """
    times = Counter(row.digest.projection for row in rows if row.digest is not None)
    several = [
        (row.entry, row.digest.projection)
        for row in rows
        if row.digest is not None and times[row.digest.projection] > 1
    ]
    several.sort(key=lambda one: (one[0].created, one[0].id))
    found = identical({entry.id: projection for entry, projection in several})
    duplicates = [found.get(row.entry.id) for row in rows]
    return [
        row if row.duplicate == one else row._replace(duplicate=one)
        for row, one in zip(rows, duplicates, strict=True)
    ]
