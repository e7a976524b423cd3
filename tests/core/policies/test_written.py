"""What a policy writes: summaries and itself; numbers it is tried with, errors it carries along."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from ctxtui.core import Message
from ctxtui.core.engine.rewriting import EXCERPT_CHARACTERS, PIECE_CHARACTERS, excerpt
from ctxtui.core.policies import Policy
from ctxtui.core.policies.policy import Sweep, with_field
from ctxtui.core.policies.runs import SimulationConfig, run_of
from ctxtui.core.policies.simulation import conversation_at, run_policy, swept
from tests.core.samples import Data, answer, call, facts, refusal, said, talk


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
    pieces = ["z" * (EXCERPT_CHARACTERS // 4 - len(" / "))] * 4
    assert excerpt(says(*pieces)) == " / ".join(pieces)
    assert excerpt(says(*pieces, "more")) == " / ".join([*pieces, "…"])


def test_an_excerpt_looks_for_words_only_at_the_start_of_a_message() -> None:
    assert excerpt(says(" " * (4 * PIECE_CHARACTERS - 1) + "xyz", "two")) == "x / two"


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


def test_what_goes_is_summarised_in_visible_order_though_the_first_came_last() -> None:
    conversation = talk(said("user", "one"), said("user", "two"), said("user", "three"))
    note = {"operation": "INSERT", "position": 0, "messages": [said("user", "note")]}
    old = {
        "operation": "COMPRESS",
        "select": {"exceptLast": 1},
        "summary": {"template": "{excerpt}"},
    }
    Policy([note, old]).before_call(conversation)
    assert [message.text for message in conversation.visible] == ["note / one / two", "three"]


def test_a_summary_that_is_no_text_is_refused_by_name() -> None:
    old = {"operation": "COMPRESS", "select": {"exceptLast": 1}}
    policy = Policy([old], summarise=lambda _: 7)  # type: ignore[arg-type, return-value]
    conversation = talk(said("user", "one"), said("user", "two"))
    (refused,) = policy.before_call(conversation).refused
    assert refused.reason == "summarise 7 is not a function that gives text"
    assert conversation.view == [0, 1]


def test_a_summary_with_a_template_has_known_fields_only() -> None:
    summary = {"template": "x", "name": "y"}
    old = {"operation": "COMPRESS", "select": {"exceptLast": 1}, "summary": summary}
    caught = refusal(lambda: Policy([old]))
    field, value, legal = facts(caught)
    assert (field, value) == ("stages[0].do[0].summary.name", "y")
    assert str(legal).startswith("role, template, tokens, copyOf")


def test_without_a_text_for_it_what_is_compressed_only_goes() -> None:
    conversation = talk(*[said("user", f"m{i}") for i in range(4)])
    Policy([{"operation": "COMPRESS", "select": {"exceptLast": 1}}]).before_call(conversation)
    assert conversation.view == [3]
    assert len(conversation.log) == 4


def test_a_summary_that_is_written_already_and_a_template_of_somebody_else_stay_as_they_are() -> (
    None
):
    known = {"template": "{count}"}
    other = said("user", "hello", metadata={"summary": known})
    conversation = talk(*[said("user", f"m{i}") for i in range(4)])
    short = said("user", "in short")
    old = {"operation": "COMPRESS", "select": {"exceptLast": 1}, "summary": short}
    Policy([old, {"operation": "REPLACE", "index": 1, "message": other}]).before_call(conversation)
    first, last = conversation.visible
    assert first == Message("user", "in short")
    assert last.metadata == {"summary": known}


def test_a_policy_is_written_down_with_the_name_it_was_given_elsewhere() -> None:
    window = Policy([{"operation": "TRUNCATE", "keepLast": 2}], name="window")
    assert window.to_dict()["name"] == "window"
    assert "name" not in Policy([{"operation": "CLEAR"}]).to_dict()


@pytest.mark.parametrize(
    ("when", "words"),
    [
        ({"always": True, "everyCalls": 7}, "before every call"),
        ({"tokensAbove": 9000}, "above 9,000 tokens"),
        ({"everyCalls": 7, "messagesAbove": 60}, "above 60 messages or every 7 calls"),
    ],
)
def test_a_policy_is_told_in_words_stage_by_stage(when: Data, words: str) -> None:
    old = {"operation": "COMPRESS", "indices": [0], "summary": {"template": "x"}}
    seldom = {"when": when, "do": [old, {"operation": "CLEAR"}]}
    policy = Policy({"stages": [{"do": [{"operation": "TRUNCATE", "keepLast": 2}]}, seldom]})
    first, last = (
        "TRUNCATE keepLast 2, before every call",
        f"COMPRESS indices 0, then CLEAR, {words}",
    )
    assert policy.in_words() == f"{first}; then {last}"


def test_a_number_that_a_policy_does_not_have_is_refused_with_those_it_has() -> None:
    policy = Policy([{"operation": "TRUNCATE", "keepLast": 2}], name="window")
    caught = refusal(lambda: policy.with_value("keepFirst", 3))
    assert facts(caught) == ("sweep", "keepFirst", "keepLast")
    assert (
        str(caught) == "'keepFirst' is neither a parameter nor a field of window; it has keepLast"
    )


def test_numbers_within_what_is_said_are_no_settings() -> None:
    told = {"role": "user", "content": "hi", "timestamp": 5, "metadata": {"keepLast": 7}}
    policy = Policy([{"operation": "INSERT", "position": 1, "messages": [told]}])
    assert policy.numbers == {"position": 1}
    caught = refusal(lambda: policy.with_value("timestamp", 6))
    assert str(caught).endswith("a field of policy; it has position")


def test_a_policy_without_numbers_says_so_when_one_is_tried() -> None:
    caught = refusal(lambda: Policy([{"operation": "CLEAR"}]).with_value("k", 3))
    assert str(caught).endswith("a field of policy; it has no numbers")


def test_a_sweep_takes_each_number_to_the_last_one() -> None:
    assert list(Sweep("k", 3, 6)) == [3, 4, 5, 6]
    assert list(Sweep.read("k=5:5")) == [5]
    for typed in ("k=10:200:10", "k=3:9:4", "k=1:1000"):
        sweep = Sweep.read(typed)
        assert len(sweep) == len(list(sweep))
    assert len(Sweep.read("k=1:1000")) == 1000


def test_another_number_goes_wherever_its_field_stands_and_into_no_text() -> None:
    note = said("user", "note", metadata={"keepLast": 5})
    steps = [
        {"operation": "TRUNCATE", "keepLast": 2},
        {"operation": "truncate", "truncate": {"keep_last": 4}},
        {"operation": "INSERT", "position": 0, "messages": [note]},
    ]
    made, count = with_field(steps, "keepLast", 3)
    assert count == 2
    assert made == [
        {"operation": "TRUNCATE", "keepLast": 3},
        {"operation": "truncate", "truncate": {"keep_last": 3}},
        steps[2],
    ]
    assert Policy(steps).with_value("keepLast", 3).stages == Policy(made).stages
    assert with_field(steps, "messages", 3) == (steps, 0)


def test_under_another_name_or_number_a_program_still_writes_the_summaries() -> None:
    old = {"operation": "COMPRESS", "select": {"exceptLast": 1}}
    policy = Policy([old], summarise=lambda _: "in short")
    for other in (policy.named("short"), policy.with_value("exceptLast", 2)):
        conversation = talk(*[said("user", f"m{i}") for i in range(4)])
        other.before_call(conversation)
        assert conversation.log[4].text == "in short"
    assert policy.named("short").name == "short"


def test_a_setting_as_good_in_one_figure_and_better_in_another_beats_the_other() -> None:
    conversation = talk(*[said("user" if i % 2 else "assistant", f"m{i}") for i in range(9)])
    policy = Policy([{"operation": "TRUNCATE", "keepLast": 2}])
    family = swept(
        SimulationConfig.about(run_of(conversation)), [policy], Sweep.read("keepLast=3:60:57")
    )
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
    question = SimulationConfig.about(run_of(talk(*messages)))
    never = Policy({"when": {"messagesAbove": 99}, "do": [{"operation": "CLEAR"}]})
    run = run_policy(question, never)
    real = [
        sum(one.severity == "error" for one in conversation_at(question, never, number).lint())
        for number in range(1, run.figures.calls + 1)
    ]
    assert [one.errors for one in run.figures.per_call] == real
    assert max(real) > 0
