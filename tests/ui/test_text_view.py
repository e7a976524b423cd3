"""Reading a conversation: the text view, code in colour, images, Markdown found by itself."""

from __future__ import annotations

import base64
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.pilot import Pilot

from ctxtui.app import CtxtuiApp
from ctxtui.core import Conversation
from ctxtui.core.engine.messages import ImagePart, TextPart, ToolResultPart
from ctxtui.inspector.drawing.text_view import ConversationText
from ctxtui.inspector.models.look import Look
from ctxtui.inspector.screen import InspectorScreen
from ctxtui.inspector.text_view import TextView
from ctxtui.text.code import code_lines, language_of
from ctxtui.text.lines import Line
from ctxtui.text.message import looks_like_markdown, part_lines, text_lines
from tests.ui.opening import kept
from tests.ui.test_hostile import HOSTILE

RESULT = "\n".join(f"row {at}" for at in range(40))


def text(line: Line) -> str:
    return "".join(piece.text for piece in line)


def talk() -> Conversation:
    """Return a question, a call with a long result, and an answer."""
    call = {"id": "a", "name": "read", "input": {"path": "x.py"}}
    return Conversation(
        [
            {"role": "user", "content": "What does x.py do?\nTell me in one word."},
            {"role": "assistant", "content": [{"type": "tool_use", "tool_use": call}]},
            {
                "role": "tool",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_result": {"tool_use_id": "a", "content": RESULT},
                    }
                ],
            },
            {"role": "assistant", "content": "Nothing.\n\n" + "word " * 400},
        ]
    )


@asynccontextmanager
async def reading(
    conversation: Conversation, size: tuple[int, int] = (100, 30)
) -> AsyncIterator[tuple[Pilot[str], TextView, InspectorScreen]]:
    app = CtxtuiApp(kept(conversation))
    app.animation_level = "none"
    async with app.run_test(size=size) as pilot:
        await pilot.press("0")
        screen = app.screen
        assert isinstance(screen, InspectorScreen)
        yield pilot, screen.query_one(TextView), screen


# What is drawn


def test_line_breaks_of_a_text_are_line_breaks() -> None:
    assert [text(line) for line in text_lines("one\ntwo\n\n\tthree", 40)] == [
        "one",
        "two",
        "",
        "    three",
    ]
    lines = part_lines(ToolResultPart("a", "one\ntwo"), 40)
    assert [text(line) for line in lines[1:]] == ["one", "two"]


def test_a_tool_result_is_folded_until_it_is_opened() -> None:
    look = Look(talk())
    folded = ConversationText(look, 80, set())
    lines = [text(line) for line in folded.lines]
    assert any(line.startswith("    ▸ 40 lines folded   row 0") for line in lines)
    assert "row 39" not in "".join(lines)
    opened = [text(line).strip() for line in ConversationText(look, 80, {2}).lines]
    assert {"row 0", "row 39"} <= set(opened)


def test_each_message_is_where_the_text_says() -> None:
    whole = ConversationText(Look(talk()), 80, {2})
    for raw, role in enumerate(("user", "assistant", "tool", "assistant")):
        start = whole.start(raw)
        assert start is not None
        assert role in text(whole.lines[start])
        assert whole.at(start) == raw
        assert whole.at(start - 1) == (raw - 1 if raw else None)
    assert whole.start(99) is None


def test_code_keeps_every_character_and_has_colours() -> None:
    code = 'def due(day: int = 28) -> str:\n    # later\n    return "x" + str(day)\n'
    lines = code_lines(code, "python")
    assert "\n".join("".join(piece.text for piece in line) for line in lines) == code
    kinds = {piece.text.strip(): piece.kind for line in lines for piece in line}
    assert kinds["def"] == kinds["return"] == "syntax"
    assert kinds["28"] == kinds["due"] == "syntax-name"
    assert kinds["# later"] == "faint"


@pytest.mark.parametrize("language", ["", "no such language", "python"])
def test_code_of_any_language_keeps_every_character(language: str) -> None:
    for code in (*HOSTILE, "\n\n a\r\n\tb\n"):
        shown = "\n".join(
            "".join(piece.text for piece in line) for line in code_lines(code, language)
        )
        assert len(shown) >= len(code)


@pytest.mark.parametrize(
    ("said", "is_markdown"),
    [
        ("# Title\n\ntext", True),
        ("Some **bold** words", True),
        ("```\ncode\n```", True),
        ("- one\n- two", True),
        ("| a | b |\n|---|---|", True),
        ("A sentence. And 2 * 3 * 4.", False),
        ("-1 is a number\n- and this no list", False),
        ("#hashtag", False),
    ],
)
def test_markdown_is_laid_out_where_it_is_markdown(said: str, is_markdown: bool) -> None:
    assert looks_like_markdown(said) is is_markdown
    marked = "".join(map(text, part_lines(TextPart(said), 60)))
    plain = "".join(map(text, part_lines(TextPart(said), 60, is_markdown=False)))
    assert (marked == plain) is not is_markdown


def test_an_image_says_what_is_known_of_it() -> None:
    head = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 1_280, 806) + b"\0" * 900
    url = "data:image/png;base64," + base64.b64encode(head).decode()
    lines = [text(line) for line in part_lines(ImagePart(url), 80)]
    assert lines == [
        f"▣ image  image/png  1,280 × 806  {len(head)} bytes",
        "  ▲ tokens not counted",
    ]
    told = [text(line) for line in part_lines(ImagePart("https://x.example/cat.jpg?size=2"), 80)]
    assert told[0] == "▣ image  jpg"
    assert told[1] == "  https://x.example/cat.jpg?size=2"
    for odd in ("data:", "data:image/png;base64,%%%", "x", "data:text/plain,hello"):
        assert part_lines(ImagePart(odd), 40)


# Keys


async def test_braces_go_from_message_to_message_and_enter_unfolds() -> None:
    async with reading(talk()) as (pilot, view, screen):
        assert view.has_focus
        await pilot.press("g", "}")
        assert (view.raw, screen.explorer.raw) == (1, 1)
        await pilot.press("}")
        assert view.raw == 2
        before = view.virtual_size.height
        await pilot.press("enter")
        assert view.virtual_size.height > before + 30
        assert view.raw == 2
        await pilot.press("enter", "{")
        assert view.virtual_size.height == before
        assert view.raw == 1


async def test_scrolling_takes_the_message_at_the_top_along() -> None:
    async with reading(talk()) as (pilot, view, screen):
        await pilot.press("g")
        assert view.raw == 0
        await pilot.press("j", "j", "j", "j")
        assert view.raw == screen.explorer.raw == 1


async def test_what_is_searched_for_is_found_in_the_text() -> None:
    async with reading(talk()) as (pilot, view, screen):
        await pilot.press("slash", *"Nothing", "enter")
        assert screen.explorer.views.current == "text"
        assert view.raw == 3
        assert view.finder is not None


async def test_a_label_is_put_on_the_message_at_the_top() -> None:
    async with reading(talk()) as (pilot, _, screen):
        await pilot.press("g", "}", "m", *"good", "enter")
        assert screen.conversation.marks == {"good": [1]}


async def test_a_long_conversation_is_laid_out_in_the_background() -> None:
    made = Conversation([{"role": "user", "content": f"number {at}"} for at in range(300)])
    async with reading(made) as (pilot, view, _):
        await pilot.app.workers.wait_for_complete()
        await pilot.press("G")
        assert view.virtual_size.height == 900


async def test_an_empty_conversation_has_an_empty_text() -> None:
    async with reading(Conversation()) as (pilot, view, _):
        await pilot.press("}", "enter", "j")
        assert view.raw is None


PYTHON = 'import json\n\ndef load(path):\n\treturn json.loads(path.read_text(encoding="utf-8"))\n'


def result(content: str) -> ToolResultPart:
    return ToolResultPart(tool_use_id="c1", content=content)


def test_code_in_a_tool_result_is_wrapped_behind_numbers() -> None:
    drawn = [text(line) for line in part_lines(result(PYTHON), 30)]
    assert drawn[1:] == [
        "  1 import json",
        "  2 ",
        "  3 def load(path):",
        "  4     return json.loads(path",
        '…   .read_text(encoding="utf-8',
        '…   "))',
    ]
    kinds = {piece.kind for line in part_lines(result(PYTHON), 30) for piece in line}
    assert {"syntax", "syntax-name", "faint"} <= kinds


def test_json_in_a_tool_result_has_numbers_too() -> None:
    drawn = [text(line) for line in part_lines(result('{"a": 1, "b": "' + "x" * 30 + '"}'), 30)]
    assert drawn[1:3] == ["  1 {", '  2   "a": 1,']
    assert drawn[4].startswith("…   x")


@pytest.mark.parametrize(
    ("said", "language"),
    [
        (PYTHON, "python"),
        ("diff --git a/x b/x\n@@ -1 +1 @@\n-a\n+b", "diff"),
        ("#!/bin/bash\necho hi", "sh"),
        ("package main\n\nfunc main() {\n}", "go"),
        ("47 passed in 8.06s", ""),
        ("Let us import more tea from China.\nA class of its own (or two).", ""),
        ("     1\timport json\n     2\tdef load(path):\n", ""),
        ("", ""),
    ],
)
def test_only_what_is_code_is_taken_for_code(said: str, language: str) -> None:
    assert language_of(said) == language
