"""Adding a format: what an author writes, and what comes by itself."""

from collections.abc import Iterator
from typing import Any

import pytest

from ctxtui.core import Conversation
from ctxtui.core.formats import (
    FORMATS,
    Confidence,
    Layout,
    Loaded,
    Source,
    detect,
    detection,
    load_all,
    registry,
)
from ctxtui.core.formats.base import JsonFormat, ReadOnly
from ctxtui.core.formats.source import SourceSample
from ctxtui.core.formats.transcripts import TreeNode, build_tree
from ctxtui.core.formats.warnings import sentences
from tests.core.samples import refusal


class Pairs(ReadOnly, JsonFormat):
    """Two values are a conversation."""

    name = "pairs"
    about = "questions with their answers"
    kinds = ("pairs of a question and its answer",)
    signs = ({"asked": str, "said": str},)

    def read_one(self, value: Any) -> Loaded:
        rows = [("user", value["asked"]), ("assistant", value["said"])]
        messages = [{"role": role, "content": text} for role, text in rows]
        return Loaded(Conversation(messages), self.name)


class Branching(ReadOnly):
    """Each line is a message that knows its parent."""

    name = "branching"
    about = "a tree of messages"

    def confidence(self, sample: SourceSample) -> Confidence:
        is_own = any("up" in item for item in sample.items if isinstance(item, dict))
        return Confidence.CERTAIN if is_own else Confidence.NO

    def read(self, source: Source) -> Iterator[Loaded]:
        nodes = [
            TreeNode(row["id"], row["up"], [{"role": "user", "content": row["id"]}], line=line)
            for line, row in source.rows()
        ]
        yield Loaded(build_tree(nodes, source.collector), self.name, layout=Layout.ITEMS)


SIGNS = [(kind, sign) for kind, sign in detection.SHAPES if kind in Pairs.kinds]
for one in SIGNS:
    detection.SHAPES.remove(one)  # Only these tests know the format.


@pytest.fixture(autouse=True)
def added(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(registry, "FORMATS", (*FORMATS, Pairs(), Branching()))
    detection.SHAPES.extend(SIGNS)
    yield
    for one in SIGNS:
        detection.SHAPES.remove(one)


PAIR = b'{"asked": "add 1 1", "said": "2"}'


@pytest.mark.parametrize(
    ("content", "layout", "count"),
    [
        (PAIR, Layout.DOCUMENT, 1),
        (b"[" + PAIR + b"]", Layout.LIST, 1),
        (b"[" + PAIR + b",\n" + PAIR + b"]", Layout.LIST, 2),
        (PAIR + b"\n" + PAIR + b"\n{", Layout.LINES, 2),
    ],
    ids=["document", "list of one", "list", "lines"],
)
def test_how_conversations_lie_in_a_file_comes_by_itself(
    content: bytes, layout: Layout, count: int
) -> None:
    found = list(load_all(Source.of_bytes(content)))
    assert [(one.format, one.layout) for one in found] == [("pairs", layout)] * count


def test_a_tree_of_lines_is_read_with_what_is_wrong_in_it() -> None:
    source = Source.of_bytes(b'{"id": "a", "up": null}\n5\n{"id": "b", "up": "x"}\n{"id"')
    (found,) = load_all(source)
    assert [message.text for message in found.conversation.visible] == ["b"]
    assert sentences(source.warnings) == (
        "values that are not JSON objects were left out (line 2)",
        "the last line is cut off and was left out (line 4)",
        "messages with a missing parent start a new branch (line 3)",
    )


def test_signs_alone_tell_a_format_from_all_others() -> None:
    sample = Source.of_bytes(PAIR).sample
    found = {known.name: known.confidence(sample) for known in registry.FORMATS}
    assert {name for name, confidence in found.items() if confidence} == {"pairs"}


def test_what_is_only_read_is_not_written() -> None:
    known = detect(Source.of_bytes(PAIR))
    caught = refusal(lambda: known.write(Conversation()))
    assert str(caught) == "pairs can be read, not written"
