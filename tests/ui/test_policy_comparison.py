"""Policies compared over a run, without a screen: what is found out, chosen and asked anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxtui.core import Conversation, Refused
from ctxtui.core.policies import Policy
from ctxtui.core.policies.runs import SimulationConfig, run_of
from ctxtui.core.policies.simulation import run_policy
from ctxtui.what_if.drawing.strategies import StrategySource
from ctxtui.what_if.models.comparison import StrategyComparison
from tests.ui.runs import CAREFUL, IDLE, REFUSED, WINDOW, compared, found_out, run
from tests.ui.sides import policies


def names(comparison: StrategyComparison) -> list[str]:
    return [one.name for one in comparison.strategies]


def must(comparison: StrategyComparison) -> tuple[str, ...]:
    assert comparison.question is not None
    return comparison.question.required_labels


def letters(comparison: StrategyComparison) -> list[str]:
    return [comparison.letter(one) for one in comparison.strategies]


def test_each_policy_gets_the_figures_of_a_walk(tmp_path: Path) -> None:
    conversation = run()
    comparison = compared(tmp_path, WINDOW, CAREFUL, conversation=conversation)
    asked = comparison.is_pending
    found_out(comparison)
    assert (asked, comparison.is_pending) == (True, False)
    question = SimulationConfig.about(run_of(conversation))
    for strategy, data in zip(comparison.strategies, (WINDOW, CAREFUL), strict=True):
        figures = run_policy(question, Policy(data)).figures
        assert strategy.figures is not None
        assert strategy.figures.per_call == figures.per_call


def test_what_is_known_is_not_found_out_again(tmp_path: Path) -> None:
    comparison = found_out(compared(tmp_path, WINDOW))
    assert list(comparison.answers(lambda: True)) == []


def test_who_is_not_waited_for_stops_soon(tmp_path: Path) -> None:
    comparison = compared(tmp_path, WINDOW, CAREFUL)
    assert list(comparison.answers(lambda: False)) == []
    found_out(comparison, iter([*[True] * 5, False]).__next__)
    assert [one.is_pending for one in comparison.strategies] == [False, True]


def test_the_history_stands_first_where_there_is_one(tmp_path: Path) -> None:
    conversation = run()
    conversation.execute({"operation": "TRUNCATE", "keepLast": 4})
    conversation.append("assistant", "done")
    comparison = found_out(compared(tmp_path, WINDOW, conversation=conversation))
    assert letters(comparison) == ["R", "A"]
    assert names(comparison) == ["(recorded)", "a"]
    comparison.choose(0)
    assert not comparison.take_out()


def test_an_unreadable_policy_says_why_and_the_others_go_on(tmp_path: Path) -> None:
    comparison = found_out(compared(tmp_path, {"stages": []}, WINDOW))
    first, second = comparison.strategies
    assert "stages" in (first.problem or "")
    assert second.figures is not None


def test_a_refused_stage_is_told_for_each_call(tmp_path: Path) -> None:
    comparison = found_out(compared(tmp_path, REFUSED))
    figures = comparison.strategies[0].figures
    assert figures is not None
    assert len(figures.refused) == comparison.calls
    assert "999" in figures.refused[0].reason


def test_nothing_was_asked_of_a_model(tmp_path: Path) -> None:
    quiet = Conversation([{"role": "user", "content": "hi"}])
    comparison = found_out(compared(tmp_path, WINDOW, conversation=quiet))
    assert (comparison.calls, comparison.is_pending, comparison.facts()) == (0, False, None)


# Asking anew


def test_other_prices_need_no_other_walk(tmp_path: Path) -> None:
    comparison = found_out(compared(tmp_path, WINDOW))
    before = comparison.strategies[0].figures
    comparison.ask_prices("input=3,cached=0.3")
    after = comparison.strategies[0].figures
    assert before is not None
    assert after is not None
    assert (before.cost, after.per_call) == (None, before.per_call)
    outside, sent = after.tokens_outside_prefix, after.tokens_sent
    expected = (3 * outside + 0.3 * (sent - outside)) / 1_000_000
    assert after.cost == pytest.approx(expected, abs=1e-6)
    comparison.ask_prices("")
    assert comparison.strategies[0].figures == before
    with pytest.raises(Refused, match="price"):
        comparison.ask_prices("3 dollars")


def test_prices_asked_for_while_it_walks_are_those_that_are_shown(tmp_path: Path) -> None:
    comparison = compared(tmp_path, WINDOW)
    answers = list(comparison.answers(lambda: True))
    comparison.ask_prices("input=3")
    for answer in answers:
        comparison.take(answer)
    assert comparison.strategies[0].figures is not None
    assert comparison.strategies[0].figures.cost is not None


def test_other_labels_are_a_question_of_their_own(tmp_path: Path) -> None:
    conversation = run()
    conversation.execute({"operation": "MARK", "indices": [0], "label": "head"})
    comparison = found_out(compared(tmp_path, WINDOW, CAREFUL, conversation=conversation))
    stale = list(compared(tmp_path, WINDOW, conversation=conversation).answers(lambda: True))
    comparison.ask_must(" head ")
    assert comparison.is_pending
    assert must(comparison) == ("head",)
    for answer in stale:
        comparison.take(answer)
    assert comparison.strategies[0].figures is None
    found_out(comparison)
    with pytest.raises(Refused, match="head, rule"):
        comparison.ask_must("tail")
    comparison.ask_must("")
    assert must(comparison) == ("head", "rule")


# Choosing


def test_what_was_chosen_before_is_what_it_is_compared_with(tmp_path: Path) -> None:
    comparison = found_out(compared(tmp_path, WINDOW, CAREFUL, IDLE))
    assert (comparison.current, comparison.rival) == tuple(comparison.strategies[:2])
    comparison.choose_letter("C")
    assert comparison.rival is comparison.strategies[0]
    comparison.choose(1)
    assert comparison.rival is comparison.strategies[2]
    comparison.choose_letter("Z")
    comparison.choose(99)
    assert comparison.chosen == 2


def test_the_cursor_begins_where_something_fails_and_stays_there(tmp_path: Path) -> None:
    comparison = found_out(compared(tmp_path, WINDOW, IDLE))
    fails = [one.call for one in comparison.per_call if one.fails]
    assert comparison.is_now
    assert comparison.failing(1) == comparison.call == fails[0]
    assert comparison.failing(-1) == fails[-1]
    comparison.turn()
    comparison.choose(1)
    assert comparison.call == fails[0]
    assert comparison.failing(1) is None
    comparison.choose(0)
    assert comparison.failing(1) == fails[1]
    assert comparison.failing(-1) is None
    comparison.go_to(10_000)
    assert comparison.call == comparison.calls
    assert comparison.failing(-1) == max(call for call in fails if call < comparison.calls)


def test_now_follows_the_last_call(tmp_path: Path) -> None:
    comparison = found_out(compared(tmp_path, WINDOW))
    comparison.step(-1)
    assert (comparison.is_now, comparison.call) == (False, comparison.calls)
    comparison.step(1)
    assert (comparison.is_now, comparison.facts()) == (True, None)
    comparison.step(1)
    assert comparison.is_now
    comparison.go_to(1)
    comparison.step(-1)
    assert (comparison.is_now, comparison.call) == (False, 1)


# Now


def test_a_policy_does_now_what_it_does_before_the_next_call(tmp_path: Path) -> None:
    conversation = run()
    conversation.execute({"operation": "REDACT", "indices": [3], "text": "by hand"})
    policies = (WINDOW, IDLE, REFUSED, {"stages": [WINDOW, {"do": [{"operation": "CLEAR"}]}]})
    comparison = found_out(compared(tmp_path, *policies, conversation=conversation))
    _, window, idle, refused, both = comparison.strategies
    assert window.outcome is not None
    assert (window.outcome.messages, len(window.operations)) == (5, 1)
    assert idle.outcome is not None
    assert (idle.outcome.keeps_projection, idle.operations) == (True, ())
    assert "999" in (refused.refusal or "")
    assert [one.title for one in both.operations] == ["TRUNCATE", "CLEAR"]
    again = conversation.copy()
    again.execute(list(both.operations))
    assert both.outcome is not None
    assert len(again.view) == both.outcome.messages == 0


def test_a_recipe_is_tried_now_and_played_over_the_run_when_asked(tmp_path: Path) -> None:
    comparison = found_out(compared(tmp_path, WINDOW["do"]))
    (recipe,) = comparison.strategies
    assert (recipe.is_pending, recipe.figures, comparison.is_pending) == (False, None, False)
    assert recipe.outcome is not None
    assert recipe.outcome.messages == 5
    assert comparison.play()
    assert comparison.is_pending
    assert not comparison.play()
    (policy,) = found_out(comparison).strategies
    assert policy.figures is not None
    question = comparison.question
    assert question is not None
    every = run_policy(question, Policy(WINDOW)).figures.per_call
    assert (policy.name, policy.figures.per_call) == ("a", every)


def test_where_a_policy_acts(tmp_path: Path) -> None:
    comparison = found_out(compared(tmp_path, CAREFUL))
    acts = [one.call for one in comparison.per_call if one.acted]
    comparison.go_to(1)
    assert comparison.acting(1) == acts[0]
    comparison.go_to(comparison.calls)
    assert comparison.acting(-1) == max(call for call in acts if call < comparison.calls)


# Which policies


def test_policies_come_and_go_and_letters_move_up(tmp_path: Path) -> None:
    comparison = found_out(compared(tmp_path, WINDOW, CAREFUL, IDLE))
    assert comparison.take_out()
    assert (names(comparison), letters(comparison)) == (["b", "c"], ["A", "B"])
    comparison.add_policy(Policy(WINDOW, name="again"))
    assert (names(comparison), comparison.chosen) == (["b", "c", "again"], 2)
    comparison.choose(0)
    comparison.add_policy(Policy(WINDOW, name="again"))
    assert (len(comparison.strategies), comparison.chosen) == (3, 2)
    for _ in range(3):
        assert comparison.take_out()
    assert not comparison.take_out()
    assert (comparison.current, comparison.rival) == (None, None)


def test_a_setting_takes_the_place_of_the_setting_before(tmp_path: Path) -> None:
    comparison = found_out(compared(tmp_path, *[WINDOW] * 6))
    assert not comparison.has_room
    comparison.add_policy(Policy(WINDOW, name="one"))
    comparison.add_policy(Policy(WINDOW, name="two"))
    assert names(comparison) == ["a", "b", "c", "d", "e", "two"]


def test_a_run_without_a_call_leaves_no_policy_waiting() -> None:
    asked = Conversation([{"role": "user", "content": "Hello?"}])
    comparison = StrategyComparison(asked, "asked", policies(2))
    assert "walking" in "".join(piece.text for piece in StrategySource(comparison).line(0, 100))
    for answer in comparison.answers(lambda: True):
        comparison.take(answer)
    assert "no call to judge" in "".join(
        piece.text for piece in StrategySource(comparison).line(0, 100)
    )
