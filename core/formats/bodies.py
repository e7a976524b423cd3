"""Requests and answers of all kinds; a message that was sent before is not read again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TypeVar

from ..conversation.conversation import Conversation
from ..engine.calls import Call
from ..engine.messages import DataPart, Message, of_parts
from ..errors import Refused, wrong_type
from ..requests.bodies import (
    MESSAGES,
    PROMPT,
    Hints,
    ParsedRequest,
    ParsedResponse,
    SentMessage,
    digest,
    dumped,
    may_have_markers,
    without_markers,
)
from ..requests.exchange import KINDS, Exchange, Kind, Outcome
from ..requests.findings import RunCall
from ..requests.seen import SeenReader
from ..requests.threads import SIDES, ThreadRole, read_role
from ..values.frozen import freeze_object, thaw
from ..values.patches import is_patch, patched
from .anthropic import MessagesCodec
from .fields import core_role, is_object
from .format_metadata import FormatMetadata, without
from .gemini import GeminiCodec
from .json_text import dump_json, read_json
from .openai import ChatCodec, OllamaCodec
from .request_codecs import GivenForm, RequestCodec, Row
from .responses import ResponsesCodec
from .stream_assembly import Note, read_value, whole
from .warnings import FormatWarning, read_warnings

CODECS: dict[Kind, RequestCodec] = {
    codec.kind: codec
    for codec in (ChatCodec(), ResponsesCodec(), MessagesCodec(), GeminiCodec(), OllamaCodec())
}
MOST_SHARED = 200_000
"""Messages that are remembered, so that a run of any length has an end to what it takes."""
MODEL_IN_PATH = re.compile(r"/models/([^/:?]+):")
IN_PATH = {"model": "path"}


class BodyReader:
    """Reads requests and answers of all kinds; what it has read before it shares."""

    def __init__(self) -> None:
        self._known: dict[tuple[Kind, str], dict[bytes, SentMessage]] = {}

    def parse_request(self, exchange: Exchange) -> ParsedRequest:
        """Return what a request asks; refuse what has no messages."""
        request, codec = exchange.request, CODECS[exchange.kind]
        if not isinstance(request, Mapping):
            raise wrong_type("request", request, "an object with messages")
        whole = dumped(request)
        given, form, rest = codec.split(request)
        headers, stored = exchange.headers, stored_of(request)
        continued = thread_of(request)
        before = continued or request.get("previous_response_id")
        session = next((headers[name] for name in SESSIONS if headers.get(name)), None)
        asked = ParsedRequest(
            exchange.kind,
            self._sent(codec, given),
            previous=before if isinstance(before, str) and before else stored,
            is_thread=continued is not None,
            after=after_of(request),
            stored=stored,
            # A key for the prompt cache names no session: several may share it.
            hints=Hints(exchange.tag, session or _user_session(request), headers.get(AGENT)),
            purpose=exchange.purpose,
            keys=tuple(request),
            digest=digest(whole),
        )
        tools, model = rest.get("tools"), rest.get("model")
        if isinstance(tools, list) and all(map(is_object, tools)):
            described = tuple(codec.described(tools))
            asked = replace(asked, tools=tuple(rest.pop("tools")), described=described)
        if isinstance(model, str) and model:
            asked = replace(asked, model=rest.pop("model"))
        elif (in_path := MODEL_IN_PATH.search(exchange.path)) is not None:
            asked = replace(asked, model=in_path[1])
            form = {**form, **IN_PATH}
        return replace(asked, parameters=rest, form=form)

    def parse_response(self, exchange: Exchange) -> ParsedResponse | None:
        """Return the response, or None where there is none."""
        response, codec = exchange.response, CODECS[exchange.kind]
        if not isinstance(response, Mapping):
            return None
        id = codec.name(response)
        usage = {key: count for key, count in codec.usage(response).items() if count is not None}
        sent = self._sent(codec, codec.answer(response))
        return ParsedResponse(sent, id if isinstance(id, str) else None, usage or None)

    def rows(self, kind: Kind, place: str, message: Message) -> list[Any]:
        return rows_of(kind, place, message)

    def _sent(self, codec: RequestCodec, given: Sequence[GivenForm]) -> tuple[SentMessage, ...]:
        """Return messages; the same bytes have been read before as a rule."""
        sent = []
        for one in given:
            known = self._known.setdefault((codec.kind, one.place), {})
            data = dumped(one.rows)
            found = known.get(data)
            if found is None:
                if codec.needs_others(one):
                    return self._read_together(codec, given)
                if len(known) >= MOST_SHARED:
                    known.clear()
                found = known[data] = SentMessage(_read(codec, one, data), data, one.place)
            sent.append(found)
        return tuple(sent)

    def _read_together(
        self, codec: RequestCodec, given: Sequence[GivenForm]
    ) -> tuple[SentMessage, ...]:
        """Return messages of which some can only be read among the others, and so each time."""
        every = [(one, dumped(one.rows)) for one in given]
        listed = [(one, data) for one, data in every if one.place == MESSAGES]
        read = codec.read_all([_bare(one, data) for one, data in listed])
        if len(read) != len(listed):
            read = [_read(codec, one, data) for one, data in listed]
        prompt = [
            SentMessage(_read(codec, *one), one[1], PROMPT)
            for one in every
            if one[0].place == PROMPT
        ]
        pairs = zip(read, listed, strict=True)
        return (*prompt, *(SentMessage(message, data) for message, (_, data) in pairs))


def _bare(given: GivenForm, data: bytes) -> GivenForm:
    """Return rows without markers of the prompt cache, which are no part of a message."""
    return given._replace(rows=without_markers(given.rows)) if may_have_markers(data) else given


def _read(codec: RequestCodec, given: GivenForm, data: bytes) -> Message:
    bare = _bare(given, data)
    try:
        return codec.read(bare)
    except Refused:
        return unread_message(bare.rows)


def rows_of(kind: Kind, place: str, message: Message) -> list[Any]:
    """Return the rows of one message."""
    kept = unread_rows(message)
    return CODECS[kind].write(message, place) if kept is None else kept


def body_of(asked: ParsedRequest, given: Sequence[GivenForm]) -> Row:
    """Return a body: the messages given, and everything else as it was asked."""
    body: Row = {**asked.parameters, **CODECS[asked.kind].joined(given, asked.form)}
    if asked.model is not None and asked.form.get("model") != IN_PATH["model"]:
        body["model"] = asked.model
    if asked.tools is not None:
        body["tools"] = list(asked.tools)
    return without(body)


T = TypeVar("T")


class Rewritten(NamedTuple):
    """A call with its body; ``wire`` is what was kept of how it was written.

    ``raws`` are the messages in the body's list, one for each of its rows.
    """

    call: Call
    body: Row
    wire: Row
    raws: tuple[int, ...]


def rewritten(conversation: Conversation) -> Iterator[Rewritten]:
    """Yield every call of a conversation, in the order they were recorded.

    How a message was written changes from call to call, so that one can't be left out.
    """
    written: dict[int, GivenForm] = {}
    tools = conversation.calls.tools
    for call in conversation.calls.all:
        wire: Row = thaw(call.wire) or {}
        view = conversation.revisions[call.revision].view
        kind = _kind(wire)
        start, stop = _span(wire.get("carried"))
        patches = rows if isinstance(rows := wire.get("rows"), dict) else {}
        prompts = prompts if isinstance(prompts := wire.get("prompt"), int) else 0
        form = wire.get("form")
        given, raws = [], list[int]()
        for place, raw in enumerate(view):
            if start <= place < stop:
                continue
            at = PROMPT if place < prompts else MESSAGES
            last = written.get(raw)
            if last is None or last.place != at:
                last = GivenForm(rows_of(kind, at, conversation.log[raw]), at)
            patch: Any = patches.get(str(place))
            rows = patched(last.rows, patch) if is_patch(patch) else last.rows
            written[raw] = GivenForm(rows, at)
            given.append(written[raw])
            raws += [raw] * len(rows) * (at == MESSAGES)
        asked = ParsedRequest(
            kind,
            (),
            model=call.model,
            tools=None if call.tools is None else tuple(thaw(tools[call.tools])),
            parameters=thaw(call.parameters) or {},
            form=form if isinstance(form, dict) else {},
        )
        body = body_of(asked, given)
        keys = _stored_as(wire, "keys", list) or ()
        ordered = {key: body[key] for key in keys if isinstance(key, str) and key in body}
        yield Rewritten(call, {**ordered, **body}, wire, tuple(raws))


def exchanges_of(conversation: Conversation) -> Iterator[Exchange]:
    """Yield the exchange of every call of a conversation, as it was when it was recorded."""
    return map(exchange_again, rewritten(conversation))


def exchange_again(one: Rewritten) -> Exchange:
    """Return the exchange of a call, as it was when it was recorded."""
    call, wire = one.call, one.wire
    answer, stored = thaw(call.answer), partial(_stored_as, wire)
    return Exchange(
        request=one.body,
        response=answer if isinstance(answer, dict) else None,
        kind=_kind(wire),
        path=stored("path", str) or "",
        headers=stored("headers", dict) or {},
        status=stored("status", int),
        time=call.time,
        outcome=call.outcome,
        tag=stored("tag", str),
        envelope=stored("envelope", dict),
        source=stored("source", str),
        id=stored("id", str),
        warnings=tuple(one.to_dict() for one in unread_warnings(wire)),
    )


def run_calls(conversations: Iterable[Conversation]) -> list[RunCall]:
    """Return each call of some conversations with what was seen of it, in the order of recording.

    Threads of one file belong together: an answer in one may be what a request in another names.
    """
    every = [
        (number if isinstance(number := one.wire.get("number"), int) else place, talk, one)
        for talk in conversations
        for place, one in enumerate(rewritten(talk))
    ]
    every.sort(key=lambda one: one[0])
    reader, found = SeenReader(), list[RunCall]()
    for number, talk, one in every:
        seen = reader.read(exchange_again(one), number, partial(_located, talk, one))
        thread, role = _thread_of(talk)
        is_side = role == "sideCalls" and seen.purpose == "answer"
        purpose = "side" if is_side else seen.purpose
        found.append(RunCall(number, thread, purpose, talk, one.call, seen))
    return found


def _thread_of(conversation: Conversation) -> tuple[int, ThreadRole]:
    """Return the thread that a conversation is of or belongs to, and its role there."""
    match conversation.meta.get("requests"):
        case {"id": int(id), "role": str(name), **more}:
            role, parent = read_role(name) or "main", more.get("parent")
            return (parent if role in SIDES and isinstance(parent, int) else id), role
    return 0, "main"


def _located(
    conversation: Conversation, one: Rewritten, path: str
) -> tuple[int, int | None] | None:
    """Return the message in the log that a path of a body leads to, and the part of it."""
    match path.split("."):
        case ["messages" | "input" | "contents", row, *rest] if int(row) < len(one.raws):
            raw = one.raws[int(row)]
        case ["input"] if one.raws:
            return one.raws[0], None
        case ["system" | "instructions" | "systemInstruction" | "system_instruction", *rest]:
            if one.wire.get("prompt") != 1:
                return None
            raw = conversation.revisions[one.call.revision].view[0]
        case _:
            return None
    part = int(rest[-1]) if rest else None
    is_part = part is not None and part < len(conversation.log[raw].parts)
    return raw, part if is_part else None


def unread_warnings(wire: Row) -> tuple[FormatWarning, ...]:
    """Return what of a request could not be read as it was sent, and so is not written so."""
    try:
        return read_warnings(_stored_as(wire, "warnings", list) or ())
    except Refused:
        return ()


def _stored_as(wire: Row, name: str, kind: type[T]) -> T | None:
    """Return what was kept of a call under a name; it may be any JSON, so only if it fits."""
    value = wire.get(name)
    return value if isinstance(value, kind) else None


def _kind(wire: Row) -> Kind:
    """Return the kind of a call; one that was not read from a body is written as a chat."""
    found: Kind = wire["kind"] if wire.get("kind") in KINDS else "chat"
    return found


def _span(carried: object) -> tuple[int, int]:
    match carried:
        case [int(first), int(last)]:
            return first, last
    return 0, 0


SESSIONS = ("x-claude-code-session-id", "session-id", "session_id", "x-opencode-session")
AGENT = "x-claude-code-agent-id"


def thread_of(request: Mapping[str, Any]) -> str | None:
    """Return the answer after which a message thread continues, with its prompt and tools."""
    match request:
        case {"thread": {"type": "continue", "previous_message_id": str(id)}} if id:
            return id
    return None


def stored_of(request: Mapping[str, Any]) -> str | None:
    """Return the id of the conversation that a provider keeps."""
    stored = request.get("conversation")
    id = stored.get("id") if isinstance(stored, Mapping) else stored
    return id if isinstance(id, str) and id else None


def after_of(request: Mapping[str, Any]) -> str | None:
    """Return the earlier answer that a request wants to be compared with."""
    match request:
        case {"diagnostics": {"previous_message_id": str(id)}}:
            return id
        case {"prompt_cache_options": {"comparison_response_id": str(id)}}:
            return id
    return None


def _user_session(request: Mapping[str, Any]) -> str | None:
    """Return the session that a user id holds: as JSON, or behind a word in an older one."""
    metadata = request.get("metadata")
    user = metadata.get("user_id") if isinstance(metadata, Mapping) else None
    if not isinstance(user, str):
        return None
    if not user.startswith("{"):
        return user.partition("_session_")[2] or None
    try:
        value = read_json(user)
    except Refused:
        return None
    session = value.get("session_id") if isinstance(value, Mapping) else None
    return session if isinstance(session, str) and session else None


UNREAD = FormatMetadata("requests")


def unread_message(rows: list[Any]) -> Message:
    """Return a message that holds rows as they are."""
    first = rows[0] if rows else None
    role = first.get("role") if isinstance(first, Mapping) else None
    try:
        data = freeze_object({"rows": rows}, "data")
    except Refused:
        data = freeze_object({"json": dump_json(rows)}, "data")  # Nested deeper than data may be.
    part = DataPart(data, UNREAD.frozen({"unread": True}))
    return of_parts(core_role(role) if isinstance(role, str) else "user", (part,))


def unread_rows(message: Message) -> list[Any] | None:
    """Return the rows that a message was kept for, or None for any other."""
    part = message.parts[0]
    if not isinstance(part, DataPart) or not UNREAD.of(part.metadata).get("unread"):
        return None
    if "json" in part.data:
        rows: Any = read_json(part.data["json"])
        return rows if isinstance(rows, list) else None
    rows = thaw(part.data.get("rows"))
    return rows if isinstance(rows, list) else None


class Assembled(NamedTuple):
    """An answer, None where there is none, and how it ended."""

    answer: dict[str, Any] | None
    outcome: Outcome


def assembled(kind: Kind, content: bytes, note: Note = lambda _: None) -> Assembled:
    """Return the answer that a body holds; what is left out of it is noted.

    It is complete by what it says itself, as one whole object or with the last event of a stream:
    clients hang up as soon as they have that, before the connection ends.
    """
    found = _whole(content)
    if found is not None and (kind != "ollama" or "done" not in found):
        return Assembled(found, "complete")
    parts = CODECS[kind].assembler()
    for event in parts.events(content, note):
        parts.take(event)
    parts.end()
    whole(parts.answer)
    return Assembled(parts.answer or None, parts.outcome)


def _whole(content: bytes) -> dict[str, Any] | None:
    """Return the object that a body is; none where it is a stream, or no JSON at all."""
    if content.lstrip()[:1] != b"{":
        return None
    try:
        value = read_value(content)
    except Refused:
        return None
    return dict(value) if is_object(value) else None
