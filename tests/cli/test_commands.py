"""The commands that look at a conversation or apply a recipe to it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ctxtui.cli import COMMANDS, RENAMED
from ctxtui.core import Conversation
from ctxtui.core.formats import dump_json, format_named
from tests.cli.conftest import SAMPLES, Run

Write = Callable[[str, Any], Path]
TOUR = SAMPLES / "tour.json"
TRIP = SAMPLES / "trip.openai.json"
RECIPES = sorted((SAMPLES / "recipes").glob("*.json"))


def test_show_prints_the_projection_or_the_log(run: Run) -> None:
    told = run("show", TOUR)
    assert told.code == 0
    assert "  26  system  position 2  15 tokens" in told.out
    assert "raw" not in told.out.splitlines()[-1]
    raw = run("show", TOUR, "--scope", "raw", "--json").data
    assert len(raw) == 32
    assert raw[3]["hiddenBy"]["operation"]["operation"] == "COMPRESS"
    assert raw[16]["hiddenBy"] == "never visible here"
    hidden = raw[10].pop("hiddenBy")
    assert (hidden["operation"]["operation"], hidden["batch"]) == ("TRUNCATE", 5)
    assert raw[10] == {
        "rawIndex": 10,
        "position": None,
        "role": "user",
        "content": "Makes sense. Fix it, and never change the public API: "
        "other teams import upload().",
        "tokens": 21,
        "marks": ["instruction"],
    }
    assert (raw[26]["position"], raw[26]["hiddenBy"]) == (2, None)


def test_show_looks_at_one_batch_or_role(run: Run) -> None:
    assert len(run("show", TOUR, "--batch", "0", "--json").data) == 16
    assert len(run("show", TOUR, "--batch", "#1", "--json").data) == 6
    roles = {one["role"] for one in run("show", TOUR, "--role", "tool", "--json").data}
    assert roles == {"tool"}
    for batch in ("5", "#9", "x", "#", "-1", "9" * 30):
        told = run("show", TOUR, f"--batch={batch}")
        assert told.code == 2
        assert told.err.count("\n") == 1


def test_lint_tells_findings_and_fails_on_errors(run: Run, write: Write) -> None:
    fine = run("lint", TRIP)
    assert fine.code == 0
    assert fine.out == "✓ every rule of generic passes\n"
    gemini = run("lint", TRIP, "--profile", "gemini", "--json")
    assert gemini.code == 1
    assert gemini.data["profile"] == "gemini"
    assert gemini.data["errors"] == 1
    assert gemini.data["findings"][0] == {
        "rule": "M4",
        "severity": "error",
        "rawIndex": 20,
        "position": 20,
        "message": "The last turn is the model's.",
        "repairs": [],
    }
    orphan = json.loads(TRIP.read_text(encoding="utf-8"))[4:]
    told = run("lint", write("cut.json", orphan))
    assert told.code == 1
    assert "✖ G1  position 0, raw 0" in told.out
    assert told.out.splitlines()[-1].startswith("1 error, ")


def test_diff_shows_what_differs_and_where_the_cache_breaks(run: Run) -> None:
    told = run("diff", TOUR, "0", "3")
    assert told.code == 0
    assert "− hidden raw    3, was at    3" in told.out
    assert "+ added  raw   26, is at    2" in told.out
    assert "the first 2 messages (36 tokens) are the same" in told.out
    data = run("diff", TOUR, "0", "#1", "--json").data
    assert data["hidden"] == list(range(12))
    assert data["prefixMessages"] == 0
    assert data["tokens"]["counter"] == "bytes/4"


def test_why_names_the_operation_that_hid_a_message(run: Run) -> None:
    assert run("why", TOUR, "3").out == (
        "raw 3 is hidden by batch 1 COMPRESS 7 messages, summary (#2)\n"
    )
    assert run("why", TOUR, "16").out == (
        "raw 16 is never visible here: it was added on another branch, "
        "in batch #1 keep the last four\n"
    )
    assert run("why", TOUR, "0").out == "raw 0 is visible at position 0\n"
    assert run("why", TOUR, "12", "--json").data["hiddenBy"]["batch"] == 3
    assert run("why", TOUR, "32").code == 2
    assert run("why", TOUR, "no such text").code == 2
    assert run("why", TOUR, "").code == 2


def test_simulate_compares_what_recipes_would_do_now(run: Run) -> None:
    asked = [part for recipe in RECIPES for part in ("--policy", recipe)]
    told = run("simulate", TRIP, *asked)
    assert told.code == 0
    assert [line.split()[0] for line in told.out.splitlines()[-6:]] == [
        "now",
        "(as",
        *[recipe.name for recipe in RECIPES],
    ]
    data = run("simulate", TRIP, *asked, "--json").data["now"]
    assert data["before"]["messages"] == 21
    figures = {one["name"]: one for one in data["recipes"]}
    assert figures["plain-window.json"]["errors"] > 0
    assert figures["sliding-window.json"]["errors"] == 0
    assert figures["token-budget.json"]["tokens"] <= 250
    assert figures["clear-tool-results.json"]["messages"] == 21
    assert set(figures["sliding-window.json"]) == {
        *("name", "ok", "error", "messages", "tokens", "counter", "errors", "warnings"),
        *("marksLost", "prefixMessages", "prefixTokens"),
    }


def test_simulate_fails_when_a_recipe_is_refused_now(run: Run, write: Write) -> None:
    bad = write("bad.json", [{"operation": "DELETE", "indices": [99]}])
    told = run("simulate", TRIP, "--policy", RECIPES[0], bad)
    assert told.code == 1
    assert "✖ bad.json is refused: step 0: indices 99 is outside 0…20" in told.out
    data = run("simulate", TRIP, "--policy", bad, "--json").data["now"]
    assert data["recipes"][0]["ok"] is False
    assert data["recipes"][0]["messages"] is None


def test_apply_prints_the_result_in_the_files_own_format(run: Run) -> None:
    told = run("apply", TRIP, "--ops", SAMPLES / "recipes" / "sliding-window.json")
    assert told.code == 0
    chat = json.loads(told.out)
    assert chat[0]["role"] == "system"
    assert chat[-1]["content"] == "Booked with breakfast: CR-2211."
    assert told.err.splitlines()[-1].startswith("ctxtui: applied 1 operation: ")
    assert "the history is left out" in told.err


def test_apply_writes_the_whole_file_or_nothing(run: Run, write: Write, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    window = SAMPLES / "recipes" / "plain-window.json"
    assert run("apply", TRIP, "--ops", window, "-o", out, "--dry-run").code == 0
    assert not out.exists()
    assert run("apply", TRIP, "--ops", window, "-o", out).code == 0
    assert len(json.loads(out.read_text(encoding="utf-8"))) == 7
    bad = write("bad.json", [{"operation": "CLEAR"}, {"operation": "DELETE", "indices": [1]}])
    before = out.read_bytes()
    told = run("apply", TRIP, "--ops", bad, "-o", out)
    assert told.code == 1
    assert told.out == ""
    assert "step 1: indices 1 is not visible here" in told.err
    assert out.read_bytes() == before
    assert run("apply", TRIP, "--ops", window, "-o", tmp_path / "no" / "out.json").code == 2
    assert {path.name for path in tmp_path.iterdir()} == {"out.json", "bad.json"}


def test_apply_keeps_the_history_of_a_native_conversation(run: Run, tmp_path: Path) -> None:
    c = Conversation([{"role": "user", "content": f"m{i}"} for i in range(12)])
    path = tmp_path / "c.json"
    path.write_text(dump_json(format_named("native").write(c).data), encoding="utf-8")
    window = SAMPLES / "recipes" / "plain-window.json"
    assert run("apply", path, "--ops", window, "-o", path).code == 0
    assert len(run("show", path, "--json").data) == 7
    assert len(run("show", path, "--batch", "0", "--json").data) == 12
    assert run("why", path, "0").out.startswith("raw 0 is hidden by batch 1")


def test_apply_to_a_bare_list_of_messages_gives_one_back(run: Run, write: Write) -> None:
    parts = [{"type": "text", "text": "m"}]
    path = write("list.json", [{"role": "user", "content": parts} for _ in range(9)])
    told = run("apply", path, "--ops", SAMPLES / "recipes" / "plain-window.json")
    assert json.loads(told.out) == [{"role": "user", "content": parts}] * 7
    assert "hidden messages are left out (2)" in told.err


def test_apply_writes_through_a_link_and_to_standard_output(run: Run, tmp_path: Path) -> None:
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_text("old", encoding="utf-8")
    link.symlink_to(real)
    window = SAMPLES / "recipes" / "plain-window.json"
    assert run("apply", TRIP, "--ops", window, "-o", link).code == 0
    assert link.is_symlink()
    assert len(json.loads(real.read_text(encoding="utf-8"))) == 7
    assert len(json.loads(run("apply", TRIP, "--ops", window, "-o", "-").out)) == 7


def test_the_same_recipe_twice_is_two_rows(run: Run) -> None:
    recipe = RECIPES[0]
    data = run("simulate", TRIP, "--policy", recipe, recipe, "--json").data["now"]
    assert [one["name"] for one in data["recipes"]] == [recipe.name] * 2


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.stem)
def test_every_sample_recipe_fits_the_samples(run: Run, recipe: Path) -> None:
    for sample in (TOUR, TRIP):
        assert run("apply", sample, "--ops", recipe, "--dry-run").code == 0


@pytest.mark.parametrize("name", RENAMED)
def test_a_renamed_command_names_the_new_one_and_is_never_taken_for_a_file(
    run: Run, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / name).write_bytes(TRIP.read_bytes())
    monkeypatch.chdir(tmp_path)
    told = run(name, TRIP)
    assert (told.code, told.out, told.err) == (2, "", f"ctxtui: {RENAMED[name]}\n")
    new = re.findall(r"ctxtui (\w+)", RENAMED[name])
    assert set(new) <= {command.name for command in COMMANDS}


@pytest.mark.parametrize("name", RENAMED)
def test_a_renamed_command_names_the_new_one_after_an_option_too(
    run: Run, name: str, tmp_path: Path
) -> None:
    for more in ((), (TRIP,)):
        told = run("--library", tmp_path, name, *more)
        assert (told.code, told.out, told.err) == (2, "", f"ctxtui: {RENAMED[name]}\n")


def test_a_command_after_an_option_is_not_taken_for_a_file(run: Run, tmp_path: Path) -> None:
    for words in (("list",), ("show", TRIP, "--json")):
        told = run("--library", tmp_path, *words)
        name = words[0]
        expected = f"ctxtui: {name} is a command and comes first: ctxtui {name} …\n"
        assert (told.code, told.out, told.err) == (2, "", expected)


def test_the_help_has_every_command_in_its_group_on_one_line(run: Run) -> None:
    lines = run("--help").out.splitlines()
    groups = [line.rstrip(":") for line in lines if re.fullmatch(r"[a-z ]+:", line)]
    assert groups[-6:] == ["look", "try", "record", "library", "data sets", "teach"]
    for command in COMMANDS:
        assert sum(line.split()[:1] == [command.name] for line in lines) == 1
    assert max(len(line) for line in lines if line.startswith("  ")) <= 80
