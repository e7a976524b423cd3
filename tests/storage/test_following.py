"""A session that another writes is followed record by record, and nothing is ever written."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from ctxtui.core.storage import Follower, Library, Session, StorageError
from ctxtui.core.storage.disk import Disk, RealDisk
from tests.storage.conftest import Make
from tests.storage.failing import FailingDisk
from tests.storage.samples import EDITS, append, edited, small
from tests.storage.test_calls import same
from tests.storage.worker import some_edit

ID = "session00001"


def followed(library: Library) -> Follower:
    return Follower(library.open(ID, read_only=True))


def disk_of(library: Library) -> Disk:
    return library.open(ID, read_only=True).files.disk


def files_of(library: Library) -> dict[str, bytes]:
    disk = disk_of(library)
    return {name: disk.read(library.folder / name) for name in disk.names(library.folder)}


def overwrite(library: Library, ending: str, data: bytes) -> None:
    """Put other bytes into a file of the session, as no program of ours would."""
    disk_of(library).write_whole(library.folder / f"{ID}.{ending}", data)


def journal(library: Library) -> bytes:
    return disk_of(library).read(library.folder / f"{ID}.journal")


@pytest.fixture
def writer(library: Library) -> Session:
    return library.create(small(), title="tea")


def test_every_kind_of_change_is_followed_as_it_comes(library: Library, writer: Session) -> None:
    follower = followed(library)
    for edit in EDITS:
        writer.execute(edit)
        assert follower.look() == 1
        assert same(follower.session.conversation, writer.conversation)
    writer.conversation.record_call(model="m", tools=[{"name": "look"}], usage={"input": 12})
    writer.conversation.record_usage(12, 3)
    writer.sync()
    assert follower.look() == 2
    assert same(follower.session.conversation, writer.conversation)
    assert follower.session.conversation.check() == []
    assert follower.problem is None
    assert follower.session.is_saved


def test_looking_again_finds_nothing_and_writes_nothing(library: Library, writer: Session) -> None:
    writer.execute(append("four"))
    follower, before = followed(library), files_of(library)
    assert [follower.look(), follower.look()] == [0, 0]
    writer.execute(append("five"))
    assert [follower.look(), follower.look()] == [1, 0]
    after = files_of(library)
    follower.session.close()
    assert after.keys() == before.keys() == files_of(library).keys()
    assert after[f"{ID}.json"] == before[f"{ID}.json"]


def test_new_details_are_followed(library: Library, writer: Session) -> None:
    follower = followed(library)
    writer.describe(title="more tea", tags=["x"])
    assert follower.look() == 0
    assert (follower.session.title, follower.session.details.tags) == ("more tea", ("x",))
    writer.describe(title="even more tea")
    writer.save()
    follower.look()
    assert follower.session.title == "even more tea"


def test_a_fold_is_followed_when_all_was_read_before(library: Library, writer: Session) -> None:
    follower = followed(library)
    writer.execute(append("four"))
    follower.look()
    writer.save()
    assert follower.look() == 0
    writer.execute(append("five"))
    assert follower.look() == 1
    assert same(follower.session.conversation, writer.conversation)


def test_what_only_the_folded_file_has_is_read_from_there(
    library: Library, writer: Session
) -> None:
    follower = followed(library)
    for edit in EDITS[:6]:
        writer.execute(edit)
        if len(writer.conversation.journal) % 3 == 0:
            writer.save()
    writer.save()
    for edit in EDITS[6:]:
        writer.execute(edit)
    assert follower.look() == len(EDITS)
    assert same(follower.session.conversation, writer.conversation)


def test_a_writer_that_comes_back_is_followed_on(library: Library, writer: Session) -> None:
    follower = followed(library)
    assert follower.is_written
    writer.execute(append("four"))
    writer.close()
    assert (follower.look(), follower.is_written) == (1, False)
    with library.open(ID) as again:
        assert follower.is_written
        again.execute(append("five"))
        assert follower.look() == 1
    assert follower.look() == 0
    assert [one.text for one in follower.session.conversation.log][3:] == ["four", "five"]


@pytest.mark.parametrize("fold_at", [1, 2_000, 1 << 22])
def test_random_changes_and_looks_lead_to_the_same(make: Make, fold_at: int) -> None:
    library, random = make(fold_at=fold_at), Random(fold_at)
    writer = library.create(edited(), title="tea")
    follower = followed(library)
    for _ in range(60):
        try:
            writer.change(some_edit(writer.conversation, random))
        except ValueError:
            continue
        match random.randrange(6):
            case 0:
                writer.save()
            case 1 | 2 | 3:
                writer.sync()
        if random.random() < 0.4:
            follower.look()
    writer.close()
    follower.look()
    assert follower.problem is None
    assert same(follower.session.conversation, writer.conversation)


def test_a_half_written_line_is_waited_for(library: Library, writer: Session) -> None:
    writer.execute(append("four"))
    follower = followed(library)
    writer.execute(append("five"))
    whole = journal(library)
    for end in (1, 30):
        overwrite(library, "journal", whole[:-end])
        assert (follower.look(), follower.problem) == (0, None)
    overwrite(library, "journal", whole)
    assert follower.look() == 1
    assert follower.session.conversation.log[-1].text == "five"


def test_a_session_opened_within_a_half_written_line_is_followed(
    library: Library, writer: Session
) -> None:
    writer.execute(append("four"))
    writer.execute(append("five"))
    whole = journal(library)
    overwrite(library, "journal", whole[:-5])
    overwrite(library, "confirmed", b"")
    follower = followed(library)
    assert len(follower.session.conversation.log) == 4
    overwrite(library, "journal", whole)
    assert follower.look() == 1
    assert follower.session.conversation.log[-1].text == "five"


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (b"five", b"FIVE", "line 3 of the journal file can't be read: its checksum is wrong"),
        (b'"n":2', b'"n":9', "line 3 of the journal file can't be read"),
    ],
)
def test_damage_ends_following_with_a_sentence_and_what_was_read_stays(
    library: Library, writer: Session, old: bytes, new: bytes, why: str
) -> None:
    follower = followed(library)
    for text in ("four", "five", "six"):
        writer.execute(append(text))
    overwrite(library, "journal", journal(library).replace(old, new))
    assert follower.look() == 1
    assert follower.is_over
    assert follower.problem is not None
    assert follower.problem.startswith("'tea' in ")
    assert f"is no longer followed: {why}" in follower.problem
    assert follower.session.conversation.log[-1].text == "four"
    assert follower.look() == 0


def test_a_session_whose_files_are_damaged_is_not_followed(
    library: Library, writer: Session
) -> None:
    writer.execute(append("four"))
    overwrite(library, "journal", journal(library).replace(b"four", b"FOUR"))
    follower = followed(library)
    assert follower.is_over
    assert "its files are damaged" in (follower.problem or "")
    assert follower.look() == 0


def test_a_file_that_is_gone_is_told_and_followed_again_when_it_is_back(
    library: Library, writer: Session
) -> None:
    writer.execute(append("four"))
    follower = followed(library)
    writer.close()
    follower.look()
    library.delete(ID)
    assert follower.look() == 0
    assert "is gone; what was read of it stays" in (follower.problem or "")
    assert not follower.is_over
    library.restore(ID)
    with library.open(ID) as again:
        again.execute(append("five"))
        assert (follower.look(), follower.problem) == (1, None)
    assert len(follower.session.conversation.log) == 5


@pytest.mark.parametrize("step", ["write", "fsync"])
def test_a_journal_that_was_started_anew_brings_nothing_twice(tmp_path: Path, step: str) -> None:
    disk = FailingDisk(RealDisk())
    writer = Library(tmp_path / "library", disk=disk, ids=lambda: ID).create(small())
    writer.execute(append("four"))
    follower = followed(Library(tmp_path / "library"))
    writer.change(append("five"))
    disk.fail(["make_folder", "lock", "lock", "extend", "write", "fsync"].index(step))
    with pytest.raises(StorageError):
        writer.sync()
    assert disk.steps[-1] == step
    disk.recover()
    follower.look()
    writer.execute(append("six"))
    follower.look()
    assert same(follower.session.conversation, writer.conversation)
    assert follower.problem is None


def test_a_file_put_back_to_an_earlier_state_ends_following(
    library: Library, writer: Session
) -> None:
    early = files_of(library)[f"{ID}.json"]
    follower = followed(library)
    writer.execute(append("four"))
    writer.save()
    follower.look()
    overwrite(library, "json", early)
    assert follower.look() == 0
    assert "its file holds 1 changes, and 2 were read of it before" in (follower.problem or "")
    assert len(follower.session.conversation.log) == 4


def test_another_history_of_the_same_length_ends_following(make: Make, tmp_path: Path) -> None:
    library, elsewhere = make(), Library(tmp_path / "elsewhere", ids=lambda: ID)
    library.create(small(), title="tea")
    follower = followed(library)
    other = elsewhere.create(small("x", "y", "z"), title="tea")
    other.execute(append("longer"))
    other.close()
    overwrite(library, "json", (elsewhere.folder / f"{ID}.json").read_bytes())
    follower.look()
    assert "change 0 is another one than was read before" in (follower.problem or "")


def test_what_was_read_can_be_applied_piece_by_piece(library: Library, writer: Session) -> None:
    follower = followed(library)
    for text in ("four", "five", "six"):
        writer.execute(append(text))
    assert follower.read() == 3
    assert len(follower.session.conversation.log) == 3
    assert [follower.apply(2), follower.apply(2), follower.apply(2)] == [2, 1, 0]
    assert same(follower.session.conversation, writer.conversation)


def test_a_session_that_is_written_here_has_nobody_to_follow(writer: Session) -> None:
    with pytest.raises(StorageError, match="'tea' is written here"):
        Follower(writer)


class Counting(FailingDisk):
    """A disk that counts the bytes that are read."""

    def __init__(self, disk: Disk) -> None:
        super().__init__(disk)
        self.bytes_read = 0

    def _count(self, data: bytes) -> bytes:
        self.bytes_read += len(data)
        return data

    def read(self, path: Path, start: int = 0, size: int | None = None) -> bytes:
        return self._count(super().read(path, start, size))


@pytest.mark.parametrize("messages", [10, 3_000])
def test_a_new_record_costs_the_same_however_long_the_session_is(
    tmp_path: Path, messages: int
) -> None:
    library = Library(tmp_path / "library", ids=lambda: ID)
    writer = library.create(small(*(f"text {n}" for n in range(messages))))
    for number in range(messages // 10):
        writer.change(append(f"more {number}"))
    writer.sync()
    disk = Counting(RealDisk())
    follower = followed(Library(tmp_path / "library", disk=disk))
    follower.look()
    disk.bytes_read = 0
    writer.execute(append("one more"))
    assert follower.look() == 1
    assert disk.bytes_read < 300
    disk.bytes_read = 0
    assert follower.look() == 0
    assert disk.bytes_read == 0
