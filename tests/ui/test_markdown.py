"""Markdown in the message pane: what each sign of it looks like."""

from __future__ import annotations

from textwrap import dedent

import pytest

from ctxtui.text import markdown
from ctxtui.text.lines import Line, Piece
from ctxtui.text.markdown import markdown_lines

WIDTHS = (1, 2, 3, 7, 20, 80, 300)


def shown(text: str, width: int = 40) -> list[str]:
    """Return what a reader sees, line by line."""
    return ["".join(piece.text for piece in line) for line in markdown_lines(text, width)]


def kinds(text: str, width: int = 80) -> list[tuple[str, str]]:
    """Return the pieces of a text of one line."""
    (line,) = markdown_lines(text, width)
    return [(piece.text, piece.kind) for piece in line]


def drawing(text: str) -> list[str]:
    return dedent(text).strip("\n").split("\n")


def test_paragraphs_wrap_at_words_and_keep_their_line_breaks_and_indentation() -> None:
    text = "one two three four\nfive\n    six\n\n\nseven"
    assert shown(text, 10) == ["one two", "three four", "five", "    six", "", "seven"]


def test_spans_have_kinds() -> None:
    assert kinds("a *b* **c** `d` ~~e~~ **f *g* `h`**") == [
        ("a ", "text"),
        ("b", "emphasis"),
        (" ", "text"),
        ("c", "strong"),
        (" ", "text"),
        ("d", "code"),
        (" ", "text"),
        ("e", "struck"),
        (" ", "text"),
        ("f g ", "strong"),
        ("h", "code"),
    ]


def test_a_word_of_several_kinds_is_not_broken_between_them() -> None:
    assert shown("aaaa **bb**cc", 7) == ["aaaa", "bbcc"]


def test_headings_are_bright_and_the_first_level_has_a_rule() -> None:
    assert kinds("## a *b* `c`") == [("a b ", "heading"), ("c", "code")]
    assert markdown_lines("# 漢字", 80) == [[Piece("漢字", "heading")], [Piece("────", "track")]]
    assert shown("Two\nlines\n===") == ["Two", "lines", "─────"]


def test_lists_hang_and_nest() -> None:
    text = """
    Before:
    - one two three four five
      - six
        seven

      eight
    - nine
    """
    assert shown(dedent(text), 19) == drawing("""
    Before:
    • one two three
      four five
      • six
        seven

      eight
    • nine
    """)


def test_numbers_stay_as_written_and_end_in_one_column() -> None:
    assert shown("8. a\n8. b\n10. c") == [" 8. a", " 8. b", "10. c"]
    assert shown("007) a") == ["007) a"]


def test_tasks_show_their_box() -> None:
    assert markdown_lines("- [x] a **b**\n- [ ] c\n- [y] d", 40) == [
        [Piece("[x] ", "ok"), Piece("a ", "text"), Piece("b", "strong")],
        [Piece("[ ] ", "muted"), Piece("c")],
        [Piece("•   ", "muted"), Piece("[y] d")],
    ]
    assert shown("1. [X] a") == ["1. [X] a"]


def test_quotes_have_a_bar_on_every_line() -> None:
    assert shown("> one two three four five\n> > six\n>\n> - seven", 18) == drawing("""
    │ one two three
    │ four five
    │ │ six
    │\x20
    │ • seven
    """)
    assert kinds("> a") == [("│ ", "faint"), ("a", "quote")]


def line_of(line: Line) -> str:
    return "".join(piece.text for piece in line)


def test_code_keeps_its_spaces_and_goes_on_behind_a_sign() -> None:
    text = "```python x=1\nif a:\n\tb = '*c*'\n\nabcdefghijklmnop\n```"
    assert [line_of(line) for line in markdown_lines(text, 16)] == [
        "  python x=1",
        "  1 if a:",
        "  2     b = '*c*",
        "…   '",
        "  3 ",
        "  4 abcdefghijkl",
        "…   mnop",
    ]
    assert Piece("if", "syntax") in markdown_lines(text, 16)[1]
    assert [line_of(line) for line in markdown_lines("```\n\ta\n```", 16)] == ["      a"]
    assert shown("a\n\n    b\n      c") == ["a", "", "  b", "    c"]
    assert shown("~~~\nnever closed\n\n> a") == ["  never closed", "", "  > a"]


def test_links_and_images_are_text_with_an_address() -> None:
    assert kinds("[a *b*](x:y 't') c") == [
        ("a b", "link"),
        (' (x:y "t")', "faint"),
        (" c", "text"),
    ]
    assert shown("[](u) [v]() <http://w.x> <a@b.cd>") == ["(u) v () http://w.x a@b.cd"]
    assert shown("[u](javascript:alert(1))") == ["u (javascript:alert(1))"]
    assert shown("[a](<漢 %41>)") == ["a (漢 %41)"]
    assert kinds("![b](c)") == [("image ", "muted"), ("b", "text"), (" (c)", "faint")]
    assert shown("![](c) [![d](e)](f)") == ["image (c) image d (e) (f)"]


def test_what_a_browser_would_hide_is_plain_text() -> None:
    assert shown("<b>x</b> &amp; <!-- y -->") == ["<b>x</b> &amp; <!-- y -->"]
    assert shown("<script>\nz\n</script>") == ["<script>", "z", "</script>"]
    assert shown("[a]: /b 'c'\n[d]: /e\n\n[f][a]") == ["[a]: /b 'c'", "[d]: /e", "", "[f][a]"]


def test_a_rule_is_as_wide_as_the_pane() -> None:
    assert markdown_lines("a\n\n***", 7) == [[Piece("a")], [], [Piece("─" * 7, "track")]]


TABLE = r"""
| Name | Size | What |
|:-----|-----:|:----:|
| `a\|b` | 12 | one two three four |
| 漢字 | 3 | five |
| x |
"""


def test_a_table_is_aligned() -> None:
    assert [line.rstrip() for line in shown(TABLE, 60)] == drawing("""
    Name  Size         What
    ────  ────  ──────────────────
    a|b     12  one two three four
    漢字     3         five
    x
    """)
    assert markdown_lines(TABLE, 60)[0][0] == Piece("Name", "strong")
    assert markdown_lines(TABLE, 60)[2][0] == Piece("a|b", "code")


def test_cells_wrap_where_a_table_is_too_wide() -> None:
    assert [line.rstrip() for line in shown(TABLE, 22)] == drawing("""
    Name  Size     What
    ────  ────  ──────────
    a|b     12   one two
                three four
    漢字     3     five
    x
    """)


def test_a_table_without_room_is_told_row_by_row() -> None:
    assert shown(TABLE, 17)[:9] == drawing("""
    Name  Size  What

    Name: a|b
    Size: 12
    What: one two
    three four

    Name: 漢字
    Size: 3
    """)


def test_a_table_with_cells_beyond_its_head_is_shown_as_it_is() -> None:
    for width in (60, 10):
        assert "six" in " ".join(shown("a|b\n-|-\n1|2|six", width))


@pytest.mark.parametrize("text", ["#", "```", ">", "[]()", "\\", "---\n#"])
def test_what_would_show_nothing_is_shown_as_it_is(text: str) -> None:
    assert "".join(shown(text)).replace(" ", "")


def test_a_block_that_would_lose_a_letter_is_shown_as_it_is() -> None:
    text = "*a*\n\n[*b*](c&copy;)\n\n*d*"
    assert shown(text) == ["a", "", "[*b*](c&copy;)", "", "d"]


def test_lines_break_between_characters_of_scripts_without_spaces() -> None:
    assert shown("ab 漢字漢字。漢", 9) == ["ab 漢字漢", "字。漢"]
    assert shown("漢字漢「字」", 8) == ["漢字漢", "「字」"]
    assert shown("e\u0301" * 5, 3) == ["e\u0301" * 3, "e\u0301" * 2]
    assert shown("❤\ufe0f" * 3, 5) == ["❤\ufe0f" * 2, "❤\ufe0f"]


def test_every_kind_has_a_name_the_style_sheet_can_know() -> None:
    text = f"# a\n*b* **c** `d` ~~e~~ [f](g)\n> h\n- [x] i\n- j\n***\n{TABLE}\n```k\nl"
    used = {
        piece.kind for width in WIDTHS for line in markdown_lines(text, width) for piece in line
    }
    own = {"emphasis", "strong", "code", "heading", "quote", "link"}
    assert used == {"text", "faint", "muted", "struck", "track", "ok", *own}


def test_a_text_is_parsed_once_for_all_widths(monkeypatch: pytest.MonkeyPatch) -> None:
    markdown_lines("parsed *once*", 10)
    monkeypatch.setattr(markdown, "_parser", None)
    assert markdown_lines("parsed *once*", 20) == [[Piece("parsed "), Piece("once", "emphasis")]]
