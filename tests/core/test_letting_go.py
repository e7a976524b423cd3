"""A refusal that was handled keeps nothing alive: neither the conversation nor what was asked."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from typing import Any

import pytest

from ctxtui.core import Conversation, Refused
from ctxtui.core.scripts import Script

CLEAR = {"operation": "CLEAR"}
ASKS: dict[str, Any] = {
    "a count below 0": {"operation": "TRUNCATE", "keepLast": -1},
    "an unknown field": {"operation": "TRUNCATE", "keep": 1},
    "a missing field": {"operation": "APPEND"},
    "a range within": {"operation": "TRUNCATE", "range": {"start": 5, "end": 1}},
    "a choice within a choice": {"operation": "DELETE", "select": {"positions": {}}},
    "a message": {"operation": "APPEND", "messages": [{"role": "user", "content": ""}]},
    "fields that don't go together": {"operation": "CHECKOUT"},
    "a rule": {"operation": "ROLLBACK", "targetBatchIndex": 9},
    "nothing to undo": {"operation": "UNDO"},
    "a step of a list": [CLEAR, {"operation": "TRUNCATE", "keepLast": -1}],
    "settings": {"operation": "CONFIGURE", "compressionConfig": {"enabled": True}},
}


def is_refused(conversation: Conversation, ask: Any) -> bool:
    """Tell whether an operation is refused; pytest.raises would keep the refusal."""
    for act in (conversation.execute, conversation.preview):
        try:
            act(ask)
        except Refused:
            continue
        return False
    return True


@pytest.fixture(autouse=True)
def _no_collector() -> Iterator[None]:
    """Let nothing go but what nobody refers to any more; cycles would stay."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize("ask", ASKS.values(), ids=ASKS)
def test_a_refused_operation_lets_the_conversation_go(ask: Any) -> None:
    conversation = Conversation([{"role": "user", "content": "x"}])
    kept = weakref.ref(conversation)
    assert is_refused(conversation, ask)
    del conversation
    assert kept() is None


def test_a_script_whose_step_is_refused_lets_its_conversation_go() -> None:
    script = Script.from_dict({"steps": [{**ASKS["a count below 0"], "refused": True}]})
    conversation = script.start()
    assert all(report.ok for report in script.take(conversation))
    kept = weakref.ref(conversation)
    del conversation
    assert kept() is None


def test_a_refusal_tells_of_nothing_behind_it() -> None:
    with pytest.raises(Refused) as caught:
        Conversation().execute(ASKS["a range within"])
    behind = caught.value.__context__
    assert behind is None or isinstance(behind, Refused)
    assert str(caught.value).startswith("range: start 5 is not below end 1")
