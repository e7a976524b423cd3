"""OpenAI chat: a list of messages, or an object that has one beside tools and other things."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from ..conversation.conversation import Conversation
from ..engine.messages import Message
from ..errors import Refused, wrong_type
from ..requests.exchange import Kind
from .base import Loaded, Sureness, Written
from .chat import LEGACY, Dialect, read_chat, write_chat
from .detection import CHATS, recognise
from .each import OneEach
from .fields import ROLES, is_object
from .notes import Notes, without
from .request_codecs import Body, GivenForm, RequestCodec, Row, Split, number, rows_of
from .stream_assembly import (
    Assembler,
    Event,
    Note,
    add_text,
    grow,
    json_lines,
    objects_in,
    place_of,
    text_of,
)
from .tools import META_KEY, ToolShape, left_out
from .warnings import beside_messages

TOOLS = ToolShape("openai", outer="function", type="function")
NOTES = Notes("openai")


class OpenAI(OneEach):
    """What a chat completion request holds, or a line of a fine-tuning file.

    Keys beside ``messages`` are other fields, tools are kept in ``meta.tools``; ``meta.openai``
    tells that there was an object.
    """

    name = "openai"
    about = "OpenAI chat messages, an object with messages, or a fine-tuning file"
    suffixes = (".openai.json", ".openai.jsonl")
    kinds = (CHATS,)
    lines_of_items = True

    def sure_of(self, value: object) -> Sureness:
        """Tell whether there are messages with a role that chat knows, and no one else's parts."""
        rows = value.get("messages") if is_object(value) else value
        if not isinstance(rows, list):
            return Sureness.NO
        is_chat = any(
            is_object(row) and isinstance(row.get("role"), str) and row["role"] in ROLES
            for row in rows
        )
        is_empty = not rows and is_object(value)
        if not (is_chat or is_empty) or recognise(value) is not None:
            return Sureness.NO
        return Sureness.COULD_BE

    def read_one(self, value: Any) -> Loaded:
        """Return a conversation whose batch 0 holds the messages."""
        rows = value.get("messages") if is_object(value) else value
        if not isinstance(rows, list):
            raise wrong_type("messages", rows, "a list of chat messages")
        meta: dict[str, Any] = {}
        if is_object(value):
            fields = without(value, "messages")
            if isinstance(value.get("tools"), list):
                meta[META_KEY] = TOOLS.read(fields.pop("tools"))
            meta |= NOTES.beside({}, fields)
        messages, adapted = read_chat(rows)
        return Loaded(Conversation(messages, meta=meta), self.name, adapted)

    def read_on(self, rows: Sequence[object]) -> tuple[Message, ...] | None:
        """Return the messages of further lines; None if one of them answers a call without an id.

        Which call that is, only the lines before it tell.
        """
        if any(map(_looks_back, rows)):
            return None
        try:
            return read_chat(rows)[0]
        except Refused:
            return None

    def write(self, conversation: Conversation) -> Written:
        """Return the visible messages, in an object if there is anything beside them."""
        rows, adapted = write_chat(zip(conversation.view, conversation.visible, strict=True))
        meta = conversation.meta
        tools, lost = TOOLS.write(meta.get(META_KEY))
        data: Any = rows
        if NOTES.is_in(meta) or tools:
            data = {"messages": rows, **without(NOTES.fields_of(meta), "messages")}
            if isinstance(meta.get(META_KEY), tuple):
                data["tools"] = tools
        held = () if data is rows else (*NOTES.held(meta), META_KEY)
        return Written(data, (*beside_messages(conversation, *held), *left_out(lost), *adapted))

    def among_several(self, data: Any) -> Any:
        """Return an object, as a line of a fine-tuning file is one."""
        return {"messages": data} if isinstance(data, list) else data


def _looks_back(row: object) -> bool:
    """Tell whether a message is about another one that only its place tells."""
    if not is_object(row):
        return True
    is_nameless = row.get("role") == "tool" and not isinstance(row.get("tool_call_id"), str)
    return is_nameless or row.get("role") == "function" or LEGACY in row


LIST = "messages"


class ChatCodec(RequestCodec):
    """What chat completions take: everything is in one list, the prompt too."""

    kind: ClassVar[Kind] = "chat"
    notes: Notes = Notes("openai")

    def split(self, body: Body) -> Split:
        """Return a message for each row."""
        rows = body.get(LIST)
        if not isinstance(rows, list):
            raise wrong_type(LIST, rows, "a list of chat messages")
        return Split([GivenForm([row]) for row in rows], {}, without(body, LIST))

    def joined(self, given: Sequence[GivenForm], form: Body) -> Row:
        """Return the list."""
        return {LIST: rows_of(given)}

    def read(self, given: GivenForm) -> Message:
        """Return the message of a row."""
        return read_chat(given.rows, self.notes)[0][0]

    def write(self, message: Message, place: str) -> list[Any]:
        """Return the row of a message; several where it has several results."""
        return write_chat([(0, message)], self.notes)[0]

    def needs_others(self, given: GivenForm) -> bool:
        """Tell whether a call has no id, or a result does not say which call it answers."""
        row = given.rows[0]
        if not is_object(row):
            return False
        calls = row.get("tool_calls")
        if isinstance(calls, list) and any(
            is_object(one) and one.get("id") is None for one in calls
        ):
            return True
        if is_object(row.get("function_call")) or row.get("role") == "function":
            return True
        return row.get("role") == "tool" and not isinstance(row.get("tool_call_id"), str)

    def read_all(self, given: Sequence[GivenForm]) -> list[Message]:
        """Return the messages of all rows, or none where one is bad."""
        try:
            messages, _ = read_chat(rows_of(given), self.notes)
        except Refused:
            return []
        return list(messages) if len(messages) == len(given) else []

    def answer(self, response: Body) -> list[GivenForm]:
        """Return the message of the first choice."""
        match response:
            case {"choices": [{"message": Mapping() as row}, *_]}:
                return [GivenForm([{"role": "assistant", **row}])]
        return []

    def described(self, tools: list[Any]) -> list[Row]:
        """Return tools in the shape that all formats share."""
        return TOOLS.read(tools)

    def usage(self, response: Body) -> dict[str, Any]:
        """Return what was counted; what was cached is part of the input."""
        details = ("usage", "prompt_tokens_details")
        return {
            "input": number(response, "usage", "prompt_tokens"),
            "cached": number(response, *details, "cached_tokens"),
            "written": number(response, *details, "cache_write_tokens"),
            "output": number(response, "usage", "completion_tokens"),
        }


class OllamaCodec(ChatCodec):
    """What Ollama takes: calls have no ids, and their arguments are objects."""

    kind = "ollama"
    notes = Dialect("ollama", object_arguments=True, pairs=True, thinking=("thinking",))

    def answer(self, response: Body) -> list[GivenForm]:
        """Return the one message."""
        row = response.get("message")
        return [GivenForm([{"role": "assistant", **row}])] if is_object(row) else []

    def usage(self, response: Body) -> dict[str, Any]:
        """Return what was evaluated, which is not what was sent: the server has a cache, too."""
        return {
            "input": number(response, "prompt_eval_count"),
            "output": number(response, "eval_count"),
        }


COMPLETION = "chat.completion"


class ChatStream(Assembler):
    """The completion that its chunks make."""

    def __init__(self) -> None:
        super().__init__()
        self._choices: dict[int, dict[str, Any]] = {}

    def take(self, event: Event) -> None:
        """Take in a chunk; usage comes in one without choices, and ``[DONE]`` is the end."""
        chunk = event.data
        if chunk is None:
            self.is_over = True
            return
        if chunk.get("error"):
            self.fail(chunk["error"])
            return
        choices = objects_in(chunk.pop("choices", None))
        self.answer.update({key: value for key, value in chunk.items() if value is not None})
        for choice in choices:
            self._grow(choice)

    def end(self) -> None:
        """Put the choices in order; calls need no index any more."""
        if not self.answer and not self._choices:
            return
        self.answer["object"] = COMPLETION
        self.answer["choices"] = [self._choices[place] for place in sorted(self._choices)]
        reasons = [choice.get("finish_reason") for choice in self._choices.values()]
        self.is_over = self.is_over or (bool(reasons) and all(reasons))
        for choice in self._choices.values():
            calls = objects_in(choice["message"].get("tool_calls"))
            for call in calls:
                call.pop("index", None)

    def _grow(self, piece: dict[str, Any]) -> None:
        place = place_of(piece) or 0
        choice = self._choices.setdefault(
            place, {"index": place, "message": {"role": "assistant"}, "finish_reason": None}
        )
        delta = piece.pop("delta", None)
        if isinstance(delta, dict):
            grow(choice["message"], delta)
        message = piece.pop("message", None)
        if isinstance(message, dict):  # Some gateways send one whole message as a stream.
            choice["message"].update(message)
        grow(choice, piece)


JOINED = ("content", "thinking")


class OllamaStream(Assembler):
    """The answer that its lines make."""

    def events(self, content: bytes, note: Note) -> Iterator[Event]:
        """Yield the lines."""
        return json_lines(content, note)

    def take(self, event: Event) -> None:
        """Take in a line."""
        line = event.data or {}
        if "error" in line:
            self.fail(line["error"])
            return
        piece = line.pop("message", None)
        self.answer.update(line)
        if isinstance(piece, dict):
            self._grow(piece)
        self.is_over = self.is_over or line.get("done") is True

    def _grow(self, piece: dict[str, Any]) -> None:
        message = self.answer.setdefault("message", {})
        for key, new in piece.items():
            old = message.get(key)
            if key in JOINED:
                add_text(message, key, text_of(new))
            elif isinstance(old, list) and isinstance(new, list):
                old.extend(new)
            elif new is not None:
                message[key] = new
