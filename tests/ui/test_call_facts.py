"""What is told of one call: what is broken and by whom, what is lacking since when, the cache."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.calls.models.sheet import Break
from ctxtui.core.policies import Policy
from ctxtui.core.policies.runs import SimulationConfig, run_of
from ctxtui.core.policies.simulation import run_policy
from ctxtui.what_if.models.comparison import RunFacts
from tests.ui.runs import CAREFUL, IDLE, WINDOW, compared, found_out, run

QUESTION = SimulationConfig.about(run_of(run()))
WALKED = run_policy(QUESTION, Policy(WINDOW))
RULE = 1


def test_an_error_names_its_other_half_and_what_cut_it_off() -> None:
    facts = RunFacts(WALKED)
    broken = [one.call for one in WALKED.figures.per_call if one.errors]
    assert broken
    for call in broken:
        one = facts.at(call)
        assert one.errors == [f for f in one.sent.lint() if f.severity == "error"]
        finding, half = one.errors[0], one.cause
        assert half is not None
        assert half.raw == (finding.raw_index or 0) - 1
        assert half.blame is not None
        assert half.blame.operation is not None
        assert half.blame.operation.sentence() == "TRUNCATE keepLast 5"


def test_a_clean_call_has_nothing_to_tell() -> None:
    one = RunFacts(run_policy(QUESTION, Policy(CAREFUL))).at(9)
    assert (one.errors, one.cause, one.lacked) == ([], None, [])
    assert one.must_sent == [RULE]


@given(st.lists(st.integers(1, len(QUESTION.run.calls)), min_size=1, max_size=12))
def test_the_last_call_that_sent_it_is_found_in_whatever_order_one_asks(calls: list[int]) -> None:
    facts = RunFacts(WALKED)
    for call in calls:
        earlier = range(call - 1, 0, -1)
        slow = next((one for one in earlier if RULE in WALKED.at(one).view), None)
        if RULE not in WALKED.at(call).view:
            assert facts.last_sent(RULE, call) == slow


def test_what_is_lacking_is_shown_with_its_label() -> None:
    facts = RunFacts(WALKED)
    call = next(one.call for one in WALKED.figures.per_call if one.marks_missing)
    (lacked,) = facts.at(call).lacked
    assert (lacked.label, lacked.raw, lacked.last_sent) == ("rule", RULE, call - 1)
    assert lacked.message.text == "Never change the public API."


def test_a_broken_prefix_says_where_and_a_kept_one_nothing() -> None:
    last = len(QUESTION.run.calls)
    call = RunFacts(WALKED).at(last)
    sliding = call.broke
    before, after = WALKED.at(last - 1).view, WALKED.at(last).view
    assert sliding == Break("message", 0, before[0], after[0])
    assert call.broke_by is not None
    idle = RunFacts(run_policy(QUESTION, Policy(IDLE)))
    kinds = [idle.at(number).broke.kind for number in range(1, last + 1)]
    assert kinds == ["first", *["whole"] * (last - 1)]


def test_facts_are_of_the_question_that_is_asked(tmp_path: Path) -> None:
    comparison = found_out(compared(tmp_path, WINDOW))
    comparison.go_to(comparison.calls)
    first = comparison.facts()
    assert first is comparison.facts()
    comparison.ask_prices("input=3")
    second = comparison.facts()
    assert second is first
