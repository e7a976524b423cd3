"""Pictures of what is done to many sessions, each before anything is done, and of the settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from ctxtui.app import CtxtuiApp
from ctxtui.core import Conversation
from ctxtui.core.engine import tokens
from ctxtui.core.storage import MemoryLibrary
from ctxtui.library.bulk import BulkScreen
from ctxtui.library.models.data_set import BY_NAME
from tests.ui.opening import painted
from tests.ui.test_bulk import known
from tests.ui.test_library import wait

Compare = Callable[..., bool]
MAIL = "My mail is kb@mail.example.org, phone +1 202 555 0147. Which one is it?"


def library() -> MemoryLibrary:
    """Return some sessions with something to find in them."""
    ids = iter([letter * 12 for letter in "abcdefgh"])
    times = iter(range(1_000_000_000_000, 1_000_000_900_000, 1_000))
    made = MemoryLibrary(clock=lambda: next(times), ids=lambda: next(ids))
    says = {
        "Warranty after 25 months": MAIL,
        "Warranty, the same again": MAIL,
        "客服：退货流程": "我的邮箱是 li.wei@example.org，请尽快回复。",
        "A photo": "The photo is saved as label@2x.png.",
    }
    for title, text in reversed(says.items()):
        messages: list[Any] = [
            {"role": "system", "content": "You help customers of a parcel service."},
            {"role": "user", "content": text},
            {"role": "assistant", "content": "It is 36 months since May 2023."},
        ]
        talk = Conversation(messages, clock=lambda: 1)
        with made.create(talk, title=title) as session:
            session.describe(status="accepted" if "W" in title else "new")
    return made


@pytest.mark.parametrize(
    ("key", "keys", "fact"),
    [
        ("percent_sign", ["tab"] * 12, "left out: a file name, not an address"),
        (
            "e",
            [*["down"] * 4, *"0.5", *["down"] * 3, "ctrl+u", *"/data/train.jsonl"],
            "duplicates, on one side of the split",
        ),
        ("equals_sign", [], "group 1"),
    ],
    ids=["replace", "export", "alike"],
)
def test_many_sessions(
    key: str, keys: list[str], fact: str, snap_compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    some = {name: BY_NAME[name] for name in ("native", "openai")}  # The picture counts them.
    monkeypatch.setattr("ctxtui.library.models.data_set.BY_NAME", some)
    shown = CtxtuiApp(library=library())
    shown.animation_level = "none"

    async def run_before(pilot: Pilot[str]) -> None:
        await wait(pilot)
        await pilot.press(key)
        await known(pilot)
        await pilot.press(*keys)
        await known(pilot)
        await wait(pilot)
        assert isinstance(pilot.app.screen, BulkScreen)
        assert fact in painted(pilot.app.screen)

    assert snap_compare(shown, terminal_size=(140, 42), run_before=run_before)


def test_settings(snap_compare: Compare, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctxtui.settings.screen.kept_at", lambda: "~/.config/preferences.json")
    # Other tests make counters known.
    monkeypatch.setattr(tokens, "_COUNTERS", {tokens.DEFAULT.name: tokens.DEFAULT})
    shown = CtxtuiApp(library=library())
    shown.animation_level = "none"

    async def run_before(pilot: Pilot[str]) -> None:
        await wait(pilot)
        await pilot.press("comma", "down", "right", "down", "down")
        await wait(pilot)
        assert shown.has_class("-ascii")

    assert snap_compare(shown, terminal_size=(100, 30), run_before=run_before)
