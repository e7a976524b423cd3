"""Microsoft Agent Framework: a compaction strategy that manages what every model call is sent.

Needs the extra ``agent-framework``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agent_framework import ContextProvider
from agent_framework import Message as AgentMessage

from core.integrations.agent_messages import read_row, write_row
from core.integrations.context import ManagedContext, Place
from core.integrations.translator import Translator, plain
from core.messages.message import Message
from core.policies import Policy


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
    takes in the last answer of each run, which no strategy is shown.
    """

    def __init__(self, policy: Policy, place: Place, source_id: str = "context") -> None:
        super().__init__(source_id)
        self.context = ManagedContext(policy, place, AgentMessages())

    async def __call__(self, messages: list[AgentMessage]) -> bool:
        """Put what the policy has left into the list, and tell whether that changed it."""
        sent = self.context.before_call(messages)
        self.context.record_call()
        before = [id(one) for one in messages]
        messages[:] = sent
        return before != [id(one) for one in sent]

    async def after_run(self, *, context: Any, **_: Any) -> None:
        """Take in what the agent said last."""
        answer = [] if context.response is None else context.response.messages
        new = [one for one in answer if not self.context.ledger.has(one)]
        if new:
            self.context.ledger.add(new)
            self.context.sync()
