"""Bytes flipped, files cut off: never a crash, never a silently wrong session."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from ctxtui.core import Conversation
from ctxtui.core.storage import Damaged, Library, StorageError
from tests.storage.samples import EDITS, append, edited, small

ID = "session00001"
FLIPS, CUTS = 40, 20
ENDS = ("json", "journal", "confirmed")


class Files:
    """The files of a session as they were, to be damaged and put back."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.paths = [library.folder / f"{ID}.{end}" for end in ENDS]
        self.data = [path.read_bytes() for path in self.paths]

    def put(self, which: int, data: bytes | None) -> None:
        for path in self.library.folder.iterdir():
            path.unlink()
        for path, whole in zip(self.paths, self.data, strict=True):
            path.write_bytes(whole)
        if data is None:
            self.paths[which].unlink()
        else:
            self.paths[which].write_bytes(data)


@pytest.fixture
def files(on_disk: Library) -> Files:
    session = on_disk.create(edited(), title="tea")
    for edit in (append("confirmed"), append("and", "confirmed"), EDITS[3], append("last")):
        session.execute(edit)
    session.describe(tags=["x"])
    session.abandon()
    return Files(on_disk)


def look(files: Files, legal: list[Conversation], which: int, data: bytes) -> str:
    """Open a damaged session; it must be a legal one, or say what is wrong with it."""
    files.put(which, data)
    wrong = files.library.verify(ID) if data != files.data[which] else []
    files.put(which, data)
    try:
        session = files.library.open(ID)
    except StorageError as refusal:
        assert wrong
        return type(refusal).__name__
    session.close()
    if session.id == ID:
        told = [note for note in session.notes if "recovered from the journal" not in note]
        assert told or session.conversation in legal
        return "dropped" if told else "legal"
    assert wrong
    assert "stays as it is" in session.notes[-1]
    assert files.paths[which].read_bytes() == data
    with files.library.open(session.id) as again:
        assert again.conversation == session.conversation
    return "recovered"


@pytest.mark.parametrize("which", [0, 1], ids=["file", "journal"])
def test_a_flipped_byte_is_never_silent(files: Files, which: int) -> None:
    whole = files.library.open(ID, read_only=True).conversation
    random = Random(which)
    seen = set()
    for _ in range(FLIPS):
        data = bytearray(files.data[which])
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
        seen.add(look(files, [whole], which, bytes(data)))
    assert "recovered" in seen
    assert seen <= {"recovered", "TooNew"}


@pytest.mark.parametrize("which", [0, 1], ids=["file", "journal"])
def test_a_file_cut_off_anywhere_is_never_silent(files: Files, which: int) -> None:
    whole = files.library.open(ID, read_only=True).conversation
    size = len(files.data[which])
    cuts = {*range(0, size, size // CUTS), *range(size - 9, size), 1}
    for cut in sorted(cuts):
        assert look(files, [whole], which, files.data[which][:cut]) in ("recovered", "Damaged")


def test_every_message_before_a_cut_is_recovered(files: Files) -> None:
    data = files.data[0]
    cut = data.index(b'"nine"')
    files.put(0, data[:cut])
    files.paths[1].unlink()
    files.paths[2].unlink()
    with files.library.open(ID) as session:
        texts = [message.text for message in session.conversation.log]
    assert texts == ["one", "two", "three", "four", "five", "six", "seven", "eight"]
    assert any("the history could not be read" in note for note in session.notes)


def test_a_message_that_cannot_be_read_is_named_and_the_others_are_kept(files: Files) -> None:
    data = files.data[0].replace(
        b'"role":"user","content":"three"', b'"role":"user","content":"three'
    )
    files.put(0, data)
    with files.library.open(ID) as session:
        texts = [message.text for message in session.conversation.log]
    assert "three" not in texts
    assert {"one", "two", "four", "eleven", "confirmed", "last"} <= set(texts)
    assert "1 message could not be read: 2" in session.notes


def test_history_is_followed_as_far_as_it_goes(files: Files) -> None:
    data = files.data[0].replace(b'"text":"the cut"', b'"text":""')
    assert data != files.data[0]
    files.put(0, data)
    with files.library.open(ID) as session:
        conversation = session.conversation
    assert conversation.batch.number == 2
    assert conversation.marks == {"kept": [0, 5]}
    assert {"eleven", "last"} <= {message.text for message in conversation.log}
    assert any("changes could not be done again" in note for note in session.notes)


def test_a_recovered_copy_is_made_once(files: Files) -> None:
    files.put(0, files.data[0].replace(b'"three"', b'"tree"'))
    first = files.library.open(ID)
    first.execute(append("more"))
    first.close()
    with files.library.open(ID) as second:
        assert second.id == first.id
        assert second.conversation == first.conversation
        assert "this is the copy that was made of it earlier" in second.notes
    assert len(files.library.list()) == 2


def test_a_damaged_session_can_be_looked_at_without_a_copy(files: Files) -> None:
    files.put(0, files.data[0].replace(b'"three"', b'"tree"'))
    reader = files.library.open(ID, read_only=True)
    assert reader.id == ID
    assert "the session file was changed by another program" in reader.notes
    assert len(files.library.list()) == 1


@pytest.mark.parametrize("data", [b"", b"\0" * 500, b"[]", b"{}", b"null", b"\xff\xfe", b'{"a":1}'])
def test_a_file_with_nothing_to_read_is_told_in_one_sentence(on_disk: Library, data: bytes) -> None:
    on_disk.create(small()).close()
    path: Path = on_disk.folder / f"{ID}.json"
    path.write_bytes(data)
    with pytest.raises(Damaged, match="nothing in the session file can be read"):
        on_disk.open(ID)
    assert path.read_bytes() == data
    assert on_disk.list()[0].problem is not None
    assert len(on_disk.verify(ID)) == 1


def test_a_journal_of_another_session_is_not_used(files: Files) -> None:
    with files.library.create(small(), title="other") as other:
        other.execute(append("not mine"))
        journal = (files.library.folder / f"{other.id}.journal").read_bytes()
    files.paths[1].write_bytes(journal)
    files.paths[2].unlink()
    with files.library.open(ID) as session:
        assert "not mine" not in [message.text for message in session.conversation.log]
        assert any("continues another session file" in note for note in session.notes)


def test_a_missing_or_swapped_line_of_the_journal_is_seen(files: Files) -> None:
    first, second, third, *rest = files.data[1].splitlines(keepends=True)
    for lines in ([first, third, *rest], [first, third, second, *rest], [second, third, *rest]):
        files.put(1, b"".join(lines))
        assert files.library.verify(ID)
        with files.library.open(ID) as session:
            assert session.id != ID
