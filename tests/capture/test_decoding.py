"""Packed bodies: all that can be unpacked counts, up to a limit of size and of work."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import pytest

from ctxtui.capture import calls
from ctxtui.capture.calls import BodyCopy, CapturedCall, decoded
from ctxtui.capture.proxy import StreamEnd
from ctxtui.core.errors import Refused
from ctxtui.core.formats import stream_assembly
from ctxtui.core.formats.bodies import assembled
from ctxtui.core.formats.stream_assembly import MOST_LINES
from tests.capture import streams
from tests.capture.conftest import Rig, asking
from tests.capture.provider import Reply, event, streamed, whole
from tests.capture.test_passing_on import packed

ENCODINGS = ["gzip", "deflate", "br", "zstd"]
WORDS = [f"word {number} " for number in range(3_000)]
TOO_LARGE = "the answer unpacks to more than 64 MiB; only its beginning is recorded"
ANSWER = b"".join(streams.chat(WORDS))


def said(rig: Rig) -> str:
    answer: Any = rig.kept[-1].exchange.response
    return str(answer["choices"][0]["message"]["content"])


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_what_was_packed_is_unpacked(encoding: str) -> None:
    for content in (b"", b"a", ANSWER, bytes(3_000_000)):
        assert decoded(packed(content, encoding), encoding) == (content, "whole")


def test_bodies_that_were_packed_twice_in_members_or_not_at_all_are_unpacked() -> None:
    twice = packed(packed(ANSWER, "zstd"), "gzip")
    assert decoded(twice, "zstd, gzip") == (ANSWER, "whole")
    for encoding in ("gzip", "zstd"):
        assert decoded(packed(b"a", encoding) + packed(b"b", encoding), encoding).content == b"ab"
    assert decoded(packed(b"a", "gzip") + bytes(9), "gzip") == (b"a", "whole")
    assert decoded(b'{"plain": 1}', "gzip") == (b'{"plain": 1}', "whole")
    bare = zlib.compressobj(wbits=-15)
    assert decoded(bare.compress(ANSWER) + bare.flush(), "deflate") == (ANSWER, "whole")
    with pytest.raises(Refused, match="packed 5 times can't be decoded"):
        decoded(b"a", "gzip, br, gzip, br, gzip")
    with pytest.raises(Refused, match="'snappy' can't be decoded"):
        decoded(b"a", "snappy")


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_what_is_cut_off_is_unpacked_up_to_there(encoding: str) -> None:
    content = packed(ANSWER, encoding)
    found = decoded(content[: len(content) * 9 // 10], encoding)
    assert found.end == "cut"
    assert ANSWER.startswith(found.content)
    assert encoding in ("br", "zstd") or len(found.content) > len(ANSWER) // 2


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_all_before_a_damage_is_unpacked(encoding: str, share: float) -> None:
    """It is as much as unpacking byte by byte gives; small bodies are fed in one step."""
    content = bytearray(packed(ANSWER, encoding))
    place = int(len(content) * share)
    content[place : place + 40] = b"\xff" * 40
    found = decoded(bytes(content), encoding)
    assert found.end == "damaged"
    unpacker, best = zlib.decompressobj(31 if encoding == "gzip" else 15), b""
    with suppress(zlib.error):
        for byte in bytes(content):
            best += unpacker.decompress(bytes((byte,)))
    assert found.content == best
    assert len(best) > len(ANSWER) * share / 2


def flushed(encoding: str) -> bytes:
    """Return the answer packed piece by piece, as a server does that streams it."""
    if encoding == "gzip":
        gzip = zlib.compressobj(wbits=31)
        found = [gzip.compress(piece) + gzip.flush(zlib.Z_SYNC_FLUSH) for piece in half()]
        return b"".join(found)
    if encoding == "br":
        brotli: Any = pytest.importorskip("brotli").Compressor()
        return b"".join(brotli.process(piece) + brotli.flush() for piece in half())
    zstd: Any = pytest.importorskip("zstandard").ZstdCompressor().compressobj()
    return b"".join(zstd.compress(piece) + zstd.flush(1) for piece in half())


def half() -> list[bytes]:
    return streams.chat(["one ", "two ", "three"])[:3]


@pytest.mark.parametrize("encoding", ["gzip", "br", "zstd"])
async def test_a_packed_answer_with_a_broken_end_is_recorded_up_to_there(
    rig: Rig, encoding: str
) -> None:
    content = flushed(encoding) + b"\xff" * 200
    rig.server.answering = lambda came: streamed([content], headers={"Content-Encoding": encoding})
    _, body = await rig.ask()
    assert body == content
    await rig.until(1)
    exchange = rig.kept[0].exchange
    assert (exchange.outcome, said(rig)) == ("cut", "one two ")
    assert exchange.warnings == ({"code": "answer-damaged"},)
    assert (rig.kept[0].recorded.facts.wire or {})["warnings"] == [{"code": "answer-damaged"}]


@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_a_small_answer_that_unpacks_to_a_huge_one_is_recorded_up_to_a_limit(
    rig: Rig, encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "MAX_UNPACKED", 100_000)
    monkeypatch.setattr(calls, "BLOCK", 10_000)
    content = packed(b"".join(streams.chat(["one ", "two "])[:3]) + b"\n" * 2_000_000, encoding)
    rig.server.answering = lambda came: streamed([content], headers={"Content-Encoding": encoding})
    assert (await rig.ask())[1] == content
    await rig.until(1)
    exchange = rig.kept[0].exchange
    assert (exchange.outcome, said(rig)) == ("cut", "one two ")
    assert exchange.warnings == ({"code": "answer-unpacks-too-large"},)


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br"])
def test_no_more_is_unpacked_than_is_kept(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = 0
    monkeypatch.setattr(calls, "BLOCK", 10_000)
    monkeypatch.setattr(calls, "MAX_UNPACKED", 3 * calls.BLOCK)
    content = packed(bytes(200 * calls.BLOCK), encoding)

    def counting(take: Any) -> Any:
        def counted(*given: Any) -> Any:
            nonlocal made
            for piece in take(*given):
                made += len(piece)
                yield piece

        return counted

    for one in (calls.Zlib, calls.Brotli):
        monkeypatch.setattr(one, "take", counting(one.take))
    found = decoded(content, encoding)
    assert (len(found.content), found.end) == (3 * calls.BLOCK, "too large")
    assert made <= 5 * calls.BLOCK


@pytest.mark.parametrize(
    ("body", "encoding", "reason"),
    [
        (packed(json.dumps(asking("x" * 9_000)).encode(), "gzip")[:-20], "gzip", "is cut off"),
        (packed(b'{"messages": []}', "gzip")[:-9] + b"\xff" * 9, "gzip", "is damaged"),
        (packed(bytes(9_000_000), "br"), "br", "unpacks to more than 64 MiB, the most"),
    ],
    ids=["cut", "damaged", "too large"],
)
async def test_a_packed_request_that_cannot_be_unpacked_is_told(
    rig: Rig, body: bytes, encoding: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "MAX_UNPACKED", 1_000_000)
    await rig.ask(data=body, headers={"Content-Encoding": encoding})
    await rig.until(1)
    assert reason in rig.lost[0].reason
    assert rig.server.came[0].body == body


async def test_the_beginning_of_an_answer_that_is_too_long_is_recorded(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    pieces = streams.chat(WORDS)
    short = partial(BodyCopy, 100_000, keeps_start=True)
    monkeypatch.setattr("ctxtui.capture.proxy.CapturedCall", partial(call_with, short))
    rig.server.answering = lambda came: streamed(pieces)
    _, body = await rig.ask()
    assert body == b"".join(pieces)
    await rig.until(1)
    assert rig.kept[0].exchange.outcome == "cut"
    assert said(rig).startswith("word 0 word 1 ")
    assert rig.kept[0].exchange.warnings == ({"code": "answer-too-long"},)


def call_with(tape: Callable[[], BodyCopy], *given: Any) -> CapturedCall:
    """Return a call whose answer is kept on a tape of another length."""
    call = CapturedCall(*given)
    call.answered = tape()
    return call


async def test_what_cannot_be_read_of_an_answer_is_told_without_its_header(rig: Rig) -> None:
    headers = {"Content-Encoding": "a-secret"}
    rig.server.answering = lambda came: whole({"choices": []}, headers=headers)
    await rig.ask()
    await rig.until(1)
    (warning,) = rig.kept[0].exchange.warnings
    assert warning["code"] == "answer-unreadable"
    assert warning["names"][0].startswith("content-encoding … can't be decoded")


def test_only_so_many_lines_of_a_stream_are_read() -> None:
    notes: list[str] = []
    content = b"".join(streams.chat(["one "])[:2]) + b"\n" * (MOST_LINES + 10)
    found = assembled("chat", content + event("[DONE]"), notes.append)
    assert found.outcome == "cut"
    assert found.answer is not None
    assert found.answer["choices"][0]["message"]["content"] == "one "
    assert notes == ["answer-too-many-lines"]


def test_a_list_that_is_cut_off_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    reads = 0
    read = stream_assembly.read_value

    def counting(text: bytes) -> Any:
        nonlocal reads
        reads += 1
        return read(text)

    monkeypatch.setattr(stream_assembly, "read_value", counting)
    chunks = streams.gemini([[{"text": "one "}], [{"text": "two"}]])
    content = json.dumps(chunks).encode()[:-2] + b',"deep":' + b"[{}," * 400
    answer, outcome = assembled("gemini", content)
    assert (reads, outcome) == (1, "cut")
    assert answer is not None
    assert answer["candidates"][0]["content"]["parts"] == [{"text": "one "}]


def test_an_answer_that_seems_to_be_over_all_the_time_is_not_read_each_time() -> None:
    ending, read, size = StreamEnd("chat", None), 0, 0
    piece = event({"choices": [{"delta": {"content": "x" * 1_000}, "finish_reason": "no"}]})
    for _ in range(10_000):
        size += len(piece)
        read += size * ending.is_in(piece)
    assert 0 < read < 12 * size
    assert not StreamEnd("chat", None).is_in(b'{"finish_reason": ""}')


async def test_a_packed_body_is_never_read_where_calls_are_passed_on(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick: list[bool] = []
    do = rig.keeper._do

    def noting(act: Any, *, is_quick: bool) -> Any:
        quick.append(is_quick)
        return do(act, is_quick=is_quick)

    monkeypatch.setattr(rig.keeper, "_do", noting)
    content = packed(ANSWER, "gzip")
    rig.server.answering = lambda came: Reply([content], headers={"Content-Encoding": "gzip"})
    await rig.ask()
    await rig.until(1)
    assert True not in quick[1:]
