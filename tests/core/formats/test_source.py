"""Sources: packed, encoded and dirty data; each kind of dirt is told with its line."""

import gc
import gzip
import io
import json
import tracemalloc
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import pytest
import zstandard

from ctxtui.core import Refused
from ctxtui.core.formats import Source
from ctxtui.core.formats.source import FIRST, SourceRecord
from ctxtui.core.formats.warnings import sentences
from tests.core.samples import refusal

ROWS = [{"a": 1, "b": "ß 日本 😀"}, {"a": 2}]
LINES = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS)
PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gzip": gzip.compress,
    "zstd": zstandard.compress,
    "zstd in two": lambda data: zstandard.compress(data[:9]) + zstandard.compress(data[9:]),
}
DAMAGED = "the compressed data is damaged or cut off; only what comes before that was read"
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be")


def read(content: bytes) -> tuple[list[Any], tuple[str, ...]]:
    source = Source.of_bytes(content)
    values = [value for _, value in source.records()]
    return values, sentences(source.warnings)


@pytest.mark.parametrize("packing", PACKINGS.values(), ids=PACKINGS.keys())
@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_lines_are_read_however_packed_and_encoded(
    packing: Callable[[bytes], bytes], encoding: str, end: str
) -> None:
    content = packing(LINES.replace("\n", end).encode(encoding))
    source = Source.of_bytes(content)
    assert source.is_lines
    assert list(source.records()) == [SourceRecord(1, ROWS[0]), SourceRecord(2, ROWS[1])]
    assert sentences(source.warnings) == ()


@pytest.mark.parametrize("packing", PACKINGS.values(), ids=PACKINGS.keys())
@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("indent", [None, 1])
def test_a_document_is_read_however_packed_and_encoded(
    packing: Callable[[bytes], bytes], encoding: str, indent: int | None
) -> None:
    text = json.dumps(ROWS, ensure_ascii=False, indent=indent)
    source = Source.of_bytes(packing(text.encode(encoding)))
    assert not source.is_lines
    assert source.document() == ROWS
    assert [value for _, value in source.records()] == ROWS


DIRT: dict[str, tuple[bytes, list[Any], str]] = {
    "broken line": (
        b'{"a": 1}\n{"b" 2}\n{"c": 3}\n',
        [{"a": 1}, {"c": 3}],
        "lines that are not JSON were left out: Expecting ':' delimiter (line 2)",
    ),
    "broken first line": (
        b'{"b" 2}\n{"a": 1}\n{"c": 3}\n',
        [{"a": 1}, {"c": 3}],
        "lines that are not JSON were left out: Expecting ':' delimiter (line 1)",
    ),
    "cut off": (
        b'{"a": 1}\n{"b": 2}\n{"c": "x',
        [{"a": 1}, {"b": 2}],
        "the last line is cut off and was left out (line 3)",
    ),
    "byte": (
        b'{"a": 1}\n{"b": "\xff"}\n{"c": 3}\n',
        [{"a": 1}, {"c": 3}],
        "lines that are not JSON were left out: byte 7 (0xff) is not UTF-8 text (line 2)",
    ),
    "not a number": (
        b'{"a": NaN}\n{"b": [-Infinity, 1e999]}\n',
        [{"a": None}, {"b": [None, None]}],
        "NaN and Infinity were read as null: NaN, -Infinity, 1e999 (lines 1, 2)",
    ),
    "too deep": (
        b'{"a": 1}\n' + b"[" * 200_000 + b"\n{}\n",
        [{"a": 1}, {}],
        "lines that are not JSON were left out: it is JSON nested deeper than can be read (line 2)",
    ),
}


@pytest.mark.parametrize(("content", "values", "problem"), DIRT.values(), ids=DIRT.keys())
def test_dirt_is_told_with_its_line_and_the_rest_is_read(
    content: bytes, values: list[Any], problem: str
) -> None:
    assert read(content) == (values, (problem,))


def test_blank_lines_and_odd_ends_are_nothing_to_tell() -> None:
    assert read(b'\n \r\n{"a": 1}\n\n\t\n{"b": 2}') == ([{"a": 1}, {"b": 2}], ())


def test_lone_surrogates_huge_numbers_and_keys_given_twice_are_read_as_they_are() -> None:
    values, problems = read(b'{"a": "\\ud800"}\n{"n": %d}\n{"k": 1, "k": 2}\n' % 10**30)
    assert values == [{"a": "\ud800"}, {"n": 10**30}, {"k": 2}]
    assert problems == ()
    assert Source.of_text('["\ud800"]').document() == ["\ud800"]
    assert Source.of_bytes('["\ud800"]'.encode("utf-16", "surrogatepass")).document() == ["\ud800"]


def test_only_objects_are_rows() -> None:
    source = Source.of_bytes(b'{"a": 1}\n5\n[]\n"x"\nnull\n{"b": 2}\n')
    assert [value for _, value in source.rows()] == [{"a": 1}, {"b": 2}]
    assert sentences(source.warnings) == (
        "values that are not JSON objects were left out (lines 2, 3, 4, 5)",
    )


PACKED_WAYS = pytest.mark.parametrize(
    "pack", [gzip.compress, zstandard.compress], ids=["gzip", "zstd"]
)


@PACKED_WAYS
def test_packed_data_that_is_cut_off_is_read_up_to_there(pack: Callable[[bytes], bytes]) -> None:
    lines = b"".join(b'{"n": %d, "x": "%x"}\n' % (n, n * 0x9E3779B97F4A7C15) for n in range(20_000))
    packed = pack(lines)
    source = Source.of_bytes(packed[: len(packed) // 2])
    values = [value["n"] for _, value in source.records()]
    assert values == list(range(len(values)))
    assert values
    assert DAMAGED in sentences(source.warnings)


@PACKED_WAYS
def test_packed_data_cut_off_between_two_lines_is_told_too(pack: Callable[[bytes], bytes]) -> None:
    rows = [{"x": sha256(b"%d" % n).hexdigest()[:54]} for n in range(5_000)]
    lines = [json.dumps(row).encode() + b"\n" for row in rows]
    assert {len(line) for line in lines} == {64}, "blocks of zstd end where a line does"
    packed = pack(b"".join(lines))
    for cut in (len(packed) * 2 // 3, len(packed) - 20, len(packed) - 1):
        source = Source.of_bytes(packed[:cut])
        values = [value for _, value in source.records()]
        assert values == rows[: len(values)]
        assert values
        assert DAMAGED in sentences(source.warnings)


@PACKED_WAYS
def test_packed_pieces_one_after_the_other_are_one_source(pack: Callable[[bytes], bytes]) -> None:
    source = Source.of_bytes(pack(b'{"n": 1}\n{"n"') + pack(b"") + pack(b': 2}\n{"n": 3}\n'))
    assert [value["n"] for _, value in source.records()] == [1, 2, 3]
    assert sentences(source.warnings) == ()


def test_damaged_packed_data_is_told() -> None:
    packed = bytearray(gzip.compress(LINES.encode()))
    packed[12:20] = b"\xff" * 8
    source = Source.of_bytes(bytes(packed))
    assert isinstance(refusal(source.document), Refused)
    assert DAMAGED in sentences(source.warnings)


def test_a_document_beyond_the_limit_is_refused_even_if_it_is_small_when_packed() -> None:
    content = gzip.compress(b'["' + b"a" * 5_000_000 + b'"]')
    assert len(content) < 10_000
    caught = refusal(Source.of_bytes(content, most=1 << 20).document)
    assert str(caught) == "a line or document in it is larger than the 1 MiB limit"


def fast_gzip(data: bytes) -> bytes:
    return gzip.compress(data, 1)


@pytest.mark.parametrize(
    ("pack", "start", "encoding"),
    [
        (bytes, "", "utf-8"),
        (bytes, "[1,\n", "utf-16-le"),
        (bytes, '{"n": 1}\n{"n": 2}\n', "utf-8"),
        (fast_gzip, "", "utf-16-le"),
        (fast_gzip, "[1,\n", "utf-8"),
        (fast_gzip, '{"n": 1}\n{"n": 2}\n', "utf-16-le"),
        (zstandard.compress, "", "utf-8"),
        (zstandard.compress, "[1,\n", "utf-16-le"),
        (zstandard.compress, '{"n": 1}\n{"n": 2}\n', "utf-8"),
    ],
)
def test_what_is_beyond_the_limit_takes_no_more_memory_than_the_limit(
    pack: Callable[[bytes], bytes], encoding: str, start: str
) -> None:
    most = 8 << 20
    text = start + '["' + Random(4).randbytes(most).hex() + '"]'
    packed = pack(text.encode(encoding))
    source = Source.of_bytes(packed, most=most)
    tracemalloc.start()
    try:
        caught = refusal(lambda: list(source.records()))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        gc.collect()  # Or what one case has packed is still there in the next.
    assert str(caught) == "a line or document in it is larger than the 8 MiB limit"
    assert peak < 1.5 * most


class Counted(io.BytesIO):
    """Bytes that know how far they were read."""

    furthest = 0

    def read(self, size: int | None = -1) -> bytes:
        found = super().read(size)
        Counted.furthest = max(Counted.furthest, self.tell())
        return found


def test_lines_are_read_one_after_the_other() -> None:
    content = b'{"a": "%s"}\n' % (b"x" * 1_000) * 10_000
    Counted.furthest = 0
    source = Source(lambda: Counted(content))
    records = source.records()
    next(records)
    assert Counted.furthest < len(content) / 10
    assert sum(1 for _ in records) == 9_999


def test_reading_tells_how_far_it_is_and_can_be_stopped(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_bytes(b'{"a": "%s"}\n' % (b"x" * 1_000) * 2_000)
    told: list[float] = []
    assert sum(1 for _ in Source.of_path(path, step=told.append).records()) == 2_000
    assert told[-1] == 1.0
    assert len(told) > 3

    def stop(share: float) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        list(Source.of_path(path, step=stop).records())


def test_a_sample_of_lines_is_the_first_ones() -> None:
    source = Source.of_bytes(b"".join(b'{"n": %d}\n' % n for n in range(100)))
    assert [one["n"] for one in source.sample.items] == list(range(FIRST))


def test_parsed_data_is_a_source_too() -> None:
    source = Source.of_data(ROWS)
    assert source.document() is ROWS
    assert list(source.records()) == [SourceRecord(1, ROWS[0]), SourceRecord(2, ROWS[1])]
    assert list(Source.of_data({"a": 1}).records()) == [SourceRecord(1, {"a": 1})]


@pytest.mark.parametrize("content", [b"", b"\n\n", b"hi", b"\xff\xfe{", b"\x1f\x8b", b"(\xb5/\xfd"])
def test_what_holds_nothing_is_refused(content: bytes) -> None:
    assert "\n" not in str(refusal(Source.of_bytes(content).document))
    if content == b"hi":  # A text is known by how it begins; some formats are texts.
        assert Source.of_bytes(content).sample.text == "hi"
    else:
        refusal(lambda: Source.of_bytes(content).sample)
