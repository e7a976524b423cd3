"""Files as they are found: packed, cut off, in other encodings, with lines that are nonsense."""

from __future__ import annotations

import gzip
import json
import os
import socket
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import zstandard

from ctxtui.core.corpus import CorpusPlan, LocalEngine, run_plan
from ctxtui.core.errors import Refused
from ctxtui.core.formats.openai import OpenAI
from tests.corpus.small import chat, lines, manifest, no_file, plan, put, ran

GOOD = [chat("one", "1"), chat("two", "2"), chat("three", "3")]


def texts(out: Path) -> list[str]:
    return [row["messages"][0]["content"] for row in lines(out)]


def bad(out: Path) -> list[tuple[str, int | None]]:
    return [
        (row["source"], row["place"]) for row in manifest(out) if row["outcome"] == "unreadable"
    ]


def test_one_bad_record_is_told_with_its_line_and_stops_nothing(tmp_path: Path) -> None:
    put(
        tmp_path / "data" / "a.jsonl",
        *(GOOD[0], b"{not json\n", b"\n", b"[7]\n", {"messages": "none"}, b"7\n"),
        *(GOOD[1], b"\xff\xfe\x00\n", b'{"messages": ' + b"[" * 20_000 + b"\n", GOOD[2]),
        b'{"messages": [{"role": "user", "content": "cut o',
    )
    made = ran(tmp_path, [], chunk=2_000)
    assert texts(made.out) == ["one", "two", "three"]
    assert bad(made.out) == [("data/a.jsonl", line) for line in (2, 4, 5, 6, 8, 9, 11)]
    assert made.report["unreadable"] == 7
    assert all(row["reason"] for row in made.report["bad"])
    assert "cut off" in made.report["bad"][-1]["reason"]


@pytest.mark.parametrize("ending", ["jsonl", "jsonl.gz", "jsonl.zst", "json"])
def test_all_ways_to_pack_the_same_conversations_are_read(tmp_path: Path, ending: str) -> None:
    content = b"".join(json.dumps(row).encode() + b"\n" for row in GOOD)
    packed = {
        "jsonl": content,
        "jsonl.gz": gzip.compress(content),
        "jsonl.zst": zstandard.compress(content),
        "json": json.dumps(GOOD).encode(),
    }
    put(tmp_path / "data" / f"a.{ending}", packed[ending])
    made = ran(tmp_path, [], chunk=60)
    assert texts(made.out) == ["one", "two", "three"]
    assert [row["place"] for row in manifest(made.out)] == [1, 2, 3]


def test_encodings_and_line_ends_of_other_systems_are_read(tmp_path: Path) -> None:
    content = "\r\n".join(map(json.dumps, GOOD))
    put(tmp_path / "data" / "a.jsonl", b"\xef\xbb\xbf" + content.encode())
    put(tmp_path / "data" / "b.jsonl", content.encode("utf-16"))
    made = ran(tmp_path, [], chunk=60)
    assert texts(made.out) == ["one", "two", "three"] * 2
    assert bad(made.out) == []


def test_a_packed_file_that_is_cut_off_is_read_up_to_there_and_told(tmp_path: Path) -> None:
    rows = [chat(f"{number} {number * 7919 % 1013} " * 50, "yes") for number in range(400)]
    content = gzip.compress(b"".join(json.dumps(row).encode() + b"\n" for row in rows))
    put(tmp_path / "data" / "a.jsonl.gz", content[: len(content) // 2])
    put(tmp_path / "data" / "b.jsonl", GOOD[0])
    made = ran(tmp_path, [])
    assert texts(made.out)[-1] == "one"
    assert 10 < len(lines(made.out)) < 400
    assert any("cut off" in sentence for sentence in made.report["remarks"])


def test_files_that_are_none_cost_only_themselves(tmp_path: Path) -> None:
    data = tmp_path / "data"
    put(data / "b.json", b"\x00\x01binary")
    put(data / "c.json", b'{"kind": "something else"}')
    put(data / "d.parquet", b"PAR1 but not really")
    put(data / "e.jsonl.gz", b"\x1f\x8bno")
    put(data / "f.jsonl", *GOOD)
    made = ran(tmp_path, [])
    assert texts(made.out) == ["one", "two", "three"]
    assert [source for source, _ in bad(made.out)] == [
        f"data/{name}" for name in ("b.json", "c.json", "d.parquet", "e.jsonl.gz")
    ]


def test_a_script_is_not_taken_for_what_it_begins_with(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    script = {"messages": GOOD[0]["messages"], "steps": [{"op": {"operation": "CLEAR"}}]}
    (tmp_path / "data" / "a.json").write_text(json.dumps(script, indent=1))
    put(tmp_path / "data" / "b.jsonl", GOOD[1])
    done = ran(tmp_path, [])
    assert texts(done.out) == ["two"]
    (row,) = [row for row in manifest(done.out) if row["outcome"] == "unreadable"]
    assert row["reason"] == "it is a script; run it with ctxtui replay"


def test_folders_patterns_and_files_are_taken_in_order_and_once(tmp_path: Path) -> None:
    for name in ("b/2", "b/1", "a", "c"):
        put(tmp_path / "data" / f"{name}.jsonl", chat(name, "yes"))
    put(tmp_path / "data" / "README.md", b"no conversation")
    put(tmp_path / "data" / ".hidden.jsonl", chat("hidden", "yes"))
    made = ran(tmp_path, [], sources=["data/c.jsonl", "data", "data/**/1.jsonl"])
    assert texts(made.out) == ["c", "a", "b/1", "b/2"]
    with pytest.raises(Refused, match="names no file"):
        ran(tmp_path, [], sources=["data", "nothing/*.jsonl"], out="other")


def test_what_a_run_wrote_can_be_read_by_the_next(tmp_path: Path) -> None:
    put(tmp_path / "data" / "a.jsonl", *GOOD)
    ran(tmp_path, [], out="one", shard=2)
    made = ran(tmp_path, [], sources=["one"], out="two", to="sharegpt")
    assert made.report["files"] == 2
    assert [row["conversations"][0]["value"] for row in lines(made.out)] == ["one", "two", "three"]


def test_parquet_is_read_and_written(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    rows: list[dict[str, Any]] = [
        *GOOD,
        {
            "messages": [
                {"role": "user", "content": "look it up"},
                {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "content": "found", "tool_call_id": "c"},
            ]
        },
    ]
    (tmp_path / "data").mkdir()
    table = pyarrow.Table.from_pylist(rows)
    parquet.write_table(table, tmp_path / "data" / "a.parquet", row_group_size=2)
    made = ran(tmp_path, [], chunk=1, out="one")
    assert lines(made.out) == rows
    assert [row["place"] for row in manifest(made.out)] == [1, 2, 3, 4]
    packed = ran(tmp_path, [], out="two", shard=3, packing="parquet")
    kept = [parquet.read_table(path).to_pylist() for path in sorted(packed.out.glob("part-*"))]
    assert [json.loads(row["record"]) for part in kept for row in part] == rows
    assert [len(part) for part in kept] == [3, 1]
    assert kept[0][0]["source"] == "data/a.parquet"
    again = ran(tmp_path, [], sources=["two"], out="three")
    assert lines(again.out) == rows


def test_lone_surrogates_survive(tmp_path: Path) -> None:
    put(tmp_path / "data" / "a.jsonl", b'{"messages":[{"role":"user","content":"a\\ud800b"}]}\n')
    made = ran(tmp_path, [{"dedupe": "exact"}])
    assert texts(made.out) == ["a\ud800b"]
    assert made.report["kept"] == 1


def test_a_fault_of_our_own_costs_one_record_and_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_one = OpenAI.read_one

    def failing(self: OpenAI, value: Any) -> Any:
        if value == GOOD[1]:
            raise KeyError("surprise")
        return read_one(self, value)

    monkeypatch.setattr(OpenAI, "read_one", failing)
    put(tmp_path / "data" / "a.jsonl", *GOOD)
    made = ran(tmp_path, [])
    assert texts(made.out) == ["one", "three"]
    assert "KeyError: 'surprise'" in made.report["bad"][0]["reason"]


def test_a_source_in_the_folder_that_is_written_is_refused_and_stays(tmp_path: Path) -> None:
    put(tmp_path / "data" / "a.jsonl", *GOOD)
    ran(tmp_path, [], out="one")
    for source in ("one", "one/part-00000.jsonl"):
        made = plan([source], "one", [{"dedupe": "exact"}])
        with pytest.raises(Refused, match="lies in the folder that is written"):
            run_plan(made, LocalEngine(1), base=tmp_path, is_forced=True)
    assert texts(tmp_path / "one") == ["one", "two", "three"]


def test_what_is_no_regular_file_is_left_alone(tmp_path: Path) -> None:
    data = tmp_path / "data"
    put(data / "a.jsonl", *GOOD)
    os.mkfifo(data / "pipe.jsonl")
    (data / "loop.jsonl").symlink_to(data / "loop.jsonl")
    (data / "gone.jsonl").symlink_to(data / "nowhere.jsonl")
    (data / "zero.jsonl").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(data / "socket.jsonl"))
        done = ran(tmp_path, [])
    assert done.report["files"] == 1
    assert texts(done.out) == ["one", "two", "three"]


@pytest.mark.parametrize("named", [None, "openai"])
@pytest.mark.parametrize("chunk", [300, 1 << 20])
def test_nonsense_at_the_head_of_a_file_costs_only_itself(
    tmp_path: Path, named: str | None, chunk: int
) -> None:
    put(tmp_path / "data" / "a.jsonl", *[b"nonsense {\n"] * 60, b"\xff\xfe\n", *GOOD)
    data = {"sources": ["data"], "from": named, "sink": {"folder": "out"}}
    made = run_plan(CorpusPlan.read(data, no_file), LocalEngine(1), base=tmp_path, chunk=chunk)
    assert texts(made.out) == ["one", "two", "three"]
    assert [place for _, place in bad(made.out)] == list(range(1, 62))


def test_columns_that_json_has_not_cost_no_row(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    (tmp_path / "data").mkdir()
    others = {
        "day": [date(2026, 1, 2)] * 3,
        "time": [datetime(2026, 1, 2, tzinfo=UTC)] * 3,
        "price": [Decimal("1.50")] * 3,
        "raw": [b"\xff\x00"] * 3,
        "score": [float("nan"), float("inf"), 1.0],
    }
    columns = {"messages": [one["messages"] for one in GOOD], **others}
    parquet.write_table(pyarrow.table(columns), tmp_path / "data" / "a.parquet")
    parquet.write_table(pyarrow.table(columns).slice(0, 0), tmp_path / "data" / "b.parquet")
    parquet.write_table(pyarrow.table({"number": [1, 2]}), tmp_path / "data" / "c.parquet")
    made = ran(tmp_path, [])
    assert texts(made.out) == ["one", "two", "three"]
    assert made.report["unreadable"] == 1
    assert "it has number" in made.report["bad"][0]["reason"]
