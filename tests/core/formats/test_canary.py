"""Removed text is gone: planted in every place of every format's files, removed, and looked for."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from ctxtui.core.curation.patterns import own_pattern
from ctxtui.core.curation.purging import leftovers_in, squash_session
from ctxtui.core.curation.replacing import find_in, replace_in
from ctxtui.core.errors import Refused
from ctxtui.core.formats import Loaded, Source, format_named, load_all
from ctxtui.core.storage import Library
from tests.core.formats.vectors import CLEAN, FOLDER, JSON, format_of
from tests.storage.samples import numbered, ticking

CANARIES = ("zq7", "the long canary zq40712 sings", "退货流程的秘密", 'say "zq\\8" 🦜')
"""Short and long, ASCII and not, and what JSON has to escape."""
Path_ = tuple[str | int, ...]


def leaves(value: Any, path: Path_ = ()) -> Iterator[Path_]:
    """Yield the path of every text below a value, also of those in JSON that is a text."""
    if isinstance(value, str):
        inner = parsed(value)
        if inner is not None:
            yield from leaves(inner, (*path, "json"))
        else:
            yield path
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from leaves(one, (*path, "key", key))
    elif isinstance(value, list):
        for number, one in enumerate(value):
            yield from leaves(one, (*path, number))


def parsed(text: str) -> Any:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict | list) else None


def planted(value: Any, path: Path_, canary: str) -> Any:
    """Return a copy with a canary in the text at a path."""
    match path:
        case ():
            return f"{value} {canary}"
        case ("json", *rest):
            return json.dumps(planted(parsed(value), tuple(rest), canary), ensure_ascii=False)
        case ("key", key, *rest):
            return {**value, key: planted(value[key], tuple(rest), canary)}
        case (int(at), *rest):
            return [*value[:at], planted(value[at], tuple(rest), canary), *value[at + 1 :]]
    raise AssertionError(path)


def dumped(values: list[Any], *, is_lines: bool) -> str:
    if is_lines:
        return "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in values)
    return json.dumps(values[0], ensure_ascii=False)


def read(text: str, name: str) -> list[Loaded]:
    try:
        return list(load_all(Source.of_text(text), name))
    except Refused:
        return []


def shape(found: list[Loaded]) -> list[tuple[Any, ...]]:
    """Return what planting must not change, lest it is another file: its messages and calls."""
    talks = [one.conversation for one in found]
    return [
        (len(talk.log), len(talk.view), len(talk.calls.all), [len(m.parts) for m in talk.log])
        for talk in talks
    ]


def full_of_canaries(path: Path) -> tuple[str, int]:
    """Return a sample file with a canary wherever its format still reads it, and how many."""
    source, name = Source.of_path(path), format_of(path).name
    is_lines = source.is_lines
    values: list[Any] = (
        [value for _, value in source.records()] if is_lines else [source.document()]
    )
    wanted = shape(read(dumped(values, is_lines=is_lines), name))
    count = 0

    def plant(places: list[tuple[Path_, str]]) -> None:
        """Plant in all of some places; where that makes another file of it, in each half."""
        nonlocal values, count
        tried = values
        for place, canary in places:
            tried = planted(tried, place, canary)
        if shape(read(dumped(tried, is_lines=is_lines), name)) == wanted:
            values, count = tried, count + len(places)
        elif len(places) > 1:
            plant(places[: len(places) // 2])
            plant(places[len(places) // 2 :])

    plant(
        [
            (place, CANARIES[(number + len(path.name)) % len(CANARIES)])
            for number, place in enumerate(leaves(values))
        ]
    )
    return dumped(values, is_lines=is_lines), count


def ways(text: str) -> set[bytes]:
    """Return every way in which a file may hold a text."""
    once = json.dumps(text)[1:-1]
    texts = {text, text.casefold(), once, json.dumps(once)[1:-1]}
    texts |= {json.dumps(one, ensure_ascii=False)[1:-1] for one in texts}
    found = {one.encode(code) for one in texts for code in ("utf-8", "utf-16-le")}
    found |= {quote(text).encode(), text.encode().hex().encode()}
    if len(text) > 6:  # Shorter ones are in any base64 by accident.
        for shift in range(3):
            packed = base64.b64encode(b" " * shift + text.encode())
            found.add(packed[4 if shift else 0 : -4])
    return {one.lower() for one in found}


def holding(folder: Path, text: str) -> list[str]:
    """Return the files below a folder that hold a text in any way."""
    looked_for = ways(text)
    contents = {file: file.read_bytes().lower() for file in folder.rglob("*") if file.is_file()}
    return [
        file.relative_to(folder).as_posix()
        for file, content in sorted(contents.items())
        if any(way in content for way in looked_for)
    ]


PLANTED: dict[str, list[Path]] = {}
for clean in CLEAN:
    if clean in JSON:
        PLANTED.setdefault(clean.parent.name, []).append(clean)


@pytest.mark.parametrize("format", PLANTED)
def test_text_that_was_removed_is_in_no_byte(format: str, tmp_path: Path) -> None:
    folder = tmp_path / "library"
    library = Library(folder, clock=ticking(1000), ids=numbered())
    what = [own_pattern(one, "", case_sensitive=False) for one in CANARIES]
    for path in PLANTED[format]:
        file, count = full_of_canaries(path)
        assert count > 0, path
        for loaded in read(file, format):
            with library.create(loaded.conversation, title=loaded.title or "a talk") as session:
                old = session.id
            replace_in(library, old, what, everywhere=True)
            stays = find_in(library, old, what, everywhere=True).stays
            assert not stays.total("everywhere", "roles"), path
            squash_session(library, old, is_purging=True)
    assert {one: found for one in CANARIES if (found := holding(folder, one))} == {}
    exports = tmp_path / "exports"
    exports.mkdir()
    for entry in library.list():
        with library.open(entry.id, read_only=True) as session:
            for name in ("native", format, "openai"):
                known = format_named(name)
                if known.writes:
                    text = known.write(session.conversation).text
                    (exports / f"{entry.id}-{name}").write_text(text, encoding="utf-8")
    assert {one: found for one in CANARIES if (found := holding(exports, one))} == {}


@pytest.mark.parametrize("name", ["hf/parts.json", "langchain/messages.json"])
def test_a_session_that_was_purged_is_not_suspected_of_leftovers(name: str, tmp_path: Path) -> None:
    library = Library(tmp_path, clock=ticking(1000), ids=numbered())
    (loaded,) = load_all(Source.of_path(FOLDER / name))
    with library.create(loaded.conversation, title="a talk") as session:
        old = session.id
    made = squash_session(library, old, is_purging=True)
    assert leftovers_in(library, made.new).all == ()


def test_warnings_hold_no_text_of_a_message_that_can_not_be_read() -> None:
    rows = [{"type": "human", "content": "hello"}, "secret 40712 of Ann", "x"]
    (loaded,) = load_all(Source.of_data(rows), "langchain")
    assert "message-unreadable" in {one.code for one in loaded.warnings}
    assert "40712" not in str([one.to_dict() for one in loaded.warnings])
