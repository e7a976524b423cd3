"""Explaining: each thing a manager can do has its operation, and a reason."""

from typing import Any

import pytest

from ctxtui.core.requests.exchange import Exchange
from ctxtui.core.requests.recording import Recorded
from tests.core.requests.checking import Checked, checked, titles
from tests.core.requests.traffic import Row, answer, called, chat, result, said

S = said("system", "You are a careful helper of gardeners.")
U = [said("user", f"question number {i} about the garden") for i in range(6)]
A = [said("assistant", f"answer number {i}, as well as I can tell") for i in range(6)]
LONG = "a long list of plants, each with its place, " * 5


def explained(*requests: list[Row], answers: dict[int, Row] | None = None) -> Checked:
    """Return requests of one tagged conversation, recorded and checked."""
    known = answers or {}
    return checked(
        chat(*rows, tag="t", response=answer(known[at]) if at in known else None)
        for at, rows in enumerate(requests)
    )


def last(*requests: list[Row], answers: dict[int, Row] | None = None) -> Recorded:
    return explained(*requests, answers=answers).recorded[-1]


def step(recorded: Recorded, place: int = 0) -> tuple[Row, str, str]:
    told = recorded.explanations[place]
    return recorded.operations[place].to_dict(), told.reason, told.certainty


BEFORE = [S, U[0], A[0], U[1], A[1], U[2]]
"""What was visible before each of these."""
CASES: dict[str, tuple[list[Row], str]] = {
    "nothing": (BEFORE, "REPEAT"),
    "the oldest cut": ([S, A[1], U[2]], "TRUNCATE"),
    "the oldest cut with the prompt": ([U[1], A[1], U[2]], "TRUNCATE"),
    "the newest cut": ([S, U[0]], "TRUNCATE"),
    "one in the middle": ([S, U[0], A[0], A[1], U[2]], "DELETE"),
    "two apart": ([S, A[0], U[1], U[2]], "DELETE"),
    "a summary": ([S, said("user", "In short: plants."), U[2]], "COMPRESS"),
    "one for one": ([S, said("user", "Quite another thing."), *BEFORE[2:]], "REPLACE"),
    "two for two": ([S, said("user", "New."), said("assistant", "Yes."), *BEFORE[3:]], "REPLACE"),
    "a new prompt": ([said("system", "Be brief."), *BEFORE[1:]], "REPLACE"),
    "a note": ([S, said("user", "A note."), *BEFORE[1:]], "INSERT"),
    "a note in front": ([said("user", "A note."), *BEFORE], "INSERT"),
    "another order": ([S, U[1], A[1], U[0], A[0], U[2]], "SELECT"),
    "another order of less": ([S, U[1], A[0], U[2]], "SELECT"),
    "something else": ([S, said("user", "Start anew.")], "TRUNCATE APPEND"),
    "a longer message": ([*BEFORE[:-1], said("user", U[2]["content"] + " now")], "REPLACE"),
    "a placeholder": ([S, U[0], said("assistant", "[left out]"), *BEFORE[3:]], "REDACT"),
}


@pytest.mark.parametrize(("after", "operations"), CASES.values(), ids=CASES)
def test_what_a_manager_did_has_its_operation(after: list[Row], operations: str) -> None:
    assert titles(last([S, U[0]], BEFORE, after)) == operations


@pytest.mark.parametrize(("after", "operations"), CASES.values(), ids=CASES)
def test_what_came_after_it_is_appended(after: list[Row], operations: str) -> None:
    if operations == "TRUNCATE APPEND":
        return
    operations = operations.replace("REPEAT", "")
    found = last([S, U[0]], BEFORE, [*after, A[2], U[3]], answers={1: A[2]})
    assert titles(found) == f"{operations} APPEND".strip()


def test_a_cut_says_what_it_cut() -> None:
    assert step(last([S, U[0]], BEFORE, [S, A[1], U[2]])) == (
        {"operation": "TRUNCATE", "removeFirst": 3, "keepSystem": True},
        "the oldest 3 messages were removed (raw 1–3), except the system's",
        "likely",
    )
    assert step(last([S, U[0]], BEFORE, BEFORE[:-1])) == (
        {"operation": "TRUNCATE", "removeLast": 1},
        "the newest message was removed (raw 5); the rest is unchanged",
        "likely",
    )


def test_a_result_that_was_cut_short_is_a_replace() -> None:
    before = [S, U[0], called("c"), result("c", LONG), A[0], U[1]]
    after = [*before[:3], result("c", LONG[:100]), *before[4:]]
    assert step(last([S, U[0]], before, after))[1:] == (
        "raw 3: another content, for the same calls",
        "proven",
    )


def test_results_that_read_the_same_now_are_one_redact() -> None:
    before = [S, U[0], called("c"), result("c", LONG), called("d"), result("d", LONG), U[1]]
    after = [*before[:3], result("c", "[gone]"), before[4], result("d", "[gone]"), U[1]]
    assert step(last([S, U[0]], before, after)) == (
        {"operation": "REDACT", "indices": [3, 5], "text": "[gone]"},
        "raw 3 and 5 now read '[gone]'",
        "proven",
    )


def test_a_prompt_with_the_time_in_it_is_the_same_prompt_at_another_time() -> None:
    def at(time: str) -> list[Row]:
        return [said("system", f"You help. It is {time}."), *BEFORE[1:]]

    assert step(last(at("09:00"), at("09:05")))[1:] == (
        "raw 0: only times, ids or numbers differ",
        "likely",
    )


def test_an_earlier_state_that_comes_back_is_a_rollback() -> None:
    found = explained([S, U[0]], BEFORE, [S, U[2]], [*BEFORE, A[2], U[3]], answers={2: A[2]})
    assert found.operations()[-1] == "ROLLBACK APPEND"
    operation, reason, _ = step(found.recorded[-1])
    assert operation == {"operation": "ROLLBACK", "targetBatchIndex": 0}
    assert reason == "6 messages that had been sent before were sent again unchanged"
    assert len(found.conversation().log) == 8


def test_what_was_hidden_and_comes_back_elsewhere_is_a_copy() -> None:
    found = explained([S, U[0]], BEFORE, [S, A[1], U[2]], [S, U[0], A[1], U[2]])
    assert found.operations()[-1] == "INSERT"
    copy = found.conversation().visible[1]
    assert (copy.text, dict(copy.metadata or {})) == (U[0]["content"], {"copiedFrom": 1})


def test_what_is_said_once_more_is_no_copy() -> None:
    again = said("user", "go on")
    found = explained([S, again], [S, again, A[0], U[0]], [S, U[0], A[1], again])
    assert found.conversation().visible[-1].metadata is None


def test_an_answer_that_comes_back_is_told_as_one() -> None:
    reasons = [
        one.explanations[0].reason
        for one in explained([S, U[0]], [S, U[0], A[0], U[1]], answers={0: A[0]}).recorded
    ]
    assert reasons == [
        "the first request, with 2 messages",
        "the answer and 1 message were added; all before is unchanged",
    ]


def test_ids_that_are_made_anew_for_every_request_change_nothing() -> None:
    def rows(id: str) -> list[Row]:
        return [S, U[0], called(id), result(id)]

    found = explained(rows("a"), [*rows("b"), A[0], called("n"), result("n")])
    assert found.operations() == ["START", "APPEND"]
    assert found.conversation().lint() == []
    more = explained(rows("a"), [*rows("b"), A[0], U[1]], [*rows("c"), A[0], U[1], A[1], U[2]])
    assert more.operations() == ["START", "APPEND", "APPEND"]


def test_a_result_follows_a_call_whose_id_was_made_anew() -> None:
    found = explained([S, U[0], called("a")], [S, U[0], called("b"), result("b")])
    assert found.operations() == ["START", "APPEND"]
    assert found.conversation().lint() == []


def ollama(*rows: Row) -> Exchange:
    return Exchange({"model": "m", "messages": list(rows)}, kind="ollama", tag="t")


def test_calls_without_ids_find_their_results() -> None:
    call = said("assistant", "", tool_calls=[{"function": {"name": "look", "arguments": {}}}])
    found = checked(
        [
            ollama(U[0]),
            ollama(U[0], call, said("tool", "one")),
            ollama(U[0], call, said("tool", "one"), call, said("tool", "two")),
            ollama(call, said("tool", "two"), A[0], U[1], call, said("tool", "three")),
        ]
    )
    talk = found.conversation()
    assert found.operations()[:3] == ["START", "APPEND", "APPEND"]
    ids = [message.calls for message in talk.log if message.calls]
    assert len(set(ids)) == len(ids) == 3
    assert talk.lint() == []


def gemini(*contents: Row) -> Exchange:
    return Exchange({"contents": list(contents)}, kind="gemini", tag="t")


def test_functions_without_ids_find_their_responses() -> None:
    def part(role: str, **parts: Any) -> Row:
        return {"role": role, "parts": [parts]}

    ask = part("user", text="How warm is it?")
    call = part("model", functionCall={"name": "warm", "args": {}})
    back = part("user", functionResponse={"name": "warm", "response": {"result": "30"}})
    says = part("model", text="It is 30 degrees.")
    found = checked([gemini(ask), gemini(ask, call, back), gemini(call, back, says, ask)])
    assert found.operations() == ["START", "APPEND", "TRUNCATE APPEND"]
    assert found.conversation().lint() == []


def test_rows_that_are_no_messages_are_kept_and_given_back() -> None:
    odd: list[Any] = [7, {"role": "user", "content": {"a": 1}}, {"content": "x"}]
    found = explained([S, *odd], [S, *odd, U[0]])
    assert found.operations() == ["START", "APPEND"]


def test_a_request_without_messages_is_a_request() -> None:
    assert explained([], [U[0]], []).operations() == ["START", "APPEND", "TRUNCATE"]


def test_more_is_known_of_lists_than_where_they_are() -> None:
    many = [said("user", f"line {i} of the log, with some words") for i in range(60)]
    changed = [said("user", f"line {i} of the log, with other words") for i in range(60)]
    found = last([S, *many, U[0]], [S, *changed, U[0]])
    assert titles(found) == "REPLACE"
