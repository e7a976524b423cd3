"""llama-index-core: chat messages, and memories that keep to a number of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from llama_index.core.llms import ChatMessage
from llama_index.core.memory import ChatMemoryBuffer, Memory

from tests.benchmarks.peers.peer import CutWay, DiskWay, Peer, Place, Way, Work
from tests.benchmarks.peers.rows import Row, fresh_text

KEY = "one"
FILE = "memory.sqlite"
AMPLE = 1_000_000_000
AT_ONCE = 1_000


def quarter_of_characters(text: str) -> str:
    """Return a quarter of the characters: a memory only asks how many tokens there are."""
    return text[::4]


def messages_of(rows: Sequence[Row]) -> list[Any]:
    """Return chat messages; what belongs to tools stands where its OpenAI client looks for it."""
    return [
        ChatMessage(
            role=row["role"],
            content=row["content"],
            additional_kwargs={
                key: row[key] for key in ("tool_calls", "tool_call_id") if key in row
            },
        )
        for row in rows
    ]


def rows_again(messages: Sequence[Any]) -> list[Row]:
    """Return messages as chat rows."""
    return [
        {"role": one.role.value, "content": one.content, **one.additional_kwargs}
        for one in messages
    ]


def _buffer(messages: list[Any], tokens: int) -> Any:
    return ChatMemoryBuffer.from_defaults(
        chat_history=messages, token_limit=tokens, tokenizer_fn=quarter_of_characters
    )


def _tokens(messages: Sequence[Any]) -> int:
    return len(quarter_of_characters(" ".join([str(one.content) for one in messages])))


def _build(rows: Sequence[Row]) -> Work:
    return Work(lambda: messages_of(rows))


def _trim(rows: Sequence[Row]) -> Work:
    messages = messages_of(rows)
    return Work(_buffer(messages, _tokens(messages) // 2).get)


def _memory(folder: Path) -> Any:
    return Memory.from_defaults(
        session_id=KEY,
        token_limit=AMPLE,
        tokenizer_fn=quarter_of_characters,
        async_database_uri=f"sqlite+aiosqlite:///{folder / FILE}",
    )


async def _make(rows: Sequence[Row], folder: Path) -> None:
    messages, store = messages_of(rows), _memory(folder).sql_store
    for start in range(0, len(messages), AT_ONCE):
        await store.add_messages(KEY, messages[start : start + AT_ONCE])
    await store._async_engine.dispose()


def _open(folder: Path) -> Place:
    memory = _memory(folder)

    async def change(number: int) -> None:
        await memory.aput(ChatMessage(role="user", content=fresh_text(number)))

    async def close() -> None:
        await memory.sql_store._async_engine.dispose()

    return Place(change, close)


def _cut(rows: Sequence[Row], count: int) -> Sequence[Row]:
    messages = messages_of(rows)
    return rows_again(_buffer(messages, max(1, _tokens(messages[-count:]))).get())


BUILD = [Way("`ChatMessage(role=…, content=…)`", _build)]
PEER = Peer(
    "llama-index-core",
    {
        "build-plain": BUILD,
        "build-tools": BUILD,
        "keep": "its memories count tokens, not messages",
        "trim": [Way("`ChatMemoryBuffer.get()`; a tokenizer of characters/4", _trim)],
        "role": "no roles",
        "replace": "no states",
        "disk": [DiskWay("`Memory.aput`, SQLite", _make, _open, syncs=True)],
        "cuts": [CutWay("ChatMemoryBuffer with the tokens of the last k", _cut)],
    },
)
