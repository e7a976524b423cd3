"""LangChain and LangGraph: a middleware that manages what an agent's model is sent.

Needs the extra ``langchain``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    SystemMessage,
    message_to_dict,
    messages_from_dict,
)
from langchain_core.utils.function_calling import convert_to_openai_tool

from ..engine.messages import Message
from ..formats.langchain import TO_DICT, read_rows, write_rows
from ..policies import Policy
from .context import ContextStore, ManagedContext, known_usage
from .message_map import Translator, plain


class LangChainMessages(Translator[BaseMessage]):
    """Reads and writes LangChain messages, one for one."""

    def read(self, piece: Sequence[BaseMessage]) -> Sequence[Message]:
        messages, _, _ = read_rows([plain(message_to_dict(one)) for one in piece])
        return messages

    def write(self, message: Message, raw: int) -> Sequence[BaseMessage]:
        """Return new LangChain messages; a message with several results becomes several."""
        rows, _ = write_rows([(raw, message)], TO_DICT)
        written: list[BaseMessage] = messages_from_dict(rows)
        return written


class ContextMiddleware(AgentMiddleware):
    """Keeps an agent's messages in a conversation, and lets a policy act before every model call.

    The graph's own state stays as it is; the system prompt is part of the conversation.
    """

    def __init__(self, policy: Policy, place: ContextStore) -> None:
        super().__init__()
        self.context = ManagedContext(policy, place, LangChainMessages())

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        sent = self._sent(request)
        try:
            response = handler(sent)
        except BaseException as error:
            self._failed(request, error)
            raise
        self._answered(request, response)
        return response

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        sent = self._sent(request)
        try:
            response = await handler(sent)
        except BaseException as error:
            self._failed(request, error)
            raise
        self._answered(request, response)
        return response

    def _sent(self, request: Any) -> Any:
        prompt = [] if request.system_message is None else [request.system_message]
        messages = self.context.before_call([*prompt, *request.messages])
        first = messages[0] if messages and isinstance(messages[0], SystemMessage) else None
        rest = messages if first is None else messages[1:]
        return request.override(system_message=first, messages=rest)

    def _answered(self, request: Any, response: Any) -> None:
        response = getattr(response, "model_response", response)
        answer = getattr(response, "result", None) or [response]
        usage = next((_usage(one) for one in answer if isinstance(one, AIMessage)), None)
        self.context.record_call(answer, usage=usage, **_described(request))

    def _failed(self, request: Any, error: BaseException) -> None:
        outcome = "failed" if isinstance(error, Exception) else "cut"
        self.context.record_call(outcome=outcome, **_described(request))


def _described(request: Any) -> dict[str, Any]:
    model = getattr(request.model, "model_name", None) or getattr(request.model, "model", None)
    tools = [one if isinstance(one, dict) else convert_to_openai_tool(one) for one in request.tools]
    chosen = {} if request.tool_choice is None else {"tool_choice": request.tool_choice}
    return {
        "model": model if isinstance(model, str) else None,
        "tools": plain(tools),
        "parameters": plain({**request.model_settings, **chosen}) or None,
    }


def _usage(answer: AIMessage) -> dict[str, int] | None:
    usage = answer.usage_metadata
    if usage is None:
        return None
    details = usage.get("input_token_details") or {}
    return known_usage(
        input=usage.get("input_tokens"),
        cached=details.get("cache_read"),
        written=details.get("cache_creation"),
        output=usage.get("output_tokens"),
    )
