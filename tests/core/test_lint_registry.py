"""The registry of lint rules: each is declared once, and all there is to know of it is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ctxtui
from ctxtui import core
from ctxtui.core.engine.settings import PROFILES
from ctxtui.core.lint import RULES, profile_rules, rule_named
from tests.core.exchanges import messages
from tests.core.samples import Data, facts, refusal, said, talk

MOST_WORDS = 4


def test_an_id_stands_for_one_rule() -> None:
    ids = [rule.id for rule in RULES]
    assert len(set(ids)) == len(ids)
    assert [rule_named(id) for id in ids] == list(RULES)


def test_every_rule_says_in_a_few_words_of_its_own_what_is_wrong() -> None:
    assert all(0 < len(rule.words.split()) <= MOST_WORDS for rule in RULES)
    assert len({rule.words for rule in RULES}) == len(RULES)
    assert all(rule.check.__doc__ for rule in RULES)


def test_every_rule_has_a_sentence_of_its_own_that_says_why() -> None:
    assert all(rule.why.endswith(".") and "  " not in rule.why for rule in RULES)
    assert len({rule.why for rule in RULES}) == len(RULES)


def test_every_rule_belongs_to_profiles_that_exist() -> None:
    for rule in RULES:
        assert rule.profiles
        assert set(rule.profiles) <= set(PROFILES)


@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_has_its_rules_in_the_order_of_the_registry(profile: str) -> None:
    assert profile_rules(profile) == tuple(rule for rule in RULES if profile in rule.profiles)


def test_an_unknown_rule_or_profile_is_refused_with_the_legal_ones() -> None:
    field, value, legal = facts(refusal(lambda: rule_named("g1")))
    assert (field, value) == ("rule", "g1")
    assert str(legal).startswith("one of G1, G2, ")
    assert refusal(lambda: profile_rules("nobody")).field == "profile"


@given(messages, st.sampled_from(PROFILES))
def test_a_finding_is_no_worse_than_its_rule_and_offers_no_other_repair(
    given: list[Data], profile: str
) -> None:
    for finding in talk(*given).lint(profile):
        rule = rule_named(finding.rule)
        assert rule in profile_rules(profile)
        assert finding.severity in (rule.severity, "warning")
        assert set(finding.repairs) <= set(rule.repairs)


def test_what_leads_stands_before_all_else_about_the_same_place() -> None:
    conversation = talk(said("system", "be brief"), tokenLimit=1)
    told = [finding.rule for finding in conversation.lint("fine-tuning")]
    assert told == ["G9", "G6", "F1", "F3"]
    assert [rule.id for rule in RULES if rule.sort_first] == ["G9"]


def test_nothing_outside_the_registry_knows_a_rule_by_its_id() -> None:
    ids = re.compile(rf"\b(?:{'|'.join(rule.id for rule in RULES)})\b")
    home = Path(core.__path__[0]) / "lint"
    sources = (file for room in (core, ctxtui) for file in Path(room.__path__[0]).rglob("*.py"))
    knowing = {
        file.name
        for file in sources
        if not file.is_relative_to(home) and ids.search(file.read_text("utf-8"))
    }
    assert knowing == set()
