"""What a run tells of records that were not read as they stood: by record, and in the report."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from ctxtui.core.formats.warnings import read_warnings, sentences
from tests.corpus.small import chat, lines, manifest, put, ran

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
    name = "data/a.parquet" if is_parquet else "data/a.jsonl"
    told = {"files": 1, "sources": [name]}
    words = "only the first of several columns of messages was read: messages, conversations"
    assert made.report["remarks"] == {words: told}


NO_NUMBERS = "NaN and Infinity were read as null"
ODD = b'{"messages": [{"role": "user", "content": "odd"}], "score": NaN, "least": [-Infinity]}\n'


def lost(out: Path) -> list[Any]:
    return [in_words(row.get("lost")) for row in manifest(out)]


def in_words(stored: Any) -> list[str] | None:
    return None if stored is None else list(sentences(read_warnings(stored)))


@pytest.mark.parametrize("chunk", [100, 1 << 20])
def test_a_number_that_json_has_not_is_told_of_its_record_and_counted(
    tmp_path: Path, chunk: int
) -> None:
    broken = b'{"messages": NaN, broken}\n'
    put(tmp_path / "data" / "a.jsonl", chat("one"), ODD, broken, chat("two"), ODD, chat("three"))
    made = ran(tmp_path, [], chunk=chunk)
    told = [f"{NO_NUMBERS}: NaN, -Infinity"]
    assert lost(made.out) == [None, told, None, None, told, None]
    assert made.report["lost"] == {f"{NO_NUMBERS}: -Infinity, NaN": 2}
    assert [row.get("score", "none") for row in lines(made.out)][1] is None


def test_of_a_record_that_is_dropped_it_is_told_and_not_counted(tmp_path: Path) -> None:
    put(tmp_path / "data" / "a.jsonl", ODD, chat("one", "two"))
    made = ran(tmp_path, [{"length": {"messages": [2, None]}}])
    assert lost(made.out) == [[f"{NO_NUMBERS}: NaN, -Infinity"], None]
    assert made.report["lost"] == {}


def test_a_file_of_one_conversation_and_rows_of_parquet_tell_it_too(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    put(tmp_path / "data" / "a.json", ODD)
    columns = {
        "messages": [chat("one")["messages"], chat("two")["messages"]],
        "score": [float("inf"), 1.0],
    }
    parquet.write_table(pyarrow.table(columns), tmp_path / "data" / "b.parquet")
    made = ran(tmp_path, [])
    told = [[f"{NO_NUMBERS}: NaN, -Infinity"], [f"{NO_NUMBERS}: Infinity"], None]
    assert lost(made.out) == told
    assert made.report["lost"] == {f"{NO_NUMBERS}: -Infinity, Infinity, NaN": 2}


@pytest.mark.parametrize("format", [None, "openai"])
def test_a_file_that_holds_nothing_is_told_and_is_no_bad_record(
    tmp_path: Path, format: str | None
) -> None:
    blank = {
        "a.jsonl": b"",
        "b.json": b" \n\n\t",
        "c.jsonl": b"\xef\xbb\xbf",
        "d.jsonl.gz": gzip.compress(b""),
    }
    for name, content in blank.items():
        put(tmp_path / "data" / name, content)
    put(tmp_path / "data" / "e.jsonl", chat("one"))
    put(tmp_path / "data" / "f.jsonl.gz", gzip.compress(b"")[:11])
    made = ran(tmp_path, [], format=format)
    assert [row["outcome"] for row in manifest(made.out)] == ["kept", "unreadable"]
    report = made.report
    assert (report["files"], report["records"], report["unreadable"]) == (6, 2, 1)
    assert report["remarks"]["the file is empty"] == {
        "files": 4,
        "sources": [f"data/{name}" for name in blank],
    }


def test_parquet_without_a_row_is_told_too(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    (tmp_path / "data").mkdir()
    table = pyarrow.Table.from_pylist([chat("one")])
    parquet.write_table(table.slice(0, 0), tmp_path / "data" / "a.parquet")
    parquet.write_table(table, tmp_path / "data" / "b.parquet")
    made = ran(tmp_path, [])
    assert (made.report["records"], made.report["unreadable"]) == (1, 0)
    told = {"files": 1, "sources": ["data/a.parquet"]}
    assert made.report["remarks"] == {"the file is empty": told}


def test_facts_that_the_format_has_no_place_for_are_counted_with_their_names(
    tmp_path: Path,
) -> None:
    rows = [{**chat("one"), "model": "m"}, {**chat("two"), "model": "m", "score": 1}, chat("three")]
    put(tmp_path / "data" / "a.jsonl", *rows)
    made = ran(tmp_path, [], to="sharegpt")
    told = "fields of the conversation are left out: fields.model, fields.score"
    assert made.report["lost"] == {told: 2}
    assert [row is not None for row in lost(made.out)] == [True, True, False]


WIZARD = {
    "messages": [{"role": "wizard", "content": "abracadabra"}, *chat("one", "two")["messages"]]
}
READ_AS = "messages were read with another role: wizard as user"


@pytest.mark.parametrize("name", ["a.jsonl", "a.json"])
def test_what_a_reader_remarks_is_told_of_its_record_and_counted(tmp_path: Path, name: str) -> None:
    if name == "a.jsonl":
        put(tmp_path / "data" / name, WIZARD, chat("three"), WIZARD)
    else:
        put(tmp_path / "data" / name, [WIZARD, chat("three"), WIZARD])
    made = ran(tmp_path, [{"length": {"messages": [3, None]}}])
    told = [f"{READ_AS} (message 0)"]
    assert [in_words(row.get("adapted")) for row in manifest(made.out)] == [told, None, told]
    assert made.report["adapted"] == {READ_AS: 2}
    assert READ_AS in (made.out / "report.html").read_text("utf-8")


def test_a_trainer_is_given_no_role_that_nobody_knows(tmp_path: Path) -> None:
    put(tmp_path / "data" / "a.jsonl", WIZARD, {"messages": []}, chat("one", "two"))
    made = ran(tmp_path, [{"lint": {"profile": "fine-tuning", "keep": "clean"}}])
    assert lines(made.out) == [chat("one", "two")]
    assert [row["reason"].split()[0] for row in manifest(made.out)[:2]] == ["F4", "F1"]


def test_a_report_tells_the_commonest_of_too_many_remarks(tmp_path: Path) -> None:
    roles = [*(f"wizard{number:03}" for number in range(60)), "wizard059"]
    asked = chat("one")["messages"]
    put(
        tmp_path / "data" / "a.jsonl",
        *({"messages": [{"role": role, "content": "x"}, *asked]} for role in roles),
    )
    adapted = ran(tmp_path, []).report["adapted"]
    ((words, count),) = adapted.items()
    assert count == 61
    assert words.startswith("messages were read with another role: wizard059 as user, wizard000 as")
    assert words.endswith("wizard018 as user and 40 more")
