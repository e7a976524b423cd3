"""The settings of the app: what is chosen counts at once, is kept, and never breaks anything."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from ctxtui.app import CtxtuiApp
from ctxtui.core import Conversation
from ctxtui.core.engine.settings import Settings
from ctxtui.core.storage import MemoryLibrary
from ctxtui.files.preferences import (
    FOLDER,
    Preferences,
    load_preferences,
    preferences_file,
    read_preference,
    save_preferences,
)
from ctxtui.files.sessions import VARIABLE, library_folder, open_target, started
from ctxtui.library.models.library import make
from ctxtui.library.screen import LibraryScreen
from ctxtui.settings.drawing import preference_lines
from ctxtui.settings.models import preferences_of, shown_value
from ctxtui.settings.screen import SettingsScreen
from ctxtui.theme import THEMES
from tests.ui.opening import TOUR
from tests.ui.test_library import filled, wait


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep preferences in a folder of this test's own, and choose no library."""
    monkeypatch.setenv(FOLDER, str(tmp_path / "config"))
    monkeypatch.delenv(VARIABLE, raising=False)
    return tmp_path


@asynccontextmanager
async def settings() -> AsyncIterator[tuple[Pilot[str], SettingsScreen]]:
    app = CtxtuiApp(library=filled("one"))
    async with app.run_test(size=(120, 36)) as pilot:
        await wait(pilot)
        await pilot.press("comma")
        screen = app.screen
        assert isinstance(screen, SettingsScreen)
        yield pilot, screen


def go_to(screen: SettingsScreen, name: str) -> None:
    target = screen.form.rows[name].target
    screen.set_focus(target)


async def test_a_theme_counts_at_once_and_is_kept() -> None:
    async with settings() as (pilot, screen):
        await pilot.press("right", "right")
        assert pilot.app.theme == "paper"
        assert screen.preferences.theme == "paper"
        assert load_preferences().theme == "paper"
        await pilot.press("left")
        assert pilot.app.theme == "ink"


async def test_a_theme_that_there_is_not_is_not_shown_as_chosen(config: Path) -> None:
    path = config / "config" / "preferences.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text('{"theme": "pink", "is_ascii": true}', encoding="utf-8")
    async with settings() as (pilot, screen):
        assert (pilot.app.theme, screen.preferences.theme) == ("ink", "auto")
        assert screen.preferences.is_ascii


async def test_every_choice_can_be_reached_and_reset() -> None:
    async with settings() as (pilot, screen):
        for row in preferences_of(THEMES):
            if row.choices is None:
                continue
            go_to(screen, row.name)
            values = [choice.value for choice in row.choices()]
            seen = [getattr(screen.preferences, row.name)]
            for _ in values[1:]:
                await pilot.press("right")
                seen.append(getattr(screen.preferences, row.name))
            assert seen == values
            assert getattr(load_preferences(), row.name) == values[-1]
            await pilot.press("backspace")
            assert getattr(load_preferences(), row.name) == getattr(Preferences(), row.name)
            assert screen.form.rows[row.name].value == getattr(Preferences(), row.name)


async def test_symbols_change_every_screen() -> None:
    async with settings() as (pilot, _):
        await pilot.press("down", "right")
        assert pilot.app.has_class("-ascii")
    again = CtxtuiApp(library=MemoryLibrary())
    assert again.has_class("-ascii")


async def test_a_limit_is_typed_and_a_bad_one_stays_to_be_mended() -> None:
    async with settings() as (pilot, screen):
        go_to(screen, "limit")
        await pilot.press(*"12k", "enter")
        row = screen.form.rows["limit"]
        assert screen.form.is_wrong
        assert load_preferences().limit == 0
        row.entry.value = "9" * 5_000  # type: ignore[attr-defined]
        await pilot.press("enter")
        assert screen.form.is_wrong
        row.entry.value = "12"  # type: ignore[attr-defined]
        await pilot.press("end", *"8,000", "enter")
        assert screen.preferences.limit == 128_000
        assert load_preferences().settings.token_limit == 128_000
        assert screen.form.here == "profile"


async def test_what_was_typed_counts_when_the_settings_are_left() -> None:
    async with settings() as (pilot, screen):
        go_to(screen, "limit")
        await pilot.press(*"9,000", "escape")
        assert load_preferences().limit == 9_000
        assert isinstance(pilot.app.screen, LibraryScreen)


async def test_prices_are_refused_with_what_is_legal() -> None:
    async with settings() as (pilot, screen):
        go_to(screen, "prices")
        await pilot.press(*"cheap", "enter")
        assert screen.form.rows["prices"].complaint is not None
        await pilot.press("ctrl+u", *"input=3", "enter")
        assert load_preferences().prices == "input=3"


async def test_the_folder_of_the_library_counts_from_the_next_start(config: Path) -> None:
    other = config / "[/b] elsewhere"
    async with settings() as (pilot, screen):
        go_to(screen, "library")
        await pilot.press(*str(other), "enter")
        assert screen.preferences.library == str(other)
    assert library_folder() == other
    assert library_folder("given") == Path("given")


def test_the_environment_goes_before_what_is_preferred(monkeypatch: pytest.MonkeyPatch) -> None:
    save_preferences(Preferences(library="preferred"))
    monkeypatch.setenv(VARIABLE, "named")
    assert library_folder() == Path("named")


async def test_two_commas_open_the_settings_once_and_close_them() -> None:
    async with settings() as (pilot, _):
        await pilot.press("comma")
        assert isinstance(pilot.app.screen, LibraryScreen)


def test_new_sessions_start_with_what_was_chosen() -> None:
    save_preferences(Preferences(limit=9_000, profile="openai"))
    library = MemoryLibrary()
    made = make(library)
    with library.open(made.made[0]) as session:
        assert session.conversation.settings.token_limit == 9_000
        assert session.conversation.settings.profile == "openai"
        assert session.conversation.undoable is None


def test_a_conversation_that_says_its_own_settings_keeps_them() -> None:
    save_preferences(Preferences(limit=9_000))
    with open_target(MemoryLibrary(), str(TOUR)) as session:
        assert session.conversation.settings.token_limit == 1_000
    own = Conversation(settings={"profile": "gemini"})
    assert started(own) is own


def test_what_was_done_to_a_conversation_is_not_done_differently() -> None:
    save_preferences(Preferences(limit=9_000))
    talk = Conversation([{"role": "user", "content": "hi"}])
    talk.append("assistant", "hello")
    before = list(talk.journal)
    assert started(talk).settings.token_limit == 9_000
    assert list(talk.journal)[:2] == before
    assert talk.journal[-1].operations[0].title == "CONFIGURE"
    assert talk.check() == []


def test_without_a_choice_nothing_is_done() -> None:
    talk = Conversation([{"role": "user", "content": "hi"}])
    assert started(talk) is talk
    assert Preferences().settings == Settings()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("limit", -1),
        ("limit", "many"),
        ("limit", True),
        ("profile", "nobody's"),
        ("counter", "no such"),
        ("is_ascii", "yes"),
        ("prices", "cheap"),
        ("library", 7),
    ],
)
def test_one_bad_value_in_the_file_leaves_the_others(name: str, value: object) -> None:
    path = preferences_file()
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"theme": "paper", name: value}), encoding="utf-8")
    assert load_preferences() == Preferences(theme="paper")


def test_a_refused_value_names_what_is_legal() -> None:
    with pytest.raises(Exception, match="generic, openai, anthropic"):
        read_preference("profile", "nobody's")


def test_hostile_values_are_drawn_as_symbols() -> None:
    evil = Preferences(library="[/b]\x1b[2J\u202e漢")
    row = next(one for one in preferences_of(THEMES) if one.name == "library")
    drawn = preference_lines(row.about, [], [shown_value(row, evil)], evil.library, 40)
    text = "".join(piece.text for line in drawn for piece in line)
    assert "\x1b" not in text
    assert "\u202e" not in text
