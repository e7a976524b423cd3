"""agent-framework-core: messages of contents, strategies that compact them, files of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agent_framework import (
    CharacterEstimatorTokenizer,
    Content,
    FileHistoryProvider,
    Message,
    SlidingWindowStrategy,
    TruncationStrategy,
    annotate_message_groups,
    apply_compaction,
    included_token_count,
)

from tests.benchmarks.peers.peer import CutWay, DiskWay, Peer, Place, Way, Work
from tests.benchmarks.peers.rows import Row, fresh_text
from tests.benchmarks.peers.tasks import KEPT

SESSION = "one"


def messages_of(rows: Sequence[Row]) -> list[Any]:
    """Return a message for each row."""
    return [Message(row["role"], _contents(row)) for row in rows]


def _contents(row: Row) -> list[Any]:
    if row["role"] == "tool":
        return [Content.from_function_result(row["tool_call_id"], result=row["content"])]
    said = [] if row["content"] is None else [row["content"]]
    return said + [
        Content.from_function_call(call["id"], **call["function"])
        for call in row.get("tool_calls", ())
    ]


def rows_again(messages: Sequence[Any]) -> list[Row]:
    """Return messages as chat rows."""
    rows: list[Row] = []
    for message in messages:
        calls = []
        for one in message.contents:
            if one.type == "function_result":
                rows.append({"role": "tool", "tool_call_id": one.call_id, "content": "result"})
            elif one.type == "function_call":
                function = {"name": one.name, "arguments": one.arguments}
                calls.append({"id": one.call_id, "type": "function", "function": function})
        if message.role != "tool":
            with_calls = {"tool_calls": calls} if calls else {}
            rows.append({"role": message.role, "content": message.text or None, **with_calls})
    return rows


def _build(rows: Sequence[Row]) -> Work:
    return Work(lambda: messages_of(rows))


def _compacting(rows: Sequence[Row], strategy: Any, tokenizer: Any = None) -> Work:
    held = messages_of(rows)

    async def run() -> Any:
        return await apply_compaction(held, strategy=strategy, tokenizer=tokenizer)

    def renew() -> None:
        held[:] = messages_of(rows)

    return Work(run, renew=renew)


def _keep(rows: Sequence[Row]) -> Work:
    return _compacting(rows, SlidingWindowStrategy(keep_last_groups=KEPT))


def _trim(rows: Sequence[Row]) -> Work:
    tokenizer, counted = CharacterEstimatorTokenizer(), messages_of(rows)
    annotate_message_groups(counted, tokenizer=tokenizer)
    half = included_token_count(counted) // 2
    strategy = TruncationStrategy(max_n=half, compact_to=half, tokenizer=tokenizer)
    return _compacting(rows, strategy, tokenizer)


async def _make(rows: Sequence[Row], folder: Path) -> None:
    await FileHistoryProvider(folder).save_messages(SESSION, messages_of(rows))


def _open(folder: Path) -> Place:
    provider = FileHistoryProvider(folder)

    async def change(number: int) -> None:
        await provider.save_messages(SESSION, [Message("user", [fresh_text(number)])])

    return Place(change, lambda: None)


async def _cut(rows: Sequence[Row], count: int) -> Sequence[Row]:
    strategy = TruncationStrategy(max_n=count, compact_to=count)
    return rows_again(await apply_compaction(messages_of(rows), strategy=strategy))


BUILD = [Way("`Message(role, contents)`", _build)]
PEER = Peer(
    "agent-framework-core",
    {
        "build-plain": BUILD,
        "build-tools": BUILD,
        "keep": [Way(f"SlidingWindowStrategy({KEPT})", _keep)],
        "trim": [Way("TruncationStrategy; CharacterEstimatorTokenizer, characters/4", _trim)],
        "role": "no roles",
        "replace": "no states",
        "disk": [DiskWay("`FileHistoryProvider.save_messages`", _make, _open, syncs=False)],
        "cuts": [CutWay("TruncationStrategy(k)", _cut)],
    },
)
