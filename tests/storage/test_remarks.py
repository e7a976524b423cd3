"""Notes about messages: saved with the session, never undone, and missing in older files."""

from __future__ import annotations

import json

import pytest

from ctxtui.core.errors import Refused
from ctxtui.core.formats.warnings import FormatWarning
from ctxtui.core.storage import Entry
from ctxtui.core.storage.details import Details, ImportSource
from tests.storage.conftest import Make
from tests.storage.samples import append, small

REMARKS = ((0, "odd"), (2, "\x1b[31m 上 \ud800"))


def test_they_are_saved_with_the_session_and_stay_when_something_is_undone(make: Make) -> None:
    library = make()
    with library.create(small()) as session:
        session.execute(append("more"))
        session.describe(remarks=[(2, REMARKS[1][1]), (0, "odd")])
        session.execute({"operation": "UNDO"})
        id = session.id
    with library.open(id) as again:
        assert again.details.remarks == REMARKS
        again.describe(remarks=[])
    assert library.verify(id) == []
    with library.open(id) as again:
        assert again.details.remarks == ()


def test_they_are_safe_in_the_journal_before_the_file_is_written(make: Make) -> None:
    library = make()
    session = library.create(small())
    session.describe(remarks=[(1, "kept")])
    session.abandon()
    with library.open(session.id) as again:
        assert again.details.remarks == ((1, "kept"),)


def test_a_file_of_before_has_none_and_its_source_no_format() -> None:
    old = {"title": "t", "tags": [], "status": "new", "note": "", "created": 1, "updated": 2}
    source = {"path": "/a", "content": "00", "part": 0}
    details = Details.from_dict({**old, "source": source})
    assert details.remarks == ()
    assert details.source == ImportSource("/a", "00")
    assert details.to_dict() == {**old, "source": source}


@pytest.mark.parametrize(
    "value",
    ["text", 5, [[0]], [[-1, "x"]], [[0, ""]], [["0", "x"]], [[True, "x"]], [[0, 5]], {"0": "x"}],
)
def test_what_is_no_list_of_notes_is_refused(make: Make, value: object) -> None:
    with make().create(small()) as session:
        with pytest.raises(Refused, match="remarks"):
            session.describe(remarks=value)
        assert session.details.remarks == ()


def test_warnings_of_the_import_are_stored_and_listed_and_kept_by_changes(make: Make) -> None:
    library = make()
    warnings = (
        FormatWarning.of("text-left-out", ["items.3.payload.text", "\x1b \ud800"], [7], "line", 2),
        FormatWarning("metadata-left-out"),
    )
    with library.create(small(), warnings=warnings) as session:
        session.describe(note="seen")
        id = session.id
    with library.open(id) as again:
        assert again.details.warnings == warnings
    assert library.verify(id) == []
    (entry,) = library.list()
    assert entry.warnings == warnings
    assert Entry.from_dict(json.loads(json.dumps(entry.to_dict()))) == entry


def test_a_session_of_before_has_no_warnings_and_an_odd_list_of_them_is_refused() -> None:
    old = {"title": "t", "tags": [], "status": "new", "note": "", "created": 1, "updated": 2}
    assert Details.from_dict(old).warnings == ()
    assert "warnings" not in Details.from_dict(old).to_dict()
    with pytest.raises(Refused, match="warnings"):
        Details.from_dict({**old, "warnings": [{"names": []}]})
    with pytest.raises(Refused, match="not one of"):
        Details.from_dict(old).changed({"warnings": []}, 3)
