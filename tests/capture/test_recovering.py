"""What a proxy that was killed has left in the spool is recorded by the next, and only once."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from ctxtui.capture.keeper import CaptureEvent, Keeper, StoredCall, UnrecordedCall
from ctxtui.core.storage import Library, NotSaved
from tests.capture.spooled import in_library, kept_again, left_behind, slips
from tests.capture.test_recording import call


def test_what_a_killed_proxy_left_is_recorded_once_by_the_next(tmp_path: Path) -> None:
    left_behind(tmp_path, 3)
    assert len(slips(tmp_path)) == 3
    told = kept_again(tmp_path)
    assert [type(one) for one in told] == [StoredCall] * 3
    (ids,) = in_library(tmp_path)
    assert len(set(ids)) == 3
    assert list((tmp_path / "spool").iterdir()) == []
    assert kept_again(tmp_path) == []


def test_what_several_killed_proxies_left_is_recorded_in_the_order_of_time(tmp_path: Path) -> None:
    library = Library(tmp_path)
    for number in range(5):
        left_behind(tmp_path, 1, tag=f"proxy {number}")
        for path in library.spool.folder.glob("*.run"):
            moment = path.stat().st_mtime_ns - 10**9
            os.utime(path, ns=(moment, moment))
    tags = [one.exchange.tag for one in kept_again(tmp_path) if isinstance(one, StoredCall)]
    assert tags == [f"proxy {number}" for number in range(5)]


def test_what_was_recorded_but_not_struck_off_is_not_recorded_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left_behind(tmp_path, 3)
    saved = {path: path.read_bytes() for path in (tmp_path / "spool").iterdir()}
    kept_again(tmp_path)
    before = in_library(tmp_path)
    for path, data in saved.items():
        path.write_bytes(data)
    assert kept_again(tmp_path) == []
    assert in_library(tmp_path) == before
    assert slips(tmp_path) == []


def test_a_session_that_was_deleted_meanwhile_does_not_come_back(tmp_path: Path) -> None:
    left_behind(tmp_path, 1)
    saved = {path: path.read_bytes() for path in (tmp_path / "spool").iterdir()}
    kept_again(tmp_path)
    library = Library(tmp_path)
    library.delete(library.list()[0].id)
    for path, data in saved.items():
        path.write_bytes(data)
    kept_again(tmp_path)
    assert library.list() == []


def test_the_spool_of_a_proxy_that_runs_is_not_touched(tmp_path: Path) -> None:
    spool = Library(tmp_path).spool
    slip = spool.begin()
    slip.add(b"{}")
    assert kept_again(tmp_path) == []
    assert len(slips(tmp_path)) == 1
    slip.delete()
    spool.close()


def test_a_call_that_was_cut_off_with_the_proxy_is_an_attempt(tmp_path: Path) -> None:
    left_behind(tmp_path, 1)
    (path,) = slips(tmp_path)
    head, answer = path.read_bytes().splitlines()
    path.write_bytes(head + b"\n" + answer[:20])
    (told,) = kept_again(tmp_path)
    assert isinstance(told, StoredCall)
    assert (told.exchange.outcome, told.recorded.thread.role) == ("cut", "attempts")


def test_a_slip_that_was_hardly_begun_is_nothing(tmp_path: Path) -> None:
    left_behind(tmp_path, 1)
    (path,) = slips(tmp_path)
    path.write_bytes(path.read_bytes()[:40])
    assert kept_again(tmp_path) == []
    assert slips(tmp_path) == []


@pytest.mark.parametrize(
    "line", [b"\x00" * 50, b"[]", b"{}", b'{"kind":"x","path":"","request":{}}', b"no json"]
)
def test_a_slip_that_is_damaged_is_told_and_stays(tmp_path: Path, line: bytes) -> None:
    left_behind(tmp_path, 2)
    path = slips(tmp_path)[0]
    path.write_bytes(line + b"\n")
    assert sorted(type(one).__name__ for one in kept_again(tmp_path)) == [
        "StoredCall",
        "UnrecordedCall",
    ]
    assert slips(tmp_path) == [path]


def test_what_the_disk_did_not_take_stays_in_the_spool(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise NotSaved("the disk is full")

    told: list[CaptureEvent] = []
    with monkeypatch.context() as broken:
        for name in ("sync", "save", "close"):
            broken.setattr(f"ctxtui.core.storage.session.Session.{name}", full)
        keeper = Keeper(Library(tmp_path), told.append)
        keeper.take(call("one"))
        keeper.close()
    assert [type(one) for one in told] == [UnrecordedCall]
    assert len(slips(tmp_path)) == 1
    kept_again(tmp_path)
    assert [len(ids) for ids in in_library(tmp_path)] == [1]


def test_a_library_with_nothing_but_a_spool_is_a_library(tmp_path: Path) -> None:
    left_behind(tmp_path, 1)
    assert Library(tmp_path).list() == []
    shutil.rmtree(tmp_path / "spool")
    (tmp_path / "spool").mkdir()
    assert Library(tmp_path).list() == []
