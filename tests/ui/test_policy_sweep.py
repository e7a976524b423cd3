"""A sweep without a screen: what is found out, what is kept, which setting one would ship."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxtui.core import Refused
from ctxtui.core.policies import Policy
from ctxtui.core.policies.simulation import swept
from ctxtui.what_if.models.sweep import PolicySweep, SweepCursor, takes, usual_sweep
from tests.ui.runs import CAREFUL, IDLE, WINDOW, always, compared, found_out

RANGE = "keepLast=4:14:2"


def made(folder: Path, *policies: object, text: str = RANGE) -> PolicySweep:
    """Return a sweep of which everything is known."""
    sweep = PolicySweep(found_out(compared(folder, *policies, conversation=None)))
    sweep.follow()
    sweep.ask(text)
    return all_found(sweep)


def all_found(sweep: PolicySweep) -> PolicySweep:
    for one in sweep.answers(always):
        sweep.take(one)
    return sweep


def test_it_gives_what_the_engine_gives(tmp_path: Path) -> None:
    sweep = made(tmp_path, WINDOW, CAREFUL, IDLE)
    assert [one.name for one in sweep.swept] == ["a", "b"]
    question = sweep.comparison.question
    assert question is not None
    assert sweep.sweep is not None
    policies = [one.policy for one in sweep.swept if one.policy is not None]
    family = swept(question, policies, sweep.sweep)
    assert sweep.family is not None
    assert sweep.family.to_dict() == family.to_dict()
    assert family.recommended is not None
    assert sweep.recommended == (sweep.swept[1].id, family.recommended.value)
    assert sweep.progress == (12, 12)


def test_what_was_sent_is_not_kept_for_every_setting(tmp_path: Path) -> None:
    sweep = made(tmp_path, WINDOW)
    setting = sweep.setting(sweep.keys[0])
    assert setting is not None
    with pytest.raises(Refused, match="not kept"):
        setting.run.at(1)


def test_a_stopped_sweep_goes_on_where_it_was(tmp_path: Path) -> None:
    sweep = PolicySweep(found_out(compared(tmp_path, WINDOW)))
    sweep.follow()
    sweep.ask(RANGE)
    for one in sweep.answers(iter([True, True, False]).__next__):
        sweep.take(one)
    assert sweep.progress == (2, 6)
    assert (sweep.family, sweep.recommended) == (None, None)
    known = [sweep.setting(key) for key in sweep.keys]
    all_found(sweep)
    assert [sweep.setting(key) for key in sweep.keys][:2] == known
    assert sweep.setting(sweep.keys[0]) is known[0]
    assert list(sweep.answers(always)) == []


def test_other_prices_walk_nothing_again_and_other_labels_everything(tmp_path: Path) -> None:
    sweep = made(tmp_path, WINDOW, CAREFUL)
    assert not sweep.follow()
    sweep.comparison.ask_prices("input=3,cached=0.3")
    assert sweep.follow()
    assert sweep.progress == (12, 12)
    assert [one.setting for one in sweep.answers(always)] == [None]
    all_found(sweep)
    setting = sweep.setting(sweep.keys[0])
    assert setting is not None
    assert setting.price == setting.figures.cost
    conversation = sweep.comparison.conversation
    conversation.execute({"operation": "MARK", "indices": [0], "label": "head"})
    again = PolicySweep(found_out(compared(tmp_path, WINDOW, conversation=conversation)))
    again.follow()
    again.ask(RANGE)
    all_found(again)
    again.comparison.ask_must("head")
    assert again.follow()
    assert again.progress == (0, 6)


def test_a_policy_taken_out_takes_its_settings_along(tmp_path: Path) -> None:
    sweep = made(tmp_path, WINDOW, CAREFUL)
    stale = list(PolicySweep(sweep.comparison).answers(always))
    sweep.comparison.take_out()
    assert sweep.follow()
    assert (sweep.progress, stale) == ((6, 6), [])


def test_an_answer_to_an_earlier_question_is_not_taken(tmp_path: Path) -> None:
    sweep = PolicySweep(found_out(compared(tmp_path, WINDOW)))
    sweep.follow()
    sweep.ask(RANGE)
    late = list(sweep.answers(always))
    assert sweep.ask("keepLast=2:4")
    for one in late:
        sweep.take(one)
    assert sweep.progress == (0, 3)
    assert not sweep.ask("keepLast = 2:4:1")


def test_a_name_that_no_policy_knows_is_refused_with_those_there_are(tmp_path: Path) -> None:
    sweep = made(tmp_path, WINDOW, CAREFUL)
    with pytest.raises(Refused, match="keepLast"):
        sweep.ask("window=3:9")
    with pytest.raises(Refused, match="NAME=FIRST:LAST"):
        sweep.ask("keepLast")
    assert str(sweep.sweep) == RANGE


def test_a_sweep_begins_with_what_most_policies_have(tmp_path: Path) -> None:
    careful, window = Policy(CAREFUL), Policy({"parameters": {"k": 60}, "do": WINDOW["do"]})
    assert str(usual_sweep([window, careful])) == "keepLast=1:20:1"
    assert str(usual_sweep([window])) == "k=10:200:10"
    assert usual_sweep([Policy([{"operation": "CLEAR"}])]) is None
    assert usual_sweep([]) is None
    sweep = made(tmp_path, IDLE, text="messagesAbove=1:3")
    assert sweep.sweep is not None
    assert not takes(window, sweep.sweep)


# The cursor


def test_the_cursor_begins_on_the_setting_to_ship(tmp_path: Path) -> None:
    sweep = made(tmp_path, WINDOW, CAREFUL)
    cursor = SweepCursor(sweep)
    assert cursor.is_shipped
    assert cursor.strategy is sweep.swept[1]
    assert cursor.rival is sweep.swept[0]
    assert cursor.setting is not None
    assert cursor.rival_setting is not None
    assert cursor.rival_setting.value == cursor.setting.value
    cursor.move(-99)
    assert (cursor.key, cursor.is_shipped) == ((sweep.swept[1].id, 4), False)
    assert [one.value for one in cursor.neighbours()] == [6]
    cursor.choose(-1)
    cursor.choose(-1)
    assert cursor.key == (sweep.swept[0].id, 4)
    cursor.go_to_value(12)
    cursor.go_to_value(13)
    assert cursor.key == (sweep.swept[0].id, 12)
    assert cursor.to_shipped()
    assert cursor.is_shipped


def test_the_front_is_gone_along(tmp_path: Path) -> None:
    sweep = made(tmp_path, WINDOW, CAREFUL)
    cursor = SweepCursor(sweep)
    cursor.go_to(sweep.keys[0])
    seen = []
    while cursor.next_on_front(1):
        seen.append(cursor.setting)
    assert sweep.family is not None
    rest = [one for one in sweep.family.front if one is not sweep.setting(sweep.keys[0])]
    assert seen == rest
    assert cursor.next_on_front(-1)


def test_nothing_is_fit_to_ship_where_all_fail(tmp_path: Path) -> None:
    cursor = SweepCursor(made(tmp_path, WINDOW))
    assert cursor.sweep.recommended is None
    assert not cursor.to_shipped()
    assert (cursor.key, cursor.rival) == (cursor.sweep.keys[0], None)
    assert SweepCursor(PolicySweep(compared(tmp_path, WINDOW))).key is None
