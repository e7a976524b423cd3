"""Choosing sessions by what is so of them."""

from __future__ import annotations

import re

import pytest

from ctxtui.core import Conversation
from ctxtui.core.curation.digest import SessionRow, digest_of
from ctxtui.core.curation.query import choose, read_query
from ctxtui.core.errors import Refused
from ctxtui.core.storage import Entry, MemoryLibrary
from tests.storage.samples import numbered, small, ticking


def row(**facts: object) -> SessionRow:
    return SessionRow(Entry("abcdefghijkl", **{"title": "A Title", **facts}))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("where", "facts", "expected"),
    [
        ("", {}, True),
        ("title", {}, True),
        ("nothing", {}, False),
        ("-nothing", {}, True),
        ('"a title"', {}, True),
        ("status:accepted", {"status": "accepted"}, True),
        ("status:accepted", {}, False),
        ("-status:accepted", {}, True),
        ("status:needs-work", {"status": "needs work"}, True),
        ('status:"needs work"', {"status": "needs work"}, True),
        ("status:accepted,rejected", {"status": "rejected"}, True),
        ("status:reviewed", {"status": "needs work"}, True),
        ("status:unreviewed", {"status": "in review"}, True),
        ("tag:Good", {"tags": ("good",)}, True),
        ("tag:goo", {"tags": ("good",)}, False),
        ("goo", {"tags": ("good",)}, True),
        ("has:note", {"note": "x"}, True),
        ("messages:>3 messages:<5 messages:4 messages:4..4", {"messages": 4}, True),
        ("lint:error", {}, False),
        ("-lint:error", {}, False),
        ("status:new", {"problem": "broken"}, False),
        ("has:problem", {"problem": "broken"}, True),
        ("12:30", {"title": "at 12:30"}, True),
        ("a,b", {"title": "a,b"}, True),
    ],
)
def test_a_session_is_meant_if_all_terms_are_so(
    where: str, facts: dict[str, object], expected: bool
) -> None:
    assert read_query(where).matches(row(**facts)) is expected


FIELDS = {
    "label": "Good one",
    "score": 0.5,
    "passed": True,
    "tags": ["a", "b"],
    "info": {"status": "done"},
    "note=x": 1,
}


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("fields:yes", True),
        ("fields:no", False),
        ("field:label", True),
        ("field:lab", False),
        ('field:"label=good ONE"', True),
        ("field:label=good", False),
        ("-field:label=good", True),
        ("field:score=0.50", True),
        ("field:score>0.4 field:score<1", True),
        ("field:score>0.5", False),
        ("field:label>3", False),
        ("field:passed=true", True),
        ("field:passed>0", False),
        ("field:tags=b", True),
        ("field:tags=c,tags=a", True),
        ("field:info=done field:info.status=done field:info.status", True),
        ("field:inf", False),
        ("field:note", False),
    ],
)
def test_sessions_are_chosen_by_their_other_fields(where: str, expected: bool) -> None:
    digest = digest_of(Conversation(meta={"fields": FIELDS}))
    assert read_query(where).needs_digest
    assert read_query(where).matches(row()._replace(digest=digest)) is expected
    assert read_query(where).matches(row()) is False


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ("status:good", "not one of new, in review, needs work, accepted, rejected"),
        ("colour:red", "not a field to choose sessions by (status, tag"),
        ("tag:", "followed by nothing"),
        ("messages:many", "a number, >N, <N or N..M"),
        ('"open', "nothing closes"),
        ("field:", "not NAME, NAME=VALUE, NAME>N or NAME<N"),
        ("field:score>high", "not NAME, NAME=VALUE, NAME>N or NAME<N"),
        ("fields:some", "not one of yes, no"),
        ("dup:maybe", "yes, no or the number"),
        ("lint:purple", "not one of error, warning, clean"),
    ],
)
def test_what_is_unknown_is_refused_with_what_is_legal(where: str, told: str) -> None:
    with pytest.raises(Refused, match=re.escape(told)):
        read_query(where)


def test_sessions_are_chosen_by_name_or_by_what_is_so() -> None:
    library = MemoryLibrary(clock=ticking(), ids=numbered())
    for title in ("a", "b"):
        library.create(small(), title=title).close()
    assert [entry.title for entry in choose(library, ["a", "session00001"])] == ["a"]
    assert [entry.title for entry in choose(library, [], "b")] == ["b"]
    assert [entry.title for entry in choose(library, [], "lint:clean,warning,error")] == ["b", "a"]
