"""Titles in little room: what tells sessions apart stays, and words stand for file names."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.cells import cell_len

from ctxtui.core import Conversation
from ctxtui.core.curation.catalog import Catalog
from ctxtui.core.curation.digest import SessionRow, digest_of, named
from ctxtui.core.storage import Entry, Library
from ctxtui.core.storage.details import ImportSource
from ctxtui.library.drawing.sessions import layout_of, name_line, needs_of, short_title
from ctxtui.text.lines import Piece


@pytest.mark.parametrize(
    ("title", "width", "shown"),
    [
        ("support.jsonl #128", 14, "support.… #128"),
        ("support.jsonl #128", 30, "support.jsonl #128"),
        ("a long title of a chat (copy)", 18, "a long tit… (copy)"),
        ("a long title without", 10, "a long ti…"),
        ("漢字漢字漢字漢字 #7", 12, "漢字漢字… #7"),
        ("x #123456", 4, "x #…"),
    ],
)
def test_a_title_that_is_cut_keeps_its_number(title: str, width: int, shown: str) -> None:
    assert short_title(title, width).rstrip() == shown
    assert cell_len(short_title(title, width)) == width


def entry(title: str, source: str | None) -> Entry:
    talk = Conversation(
        [
            {"role": "system", "content": "You help."},
            {"role": "user", "content": "My parcel\nis [/b]\x1b[2J late."},
        ]
    )
    made = named(Entry("a" * 12, title, source=source), digest_of(talk))
    return made.entry


def shown(title: str, source: str | None, width: int, *, is_of_many: bool = False) -> str:
    line = name_line(entry(title, source), width, is_of_many=is_of_many)
    return "".join(piece.text for piece in line)


def test_the_name_of_a_file_gives_way_to_the_first_words() -> None:
    told = shown("support.jsonl #8", "/data/support.jsonl", 40)
    assert told.startswith("My parcel is [/b]")
    assert told.endswith("  #8")
    assert "\x1b" not in told
    assert shown("support.jsonl", "/data/support.jsonl", 40, is_of_many=True).endswith("  #1")


def test_where_there_is_room_the_file_is_behind_the_words_in_muted() -> None:
    made = entry("support.jsonl #8", "/data/support.jsonl")
    assert name_line(made, 60)[-1] == Piece("  support.jsonl #8", "muted")
    long = made._replace(words="word " * 10)
    assert name_line(long, 60)[-1] == Piece("  #8", "muted")
    assert shown("support.jsonl", "/data/support.jsonl", 12).startswith("My parcel i…")
    for title in ("support.jsonl", "support.jsonl #8"):
        for width in range(1, 80):
            assert cell_len(shown(title, "/data/support.jsonl", width)) == width


def test_a_title_of_its_own_stays() -> None:
    for title in ("Late parcel", "support.jsonl (copy)", "support.jsonl #8 again"):
        assert shown(title, "/data/support.jsonl", 40).rstrip() == title
    assert shown("Late parcel", None, 40).rstrip() == "Late parcel"


def test_a_session_keeps_its_name_when_a_cut_hides_its_first_words_and_not_when_they_were_replaced(
    tmp_path: Path,
) -> None:
    library = Library(tmp_path)
    source = ImportSource("/data/a.jsonl", "0" * 64)
    said = [("user", "Call me on 555."), ("assistant", "Gladly."), ("user", "Bye.")]
    talk = Conversation([{"role": role, "content": text} for role, text in said])
    with library.create(talk, title="a.jsonl", source=source) as session:
        assert session.name == "Call me on 555."
        session.execute({"operation": "TRUNCATE", "keepLast": 1})
        assert session.name == "Call me on 555."
    with Catalog(library) as catalog:
        catalog.learn()
        (row,) = catalog.rows()
        assert (row.entry.title, row.entry.name) == ("a.jsonl", "Call me on 555.")
    with library.open(session.id) as session:
        session.execute({"operation": "UNDO"})
        session.execute({"operation": "REDACT", "indices": [0], "text": "Call me."})
        assert session.name == "Call me."
    with Catalog(library) as catalog:
        catalog.learn()
        assert catalog.rows()[0].entry.name == "Call me."


@pytest.mark.parametrize("width", [70, 92, 150])
def test_the_name_has_the_cells_that_the_ribbon_can_spare(width: int) -> None:
    words = "How many books may I borrow at once, and how long"
    rows = [SessionRow(Entry("a" * 12, words)), SessionRow(Entry("b" * 12, "short"))]
    column = layout_of(width, needs_of(rows)).title
    assert column >= min(len(words), 24 if width < 84 else 32)
    assert (column > layout_of(width, needs_of(rows[1:])).title) == (width > 84)
