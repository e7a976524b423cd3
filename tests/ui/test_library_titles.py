"""Titles in little room: what tells sessions apart stays, and words stand for file names."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from ctxtui.core import Conversation
from ctxtui.core.curation.digest import SessionRow, digest_of
from ctxtui.core.storage import Entry
from ctxtui.library.drawing.sessions import session_title, short_title


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


def row(title: str, source: str | None) -> SessionRow:
    talk = Conversation(
        [
            {"role": "system", "content": "You help."},
            {"role": "user", "content": "My parcel\nis [/b]\x1b[2J late."},
        ]
    )
    return SessionRow(Entry("a" * 12, title, source=source), digest_of(talk))


def test_the_name_of_a_file_gives_way_to_the_first_words() -> None:
    told = session_title(row("support.jsonl #8", "/data/support.jsonl"), 40)
    assert told.startswith("#8 My parcel is [/b]")
    assert "\x1b" not in told
    first = row("support.jsonl", "/data/support.jsonl")
    assert session_title(first, 40, is_of_many=True).startswith("#1 My parcel")


def test_a_file_with_one_conversation_gives_it_its_name_and_words_follow() -> None:
    alone = row("support.jsonl", "/data/support.jsonl")
    assert session_title(alone, 40).startswith("support.jsonl  My parcel is [/b]")
    assert "\x1b" not in session_title(alone, 40)
    assert session_title(alone, 20).rstrip() == "support.jsonl"
    assert session_title(alone, 10) == "support.j…"
    assert all(cell_len(session_title(alone, width)) == width for width in range(1, 60))


def test_a_title_of_its_own_stays() -> None:
    for title in ("Late parcel", "support.jsonl (copy)", "support.jsonl #8 again"):
        assert session_title(row(title, "/data/support.jsonl"), 40).rstrip() == title
    assert session_title(row("Late parcel", None), 40).rstrip() == "Late parcel"
