"""The theme is remembered, and nothing that goes wrong with that is ever heard of."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxtui.app import CtxtuiApp
from ctxtui.core import Conversation
from ctxtui.files.preferences import (
    FOLDER,
    Preferences,
    load_preferences,
    preferences_file,
    save_preferences,
)
from tests.ui.opening import kept, lines, opened


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep preferences in a folder of this test's own."""
    monkeypatch.setenv(FOLDER, str(tmp_path / "config"))
    return tmp_path


async def test_the_theme_chosen_last_comes_back() -> None:
    app = CtxtuiApp(kept(Conversation()))
    assert app.theme == "ink"
    async with app.run_test() as pilot:
        await pilot.pause()
        app.theme = "paper"
        await pilot.pause()
    assert CtxtuiApp(kept(Conversation())).theme == "paper"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"theme": "no such"}', '{"theme": 5}', "\x00"])
def test_preferences_that_can_not_be_read_are_as_good_as_none(text: str) -> None:
    save_preferences(Preferences("paper"))
    preferences_file().write_text(text, encoding="utf-8")
    app = CtxtuiApp(kept(Conversation()))
    assert (app.theme, app.has_class("-ascii")) == ("ink", False)


async def test_with_ascii_chosen_nothing_else_is_drawn_and_it_is_remembered() -> None:
    async with opened() as (pilot, screen):
        await pilot.app.run_action("ascii")
        await pilot.pause()
        drawn = [lines(screen, name) for name in ("tabs", "status", "ribbon", "raw", "timeline")]
    # The only other signs are in what messages say.
    assert "".join(line for pane in drawn for line in pane).isascii()
    assert CtxtuiApp(kept(Conversation())).has_class("-ascii")


def test_a_folder_that_can_not_be_written_is_no_trouble(folder: Path) -> None:
    (folder / "config").write_text("a file where a folder should be", encoding="utf-8")
    save_preferences(Preferences("paper"))
    assert load_preferences() == Preferences()
