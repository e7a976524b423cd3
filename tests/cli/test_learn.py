"""``ctxtui learn``: the list with progress, checking, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ctxtui.app import CtxtuiApp
from ctxtui.cli import learn, main
from ctxtui.lessons.files import (
    LearnerState,
    find_lesson,
    language_of,
    load_learner,
    save_language,
    save_progress,
)
from ctxtui.lessons.models import GivenAnswer, LessonProgress
from tests.lessons.samples import BUNDLED, small
from tests.ui.hostility import HOSTILE

Told = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CTXTUI_CONFIG", str(tmp_path / "config"))
    return tmp_path / "config"


def written(folder: Path, lesson: Any) -> str:
    path = folder / "own.json"
    path.write_text(json.dumps(lesson), encoding="utf-8")
    return str(path)


def test_the_list_has_every_lesson_and_says_how_far_it_was_taken(capsys: Told) -> None:
    save_progress(
        "rollback", LessonProgress("log", answers={"window": GivenAnswer(frozenset({3, 4}))})
    )
    assert main(["learn"]) == 0
    said = capsys.readouterr().out
    for path in BUNDLED:
        assert path.stem in said
    assert "step 5 of 10, 1 of 1 right" in said


def test_the_list_can_be_had_in_chinese(capsys: Told) -> None:
    assert main(["learn", "--lang", "zh"]) == 0
    said = capsys.readouterr().out
    assert "回退与被放弃的分支" in said
    assert "ctxtui learn NAME 打开一课" in said


def test_the_list_for_programs(capsys: Told) -> None:
    save_progress("rollback", LessonProgress("home", False, True))
    assert main(["learn", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["language"] == "en"
    assert found["problems"] == []
    lessons = {one["name"]: one for one in found["lessons"]}
    assert set(lessons) == {path.stem for path in BUNDLED}
    one = lessons["rollback"]
    assert (one["step"], one["steps"], one["series"]) == (10, 10, "basics")


def test_a_lesson_with_open_questions_is_seen_and_not_done(capsys: Told) -> None:
    answered = {"window": GivenAnswer(frozenset({3, 4})), "log": GivenAnswer(number=6)}
    lesson = find_lesson("rollback").lesson
    asking = [step.id for step in lesson.steps if step.predict]
    everything = GivenAnswer(frozenset({3}), 1, 1)
    for answers, words, told in (
        ({}, "seen, 0 of 7 answered", (0, True, False)),
        (answered, "seen, 2 of 7 answered", (2, True, False)),
        (dict.fromkeys(asking, everything), "done, ", (7, True, True)),
    ):
        save_progress("rollback", LessonProgress("home", False, True, answers))
        assert main(["learn"]) == 0
        (row,) = [one for one in capsys.readouterr().out.splitlines() if " rollback " in one]
        assert words in row
        assert main(["learn", "rollback", "--json"]) == 0
        one = json.loads(capsys.readouterr().out)
        assert (one["answered"], one["seen"], one["done"]) == told
        assert one["questions"] == 7


def test_what_an_earlier_version_called_done_is_seen(config: Path, capsys: Told) -> None:
    old = {"step": "home", "revealed": False, "done": True, "answers": {"window": {"rows": []}}}
    config.mkdir()
    (config / "lessons.json").write_text(json.dumps({"lessons": {"rollback": old}}))
    assert main(["learn", "rollback", "--json"]) == 0
    one = json.loads(capsys.readouterr().out)
    assert (one["answered"], one["asked"], one["seen"], one["done"]) == (0, 0, True, False)


def test_one_lesson_for_programs(capsys: Told) -> None:
    assert main(["learn", "rollback", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["title"] == "Rollback and abandoned branches"


def test_a_right_lesson_passes(tmp_path: Path, capsys: Told) -> None:
    assert main(["learn", "--check", written(tmp_path, small())]) == 0
    assert "every step is as the engine has it" in capsys.readouterr().out


def test_all_bundled_lessons_pass_at_once(capsys: Told) -> None:
    assert main(["learn", "--check", *map(str, BUNDLED)]) == 0


def test_what_is_wrong_is_one_line_each_and_exit_code_1(tmp_path: Path, capsys: Told) -> None:
    def spoil(lesson: Any) -> None:
        lesson["steps"][1]["predict"]["rows"] = [0]
        lesson["steps"][3]["expect"] = {"batch": 7}

    path = written(tmp_path, small(spoil))
    assert main(["learn", "--check", path]) == 1
    assert capsys.readouterr().out.splitlines() == [
        f"{path}: steps[1].predict.rows: rows is [0]; the engine gives [1, 2]",
        f"{path}: steps[3].expect: batch is 0, not 7",
        f"{path}: 2 problems",
    ]


def test_what_is_wrong_for_programs(tmp_path: Path, capsys: Told) -> None:
    path = written(tmp_path, small(lambda lesson: lesson.update(order=-1)))
    assert main(["learn", "--check", path, "--json"]) == 1
    (found,) = json.loads(capsys.readouterr().out)["lessons"]
    assert found["file"] == path
    assert [one["place"] for one in found["problems"]] == ["order"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["nowhere"], "'nowhere' is neither a file nor one of the lessons: "),
        (["--check", "nowhere.json"], "there is no such file"),
        (["rollback", "--check", "x.json"], "a lesson is opened or checked"),
        (["--lang", "de"], "invalid choice: 'de'"),
    ],
)
def test_what_can_not_be_opened_is_one_sentence(given: list[str], said: str, capsys: Told) -> None:
    assert main(["learn", *given]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert len(told.splitlines()) == 1


def test_a_file_that_is_no_json_is_bad_input(tmp_path: Path, capsys: Told) -> None:
    path = tmp_path / "own.json"
    path.write_text("{", encoding="utf-8")
    assert main(["learn", "--check", str(path)]) == 2
    assert main(["learn", str(path)]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_a_file_that_is_no_json_stops_no_other(tmp_path: Path, capsys: Told) -> None:
    bad, wrong = tmp_path / "bad.json", written(tmp_path, small(lambda one: one.update(order=-1)))
    bad.write_text("{", encoding="utf-8")
    given = ["learn", "--check", str(bad), str(tmp_path / "no.json"), wrong, str(BUNDLED[0])]
    assert main(given) == 2
    told = capsys.readouterr()
    assert [str(bad) in told.err, "no.json: there is no such file" in told.err] == [True, True]
    assert len(told.err.splitlines()) == 2
    assert told.out.splitlines() == [
        f"{wrong}: order -1 is below 0; it must be 0 or more",
        f"{wrong}: 1 problem",
        f"{BUNDLED[0]}: every step is as the engine has it",
    ]
    assert main([*given, "--json"]) == 2
    found = json.loads(capsys.readouterr().out)["lessons"]
    assert {Path(one["file"]).name: len(one["problems"]) for one in found} == {
        "bad.json": 1,
        "no.json": 1,
        Path(wrong).name: 1,
        BUNDLED[0].name: 0,
    }


def test_a_lesson_that_can_not_be_read_is_told_with_its_place(tmp_path: Path, capsys: Told) -> None:
    path = written(tmp_path, small(lambda lesson: lesson["steps"][0].update(id="?")))
    assert main(["learn", path]) == 2
    assert "steps[0]: id '?' is not" in capsys.readouterr().err


def test_a_lesson_that_does_not_run_is_refused_before_it_is_played(
    tmp_path: Path, capsys: Told
) -> None:
    ask = {"operation": "ROLLBACK", "targetBatchIndex": 9}
    path = written(tmp_path, small(lambda lesson: lesson["steps"][3].update(do=ask)))
    assert main(["learn", path]) == 2
    assert "steps[3]: do[0]: targetBatchIndex 9 is outside" in capsys.readouterr().err


def test_a_lesson_that_lies_is_not_played_and_one_without_chinese_is(
    tmp_path: Path, capsys: Told
) -> None:
    def lie(lesson: Any) -> None:
        lesson["steps"][1]["predict"]["rows"] = [0]
        lesson["steps"][3]["expect"] = {"batch": 7}

    path = written(tmp_path, small(lie))
    assert main(["learn", path, "--json"]) == 2
    said = capsys.readouterr().err
    assert "rows is [0]; the engine gives [1, 2]; --check lists 1 other problem too" in said
    path = written(tmp_path, small(lambda lesson: lesson.update(title={"en": "Only English"})))
    assert main(["learn", path, "--json", "--lang", "zh"]) == 0
    assert json.loads(capsys.readouterr().out)["title"] == "Only English"


def test_a_lesson_may_start_with_the_messages_of_a_file(tmp_path: Path, capsys: Told) -> None:
    chat = [
        {"role": "system", "content": "s"},
        {"role": "user", "content": "u"},
        {"role": "assistant", "content": "a"},
    ]
    (tmp_path / "chat.json").write_text(json.dumps(chat), encoding="utf-8")
    path = written(
        tmp_path, small(lambda lesson: lesson["start"].update(messages={"file": "chat.json"}))
    )
    assert main(["learn", "--check", path]) == 0
    (tmp_path / "chat.json").unlink()
    assert main(["learn", "--check", path]) == 2
    assert "chat.json: there is no such file" in capsys.readouterr().err


def test_a_lesson_is_no_conversation_and_the_way_to_play_it_is_told(capsys: Told) -> None:
    assert main(["show", str(BUNDLED[0])]) == 2
    assert f"it is a lesson; ctxtui learn {BUNDLED[0]} plays it" in capsys.readouterr().err


def test_hostile_text_is_only_text(tmp_path: Path, capsys: Told) -> None:
    path = written(tmp_path, small(lambda lesson: lesson.update({HOSTILE: 1, "series": HOSTILE})))
    assert main(["learn", "--check", path]) == 1
    assert "\x1b" not in capsys.readouterr().out


def test_the_language_is_what_is_asked_for_chosen_last_or_the_locales(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert language_of(LearnerState()) == "zh"
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    assert language_of(LearnerState()) == "en"
    assert language_of(LearnerState("zh")) == "zh"
    assert language_of(LearnerState("zh"), "en") == "en"


def test_what_is_remembered_survives_whatever_stands_in_its_file(config: Path) -> None:
    assert save_language("zh")
    assert save_progress("one", LessonProgress("a"))
    assert load_learner().language == "zh"
    assert load_learner().of("one") == LessonProgress("a")
    for text in ("", "[]", "{", '{"language": 3, "lessons": []}', '{"lessons": {"one": 3}}'):
        (config / "lessons.json").write_text(text, encoding="utf-8")
        assert load_learner().of("one") == LessonProgress()
        assert load_learner().language == ""


def test_where_nothing_can_be_kept_nothing_breaks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("")
    monkeypatch.setenv("CTXTUI_CONFIG", str(blocked))
    assert not save_progress("one", LessonProgress("a"))
    assert main(["learn"]) == 0


def test_in_a_terminal_the_lessons_are_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[CtxtuiApp] = []
    monkeypatch.setattr(learn, "has_terminal", lambda: True)

    def run(app: CtxtuiApp) -> int:
        started.append(app)
        return 0

    monkeypatch.setattr(learn, "run_app", run)
    assert main(["learn"]) == 0
    assert [app._home for app in started] == ["lessons"]
    assert main(["learn", "--json"]) == 0
    assert len(started) == 1
