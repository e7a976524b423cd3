"""Summaries that a policy writes, numbers it is tried with, and errors it carries along."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from core import Message
from core.policies import Policy
from core.policies.parameters import Sweep
from core.policies.questions import Question
from core.policies.runs import run_of
from core.policies.simulation import conversation_at, walk
from core.policies.summaries import EXCERPT_CHARACTERS, PIECE_CHARACTERS, excerpt
from core.policies.sweeps import swept
from tests.core.samples import answer, call, facts, refusal, said, talk


def says(*texts: str) -> list[Message]:
    """Return messages of a user."""
    return [Message("user", text) for text in texts]


def test_an_excerpt_has_the_words_of_each_message_in_one_line() -> None:
    assert excerpt(says("one\n\n two", " \n ", "three")) == "one two / three"


def test_an_excerpt_cuts_only_what_is_longer_than_a_piece() -> None:
    just, more = "x" * PIECE_CHARACTERS, "x" * (PIECE_CHARACTERS + 1)
    assert excerpt(says(just)) == just
    assert excerpt(says(more)) == "x" * (PIECE_CHARACTERS - 1) + "…"
    assert len(excerpt(says(more))) == PIECE_CHARACTERS


def test_an_excerpt_ends_where_its_room_ends() -> None:
    told = excerpt(says(*["y" * PIECE_CHARACTERS] * 9))
    assert told.endswith(" / …")
    assert len(told) <= EXCERPT_CHARACTERS + len(" / …")


def test_what_goes_is_summarised_in_visible_order_though_the_first_goes_only_with_its_result() -> (
    None
):
    conversation = talk(call("a"), answer("a"), said("user", "thanks"))
    seen: list[Message] = []

    def summarise(messages: Sequence[Message]) -> str:
        seen.extend(messages)
        return "looked"

    old = {"operation": "COMPRESS", "select": {"roles": ["tool"]}, "keepPairs": "drop"}
    Policy([old], summarise=summarise).before_call(conversation)
    assert [message.role for message in seen] == ["assistant", "tool"]
    assert conversation.view == [3, 2]


def test_a_summary_that_is_no_text_is_refused_by_name() -> None:
    old = {"operation": "COMPRESS", "select": {"exceptLast": 1}}
    policy = Policy([old], summarise=lambda _: 7)  # type: ignore[arg-type, return-value]
    conversation = talk(said("user", "one"), said("user", "two"))
    (refused,) = policy.before_call(conversation).refused
    assert "summarise" in str(refused)
    assert "a function that gives text" in str(refused)
    assert conversation.view == [0, 1]


def test_beside_a_template_only_a_role_may_stand() -> None:
    summary = {"template": "x", "name": "y"}
    old = {"operation": "COMPRESS", "select": {"exceptLast": 1}, "summary": summary}
    caught = refusal(lambda: Policy([old]))
    assert facts(caught) == ("stages[0].do[0].summary.name", "y", "role, template")


def test_a_number_that_a_policy_does_not_have_is_refused_with_those_it_has() -> None:
    policy = Policy([{"operation": "TRUNCATE", "keepLast": 2}], name="window")
    caught = refusal(lambda: policy.with_value("keepFirst", 3))
    assert facts(caught) == ("sweep", "keepFirst", "keepLast")
    assert (
        str(caught) == "'keepFirst' is neither a parameter nor a field of window; it has keepLast"
    )


def test_a_setting_as_good_in_one_figure_and_better_in_another_beats_the_other() -> None:
    conversation = talk(*[said("user" if i % 2 else "assistant", f"m{i}") for i in range(9)])
    policy = Policy([{"operation": "TRUNCATE", "keepLast": 2}])
    family = swept(Question.about(run_of(conversation)), [policy], Sweep.read("keepLast=3:60:57"))
    narrow, wide = family.settings
    assert narrow.figures.failing == wide.figures.failing
    assert narrow.price > wide.price
    assert wide.beats(narrow)
    assert not narrow.beats(wide)
    assert not wide.beats(wide)


@pytest.mark.parametrize("place", [1, 3, 5])
def test_an_error_that_comes_along_is_counted_at_the_call_it_came_before(place: int) -> None:
    messages = [said("user" if i % 2 == 0 else "assistant", f"m{i}") for i in range(8)]
    messages.insert(place, answer("z"))
    question = Question.about(run_of(talk(*messages)))
    never = Policy({"when": {"messagesAbove": 99}, "do": [{"operation": "CLEAR"}]})
    run = walk(question, never)
    real = [
        sum(one.severity == "error" for one in conversation_at(question, never, number).lint())
        for number in range(1, run.figures.calls + 1)
    ]
    assert [one.errors for one in run.figures.per_call] == real
    assert max(real) > 0
