"""Microsoft Agent Framework: a compaction strategy that manages what every model call is sent.

Needs the extra ``agent-framework``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from agent_framework import ChatContext, ChatMiddleware, ChatResponse, ContextProvider
from agent_framework import Message as AgentMessage

from ..engine.messages import Message
from ..policies import Policy
from .agent_messages import read_row, write_row
from .context import ContextStore, ManagedContext, known_usage
from .message_map import Translator, plain


class AgentMessages(Translator[AgentMessage]):
    """Reads and writes messages of the framework, one for one."""

    def read(self, piece: Sequence[AgentMessage]) -> Sequence[Message]:
        return [read_row(plain(one.to_dict())) for one in piece]

    def write(self, message: Message, raw: int) -> Sequence[AgentMessage]:
        return [AgentMessage.from_dict(write_row(message))]


class ContextStrategy(ContextProvider):
    """Keeps an agent's messages in a conversation, and lets a policy act before every model call.

    As ``compaction_strategy`` it manages what is sent. Among the ``context_providers`` as well, it
    adds the last answer of each run, which strategies never get. With its ``middleware`` calls are
    recorded with what they cost.
    """

    def __init__(self, policy: Policy, place: ContextStore, source_id: str = "context") -> None:
        super().__init__(source_id)
        self.context = ManagedContext(policy, place, AgentMessages())
        self.middleware = CallMiddleware(self.context)

    async def __call__(self, messages: list[AgentMessage]) -> bool:
        """Put what the policy has left into the list, and return whether that changed it."""
        sent = self.context.before_call(messages)
        options = self.middleware.options
        if options is None:
            self.context.record_call()
        else:
            self.context.begin_call(**options)
        before = [id(one) for one in messages]
        messages[:] = sent
        return before != [id(one) for one in sent]

    async def after_run(self, *, context: Any, **_: Any) -> None:
        answer = [] if context.response is None else context.response.messages
        new = [one for one in answer if not self.context.message_map.has(one)]
        if new:
            self.context.flush_call()
            self.context.message_map.add(new)
            self.context.sync()


class CallMiddleware(ChatMiddleware):
    """Records what each call cost, once it is answered; it is called around the strategy."""

    def __init__(self, context: ManagedContext[AgentMessage]) -> None:
        self._context = context
        self.options: dict[str, Any] | None = None
        """The options of the call that is being made; None outside of one."""

    async def process(self, context: ChatContext, call_next: Callable[[], Awaitable[None]]) -> None:
        self.options = _described(context.options or {})
        if context.stream:
            context.stream_result_hooks.append(self._streamed)
        try:
            await call_next()
        except BaseException:
            self._context.flush_call(outcome="failed")
            raise
        finally:
            if not context.stream:
                self.options = None
        if isinstance(context.result, ChatResponse):
            self._answered(context.result)

    def _streamed(self, response: ChatResponse) -> ChatResponse:
        self._answered(response)
        return response

    def _answered(self, response: ChatResponse) -> None:
        self.options = None
        name = getattr(response, "response_id", None)
        self._context.flush_call(usage=_usage(response.usage_details or {}), request=name or None)


def _described(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the model and the plain options that are recorded with a call."""
    model = options.get("model")
    plain_ones = {
        name: value
        for name, value in options.items()
        if name != "model" and isinstance(value, str | int | float) and name != "instructions"
    }
    return {
        "model": model if isinstance(model, str) and model else None,
        "parameters": plain_ones or None,
    }


def _usage(usage: Mapping[str, Any]) -> dict[str, int] | None:
    """Return what a call cost, where the client reports it.

    Cached tokens are part of the input; a client that counts them apart reports more than that.
    """
    found = known_usage(
        input=usage.get("input_token_count"),
        cached=usage.get("cache_read_input_token_count"),
        written=usage.get("cache_creation_input_token_count"),
        output=usage.get("output_token_count"),
    )
    if found is not None and "input" in found:
        apart = found.get("cached", 0) + found.get("written", 0)
        found["input"] += apart if apart > found["input"] else 0
    return found
