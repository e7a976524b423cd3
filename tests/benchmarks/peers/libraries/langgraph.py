"""LangGraph: a graph whose state is the messages, and its checkpointers."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any, TypedDict

from langchain_core.messages import HumanMessage, convert_to_messages
from langgraph.channels import DeltaChannel
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.graph.message import _messages_delta_reducer

from tests.benchmarks.peers.peer import DiskWay, Peer, Place, Way, Work
from tests.benchmarks.peers.rows import Row, fresh_text

THREAD = {"configurable": {"thread_id": "one"}}
FILE = "checkpoints.sqlite"
AS_LANGCHAIN = "uses those of langchain-core"


class DeltaState(TypedDict):
    """The same state in the channel, still beta, that writes what has changed."""

    messages: Annotated[list[Any], DeltaChannel(_messages_delta_reducer)]


def _graph(checkpointer: Any, state: Any = MessagesState) -> Any:
    graph = StateGraph(state)
    graph.add_node("model", lambda state: {"messages": []})
    graph.add_edge(START, "model")
    return graph.compile(checkpointer=checkpointer)


def _replace(rows: Sequence[Row]) -> Work:
    graph = _graph(InMemorySaver())
    graph.update_state(THREAD, {"messages": convert_to_messages(rows)})
    place = len(rows) // 2
    id = graph.get_state(THREAD).values["messages"][place].id
    message = HumanMessage(fresh_text(0), id=id)

    def run() -> Any:
        graph.update_state(THREAD, {"messages": [message]})
        return graph

    def count(changed: Any) -> int:
        messages = changed.get_state(THREAD).values["messages"]
        assert messages[place].content == fresh_text(0)
        return len(messages)

    return Work(run, count)


def _disk_way(call: str, state: Any) -> DiskWay:
    def make(rows: Sequence[Row], folder: Path) -> None:
        with closing(sqlite3.connect(folder / FILE, check_same_thread=False)) as connection:
            graph = _graph(SqliteSaver(connection), state)
            graph.update_state(THREAD, {"messages": convert_to_messages(rows)})

    def open_again(folder: Path) -> Place:
        connection = sqlite3.connect(folder / FILE, check_same_thread=False)
        graph = _graph(SqliteSaver(connection), state)

        def change(number: int) -> None:
            graph.update_state(THREAD, {"messages": [HumanMessage(fresh_text(number))]})

        return Place(change, connection.close)

    return DiskWay(call, make, open_again, syncs=True)


PEER = Peer(
    "langgraph",
    {
        "build-plain": AS_LANGCHAIN,
        "build-tools": AS_LANGCHAIN,
        "keep": AS_LANGCHAIN,
        "trim": AS_LANGCHAIN,
        "role": AS_LANGCHAIN,
        "replace": [Way("`update_state`, InMemorySaver", _replace)],
        "disk": [
            _disk_way("`update_state`, SqliteSaver", MessagesState),
            _disk_way("the same in a DeltaChannel, which is beta", DeltaState),
        ],
        "cuts": AS_LANGCHAIN,
    },
)
