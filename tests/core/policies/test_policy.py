"""Policies: their forms, their triggers, what they do before a call, and what is refused."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from ctxtui.core import Conversation, Message, Refused, Truncate
from ctxtui.core.policies import Policy
from ctxtui.core.policies.runs import calls_made

Data = dict[str, Any]
WINDOW: Data = {"operation": "TRUNCATE", "keepLast": 2}


def chat(count: int) -> Conversation:
    roles = ["system", *["user", "assistant"] * count]
    return Conversation([{"role": role, "content": f"m{i}"} for i, role in enumerate(roles)])


@pytest.mark.parametrize(
    "form",
    [
        [WINDOW],
        {"do": [WINDOW]},
        {"stages": [{"do": [WINDOW]}]},
        {"when": {}, "do": [WINDOW]},
        {"when": {"always": True}, "do": [WINDOW]},
        [Truncate(keep_last=2)],
        [{"operation": "truncate", "truncate": {"keepLast": 2}}],
    ],
)
def test_every_form_of_a_policy_does_the_same(form: Any) -> None:
    conversation = chat(2)
    done = Policy(form).before_call(conversation)
    assert done.acted
    assert list(conversation.view) == [3, 4]
    assert [result.affected_batch_index for result in done.results] == [1]


@pytest.mark.parametrize(
    ("when", "due"),
    [
        ({"messagesAbove": 4}, True),
        ({"messagesAbove": 5}, False),
        ({"tokensAbove": 4}, True),
        ({"tokensAbove": 5}, False),
        ({"everyCalls": 3}, True),
        ({"everyCalls": 2}, False),
        ({"messagesAbove": 9, "tokensAbove": 4}, True),
        ({"messagesAbove": 9, "tokensAbove": 9, "everyCalls": 2}, False),
        ({"always": True, "messagesAbove": 9}, True),
    ],
)
def test_a_stage_is_due_when_any_of_its_conditions_holds(when: Data, due: bool) -> None:
    conversation = chat(2)
    assert calls_made(conversation) + 1 == 3
    assert Policy({"when": when, "do": [WINDOW]}).before_call(conversation).acted is due


def test_every_k_calls_counts_the_answers_of_the_run() -> None:
    policy = Policy(
        {"when": {"everyCalls": 2}, "do": [{"operation": "TRUNCATE", "removeFirst": 1}]}
    )
    conversation, acted = Conversation(), []
    for number in range(6):
        conversation.append("user", f"question {number}")
        acted.append(policy.before_call(conversation).acted)
        conversation.append("assistant", f"answer {number}")
    assert acted == [False, True] * 3


def test_each_stage_judges_what_the_one_before_has_left() -> None:
    second = {"when": {"messagesAbove": 3}, "do": [{"operation": "CLEAR"}]}
    assert list(after(chat(3), {"stages": [{"do": [WINDOW]}, second]}).view) == [5, 6]
    assert list(after(chat(3), {"stages": [second, {"do": [WINDOW]}]}).view) == [0]


def after(conversation: Conversation, policy: Any) -> Conversation:
    Policy(policy).before_call(conversation)
    return conversation


def test_a_refused_stage_changes_nothing_and_the_next_is_tried() -> None:
    conversation = chat(2)
    policy = Policy(
        {
            "stages": [
                {"do": [WINDOW, {"operation": "DELETE", "indices": [0]}]},
                {"do": [{"operation": "TRUNCATE", "keepFirst": 1}]},
            ]
        }
    )
    done = policy.before_call(conversation)
    assert list(conversation.view) == [0]
    assert len(conversation.batches) == 2
    (refused,) = done.refused
    assert refused.stage == 0
    assert refused.reason.startswith("step 1: indices 0 is not visible")
    assert done.to_dict()["refused"] == [{"stage": 0, "reason": refused.reason}]


def test_what_would_change_nothing_is_not_done_so_that_no_empty_batch_is_left() -> None:
    conversation = chat(1)
    journal = len(conversation.journal)
    done = Policy([{"operation": "TRUNCATE", "keepLast": 60}]).before_call(conversation)
    assert not done.acted
    assert (len(conversation.batches), len(conversation.journal)) == (1, journal)


def test_a_stage_is_one_change_that_one_undo_takes_back() -> None:
    conversation = chat(3)
    marked = {"operation": "MARK", "select": {"roles": ["user"]}, "label": "asked"}
    Policy([marked, WINDOW]).before_call(conversation)
    conversation.undo()
    assert len(conversation.view) == 7
    assert conversation.marks == {}


class TestSummaries:
    OLD: ClassVar[Data] = {
        "operation": "COMPRESS",
        "select": {"positions": {"start": 1}, "exceptLast": 2},
    }

    def test_a_template_tells_what_goes(self) -> None:
        conversation = chat(3)
        text = "[{count} messages, {tokens} tokens: {excerpt}] {other}"
        Policy([{**self.OLD, "summary": {"role": "user", "template": text}}]).before_call(
            conversation
        )
        (new,) = [raw for raw in conversation.view if raw > 6]
        assert list(conversation.view) == [0, 7, 5, 6]
        said = conversation.log[new]
        assert said == Message("user", "[4 messages, 4 tokens: m1 / m2 / m3 / m4] {other}")

    def test_the_template_may_stand_in_any_dialect(self) -> None:
        conversation = chat(3)
        inner = {**self.OLD, "summary": {"role": "assistant", "template": "{count}"}}
        del inner["operation"]
        Policy([{"operation": "compress", "compress": inner}]).before_call(conversation)
        assert conversation.log[7] == Message("assistant", "4")

    def test_a_program_may_give_the_text_instead(self) -> None:
        conversation = chat(3)
        seen: list[str] = []

        def summarise(messages: Any) -> str:
            seen.extend(message.text for message in messages)
            return "in short"

        policy = Policy(
            [{**self.OLD, "summary": {"role": "system", "template": "x"}}], summarise=summarise
        )
        policy.before_call(conversation)
        assert seen == ["m1", "m2", "m3", "m4"]
        assert conversation.log[7] == Message("system", "in short")
        bare = Policy([self.OLD], summarise=summarise)
        bare.before_call(again := chat(3))
        assert again.log[7] == Message("user", "in short")

    def test_a_function_that_changes_the_conversation_is_refused(self) -> None:
        for change in ("append", "undo", "mark"):
            conversation = chat(3)

            def summarise(messages: Any, c: Conversation = conversation, how: str = change) -> str:
                if how == "append":
                    c.append("user", "note")
                elif how == "undo":
                    c.execute({"operation": "TRUNCATE", "keepLast": 9})
                    c.undo()
                else:
                    c.execute({"operation": "MARK", "indices": [0], "label": "x"})
                c.record_usage(1)
                return "in short"

            done = Policy([self.OLD], summarise=summarise).before_call(conversation)
            assert not done.acted
            assert "was changed while a plan for it was applied" in done.refused[0].reason
            assert conversation.check() == []
            assert Conversation.from_dict(conversation.to_dict()) == conversation

    def test_a_function_may_record_what_it_cost(self) -> None:
        conversation = chat(3)

        def summarise(messages: Any) -> str:
            conversation.record_call(model="small", usage={"input": 9})
            return "in short"

        assert Policy([self.OLD], summarise=summarise).before_call(conversation).acted
        assert conversation.check() == []
        assert Conversation.from_dict(conversation.to_dict()) == conversation
        with pytest.raises(Refused, match="summarise 'x' is not a function"):
            Policy([self.OLD], summarise="x")  # type: ignore[arg-type]

    def test_nothing_to_summarise_is_nothing_to_do(self) -> None:
        conversation = chat(1)
        policy = Policy([{**self.OLD, "summary": {"role": "user", "template": "{count}"}}])
        assert not policy.before_call(conversation).acted
        assert len(conversation.log) == 3

    def test_a_later_operation_of_the_stage_sees_the_summary(self) -> None:
        conversation = chat(3)
        summary = {**self.OLD, "summary": {"role": "user", "template": "{count}"}}
        Policy([summary, {"operation": "TRUNCATE", "keepFirst": 2}]).before_call(conversation)
        assert list(conversation.view) == [0, 7]


class TestParameters:
    FAMILY: ClassVar[Data] = {
        "name": "window",
        "parameters": {"k": 4},
        "when": {"messagesAbove": "$k+2"},
        "do": [{"operation": "TRUNCATE", "keepLast": "$k", "keepSystem": True}],
    }

    def test_they_stand_wherever_a_number_does(self) -> None:
        policy = Policy(self.FAMILY)
        assert policy.in_words() == "TRUNCATE keepLast 4, keepSystem, above 6 messages"
        back = {"operation": "DELETE", "select": {"positions": {"start": "-$k", "end": "$k-5"}}}
        assert Policy({**self.FAMILY, "when": {"messagesAbove": "$k + 2"}}) != policy
        assert (
            "above 6 messages"
            in Policy({**self.FAMILY, "when": {"messagesAbove": "$k + 2"}}).in_words()
        )
        assert "start -4 end -1" in Policy({"parameters": {"k": 4}, "do": [back]}).in_words()

    def test_another_value_makes_another_policy(self) -> None:
        policy = Policy(self.FAMILY)
        wider = policy.with_value("k", 10)
        assert wider.in_words() == "TRUNCATE keepLast 10, keepSystem, above 12 messages"
        assert wider.name == "window"
        assert policy.with_value("keepLast", 3).in_words().startswith("TRUNCATE keepLast 3")
        assert policy.with_value("keep_last", 3) == policy.with_value("keepLast", 3)

    def test_a_dollar_in_a_text_is_a_dollar(self) -> None:
        redact = {"operation": "REDACT", "select": {"roles": ["tool"]}, "text": "$k"}
        assert Policy({"parameters": {"k": 4}, "do": [redact]}).in_words().count("text $k") == 1

    def test_data_goes_there_and_back(self) -> None:
        policy = Policy(self.FAMILY)
        assert Policy.from_dict(policy.to_dict()) == policy
        assert policy.to_dict()["parameters"] == {"k": 4}
        assert policy.to_dict()["stages"][0]["when"] == {"messagesAbove": "$k+2"}


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ([], "do [] holds no operation"),
        ({}, "the policy has neither do nor stages"),
        ({"stages": []}, "stages [] is not a list"),
        ("x", "policy 'x' is not an object with stages, or a list of operations"),
        ({"do": [WINDOW], "stages": []}, "a policy has stages, or one do with its when"),
        ([{"operation": "CONFIGURE", "counter": "o200k"}], "CONFIGURE can't be part of a policy"),
        ({"do": [WINDOW], "wenn": {}}, "'wenn' is not a field of this policy; it takes name,"),
        ({"when": {"tokens": 3}, "do": [WINDOW]}, "tokens: a bound 3 is not an object"),
        ({"when": {"everyCalls": 0}, "do": [WINDOW]}, "everyCalls 0 is below 1"),
        ({"when": {"always": False}, "do": [WINDOW]}, "always false says nothing"),
        ({"when": {"tokensAbove": "5"}, "do": [WINDOW]}, "tokensAbove '5' is not a whole number"),
        ([{"operation": "TRUNCATE"}], "stages[0]: do[0]: TRUNCATE cuts nothing"),
        ([{"operation": "TRUNCATE", "keepLast": "$k"}], "'$k' names a parameter, and the policy"),
        (
            {"parameters": {"n": 1}, "do": [{"operation": "TRUNCATE", "keepLast": "$k"}]},
            "keepLast '$k' names no parameter; there are n",
        ),
        ({"parameters": {"k k": 1}, "do": [WINDOW]}, "parameters 'k k' is not a name"),
        ({"parameters": {"k": "1"}, "do": [WINDOW]}, "parameters.k '1' is not a whole number"),
        (
            [{"operation": "COMPRESS", "indices": [0], "summary": {"template": "x", "y": 1}}],
            "summary: 'y' is not a field of a summary with a template; it takes role, template,",
        ),
        (
            [{"operation": "COMPRESS", "indices": [0], "summary": {"template": ""}}],
            "summary: template '' is empty",
        ),
        (
            [{"operation": "DELETE", "indices": [0], "summary": {"template": "x"}}],
            "'summary' is not a field of DELETE; it takes",
        ),
    ],
)
def test_what_is_no_policy_is_refused_with_the_place(data: Any, sentence: str) -> None:
    with pytest.raises(Refused) as caught:
        Policy(data)
    assert sentence in str(caught.value)


def test_a_name_that_is_neither_parameter_nor_field_is_refused_with_those_there_are() -> None:
    policy = Policy({"name": "w", "when": {"tokensAbove": 9}, "do": [WINDOW]})
    with pytest.raises(Refused, match=r"'x' is neither .* of w; it has keepLast, tokensAbove"):
        policy.with_value("x", 1)
