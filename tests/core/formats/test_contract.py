"""What holds for every format, on its sample files: a new format gets all of this for free."""

import gzip
import json
import random
from pathlib import Path
from typing import Any

import pytest

from core import Conversation, Refused
from core.formats import FORMATS, Format, Loaded, Source, detect, load_all
from core.formats.remarks import Remarks
from tests.core.formats.vectors import (
    CLEAN,
    FILES,
    READING,
    clean_files,
    every_file,
    format_of,
)
from tests.torture.mutations import mutated, mutated_bytes

TRIES = 60
LONGEST = 3
"""Kilobytes of problems that a small file may cause at most: kinds are told, not cases."""


def loaded(source: Source) -> list[Loaded]:
    return list(load_all(source))


def values(source: Source) -> list[Any]:
    return [value for _, value in source.records()]


@pytest.mark.parametrize("known", READING, ids=lambda known: known.name)
def test_every_format_has_samples(known: Format) -> None:
    assert any(format_of(path) is known for path in CLEAN)


@every_file
def test_a_sample_is_detected_and_read(path: Path) -> None:
    source = Source.of_path(path)
    known = detect(source)
    assert known.name == path.parent.name
    found = loaded(source)
    assert found
    for one in found:
        assert one.format == known.name
        assert one.conversation.check() == []
        assert all("\n" not in problem for problem in one.problems)
    assert bool(source.problems) == (path not in CLEAN)


@every_file
def test_no_other_format_is_as_sure(path: Path) -> None:
    sample = Source.of_path(path).sample
    mine = format_of(path).sureness(sample)
    assert all(known.sureness(sample) < mine for known in FORMATS if known is not format_of(path))


@clean_files
def test_what_is_read_is_written_again(path: Path) -> None:
    known = format_of(path)
    if not known.writes:
        return
    found = loaded(Source.of_path(path))
    conversations = [one.conversation for one in found]
    if path.parent.name == "native" and path.stem == "messages":
        return  # A plain list becomes a saved conversation.
    text = "".join(known.write_all(conversations, found[0].layout, Remarks()))
    assert values(Source.of_text(text)) == values(Source.of_path(path))


@clean_files
def test_what_is_read_survives_a_saved_conversation(path: Path) -> None:
    known = format_of(path)
    for one in loaded(Source.of_path(path)):
        again = Conversation.from_dict(json.loads(json.dumps(one.conversation.to_dict())))
        assert again == one.conversation
        if known.writes:
            assert known.write(again) == known.write(one.conversation)


@every_file
@pytest.mark.parametrize("dirt", ["gzip", "utf-16", "crlf"])
def test_packing_and_encoding_change_nothing(path: Path, dirt: str) -> None:
    content = path.read_bytes()
    text = content.decode("utf-8-sig", "surrogatepass")
    given = {
        "gzip": gzip.compress(content),
        "utf-16": text.encode("utf-16"),
        "crlf": text.replace("\r\n", "\n").replace("\n", "\r\n").encode(),
    }[dirt]
    assert [list(one.conversation.log) for one in loaded(Source.of_bytes(given))] == [
        list(one.conversation.log) for one in loaded(Source.of_bytes(content))
    ]


def survives(source: Source, known: Format) -> None:
    """Read and write whatever comes, which may be refused in a sentence and nothing else."""
    refused = ""
    found: list[Loaded] = []
    try:
        found = list(load_all(source, known.name))
    except Refused as caught:
        refused = str(caught)
    assert "\n" not in refused
    assert len(refused) < LONGEST * 1_000
    for one in found:
        assert sum(map(len, one.problems)) < LONGEST * 1_000
        assert one.conversation.check() == []
        if known.writes:
            assert known.write(one.conversation).text


@every_file
def test_damaged_bytes_are_read_or_refused(path: Path) -> None:
    chance, content = random.Random(1), path.read_bytes()
    for _ in range(TRIES):
        survives(Source.of_bytes(mutated_bytes(chance, content)), format_of(path))


@every_file
def test_odd_values_are_read_or_refused(path: Path) -> None:
    chance, content = random.Random(2), values(Source.of_path(path))
    whole = Source.of_path(path)
    document = None if whole.is_lines else whole.document()
    for _ in range(TRIES):
        if document is not None:
            survives(Source.of_data(mutated(chance, document)), format_of(path))
        odd = mutated(chance, content)
        lines = "\n".join(map(dumped, odd if isinstance(odd, list) else [odd]))
        survives(Source.of_text(lines), format_of(path))


def dumped(value: object) -> str:
    """Return a value as somebody's JSON, also one that Python writes nowhere."""
    try:
        return json.dumps(value)
    except (ValueError, RecursionError):
        return '{"messages": ' + "9" * 5_000 + "}"


def test_any_format_survives_the_samples_of_all_others() -> None:
    for path in FILES:
        for known in READING:
            survives(Source.of_path(path), known)
