"""docs/curation.md: every field that sessions are chosen by, with values that are read."""

from __future__ import annotations

from ctxtui.core.curation.query import FIELDS, read_query
from ctxtui.core.storage import STATUSES
from ctxtui.core.storage.details import VERDICTS
from tests.docs.pages import code_in, page

PAGE = page("docs/curation.md")
ROWS = {code_in(row[0])[0]: code_in(row[1]) for row in PAGE.table("field")}


def test_the_table_has_every_field_and_its_values_are_read() -> None:
    assert [name.rstrip(":") for name in ROWS] == list(FIELDS)
    for name, values in ROWS.items():
        for value in values:
            if not value.startswith("ctxtui "):
                assert read_query(name + value).terms


def test_every_status_is_told() -> None:
    told = [value.replace("-", " ") for value in ROWS["status:"]]
    assert told[: len(STATUSES)] == list(STATUSES)
    assert set(VERDICTS) <= set(code_in(PAGE.section("Judging sessions").text))
