"""Tables: Parquet, Arrow and CSV files are read where any file is, row by row."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from ctxtui.core import Refused
from ctxtui.core.formats import Loaded, Source, load_all
from ctxtui.core.formats.tables import ROWS_AT_ONCE
from tests.core.samples import said

ROWS: list[dict[str, Any]] = [
    {"messages": [said("user", f"Which sheet has number {n}?"), said("assistant", f"Sheet {n}.")]}
    for n in range(3)
]
ASKED = ["Which sheet has number 0?", "Which sheet has number 1?", "Which sheet has number 2?"]


def read(content: bytes) -> list[Loaded]:
    return list(load_all(Source.of_bytes(content)))


def first_texts(found: list[Loaded]) -> list[str]:
    return [one.conversation.log[0].text for one in found]


def packed(kind: str, rows: list[dict[str, Any]]) -> bytes:
    pyarrow = pytest.importorskip("pyarrow")
    table, sink = pyarrow.Table.from_pylist(rows), io.BytesIO()
    if kind == "parquet":
        pytest.importorskip("pyarrow.parquet").write_table(table, sink)
        return sink.getvalue()
    make = pyarrow.ipc.new_file if kind == "arrow file" else pyarrow.ipc.new_stream
    with make(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


@pytest.mark.parametrize("kind", ["parquet", "arrow file", "arrow stream"])
def test_rows_of_columns_are_conversations(kind: str) -> None:
    found = read(packed(kind, ROWS))
    assert first_texts(found) == ASKED
    assert {one.format for one in found} == {"openai"}
    assert [one.place for one in found] == [1, 2, 3]


def test_keys_that_only_other_rows_have_are_not_there() -> None:
    calling = {"role": "assistant", "content": None, "tool_calls": [{"id": "c1"}]}
    rows = [*ROWS, {"messages": [calling], "score": float("nan")}]
    found = read(packed("parquet", rows))
    assert first_texts(found)[:3] == ASKED
    assert not found[0].conversation.log[0].metadata
    assert "fields" not in found[0].conversation.meta


def test_a_pair_in_a_table_is_a_pair() -> None:
    pair = {"prompt": "Which one?", "chosen": "Sheet 81.", "rejected": "Any of them.", "rank": 2}
    (found,) = read(packed("parquet", [pair]))
    assert found.format == "trl"
    assert found.conversation.meta["preference"] == {"chosen": 2, "rejected": 1}


@pytest.mark.parametrize("write", [json.dumps, repr], ids=["json", "python"])
@pytest.mark.parametrize("between", [",", "\t"], ids=["commas", "tabs"])
def test_messages_in_a_cell_are_read(write: Any, between: str) -> None:
    cells = (write(row["messages"]).replace('"', '""') for row in ROWS)
    text = f"id{between}messages\n" + "".join(f'7{between}"{cell}"\n' for cell in cells)
    found = read(text.encode())
    assert first_texts(found) == ASKED
    assert found[0].conversation.meta["fields"] == {"id": "7"}


def test_cells_may_have_line_breaks_and_labels() -> None:
    found = read(b'prompt,completion,label\n"Which\none?",Sheet 81.,True\nWhy?,No.,False\n')
    assert [one.format for one in found] == ["trl", "trl"]
    assert first_texts(found) == ["Which\none?", "Why?"]
    assert [one.conversation.meta["fields"]["label"] for one in found] == [True, False]


@pytest.mark.parametrize(
    "text",
    ["name,age\nAnn,7\n", "messages\n[{'role': 'user' 'content': 'hi'}]\n", "prompt,x\na,b\n"],
    ids=["other columns", "no commas", "nothing known"],
)
def test_a_table_without_conversations_is_refused(text: str) -> None:
    with pytest.raises(Refused):
        read(text.encode())


def test_a_prose_with_commas_is_no_table() -> None:
    with pytest.raises(Refused, match="it is not JSON"):
        read(b"The prompt, as I said, was long.\nReally.\n")


def test_only_a_few_rows_are_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"prompt": f"question {n}", "completion": "x" * 20} for n in range(ROWS_AT_ONCE * 4)]
    source = Source.of_bytes(packed("parquet", rows))
    seen: list[int] = []
    from ctxtui.core.formats import tables  # noqa: PLC0415 - to watch it

    plain = tables.json_row

    def watched(row: Any) -> Any:
        seen.append(1)
        return plain(row)

    monkeypatch.setattr(tables, "json_row", watched)
    first = next(iter(load_all(source)))
    assert first.conversation.log[0].text == "question 0"
    assert len(seen) < ROWS_AT_ONCE


def archive(path: Path, **members: Any) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, value in members.items():
            made.writestr(name.replace("__", "/") + ".json", json.dumps(value))
    return path


SAMPLE = {
    "id": 1,
    "epoch": 1,
    "input": "Which one?",
    "target": "81",
    "messages": [
        {**said("user", "Which one of the sheets?"), "id": "m1"},
        {**said("assistant", "It is sheet 81."), "id": "m2"},
    ],
    "scores": {"match": {"value": "C"}},
    "events": [
        {
            "event": "model",
            "model": "m",
            "output": {
                "choices": [{"message": {"id": "m2"}}],
                "usage": {"input_tokens": 5, "output_tokens": 3, "input_tokens_cache_read": 2},
            },
        }
    ],
}


@pytest.mark.parametrize("head", ["header", "_journal__start"])
def test_an_archive_of_inspect_is_a_log(tmp_path: Path, head: str) -> None:
    members = {head: {"eval": {"task": "maps"}}, "samples__1_epoch_1": SAMPLE}
    (found,) = load_all(Source.of_path(archive(tmp_path / "log.eval", **members)))
    assert (found.format, found.title) == ("inspect", "maps, sample 1")
    (call,) = found.conversation.calls.all
    assert call.usage is not None
    assert (call.usage.input, call.usage.cached, call.usage.output) == (7, 2, 3)
    assert list(found.conversation.at(call.revision).view) == [0]


def test_another_archive_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="it is a ZIP archive"):
        list(load_all(Source.of_path(archive(tmp_path / "a.zip", conversations=[]))))
