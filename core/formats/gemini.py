"""Parts of Gemini's contents, to and from parts of core, in either spelling.

A part is only read as what it seems to be if it can be written again as it was; else it is data.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from mimetypes import guess_type
from typing import Any

from ..conversation.conversation import Conversation
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
)
from ..errors import Refused, wrong_type
from ..requests.bodies import PROMPT
from ..values.frozen import FrozenDict, freeze, same_json, thaw
from ..values.models import Role
from .base import Confidence, JsonFormat, Loaded, Written, read_rows, rows_in, split_rows
from .detection import GEMINI
from .fields import is_object
from .format_metadata import ABSENT, BLANK, MADE_ID, FormatMetadata, inner, merged, without
from .json_text import parsed
from .losses import Holds, conversation_losses
from .request_codecs import Body, GivenForm, RequestCodec, Row, number
from .stream_assembly import (
    Assembler,
    Event,
    Note,
    Pieces,
    add_text,
    listed,
    objects_in,
    place_of,
    server_events,
)
from .tools import META_KEY, UnansweredCalls, left_out
from .warnings import WarningCollector

NOTES = FormatMetadata("gemini")
KINDS = ("function_call", "function_response", "inline_data", "file_data")
WORDS = {*KINDS, "thought_signature", "system_instruction", "mime_type", "file_uri"}
SPELLING = "spelling"
BASE64 = ";base64,"
ANSWERS = ("result", "output", "error")
"""Keys under which a response of one text has it; the last says that something went wrong."""

UNKNOWN = "unknown"
"""The name of a response whose call is nowhere."""


@dataclass(frozen=True, slots=True)
class Spelling:
    """How keys of two words are written."""

    is_snake: bool

    def __call__(self, name: str) -> str:
        first, *others = name.split("_")
        return name if self.is_snake else first + "".join(word.title() for word in others)


SNAKE, CAMEL = Spelling(is_snake=True), Spelling(is_snake=False)


def _read_one(part: Any, spelled: Spelling, pending: UnansweredCalls, where: str) -> Part:
    ways = (spelled, CAMEL if spelled.is_snake else SNAKE) if is_object(part) else ()
    for way in ways:
        mark = {} if way is spelled else {SPELLING: way.is_snake}
        found = _read_as(part, way, pending, where, mark)
        if found is not None and same_json(write_part(found, spelled, {}), part):
            if isinstance(found, ToolUsePart):
                pending.call(found.id, found.name)
            if isinstance(found, ToolResultPart):
                pending.answered(found.tool_use_id)
            return found
    return NOTES.data({"part": part})


def _read_as(
    part: Mapping[str, Any], way: Spelling, pending: UnansweredCalls, where: str, mark: Row
) -> Part | None:
    kinds = [name for name in KINDS if way(name) in part]
    if not kinds and isinstance(part.get("text"), str):
        return _read_text(part, way, mark)
    if len(kinds) != 1 or not is_object(body := part[way(kinds[0])]):
        return None
    rest = {**without(part, way(kinds[0])), **mark}
    if kinds[0] not in KINDS[:2]:
        return _read_image(body, rest, way)
    if not isinstance(body.get("name"), str):
        return None
    if kinds[0] == "function_call":
        return _read_call(body, rest, where)
    return _read_response(body, rest, pending, where)


def _read_text(part: Mapping[str, Any], way: Spelling, mark: Row) -> Part:
    notes = {**without(part, "text"), **mark}
    if part.get("thought") is not True:
        return TextPart(part["text"], NOTES.frozen(notes or None))
    del notes["thought"]
    key = way("thought_signature")
    signature = notes.pop(key) if isinstance(notes.get(key), str) else None
    return ThinkingPart(part["text"], signature, NOTES.frozen(notes or None))


def _read_call(body: Mapping[str, Any], notes: Row, where: str) -> Part:
    id, inside = body.get("id"), without(body, "name", "args")
    if isinstance(id, str):
        del inside["id"]
    else:
        id, notes[MADE_ID] = f"call_{where}", True
    if not isinstance(body.get("args"), Mapping):
        notes["args"] = [body["args"]] if "args" in body else []
    if inside:
        notes["call"] = inside
    given = freeze(body.get("args") or {}, "input")
    return ToolUsePart(id, body["name"], given, NOTES.frozen(notes or None))


def _read_response(
    body: Mapping[str, Any], notes: Row, pending: UnansweredCalls, where: str
) -> Part:
    id, inside, content = body.get("id"), without(body, "response"), ""
    if isinstance(id, str):
        del inside["id"]
    else:
        id, notes[MADE_ID] = pending.answer(body["name"]) or f"call_{where}", True
    response: Any = body.get("response")
    key = next(iter(response), "") if is_object(response) and len(response) == 1 else ""
    if "response" not in body:
        notes["form"] = ABSENT
    elif key in ANSWERS and isinstance(response[key], str):
        content = response[key]
        if key == ANSWERS[1]:
            notes["form"] = key
    else:
        content, notes["form"] = json.dumps(response, ensure_ascii=False), "json"
    notes["response"] = inside
    return ToolResultPart(id, content, True if key == "error" else None, NOTES.frozen(notes))


def _read_image(body: Mapping[str, Any], notes: Row, way: Spelling) -> Part | None:
    kind = body.get(way("mime_type"))
    if not isinstance(kind, str) or not kind.startswith("image/"):
        return None
    data, uri = body.get("data"), body.get(way("file_uri"))
    url = f"data:{kind}{BASE64}{data}" if isinstance(data, str) else uri
    inside = without(body, "data", way("file_uri"), *([way("mime_type")] if data else []))
    if inside:
        notes["image"] = inside
    return ImagePart(url, NOTES.frozen(notes or None)) if isinstance(url, str) and url else None


def holds(part: Part) -> bool:
    """Return whether a content can hold a part."""
    return not isinstance(part, DataPart) or NOTES.is_in(part.metadata)


def write_part(part: Part, spelled: Spelling, names: Mapping[str, str]) -> Any:
    """Return a part that ``holds`` lets through; ``names`` are those of the calls, by id."""
    notes = NOTES.of(part.metadata)
    if SPELLING in notes:
        spelled = SNAKE if notes.pop(SPELLING) else CAMEL
    match part:
        case TextPart():
            return merged({"text": part.text}, notes)
        case ThinkingPart():
            row: Row = {"text": part.text, "thought": True}
            if part.signature is not None:
                row[spelled("thought_signature")] = part.signature
            return merged(row, notes)
        case ToolUsePart():
            return _write_call(part, notes, spelled)
        case ToolResultPart():
            return _write_response(part, notes, spelled, names)
        case ImagePart():
            return _write_image(part, notes, spelled)
    return thaw(part.data).get("part")


def _write_call(part: ToolUsePart, notes: Row, spelled: Spelling) -> Row:
    value = thaw(part.input)
    body: Row = {"name": part.name}
    if MADE_ID not in notes:
        body["id"] = part.id
    if "args" not in notes or value:
        body["args"] = value if isinstance(value, Mapping) else {"input": value}
    elif notes["args"]:
        (body["args"],) = notes["args"]
    row = {spelled("function_call"): merged(body, inner(notes, "call"))}
    return merged(row, without(notes, MADE_ID, "args", "call"))


def _write_response(
    part: ToolResultPart, notes: Row, spelled: Spelling, names: Mapping[str, str]
) -> Row:
    said = part.content
    texts = [one.text for one in said if isinstance(one, TextPart)] if said else []
    text = said if isinstance(said, str) else "\n\n".join(texts)
    form = notes.get("form")
    body: Row = {} if MADE_ID in notes else {"id": part.tool_use_id}
    is_json, value = parsed(text) if form == "json" else (False, None)
    if is_json:
        body["response"] = value
    elif part.is_error or form != "absent" or text:
        key = "error" if part.is_error else form if form in ANSWERS else ANSWERS[0]
        body["response"] = {key: text}
    inside = inner(notes, "response") or {"name": names.get(part.tool_use_id, UNKNOWN)}
    row = {spelled("function_response"): merged(body, inside)}
    return merged(row, without(notes, MADE_ID, "form", "response"))


def _write_image(part: ImagePart, notes: Row, spelled: Spelling) -> Row:
    kind, separator, data = part.url.removeprefix("data:").partition(BASE64)
    inside = inner(notes, "image")
    if separator and part.url.startswith("data:"):
        body = merged({spelled("mime_type"): kind, "data": data}, inside)
        return merged({spelled("inline_data"): body}, without(notes, "image"))
    body = merged({spelled("file_uri"): part.url}, inside)
    kind = guess_type(part.url)[0] or "image/*"
    body.setdefault(spelled("mime_type"), kind)
    return merged({spelled("file_data"): body}, without(notes, "image"))


KNOWN = ("name", "description", "parameters")


def read_functions(tools: Any, spelled: Spelling) -> tuple[Row, Row]:
    """Return the meta of the tools of a request, and what is to be noted of their groups."""
    if not isinstance(tools, list):
        return {}, {"given": tools}
    found: list[Row] = []
    groups: list[Row] = []
    for tool in tools:
        key = spelled("function_declarations")
        declared = tool.get(key) if isinstance(tool, Mapping) else None
        if not isinstance(declared, list) or not all(map(_is_function, declared)):
            groups.append({"given": tool})
            continue
        groups.append({"count": len(declared), **({"rest": without(tool, key)})})
        for one in declared:
            known = {name: one[name] for name in KNOWN if name in one}
            found.append({**known, **NOTES.entry(without(one, *KNOWN))})
    return ({META_KEY: found} if found else {}), {"groups": groups}


def write_functions(meta: FrozenDict, noted: Row, spelled: Spelling) -> tuple[Row, list[str]]:
    """Return the entry for the tools of a conversation, and the names of those left out."""
    if "given" in noted:
        return {"tools": noted["given"]}, []
    found = thaw(meta.get(META_KEY) or ())
    plain = found if isinstance(found, list) else []
    tools = [tool for tool in plain if _is_function(tool)]
    lost = ["unnamed"] * (len(plain) - len(tools))
    rows = [
        merged(
            {name: tool[name] for name in KNOWN if name in tool},
            inner(inner(tool, "metadata"), NOTES.key),
        )
        for tool in tools
    ]
    groups = noted.get("groups") or []
    if sum(group.get("count", 0) for group in groups) != len(rows):
        given = [group for group in groups if "given" in group]
        groups = [*([{"count": len(rows)}] if rows else []), *given]
    written: list[Any] = []
    for group in groups:
        if "given" in group:
            written.append(group["given"])
            continue
        mine, rows = rows[: group["count"]], rows[group["count"] :]
        written.append(merged({spelled("function_declarations"): mine}, inner(group, "rest")))
    is_there = bool(written) or "groups" in noted
    return ({"tools": written} if is_there else {}), lost


def _is_function(tool: object) -> bool:
    return isinstance(tool, Mapping) and isinstance(tool.get("name"), str)


LOSSES = Holds(
    NOTES,
    lambda part, _: holds(part),
    in_result=lambda part: isinstance(part, TextPart),
    error=True,
    signature=True,
    foreign_call="",
)


ROWS, SYSTEM, BARE = "contents", "system_instruction", "bare"
ROLES: dict[object, Role] = {"model": "assistant", "function": "tool", "tool": "tool"}


class Gemini(JsonFormat):
    """Contents with parts, in either spelling; other keys are other fields."""

    name = "gemini"
    about = "a Gemini conversation: contents with parts"
    suffixes = (".gemini.json", ".gemini.jsonl")
    kinds = (GEMINI,)
    own_data = (
        *(way(kind) for kind in KINDS for way in (SNAKE, CAMEL)),
        *("executable_code", "executableCode", "code_execution_result", "codeExecutionResult"),
        *("video_metadata", "videoMetadata", "text"),
    )
    lines_of_items = True

    def confidence_of(self, value: object) -> Confidence:
        if is_object(value) and value.get(ROWS) == []:
            is_own = any(spelled(SYSTEM) in value for spelled in (SNAKE, CAMEL))
            return Confidence.LIKELY if is_own else Confidence.NO
        rows = objects_in(rows_in(value, ROWS))
        is_own = any(isinstance(row.get("parts"), list) and "content" not in row for row in rows)
        return Confidence.LIKELY if is_own else Confidence.NO

    def read_one(self, value: Any) -> Loaded:
        rows, fields = split_rows(value, ROWS, "a list of contents with parts")
        parts = [one for row in objects_in(rows) for one in objects_in(row.get("parts"))]
        spelled = SNAKE if any(WORDS & one.keys() for one in (fields, *parts)) else CAMEL
        notes: Row = {ROWS: BARE} if rows is value else {}
        if spelled.is_snake:
            notes["spelling"] = "snake"
        meta: Row = {}
        if "tools" in fields:
            meta, notes["tools"] = read_functions(fields.pop("tools"), spelled)
        reader = ContentReader(spelled)
        first = reader.system(fields.get(spelled(SYSTEM)))
        if first:
            del fields[spelled(SYSTEM)]
        messages = [*first, *read_rows(rows, reader.read, reader.warnings, ROWS)]
        made = Conversation(messages, meta={**meta, **NOTES.meta(notes, fields)})
        return Loaded(made, self.name, reader.warnings.found())

    def write(self, conversation: Conversation) -> Written:
        """Return the visible messages; leading system messages are the instruction."""
        meta = conversation.meta
        notes = NOTES.of(meta)
        spelled = SNAKE if notes.get("spelling") == "snake" else CAMEL
        # The names of all calls by id, also of those that are hidden.
        parts = (part for message in conversation.log for part in message.parts)
        names = {part.id: part.name for part in parts if isinstance(part, ToolUsePart)}
        writer = ContentWriter(spelled, names)
        for raw, message in zip(conversation.view, conversation.visible, strict=True):
            writer.write(raw, message)
        tools, lost = write_functions(meta, inner(notes, "tools"), spelled)
        data: Any = {ROWS: writer.rows, **writer.system, **tools}
        data = merged(data, NOTES.fields_of(meta))
        if notes.get(ROWS) == BARE and len(data) == 1:
            data = writer.rows
        others = conversation_losses(conversation, *NOTES.held(meta), META_KEY)
        return Written(data, (*others, *left_out(lost), *writer.warnings.found()))


class ContentReader:
    """Reads content after content, and remembers which calls wait for a response."""

    def __init__(self, spelled: Spelling) -> None:
        self.warnings = WarningCollector()
        self._spelled = spelled
        self._pending = UnansweredCalls()

    def system(self, given: object) -> list[Message]:
        """Return the instruction as a message, if it is one."""
        if isinstance(given, str) and given:
            return [_message("system", [TextPart(given)], {"system": {"is": "text"}})]
        parts = given.get("parts") if is_object(given) else None
        if not is_object(given) or not isinstance(parts, list) or not parts:
            return []
        content = [_read_one(part, self._spelled, UnansweredCalls(), "") for part in parts]
        if not all(isinstance(part, TextPart) for part in content):
            return []
        rest = without(given, "parts")
        return [_message("system", content, {"system": rest} if rest else {})]

    def read(self, row: object, place: int) -> Message:
        """Return one content as a message; one of nothing but responses is a tool's."""
        if not is_object(row):
            raise wrong_type("content", row, "an object with parts")
        parts, given = row.get("parts"), row.get("role")
        if parts is not None and not isinstance(parts, list):
            raise wrong_type("parts", parts, "a list of parts")
        notes = without(row, "parts", "role")
        content = [
            _read_one(part, self._spelled, self._pending, f"{place + 1}_{i}")
            for i, part in enumerate(parts or ())
        ]
        role = ROLES.get(given if isinstance(given, str) else None, "user")
        is_answer = bool(content) and all(isinstance(part, ToolResultPart) for part in content)
        role = "tool" if is_answer and role == "user" else role
        if given != ("model" if role == "assistant" else "user"):
            notes["role"] = [given] if "role" in row else []
            if given not in (None, *ROLES):
                self.warnings.add("role-unknown", place)
        if not parts:
            notes["parts"] = [parts] if "parts" in row else []
        if role != "tool" and not any(isinstance(part, ToolUsePart) for part in content):
            self._pending.forget()
        return _message(role, content, notes)


def _message(role: Role, parts: list[Part], notes: Row) -> Message:
    """Return a message; one of a tool says by its metadata that it was read."""
    metadata = NOTES.frozen(notes) if notes or role == "tool" else None
    match parts:
        case [TextPart(text=text, metadata=None)] if text:
            return Message(role, text, metadata=metadata)
    return of_parts(role, tuple(parts) or BLANK, metadata=metadata)


def _fits(given: list[Any], role: Role) -> bool:
    """Return whether the name of a role still is one of the message's; results may be a user's."""
    own = ROLES.get(given[0] if given and isinstance(given[0], str) else None, "user")
    return own == role or {own, role} == {"user", "tool"}


class ContentWriter:
    """Writes message after message; results of one turn from elsewhere become one content."""

    def __init__(self, spelled: Spelling, names: Mapping[str, str]) -> None:
        self.warnings = WarningCollector()
        self.rows: list[Row] = []
        self.system: Row = {}
        self._spelled = spelled
        self._names = names
        self._answers = False

    def write(self, raw: int, message: Message) -> None:
        LOSSES.report(message, raw, self.warnings)
        for part in message.parts:
            if isinstance(part, ToolUsePart) and not isinstance(part.input, Mapping):
                self.warnings.add("input-wrapped", raw)
            is_named = NOTES.is_in(part.metadata)
            if isinstance(part, ToolResultPart) and not (
                is_named or part.tool_use_id in self._names
            ):
                self.warnings.add("result-name-unknown", raw)
        notes = NOTES.of(message.metadata)
        parts = [
            write_part(part, self._spelled, self._names) for part in message.parts if holds(part)
        ]
        if message.role == "system" and not self.rows:
            self._instruct(parts, inner(notes, "system"))
            return
        if message.role == "system":
            self.warnings.add("system-becomes-user", raw)
        is_answer = message.role == "tool" and not NOTES.is_in(message.metadata)
        if is_answer and self._answers:
            self.rows[-1]["parts"] += parts
            return
        self._answers = is_answer
        row: Row = {"role": "model" if message.role == "assistant" else "user", "parts": parts}
        fits = {
            "parts": parts == [{"text": ""}],
            "role": "role" in notes and _fits(notes["role"], message.role),
        }
        for key, is_same in fits.items():
            if key in notes and is_same:
                # The note has what the key had, which is nothing where there was no such key.
                del row[key]
                if notes[key]:
                    (row[key],) = notes[key]
        self.rows.append(merged(row, without(notes, *fits, "system")))

    def _instruct(self, parts: list[Any], noted: Row) -> None:
        key = self._spelled(SYSTEM)
        if key in self.system:
            before = self.system[key]
            before = {"parts": [{"text": before}]} if isinstance(before, str) else before
            self.system[key] = {**before, "parts": [*before["parts"], *parts]}
        elif noted.get("is") == "text" and len(parts) == 1:
            self.system[key] = parts[0].get("text", "")
        else:
            self.system[key] = merged({"parts": parts}, without(noted, "is"))


TEXT_KEYS = frozenset(("text", "thought"))
"""The keys of a text that continues; one with a signature is a part of its own."""


class GeminiStream(Assembler):
    """The answer that its chunks make."""

    def __init__(self) -> None:
        super().__init__()
        self._candidates: dict[int, dict[str, Any]] = {}

    def events(self, content: bytes, note: Note) -> Iterator[Event]:
        return listed(content) if content.lstrip()[:1] == b"[" else server_events(content, note)

    def take(self, event: Event) -> None:
        chunk = event.data or {}
        if "error" in chunk:
            self.fail(chunk["error"])
            return
        candidates = objects_in(chunk.pop("candidates", None))
        self.answer.update(chunk)
        for piece in candidates:
            candidate = self._candidates.setdefault(place_of(piece) or 0, {})
            content = piece.pop("content", None)
            candidate.update(piece)
            if isinstance(content, dict):
                _grow(candidate.setdefault("content", {"parts": []}), content)

    def end(self) -> None:
        """Put the candidates in order; a prompt that is blocked has none."""
        if not self.answer and not self._candidates:
            return
        found = [self._candidates[place] for place in sorted(self._candidates)]
        if found:
            self.answer["candidates"] = found
        reasons = [one.get("finishReason", one.get("finish_reason")) for one in found]
        feedback = self.answer.get("promptFeedback")
        is_blocked = isinstance(feedback, dict) and "blockReason" in feedback
        self.is_over = all(reasons) if reasons else is_blocked


def _grow(content: dict[str, Any], piece: dict[str, Any]) -> None:
    parts = content["parts"]
    for part in objects_in(piece.pop("parts", None)):
        last = parts[-1] if parts else {}
        if _goes_on(last) and _goes_on(part) and last.get("thought") == part.get("thought"):
            add_text(last, "text", part["text"])
        else:
            parts.append(part)
    content.update(piece)


def _goes_on(part: dict[str, Any]) -> bool:
    return isinstance(part.get("text"), str | Pieces) and part.keys() <= TEXT_KEYS


NAMELESS = ("functionCall", "function_call", "functionResponse", "function_response")


class GeminiCodec(RequestCodec):
    """What generateContent takes."""

    kind = "gemini"
    rows = ROWS
    noun = "a list of contents with parts"
    prompts = ("systemInstruction", "system_instruction")
    assembler = GeminiStream

    def is_prompt(self, value: Any) -> bool:
        try:
            return bool(value) and bool(ContentReader(CAMEL).system(value))
        except Refused:  # What is nested too deeply stays a parameter.
            return False

    def read(self, given: GivenForm) -> Message:
        reader = ContentReader(CAMEL)
        if given.place == PROMPT:
            return reader.system(given.rows[0])[0]
        return reader.read(given.rows[0], 0)

    def write(self, message: Message, place: str) -> list[Any]:
        writer = ContentWriter(CAMEL, {})
        writer.write(0, message)
        return list(writer.system.values()) if place == PROMPT else list(writer.rows)

    def needs_others(self, given: GivenForm) -> bool:
        row = given.rows[0]
        parts = objects_in(row.get("parts")) if is_object(row) else ()
        bodies = (part[key] for part in parts for key in NAMELESS if key in part)
        return any(is_object(body) and not isinstance(body.get("id"), str) for body in bodies)

    def read_all(self, given: Sequence[GivenForm]) -> list[Message]:
        reader = ContentReader(CAMEL)
        try:
            return [reader.read(one.rows[0], place) for place, one in enumerate(given)]
        except Refused:
            return []

    def answer(self, response: Body) -> list[GivenForm]:
        match response:
            case {"candidates": [{"content": Mapping() as content}, *_]}:
                return [GivenForm([content])]
        return []

    def name(self, response: Body) -> object:
        return response.get("responseId", response.get("response_id"))

    def described(self, tools: list[Any]) -> list[Row]:
        found: list[Row] = read_functions(tools, CAMEL)[0].get(META_KEY, [])
        return found

    def usage(self, response: Body) -> dict[str, int | None]:
        usage = response.get("usageMetadata", response.get("usage_metadata"))
        counts = usage if is_object(usage) else {}
        outputs = [number(counts, f"{what}TokenCount") for what in ("candidates", "thoughts")]
        known = [count for count in outputs if count is not None]
        return {
            "input": number(counts, "promptTokenCount"),
            "cached": number(counts, "cachedContentTokenCount"),
            "output": sum(known) if known else None,
        }
