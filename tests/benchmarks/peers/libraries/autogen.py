"""autogen-core: messages, and contexts that give an agent some of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autogen_core import FunctionCall
from autogen_core.model_context import (
    BufferedChatCompletionContext,
    TokenLimitedChatCompletionContext,
)
from autogen_core.models import (
    AssistantMessage,
    FunctionExecutionResult,
    FunctionExecutionResultMessage,
    UserMessage,
)

from tests.benchmarks.peers.peer import CutWay, Peer, Way, Work
from tests.benchmarks.peers.rows import Row
from tests.benchmarks.peers.tasks import KEPT


def messages_of(rows: Sequence[Row]) -> list[Any]:
    """Return autogen's messages; results that stand in a row are one message there."""
    made: list[Any] = []
    names: dict[str, str] = {}
    results: list[Any] = []
    for row in rows:
        if row["role"] == "tool":
            id = row["tool_call_id"]
            given = {"content": row["content"], "name": names[id], "call_id": id}
            if not results:
                made.append(FunctionExecutionResultMessage(content=[]))
                results = made[-1].content
            results.append(FunctionExecutionResult(**given, is_error=False))
            continue
        results = []
        if row["role"] == "user":
            made.append(UserMessage(content=row["content"], source="user"))
            continue
        content: Any = row["content"]
        if "tool_calls" in row:
            content = [FunctionCall(call["id"], **_body(call)) for call in row["tool_calls"]]
            names.update({call.id: call.name for call in content})
        made.append(AssistantMessage(content=content, source="assistant"))
    return made


def _body(call: Row) -> dict[str, str]:
    return {"arguments": call["function"]["arguments"], "name": call["function"]["name"]}


def rows_again(messages: Sequence[Any]) -> list[Row]:
    """Return messages as chat rows."""
    rows: list[Row] = []
    for message in messages:
        content = message.content
        if isinstance(message, FunctionExecutionResultMessage):
            rows += [
                {"role": "tool", "tool_call_id": one.call_id, "content": one.content}
                for one in content
            ]
        elif isinstance(content, str):
            role = "user" if isinstance(message, UserMessage) else "assistant"
            rows.append({"role": role, "content": content})
        else:
            rows.append(
                {"role": "assistant", "content": None, "tool_calls": list(map(_call, content))}
            )
    return rows


def _call(call: Any) -> Row:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call.id, "type": "function", "function": function}


def _count(messages: Sequence[Any]) -> int:
    """Return how many rows messages hold."""
    return sum(
        len(one.content) if isinstance(one, FunctionExecutionResultMessage) else 1
        for one in messages
    )


class QuarterOfCharacters:
    """Counts for a model client, which is what this context asks; autogen-core has none itself."""

    def count_tokens(self, messages: Sequence[Any], *, tools: Sequence[Any] = ()) -> int:
        """Return a quarter of the characters."""
        return sum([len(one.content) for one in messages]) // 4


def _build(rows: Sequence[Row]) -> Work:
    return Work(lambda: messages_of(rows), _count)


def _keep(rows: Sequence[Row]) -> Work:
    context = BufferedChatCompletionContext(KEPT, messages_of(rows))
    return Work(context.get_messages)


def _trim(rows: Sequence[Row]) -> Work:
    messages, counter = messages_of(rows), QuarterOfCharacters()
    half = counter.count_tokens(messages) // 2
    context = TokenLimitedChatCompletionContext(
        counter, token_limit=half, initial_messages=messages
    )
    return Work(context.get_messages)


async def _cut(rows: Sequence[Row], count: int) -> Sequence[Row]:
    context = BufferedChatCompletionContext(count, messages_of(rows))
    return rows_again(await context.get_messages())


BUILD = [Way("a message class for each row", _build)]
NO_ROLES = "no roles"
PEER = Peer(
    "autogen-core",
    {
        "build-plain": BUILD,
        "build-tools": BUILD,
        "keep": [Way(f"BufferedChatCompletionContext({KEPT})", _keep)],
        "trim": [Way("TokenLimitedChatCompletionContext; a client of characters/4", _trim)],
        "role": NO_ROLES,
        "replace": "its contexts only grow",
        "disk": "`save_state` gives a dict",
        "cuts": [CutWay("BufferedChatCompletionContext(k)", _cut)],
    },
)
