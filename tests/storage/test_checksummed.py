"""The storage class: whole files, seals, any text and number, and plain TinyDB beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tinydb import Query, TinyDB

from ctxtui.core import Refused
from ctxtui.core.storage import Library
from ctxtui.core.storage.checksummed import (
    ChecksummedStorage,
    decode,
    encode,
    meta_of,
    read_checksummed,
    with_checksum,
)
from ctxtui.core.storage.disk import RealDisk
from tests.storage.samples import edited, said

TABLES: dict[str, Any] = {
    "meta": {"1": {"title": 'a,"meta":{"1":{}}}'}},
    "messages": {"1": {"role": "user", "content": 'b,"meta":{"1":'}},
}


def test_plain_tinydb_reads_a_session_file(on_disk: Library) -> None:
    conversation = edited()
    with on_disk.create(conversation, title="tea") as session:
        path = on_disk.folder / f"{session.id}.json"
    with TinyDB(path, access_mode="r") as db:
        users = db.table("messages").search(Query().role == "user")
        [meta] = db.table("meta").all()
        visible = [
            db.table("messages").get(doc_id=raw + 1)["content"]
            for start, length in meta["view"]
            for raw in range(start, start + length)
        ]
        marks = db.table("marks").all()
    assert len(users) == sum(message.role == "user" for message in conversation.log)
    assert [user["content"] for user in users[:2]] == ["one", "two"]
    assert visible == [message.text for message in conversation.visible]
    assert (meta["title"], meta["visible"]) == ("tea", len(visible))
    assert marks == [{"label": "kept", "raw": [[0, 1], [5, 1]]}]


def test_no_message_is_written_twice(on_disk: Library) -> None:
    with on_disk.create(edited()) as session:
        path = on_disk.folder / f"{session.id}.json"
    text = path.read_text()
    for word in ("one", "nine", "eleven", "short"):
        assert text.count(f'"{word}"') == 1


def test_tinydb_can_write_through_it_and_keeps_the_seal(tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    with TinyDB(path, storage=ChecksummedStorage) as db:
        db.insert({"a": 1})
        db.table("other").insert_multiple([{"b": 2}, {"b": "\ud800"}])
        db.drop_table("_default")
    content = read_checksummed(path.read_bytes())
    assert content.is_sealed
    assert content.tables["other"] == {"1": {"b": 2}, "2": {"b": "\ud800"}}
    with TinyDB(path, storage=ChecksummedStorage) as db:
        assert len(db.table("other")) == 2


def test_a_changed_file_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    storage = ChecksummedStorage(path)
    storage.write(TABLES)
    assert storage.read() == read_checksummed(path.read_bytes()).tables
    with TinyDB(path) as db:
        db.table("messages").insert(said("user", "from outside"))
    assert not read_checksummed(path.read_bytes()).is_sealed
    with pytest.raises(Refused, match="changed by another program"):
        storage.read()


def test_there_is_nothing_to_read_before_the_first_write(tmp_path: Path) -> None:
    assert ChecksummedStorage(tmp_path / "none.json").read() is None


def test_meta_stands_last_and_is_read_from_the_end(tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    large = {"1": said("user", "x" * 200_000)}
    view = [[n, 1] for n in range(0, 40_000, 2)]
    data, checksum = with_checksum({"meta": {"1": {"title": "t", "view": view}}, "messages": large})
    path.write_bytes(data)
    meta = meta_of(RealDisk(), path)
    assert (meta["title"], meta["view"], meta["checksum"]) == ("t", view, checksum)
    assert list(json.loads(data)) == ["messages", "meta"]
    path.write_bytes(b'{"messages":{}}')
    with pytest.raises(Refused, match="no meta table at its end"):
        meta_of(RealDisk(), path)


def test_text_that_looks_like_the_seal_breaks_nothing(tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    ChecksummedStorage(path).write(TABLES)
    content = read_checksummed(path.read_bytes())
    assert content.is_sealed
    assert meta_of(RealDisk(), path)["title"] == TABLES["meta"]["1"]["title"]
    assert content.tables["messages"] == TABLES["messages"]


def test_meta_has_one_row() -> None:
    with pytest.raises(Refused, match="exactly one row"):
        with_checksum({"meta": {"1": {}, "2": {}}})


values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([2**63, 2**64 - 1, 2**64, -(2**63) - 1])
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | st.just("\ud800"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(values)
def test_any_value_comes_back_exactly(value: Any) -> None:
    made = encode(value)
    again = decode(made.data, exact=made.exact)
    assert again == value
    assert repr(again) == repr(value)


@given(st.dictionaries(st.text(), values, max_size=3), st.dictionaries(st.text(), values))
def test_any_rows_come_back_exactly(row: dict[str, Any], meta: dict[str, Any]) -> None:
    data, checksum = with_checksum({"rows": {"1": row}, "meta": {"1": meta}})
    content = read_checksummed(data)
    assert (content.is_sealed, content.checksum) == (True, checksum)
    kept = {key: value for key, value in meta.items() if key not in ("exact", "checksum")}
    told = content.tables["meta"]["1"]
    assert {key: told[key] for key in kept} == kept
    assert content.tables["rows"]["1"] == row


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
@pytest.mark.parametrize("beside", ["plain", "\ud800"])
def test_numbers_that_json_has_not_are_refused(number: float, beside: str) -> None:
    with pytest.raises(Refused):
        encode({"a": [beside, (number,)]})
