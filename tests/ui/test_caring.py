"""Check and squash in the app: what they say, and which session is open afterwards."""

from __future__ import annotations

import pytest

from ctxtui.app import CtxtuiApp
from ctxtui.core import Conversation
from ctxtui.core.formats.warnings import FormatWarning
from ctxtui.core.storage import MemoryLibrary
from ctxtui.inspector.screen import InspectorScreen
from tests.settling import idle
from tests.ui.opening import opened, painted, tour


def notices(app: object) -> str:
    assert isinstance(app, CtxtuiApp)
    return "\n".join(one.text for one in app.toasts)


async def test_check_says_that_all_is_well() -> None:
    async with opened() as (pilot, screen):
        await pilot.app.screen.run_action("check")
        await pilot.pause()
        assert "Every invariant holds. 27 messages" in notices(pilot.app)
        assert screen.is_current


async def test_check_names_what_is_broken_and_no_more_than_a_few(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    broken = [f"sentence {at} [/x]\x1b" for at in range(9)]
    monkeypatch.setattr(Conversation, "check", lambda _: broken)
    async with opened() as (pilot, _):
        await pilot.app.screen.run_action("check")
        await pilot.pause()
        told = notices(pilot.app)
        assert "9 broken invariants" in told
        assert "sentence 2" in told
        assert "sentence 3" not in told
        assert "and 6 more" in told
        assert "\x1b" not in painted(pilot.app.screen)


async def test_squash_opens_a_session_of_what_is_visible_beside_the_old_one() -> None:
    conversation = tour()
    async with opened(conversation) as (pilot, old):
        await pilot.app.screen.run_action("squash")
        await idle(pilot)
        new = pilot.app.screen
        assert isinstance(new, InspectorScreen)
        assert new is not old
        assert old not in pilot.app.screen_stack
        assert new.session.title.endswith("(squashed)")
        assert len(new.conversation.log) == len(conversation.view) == 16
        assert len(conversation.log) == 27
        assert "Squashed: 16 of 27 messages" in notices(pilot.app)


async def test_squash_takes_the_batch_that_is_looked_at_and_keys_go_to_the_new_session() -> None:
    conversation = tour()
    async with opened(conversation) as (pilot, _):
        await pilot.press("[", "[")
        seen = list(pilot.app.screen.look.view)  # type: ignore[attr-defined]
        await pilot.app.screen.run_action("squash")
        await pilot.press("5")
        await idle(pilot)
        new = pilot.app.screen
        assert isinstance(new, InspectorScreen)
        old = [one.metadata["squashedFrom"] for one in new.conversation.log if one.metadata]
        assert old == seen
        assert new.explorer.views.current == "roles"
        assert conversation.batch.number == 3


async def test_the_warnings_of_the_import_are_listed_in_printable_characters() -> None:
    names = ["items.3.payload.text", "[/x]\x1b"]
    warnings = (FormatWarning.of("text-left-out", names, [7], "line"),)
    app = CtxtuiApp(MemoryLibrary().create(tour(), warnings=warnings))
    async with app.run_test(size=(140, 42)) as pilot:
        await pilot.pause()
        await pilot.press("f2")
        await pilot.pause()
        shown = painted(app.screen)
        assert "Warnings of the import" in shown
        assert "text in the file is not in the conversation: items.3.payload.text" in shown
        assert "\x1b" not in shown
        await pilot.press("escape")
        assert isinstance(app.screen, InspectorScreen)


async def test_a_session_without_warnings_says_so() -> None:
    async with opened() as (pilot, _):
        await pilot.press("f2")
        await pilot.pause()
        assert "The whole file was read unchanged." in painted(pilot.app.screen)
