"""docs/lint.md has every rule of every profile, and every repair."""

from __future__ import annotations

from typing import get_args

import pytest

from ctxtui.core.bisect import rules_of
from ctxtui.core.engine.settings import PROFILES
from ctxtui.core.lint.projection import RepairKind
from ctxtui.inspector.keys import KEYS_OF_REPAIRS
from tests.docs.pages import code_in, page

LINT = page("docs/lint.md")
RULES = LINT.table("rule")


@pytest.mark.parametrize("profile", PROFILES)
def test_the_table_has_the_rules_of_each_profile(profile: str) -> None:
    told = {rule for rule, whose, *_ in RULES if whose in ("all", profile)}
    assert told == set(rules_of(profile))


def test_every_rule_is_told_once_with_its_severity() -> None:
    assert len({row[0] for row in RULES}) == len(RULES)
    assert {row[1] for row in RULES} - set(PROFILES) == {"all"}
    assert {row[2] for row in RULES} == {"error", "warning"}


def test_the_table_of_repairs_has_their_keys() -> None:
    told = {code_in(row[0])[0]: code_in(row[1])[0] for row in LINT.table("policy")}
    assert told == KEYS_OF_REPAIRS
    assert set(told) == set(get_args(RepairKind))
