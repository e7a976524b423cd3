"""A policy that can't be read is refused with the field, the value and what could stand there."""

from __future__ import annotations

from typing import Any

import pytest

from core.policies import Policy
from tests.core.samples import Data, facts, refusal

WINDOW: Data = {"operation": "TRUNCATE", "keepLast": 2}
UNKNOWN: Data = {"operation": "TRUNCATE", "keepLast": "$c"}
TOLD: Data = {"operation": "CLEAR", "summary": {"template": "x"}}


@pytest.mark.parametrize(
    ("policy", "field", "value", "legal"),
    [
        (
            {"parameters": 3, "do": [WINDOW]},
            *("parameters", 3, "an object of names and whole numbers"),
        ),
        ({"name": "x"}, "do", None, "do or stages"),
        ({"do": []}, "stages[0].do", [], "one or more"),
        ({"do": 7}, "stages[0].do", 7, "a list of operations"),
        (
            {"stages": [7]},
            *("stages[0].stage", 7, "an object with do, and when if it isn't always due"),
        ),
        ({"stages": [{"do": [WINDOW], "whem": {}}]}, "stages[0].whem", {}, "when, do"),
        ({"parameters": {"a": 1, "b": 2}, "do": [UNKNOWN]}, "stages[0].keepLast", "$c", "a, b"),
        ({"do": [TOLD]}, "stages[0].do[0].summary", {"template": "x"}, "part of CLEAR"),
        ({"stages": [], "do": [WINDOW]}, "stages", [], "stages, or when and do"),
        ({"do": [WINDOW], "name": 7}, "name", 7, "text"),
        ({"do": [WINDOW], "description": 7}, "description", 7, "text"),
    ],
)
def test_a_bad_policy_is_refused_where_it_is_bad(
    policy: Data, field: str, value: Any, legal: str
) -> None:
    assert facts(refusal(lambda: Policy(policy))) == (field, value, legal)


def test_a_policy_without_a_description_is_described_by_its_name() -> None:
    assert Policy({"do": [WINDOW], "name": "window"}).description == "window"
    assert Policy({"do": [WINDOW], "description": "keeps two"}).description == "keeps two"
