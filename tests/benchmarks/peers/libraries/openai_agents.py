"""openai-agents: plain items instead of messages, and sessions that hold them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agents import Agent, RunConfig, Runner, SessionSettings, SQLiteSession, set_tracing_disabled
from agents.models.chatcmpl_converter import Converter
from agents.testing import ScriptedModel, assistant_message

from tests.benchmarks.peers.peer import CutWay, DiskWay, Peer, Place, Way, Work
from tests.benchmarks.peers.rows import Row, fresh_text
from tests.benchmarks.peers.tasks import KEPT

set_tracing_disabled(True)
FILE = "sessions.sqlite"


def items_of(rows: Sequence[Row]) -> list[Any]:
    """Return rows as items: a call and its result are one each."""
    items: list[Any] = []
    for row in rows:
        if row["role"] == "tool":
            output = {"call_id": row["tool_call_id"], "output": row["content"]}
            items.append({"type": "function_call_output", **output})
        elif "tool_calls" in row:
            items += [
                {"type": "function_call", "call_id": call["id"], **call["function"]}
                for call in row["tool_calls"]
            ]
        else:
            items.append(row)
    return items


async def _filled(rows: Sequence[Row], **options: Any) -> Any:
    session = SQLiteSession("one", **options)
    await session.add_items(items_of(rows))
    return session


def _keep(rows: Sequence[Row]) -> Work:
    session = asyncio.run(_filled(rows))
    return Work(lambda: session.get_items(limit=KEPT))


async def _make(rows: Sequence[Row], folder: Path) -> None:
    session = await _filled(rows, db_path=folder / FILE)
    session.close()


def _open(folder: Path) -> Place:
    session = SQLiteSession("one", folder / FILE)

    async def change(number: int) -> None:
        await session.add_items([{"role": "user", "content": fresh_text(number)}])

    return Place(change, session.close)


async def _read(rows: Sequence[Row], count: int) -> Sequence[Row]:
    session = await _filled(rows)
    items = await session.get_items(limit=count)
    session.close()
    return list(Converter.items_to_messages(items))


async def _sent(rows: Sequence[Row], count: int) -> Sequence[Row]:
    """Return what a run with so many items of history really sends, without the new question."""
    session = await _filled(rows)
    model = ScriptedModel([[assistant_message("Done.")]])
    agent = Agent(name="judged", model=model)
    config = RunConfig(session_settings=SessionSettings(limit=count))
    await Runner.run(agent, fresh_text(0), session=session, run_config=config)
    session.close()
    sent: list[Row] = list(Converter.items_to_messages(model.calls[0].input))
    assert sent[-1]["content"] == fresh_text(0)
    return sent[:-1]


NO_MESSAGES = "its items are plain dicts"
PEER = Peer(
    "openai-agents",
    {
        "build-plain": NO_MESSAGES,
        "build-tools": NO_MESSAGES,
        "keep": [Way(f"`SQLiteSession.get_items({KEPT})`, in memory", _keep)],
        "trim": "it limits items, not tokens",
        "role": "no roles",
        "replace": "no states",
        "disk": [DiskWay("`SQLiteSession.add_items`", _make, _open, syncs=True)],
        "cuts": [
            CutWay("`SQLiteSession.get_items(k)`, as read", _read),
            CutWay("a run with `SessionSettings(limit=k)`, as sent", _sent),
        ],
    },
)
