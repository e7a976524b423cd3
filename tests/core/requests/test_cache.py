"""The prompt cache: what could be served, and what broke it."""

from typing import Any

import pytest

from ctxtui.core.requests.cache import CacheEstimate, seen_start
from ctxtui.core.requests.exchange import Exchange
from tests.core.requests.checking import checked
from tests.core.requests.test_seen import played
from tests.core.requests.traffic import Row, chat, said

S, U, A = said("system", "You help."), said("user", "hi there"), said("assistant", "hello you")
MORE = said("user", "and now?")


def tool(name: str, about: str = "") -> Row:
    return {"type": "function", "function": {"name": name, "description": about}}


TOOLS = [tool("look"), tool("write"), tool("run")]


def measured(*exchanges: Exchange) -> CacheEstimate:
    found = checked(exchanges)
    assert {one.thread.role for one in found.recorded} == {"main"}
    return found.recorded[-1].cache


def sent(*rows: Row, tools: list[Row] | None = None, **more: Any) -> Exchange:
    return chat(*rows, tools=TOOLS if tools is None else tools, **more)


CAUSES = {
    "nothing": (sent(S, U, A, MORE), 2, None),
    "a message": (
        sent(S, said("user", "hi then"), A, MORE),
        1,
        "message 1 changed: the cache breaks there",
    ),
    "a list of one text": (
        sent(S, said("user", [{"type": "text", "text": "hi there"}]), A, MORE),
        1,
        "message 1 changed: the cache breaks there",
    ),
    "all tools": (sent(S, U, A, MORE, tools=[]), 0, "tools vanished: the cache breaks at 0"),
    "one tool": (
        sent(S, U, A, MORE, tools=[TOOLS[0], TOOLS[2]]),
        0,
        "write vanished: the cache breaks at tool 1",
    ),
    "a tool more": (
        sent(S, U, A, MORE, tools=[*TOOLS, tool("ask")]),
        0,
        "ask came: the cache breaks at tool 3",
    ),
    "a tool's words": (
        sent(S, U, A, MORE, tools=[*TOOLS[:2], tool("run", "Runs it.")]),
        0,
        "tools were written differently: the cache breaks at tool 2",
    ),
    "the model": (sent(S, U, A, MORE, model="n"), 0, "the model changed from m to n: nothing fits"),
    "parameters": (sent(S, U, A, MORE, tool_choice="none"), 2, "parameters changed: tool_choice"),
    "less": (sent(S, tag=None), 1, "1 message at the end went"),
}


@pytest.mark.parametrize(("after", "messages", "cause"), CAUSES.values(), ids=CAUSES)
def test_what_breaks_the_cache_is_told(after: Exchange, messages: int, cause: str | None) -> None:
    first = Exchange(sent(S, U).request, tag="t")
    found = measured(first, Exchange(after.request, tag="t"))
    assert (found.messages, found.cause) == (messages, cause)
    assert 0 <= found.tokens <= found.total


def test_tools_before_the_first_difference_are_still_served() -> None:
    fewer = sent(S, U, A, MORE, tools=TOOLS[:2], tag="t")
    found = measured(sent(S, U, tag="t"), fewer)
    assert (found.messages, found.cause) == (0, "run vanished: the cache breaks at tool 2")
    assert found.tokens > 0


def test_markers_that_move_break_nothing() -> None:
    def marked(row: Row) -> Row:
        return {**row, "content": [{"type": "text", "text": row["content"], "cache_control": {}}]}

    def plain(row: Row) -> Row:
        return {**row, "content": [{"type": "text", "text": row["content"]}]}

    found = measured(chat(S, marked(U)), chat(S, plain(U), plain(A), marked(MORE)))
    assert (found.messages, found.cause) == (2, None)


def test_what_an_earlier_call_had_sent_may_still_be_there() -> None:
    with_tools, without = sent(S, U, tag="t"), chat(S, U, A, MORE, tag="t")
    again = sent(S, U, A, MORE, A, MORE, tag="t")
    found = measured(with_tools, without, again)
    assert (found.messages, found.call) == (2, 0)
    assert found.cause == "tools came: the cache breaks at 0"


def test_parameters_that_changed_are_named() -> None:
    found = measured(chat(S, U, temperature=0), chat(S, U, A, MORE, temperature=1, stream=True))
    assert (found.changed, found.cause) == (("temperature",), None)


def test_what_a_provider_cleared_breaks_the_cache_of_what_was_seen() -> None:
    """What was sent only grew."""
    before, after = [seen for _, seen in played("a_tools_grow")][2:4]
    found = seen_start(before, after, len)
    assert found is not None
    assert found.edit is not None
    assert (found.edit.kind, found.edit.certainty) == ("CLEAR_RESULTS", "proven")
    assert found.at is not None
    assert found.at.piece.path == "messages.2.content.0"
    assert 0 < found.tokens < found.total
    assert seen_start(after, after, len) == found._replace(
        pieces=len(after.view or ()), tokens=found.total, inside=0, at=None, edit=None
    )


def test_a_client_that_prunes_what_is_ignored_changes_nothing() -> None:
    """Call 8 left out what a compaction item of call 7 hides."""
    before, after = [seen for _, seen in played("o_compact")][7:9]
    found = seen_start(before, after, len)
    assert found is not None
    assert found.edit is None
    assert found.at is None or found.at.role == "item"
