"""The record of what is confirmed: it comes and goes with the journal, and damage to it is told."""

from __future__ import annotations

from contextlib import suppress
from itertools import product
from pathlib import Path

import pytest

from ctxtui.core.storage import Library, Session
from ctxtui.core.storage.journal_file import Confirmed, line_text, read_confirmed
from tests.storage.crashing import ForgetfulDisk
from tests.storage.failing import FailingDisk, PowerCut
from tests.storage.samples import append, numbered, small, ticking
from tests.storage.test_journal_ends import ID, files, lines


def test_a_record_that_is_missing_is_no_finding(on_disk: Library, crashed: Session) -> None:
    (on_disk.folder / f"{ID}.confirmed").unlink()
    assert on_disk.verify(ID) == []
    assert on_disk.open(ID, read_only=True).conversation == crashed.conversation


UNREADABLE = {
    "empty": b"",
    "zeros": bytes(256),
    "blank": b" " * 255 + b"\n",
    "noise": b"noise",
    "other": line_text("", {"format": "other"})[0],
}


@pytest.mark.parametrize("data", UNREADABLE.values(), ids=UNREADABLE)
@pytest.mark.parametrize("cut", ["nothing", "three lines", "the whole file"])
def test_a_damaged_record_is_a_finding_and_costs_nothing_more(
    on_disk: Library, crashed: Session, data: bytes, cut: str
) -> None:
    (on_disk.folder / f"{ID}.confirmed").write_bytes(data)
    journal = on_disk.folder / f"{ID}.journal"
    match cut:
        case "three lines":
            journal.write_bytes(b"".join(lines(journal.read_bytes())[:-3]))
        case "the whole file":
            journal.unlink()
    before = files(on_disk)
    (finding,) = on_disk.verify(ID)
    assert finding.startswith("the record of what is confirmed can't be read: it")
    assert finding.endswith("; whether confirmed changes are missing is unknown")
    assert files(on_disk) == before
    with on_disk.open(ID) as session:
        assert session.id == ID
        assert finding in session.notes
        there = len(session.conversation.journal)
        assert list(session.conversation.journal) == crashed.conversation.journal[:there]
        assert there == {"nothing": 4, "three lines": 2, "the whole file": 1}[cut]
    assert on_disk.verify(ID) == []
    assert set(files(on_disk)) == {f"{ID}.json"}


def test_a_power_cut_leaves_no_record_that_can_not_be_read() -> None:
    for step in range(60):
        forgetful = ForgetfulDisk()
        disk = FailingDisk(forgetful)
        session = Library("m", disk=disk, ids=numbered()).create(small())
        disk.cut_power(step)
        with suppress(PowerCut):
            for text in ("a", "b", "c"):
                session.execute(append(text))
        for names_kept, bytes_kept in product((False, True), repeat=2):
            left = forgetful.after_power_cut(names_kept=names_kept, bytes_kept=bytes_kept)
            record = Path("m") / f"{ID}.confirmed"
            if left.version(record) is not None:
                assert read_confirmed(left.read(record)).journal, (step, disk.steps)
        if len(disk.steps) <= step:
            return
    raise AssertionError("more than 60 steps")


def test_the_record_goes_with_the_journal_file(on_disk: Library) -> None:
    record = on_disk.folder / f"{ID}.confirmed"
    session = on_disk.create(small())
    assert not record.exists()
    for number in range(1, 4):
        session.execute(append(f"{number}"))
        told = read_confirmed(record.read_bytes())
        assert told.lines == number
    session.save()
    assert not record.exists()
    session.execute(append("again"))
    session.abandon()
    on_disk.delete(ID)
    assert not record.exists()
    on_disk.restore(ID)
    assert isinstance(read_confirmed(record.read_bytes()), Confirmed)
    assert on_disk.verify(ID) == []


def test_a_record_that_is_removed_while_the_session_is_open_is_made_anew(on_disk: Library) -> None:
    record = on_disk.folder / f"{ID}.confirmed"
    session = on_disk.create(small())
    session.execute(append("a"))
    record.unlink()
    session.execute(append("b"))
    told = read_confirmed(record.read_bytes())
    assert told.lines == 2
    session.close()


def test_a_journal_that_was_started_anew_is_not_mistaken_for_one_cut_off(tmp_path: Path) -> None:
    library = Library(tmp_path, clock=ticking(), ids=numbered())
    session = library.create(small())
    session.execute(append("first"))
    for title in ("one", "two"):
        session.describe(title=title)
    record = tmp_path / f"{ID}.confirmed"
    old = record.read_bytes()
    (tmp_path / f"{ID}.journal").unlink()
    session.execute(append("a"))
    session.abandon()
    record.write_bytes(old)  # As if the power had failed between the two.
    assert library.verify(ID) == []


def test_lines_that_are_others_than_those_confirmed_are_missing(
    on_disk: Library, crashed: Session
) -> None:
    record = on_disk.folder / f"{ID}.confirmed"
    told = read_confirmed(record.read_bytes())
    record.write_bytes(told._replace(chain="0" * 16).to_bytes())
    assert "4 confirmed changes are missing" in on_disk.verify(ID)[0]
