"""Recipes on disk: listed, saved without ever taking another's place, read or refused."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from ctxtui.core import Conversation, Refused, Truncate
from ctxtui.core.recipes import record_recipe
from ctxtui.files.policies import (
    find_policy,
    list_recipes,
    load_recipe,
    recipes_folder,
    safe_name,
    save_recipe,
)
from ctxtui.files.preferences import FOLDER
from ctxtui.files.samples import samples_folder

WINDOW = Truncate(keep_last=2)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep recipes in a folder of this test's own."""
    monkeypatch.setenv(FOLDER, str(tmp_path / "config"))
    return tmp_path / "config" / "recipes"


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def refusal(path: Path | str) -> str:
    with pytest.raises(Refused) as caught:
        load_recipe(path)
    return str(caught.value)


def test_the_folder_is_made_by_the_first_recipe_that_is_saved(folder: Path) -> None:
    assert recipes_folder() == folder
    assert not folder.exists()
    assert save_recipe("window", [WINDOW]) == folder / "window.json"
    assert names_in(folder) == ["window.json"]


def test_a_recipe_recorded_here_is_read_back_the_same() -> None:
    c = Conversation([{"role": "user", "content": f"m{i}"} for i in range(9)])
    said = {"role": "user", "content": "[/b] \x1b[31m \u202e 标题 \ud800"}
    c.execute(WINDOW)
    c.execute({"operation": "APPEND", "messages": [said]})
    recipe = record_recipe(c, 1, 2)
    assert load_recipe(save_recipe("mine", recipe)) == recipe


def test_bundled_recipes_come_before_recorded_ones_each_by_name() -> None:
    for name in ("b", "A"):
        save_recipe(name, [WINDOW])
    found = list_recipes()
    bundled = sorted(path.stem for path in (samples_folder() / "recipes").glob("*.json"))
    assert bundled
    assert [one.name for one in found] == [*bundled, "A", "b"]
    assert [one.origin for one in found] == ["bundled"] * len(bundled) + ["recorded"] * 2


def test_every_bundled_recipe_can_be_read() -> None:
    for one in list_recipes():
        assert load_recipe(one.path)


def test_what_is_no_recipe_file_is_not_listed(folder: Path) -> None:
    save_recipe("real", [WINDOW])
    (folder / ".hidden.json").write_text("[]", encoding="utf-8")
    (folder / "notes.txt").write_text("", encoding="utf-8")
    (folder / "folder.json").mkdir()
    assert [one.name for one in list_recipes() if one.origin == "recorded"] == ["real"]


def test_a_name_that_is_taken_gets_a_number_and_nothing_is_written_over() -> None:
    first, second, third = (save_recipe("mine", [Truncate(keep_last=i)]) for i in (1, 2, 3))
    assert [one.name for one in (first, second, third)] == [
        "mine.json",
        "mine-2.json",
        "mine-3.json",
    ]
    assert load_recipe(first) == (Truncate(keep_last=1),)
    second.unlink()
    assert save_recipe("mine", [WINDOW]) == second


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("keep last 12", "keep-last-12"),
        ("../../etc/passwd", "etc-passwd"),
        ("C:\\x|y*?", "C-x-y"),
        ("摘要 one", "摘要-one"),
        ("v1.2.json", "v1.2"),
        (".hidden", "hidden"),
        ("\x1b[31m\u202e\ud800", "31m"),
        ("", "recipe"),
        ("///", "recipe"),
        ("x" * 500, "x" * 60),
    ],
)
def test_a_name_becomes_one_that_any_file_may_have(name: str, safe: str) -> None:
    assert safe_name(name) == safe
    path = save_recipe(name, [WINDOW])
    assert path.parent == recipes_folder()
    assert load_recipe(path) == (WINDOW,)


def test_a_recipe_without_operations_is_refused_and_leaves_nothing(folder: Path) -> None:
    with pytest.raises(Refused, match="holds no operation"):
        save_recipe("empty", [])
    assert not folder.exists()


def test_a_folder_that_can_not_be_written_is_named_in_the_refusal(folder: Path) -> None:
    folder.parent.mkdir()
    folder.write_text("a file where a folder should be", encoding="utf-8")
    with pytest.raises(Refused, match="recipes: the recipe can't be saved there"):
        save_recipe("mine", [WINDOW])
    assert [one.origin for one in list_recipes() if one.origin != "bundled"] == []


def test_a_write_that_fails_leaves_no_file_behind(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(Refused, match="No space left"):
        save_recipe("mine", [WINDOW])
    assert names_in(folder) == []


def test_where_a_disk_knows_no_links_names_are_kept_apart_all_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", unknown)
    names = [save_recipe("mine", [Truncate(keep_last=i)]).name for i in (1, 2)]
    assert names == ["mine.json", "mine-2.json"]
    assert load_recipe(folder / "mine.json") == (Truncate(keep_last=1),)
    assert names_in(folder) == ["mine-2.json", "mine.json"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it is not JSON"),
        ("[]", "recipe [] holds no operation"),
        ("{}", "is not a list of operations"),
        ('[{"operation": "EXPLODE"}]', "step 0: 'EXPLODE' is not an operation"),
    ],
)
def test_a_file_that_is_no_recipe_is_refused_by_name(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text, encoding="utf-8")
    assert refusal(path).startswith(f"{path}: ")
    assert why in refusal(path)


def test_what_can_not_be_opened_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.json").endswith("there is no such file")
    assert refusal(tmp_path).endswith("it is a folder, not a file")
    assert "can't be read" in refusal(tmp_path / ("x" * 5_000))
    assert refusal(str(tmp_path / "a\0b"))


def test_a_pipe_is_refused_before_anybody_waits_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    assert refusal(tmp_path / "pipe.json").endswith("it is a pipe, not a file")


def test_a_dash_is_a_file_and_not_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert refusal("-").endswith("/-: there is no such file")
    (tmp_path / "-").write_text(json.dumps([WINDOW.to_dict()]), encoding="utf-8")
    assert load_recipe("-") == (WINDOW,)


def test_a_path_is_found_from_home_or_from_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    wanted = tmp_path / "mine.json"
    for text in ("~/mine.json", " mine.json ", str(wanted)):
        assert find_policy(text) == (wanted, "file")
    with pytest.raises(Refused, match="no such home folder"):
        find_policy("~nobody-of-this-name/x.json")
