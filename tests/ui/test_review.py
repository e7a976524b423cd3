"""Reviewing: one key for each conversation, and every verdict lands where it was meant."""

from __future__ import annotations

from collections import Counter
from random import Random

from ctxtui.app import CtxtuiApp
from ctxtui.screens.inspector import InspectorScreen
from ctxtui.screens.library import LibraryScreen
from tests.ui.opening import painted
from tests.ui.test_bursts import burst
from tests.ui.test_library import filled, shown, told
from tests.ui.test_library_order import order, press, statuses

KEYS = {"plus": "accepted", "minus": "rejected", "exclamation_mark": "needs work"}


def verdicts(count: int) -> list[str]:
    """Return as many keys, each a verdict."""
    return Random(16).choices(list(KEYS), k=count)


def judged(app: CtxtuiApp) -> list[str]:
    """Return the statuses as the library shows them."""
    screen = next(one for one in app.screen_stack if isinstance(one, LibraryScreen))
    return [entry.status for entry in screen.entries]


async def test_three_hundred_keys_judge_three_hundred_sessions() -> None:
    names = [f"s{number:03}" for number in range(300)]
    library, keys = filled(*names), verdicts(300)
    async with shown(library) as (pilot, app):
        assert order(app) == names
        await burst(pilot, *keys)
        given = [KEYS[key] for key in keys]
        assert [statuses(library)[name] for name in names] == given
        assert judged(app) == given
        assert order(app) == names
        counted = Counter(given)
        assert "300 of 300 reviewed" in painted(app.screen)
        assert f"✓ {counted['accepted']} accepted" in painted(app.screen)
        assert "All 300 are reviewed." in told(pilot)


async def test_in_the_inspector_each_key_judges_what_is_open_and_opens_the_next() -> None:
    names = [f"s{number:02}" for number in range(40)]
    library, keys = filled(*names), verdicts(40)
    async with shown(library) as (pilot, app):
        await burst(pilot, "enter", *keys)
        assert [statuses(library)[name] for name in names] == [KEYS[key] for key in keys]
        assert isinstance(app.screen, InspectorScreen)
        assert app.screen.session.title == names[-1]
        assert "All 40 are reviewed." in told(pilot)
        await press(pilot, "O")
        assert judged(app) == [KEYS[key] for key in keys]
        assert order(app) == names
