"""Strands: the folder of a session, of which what its manager removed is hidden."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..engine.operations import Compress, DescribeMeta
from .base import Format, Layout, Loaded, ReadOnly
from .bedrock import Bedrock
from .fields import is_object
from .format_metadata import FormatMetadata, without
from .source import Source
from .usage import figure

NOTES = FormatMetadata("strands")


class Strands(ReadOnly, Format):
    """What the folder of a session holds: each agent with its messages is a conversation."""

    name = NOTES.key
    about = "a Strands session, read from its folder"
    kinds = ("a Strands session",)
    sure_signs = ({"session_type": str, "agents": [{"agent": dict, "messages": list}]},)

    def read(self, source: Source) -> Iterator[Loaded]:
        for number, row in source.rows():
            agents = row.get("agents")
            for one in agents if isinstance(agents, list) else ():
                if is_object(one) and isinstance(one.get("messages"), list):
                    yield _read(row, one, number, Layout.LIST)


def _read(session: Mapping[str, Any], one: Mapping[str, Any], number: int, to: Layout) -> Loaded:
    """Return the conversation of one agent; a message that was redacted is what replaced it."""
    given = [row for row in one["messages"] if is_object(row)]
    rows = [row.get("redact_message") or row.get("message") for row in given]
    loaded = Bedrock().read_one(rows)
    talk = loaded.conversation
    agent = one.get("agent")
    state = agent.get("conversation_manager_state") if is_object(agent) else None
    removed = figure(state, "removed_message_count") if is_object(state) else 0
    if removed and is_object(state):
        first = len(Bedrock().read_one(rows[:removed]).conversation.log)
        told = state.get("summary_message")
        summary = list(Bedrock().read_one([told]).conversation.log) if is_object(told) else None
        name = state.get("__name__")
        description = name if isinstance(name, str) and name else "removed by the manager"
        hidden = [raw for raw in talk.view if raw < first]
        talk.execute(Compress(indices=hidden, summary=summary, description=description))
    beside = [without(row, "message", "redact_message") for row in given]
    fields = {**without(session, "agents"), "agent": agent, "messages": beside}
    id = agent.get("agent_id") if is_object(agent) else None
    title = {"title": f"agent: {id}"} if isinstance(id, str) and id else {}
    talk.execute(DescribeMeta(meta={**NOTES.meta({}, fields), **title}))
    return Loaded(talk, NOTES.key, loaded.warnings, to, number)
