"""Searching a history for the batch in which something happened first."""

from __future__ import annotations

from typing import Any

import pytest

from ctxtui.core import Conversation
from ctxtui.core.bisect import (
    first_above,
    first_batch,
    first_error,
    first_without,
    first_without_text,
    rules_of,
)
from ctxtui.core.engine.state import State
from tests.core.samples import (
    Words,
    answer,
    call,
    facts,
    five,
    numbered,
    refusal,
    registered,
    said,
    talk,
)

CLEAR = {"operation": "CLEAR"}
START = {"operation": "BATCH_START"}


def truncated(**fields: Any) -> dict[str, Any]:
    return {"operation": "TRUNCATE", **fields}


def exchange() -> Conversation:
    """Return question, call, result and answer, all in order."""
    return talk(said("user", "q"), call("a"), answer("a"), said("assistant", "done"))


def broken_and_mended() -> Conversation:
    """Return batches that are fine, broken (1), mended (2), and broken otherwise (3)."""
    c = exchange()
    c.execute({"operation": "DELETE", "indices": [1]})
    c.execute({"operation": "REPAIR", "policy": "drop"})
    c.execute(CLEAR)
    return c


def test_the_first_lint_error_is_found_although_it_was_mended_later() -> None:
    assert first_error(broken_and_mended()) == 1


def test_one_rule_can_be_asked_for_alone() -> None:
    c = broken_and_mended()
    assert first_error(c, "G1") == 1
    assert first_error(c, "G6") == 3
    assert first_error(c, "G2") is None


def test_a_warning_is_no_error() -> None:
    c = talk(said("user", "q"), call("a"))
    assert [one.severity for one in c.lint()] == ["warning"]
    assert first_error(c) is None


def test_the_profile_decides_what_an_error_is() -> None:
    c = five()
    assert first_error(c) is None
    assert first_error(c, profile="gemini") == 0
    c.execute({"operation": "CONFIGURE", "profile": "gemini"})
    assert first_error(c) == 0


def test_an_unknown_rule_or_profile_is_refused_with_the_legal_ones() -> None:
    field, value, legal = facts(refusal(lambda: first_error(five(), "g1")))
    assert (field, value) == ("rule", "g1")
    assert "G1, G2" in str(legal)
    assert refusal(lambda: first_error(five(), profile="nobody")).field == "profile"


def test_the_rules_of_a_profile_are_known_by_name_and_others_refused() -> None:
    assert rules_of("generic") == ("G1", "G2", "G3", "G4", "G5", "G6", "G7", "G8", "G9")
    assert rules_of("openai")[-2:] == ("O1", "G9")
    assert first_error(five(), "M4", profile="gemini") == 0
    assert refusal(lambda: first_error(five(), "M4")).field == "rule"


def test_each_batch_is_asked_once_from_the_front_and_no_further_than_needed() -> None:
    c = talk(*numbered(6))
    for _ in range(4):
        c.execute(truncated(removeFirst=1))
    asked: list[int] = []

    def test(state: State) -> bool:
        asked.append(len(state.view))
        return len(state.view) == 4

    told: list[tuple[int, int]] = []
    assert first_batch(c, test, lambda *done: told.append(done)) == 2
    assert asked == [6, 5, 4]
    assert told == [(1, 5), (2, 5), (3, 5)]


def test_a_search_is_left_by_raising_from_the_progress() -> None:
    def leave(done: int, count: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        first_error(five(), progress=leave)


def test_a_batch_is_judged_with_what_was_appended_to_it() -> None:
    c = exchange()
    c.execute(START)
    c.execute({"operation": "APPEND", "messages": [answer("lost")]})
    c.execute(START)
    assert first_error(c) == 1


def test_only_the_batches_of_the_path_count() -> None:
    c = exchange()
    c.execute(CLEAR)
    c.rollback(0)
    assert first_error(c) is None
    c.execute(START)
    c.execute(CLEAR)
    assert first_error(c) == 2


def test_the_batch_in_which_a_message_vanished_is_exact() -> None:
    c = talk(*numbered(5))
    c.execute(truncated(keepLast=4))
    c.execute(START)
    c.execute({"operation": "DELETE", "indices": [3]})
    assert [first_without(c, raw) for raw in range(5)] == [1, None, None, 3, None]


def test_a_message_of_another_branch_vanished_nowhere_here() -> None:
    c = talk(*numbered(2))
    c.execute({"operation": "INSERT", "position": 0, "messages": [said("user", "aside")]})
    c.rollback(0)
    c.execute(START)
    assert first_without(c, 2) is None
    assert facts(refusal(lambda: first_without(c, 3))) == ("index", 3, "0…2")


def test_the_batch_that_lost_a_text_is_the_first_without_it_after_one_that_had_it() -> None:
    c = talk(said("user", "hello"))
    c.execute({"operation": "APPEND", "messages": [said("user", "keep the port 8080 free")]})
    c.execute(START)
    c.append("user", "the port 8080 again")
    c.execute({"operation": "DELETE", "indices": [1]})
    c.execute(truncated(keepFirst=1))
    c.execute(START)
    assert first_without_text(c, "port 8080") == 3
    assert first_without_text(c, "hello") is None
    assert first_without_text(c, "never said") is None


def test_the_batch_whose_tokens_passed_a_number_first() -> None:
    c = talk(*numbered(4))
    each = c.tokens.total // 4
    c.execute(truncated(keepLast=1))
    c.execute({"operation": "APPEND", "messages": numbered(6)})
    totals = [4 * each, 7 * each]
    assert first_above(c, totals[0] - 1) == 0
    assert first_above(c, totals[0]) == 1
    assert first_above(c, totals[1]) is None
    assert facts(refusal(lambda: first_above(c, -1))) == ("tokens", -1, "0 or more")


def test_tokens_are_those_of_the_counter_in_use_now() -> None:
    c = talk(said("user", "a b c d e f"))
    c.execute(START)
    assert c.tokens.total < 6
    with registered(Words()):
        c.execute({"operation": "CONFIGURE", "counter": "words"})
        assert (first_above(c, 5), first_above(c, 6)) == (0, None)


def test_nothing_changes_by_searching() -> None:
    c = broken_and_mended()
    before = c.copy()
    first_error(c)
    first_above(c, 0)
    first_without(c, 0)
    assert c == before
