"""Markdown: readable, and no text can break out of its place."""

import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import Conversation
from ctxtui.core.formats import Source, load_all
from ctxtui.core.formats.markdown import Markdown
from tests.core.formats.vectors import FOLDER
from tests.core.message_strategies import beginnings
from tests.core.samples import said

MARKDOWN = Markdown()
HEADING = re.compile(r"^## \d+ · (System|User|Assistant|Tool)$")


def written(*messages: Any, **meta: Any) -> str:
    return str(MARKDOWN.write(Conversation(messages, meta=meta)).data)


def outside(text: str) -> list[str]:
    """Return the lines that are neither quoted nor within a fence."""
    lines: list[str] = []
    fence = ""
    for line in text.split("\n"):
        run = re.match(r"`{3,}", line)
        if fence:
            fence = "" if line == fence else fence
        elif run:
            fence = run[0]
        elif not line.startswith(">"):
            lines.append(line)
    assert not fence
    return lines


def test_a_conversation_is_readable() -> None:
    (talk,) = load_all(Source.of_path(FOLDER / "langchain" / "dumpd.json"))
    text = MARKDOWN.write(talk.conversation).text
    assert text.startswith("## 0 · User\n\n> Read a.txt, then b.txt.  \n\n## 1 · Assistant\n")
    assert "**Thinking**\n\n> Two files.  \n\nSignature: `c2lnbmVk`" in text
    assert '**Call** of `read`, id `toolu_1`\n\n```json\n{\n  "path": "a.txt"\n}\n```' in text
    assert "**Result** of `toolu_1`\n\n> one  " in text


def test_a_title_and_tools_come_first() -> None:
    text = written(said("user", "hi"), title="# a *trip*\n<b>", tools=[{"name": "look"}])
    assert text.startswith('# \\# a \\*trip\\* \\<b\\>\n\n## Tools\n\n```json\n{\n  "name": "look"')


def test_what_markdown_would_hide_is_fenced() -> None:
    assert "````text\n```\n## 1 · User\n````" in written(said("user", "```\n## 1 · User"))
    assert "```text\n<b>tags</b>\n```" in written(said("user", "<b>tags</b>"))
    assert "\\u202e" in written(said("user", "turned \u202e around"))
    assert "*(empty)*" in written(said("user", [{"type": "text", "text": ""}]))


odd_lines = st.sampled_from(
    [
        "## 7 · User",
        "```",
        "````",
        "~~~",
        "<!--",
        "> x",
        "# y",
        "`",
        "",
        " ",
        "---",
        "\x1b[31m",
        "\r",
        "- [ ] a",
        "    code",
        "[a]: b",
        "![i](u)",
        "\u2028## 9 · Tool",
        "�",
        "日本",
        "&lt;",
    ]
)
odd_texts = st.lists(odd_lines, min_size=1, max_size=5).map("\n".join).filter(bool)


@given(st.lists(odd_texts, min_size=1, max_size=3), odd_texts)
def test_no_text_looks_like_a_heading(texts: list[str], name: str) -> None:
    call = {"type": "tool_use", "tool_use": {"id": name, "name": name, "input": {name: texts}}}
    result = {"type": "tool_result", "tool_result": {"tool_use_id": name, "content": name}}
    rows = [said("user", text) for text in texts]
    rows += [said("assistant", [call], id=name), said("tool", [result])]
    text = written(*rows, title=name)
    text.encode()
    found = [line for line in outside(text) if HEADING.match(line)]
    assert len(found) == len(rows)


@given(beginnings)
def test_any_conversation_is_written(messages: list[Any]) -> None:
    talk = Conversation(messages)
    found = [line for line in outside(MARKDOWN.write(talk).text) if HEADING.match(line)]
    assert len(found) == len(talk.visible)
