"""The library as it is drawn: rows, head, preview, and what was found, in any width."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from ctxtui.core.curation.catalog import Hit
from ctxtui.core.curation.digest import Digest, MessageStart, RoleFigures, SessionRow
from ctxtui.core.curation.duplicates import Duplicate
from ctxtui.core.formats.warnings import FormatWarning
from ctxtui.core.storage import Entry
from ctxtui.core.storage.folder import new_id
from ctxtui.library.drawing.sessions import (
    NewestUndo,
    RowContext,
    SearchHitSource,
    SessionRowSource,
    ShownSessions,
    alike_lines,
    head_row,
    library_tabs,
    mini_ribbon,
    peek_lines,
    progress_bar,
    review_line,
    session_lines,
    session_row,
    shown_line,
    verdict_lines,
)
from ctxtui.library.models.library import ReviewProgress, SessionOrder, Sort, key_of, sort_rows
from ctxtui.text.lines import Line, Piece

HOSTILE = "[/b] \x1b[31m\x07 \u202e 标题 \ud800 👩\u200d👧 " + "x" * 500
WIDTHS = (1, 8, 20, 40, 60, 76, 94, 130, 198)
DIGEST = Digest(
    "openai",
    "SUAtAUuA",
    (RoleFigures("user", 3, 120), RoleFigures("assistant", 4, 900)),
    "generic",
    2,
    1,
    ("G1", "G7"),
    MessageStart("user", HOSTILE),
    MessageStart("assistant", HOSTILE),
    "p",
    {"mail": 1, "phone": 2},
    False,
    (HOSTILE, "label"),
)


def entry(title: str = "a", **more: object) -> Entry:
    return Entry(new_id(), title, 20, 12, 3, 4_200, "c", ("x",), **more)  # type: ignore[arg-type]


def with_tags(one: SessionRow, *tags: str) -> SessionRow:
    return SessionRow(one.entry._replace(tags=tags), one.digest)


def row(title: str = "a", **more: object) -> SessionRow:
    return SessionRow(entry(title, **more), DIGEST)


def text(line: Line) -> str:
    return "".join(piece.text for piece in line)


def alone(one: SessionRow, width: int = 94) -> str:
    return text(session_row(one, RowContext(None, None, False, 0), width))


@pytest.mark.parametrize("width", WIDTHS)
def test_everything_fits_and_hostile_text_is_shown_as_symbols(width: int) -> None:
    hostile = row(HOSTILE, note=HOSTILE, source=HOSTILE, status="rejected")
    hits = [Hit(hostile.entry.id, raw, HOSTILE, HOSTILE, HOSTILE) for raw in (None, 1, 2)]
    hits.append(Hit(hostile.entry.id, None, HOSTILE, HOSTILE, HOSTILE, HOSTILE))
    known = {hostile.entry.id: hostile}
    lines = [
        *(
            session_row(one, RowContext(hostile, hostile, True, 0), width)
            for one in (hostile, row())
        ),
        head_row(width),
        *(SearchHitSource(hits, known).line(at, width) for at in range(len(hits))),
        review_line(ReviewProgress(120, 27, 7, 3), width),
        shown_line(ShownSessions(3, 9, HOSTILE, 2), width),
        library_tabs("library", HOSTILE, "", 3, width).line,
    ]
    if width >= 20:
        lines += session_lines(hostile, 0, width, replacing=[Piece("%", "key")])
        lines += peek_lines(hostile, width)
        lines += verdict_lines([hostile, row()], NewestUndo("rejected", HOSTILE), width)
    drawn = "".join(map(text, lines))
    assert not set("\x1b\x07\u202e\ud800") & set(drawn)
    assert [text(line) for line in lines if cell_len(text(line)) > max(width, 14)] == []


def test_a_row_tells_what_matters_and_loses_the_least_important_columns_first() -> None:
    one = row("Late delivery", status="needs work")
    assert all(word in alone(one, 160) for word in ("openai", "4.2k", "✖2", "! needs work", "x"))
    assert "openai" not in alone(one, 94)
    assert all(word in alone(one, 94) for word in ("Late delivery", "20", "12", "4.2k", "✖2"))
    assert all(word in alone(one, 60) for word in ("Late delivery", "4.2k", "✖2", "! needs work"))
    assert "! needs work" in alone(one, 40)
    assert "all" in alone(SessionRow(one.entry._replace(visible=20), DIGEST))


def test_titles_have_what_other_columns_have_to_spare() -> None:
    long = "a title of a conversation that is longer than most of them"
    rows = [with_tags(row(title, status="accepted")) for title in (long, "short")]
    drawn = [text(SessionRowSource(rows, 0).line(at, 154)) for at in range(2)]
    assert all(cell_len(one) == 153 for one in drawn)
    assert long in drawn[0]
    assert "openai" in drawn[0]
    blank = [SessionRow(one.entry, DIGEST._replace(format="")) for one in rows[1:]]
    ends = [
        text(SessionRowSource(some, 0).header(154) or []).index("msgs") for some in (rows, blank)
    ]
    assert ends[0] == ends[1]
    short = text(SessionRowSource(rows[1:], 0).line(0, 154))
    assert short.count("▄") + short.count("▁") == 36
    unknown = [SessionRow(one.entry) for one in rows]
    head = text(SessionRowSource(unknown, 0).header(154) or [])
    assert head.index("msgs") - head.index("format") >= 11


def test_personal_data_is_told_in_whole_words() -> None:
    digest = DIGEST._replace(personal={"key": 2, "mail": 3, "phone": 3})
    words = "2 keys, 3 mail addresses, 3 phone numbers"
    for width in (20, 30, 38, 60):
        lines = [text(one).strip() for one in session_lines(SessionRow(entry(), digest), 0, width)]
        at = next(at for at, one in enumerate(lines) if one.startswith("▲ 2 keys"))
        assert " ".join(lines[at : at + 4]).startswith(f"▲ {words}")
    peeks = {
        width: text(peek_lines(SessionRow(entry(), digest), width)[-1]) for width in (80, 60, 40)
    }
    assert f"▲ {words}" in peeks[80]
    assert peeks[60].rstrip().endswith("▲ 2 key, 3 mail, 3 phone")
    assert peeks[40].rstrip().endswith("▲ personal")


def test_the_preview_has_the_warnings_of_the_import_where_there_is_room() -> None:
    warnings = (FormatWarning.of("role-read-as", [f"{HOSTILE} as user"], [0]),)
    one = SessionRow(entry(warnings=warnings), DIGEST)
    drawn = [text(line) for line in session_lines(one, 0, 60)]
    assert "Warnings of the import" in drawn
    assert any("messages were read with another role" in line for line in drawn)
    assert not set("\x1b\x07\u202e\ud800") & set("".join(drawn))
    low = [text(line) for line in session_lines(one, 0, 60, height=12)]
    assert "Warnings of the import" not in low
    assert "Warnings of the import" not in map(text, session_lines(row(), 0, 60))


def test_what_would_be_replaced_is_said_below_personal_data() -> None:
    one = SessionRow(entry(), DIGEST._replace(personal={"mail": 3}))
    said = [Piece("%", "key"), Piece(" replaces such data in all 1,200")]
    lines = [text(line).strip() for line in session_lines(one, 0, 50, replacing=said)]
    assert lines[lines.index("▲ 3 mail addresses") + 1] == "% replaces such data in all 1,200"


def test_tags_have_a_column_where_something_is_tagged() -> None:
    plain, tagged = with_tags(row("one")), with_tags(row("two"), "greeting", "客服")
    head = text(SessionRowSource([plain, tagged], 0).header(154) or [])
    assert "tags" in head
    drawn = [text(SessionRowSource([plain, tagged], 0).line(at, 154)) for at in range(2)]
    assert "greeting, 客服" in drawn[1]
    assert len({cell_len(one) for one in drawn}) == 1
    assert "tags" not in text(SessionRowSource([plain], 0).header(154) or [])
    assert "tags" not in text(SessionRowSource([plain, tagged], 0).header(94) or [])


def test_what_is_not_known_yet_leaves_its_place_empty() -> None:
    known, unknown = row(), SessionRow(entry())
    assert cell_len(alone(known)) == cell_len(alone(unknown))
    assert "▄" not in alone(unknown)
    assert "✖" not in alone(unknown)


def test_the_ribbon_is_tall_where_sent_low_where_hidden_and_grey_when_rejected() -> None:
    pieces = mini_ribbon("SUaA", 8)
    assert [(piece.text, piece.kind) for piece in pieces] == [
        ("▄▄", "system"),
        ("▄▄", "user"),
        ("▁▁", "faint"),
        ("▄▄", "assistant"),
    ]
    assert [piece.kind for piece in mini_ribbon("SUaA", 8, is_dull=True)] == ["dim"]
    assert text(mini_ribbon("", 5)) == " " * 5


def test_a_bracket_joins_neighbours_that_are_alike() -> None:
    group = [
        row(name)._replace(duplicate=Duplicate(1, 3, like))
        for name, like in zip("abc", (1, 1, 0.96), strict=True)
    ]
    other = row("d")._replace(duplicate=Duplicate(2, 2, 1.0))
    source = SessionRowSource([*group, other], 0)
    drawn = [text(source.line(at, 94)) for at in range(4)]
    assert ["╭ ≈ 3" in drawn[0], "│   =" in drawn[1], "╰ .96" in drawn[2]] == [True] * 3
    assert "≈ 2" in drawn[3]
    assert not set("╭│╰") & set(drawn[3])


def test_two_verdicts_in_one_group_are_told() -> None:
    first, second = (
        row(name, status=status)._replace(duplicate=Duplicate(1, 2, 1.0))
        for name, status in (("a", "accepted"), ("b", "rejected"))
    )
    told = "\n".join(map(text, alike_lines(first, [first, second], 40)))
    assert "✓ and ✗ in one group of duplicates" in told
    half = second._replace(entry=second.entry._replace(status="needs work"))
    told = "\n".join(map(text, alike_lines(first, [first, half], 40)))
    assert "✓ and ! in one group of duplicates" in told
    same = second._replace(entry=second.entry._replace(status="accepted"))
    assert "in one group" not in "\n".join(map(text, alike_lines(first, [first, same], 40)))


@pytest.mark.parametrize("verdicts", [(0, 0, 0), (1, 0, 0), (0, 1, 1), (27, 7, 3), (400, 300, 300)])
def test_the_bar_shows_every_verdict_and_what_is_to_go(verdicts: tuple[int, int, int]) -> None:
    progress = ReviewProgress(1_000, *verdicts)
    bar = progress_bar(progress, 40)
    assert cell_len(text(bar)) == 40
    shown = {piece.kind for piece in bar}
    for count, kind in zip(verdicts, ("ok", "error", "warn"), strict=True):
        assert (kind in shown) == (count > 0)
    assert ("track" in shown) == (progress.to_go > 0)


def test_a_session_that_can_not_be_read_says_so() -> None:
    bad = SessionRow(Entry(new_id(), "?", problem="it is \x1b[31m broken"))
    assert "can't be read" in alone(bad)
    assert "broken" in "".join(map(text, session_lines(bad, 0, 40)))


# The order


def many(count: int) -> list[SessionRow]:
    """Return as many rows, the first imported last."""
    numbers = range(count)
    return [
        SessionRow(
            Entry(new_id(), f"session {at:05}", at % 50, at % 50, 1, at, created=count - at),
            DIGEST._replace(errors=at % 3),
        )
        for at in numbers
    ]


def test_ten_thousand_sessions_are_shelved_filtered_sorted_and_judged_in_place() -> None:
    rows, order = many(10_000), SessionOrder()
    order.take(rows)
    order.arrange()
    assert [one.entry.title for one in order.rows[:2]] == ["session 00000", "session 00001"]
    order.changed(rows[7_000].entry._replace(status="accepted"))
    assert order.rows[7_000].entry.status == "accepted"
    assert order.progress == ReviewProgress(10_000, 1, 0, 0)
    following = order.next_unreviewed(rows[7_000].entry.id)
    assert following is not None
    assert following.id == rows[7_001].entry.id
    order.arrange("lint:error -status:accepted session")
    assert len(order.rows) == sum(at % 3 > 0 for at in range(10_000)) - 1
    order.arrange("", Sort("tokens"))
    assert order.rows[0].entry.tokens == 9_999
    source = SessionRowSource(order.rows, 0)
    assert source.find(key_of(rows[5].entry.id)) == 9_994
    assert "session 09999" in text(source.line(0, 94))


def test_sessions_of_a_file_stand_as_they_do_in_it_and_the_newest_file_comes_first() -> None:
    def part(title: str, source: str | None, number: int, created: int) -> SessionRow:
        return SessionRow(
            Entry(new_id(), title, source=source, content=source, part=number, created=created)
        )

    rows = [
        part("b1", "b", 1, 5),
        part("b2", "b", 2, 6),
        part("b0", "b", 0, 7),
        part("made", None, 0, 6),
        part("a0", "a", 0, 9),
        part("a1", "a", 1, 1),
    ]
    assert [one.entry.title for one in sort_rows(rows, Sort())] == [
        "a0",
        "a1",
        "b0",
        "b1",
        "b2",
        "made",
    ]


def test_what_is_not_known_comes_last_in_any_order() -> None:
    rows = [SessionRow(entry("unknown")), row("known")]
    for turned in (False, True):
        assert sort_rows(rows, Sort("lint", turned))[-1].entry.title == "unknown"
