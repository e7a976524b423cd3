"""What is said after a change: the words of the user, and a way back that is one."""

from __future__ import annotations

import pytest

from ctxtui.core import Conversation
from ctxtui.inspector.drawing.changes import change_toast
from tests.core.exchanges import text, use
from tests.core.samples import five, said
from tests.ui.opening import opened
from tests.ui.test_library import told, wait


def test_a_list_that_leaves_the_batch_it_opened_says_where_it_led() -> None:
    c = five()
    result = c.execute(
        [
            {"operation": "TRUNCATE", "keepLast": 2},
            {"operation": "ROLLBACK", "targetBatchIndex": 0},
            {"operation": "APPEND", "messages": [{"role": "user", "content": "hi"}]},
        ]
    )
    assert change_toast(result).text.startswith("3 operations led to batch 0. 5 → 6 messages")


def test_a_list_of_one_operation_that_opens_a_batch_says_so() -> None:
    result = five().execute([{"operation": "TRUNCATE", "keepLast": 2}])
    assert change_toast(result).text.startswith("1 operation opened batch 1. 5 → 2 messages")


@pytest.mark.parametrize(
    ("undone", "word"),
    [
        ({"operation": "CLEAR"}, "Undone: CLEAR. Back in batch 0: 1 → 5 messages"),
        ({"operation": "MARK", "indices": [0], "label": "x"}, "Undone: MARK."),
    ],
)
def test_after_an_undo_the_key_that_redoes_is_named(undone: dict[str, object], word: str) -> None:
    c = five()
    c.execute(undone)
    result = c.undo()
    said = change_toast(result, "Undone", c.redoable).text
    assert said.startswith(word)
    assert "u undoes" not in said
    assert said.endswith("U redoes it.")


async def test_errors_that_an_undo_brings_back_do_not_offer_to_undo() -> None:
    c = Conversation([{"role": "user", "content": "hi"}])
    orphan = {"tool_use_id": "nobody", "content": "x"}
    c.append("tool", [{"type": "tool_result", "tool_result": orphan}])
    c.execute({"operation": "REPAIR", "policy": "drop"})
    async with opened(c) as (pilot, _):
        await pilot.press("u")
        await wait(pilot)
        assert "1 new error" in told(pilot)
        assert "u undoes" not in told(pilot)


def test_redact_names_what_it_keeps() -> None:
    c = Conversation([{"role": "user", "content": "a"}, said("assistant", [text("b"), use("c")])])
    told = change_toast(c.execute({"operation": "REDACT", "indices": [0]})).text
    assert "Kept: ids, and the hidden originals (squash --purge removes those)." in told
    told = change_toast(c.execute({"operation": "REDACT", "indices": [1]})).text
    assert "Kept: 1 tool call with its arguments, ids, and the hidden originals" in told
    named = {"role": "user", "content": "a", "metadata": {"openai": {"name": "Ann"}}}
    told = change_toast(Conversation([named]).execute({"operation": "REDACT", "indices": [0]})).text
    assert "Kept: names, ids, and the hidden originals" in told
