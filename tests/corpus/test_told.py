"""What a run tells of records that were not read as they stood: by record, and in the report."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.corpus.small import chat, lines, put, ran

COPY = [{"from": "human", "value": "a copy"}]


@pytest.mark.parametrize("is_parquet", [False, True], ids=["lines", "parquet"])
def test_of_messages_and_conversations_messages_is_read_and_told(
    tmp_path: Path, is_parquet: bool
) -> None:
    rows = [{"conversations": COPY, **chat(text, "yes")} for text in ("one", "two")]
    if is_parquet:
        pyarrow = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        (tmp_path / "data").mkdir()
        parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "data" / "a.parquet")
    else:
        put(tmp_path / "data" / "a.jsonl", *rows)
    put(tmp_path / "data" / "b.jsonl", chat("three"))
    made = ran(tmp_path, [])
    assert [row["messages"][0]["content"] for row in lines(made.out)] == ["one", "two", "three"]
    assert made.report["remarks"] == {"of messages and conversations, messages is read": 1}
