"""With a whole file at hand, side calls, group chats, handoffs and amnesia are told apart."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ctxtui.core.formats import Loaded, Source, format_named, load_all
from ctxtui.core.formats.warnings import WarningCollector
from ctxtui.core.requests.exchange import Exchange
from tests.core.requests.traffic import Row, answer, called, chat, result, said

VECTORS = Path(__file__).parents[2] / "vectors"
LOOK = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
LABELS = json.loads((VECTORS / "threads" / "expected.json").read_text("utf-8"))
"""Which requests belong together, found by hand; those of ``side`` are side calls."""


def loaded(source: Source) -> list[Loaded]:
    return list(load_all(source, "requests"))


def played(*exchanges: Any) -> list[Loaded]:
    """Return the conversations of a file of chats."""
    rows = [
        {"request": one.request, "response": one.response, "path": "/v1/chat/completions", "t": at}
        for at, one in enumerate(exchanges)
    ]
    return loaded(Source.of_text("\n".join(map(json.dumps, rows))))


def placed(found: list[Loaded]) -> dict[int, Row]:
    """Return the thread of each request, by its number in the file."""
    return {
        call.wire["number"]: one.conversation.meta["requests"]
        for one in found
        for call in one.conversation.calls.all
        if call.wire is not None
    }


def explained(found: list[Loaded], thread: int = 0) -> list[str]:
    """Return what explains each request of a thread."""
    calls = found[thread].conversation.calls.all
    told = [call.wire["explained"] for call in calls if call.wire is not None]
    return [" ".join(one["operation"] for one in some) for some in told]


@pytest.mark.parametrize("name", LABELS)
def test_real_runs_fall_into_the_threads_that_their_agents_had(name: str) -> None:
    found = loaded(Source.of_path(VECTORS / "threads" / f"{name}.jsonl"))
    threads, labels = placed(found), LABELS[name]
    assert len(threads) == len(labels)
    side = [threads[at]["role"] for at, one in enumerate(labels) if one.startswith("side")]
    assert set(side) <= {"sideCalls"}
    partition = Counter((label, threads[at]["id"]) for at, label in enumerate(labels))
    assert len(partition) == len(set(labels)) == len({id for _, id in partition})


@pytest.mark.parametrize("name", LABELS)
def test_no_summary_is_claimed_where_an_agent_only_said_something(name: str) -> None:
    found = loaded(Source.of_path(VECTORS / "threads" / f"{name}.jsonl"))
    titles = " ".join(title for at in range(len(found)) for title in explained(found, at))
    assert ("COMPRESS" in titles) == name.endswith("-summ")
    assert "INSERT" not in titles
    assert "REPLACE" not in titles or name == "af-summ"  # It adds names to what it sends again.


@pytest.mark.parametrize("name", ["requests/lc_summarize", *(f"threads/{name}" for name in LABELS)])
def test_all_threads_together_write_each_request_once(name: str) -> None:
    file = VECTORS / f"{name}.jsonl"
    found = loaded(Source.of_path(file))
    talks = [one.conversation for one in found]
    text = "".join(format_named("requests").write_all(talks, found[0].layout, WarningCollector()))
    written = [json.loads(line)["request"] for line in text.splitlines()]
    given = [json.loads(line)["request"] for line in file.read_text("utf-8").splitlines()]
    assert written == given


S = said("system", "You help with the garden, and you know all of its plants by name.")
FIRST = said("user", "When should the roses in front of the house be cut?")
THEN = said("user", "And what about the hedge behind it?")
LATER = said("user", "Which of the two needs more water in summer?")
ROSES = "Cut the roses in March, as soon as the frost is over."
HEDGE = "Trim the hedge in June, once the birds have left it."


def test_amnesia_stays_in_its_thread() -> None:
    found = played(
        chat(S, FIRST, response=answer(ROSES)),
        chat(S, THEN, response=answer(HEDGE)),
        chat(S, LATER),
    )
    assert explained(found) == ["START", "TRUNCATE APPEND", "TRUNCATE APPEND"]
    assert len(found) == 1


def test_amnesia_while_a_tool_is_called_stays_in_its_thread() -> None:
    found = played(
        chat(S, FIRST, tools=[LOOK], response=answer(called("c1"))),
        chat(S, THEN, tools=[LOOK]),
    )
    assert explained(found) == ["START", "TRUNCATE APPEND"]


def test_two_conversations_at_once_are_no_amnesia() -> None:
    found = played(
        chat(S, FIRST, response=answer(ROSES)),
        chat(S, THEN, response=answer(HEDGE)),
        chat(S, FIRST, said("assistant", ROSES), LATER),
    )
    assert [explained([one]) for one in found] == [["START", "APPEND"], ["START"]]


@pytest.mark.parametrize(
    "second",
    [chat(S, THEN, model="other"), chat(S, THEN, tools=[LOOK]), chat(LATER)],
    ids=["model", "tools", "prompt"],
)
def test_another_model_tools_or_prompt_begin_a_thread(second: Exchange) -> None:
    assert len(played(chat(S, FIRST, response=answer(ROSES)), second)) == 2


def test_the_same_request_again_is_a_repeat() -> None:
    found = played(chat(S, FIRST, response=answer(ROSES)), chat(S, FIRST))
    assert explained(found) == ["START", "REPEAT"]


def test_going_back_to_an_earlier_branch_uses_the_old_messages() -> None:
    one = [S, FIRST, said("assistant", ROSES), THEN]
    other = [S, FIRST, said("assistant", ROSES), LATER]
    found = played(
        chat(S, FIRST, response=answer(ROSES)),
        chat(*one, response=answer(HEDGE)),
        chat(*other, response=answer("The hedge, by far and away.")),
        chat(*one, said("assistant", HEDGE), said("user", "Thank you.")),
    )
    assert explained(found)[-1] in ("ROLLBACK APPEND", "CHECKOUT APPEND")
    talk = found[0].conversation
    assert list(talk.view)[:4] == [0, 1, 2, 3]


def test_a_name_that_was_added_is_named() -> None:
    named = said("user", FIRST["content"], name="ann")
    more = [said("assistant", ROSES), THEN]
    found = played(
        chat(S, FIRST, response=answer(ROSES)),
        chat(S, FIRST, *more, response=answer(HEDGE)),
        chat(S, named, *more, said("assistant", HEDGE), LATER),
    )
    call = found[0].conversation.calls.all[-1]
    assert call.wire is not None
    first = call.wire["explained"][0]
    assert (first["operation"], first["reason"]) == (
        "REPLACE",
        "raw 1: name changed from null to 'ann'",
    )


def test_a_plan_that_was_asked_first_is_a_side_call() -> None:
    plan = "1. Look up the roses. 2. Look up the hedge. 3. Say when each is due."
    asks = chat(said("user", f"Make a plan for: {FIRST['content']}"), response=answer(plan))
    shown = said("assistant", f"Here is my plan:\n{plan}")
    first = chat(S, FIRST, shown, said("user", "Go on."), response=answer(called("c1")))
    second = chat(S, FIRST, shown, said("user", "Go on."), called("c1"), result("c1"))
    roles = placed(played(asks, first, second))
    assert [roles[at]["role"] for at in range(3)] == ["sideCalls", "main", "main"]
    assert roles[0]["parent"] == roles[1]["id"]


def test_a_last_answer_under_another_prompt_is_a_side_call() -> None:
    more = [S, FIRST, said("assistant", ROSES), THEN]
    judge = said("system", "Say in one word whether the user is happy.")
    found = placed(
        played(
            chat(S, FIRST, response=answer(ROSES)),
            chat(*more, response=answer(HEDGE)),
            chat(*more, said("assistant", HEDGE), LATER, response=answer("The hedge does.")),
            chat(judge, *more[1:], said("assistant", HEDGE), response=answer("Happy.")),
        )
    )
    assert [found[at]["role"] for at in range(4)] == ["main", "main", "main", "sideCalls"]


def test_a_prompt_that_returns_after_a_handoff_has_a_thread_of_its_own() -> None:
    other = said("system", "You sell tools for gardens and greenhouses of any size.")
    rows = [FIRST, said("assistant", ROSES), THEN, said("assistant", HEDGE), LATER]
    more = [said("assistant", "The hedge does."), said("user", "And in winter?")]
    calls = [
        chat(S, *rows[:1], response=answer(ROSES)),
        chat(other, *rows[:3], response=answer(HEDGE)),
        chat(other, *rows, response=answer("The hedge does.")),
    ]
    assert len(played(*calls)) == 1
    found = placed(played(*calls, chat(S, *rows, *more)))
    assert [found[at]["id"] == found[0]["id"] for at in range(4)] == [True, False, False, True]
