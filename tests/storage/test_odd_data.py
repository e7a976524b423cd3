"""Data that nothing of ours would write: it is damage, told in a sentence, in no time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ctxtui.core import Conversation, Refused
from ctxtui.core.storage import Damaged, Library
from ctxtui.core.storage.checksummed import END, SEAL, ChecksummedStorage, digest, stated_checksum
from ctxtui.core.storage.journal_file import CHAIN, Header, header_text, line_text
from ctxtui.core.storage.replay import salvage
from ctxtui.core.values.times import LATEST, milliseconds
from tests.storage.samples import append, said, small

ID = "session00001"
LONG = 1_000_000
"""Bytes for which anything but a linear search would take hours."""


def spaced(count: int) -> bytes:
    return b'{"messages":{"1":{"role":"user","content":"kept"}},{' + b" " * count


def commas(count: int) -> bytes:
    return spaced(0) + b" ," * (count // 2)


def nested(count: int) -> bytes:
    return b'{"messages":{' + b"".join(b'"%d":{"x":1,' % row for row in range(1, count // 15))


def open_rows(count: int) -> bytes:
    rows = (b'"%d":{"x":[' % number for number in range(1, count // 12))
    return b'{"messages":{' + b",".join(rows)


def far_apart(count: int) -> bytes:
    row = b',"%d":{"role":"user","content":"kept"}'
    return b'{"messages":{"1":{"role":"user","content":"kept"}' + b"".join(
        row % number for number in range(100_000, count // 40 * 100_000, 100_000)
    )


@pytest.mark.parametrize("make", [spaced, commas, far_apart])
def test_what_can_be_read_of_a_long_text_is_found_without_going_back(
    make: Callable[[int], bytes],
) -> None:
    found = salvage(make(LONG), None, milliseconds)
    assert found.conversation.log[0].text == "kept"


@pytest.mark.parametrize("make", [nested, open_rows])
def test_a_text_that_begins_again_and_again_is_given_up(make: Callable[[int], bytes]) -> None:
    with pytest.raises(Damaged):
        salvage(make(LONG), None, milliseconds)
    kept = b'{"messages":{"1":{"role":"user","content":"kept"},'
    found = salvage(kept + make(LONG), None, milliseconds)
    assert found.conversation.log[0].text == "kept"
    assert any("its end was not read" in one for one in found.lost)


def rewritten(library: Library, change: Callable[[dict[str, Any]], object]) -> None:
    storage = ChecksummedStorage(library.folder / f"{ID}.json")
    tables = storage.read()
    assert tables is not None
    change(tables)
    storage.write(tables)


LATE: dict[str, Callable[[dict[str, Any]], object]] = {
    "a change": lambda t: t["journal"]["1"].update(time=10**17),
    "a group": lambda t: t["journal"]["2"].update(times=[10**17, 10**17]),
    "created": lambda t: t["meta"]["1"].update(created=10**17),
    "updated": lambda t: t["meta"]["1"].update(updated=LATEST + 1),
}


@pytest.mark.parametrize("what", LATE)
def test_a_time_that_no_calendar_has_is_damage(on_disk: Library, what: str) -> None:
    with on_disk.create(small()) as session:
        session.execute(append("a"))
        session.execute(append("b"))
    rewritten(on_disk, LATE[what])
    assert "outside 0…253402214400000" in on_disk.verify(ID)[0]
    with on_disk.open(ID) as session:
        assert session.id != ID
        assert {"one", "b"} <= {message.text for message in session.conversation.log}
        assert session.details.updated <= LATEST
    assert all(entry.updated <= LATEST for entry in on_disk.list())


def test_a_time_that_no_calendar_has_is_damage_in_a_journal_file(on_disk: Library) -> None:
    with on_disk.create(small()) as session:
        session.execute(append("a"))
        record = session.conversation.journal[-1].to_dict()
    base = stated_checksum((on_disk.folder / f"{ID}.json").read_bytes())
    assert base is not None
    text, chain = header_text(Header(ID, base, 2))
    text += line_text(chain, {"n": 2, "record": {**record, "time": 10**17}})[0]
    (on_disk.folder / f"{ID}.journal").write_bytes(text)
    assert "time 100000000000000000 is outside" in on_disk.verify(ID)[0]
    with on_disk.open(ID) as session:
        assert session.id != ID


def test_no_clock_can_make_what_could_not_be_opened_again() -> None:
    with pytest.raises(Refused, match="clock 100000000000000000 is outside"):
        Conversation([], clock=lambda: 10**17)
    times = iter([1, LATEST, LATEST + 1])
    conversation = Conversation([], clock=lambda: next(times))
    conversation.append("user", "the last moment")
    with pytest.raises(Refused, match="is outside"):
        conversation.append("user", "too late")


DIGITS = b"1" * 5_000


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("where", ["session file", "sealed", "journal", "record", "index"])
def test_a_number_with_too_many_digits_is_damage(on_disk: Library, where: str, exact: bool) -> None:
    session = on_disk.create(Conversation([said("user", "\ud800" if exact else "x")]), title="tea")
    session.execute(append("\ud800" if exact else "a"))
    session.abandon()
    main, journal = on_disk.folder / f"{ID}.json", on_disk.folder / f"{ID}.journal"
    match where:
        case "session file":
            main.write_bytes(main.read_bytes().replace(b'"records":1', b'"records":' + DIGITS))
        case "sealed":
            number = 1_234_567_890
            rewritten(on_disk, lambda t: t["meta"]["1"].update(tokens=number))
            data = main.read_bytes().replace(b"%d" % number, DIGITS)
            before = data[: data.rindex(b',"checksum"')]
            main.write_bytes(before + _seal(before))
        case "journal":
            whole = journal.read_bytes().splitlines(keepends=True)
            journal.write_bytes(whole[0] + _line(whole[0][:16], b'{"n":' + DIGITS + b"}", exact))
        case "record":
            (on_disk.folder / f"{ID}.confirmed").write_bytes(_line(b"", DIGITS, exact))
        case _:
            (on_disk.folder / "index.json").write_bytes(b'{"sessions":{"1":{"id":' + DIGITS)
    assert len(on_disk.list()) == 1
    if where == "index":
        assert on_disk.verify(ID) == []
        return
    assert all(len(one) < 300 for one in on_disk.verify(ID))
    assert on_disk.verify(ID)
    with on_disk.open(ID) as again:
        assert again.notes


def _seal(before: bytes) -> bytes:
    return SEAL + digest(before).encode() + END


def _line(chain: bytes, body: bytes, exact: bool) -> bytes:
    said = (b"x " if exact else b"q ") + body
    return digest(chain, said, size=CHAIN).encode() + b" " + said + b"\n"
