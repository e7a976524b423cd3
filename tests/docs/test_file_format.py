"""docs/file-format.md: its example is read, its tables have every key and part."""

from __future__ import annotations

import json

import pytest

from ctxtui.core import Conversation, Message
from ctxtui.core.conversation import native
from ctxtui.core.engine.calls import KEY_LENGTH, Call
from ctxtui.core.engine.dialects import OPERATIONS
from ctxtui.core.engine.journal import NAMES, ONLY_JOURNALED, RECORD_KEYS
from ctxtui.core.engine.messages import KEYS, PART_CLASSES, part_dict, read_part
from ctxtui.core.engine.operations import DescribeMeta
from ctxtui.core.formats import FORMATS, detection
from ctxtui.core.formats.source import MIB, MOST_BYTES
from ctxtui.core.values.frozen import DEEPEST
from tests.docs.pages import code_in, page

FORMAT = page("docs/file-format.md")


def every(heading: str) -> list[str]:
    return [name for row in FORMAT.table(heading) for name in code_in(row[0])]


def firsts(heading: str) -> tuple[str, ...]:
    return tuple(code_in(row[0])[0] for row in FORMAT.table(heading))


def example() -> Conversation:
    (text,) = FORMAT.blocks("json")
    return Conversation.from_dict(json.loads(text))


def test_the_example_is_read_and_tells_what_it_seems_to() -> None:
    c = example()
    assert c.visible[0].text == "Be brief."
    assert (len(c.log), len(c.batches), c.batch.number, c.marks) == (3, 2, 0, {})
    assert (c.meta["title"], c.settings.token_limit) == ("A short talk", 1000)
    assert c.tokens.total == Conversation(c.log).tokens.total
    c.redo()
    assert (list(c.view), c.marks) == ([1, 2], {"good": [2]})


def test_the_example_is_written_as_it_is_but_for_settings_at_their_usual_values() -> None:
    (text,) = FORMAT.blocks("json")
    given = json.loads(text)
    given["journal"][0]["operation"]["settings"] = example().settings.to_dict()
    assert example().to_dict() == given


def test_the_tables_have_every_key() -> None:
    assert firsts("in the file") == native.KEYS
    assert firsts("in a record") == RECORD_KEYS
    assert every("in a CALL") == list(Call.model_fields)
    assert firsts("key") == KEYS
    assert firsts("part") == tuple(part.type for part in PART_CLASSES)


def test_what_stands_only_in_a_journal_is_named() -> None:
    assert all(f"{one.title}, " in FORMAT.prose for one in ONLY_JOURNALED)
    assert NAMES.keys() - OPERATIONS.keys() == {
        DescribeMeta.title,
        *(one.title for one in ONLY_JOURNALED),
    }
    assert f"{DescribeMeta.title} " in FORMAT.prose
    assert f"the first {KEY_LENGTH} digits" in FORMAT.text


@pytest.mark.parametrize("row", FORMAT.table("part"), ids=lambda row: row[0])
def test_each_part_is_read_and_written_as_the_example_says(row: list[str]) -> None:
    data = json.loads(code_in(row[1])[0])
    assert part_dict(read_part(data, "part")) == data
    assert Message.from_dict({"role": "user", "content": [data]}).parts


def test_every_format_and_every_kind_that_is_refused_is_named() -> None:
    section = FORMAT.section("Other formats")
    assert [one.name for one in FORMATS if f"`{one.name}`" not in section.text] == []
    shapes = (*detection.SHAPES, *detection.PART_SHAPES.values())
    read = {kind for one in FORMATS for kind in one.kinds}
    kinds = {kind.split(",")[0] for kind, _ in shapes if kind not in read}
    assert [kind for kind in kinds if kind not in section.prose] == []


def test_the_limits_are_those_of_the_code() -> None:
    limits = FORMAT.section("Limits").text
    assert f"{MOST_BYTES // MIB // 1024} GiB" in limits
    assert f"{DEEPEST} levels" in limits
