"""Bodies of chat completions, and those of Ollama, which differ in how calls are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from ...errors import Refused, not_a
from ...messages.message import Message
from ...requests.exchange import Kind
from ..chat import read_chat, write_chat
from ..chat.dialect import Dialect
from ..notes import Notes, without
from ..objects import is_object
from ..openai import TOOLS
from .wire import Body, Given, Row, Split, Wire, number, rows_of

LIST = "messages"


class Chat(Wire):
    """What chat completions take: everything is in one list, the prompt too."""

    kind: ClassVar[Kind] = "chat"
    notes: Notes = Notes("openai")

    def split(self, body: Body) -> Split:
        """Return a message for each row."""
        rows = body.get(LIST)
        if not isinstance(rows, list):
            raise not_a(LIST, rows, "a list of chat messages")
        return Split([Given([row]) for row in rows], {}, without(body, LIST))

    def joined(self, given: Sequence[Given], form: Body) -> Row:
        """Return the list."""
        return {LIST: rows_of(given)}

    def read(self, given: Given) -> Message:
        """Return the message of a row."""
        return read_chat(given.rows, self.notes)[0][0]

    def write(self, message: Message, place: str) -> list[Any]:
        """Return the row of a message; several where it has several results."""
        return write_chat([(0, message)], self.notes)[0]

    def needs_others(self, given: Given) -> bool:
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

    def read_all(self, given: Sequence[Given]) -> list[Message]:
        """Return the messages of all rows, or none where one is bad."""
        try:
            messages, _ = read_chat(rows_of(given), self.notes)
        except Refused:
            return []
        return list(messages) if len(messages) == len(given) else []

    def answer(self, response: Body) -> list[Given]:
        """Return the message of the first choice."""
        match response:
            case {"choices": [{"message": Mapping() as row}, *_]}:
                return [Given([{"role": "assistant", **row}])]
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


class Ollama(Chat):
    """What Ollama takes: calls have no ids, and their arguments are objects."""

    kind = "ollama"
    notes = Dialect("ollama", object_arguments=True, pairs=True, thinking=("thinking",))

    def answer(self, response: Body) -> list[Given]:
        """Return the one message."""
        row = response.get("message")
        return [Given([{"role": "assistant", **row}])] if is_object(row) else []

    def usage(self, response: Body) -> dict[str, Any]:
        """Return what was evaluated, which is not what was sent: the server has a cache, too."""
        return {
            "input": number(response, "prompt_eval_count"),
            "output": number(response, "eval_count"),
        }
