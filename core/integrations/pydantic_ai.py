"""Pydantic AI: a capability that manages the message history before every model request.

Needs the extra ``pydantic-ai``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pydantic_ai.capabilities import ProcessHistory
from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter, ModelRequest

from ..engine.messages import Message
from ..policies import Policy
from .context import ContextStore, ManagedContext, function_tool, known_usage
from .message_map import Translator, plain
from .model_messages import read_row, write_row


class ModelMessages(Translator[ModelMessage]):
    """Reads and writes requests and responses; a request has a message for each of its parts."""

    def read(self, piece: Sequence[ModelMessage]) -> Sequence[Message]:
        return [message for one in piece for message in read_row(plain(one))]

    def write(self, message: Message, raw: int) -> Sequence[ModelMessage]:
        written: list[ModelMessage] = ModelMessagesTypeAdapter.validate_python([write_row(message)])
        return written

    def cut(
        self, piece: Sequence[ModelMessage], kept: Sequence[int]
    ) -> Sequence[ModelMessage] | None:
        (request,) = piece
        if not isinstance(request, ModelRequest):
            return None
        return [replace(request, parts=[request.parts[place] for place in kept])]


class ContextHistory(ProcessHistory):
    """Keeps an agent's history in a conversation, and lets a policy act before every request.

    The run also stores what was sent, as with every history processor; the conversation has
    everything.
    """

    def __init__(self, policy: Policy, place: ContextStore) -> None:
        self.context = ManagedContext(policy, place, ModelMessages())
        super().__init__(self._process)

    async def _process(self, messages: list[ModelMessage]) -> list[ModelMessage]:
        return self.context.before_call(messages)

    async def after_model_request(self, ctx: Any, *, request_context: Any, response: Any) -> Any:
        usage = response.usage
        known = known_usage(
            input=usage.input_tokens,
            cached=usage.cache_read_tokens,
            written=usage.cache_write_tokens,
            output=usage.output_tokens,
        )
        known = known if any((known or {}).values()) else None
        self.context.record_call([response], usage=known, **_described(request_context))
        return response

    async def on_model_request_error(
        self, ctx: Any, *, request_context: Any, error: Exception
    ) -> Any:
        self.context.record_call(outcome="failed", **_described(request_context))
        raise error


def _described(request: Any) -> dict[str, Any]:
    last = request.messages[-1] if request.messages else None
    instructions = getattr(last, "instructions", None)
    extra = {"instructions": instructions} if instructions else {}
    tools = [
        function_tool(tool.name, tool.description, tool.parameters_json_schema)
        for tool in request.model_request_parameters.function_tools
    ]
    return {
        "model": request.model.model_name,
        "tools": tools,
        "parameters": plain({**(request.model_settings or {}), **extra}) or None,
    }
