"""Dialects: in what the chat messages of one format differ from those of another."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from ..engine.messages import (
    DataPart,
    ImagePart,
    Message,
    Part,
    TextPart,
    ThinkingPart,
    ToolResultPart,
    ToolUsePart,
    of_parts,
    read_part,
    usual_part,
)
from ..errors import Refused, wrong_type
from ..values.frozen import freeze, of_frozen, thaw
from ..values.models import Role
from ..values.times import uncollected
from .base import read_rows
from .fields import ROLES, core_role, is_object
from .json_text import read_json
from .notes import Notes, inner, merged, without
from .pairing import NOTE as TOGETHER
from .pairing import Waiting, in_a_row, read_together, write_together
from .warnings import FormatWarning, WarningCollector, as_role, bare, kept_keys


class Dialect(Notes):
    """Notes under a format's key, and what is usual there.

    With ``object_arguments``, arguments of a call stand there as they are, not as JSON text.
    With ``pairs``, a result without an id is that of the first call that waits for one.
    ``thinking`` are the keys that hold an assistant's reasoning, the first one where it is written.
    """

    def __init__(
        self,
        key: str,
        *,
        object_arguments: bool = False,
        pairs: bool = False,
        thinking: tuple[str, ...] = (),
    ) -> None:
        super().__init__(key)
        self.object_arguments = object_arguments
        self.pairs = pairs
        self.thinking = thinking


def thinking_keys(own: Notes) -> tuple[str, ...]:
    """Return the keys that hold an assistant's reasoning, the one to be written first."""
    return own.thinking if isinstance(own, Dialect) else ()


FUNCTION = "function"
CUSTOM = "custom"
LEGACY = "function_call"
GIVEN_VALUE = {"given": "value"}
GIVEN_NOT = {"given": "absent"}
MADE_ID = "made_id"
"""The note that a call had no id, and whether it had null instead."""
NO_ID = "call-id-made"
BROKEN = "arguments-not-json"


def read_calls(
    own: Notes, calls: object, message: int, warnings: WarningCollector
) -> list[dict[str, Any]]:
    """Return the calls of ``tool_calls`` as core data."""
    if not isinstance(calls, list):
        raise wrong_type("tool_calls", calls, "a list of tool calls")
    return [
        _read_call(own, _with_id(call, message, i, warnings), f"tool_calls[{i}]", message, warnings)
        for i, call in enumerate(calls)
    ]


def _with_id(call: object, message: int, place: int, warnings: WarningCollector) -> object:
    """Return a call that has an id; what it had instead is noted beside it."""
    if not is_object(call) or call.get("id") is not None:
        return call
    warnings.add(NO_ID, message)
    given = None if "id" in call else GIVEN_NOT
    return {**call, "id": f"call_{message}_{place}", MADE_ID: given}


def _read_call(
    own: Notes, call: object, where: str, message: int, warnings: WarningCollector
) -> dict[str, Any]:
    if not is_object(call):
        raise wrong_type(where, call, "an object with id and function")
    if not isinstance(call.get("id"), str):
        raise wrong_type(f"{where}.id", call.get("id"), "text")
    kind = call.get("type")
    if "type" in call and kind not in (FUNCTION, CUSTOM):
        raise wrong_type(f"{where}.type", kind, f"{FUNCTION} or {CUSTOM}")
    key = CUSTOM if kind == CUSTOM else FUNCTION
    notes = without(call, "id", "type", key)
    if kind != FUNCTION:
        notes["type"] = kind
    name, value, rest = read_body(own, call.get(key), key, f"{where}.{key}", message, warnings)
    if rest:
        notes[key] = rest
    use = {"id": call["id"], "name": name, "input": value}
    return {"type": "tool_use", "tool_use": use, **own.kept(notes)}


def read_legacy(
    own: Notes, body: Mapping[str, Any], id: str, message: int, warnings: WarningCollector
) -> dict[str, Any]:
    """Return a ``function_call`` as core data; it has no id of its own."""
    name, value, rest = read_body(own, body, FUNCTION, LEGACY, message, warnings)
    warnings.add(NO_ID, message)
    use = {"id": id, "name": name, "input": value}
    return {"type": "tool_use", "tool_use": use, **own.kept({"type": LEGACY, FUNCTION: rest})}


def read_body(
    own: Notes, body: object, key: str, where: str, message: int, warnings: WarningCollector
) -> tuple[str, Any, dict[str, Any]]:
    """Return the name, the input and what is to be noted of a call's inner object."""
    if not is_object(body):
        raise wrong_type(where, body, "an object with a name")
    if not isinstance(body.get("name"), str):
        raise wrong_type(f"{where}.name", body.get("name"), "text")
    given = "input" if key == CUSTOM else "arguments"
    rest = without(body, "name", given)
    text, value = body.get(given), body.get(given)
    if given not in body:
        value, rest[given] = {}, GIVEN_NOT
    elif not isinstance(text, str):
        if not _is_object(own, key):
            rest[given] = GIVEN_VALUE
    elif key != CUSTOM:
        is_json, value = parsed(text)
        if not is_json:
            warnings.add(BROKEN, message)
        if _is_object(own, key) or arguments_text(value) != text:
            rest[given] = text
    return body["name"], value, rest


def write_call(own: Notes, part: ToolUsePart) -> dict[str, Any]:
    """Return a call as an entry of ``tool_calls``."""
    notes = own.of(part.metadata)
    kind = notes.get("type", FUNCTION)
    key = CUSTOM if kind == CUSTOM else FUNCTION
    row: dict[str, Any] = {"id": part.id, "type": key}
    if MADE_ID in notes and is_made(part.id):
        row = {**({} if notes[MADE_ID] else {"id": None}), "type": key}
    if kind is None:
        del row["type"]
    row[key] = write_body(own, part, key, inner(notes, key))
    return merged(row, without(notes, "type", MADE_ID))


def is_made(id: str) -> bool:
    """Tell whether an id may be one that was made here."""
    return id.startswith("call_")


def is_legacy(own: Notes, part: ToolUsePart) -> bool:
    """Tell whether a call came as a ``function_call``."""
    return bool(own.of(part.metadata).get("type") == LEGACY)


def write_legacy(own: Notes, part: ToolUsePart) -> dict[str, Any]:
    """Return a call as the value of ``function_call``."""
    return write_body(own, part, FUNCTION, inner(own.of(part.metadata), FUNCTION))


def write_body(own: Notes, part: ToolUsePart, key: str, notes: dict[str, Any]) -> dict[str, Any]:
    """Return the inner object of a call, with what was noted of it."""
    given = "input" if key == CUSTOM else "arguments"
    noted = notes.pop(given, None)
    value: Any = thaw(part.input)
    row: dict[str, Any] = {"name": part.name}
    if noted == GIVEN_VALUE:
        row[given] = value
    elif noted != GIVEN_NOT or value != {}:
        if key == CUSTOM and isinstance(value, str):
            row[given] = value
        elif isinstance(noted, str) and _dumped(parsed(noted)[1]) == _dumped(value):
            row[given] = noted
        else:
            row[given] = value if _is_object(own, key) else arguments_text(value)
    return merged(row, notes)


def _is_object(own: Notes, key: str) -> bool:
    """Tell whether what a call is given stands there as it is, not as JSON text."""
    return isinstance(own, Dialect) and own.object_arguments and key != CUSTOM


def arguments_text(value: object) -> str:
    """Return an input as ``arguments``; a broken text stays as it came."""
    if isinstance(value, str) and not parsed(value)[0]:
        return value
    return _dumped(value)


ENCODER = json.JSONEncoder(ensure_ascii=False)
"""Made once, since calls come by the thousand and ``json.dumps`` would make one for each."""


def _dumped(value: object) -> str:
    return ENCODER.encode(value)


def parsed(text: str) -> tuple[bool, Any]:
    """Return whether a text is JSON that a message can hold, and its value or the text itself."""
    try:
        value = read_json(text)
        freeze(value, "arguments")
    except Refused:
        return False, text
    return True, value


CHAT_TYPES = ("input_audio", "file", "refusal")
"""Parts that chat has and core has not; they are held as data."""

ABSENT = "absent"
NULL = "null"
TEXT = "text"
LIST = "list"
EMPTY_LIST = "empty list"


def form_of(row: Mapping[str, Any]) -> str:
    """Return in which form a chat message has its content, or refuse it."""
    if "content" not in row:
        return ABSENT
    match row["content"]:
        case None:
            return NULL
        case str():
            return TEXT
        case []:
            return EMPTY_LIST
        case list():
            return LIST
    raise wrong_type("content", row["content"], "text, a list of parts or null")


def usual_form(own: Notes, parts: Sequence[Part], *, beside_calls: bool) -> str:
    """Return the form that parts are written in where nothing else was noted."""
    if not parts:
        return NULL if beside_calls else TEXT
    return TEXT if _is_plain_text(own, parts) else LIST


def read_parts(
    own: Notes, content: object, message: int, warnings: WarningCollector
) -> list[dict[str, Any]]:
    """Return the parts of a content as core data; none for an empty one."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    if not isinstance(content, list):
        return []
    return [_read_part(own, part, i, message, warnings) for i, part in enumerate(content)]


def _read_part(
    own: Notes, part: object, place: int, message: int, warnings: WarningCollector
) -> dict[str, Any]:
    if not is_object(part):
        raise wrong_type(f"content[{place}]", part, "an object with a type")
    match part:
        case {"type": "text", "text": str(text)}:
            return {"type": "text", "text": text, **own.kept(without(part, "type", "text"))}
        case {"type": "image_url", "image_url": {"url": str(url)}}:
            notes = without(part, "type", "image_url")
            if len(part["image_url"]) > 1:
                notes["image_url"] = without(part["image_url"], "url")
            return {"type": "image", "image_url": {"url": url}, **own.kept(notes)}
    warnings.add("part-kept-as-data", message, bare(part.get("type")))
    return {"type": "data", "data": part, "metadata": {own.key: {}}}


def write_content(
    own: Notes,
    parts: Sequence[Part],
    noted: object,
    usual: str,
    write: Callable[[Notes, Part], Any] | None = None,
) -> dict[str, Any]:
    """Return the content entry of a chat message, in the noted form where that is still possible.

    The parts are those that ``holds`` lets through, or those that ``write`` has a form for.
    """
    blank = not parts or (
        _is_plain_text(own, parts) and parts[0] == TextPart("", parts[0].metadata)
    )
    possible = {
        ABSENT: blank,
        NULL: blank,
        EMPTY_LIST: blank,
        TEXT: not parts or _is_plain_text(own, parts),
        LIST: True,
    }
    form = noted if isinstance(noted, str) and possible.get(noted) else usual
    match form:
        case "absent":
            return {}
        case "null":
            return {"content": None}
        case "text":
            return {"content": "".join(part.text for part in parts if isinstance(part, TextPart))}
        case "empty list":
            return {"content": []}
    return {"content": [(write or write_part)(own, part) for part in parts]}


def _is_plain_text(own: Notes, parts: Sequence[Part]) -> bool:
    """Tell whether parts are one text that a string can stand for."""
    return len(parts) == 1 and isinstance(parts[0], TextPart) and not own.of(parts[0].metadata)


def holds(own: Notes, part: Part) -> bool:
    """Tell whether a chat message's content can hold a part."""
    if isinstance(part, DataPart):
        return own.is_in(part.metadata) or part.data.get("type") in CHAT_TYPES
    return isinstance(part, TextPart | ImagePart)


def write_part(own: Notes, part: Part) -> dict[str, Any]:
    """Return a part as chat data."""
    notes = own.of(part.metadata)
    match part:
        case TextPart():
            return merged({"type": "text", "text": part.text}, notes)
        case ImagePart():
            image = merged({"url": part.url}, inner(notes, "image_url"))
            return merged({"type": "image_url", "image_url": image}, notes)
        case DataPart():
            data: dict[str, Any] = thaw(part.data)
            return data
    raise AssertionError("only parts that chat can hold are written")


RESULT_KEYS = {"role", "tool_call_id", "content"}
CALLS_KEYS = {"role", "content", "tool_calls"}
CALL_KEYS = {"id", "type", FUNCTION}
BODY_KEYS = {"name", "arguments"}
WIDE = '": '
"""What stands between a key and its value where arguments are written here."""


def usual_result(row: Mapping[str, Any]) -> Message | None:
    """Return a tool's message that names its call and is a text, else None."""
    if row.keys() != RESULT_KEYS or row["role"] != "tool":
        return None
    id, content = row["tool_call_id"], row["content"]
    if type(id) is not str or type(content) is not str:
        return None
    return of_parts("tool", (ToolResultPart(id, content),))


def usual_calls(own: Notes, row: Mapping[str, Any]) -> Message | None:
    """Return an assistant's message of functions to be called, with or without a text, else None.

    Dialects, which have rules of their own for calls, are not asked about.
    """
    if row.keys() != CALLS_KEYS or row["role"] != "assistant" or type(own) is not Notes:
        return None
    content, calls = row["content"], row["tool_calls"]
    if type(calls) is not list or not calls:
        return None
    parts: list[Part] = []
    if content is not None:
        if type(content) is not str or not content:
            return None
        parts.append(TextPart(content))
    for call in calls:
        part = _usual_call(own, call)
        if part is None:
            return None
        parts.append(part)
    return of_parts("assistant", tuple(parts))


def _usual_call(own: Notes, call: object) -> ToolUsePart | None:
    if type(call) is not dict or call.keys() != CALL_KEYS or call["type"] != FUNCTION:
        return None
    id, body = call["id"], call[FUNCTION]
    if type(id) is not str or type(body) is not dict or body.keys() != BODY_KEYS:
        return None
    name, text = body["name"], body["arguments"]
    if type(name) is not str or type(text) is not str:
        return None
    try:
        value = read_json(text)
        kept = freeze(value, "input")
    except Refused:
        return None
    if _is_written_so(value, text):
        return ToolUsePart(id, name, kept)
    form = of_frozen({FUNCTION: of_frozen({"arguments": text})})
    return ToolUsePart(id, name, kept, of_frozen({own.key: form}))


def _is_written_so(value: object, text: str) -> bool:
    """Tell whether arguments would be written as they came; a narrow text is told at a glance."""
    if type(value) is dict and value and WIDE not in text:
        return False
    return arguments_text(value) == text


GivenRow = Mapping[str, Any]
ChatContent = tuple[Any, str | None]
"""A core content, and the form it came in where that is not the usual one."""


PLAIN_KEYS = 2
PLAIN_ROLES = ("system", "user", "assistant")
"""A message of just role and content, which is the same in core."""


def read_chat(
    rows: Sequence[object], own: str | Notes = "openai", taken: tuple[str, ...] = ()
) -> tuple[tuple[Message, ...], tuple[FormatWarning, ...]]:
    """Return core messages and what was adapted.

    A bad message is left out and told; if all are bad, the first is refused by its index. What
    core has no place for is noted under a key, or as a dialect has it; keys that the caller takes
    out of the notes are not told.
    """
    reader = _Reader(Notes(own) if isinstance(own, str) else own, taken)
    reader.look_ahead(rows)
    with uncollected():
        messages = read_rows(rows, reader.read, reader.warnings)
    return tuple(messages), reader.warnings.found()


class _Reader:
    """Reads message after message, since an old function result has no id to name its call by."""

    def __init__(self, own: Notes, taken: tuple[str, ...]) -> None:
        self._own, self._taken = own, taken
        self.warnings = WarningCollector()
        self._unanswered: str | None = None
        self._waiting = Waiting()
        self._in_a_row: list[int] = []

    def look_ahead(self, rows: Sequence[object]) -> None:
        """Find out how many results follow calls, where these do not name them."""
        if isinstance(self._own, Dialect) and self._own.pairs:
            self._in_a_row = in_a_row(
                isinstance(row, Mapping) and row.get("role") == "tool" for row in rows
            )

    def read(self, row: object, place: int) -> Message:
        """Return one chat message as a core message."""
        if not is_object(row):
            raise wrong_type("message", row, "an object with a role")
        role = _read_role(row)
        if _is_plain(row, role):
            self._waiting.forget()
            return Message(role, row["content"])
        usual = self._usual(row, role)
        if usual is not None:
            return usual
        notes = without(row, "role", "content")
        if role != "tool":
            self._waiting.forget()
        read = self._tool_content if role == "tool" else self._content
        content, form = read(row, notes, place)
        said = without(notes, *self._taken)
        unplaced = [key for key, value in said.items() if value not in (None, [])]
        if unplaced:
            self.warnings.add("keys-kept", place, *kept_keys(self._own.key, unplaced))
        if row["role"] != role:
            notes["role"] = row["role"]
            self.warnings.add("role-read-as", place, as_role(row["role"], role))
        if form is not None:
            notes["content"] = form
        return Message.from_dict({"role": role, "content": content, **self._own.kept(notes)})

    def _usual(self, row: GivenRow, role: Role) -> Message | None:
        """Return a message of usual calls or of one usual result, else None."""
        if role == "tool":
            result = usual_result(row)
            if result is not None:
                self._waiting.answered(row["tool_call_id"])
            return result
        calls = usual_calls(self._own, row)
        if calls is not None:
            self._waiting.forget()
        return calls

    def _content(self, row: GivenRow, notes: dict[str, Any], place: int) -> ChatContent:
        """Return the content of a message, and take the calls out of its notes."""
        form = form_of(row)
        parts = read_parts(self._own, row.get("content"), place, self.warnings)
        is_assistant = row["role"] == "assistant"
        thoughts = self._thoughts(notes) if is_assistant else []
        calls = self._calls(notes, place) if is_assistant else []
        read = [usual_part(part) or read_part(part, "content") for part in parts]
        usual = usual_form(self._own, read, beside_calls=bool(calls))
        noted = None if form == usual else form
        if form == TEXT and parts and not calls and not thoughts:
            return row["content"], noted
        return [*thoughts, *parts, *calls] or [{"type": "text", "text": ""}], noted

    def _thoughts(self, notes: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the reasoning that stands beside the content, and take it out of the notes."""
        keys = thinking_keys(self._own)
        key = next((key for key in keys if isinstance(notes.get(key), str) and notes[key]), None)
        if key is None:
            return []
        noted = {} if key == keys[0] else {"key": key}
        thought = {"type": "thinking", "thinking": {"text": notes.pop(key)}}
        return [{**thought, **self._own.kept(noted)}]

    def _calls(self, notes: dict[str, Any], place: int) -> list[dict[str, Any]]:
        calls = []
        if notes.get("tool_calls"):
            calls = read_calls(self._own, notes.pop("tool_calls"), place, self.warnings)
            if isinstance(self._own, Dialect) and self._own.pairs:
                for call in calls:
                    self._waiting.call(call["tool_use"]["id"], call["tool_use"]["name"])
        if is_object(notes.get(LEGACY)):
            self._unanswered = f"{LEGACY}_{place}"
            body = notes.pop(LEGACY)
            calls.append(read_legacy(self._own, body, self._unanswered, place, self.warnings))
        return calls

    def _tool_content(self, row: GivenRow, notes: dict[str, Any], place: int) -> ChatContent:
        """Return the content of a tool's message: the result, if it says of which call."""
        id, made = row.get("tool_call_id"), {}
        if row["role"] == "function":
            id, self._unanswered = self._unanswered or f"{LEGACY}_{place}", None
        elif isinstance(id, str):
            del notes["tool_call_id"]
            self._waiting.answered(id)
        else:
            together = self._together(row, place)
            if together:
                return together, None
            id = self._waiting.answer(row.get("name"))
            if id is None:
                return self._content(row, notes, place)
            made = {MADE_ID: True}
        form, content = form_of(row), row.get("content")
        if isinstance(content, list):
            content = read_parts(self._own, content, place, self.warnings)
        result = {"tool_use_id": id, "content": "" if content is None else content}
        noted = form if content is None else None
        part = {"type": "tool_result", "tool_result": result, **self._own.kept(made)}
        return [part], noted

    def _together(self, row: GivenRow, place: int) -> list[dict[str, Any]]:
        """Return the results of several calls that one message without a name answers."""
        text = row.get("content")
        if not isinstance(text, str) or isinstance(row.get("name"), str) or not self._waiting:
            return []
        results = self._in_a_row[place]
        return read_together(self._own, text, self._waiting, results, place, self.warnings)


def _is_plain(row: GivenRow, role: Role) -> bool:
    """Tell whether a message is the same in core: most are, and there may be millions of them."""
    content = row.get("content")
    is_text = len(row) == PLAIN_KEYS and isinstance(content, str) and bool(content)
    return is_text and role in PLAIN_ROLES and role == row["role"]


def _read_role(row: GivenRow) -> Role:
    role = row.get("role")
    if "role" not in row:
        raise Refused("the message has no role", field="role", legal=", ".join(ROLES))
    if not isinstance(role, str):
        raise wrong_type("role", role, f"one of {', '.join(ROLES)}")
    return core_role(role)


ChatRow = dict[str, Any]


def write_chat(
    messages: Iterable[tuple[int, Message]], own: str | Notes = "openai"
) -> tuple[list[ChatRow], tuple[FormatWarning, ...]]:
    """Return chat messages for messages with their raw indices, and what was left out."""
    writer = _Writer(Notes(own) if isinstance(own, str) else own)
    rows = [row for raw, message in messages for row in writer.write(raw, message)]
    return rows, writer.warnings.found()


class _Writer:
    """Writes message after message; one of core may be several of chat."""

    def __init__(self, own: Notes) -> None:
        self._own = own
        self.warnings = WarningCollector()
        self._legacy: dict[str, str] = {}

    def write(self, raw: int, message: Message) -> list[ChatRow]:
        """Return the chat messages for one message: its results, and whatever else it says."""
        self._tell_left_out(raw, message)
        notes = self._own.of(message.metadata)
        every = message.parts
        results = [part for part in every if isinstance(part, ToolResultPart)]
        calls = [part for part in every if isinstance(part, ToolUsePart)]
        calls = calls if message.role == "assistant" else []
        parts = [part for part in every if holds(self._own, part)]
        rest = without(notes, "role", "content")
        if results and not parts and not calls and not self._thoughts(message):
            together = write_together(self._own, results)
            if together is None:
                rows = [self._result(raw, message, part, notes) for part in results]
            else:
                rows = [{"role": _written_role(message, notes), "content": together}]
            rows[0] = merged(rows[0], rest)
            self._tell_split(raw, rows)
            return rows
        own = merged(self._row(message, parts, calls, notes), rest)
        answers = [self._result(raw, message, part, {}) for part in results]
        # Results must follow their calls at once, which stand here or in the message before.
        calls_first = message.role == "assistant"
        rows = [own, *answers] if calls_first else [*answers, own]
        self._tell_split(raw, rows)
        told: list[Part] = [*parts, *calls, *results] if calls_first else [*results, *parts]
        place = {id(part): i for i, part in enumerate(every)}
        if any(place[id(one)] > place[id(next)] for one, next in pairwise(told)):
            self.warnings.add("parts-reordered", raw)
        return rows

    def _row(
        self, message: Message, parts: Sequence[Part], calls: list[ToolUsePart], notes: ChatRow
    ) -> ChatRow:
        """Return a chat message with content and calls."""
        usual = usual_form(self._own, parts, beside_calls=bool(calls))
        content = write_content(self._own, parts, notes.get("content"), usual)
        row = {"role": _written_role(message, notes), **content, **self._thoughts(message)}
        legacy = next((call for call in calls if is_legacy(self._own, call)), None)
        rows = [write_call(self._own, call) for call in calls if call is not legacy]
        if rows:
            row["tool_calls"] = rows
        if legacy is not None:
            self._legacy[legacy.id] = legacy.name
            row[LEGACY] = write_legacy(self._own, legacy)
        return row

    def _thoughts(self, message: Message) -> ChatRow:
        """Return the reasoning under the key that a dialect has for it."""
        keys = thinking_keys(self._own) if message.role == "assistant" else ()
        thoughts = [part for part in message.parts if isinstance(part, ThinkingPart)]
        if not keys or not thoughts:
            return {}
        noted = self._own.of(thoughts[0].metadata).get("key")
        key = noted if noted in keys else keys[0]
        return {key: "\n\n".join(part.text for part in thoughts)}

    def _result(
        self, raw: int, message: Message, result: ToolResultPart, notes: ChatRow
    ) -> ChatRow:
        """Return a chat message with the result of a call."""
        if message.role != "tool":
            self.warnings.add("result-becomes-tool", raw)
        content = result.content
        parts = (TextPart(content),) if isinstance(content, str) else content
        usual = TEXT if isinstance(content, str) else LIST
        noted = notes.get("content") if content == "" else None
        held = [part for part in parts if holds(self._own, part)]
        form = noted if noted in (ABSENT, NULL) else usual
        entry = write_content(self._own, held, form, usual)
        role = _written_role(message, notes)
        if role == "function":
            return {"role": role, **entry}
        if result.tool_use_id in self._legacy:
            return {"role": "function", "name": self._legacy[result.tool_use_id], **entry}
        if {MADE_ID, TOGETHER} & set(self._own.of(result.metadata)):
            return {"role": role, **entry}
        return {"role": "tool", "tool_call_id": result.tool_use_id, **entry}

    def _tell_split(self, raw: int, rows: list[ChatRow]) -> None:
        if len(rows) > 1:
            self.warnings.add("message-split", raw)

    def _tell_left_out(self, raw: int, message: Message) -> None:
        """Note everything about a message that no chat message of it will hold."""
        beside = {
            "id-left-out": message.id is not None,
            "timestamp-left-out": message.timestamp is not None,
            "metadata-left-out": self._own.has_others(message.metadata),
        }
        for code, true in beside.items():
            if true:
                self.warnings.add(code, raw)
        for part in message.parts:
            self._tell_part(raw, message, part)

    def _tell_part(self, raw: int, message: Message, part: Part) -> None:
        if self._own.has_others(part.metadata):
            self.warnings.add("metadata-left-out", raw)
        match part:
            case ToolUsePart():
                if message.role != "assistant":
                    self.warnings.add("call-left-out", raw)
            case ToolResultPart():
                if part.is_error:
                    self.warnings.add("error-flag-left-out", raw)
                for inside in part.content if isinstance(part.content, tuple) else ():
                    self._tell_part(raw, message, inside)
            case ThinkingPart() if message.role == "assistant" and thinking_keys(self._own):
                if part.signature is not None:
                    self.warnings.add("signature-left-out", raw)
            case _ if not holds(self._own, part):
                self.warnings.add("part-left-out", raw, part.type)


def _written_role(message: Message, notes: ChatRow) -> str:
    """Return the name that a role was read by, as long as it is that of the role."""
    noted = notes.get("role")
    return noted if isinstance(noted, str) and core_role(noted) == message.role else message.role
