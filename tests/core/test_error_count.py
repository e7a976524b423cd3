"""Errors that are counted from what has changed are those that lint finds."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import Conversation, Refused
from ctxtui.core.engine.settings import PROFILES
from ctxtui.core.lint import RULES
from ctxtui.core.lint.linting import COUNTED, ErrorCount
from tests.core.exchanges import messages as odd_messages
from tests.core.policies.strategies import operations, runs

Data = dict[str, Any]


def errors(conversation: Conversation, profile: str) -> int:
    return sum(one.severity == "error" for one in conversation.lint(profile))


@given(
    st.lists(st.one_of(runs(4), odd_messages, operations), min_size=1, max_size=9),
    st.sampled_from(PROFILES),
)
def test_the_count_is_lints_own_whatever_is_done(steps: list[Any], profile: str) -> None:
    conversation, count = Conversation(), ErrorCount(profile)
    assert count.errors(conversation.moment) == errors(conversation, profile)
    for step in steps:
        try:
            if isinstance(step, list):
                if not step:
                    continue
                conversation.execute({"operation": "APPEND", "messages": step})
            elif "summary" in step:
                conversation.execute({**step, "summary": {"role": "user", "content": "gone"}})
            else:
                conversation.execute(step)
        except Refused:
            continue
        assert count.errors(conversation.moment) == errors(conversation, profile)


@given(odd_messages, st.data())
def test_the_count_is_lints_own_in_any_order(messages: list[Data], data: st.DataObject) -> None:
    conversation, count = Conversation(messages), ErrorCount("generic")
    for _ in range(3):
        order = data.draw(st.permutations(range(len(messages))))
        size = data.draw(st.integers(1, len(messages)))
        conversation.execute({"operation": "SELECT", "indices": order[:size]})
        assert count.errors(conversation.moment) == errors(conversation, "generic")
        conversation.rollback(0)


def test_every_rule_that_is_counted_exists_and_is_one_of_all_profiles() -> None:
    shared = {rule.id for rule in RULES if rule.severity == "error" and rule.profiles == PROFILES}
    assert shared == set(COUNTED)


def test_a_long_run_with_many_cleared_results_is_counted_by_chunks() -> None:
    def exchange(number: int) -> list[Data]:
        use = {"type": "tool_use", "tool_use": {"id": f"c{number}", "name": "x", "input": {}}}
        told = {"type": "tool_result", "tool_result": {"tool_use_id": f"c{number}", "content": "y"}}
        return [{"role": "assistant", "content": [use]}, {"role": "tool", "content": [told]}]

    conversation = Conversation([one for number in range(700) for one in exchange(number)])
    conversation.execute({"operation": "REDACT", "select": {"roles": ["tool"], "exceptLast": 5}})
    count = ErrorCount("generic")
    assert len(conversation.view.chunks) > 3
    assert count.errors(conversation.moment) == 0
    conversation.execute({"operation": "DELETE", "indices": [600, 1400]})
    assert count.errors(conversation.moment) == errors(conversation, "generic") == 2
