"""A policy that can't be read is refused with the field, the value and what could stand there."""

from __future__ import annotations

from typing import Any

import pytest

from ctxtui.core.policies import Policy
from ctxtui.core.policies.policy import Sweep
from tests.core.samples import Data, facts, refusal

WINDOW: Data = {"operation": "TRUNCATE", "keepLast": 2}
UNKNOWN: Data = {"operation": "TRUNCATE", "keepLast": "$c"}
JSON = "a JSON value (text, number, true, false, null, list, object)"
STAGE = "when, do, lasting, on, again, ensures, giveUp, provider"
CLEARING = "description, keepRoles, keepMarks, keepSystemMessage"
TOLD: Data = {"operation": "CLEAR", "summary": {"template": "x"}}


@pytest.mark.parametrize(
    ("policy", "field", "value", "legal"),
    [
        (
            {"parameters": 3, "do": [WINDOW]},
            *("parameters", 3, "an object of names and numbers"),
        ),
        ({"name": "x"}, "do", None, "do or stages"),
        ({"do": []}, "stages[0].do", [], "one or more"),
        ({"do": 7}, "stages[0].do", 7, "a list of operations"),
        (
            {"stages": [7]},
            *("stages[0].stage", 7, "an object with do, and when if it isn't always due"),
        ),
        ({"stages": [{"do": [WINDOW], "whem": {}}]}, "stages[0].whem", {}, STAGE),
        ({"parameters": {"a": 1, "b": 2}, "do": [UNKNOWN]}, "stages[0].keepLast", "$c", "a, b"),
        ({"do": [TOLD]}, "stages[0].do[0].summary", {"template": "x"}, CLEARING),
        ({"stages": [], "do": [WINDOW]}, "stages", [], "stages, or when and do"),
        ({"do": [WINDOW], "name": 7}, "name", 7, "text"),
        ({"do": [WINDOW], "description": 7}, "description", 7, "text"),
        ({"do": [UNKNOWN]}, "stages[0].keepLast", "$c", "a policy with parameters"),
        (
            {"do": [WINDOW], "wenn": {}},
            *("wenn", {}, f"name, description, parameters, selections, rounds, act, {STAGE}"),
        ),
        (
            {"stages": [{"do": [WINDOW]}], 7: "x"},
            *("7", "x", "name, description, parameters, stages, selections, rounds, act"),
        ),
        ({"do": [WINDOW], "description": {1}}, "description", {1}, JSON),
        ({"do": [{**WINDOW, "keepLast": {1}}]}, "stages", {1}, JSON),
        (
            {"do": [{"operation": "CONFIGURE", "counter": "o200k"}]},
            *("stages[0].do[0].operation", "CONFIGURE", "any operation but CONFIGURE"),
        ),
        (
            {"do": [{"operation": "COMPRESS", "summary": {"role": "bot", "template": "x"}}]},
            *("stages[0].do[0].summary.role", "bot", "one of system, user, assistant, tool"),
        ),
    ],
)
def test_a_bad_policy_is_refused_where_it_is_bad(
    policy: Data, field: str, value: Any, legal: str
) -> None:
    assert facts(refusal(lambda: Policy(policy))) == (field, value, legal)


@pytest.mark.parametrize(
    ("policy", "sentence"),
    [
        ({}, "the policy has neither do nor stages"),
        ([], "stages[0]: do [] holds no operation"),
        (
            {"stages": [{"do": [WINDOW], "whem": {}}]},
            "stages[0]: 'whem' is not a field of a stage; it takes when, do, "
            "lasting, on, again, ensures, giveUp, provider",
        ),
        (
            [{"operation": "CONFIGURE", "counter": "o200k"}],
            "stages[0]: do[0]: CONFIGURE can't be part of a policy: "
            "its calls are evaluated by the settings",
        ),
        (
            {"when": {"everyCalls": "x"}, "do": [WINDOW]},
            "stages[0]: everyCalls 'x' is not a whole number",
        ),
    ],
)
def test_what_is_wrong_with_a_policy_is_said_in_one_sentence(policy: Any, sentence: str) -> None:
    assert str(refusal(lambda: Policy(policy))) == sentence


TYPED = "NAME=FIRST:LAST or NAME=FIRST:LAST:STEP"


@pytest.mark.parametrize(
    ("typed", "field", "value", "legal"),
    [
        ("keep-last=1:2", "sweep", "keep-last", "the name of a parameter or field"),
        ("k=1:9:0", "step", 0, "1 or more"),
        ("k=5:4", "last", 4, "5 or more"),
        ("k=0:1000", "sweep", "1001 settings", "1…1000 settings"),
        ("k=n=1:2", "sweep", "k=n=1:2", TYPED),
        ("k=1:\u20032", "sweep", "k=1:\u20032", TYPED),
    ],
)
def test_a_sweep_that_leads_nowhere_is_refused_by_what_is_wrong_with_it(
    typed: str, field: str, value: Any, legal: str
) -> None:
    assert facts(refusal(lambda: Sweep.read(typed))) == (field, value, legal)


def test_a_policy_without_a_description_is_described_by_its_name() -> None:
    assert Policy({"do": [WINDOW], "name": "window"}).description == "window"
    assert Policy({"do": [WINDOW], "description": "keeps two"}).description == "keeps two"
