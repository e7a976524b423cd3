"""Markdown that means harm, nests without end or makes no sense: it fits and nothing is lost."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich.cells import cell_len

from ctxtui.text.lines import Line
from ctxtui.text.markdown import laid_out, markdown_lines, readable
from ctxtui.text.symbols import printable
from tests.ui.test_markdown import WIDTHS, shown


def fits(lines: list[Line], width: int) -> bool:
    joined = ("".join(piece.text for piece in line) for line in lines)
    return all(cell_len(text) <= width and printable(text) == text for text in joined)


HOSTILE = [
    "\x1b[31mred\x1b]0;t\x07 **\x9b2J** `\x00` [\x1b](\x1b '\x1b')",
    "[a](&#27;[31m '&#x202e;&NewLine;') ![\u202e](&#0;)\n\n```&#27;c&Tab;\nx\x1b",
    "\u202eright\u2066 \u200d\u200b\ufeff | \ud800\n-|-\n\udfff\u2028|\x85",
    "1\r2\r\n3\v4\f5\t6",
    "[/foo] [bold]no[/bold] [@click=app.quit]x[/]",
    "> " * 1_000 + "x",
    ">" * 1_000 + "x\n" + "y",
    "- " * 1_000 + "x",
    "\n".join("  " * i + "- x" for i in range(200)),
    "[" * 1_000 + "x" + "](y)" * 1_000,
    "![" * 20_000,
    "*a **b " * 5_000,
    "`a``b```" * 5_000,
    "|" + "a|" * 500 + "\n|" + "-|" * 500 + "\n" + "|b\n" * 500,
    "x" * 100_000,
    "漢" * 100_001,
    "a" + "\u0301" * 50_000,
    "*\ufe0f" * 500 + "`\u0301\ufe0f`" + "\ufe0f",
    "a|b\n-|-\n" * 500,
    "",
    " \n\t\n",
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_is_harmless_and_fits_every_width(text: str) -> None:
    for width in WIDTHS if len(text) < 10_000 else (1, 80):
        lines = markdown_lines(text, width)
        assert fits(lines, width)
        assert bool(lines) == bool(text.strip())


def test_what_is_nested_too_deep_is_shown_as_it_is() -> None:
    (line,) = shown(">" * 50 + "!\n", 80)
    assert line == "│ " * 20 + ">" * 30 + "!"
    deep = "- " * 30 + "!\n" + "  " * 30 + "?"
    assert shown(f"a\n\n{deep}\n\n# b", 200) == [
        "a",
        "",
        "• " * 10 + "- " * 20 + "!",
        "  " * 10 + "  " * 20 + "?",
        "",
        "b",
        "─",
    ]
    assert shown(">" * 30 + "a\nlazy", 80)[1:] == ["lazy"]


def test_a_very_long_text_is_shown_as_it_is() -> None:
    text = "*a*\n" * 25_001
    assert shown(text)[:2] == ["*a*", "*a*"]


def test_a_parser_that_fails_leaves_plain_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: MarkdownIt, src: str) -> None:
        raise RecursionError

    monkeypatch.setattr(MarkdownIt, "parse", fail)
    assert shown("# never *seen* before", 9) == ["# never", "*seen*", "before"]


def test_a_width_of_nothing_is_a_width_of_one() -> None:
    assert shown("- 漢a", 0) == shown("- 漢a", 1) == ["-", "…", "a"]


WORDS = st.lists(st.from_regex(r"[A-Za-z0-9äñЖ漢か]{1,12}", fullmatch=True), min_size=1, max_size=9)
SENTENCES = WORDS.map(" ".join)
BLOCKS = st.one_of(
    SENTENCES,
    SENTENCES.map("# {}".format),
    st.lists(SENTENCES, min_size=1, max_size=4).map(lambda all: "\n".join(f"- {s}" for s in all)),
    st.lists(SENTENCES, min_size=1, max_size=4).map(lambda all: "\n".join(f"> {s}" for s in all)),
    st.lists(SENTENCES, min_size=1, max_size=4).map(lambda all: "\n".join(f"    {s}" for s in all)),
    st.lists(SENTENCES, max_size=4).map(lambda all: "\n".join(["```", *all, "```"])),
    st.lists(WORDS, min_size=1, max_size=4).map(
        lambda rows: "\n".join(map(" | ".join, [["a", "b"], ["-", "-"], *rows]))
    ),
    SENTENCES.map("[a]: {}".format),
)


@given(st.lists(BLOCKS, max_size=6).map("\n\n".join))
def test_every_word_stays_whole_in_a_wide_pane(text: str) -> None:
    words = Counter(re.findall(r"\w+", text))
    assert words <= Counter(re.findall(r"\w+", "\n".join(shown(text, 300))))


SIGNS = (
    *("# ", "- ", "* ", "12) ", "> ", "```", "~~~", "    ", "\n", "\n\n", "|", "a|b\n-|-\n"),
    *("[", "]", "(", ")", "![", "](", "**", "_", "~~", "`", "\\", "<", ">", "---", "===", "&copy;"),
    *("word", "x1", "漢字", "。", "「", "❤\ufe0f", "e\u0301", "\ufe0f", "\u3000", " ", "\t", "\r"),
    *("\x1b[31m", "\x00", "\u202e", "\ud800", "[x] ", "<http://e.f>", "'t'", "[r]: /u 'T'\n"),
)


@given(st.lists(st.sampled_from(SIGNS), max_size=40).map("".join), st.integers(2, 60))
def test_any_mixture_of_signs_fits_and_loses_no_letter(text: str, width: int) -> None:
    source = readable(text)
    lines = laid_out(source, width)
    assert fits(lines, width)
    output = Counter("".join(piece.text for line in lines for piece in line))
    assert not [char for char in Counter(source) - output if char.isalnum() or char in "␛␀·�"]
