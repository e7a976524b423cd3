"""The theme follows the background of the terminal, where that says which it has."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events
from textual.driver import Driver
from textual.drivers.headless_driver import HeadlessDriver
from textual.drivers.linux_driver import LinuxDriver

from ctxtui.app import CtxtuiApp
from ctxtui.core import Conversation
from ctxtui.files.preferences import FOLDER, Preferences, load_preferences, save_preferences
from ctxtui.terminal import ASK, AnswerParser, BackgroundKnown, asking, is_light
from tests.settling import idle
from tests.ui.opening import kept

LIGHT, DARK = "rgb:fafa/f0f0/e6e6", "rgb:0e0e/1111/1818"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path))


@pytest.mark.parametrize(
    ("colour", "expected"),
    [
        (LIGHT, True),
        (DARK, False),
        ("rgb:ff/ff/ff", True),
        ("rgba:0000/0000/0000/ffff", False),
        ("rgb:f/f/0", True),
        ("#ffffff", None),
        ("rgb:", None),
        ("", None),
    ],
)
def test_a_colour_is_light_or_dark(colour: str, expected: bool | None) -> None:
    assert is_light(colour) is expected


def parsed(*chunks: str) -> list[object]:
    """Return the keys and answers in what a terminal sends, chunk by chunk."""
    parser = AnswerParser()
    found = [message for chunk in chunks for message in parser.feed(chunk)]
    return [
        one.key if isinstance(one, events.Key) else getattr(one, "is_light", one) for one in found
    ]


@pytest.mark.parametrize(
    ("chunks", "expected"),
    [
        ((f"\x1b]11;{LIGHT}\x1b\\",), [True]),
        ((f"\x1b]11;{DARK}\x07",), [False]),
        ((f"a\x1b]11;{LIGHT}\x07b",), [True, "a", "b"]),
        (("t\x1b]11;rgb:fafa/f0", "f0/e6e6\x1b", "\\x"), ["t", True, "x"]),
        (("\x1b]1", "1;no colour\x07q"), ["q"]),
        (("j", "k"), ["j", "k"]),
        (("\x1b[A",), ["up"]),
    ],
)
def test_an_answer_is_no_typed_key(chunks: tuple[str, ...], expected: list[object]) -> None:
    assert parsed(*chunks) == expected


def test_only_a_terminal_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    assert asking(HeadlessDriver) is HeadlessDriver
    driver = asking(LinuxDriver)
    assert issubclass(driver, LinuxDriver)
    written: list[str] = []
    monkeypatch.setattr(LinuxDriver, "start_application_mode", lambda _: written.append("start"))
    monkeypatch.setattr(driver, "write", lambda _, text: written.append(text))
    monkeypatch.setattr(driver, "flush", lambda _: None)
    made: Driver = driver.__new__(driver)
    made.start_application_mode()
    assert written == ["start", ASK]


@pytest.mark.parametrize(("theme", "shown"), [("auto", "paper"), ("ink", "ink")])
async def test_the_theme_follows_the_background_unless_one_was_chosen(
    theme: str, shown: str
) -> None:
    save_preferences(Preferences(theme))
    app = CtxtuiApp(kept(Conversation()))
    async with app.run_test() as pilot:
        assert app.theme == "ink"
        app.post_message(BackgroundKnown(is_light=True))
        await idle(pilot)
        assert (app.theme, app.preferences.theme, load_preferences().theme) == (shown, theme, theme)
        app.post_message(BackgroundKnown(is_light=False))
        await idle(pilot)
        assert (app.theme, app.preferences.theme) == ("ink", theme)
