"""Journal files whose end is torn, damaged or missing: it is told, counted, and never folded."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ctxtui.core.storage import Library, NotSaved, Session
from ctxtui.core.storage.journal_file import lines_text, read_journal
from tests.storage.samples import append, small

ID = "session00001"
Cut = Callable[[bytes], bytes | None]


def lines(data: bytes) -> list[bytes]:
    return data.splitlines(keepends=True)


CUTS: dict[str, tuple[Cut, int]] = {
    "the last line": (lambda data: b"".join(lines(data)[:-1]), 1),
    "two lines": (lambda data: b"".join(lines(data)[:-2]), 2),
    "all lines": (lambda data: lines(data)[0], 4),
    "the whole file": (lambda data: None, 4),
    "the last byte": (lambda data: data[:-1], 1),
    "a line and a half": (lambda data: data[: -len(lines(data)[-1]) - 9], 2),
    "the last lines are zeros": (lambda data: b"".join(lines(data)[:-2]) + bytes(300), 2),
    "zeros in the last two": (
        lambda data: b"".join(lines(data)[:-2] + [b"\0" + line for line in lines(data)[-2:]]),
        2,
    ),
}


def files(library: Library) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in library.folder.glob(f"{ID}.*")}


@pytest.mark.parametrize("cut", CUTS)
def test_confirmed_changes_that_are_missing_are_counted_and_nothing_is_folded(
    on_disk: Library, crashed: Session, cut: str
) -> None:
    journal = on_disk.folder / f"{ID}.journal"
    act, lost = CUTS[cut]
    left = act(journal.read_bytes())
    journal.unlink()
    if left is not None:
        journal.write_bytes(left)
    before = files(on_disk)
    told = "1 confirmed change is missing" if lost == 1 else f"{lost} confirmed changes are missing"
    (finding,) = [one for one in on_disk.verify(ID) if "confirmed" in one]
    assert told in finding
    assert on_disk.verify(ID) == on_disk.verify(ID)
    assert files(on_disk) == before
    with on_disk.open(ID) as session:
        assert session.id != ID
        assert any(told in note for note in session.notes)
    assert before.items() <= files(on_disk).items()


@pytest.mark.parametrize("end", [b"0123", bytes(64), bytes(30) + b"\n" + bytes(30)])
def test_what_was_never_confirmed_is_told_by_verify_and_dropped_by_opening(
    on_disk: Library, crashed: Session, end: bytes
) -> None:
    journal = on_disk.folder / f"{ID}.journal"
    journal.write_bytes(journal.read_bytes() + end)
    torn = journal.read_bytes()
    count = "2 lines were" if b"\n" in end else "1 line was"
    told = f"{count} dropped that broke off at the end of the journal file"
    assert on_disk.verify(ID) == [f"{told}; none of that was confirmed"]
    assert journal.read_bytes() == torn
    with on_disk.open(ID) as session:
        assert session.id == ID
        assert session.conversation == crashed.conversation
        assert f"{told}; none of that was confirmed" in session.notes
        session.execute(append("after the tear"))
        session.abandon()
    again = on_disk.open(ID, read_only=True)
    assert again.conversation == session.conversation
    assert again.notes == ("4 changes were recovered from the journal",)
    assert not list(on_disk.folder.glob("*.kept"))


@pytest.mark.parametrize("write", ["sync", "close"])
def test_an_end_that_may_have_been_confirmed_is_kept_aside(
    on_disk: Library, crashed: Session, write: str
) -> None:
    (on_disk.folder / f"{ID}.confirmed").unlink()
    journal = on_disk.folder / f"{ID}.journal"
    torn = journal.read_bytes()[:-5]
    journal.write_bytes(torn)
    told = "1 line was dropped that broke off at the end of the journal file; that may have been"
    assert told in on_disk.verify(ID)[0]
    session = on_disk.open(ID)
    assert told in session.notes[-1]
    session.conversation.execute(append("b"))
    getattr(session, write)()
    session.close()
    (kept,) = on_disk.folder.glob(f"{ID}.journal.*.kept")
    assert kept.read_bytes() == torn
    assert on_disk.verify(ID) == []
    on_disk.delete(ID)
    on_disk.purge()
    assert not kept.exists()


def test_damage_in_the_middle_counts_every_line_from_there_on(
    on_disk: Library, crashed: Session
) -> None:
    journal = on_disk.folder / f"{ID}.journal"
    whole = lines(journal.read_bytes())
    journal.write_bytes(b"".join([*whole[:3], whole[3].replace(b"user", b"tool"), whole[4][:-1]]))
    before = files(on_disk)
    assert on_disk.verify(ID) == [
        "line 4 of the journal file can't be read: its checksum is wrong",
        "1 more of its lines was not used",
        "2 confirmed changes are missing at the end of the journal file",
    ]
    assert files(on_disk) == before


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        (4, []),
        (3, ["1 more of its lines was not used"]),
        (2, ["2 more of its lines were not used"]),
    ],
)
def test_a_line_that_can_not_be_read_is_not_counted_among_the_others(
    on_disk: Library, crashed: Session, bad: int, told: list[str]
) -> None:
    journal = on_disk.folder / f"{ID}.journal"
    whole = lines(journal.read_bytes())
    whole[bad] = whole[bad][:20] + b"?" + whole[bad][21:]
    journal.write_bytes(b"".join(whole))
    first, *more, missing = on_disk.verify(ID)
    assert first.startswith(f"line {bad + 1} of the journal file can't be read")
    assert more == told
    assert missing.startswith(f"{5 - bad} confirmed change")


@pytest.mark.parametrize(
    ("misfit", "told"),
    [(4, "1 line from there on was not used"), (3, "2 lines from there on were not used")],
)
def test_a_line_that_does_not_fit_is_counted_with_those_behind_it(
    on_disk: Library, crashed: Session, misfit: int, told: str
) -> None:
    journal = on_disk.folder / f"{ID}.journal"
    text = read_journal(journal.read_bytes())
    said = list(text.lines)
    said[misfit - 1] = {"n": 99}
    made, _ = lines_text(text.chains[0], said)
    journal.write_bytes(lines(journal.read_bytes())[0] + made)
    (finding,) = [one for one in on_disk.verify(ID) if "does not fit" in one]
    assert finding.endswith(f"change 99, but change {misfit} should follow; {told}")


def test_a_journal_of_another_session_file_is_told_with_its_lines(on_disk: Library) -> None:
    for text in ("a", "b"):
        session = on_disk.create(small(text))
        session.execute(append(text))
        session.abandon()
    one, two = on_disk.folder / f"{ID}.journal", on_disk.folder / "session00002.journal"
    two.replace(one)
    assert on_disk.verify(ID)[0].endswith("another session file, so its 1 line was not used")


def test_a_session_at_work_is_watched_without_findings(on_disk: Library) -> None:
    session = on_disk.create(small())
    session.execute(append("a"))
    journal = on_disk.folder / f"{ID}.journal"
    whole = journal.read_bytes()
    journal.write_bytes(whole + b"0123")  # The next line is on its way.
    assert Library(on_disk.folder).verify(ID) == []
    journal.write_bytes(whole)
    session.close()


def test_a_journal_is_not_written_larger_than_it_could_be_read(
    on_disk: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = on_disk.create(small())
    session.execute(append("a"))
    with monkeypatch.context() as small_disk:
        for module in ("disk", "journal_file"):
            small_disk.setattr(f"ctxtui.core.storage.{module}.MOST_BYTES", 900)
        with pytest.raises(NotSaved, match="at most 900 are legal"):
            session.execute(append("b" * 900))
        with pytest.raises(NotSaved, match="at most 900 are legal"):
            session.save()
    session.save()
    session.close()
    assert on_disk.verify(ID) == []
