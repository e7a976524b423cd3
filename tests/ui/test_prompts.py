"""Prompts: a refused answer stays there with the reason, and no letter runs as a command."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input

from ctxtui.core import Conversation
from ctxtui.widgets.prompt import Prompt
from tests.ui.opening import listed, opened, refusal, tour
from tests.ui.test_library import wait

LONG = "x" * 65


@pytest.mark.parametrize(
    ("key", "bad", "why"),
    [
        ("M", "nonsense", "is not two batches of 1…3"),
        (("e", "enter"), "/no/such/folder/x.json", "can't be written"),
        (":", "99999", "raw 99999 is outside 0…26"),
        (":", "#9", "batch 9 is outside 0…3"),
        ("m", LONG, "label"),
        ("&", "*nobody", "'nobody' is outside"),
        ("&", "/(/", "is not a regular expression"),
        ("/", "/(/", "is not a regular expression"),
        ("B", "G99", "G99"),
    ],
)
async def test_a_refused_answer_stays_with_its_reason_and_letters_stay_text(
    key: str | tuple[str, ...], bad: str, why: str
) -> None:
    async with opened() as (pilot, screen):
        before = screen.conversation.copy()
        await pilot.press(*([key] if isinstance(key, str) else key))
        line = screen.query_one("#ask", Input)
        line.value = bad
        line.cursor_position = len(bad)
        await pilot.press("enter")
        await wait(pilot)
        assert why in refusal(screen)
        await pilot.press("c", "u", "d")
        assert (screen.is_current, line.value) == (True, f"{bad}cud")
        assert refusal(screen) == "", "the reason outlives the answer it was about"
        assert screen.conversation == before
        await pilot.press("escape")
        assert not screen.query_one(Prompt).is_open
        assert screen.focused is screen.query_one("#visible")


async def test_an_export_that_fails_can_be_mended(tmp_path: Path) -> None:
    async with opened() as (pilot, screen):
        await pilot.press("e", "enter")
        line = screen.query_one("#ask", Input)
        line.value = str(tmp_path / "missing" / "x.json")
        await pilot.press("enter")
        await wait(pilot)
        assert refusal(screen)
        line.value = str(tmp_path / "x.json")
        await pilot.press("enter")
        await wait(pilot)
        assert (tmp_path / "x.json").exists()
        assert not screen.query_one(Prompt).is_open


async def test_an_answer_goes_where_it_leads_and_the_keys_are_given_back() -> None:
    async with opened() as (pilot, screen):
        await pilot.press(":", "5", "enter", "j")
        assert screen.explorer.raw == 6
        await pilot.press("m", "escape", "j")
        assert screen.explorer.raw == 7


async def test_moving_among_findings_asks_the_engine_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    conversation = tour()
    conversation.execute({"operation": "TRUNCATE", "keepLast": 5})
    results = [
        {
            "role": "tool",
            "content": [
                {"type": "tool_result", "tool_result": {"tool_use_id": f"n{at}", "content": "x"}}
            ],
        }
        for at in range(5)
    ]
    conversation.execute({"operation": "APPEND", "messages": results})
    async with opened(conversation) as (pilot, screen):
        await pilot.press("L")
        await wait(pilot)
        asked = []
        monkeypatch.setattr(Conversation, "preview", lambda *given: asked.append(given))
        await pilot.press("j", "j", "j", "k")
        await wait(pilot)
        assert asked == []
        shown = [screen.query_one("#repairs").render_line(y).text for y in range(6)]
        assert any("→ ✓" in line for line in shown)


# Searching while typing


async def test_what_is_typed_is_counted_and_lit_at_once_and_nothing_moves() -> None:
    async with opened(tour()) as (pilot, screen):
        prompt = screen.explorer.prompt
        before = screen.query_one("#visible").region
        await pilot.press("slash", *"upload")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert screen.query_one("#visible").region == before
        found = sum("upload" in one.search_text.lower() for one in screen.conversation.log)
        assert str(prompt.line.border_subtitle).strip() == f"{found} messages"
        assert screen.explorer.panes.finder is not None
        await pilot.press("Z", "Z", "Z")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert str(prompt.line.border_subtitle).strip() == "nothing found"
        await pilot.press("escape")
        assert screen.explorer.panes.finder is None


async def test_a_pattern_that_is_not_complete_yet_is_no_error() -> None:
    async with opened(tour()) as (pilot, screen):
        await pilot.press("slash", "slash", "(", "slash")
        await pilot.app.workers.wait_for_complete()
        assert str(screen.explorer.prompt.line.border_subtitle) == ""
        assert screen.explorer.prompt.is_open


async def test_up_recalls_earlier_searches_and_labels_are_completed() -> None:
    async with opened(tour()) as (pilot, screen):
        for text in ("tests", "upload"):
            await pilot.press("slash", *text, "enter")
            await pilot.app.workers.wait_for_complete()
        line = screen.explorer.prompt.line
        await pilot.press("slash", "up")
        assert line.value == "upload"
        await pilot.press("up", "up")
        assert line.value == "tests"
        await pilot.press("down", "down")
        assert line.value == ""
        await pilot.press("escape")
        screen.conversation.execute({"operation": "MARK", "indices": [1], "label": "keep"})
        await pilot.press("ampersand", "*", "k", "right", "enter")
        await pilot.app.workers.wait_for_complete()
        assert len(listed(screen, "raw").source) == 1
