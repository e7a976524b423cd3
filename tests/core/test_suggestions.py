"""Advice: what is suggested was tried, and what is hinted at really leaves no lint error."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import Conversation
from ctxtui.core.suggestions import MOST_TRIES, nearest, suggestions, with_value
from ctxtui.core.what_if import WhatIf
from tests.core.exchanges import result, text, use
from tests.core.samples import said


def agent(rounds: int) -> Conversation:
    """Return a prompt, a question and some rounds of a call, its result and an answer."""
    messages: list[Any] = [said("system", "Be brief."), said("user", "go")]
    for at in range(rounds):
        messages.append({"role": "assistant", "content": [text("look"), use(f"c{at}")]})
        messages.append({"role": "tool", "content": [result(f"c{at}")]})
        messages.append(said("assistant", f"answer {at} " + "word " * at))
    return Conversation(messages)


def hinted(c: Conversation, asked: dict[str, Any], *path: str) -> Any:
    what_if = WhatIf(c)
    return nearest(what_if, asked, path, what_if.outcome(asked))


def test_the_numbers_next_to_a_broken_cut_are_found_on_both_sides() -> None:
    c = agent(4)
    hint = hinted(c, {"operation": "TRUNCATE", "keepLast": 5}, "keepLast")
    assert (hint.best.value, hint.other.value) == (6, 4)
    assert WhatIf(c).outcome({"operation": "TRUNCATE", "keepLast": 5}).error_count == 1


def test_a_budget_is_moved_to_where_one_more_message_fits() -> None:
    c = agent(6)
    asked = {"operation": "TRUNCATE", "keepSystem": True}
    totals = [WhatIf(c).outcome({**asked, "maxTokens": most}) for most in range(12, 60)]
    broken = next(most for most, one in zip(range(12, 60), totals, strict=True) if one.error_count)
    hint = hinted(c, {**asked, "maxTokens": broken}, "maxTokens")
    assert not WhatIf(c).outcome({**asked, "maxTokens": hint.best.value}).error_count


@given(
    st.integers(1, 8),
    st.sampled_from(["keepFirst", "keepLast", "removeFirst", "removeLast", "maxTokens"]),
    st.integers(0, 60),
    st.booleans(),
)
def test_what_is_hinted_at_leaves_no_error(rounds: int, name: str, value: int, keep: bool) -> None:
    c = agent(rounds)
    asked = {"operation": "TRUNCATE", name: value, "keepSystem": keep}
    before = c.copy()
    hint = hinted(c, asked, name)
    assert c == before
    if hint is None:
        return
    for near in (hint.best, hint.other):
        if near is not None:
            outcome = WhatIf(c).outcome(with_value(asked, (name,), near.value))
            assert outcome.error_count == 0
            assert outcome.to_dict() == near.outcome.to_dict()


def test_both_ends_of_a_range_can_be_hinted_at() -> None:
    asked = {"operation": "TRUNCATE", "range": {"start": 3, "end": 8}}
    hint = hinted(agent(3), asked, "range", "start")
    assert hint.best.value in (2, 4)
    assert hint.path == ("range", "start")


def test_what_is_no_number_has_no_hint() -> None:
    asked = {"operation": "TRUNCATE", "keepLast": 3, "keepSystem": True}
    assert hinted(agent(2), asked, "keepSystem") is None
    assert hinted(agent(2), asked, "range", "start") is None


def test_the_search_is_bounded_and_can_be_left(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[object] = []
    outcome = WhatIf.outcome

    def counting(self: WhatIf, operation: Any) -> Any:
        tried.append(operation)
        return outcome(self, operation)

    c = Conversation([{"role": "tool", "content": [result(f"x{at}")]} for at in range(300)])
    asked = {"operation": "TRUNCATE", "keepLast": 150}
    what_if = WhatIf(c)
    known = what_if.outcome(asked)
    monkeypatch.setattr(WhatIf, "outcome", counting)
    assert nearest(what_if, asked, ("keepLast",), known) is None
    assert 0 < len(tried) <= MOST_TRIES + 1
    tried.clear()
    assert nearest(what_if, asked, ("keepLast",), known, lambda: False) is None
    assert not tried


def test_suggestions_come_from_the_conversation_and_have_their_real_outcome() -> None:
    c = agent(6)
    c.execute({"operation": "MARK", "indices": [4], "label": "gold"})
    what_if = WhatIf(c)
    found = list(suggestions(what_if))
    names = [sorted(set(one.operation) - {"operation"}) for one in found]
    assert ["keepLast", "keepSystem"] in names
    assert ["keepLast", "keepMarks", "keepSystem"] in names
    assert ["keepSystem", "maxTokens"] in names
    assert ["keepLast", "keepOthers", "role"] in names
    for one in found:
        assert one.outcome.to_dict() == what_if.outcome(one.operation).to_dict()
        assert not one.outcome.keeps_projection
    assert found[0].outcome.error_count == 0
    assert found[-1].outcome.error_count > 0, "bad ones are shown too"


def test_the_target_of_the_settings_is_suggested() -> None:
    config = {"enabled": True, "threshold": 40, "targetTokens": 33}
    c = Conversation(agent(6).visible, settings={"compressionConfig": config})
    budgets = [one.operation.get("maxTokens") for one in suggestions(WhatIf(c))]
    assert 33 in budgets


@pytest.mark.parametrize("size", [0, 1])
def test_where_nothing_can_be_cut_nothing_is_suggested(size: int) -> None:
    c = Conversation([said("system", "hi")] * size)
    assert list(suggestions(WhatIf(c))) == []


def test_system_messages_that_go_are_told_apart_from_replaced_ones() -> None:
    c = agent(1)
    what_if = WhatIf(c)
    assert what_if.outcome({"operation": "TRUNCATE", "keepLast": 1}).system_lost == (0,)
    new = {"operation": "REPLACE", "index": 0, "message": said("system", "Be long.")}
    assert what_if.outcome(new).system_lost == ()
