"""What a step does is told in the words it is written in."""

from __future__ import annotations

from typing import Any

import pytest

from ctxtui.core.lessons import read_doing
from ctxtui.lessons.models import OperationWords, operation_words

HI = {"role": "user", "content": "Hi"}


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"operation": "TRUNCATE", "keepLast": 4}, [("TRUNCATE", "keepLast 4")]),
        (
            {"operation": "truncate", "truncate": {"keepLast": 4}},
            [("truncate", "keepLast 4")],
        ),
        (
            {"operation": "batch_start", "indices": [3], "batch": 1},
            [("batch_start", "indices [3], batch 1")],
        ),
        ({"operation": "insert", "data": HI}, [("insert", "data user")]),
        (
            {"operation": "insert", "insert": {"position": -1, "messages": [HI, HI]}},
            [("insert", "position -1, messages user user")],
        ),
        (
            {"operation": "clear", "clear": {"keepSystemMessage": True}},
            [("clear", "keepSystemMessage true")],
        ),
        ({"operation": "INSERT", "position": "x"}, [("INSERT", "position x")]),
        ([{"operation": "UNDO"}, {"operation": "REDO"}], [("UNDO", ""), ("REDO", "")]),
        ([[{"operation": "UNDO"}, 3]], [("UNDO", ""), ("?", "")]),
        (
            {"policy": {"name": "tidy", "do": [{"operation": "TRUNCATE", "keepLast": 1}]}},
            [("POLICY", "tidy")],
        ),
        ({"policy": {"do": [{"operation": "TRUNCATE", "keepLast": 1}]}}, [("POLICY", "")]),
    ],
)
def test_operations_are_told_as_they_are_written(asked: Any, told: Any) -> None:
    assert operation_words(read_doing(asked, "do")) == [OperationWords(*one) for one in told]
