"""What holds for every format, on its sample files: a new format gets all of this for free."""

import gzip
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ctxtui.core import Conversation, Message, Redact, Refused
from ctxtui.core.engine.messages import ToolUsePart, part_dict
from ctxtui.core.engine.meta_fields import PARTED, other_fields, parted
from ctxtui.core.formats import FORMATS, Format, Loaded, Source, detect, format_named, load_all
from ctxtui.core.formats.warnings import WarningCollector, sentences
from tests.core.formats.vectors import (
    CLEAN,
    FILES,
    FOLDER,
    READING,
    clean_files,
    every_file,
    every_json_file,
    format_of,
)
from tests.torture.mutations import mutated, mutated_bytes

TRIES = 24
OLD_METAS = json.loads((FOLDER.parent / "meta_of_0_1.json").read_text())
"""What version 0.1 kept as the meta of each conversation in a sample."""
STORED = json.loads((FOLDER.parent / "stored_by_0_1.json").read_text())
"""Conversations as version 0.1 stored them, and how it wrote them."""
LONGEST = 3
LONG = 20
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
        assert all("\n" not in problem for problem in sentences(one.warnings))
    assert bool(sentences(source.warnings)) == (path not in CLEAN)


@every_file
def test_no_other_format_is_as_sure(path: Path) -> None:
    sample = Source.of_path(path).sample
    mine = format_of(path).confidence(sample)
    assert all(known.confidence(sample) < mine for known in FORMATS if known is not format_of(path))


@clean_files
def test_what_is_read_is_written_again(path: Path) -> None:
    known = format_of(path)
    if not known.writes:
        return
    found = loaded(Source.of_path(path))
    conversations = [one.conversation for one in found]
    if path.parent.name == "native" and path.stem == "messages":
        return  # A plain list becomes a saved conversation.
    text = "".join(known.write_all(conversations, found[0].layout, WarningCollector()))
    assert values(Source.of_text(text)) == values(Source.of_path(path))


@clean_files
def test_what_version_0_1_has_read_is_written_again(path: Path) -> None:
    known = format_of(path)
    found = loaded(Source.of_path(path))
    metas = OLD_METAS.get(f"{path.parent.name}/{path.name}")
    if metas is None or known.name == "otel" or path.stem == "history":
        return  # Version 0.1 has not read it, or only one request, or each state apart.
    pairs = zip(found, metas, strict=True)
    conversations = [old_one(one.conversation, meta) for one, meta in pairs]
    for old, one in zip(conversations, found, strict=True):
        before, now = other_fields(old.meta), other_fields(one.conversation.meta)
        assert before.items() <= now.items()  # More is kept by now of what is only read.
        if known.writes:
            assert list(before.items()) == list(now.items())
    if known.writes:
        text = "".join(known.write_all(conversations, found[0].layout, WarningCollector()))
        assert values(Source.of_text(text)) == values(Source.of_path(path))


def old_one(conversation: Conversation, meta: Any) -> Conversation:
    """Return a conversation as version 0.1 stored it."""
    data = json.loads(json.dumps(conversation.to_dict()))
    data["journal"][0]["operation"]["meta"] = meta
    return Conversation.from_dict(data)


@pytest.mark.parametrize("known", sorted({one["format"] for one in STORED}))
def test_what_version_0_1_has_stored_is_written_as_it_wrote_it(known: str) -> None:
    for one in STORED:
        if one["format"] == known:
            conversation = Conversation.from_dict(one["conversation"])
            assert format_named(known).write(conversation).data == one["written"]


@clean_files
def test_text_beside_messages_is_in_the_other_fields(path: Path) -> None:
    for one in loaded(Source.of_path(path)):
        for key, notes in one.conversation.meta.items():
            if key in PARTED:
                assert parted(key, notes) == ({}, notes)


@clean_files
def test_what_is_read_survives_a_saved_conversation(path: Path) -> None:
    known = format_of(path)
    for one in loaded(Source.of_path(path)):
        again = Conversation.from_dict(json.loads(json.dumps(one.conversation.to_dict())))
        assert again == one.conversation
        if known.writes:
            assert known.write(again) == known.write(one.conversation)


SHORTEST_REMOVED = 5
"""Characters of a text that is looked for: shorter ones are in any JSON."""


def removed_strings(message: Message) -> set[str]:
    """Return what REDACT removes from a message: all its strings but ids and tool calls."""
    parts = [part for part in message.parts if not isinstance(part, ToolUsePart)]
    return {
        text
        for part in parts
        for text in leaves(part.body())
        if len(text) >= SHORTEST_REMOVED and text not in (message.id, *message.results)
    }


def leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from leaves(one)


@every_file
def test_a_redacted_message_holds_nothing_of_what_was_said(path: Path) -> None:
    for one in loaded(Source.of_path(path)):
        talk = one.conversation
        if not talk.view:
            continue
        talk.execute(Redact(indices=list(talk.view)))
        for new in talk.visible:
            # A tool call is kept, and may say the same again.
            calls = [part for part in new.parts if isinstance(part, ToolUsePart)]
            rest = new.to_dict() | {"content": [part_dict(p) for p in new.parts if p not in calls]}
            found = {text for message in talk.log for text in removed_strings(message)}
            assert not found & {*leaves(rest)} - {"[cleared]", new.role, new.id, *new.results}
            assert not [text for text in found if len(text) > LONG and text in str(rest)]


@every_file
def test_packing_and_encoding_change_nothing(path: Path) -> None:
    content = path.read_bytes()
    text = content.decode("utf-8-sig", "surrogatepass")
    wanted = [list(one.conversation.log) for one in loaded(Source.of_bytes(content))]
    for dirt, given in {
        "gzip": gzip.compress(content),
        "utf-16": text.encode("utf-16"),
        "crlf": text.replace("\r\n", "\n").replace("\n", "\r\n").encode(),
    }.items():
        found = [list(one.conversation.log) for one in loaded(Source.of_bytes(given))]
        assert found == wanted, dirt


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
        assert sum(map(len, sentences(one.warnings))) < LONGEST * 1_000
        assert one.conversation.check() == []
        if known.writes:
            assert known.write(one.conversation).text


@every_file
def test_damaged_bytes_are_read_or_refused(path: Path) -> None:
    chance, content = random.Random(1), path.read_bytes()
    for _ in range(TRIES):
        survives(Source.of_bytes(mutated_bytes(chance, content)), format_of(path))


@every_json_file
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
