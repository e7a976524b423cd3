"""Conservation of text: what a file says is in the conversations read from it, or named as lost.

Every text of ``SHORTEST`` characters or more among the values of a record must be found in a
message, in what a conversation stores in addition to its messages, or in its recorded calls. A
ledger remembers what a source gave to a format until the conversations made of it are known.
Nearly every text is found at once, as it is; only the few others are looked for more closely.
No format is known here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple, Self

import orjson

from ..conversation.conversation import Conversation
from ..engine.messages import (
    DataPart,
    ImagePart,
    Part,
    TextPart,
    ThinkingPart,
    ToolResultPart,
    ToolUsePart,
)
from ..values.frozen import FrozenDict
from .fields import read_timestamp
from .warnings import LOST, MOST_NAMES, FormatWarning

SHORTEST = 20
"""Characters of a text that counts; shorter ones are names of kinds, roles and the like."""
MOST_COMPARED = 4_000_000_000
"""Characters that are searched for texts within texts; what is not found by then is lost."""
DEEPEST = 8
"""How often JSON may be a text within JSON."""
MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d\S*")
TAGS = re.compile(r"</?[A-Za-z_|][^<>\n]{0,60}>|^```\w*$", re.MULTILINE)
"""What programs put around thinking, calls and results in one text."""
SPEAKERS = re.compile(r"^(?:Human|Assistant):", re.MULTILINE)
"""What stands before the texts of a conversation that is one text."""
DATA_URL = re.compile(r"data:[^,]{0,200};base64,")
SURROGATES = re.compile("[\ud800-\udfff]")
SCALARS = frozenset((int, float, bool, type(None)))
KINDS = frozenset(("function_call_output", "text", "tool_call", "tool_call_response"))
"""Names of kinds that a conversation says by the type of its parts."""
JSON_STARTS = ("{", "[", '"')

Path = tuple[Any, ...] | None
"""Where a value is: what it is in, and its key there."""


class Loss(NamedTuple):
    """A text that is in no conversation: the number of its record, and its path.

    Where several records were read, the path begins with the number of its own.
    """

    record: int | None
    name: str


@dataclass(slots=True)
class _Group:
    """Records that the same conversations were made of."""

    last: list[tuple[int | None, Any]] = field(default_factory=list)
    """The last record, if it is still needed: the texts of a single one are not collected."""
    texts: dict[str, int | None] = field(default_factory=dict)
    """Every text of the records before it, and the last record that has it."""
    records: set[int | None] = field(default_factory=set)
    left_out: set[int | None] = field(default_factory=set)

    def collect(self) -> None:
        for record, value in self.last:
            self.texts.update(dict.fromkeys(texts(value), record))
        self.last = []


class RecordLedger:
    """What a source gave to a format and is not yet found in a conversation.

    Texts are remembered without their places, which few are asked for: ``again`` gives the
    records once more.
    """

    def __init__(self, again: Callable[[], Iterable[tuple[int | None, Any]]]) -> None:
        self._again = again
        self._groups = [_Group()]
        self._is_closed = False

    def take(self, record: int | None, value: Any) -> None:
        """Remember a record that a format is given; ``record`` is None for the whole."""
        if self._is_closed:
            self._groups.append(_Group())
            self._is_closed = False
        group = self._groups[-1]
        group.collect()
        group.last.append((record, value))
        group.records.add(record)

    def leave_out(self, record: int | None) -> None:
        for group in self._groups:
            group.last = [one for one in group.last if one[0] != record]
            group.left_out.add(record)

    def close(self) -> None:
        """Note that a conversation was made of what was taken so far."""
        self._is_closed = True

    @property
    def is_further(self) -> bool:
        """Return whether more was taken after a conversation was made of the earlier records."""
        return len(self._groups) > 1

    def settle_last(self, conversation: Conversation) -> list[Loss]:
        """Return what a conversation lacks of the last record, of which alone it was made."""
        waiting, self._groups[-1].last = self._groups[-1].last, []
        return [loss for record, value in waiting for loss in lost(value, conversation, record)]

    def settle(self, conversations: Sequence[Conversation]) -> list[list[Loss]]:
        """Return what the conversations of the oldest records lack, each loss with one of them."""
        group = self._groups.pop(0)
        if not self._groups:
            self._groups.append(_Group())
            self._is_closed = False
        if len(conversations) == 1 and len(group.last) == 1 and not group.texts:
            record, value = group.last[0]
            return [lost(value, conversations[0], record)]
        group.collect()
        found: list[list[Loss]] = [[] for _ in conversations]
        stored = [Stored.of(one) for one in conversations]
        missing = set(group.texts).difference(*(one.texts for one in stored))
        if group.left_out:
            missing = {text for text in missing if group.texts[text] not in group.left_out}
        if missing:
            known = set(chain.from_iterable(one.texts for one in stored))
            inputs = [value for one in stored for value in one.inputs]
            missing = _not_found(missing, known, inputs, conversations)
        if missing:
            owners: dict[int | None, int] = {}
            for number, one in enumerate(stored):
                for record in {group.texts[text] for text in one.texts if text in group.texts}:
                    owners.setdefault(record, number)
            for loss in self._places(missing, group):
                found[owners.get(loss.record, 0)].append(loss)
        return found

    def without_conversation(self) -> list[int]:
        """Return the records with text that were taken after the last conversation was made."""
        found: list[int] = []
        for group in self._groups:
            group.collect()
            found += {record for record in group.texts.values() if record is not None}
        return sorted(set(found).difference(*(group.left_out for group in self._groups)))

    def _places(self, missing: set[str], group: _Group) -> Iterator[Loss]:
        wanted = group.records - group.left_out
        is_one = len(group.records) == 1
        for record, value in self._again():
            for text, path in placed(value) if record in wanted else ():
                if text in missing:
                    name = _name(path)
                    yield Loss(record, name if is_one or record is None else f"{record}.{name}")


class Stored(NamedTuple):
    """What a conversation stores: its texts, some of them short, and the inputs of its calls."""

    texts: list[str]
    inputs: list[Any]

    @classmethod
    def of(cls, conversation: Conversation) -> Self:
        found: list[str] = []
        inputs: list[Any] = []
        values: list[Any] = [conversation.meta]
        for message in conversation.log:
            content = message.content
            if type(content) is str:
                found.append(content)
            else:
                for part in content:
                    _gather(part, found, inputs, values)  # type: ignore[arg-type]
            if message.metadata is not None:
                values.append(message.metadata)
            if message.id is not None:
                found.append(message.id)
        for call in conversation.calls.all:
            values += [call.answer, call.wire, call.parameters, call.definitions]
            values += [call.request, call.model]
        found += texts(values)
        if inputs:
            found += texts(inputs)
        return cls(found, inputs)


def lost(value: Any, conversation: Conversation, record: int | None = None) -> list[Loss]:
    """Return the texts of a value that the conversation made of it does not have."""
    stored = Stored.of(conversation)
    missing = set(texts(value)).difference(stored.texts)
    if missing:
        missing = _not_found(missing, set(stored.texts), stored.inputs, [conversation])
    if not missing:
        return []
    return [Loss(record, _name(path)) for text, path in placed(value) if text in missing]


def warning_of(losses: Sequence[Loss], noun: str) -> FormatWarning:
    """Return the warning about lost texts, by their paths.

    Of more than a warning can name, the paths are shortened until they are few: each names all
    that is below it.
    """
    names = list(dict.fromkeys(loss.name for loss in losses))
    depth = max((name.count(".") for name in names), default=0)
    while len(names) > MOST_NAMES and depth > 0:
        names = list(dict.fromkeys(".".join(name.split(".")[:depth]) for name in names))
        depth -= 1
    records = dict.fromkeys(loss.record for loss in losses if loss.record is not None)
    return FormatWarning.of(LOST, names, records, noun, len(losses))


def texts(value: Any) -> list[str]:
    """Return every text that counts among the values of some JSON."""
    found: list[str] = []
    stack: list[Any] = [[value]]
    pop, push, add = stack.pop, stack.append, found.append
    while stack:
        for one in pop():
            kind = type(one)
            if kind is str:
                if len(one) >= SHORTEST:
                    add(one)
            elif kind in SCALARS:
                continue
            elif kind is dict or kind is FrozenDict or isinstance(one, Mapping):
                push(one.values())
            elif isinstance(one, Sequence) and not isinstance(one, bytes):
                push(one)
    return found


def placed(value: Any) -> Iterator[tuple[str, Path]]:
    """Yield every text that counts among the values of some JSON, and where it is."""
    stack: list[tuple[Any, Path]] = [(value, None)]
    while stack:
        value, path = stack.pop()
        if isinstance(value, str):
            if len(value) >= SHORTEST:
                yield value, path
        elif isinstance(value, Mapping):
            stack += [(one, (path, key)) for key, one in value.items()][::-1]
        elif isinstance(value, Sequence) and not isinstance(value, bytes):
            stack += [(one, (path, key)) for key, one in enumerate(value)][::-1]


def _gather(part: Part, found: list[str], inputs: list[Any], values: list[Any]) -> None:
    match part:
        case TextPart():
            found.append(part.text)
        case ToolResultPart():
            found.append(part.tool_use_id)
            if isinstance(part.content, str):
                found.append(part.content)
            else:
                for inside in part.content:
                    _gather(inside, found, inputs, values)
        case ToolUsePart():
            found += (part.id, part.name)
            inputs.append(part.input)
        case ThinkingPart():
            found.append(part.text)
            if part.signature is not None:
                found.append(part.signature)
        case ImagePart():
            found.append(part.url)
        case DataPart():
            values.append(part.data)
    if part.metadata is not None:
        values.append(part.metadata)


def _name(path: Path) -> str:
    """Return a path as people write it: keys and indexes with dots between."""
    keys: list[str] = []
    while path is not None:
        path, key = path
        keys.append(str(key))
    return ".".join(reversed(keys))


def _not_found(
    missing: set[str],
    known: set[str],
    inputs: Sequence[Any],
    conversations: Sequence[Conversation],
) -> set[str]:
    """Return which texts are nowhere, however they are written.

    Nearly all that is not stored as it is are arguments of calls, which are JSON.
    """
    dumped = set(map(_dumped, inputs)) - {None}
    rest = {
        text
        for text in missing
        if text not in KINDS and not (text.startswith("{") and _is_call(text, known, dumped))
    }
    store = _Store(conversations, known)
    return {text for text in rest if not store.has(text)}


def _is_call(text: str, known: set[str], dumped: set[bytes | None]) -> bool:
    """Return whether a text is the input of a call, or an object with it and known texts."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return False
    return _dumped(value) in dumped or all(
        one in known if isinstance(one, str) else _dumped(one) in dumped for one in value.values()
    )


def _dumped(value: Any) -> bytes | None:
    try:
        return orjson.dumps(value)
    except TypeError:
        return None


class _Store:
    """Looks for texts in all that some conversations store, in whatever form a format may use."""

    def __init__(self, conversations: Sequence[Conversation], known: set[str]) -> None:
        self._conversations, self._texts = conversations, known
        self._left = MOST_COMPARED

    @cached_property
    def _leaves(self) -> set[Any]:
        """All that is stored, however short, also of the history: keys, texts and numbers."""
        found: set[Any] = set(self._texts)
        stack: list[Any] = [one.to_dict() for one in self._conversations]
        while stack:
            value = stack.pop()
            if isinstance(value, Mapping):
                found.update(value)
                stack += value.values()
            elif isinstance(value, list | tuple):
                stack += value
            else:
                found.add(value)
        return found

    @cached_property
    def _one(self) -> str:
        """All texts, one after the other; none can be found across two of them."""
        return "\0".join(one for one in self._leaves if isinstance(one, str))

    @cached_property
    def _compact(self) -> str:
        return _squeezed(self._one)

    @cached_property
    def _moments(self) -> set[int | None]:
        messages = chain.from_iterable(one.log for one in self._conversations)
        calls = chain.from_iterable(one.calls.all for one in self._conversations)
        return {*(message.timestamp for message in messages), *(call.time for call in calls)} - {
            None
        }

    @cached_property
    def _shapes(self) -> set[int]:
        """The hash of each stored value, to find those that were texts in the file."""
        found: set[int] = set()
        for one in self._conversations:
            for value in _values_of(one):
                _shape(value, found)
        return found

    def has(self, text: str, depth: int = 0) -> bool:
        """Return whether a text is stored as it is, as what it says, or in or as several texts."""
        plain = text.strip()
        if text in self._texts or plain in self._texts:
            return True
        if MOMENT.fullmatch(plain) and read_timestamp(plain) in self._moments:
            return True
        if plain.startswith(JSON_STARTS) and depth < DEEPEST and self._has_json(plain, depth):
            return True
        if plain in self._leaves or self._has_pieces(plain, depth):
            return True
        # It may be a part of a stored text, or its content in base64 a whole one.
        url = DATA_URL.match(plain)
        if plain[url.end() :] in self._leaves if url else self._is_in(plain, self._one):
            return True
        # Or it is stored with other white space, or with its characters normalised.
        squeezed = _squeezed(plain)
        if squeezed and self._is_in(squeezed, self._compact):
            return True
        return self._is_made_of_stored(plain)

    def _is_made_of_stored(self, text: str) -> bool:
        """Return whether a text was split into stored ones; who speaks may stand between them."""
        for one in self._long:
            self._left -= len(one)
            if self._left < 0:
                return False
            text = text.replace(one, "\0")
        pieces = (piece.strip() for piece in SPEAKERS.sub("\0", text).split("\0"))
        return "\0" in text and all(not one or one in self._leaves for one in pieces)

    @cached_property
    def _long(self) -> list[str]:
        """All stored texts that count, the longest first."""
        stripped = {one.strip() for one in self._texts}
        return sorted((one for one in stripped if len(one) >= SHORTEST), key=len, reverse=True)

    def _is_in(self, text: str, stored: str) -> bool:
        self._left -= len(stored)
        return self._left > 0 and text in stored

    def _has_json(self, text: str, depth: int) -> bool:
        """Return whether what a text says as JSON is stored: as a value, or each of its texts."""
        try:
            return self._has_value(orjson.loads(text), depth + 1)
        except (orjson.JSONDecodeError, RecursionError):
            return False

    def _has_value(self, value: Any, depth: int) -> bool:
        """Return whether a value is stored, or else everything that it is made of."""
        if isinstance(value, dict | list):
            if _shape(value, set()) in self._shapes:
                return True
            inside = value if isinstance(value, list) else value.values()
            return all(self._has_value(one, depth) for one in inside)
        if isinstance(value, str):
            is_long = len(value) >= SHORTEST
            return self.has(value, depth) if is_long else value in self._leaves or value in KINDS
        return value is None or value in self._leaves

    def _has_pieces(self, text: str, depth: int) -> bool:
        """Return whether a text was split, at tags or ends of lines, into stored ones."""
        pieces = [piece.strip() for piece in TAGS.split(text)]
        if len(pieces) == 1:
            pieces = [line.strip() for line in text.splitlines()]
        pieces = [piece for piece in pieces if piece]
        if len(pieces) < 2 or depth >= DEEPEST:  # noqa: PLR2004 - one piece is the text itself
            return False
        long = [piece for piece in pieces if len(piece) >= SHORTEST]
        return bool(long) and all(self.has(piece, depth + 1) for piece in [*long, *pieces])


def _squeezed(text: str) -> str:
    """Return a text without white space, its characters in their usual form."""
    bare = "".join(text.split())
    if bare.isascii():
        return bare
    return unicodedata.normalize("NFC", SURROGATES.sub("\ufffd", bare))


def _values_of(conversation: Conversation) -> Iterator[Any]:
    yield conversation.meta
    for message in conversation.log:
        yield message.metadata
        for part in message.parts:
            yield part.metadata
            if isinstance(part, ToolUsePart):
                yield part.input
            elif isinstance(part, DataPart):
                yield part.data
    for call in conversation.calls.all:
        yield from (call.answer, call.wire, call.parameters, call.definitions)


def _shape(value: Any, found: set[int]) -> int:
    """Return the hash of a value, and add those of all values within it."""
    if isinstance(value, Mapping):
        made = hash(frozenset((key, _shape(one, found)) for key, one in value.items()))
    elif isinstance(value, list | tuple):
        made = hash(("list", *(_shape(one, found) for one in value)))
    else:
        return hash(value)
    found.add(made)
    return made
