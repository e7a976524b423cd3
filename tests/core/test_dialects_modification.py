"""The context modification form: its leniency about messages that are hidden already."""

import json
from typing import Any

import pytest

from ctxtui.core import Append, Conversation, Refused
from ctxtui.core.engine.dialects import read_operation

MESSAGE = {"role": "user", "content": "new"}


def talk(size: int = 5) -> Conversation:
    messages = [{"role": "user", "content": f"m{i}"} for i in range(size)]
    return Conversation(messages, clock=lambda: 1)


def without(*hidden: int, size: int = 5) -> Conversation:
    conversation = talk(size)
    conversation.execute({"operation": "DELETE", "indices": list(hidden)})
    return conversation


def refusal(conversation: Conversation, ask: Any) -> Refused:
    """Return how a conversation refuses something, having checked that nothing changed."""
    before = conversation.copy()
    with pytest.raises(Refused) as refused:
        conversation.execute(ask)
    assert conversation == before
    return refused.value


@pytest.mark.parametrize("indices", [None, [], [0], [99, -1]])
def test_insert_appends_wherever_its_indices_point(indices: list[int] | None) -> None:
    conversation = talk()
    named = {} if indices is None else {"indices": indices}
    result = conversation.execute({"operation": "insert", **named, "data": MESSAGE})
    assert conversation.view == [0, 1, 2, 3, 4, 5]
    assert not result.created_batch


def test_insert_takes_one_message_or_a_list() -> None:
    assert read_operation({"operation": "insert", "data": [MESSAGE, MESSAGE]}) == Append(
        messages=[MESSAGE, MESSAGE]
    )


@pytest.mark.parametrize("data", [{}, {"data": None}, {"data": []}, {"data": "text"}])
@pytest.mark.parametrize("name", ["insert", "replace"])
def test_insert_and_replace_need_data(name: str, data: dict[str, Any]) -> None:
    assert refusal(talk(), {"operation": name, "indices": [0], **data}).field == "data"


def test_a_bad_message_in_data_is_named_by_its_place() -> None:
    ask = {"operation": "insert", "data": [MESSAGE, {"role": "robot", "content": "hi"}]}
    assert refusal(talk(), ask).field == "data[1].role"


@pytest.mark.parametrize("name", ["delete", "compress", "replace"])
def test_hidden_messages_are_skipped(name: str) -> None:
    conversation = without(1)
    data = {"data": MESSAGE} if name == "replace" else {}
    conversation.execute({"operation": name, "indices": [1, 2], **data})
    assert conversation.view == ([0, 5, 3, 4] if data else [0, 3, 4])


@pytest.mark.parametrize("name", ["delete", "compress", "replace"])
def test_repeated_indices_are_taken_once(name: str) -> None:
    conversation = talk()
    data = {"data": MESSAGE} if name == "replace" else {}
    conversation.execute({"operation": name, "indices": [2, 1, 2, 1], **data})
    assert conversation.view == ([0, 5, 3, 4] if data else [0, 3, 4])


@pytest.mark.parametrize("name", ["delete", "compress", "replace"])
def test_long_lists_skip_hidden_and_repeated_ones_too(name: str) -> None:
    conversation = without(3, 7, size=20)
    data = {"data": MESSAGE} if name == "replace" else {}
    conversation.execute({"operation": name, "indices": [*range(2, 15), 3, 4, 4], **data})
    assert conversation.view == [0, 1, *([20] if data else []), *range(15, 20)]
    assert conversation.journal[-1].resolved == ((2, 4, 5, 6, *range(8, 15)),)
    assert conversation.check() == []


def test_long_lists_skip_hidden_ones_in_any_order_of_what_is_visible() -> None:
    conversation = without(3, size=20)
    order = [*range(15, 20), 0, 1, 2, *range(4, 10)]
    conversation.execute({"operation": "SELECT", "indices": order})
    conversation.execute({"operation": "delete", "indices": [*range(2, 14), 17]})
    assert conversation.view == [15, 16, 18, 19, 0, 1]
    assert conversation.journal[-1].resolved == ((2, *range(4, 10), 17),)


@pytest.mark.parametrize("name", ["delete", "compress", "replace"])
@pytest.mark.parametrize("bad", [5, -1, 99])
def test_indices_outside_the_log_are_refused(name: str, bad: int) -> None:
    data = {"data": MESSAGE} if name == "replace" else {}
    refused = refusal(without(1), {"operation": name, "indices": [1, 2, bad], **data})
    assert (refused.field, refused.value) == ("indices", bad)


@pytest.mark.parametrize("bad", [1.0, "1", True, None])
def test_indices_are_whole_numbers(bad: object) -> None:
    assert refusal(talk(), {"operation": "delete", "indices": [bad]}).field == "indices"


@pytest.mark.parametrize("name", ["delete", "compress", "replace"])
def test_indices_are_needed(name: str) -> None:
    data = {"data": MESSAGE} if name == "replace" else {}
    assert refusal(talk(), {"operation": name, **data}).field == "indices"


@pytest.mark.parametrize(
    "ask",
    [
        {"operation": "delete", "indices": [1, 3]},
        {"operation": "compress", "indices": [1, 3]},
        {"operation": "compress", "indices": [3, 3], "data": MESSAGE},
    ],
)
def test_hiding_only_hidden_messages_changes_nothing(ask: dict[str, Any]) -> None:
    conversation = without(1, 3)
    before = conversation.copy()
    assert not conversation.execute(ask).created_batch
    assert conversation == before


def test_replace_needs_one_visible_message() -> None:
    ask = {"operation": "replace", "indices": [1, 3], "data": MESSAGE}
    assert refusal(without(1, 3), ask).field == "indices"


def test_a_replacement_stands_where_the_first_standing_message_stood() -> None:
    conversation = talk()
    conversation.execute({"operation": "SELECT", "indices": [4, 3, 2, 1, 0]})
    conversation.execute({"operation": "replace", "indices": [1, 3], "data": [MESSAGE, MESSAGE]})
    assert conversation.view == [4, 5, 6, 2, 0]


def test_the_other_forms_are_strict_about_hidden_and_repeated_messages() -> None:
    for name in ("DELETE", "COMPRESS"):
        assert refusal(without(1), {"operation": name, "indices": [1, 2]}).value == 1
        assert refusal(talk(), {"operation": name, "indices": [2, 2]}).value == 2
        small = name.lower()
        assert refusal(without(1), {"operation": small, small: {"indices": [1]}}).value == 1


@pytest.mark.parametrize("data", [MESSAGE, [MESSAGE], [MESSAGE, MESSAGE]])
def test_compress_takes_its_data_as_the_summary(data: Any) -> None:
    conversation = talk()
    conversation.execute({"operation": "compress", "indices": [1, 2], "data": data})
    count = len(data) if isinstance(data, list) else 1
    assert conversation.view == [0, *range(5, 5 + count), 3, 4]


def test_batch_start_takes_its_boundary_from_indices() -> None:
    conversation = talk()
    conversation.execute({"operation": "batch_start", "indices": [3]})
    assert conversation.view == [3, 4]
    assert conversation.batch.boundary == 3


@pytest.mark.parametrize("ask", [{}, {"indices": []}, {"batch": 1}, {"indices": [], "batch": 1}])
def test_batch_start_without_a_boundary_hides_nothing(ask: dict[str, Any]) -> None:
    conversation = talk()
    assert conversation.execute({"operation": "batch_start", **ask}).created_batch
    assert conversation.view == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("boundary", [-1, 6])
def test_batch_start_outside_the_log_is_refused(boundary: int) -> None:
    refused = refusal(talk(), {"operation": "batch_start", "indices": [boundary]})
    assert (refused.value, refused.legal) == (boundary, "0…5")


def test_batch_start_checks_the_number_it_is_told() -> None:
    conversation = talk()
    conversation.execute({"operation": "batch_start", "indices": [1], "batch": 1})
    conversation.execute({"operation": "batch_start", "indices": [2], "batch": 2})
    assert conversation.mark_map().batch_boundaries == [0, 1, 2]
    for wrong in (2, 4, 0, -1):
        refused = refusal(conversation, {"operation": "batch_start", "batch": wrong})
        assert (refused.field, refused.value, refused.legal) == ("batch", wrong, "3")


@pytest.mark.parametrize("name", ["batch_start", "batch_end"])
def test_the_batch_operations_take_one_number(name: str) -> None:
    assert refusal(talk(), {"operation": name, "indices": [0, 0]}).field == "indices"
    assert refusal(talk(), {"operation": name, "indices": 0}).field == "indices"
    assert refusal(talk(), {"operation": name, "indices": ["0"]}).field == "indices"


@pytest.mark.parametrize(
    "ask",
    [
        {"batch": 1},
        {"indices": [1]},
        {"indices": [], "batch": 1},
        {"indices": [1], "batch": 1},
    ],
)
def test_batch_end_goes_to_the_batch_it_names(ask: dict[str, Any]) -> None:
    conversation = without(1)
    conversation.execute({"operation": "delete", "indices": [2]})
    conversation.execute({"operation": "batch_end", **ask})
    assert conversation.batch.number == 1
    assert conversation.view == [0, 2, 3, 4]


def test_batch_end_without_a_number_is_refused() -> None:
    assert refusal(talk(), {"operation": "batch_end"}).field == "batch"
    assert refusal(talk(), {"operation": "batch_end", "indices": []}).field == "batch"


def test_batch_end_with_two_different_numbers_is_refused() -> None:
    ask = {"operation": "batch_end", "indices": [0], "batch": 1}
    assert refusal(without(1), ask).field == "batch"


def test_a_list_of_modifications_is_one_change() -> None:
    conversation = talk()
    before = conversation.view
    result = conversation.execute(
        [
            {"operation": "delete", "indices": [0]},
            {"operation": "delete", "indices": [0, 1]},
            {"operation": "insert", "indices": [], "data": MESSAGE},
        ]
    )
    assert [step.created_batch for step in result.steps] == [True, True, False]
    assert conversation.view == [2, 3, 4, 5]
    conversation.undo()
    assert conversation.view == before


def test_a_bad_step_of_a_list_is_named_and_nothing_is_applied() -> None:
    ask = [
        {"operation": "delete", "indices": [0]},
        {"operation": "batch_end", "batch": 2},
        {"operation": "delete", "indices": [1]},
    ]
    assert refusal(talk(), ask).step == 1


def test_leniency_survives_the_journal() -> None:
    conversation = without(1)
    conversation.execute({"operation": "delete", "indices": [1, 2, 2]})
    conversation.execute({"operation": "compress", "indices": [2, 3], "data": MESSAGE})
    conversation.execute({"operation": "replace", "indices": [3, 4], "data": MESSAGE})
    conversation.execute({"operation": "batch_start", "indices": [0], "batch": 5})
    conversation.execute({"operation": "batch_end", "indices": [2]})
    journal = json.loads(json.dumps([record.to_dict() for record in conversation.journal]))
    assert Conversation.replay(journal) == conversation
