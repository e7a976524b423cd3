"""Hostile, huge and empty conversations: shown, and nothing more."""

from __future__ import annotations

from typing import Any

import pytest

from ctxtui.core import Conversation
from ctxtui.text.lines import wrap
from ctxtui.widgets.styled import Styled
from tests.ui.opening import lines, opened, painted

HOSTILE = [
    "[/foo] [bold]not markup[/bold] [@click=app.quit]x[/]",
    "\x1b[31mred\x1b]0;title\x07 \x9b2J",
    "\u202eright to left\u2066 \u200d\u200b\ufeff",
    "nul\x00 tab\t del\x7f line\nbreak\r\u2028",
    "\ud800 lone surrogate",
    "漢字かな 한국어 👩‍👩‍👧 e\u0301",
    "x" * 1_000_000,
    "漢" * 300_000,
]


async def test_an_empty_conversation_says_so() -> None:
    async with opened(Conversation(), (80, 24)) as (pilot, screen):
        assert lines(screen, "visible")[1].strip() == "No messages yet. a appends the first."
        await pilot.press("1", "j", "G", "enter", "[", "]", "y", "n", "u", "U", "R", "7")
        assert screen.explorer.raw is None


async def test_a_cleared_conversation_says_how_to_get_back_and_offers_what_can_act() -> None:
    conversation = Conversation([{"role": "user", "content": "x"}])
    async with opened(conversation) as (pilot, screen):
        assert "[ ] batch" not in painted(screen)
        screen.change({"operation": "CLEAR"}, "Cleared")
        await pilot.pause()
        said = "Nothing is sent. u undoes, [ looks at batch 0."
        assert lines(screen, "visible")[1].strip() == said
        assert "[ ] batch" in painted(screen)
        keys = lines(screen, "keys")[0]
        assert "append" in keys
        assert "truncate" not in keys


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
async def test_hostile_text_is_shown_and_nothing_more(text: str) -> None:
    conversation = Conversation(
        [
            {"role": "user", "content": text},
            {
                "role": "assistant",
                "content": [
                    {
                        "type": "tool_use",
                        "tool_use": {"id": text[:9], "name": text[:99], "input": [text]},
                    }
                ],
            },
        ],
        meta={"title": text[:50]},
    )
    conversation.execute({"operation": "MARK", "indices": [0], "label": "a [/b] c"})
    conversation.execute({"operation": "DELETE", "indices": [0], "description": text[:60]})
    async with opened(conversation, (100, 30)) as (pilot, screen):
        for key in ("1", "2", "3", "4", "[", "0", "5", "6", "7", "8", "9"):
            await pilot.press(key)
            await pilot.pause()
            for widget in screen.query("LineList, TextPane, LineBox, TabBar"):
                assert isinstance(widget, Styled)
                for y in range(widget.size.height):
                    strip = widget.render_line(y)
                    shown = strip.text
                    assert not any(ord(c) < 32 or 0x7F <= ord(c) < 0xA0 for c in shown)
                    assert not any(0xD800 <= ord(c) < 0xE000 or c in "\u202e\u2066" for c in shown)
                    region = widget.scrollable_content_region if widget.size else widget.size
                    assert strip.cell_length in (region.width, widget.size.width)
        assert pilot.app.is_running


def test_a_message_of_five_megabytes_is_wrapped_without_being_measured() -> None:
    for text in ("x" * 5_000_000, "漢" * 1_500_000, "word " * 1_000_000):
        assert max(map(len, wrap(text, 80)[:100])) <= 80
    assert wrap("a b c", 3) == ["a b", "c"]
    assert wrap("漢字漢", 4) == ["漢字", "漢"]


async def test_a_large_projection_is_linted_in_the_background() -> None:
    orphan: dict[str, Any] = {
        "role": "tool",
        "content": [{"type": "tool_result", "tool_result": {"tool_use_id": "x", "content": "y"}}],
    }
    many: list[dict[str, Any]] = [
        orphan,
        *({"role": "user", "content": str(i)} for i in range(6_000)),
    ]
    async with opened(Conversation(many)) as (pilot, screen):
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert "✖ 1 error" in lines(screen, "status")[0]
        assert "✖ G1" in lines(screen, "visible")[1]
