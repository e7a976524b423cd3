"""docs/policies.md and docs/agent.md: tables, examples and code are those of the engine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ctxtui.core.policies import Policy
from ctxtui.core.policies.conditions import When
from ctxtui.core.policies.figures import FIGURES, SIGNS
from ctxtui.core.policies.policy import POLICY_KEYS
from ctxtui.core.policies.stages import STAGE_KEYS
from ctxtui.core.values.models import to_camel
from tests.docs.pages import Page, code_in, page

POLICIES, AGENT = page("docs/policies.md"), page("docs/agent.md")


def firsts(found: Page, heading: str) -> list[str]:
    return [name for row in found.table(heading) for name in code_in(row[0])]


def test_the_tables_have_every_key_every_trigger_and_every_figure() -> None:
    assert set(firsts(POLICIES, "key")) == {*POLICY_KEYS, *STAGE_KEYS}
    assert sorted(firsts(POLICIES, "when")) == sorted(map(to_camel, When.model_fields))
    assert firsts(POLICIES, "figure") == list(FIGURES)


def test_every_sign_of_an_expectation_is_told() -> None:
    told = set(code_in(POLICIES.section("As a check").text.split("and a number")[0]))
    assert set(SIGNS) - {"=="} <= told


def test_the_policy_is_one() -> None:
    (example,) = POLICIES.section("A policy").blocks("json")
    policy = Policy.from_dict(json.loads(example))
    assert policy.stages[0].when.messages_above == 80


@pytest.mark.parametrize("place", range(len(AGENT.blocks("python"))))
def test_the_code_for_agents_runs(place: int, tmp_path: Path) -> None:
    code = AGENT.blocks("python")[place]
    exec(compile(code, AGENT.name, "exec"), {"folder": tmp_path})


def test_the_workflow_step_asks_for_figures_there_are() -> None:
    (step,) = POLICIES.section("As a check").blocks("yaml")
    asked = [word.strip("'") for line in step.splitlines() for word in line.split() if "=" in word]
    assert {word.split("<")[0].split("=")[0] for word in asked} <= set(FIGURES)
