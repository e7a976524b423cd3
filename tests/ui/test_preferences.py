"""The theme is remembered, and nothing that goes wrong with that is ever heard of."""

from __future__ import annotations

from pathlib import Path

import pytest

from core import Conversation
from ctxtui.app import CtxtuiApp
from ctxtui.preferences import FOLDER, load_theme, preferences_file, save_theme


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep preferences in a folder of this test's own."""
    monkeypatch.setenv(FOLDER, str(tmp_path / "config"))
    return tmp_path


async def test_the_theme_chosen_last_comes_back() -> None:
    app = CtxtuiApp(Conversation())
    assert app.theme == "ink"
    async with app.run_test() as pilot:
        await pilot.pause()
        app.theme = "paper"
        await pilot.pause()
    assert CtxtuiApp(Conversation()).theme == "paper"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"theme": "no such"}', '{"theme": 5}', "\x00"])
def test_preferences_that_can_not_be_read_are_as_good_as_none(text: str) -> None:
    save_theme("paper")
    preferences_file().write_text(text, encoding="utf-8")
    assert load_theme({"ink", "paper"}, "ink") == "ink"


def test_a_folder_that_can_not_be_written_is_no_trouble(folder: Path) -> None:
    (folder / "config").write_text("a file where a folder should be", encoding="utf-8")
    save_theme("paper")
    assert load_theme({"ink", "paper"}, "ink") == "ink"
