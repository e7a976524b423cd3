"""The same plan over the same files gives the same bytes, wherever and however it runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.corpus import LocalEngine
from ctxtui.core.corpus.dask_engine import DaskEngine
from tests.corpus import generated
from tests.corpus.small import ALL_STEPS, chat, lines, manifest, put, ran, written
from tests.profiles import examples

COUNT = 80


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two files: one that is cut into pieces, and one behind it."""
    folder = tmp_path_factory.mktemp("corpus")
    (folder / "data").mkdir()
    generated.write(folder / "data" / "a.jsonl", COUNT)
    generated.write(folder / "data" / "b.jsonl", 40, first=501 - 20)
    return folder


@pytest.fixture(scope="module")
def expected(corpus: Path) -> dict[str, bytes]:
    """What comes out where all is done at once, in one piece and one process."""
    ran(corpus, ALL_STEPS, out="expected", shard=40)
    return written(corpus / "expected")


@pytest.fixture(scope="module")
def dask() -> Iterator[DaskEngine]:
    engine = DaskEngine(2)
    yield engine
    engine.close()


@pytest.mark.slow
def test_a_second_cluster_takes_no_port_of_the_first(dask: DaskEngine) -> None:
    DaskEngine(1).close()  # A port that is taken is a warning, and warnings are errors here.
    assert list(dask.each(abs, [-1])) == [1]


def test_something_of_everything_happens(corpus: Path, expected: dict[str, bytes]) -> None:
    rows = manifest(corpus / "expected")
    assert [row["number"] for row in rows] == list(range(COUNT + 40))
    assert {row["outcome"] for row in rows} == {"kept", "dropped", "unreadable"}
    assert {row["step"] for row in rows if row["outcome"] == "dropped"} == {0, 1, 2, 5}
    bad = [(row["source"], row["place"]) for row in rows if row["outcome"] == "unreadable"]
    assert bad == [("data/b.jsonl", 21)]
    assert len(lines(corpus / "expected")) == sum(row["outcome"] == "kept" for row in rows) > 40
    assert "worst/20.json" in expected
    assert "part-00001.jsonl" in expected


@pytest.mark.parametrize("chunk", [100_000], ids=str)
@pytest.mark.parametrize("engine", ["local", pytest.param("dask", marks=pytest.mark.slow)])
def test_engines_workers_and_chunks_change_no_byte(
    corpus: Path,
    expected: dict[str, bytes],
    request: pytest.FixtureRequest,
    tmp_path: Path,
    engine: str,
    chunk: int,
) -> None:
    used = request.getfixturevalue("dask") if engine == "dask" else LocalEngine(2)
    out = str(tmp_path / "out")
    made = ran(corpus, ALL_STEPS, out=out, engine=used, chunk=chunk, shard=40)
    if isinstance(used, LocalEngine):
        used.close()
    assert made.costs.records == COUNT + 40
    assert written(tmp_path / "out") == expected


@examples(0.2)
@given(chunk=st.integers(60_000, 2_000_000), shard=st.integers(1, 200))
def test_any_chunk_and_any_size_of_files_give_the_same_conversations(
    tmp_path_factory: pytest.TempPathFactory,
    corpus: Path,
    expected: dict[str, bytes],
    chunk: int,
    shard: int,
) -> None:
    out = tmp_path_factory.mktemp("any") / "out"
    ran(corpus, ALL_STEPS, out=str(out), chunk=chunk, shard=shard)
    made = written(out)
    assert b"".join(made[name] for name in sorted(made) if name.startswith("part-")) == b"".join(
        expected[name] for name in sorted(expected) if name.startswith("part-")
    )
    cut = [made[name].count(b"\n") for name in sorted(made) if name.startswith("part-")]
    assert cut[:-1] == [shard] * (len(cut) - 1)
    for row in manifest(out):
        if row["outcome"] == "kept":
            part = made[row["file"]].splitlines()
            assert 1 <= row["record"] <= len(part)


def test_a_conversation_is_never_cut(tmp_path: Path) -> None:
    rows = [chat(f"question {number} " * number, "ü" * number) for number in range(12)]
    put(tmp_path / "data" / "a.jsonl", *rows)
    whole = ran(tmp_path, [], out="whole")
    for chunk in (50, 333, 1_000):
        ran(tmp_path, [], out=f"cut-{chunk}", chunk=chunk)
        assert written(tmp_path / f"cut-{chunk}") == written(whole.out)
