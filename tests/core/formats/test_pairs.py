"""Preference pairs: batches that are siblings, read from one format and written in another."""

from __future__ import annotations

from typing import Any

import pytest

from ctxtui.core import Conversation, Refused, Replace
from ctxtui.core.formats import detect, format_named, load
from ctxtui.core.formats.pairs import sides_of
from ctxtui.core.formats.source import Source
from tests.core.samples import said

ASKED = "Which sheet shows the harbour?"
GOOD, BAD = "Sheet 81 shows the harbour.", "Any of the sheets will do."
EXPLICIT: dict[str, Any] = {
    "prompt": [said("user", ASKED)],
    "chosen": [said("assistant", GOOD)],
    "rejected": [said("assistant", BAD)],
    "score_chosen": 0.9,
    "source": "atlas",
}
WHOLE = {
    "chosen": [said("user", ASKED), said("assistant", GOOD)],
    "rejected": [said("user", ASKED), said("assistant", BAD)],
}


def pair() -> Conversation:
    return load(EXPLICIT).conversation


def test_a_pair_is_two_sibling_batches_of_which_the_chosen_one_is_current() -> None:
    talk = pair()
    assert [(one.number, one.parent, one.description) for one in talk.batches][1:] == [
        (1, 0, "rejected"),
        (1, 0, "chosen"),
    ]
    assert [message.text for message in talk.visible] == [ASKED, GOOD]
    talk.checkout(batch=1)
    assert [message.text for message in talk.visible] == [ASKED, BAD]
    assert talk.meta["preference"] == {
        "chosen": 2,
        "rejected": 1,
        "fields": {"2": {"score_chosen": 0.9}},
    }
    assert talk.meta["fields"] == {"source": "atlas"}


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("trl", EXPLICIT),
        ("trl-implicit", {**WHOLE, "score_chosen": 0.9, "source": "atlas"}),
        (
            "openai-dpo",
            {
                "input": {"messages": EXPLICIT["prompt"]},
                "preferred_output": EXPLICIT["chosen"],
                "non_preferred_output": EXPLICIT["rejected"],
                "score_chosen": 0.9,
            },
        ),
        (
            "llamafactory",
            {
                "conversations": [{"from": "human", "value": ASKED}],
                "chosen": {"from": "gpt", "value": GOOD},
                "rejected": {"from": "gpt", "value": BAD},
                "score_chosen": 0.9,
            },
        ),
    ],
)
def test_a_pair_of_one_format_is_written_in_another(name: str, data: Any) -> None:
    assert format_named(name).write(pair()).data == data


def test_a_changed_answer_is_written_changed() -> None:
    talk = pair()
    talk.execute(Replace(index=1, message=said("assistant", "Sheet 82 does.")))
    written = format_named("trl").write(talk).data
    assert (written["chosen"], written["rejected"]) == (
        [said("assistant", "Sheet 82 does.")],
        EXPLICIT["rejected"],
    )
    talk.checkout(batch=1)
    sides = sides_of(talk)
    assert sides is not None
    assert [message.text for _, message in sides.answers["chosen"]] == ["Sheet 82 does."]


def test_what_has_no_pair_is_written_without_a_rejected_answer_which_is_told() -> None:
    talk = Conversation([said("user", ASKED), said("assistant", GOOD)])
    written = format_named("openai-dpo").write(talk)
    assert written.data["preferred_output"] == [said("assistant", GOOD)]
    assert written.data["non_preferred_output"] == []
    assert "no-rejected-answer" in [warning.code for warning in written.warnings]
    assert format_named("trl").write(talk).data == {
        "prompt": [said("user", ASKED)],
        "completion": [said("assistant", GOOD)],
    }


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (EXPLICIT, "trl"),
        ({**EXPLICIT, "prompt": ASKED}, "trl"),
        (WHOLE, "trl-implicit"),
        ({**WHOLE, "prompt": ASKED}, "trl-implicit"),
        ({"question": ASKED, "answer": GOOD, "id": 3}, "prompt-completion"),
        ({"messages": WHOLE["chosen"], "label": True}, "llamafactory-kto"),
        ({"messages": WHOLE["chosen"], "reward": 0.5}, "openai"),
        ({"input": [said("user", ASKED)], "ideal": GOOD}, "openai-evals"),
    ],
)
def test_rows_are_told_apart_by_what_only_they_have(data: Any, name: str) -> None:
    assert detect(Source.of_data(data)).name == name


def test_rows_with_other_keys_beside_a_question_are_refused() -> None:
    with pytest.raises(Refused):
        detect(Source.of_data([{"question": ASKED, "answer": GOOD, "url": "x"}]))


def test_a_text_is_never_cut_inside_a_word() -> None:
    talk = load({"chosen": "The sheet of Corkonians", "rejected": "The sheet of Corkscrews"})
    assert [message.text for message in talk.conversation.visible] == [
        "The sheet of ",
        "Corkonians",
    ]


def test_the_best_of_several_answers_is_current() -> None:
    completions = [
        {"response": text, "overall_score": score}
        for text, score in (("one", 1), ("two", 9), ("three", 5))
    ]
    talk = load({"instruction": ASKED, "completions": completions}).conversation
    assert [message.text for message in talk.visible] == [ASKED, "two"]
    preference = talk.meta["preference"]
    assert preference["chosen"] == preference["answer 2"]


def test_a_ranked_tree_shows_its_best_branch() -> None:
    row = {"message_tree_id": "a", "tree_state": "x"}
    replies = [
        {"message_id": name, "text": name, "role": "assistant", "rank": rank, "replies": []}
        for name, rank in (("later", 1), ("best", 0))
    ]
    root = {"message_id": "a", "text": ASKED, "role": "prompter", "replies": replies}
    talk = load({**row, "prompt": root}).conversation
    assert [message.text for message in talk.visible] == [ASKED, "best"]
    assert len(talk.log) == 3


def test_only_the_agents_requests_are_calls_in_a_run_with_a_simulated_user() -> None:
    rows = [
        {"role": "user", "content": "hi", "usage": {"prompt_tokens": 400}},
        {"role": "assistant", "content": "hello", "usage": {"prompt_tokens": 900}},
    ]
    data = {"info": {}, "tasks": [], "simulations": [{"task_id": 1, "messages": rows}]}
    talk = load(data).conversation
    (call,) = talk.calls.all
    assert call.usage is not None
    assert call.usage.input == 900
    assert list(talk.at(call.revision).view) == [0]
