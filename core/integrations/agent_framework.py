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
from .context import ManagedContext, Place
from .ledger import Translator, plain


class AgentMessages(Translator[AgentMessage]):
    """Reads and writes messages of the framework, one for one."""

    def read(self, piece: Sequence[AgentMessage]) -> Sequence[Message]:
        """Return the message of one of the framework's."""
        return [read_row(plain(one.to_dict())) for one in piece]

    def write(self, message: Message, raw: int) -> Sequence[AgentMessage]:
        """Return a new message of the framework."""
        return [AgentMessage.from_dict(write_row(message))]


class ContextStrategy(ContextProvider):
    """Keeps an agent's messages in a conversation, and lets a policy act before every model call.

    As ``compaction_strategy`` it manages what is sent. Among the ``context_providers`` as well, it
    takes in the last answer of each run, which no strategy is shown. With its ``middleware`` calls
    are recorded with what they cost.
    """

    def __init__(self, policy: Policy, place: Place, source_id: str = "context") -> None:
        super().__init__(source_id)
        self.context = ManagedContext(policy, place, AgentMessages())
        self.middleware = CallMiddleware(self.context)

    async def __call__(self, messages: list[AgentMessage]) -> bool:
        """Put what the policy has left into the list, and tell whether that changed it."""
        sent = self.context.before_call(messages)
        asked = self.middleware.asked
        if asked is None:
            self.context.record_call()
        else:
            self.context.await_call(**asked)
        before = [id(one) for one in messages]
        messages[:] = sent
        return before != [id(one) for one in sent]

    async def after_run(self, *, context: Any, **_: Any) -> None:
        """Take in what the agent said last."""
        answer = [] if context.response is None else context.response.messages
        new = [one for one in answer if not self.context.ledger.has(one)]
        if new:
            self.context.settle()
            self.context.ledger.add(new)
            self.context.sync()


class CallMiddleware(ChatMiddleware):
    """Notes what each call cost, once its answer is there; it stands around the strategy."""

    def __init__(self, context: ManagedContext[AgentMessage]) -> None:
        self._context = context
        self.asked: dict[str, Any] | None = None
        """What the call that is being made asks for beside its messages; None outside of one."""

    async def process(self, context: ChatContext, call_next: Callable[[], Awaitable[None]]) -> None:
        """Let the call be made, and record it with what came of it."""
        self.asked = _described(context.options or {})
        if context.stream:
            context.stream_result_hooks.append(self._streamed)
        try:
            await call_next()
        except BaseException:
            self._context.settle(outcome="failed")
            raise
        finally:
            if not context.stream:
                self.asked = None
        if isinstance(context.result, ChatResponse):
            self._answered(context.result)

    def _streamed(self, response: ChatResponse) -> ChatResponse:
        self._answered(response)
        return response

    def _answered(self, response: ChatResponse) -> None:
        self.asked = None
        name = getattr(response, "response_id", None)
        self._context.settle(usage=_usage(response.usage_details or {}), request=name or None)


def _described(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a recorded call tells beside the messages: numbers, switches and names."""
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


def _usage(told: Mapping[str, Any]) -> dict[str, int] | None:
    """Return what a call cost, where the client says so.

    What a cache served or took is part of the input; a client that counts it apart says more of it
    than of the input.
    """
    known = {
        "input": told.get("input_token_count"),
        "cached": told.get("cache_read_input_token_count"),
        "written": told.get("cache_creation_input_token_count"),
        "output": told.get("output_token_count"),
    }
    found = {name: count for name, count in known.items() if isinstance(count, int)}
    apart = found.get("cached", 0) + found.get("written", 0)
    if "input" in found and apart > found["input"]:
        found["input"] += apart
    return found or None
