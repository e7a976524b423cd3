"""Runs that are killed go on where they were; runs never touch what is not theirs."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from random import Random

import pytest

from ctxtui.core.corpus import LocalEngine, RunProgress, run_plan
from ctxtui.core.corpus.dask_engine import DaskEngine
from ctxtui.core.errors import Refused
from ctxtui.pages.corpus import write_page
from tests.corpus import generated
from tests.corpus.small import ALL_STEPS, chat, manifest, plan, put, ran, written

RUN = """
import os
import signal
import sys
from pathlib import Path

from ctxtui.core.corpus import LocalEngine, run_plan
from ctxtui.pages.corpus import write_page
from tests.corpus.small import ALL_STEPS, plan

if __name__ == "__main__":
    base, victim, moments = sys.argv[1], sys.argv[2], set(map(int, sys.argv[3:]))
    engine = LocalEngine(2)
    told = 0

    def kill(progress):
        global told
        told += 1
        if told in moments:
            workers = list(engine._pool._processes) if engine._pool else []
            os.kill(os.getpid() if victim == "client" else workers[told % len(workers)], 9)

    made = plan(["data"], "out", ALL_STEPS, shard=20)
    write_page(run_plan(made, engine, base=Path(base), chunk=60_000, on_progress=kill))
    engine.close()
"""


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    generated.write(tmp_path / "data" / "a.jsonl", 60)
    (tmp_path / "run.py").write_text(RUN)
    return tmp_path


def ended(corpus: Path, victim: str, *moments: int) -> int:
    """Run a plan in a process of its own; at some moments somebody is killed."""
    root = Path(__file__).parents[2]
    given = [victim, *map(str, moments)]
    return subprocess.run(
        [sys.executable, str(corpus / "run.py"), str(corpus), *given],
        env={**os.environ, "PYTHONPATH": str(root)},
        stderr=subprocess.DEVNULL,
        check=False,
    ).returncode


@pytest.mark.slow
def test_a_run_whose_client_is_killed_again_and_again_comes_out_the_same(corpus: Path) -> None:
    ran(corpus, ALL_STEPS, out="expected", shard=20)
    chance = Random(18)
    for _ in range(3):
        assert ended(corpus, "client", chance.randrange(2, 9)) == -signal.SIGKILL
        assert not (corpus / "out" / "report.json").exists()
    assert ended(corpus, "client") == 0
    assert written(corpus / "out") == written(corpus / "expected")
    assert [row["number"] for row in manifest(corpus / "out")] == list(range(60))


@pytest.mark.slow
def test_a_run_whose_workers_are_killed_comes_out_the_same(corpus: Path) -> None:
    ran(corpus, ALL_STEPS, out="expected", shard=20)
    chance = Random(81)
    assert ended(corpus, "workers", *sorted(chance.sample(range(2, 20), 2))) == 0
    assert written(corpus / "out") == written(corpus / "expected")


@pytest.mark.slow
def test_dask_goes_on_when_its_workers_are_killed(corpus: Path) -> None:
    ran(corpus, ALL_STEPS, out="expected", shard=20)
    made = plan(["data"], "out", ALL_STEPS, shard=20)
    killed: list[int] = []

    def kill(progress: RunProgress) -> None:
        if progress.phase == "work" and progress.done in (1, 4):
            pids = list(engine.worker_pids())
            if pids:
                killed.append(pids[0])
                os.kill(pids[0], signal.SIGKILL)

    with closing(DaskEngine(2)) as engine:
        write_page(run_plan(made, engine, base=corpus, chunk=60_000, on_progress=kill))
    assert killed
    assert written(corpus / "out") == written(corpus / "expected")


def test_what_was_done_is_not_done_again(corpus: Path) -> None:
    made = plan(["data"], "out", ALL_STEPS, shard=20)
    told: list[RunProgress] = []

    def stop(progress: RunProgress) -> None:
        told.append(progress)
        if progress.phase == "work" and progress.done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_plan(made, LocalEngine(1), base=corpus, chunk=60_000, on_progress=stop)
    again = run_plan(made, LocalEngine(1), base=corpus, chunk=999_999, on_progress=told.append)
    write_page(again)
    assert again.resumed == 3
    assert again.costs.records < 60
    assert not again.was_done
    ran(corpus, ALL_STEPS, out="expected", shard=20)
    assert written(corpus / "out") == written(corpus / "expected")
    over = run_plan(made, LocalEngine(1), base=corpus)
    assert over.was_done
    assert over.report == again.report
    assert sorted(path.name for path in (corpus / "out" / ".corpus").iterdir()) == [
        "lock",
        "run.json",
        "seen.json",
        "written.json",
    ]


@pytest.mark.parametrize("harm", ["truncated", "rewritten", "removed"])
def test_files_that_change_while_they_are_read_are_refused(corpus: Path, harm: str) -> None:
    made, data = plan(["data"], "out", []), corpus / "data" / "a.jsonl"

    def change(progress: RunProgress) -> None:
        if progress.phase == "work" and progress.done == 2:
            if harm == "truncated":
                os.truncate(data, 10_000)
            elif harm == "removed":
                data.unlink()
            else:
                generated.write(data, 60, seed=5)

    with pytest.raises(Refused, match="has changed since it was read"):
        run_plan(made, LocalEngine(1), base=corpus, chunk=60_000, on_progress=change)
    assert not list((corpus / "out").glob("part-*"))


def rewritten(path: Path, change: Callable[[bytes], bytes], *, in_place: bool = True) -> None:
    """Rewrite a file, and give it back the time at which it was changed."""
    before = path.stat()
    content = change(path.read_bytes())
    target = path if in_place else path.with_name("new")
    target.write_bytes(content)
    target.replace(path)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    while path.stat().st_ctime_ns == before.st_ctime_ns:  # The clock of a disk has slow ticks.
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)


def other_words(content: bytes) -> bytes:
    assert b"e" in content
    return content.replace(b"e", b"o") if content[:4] != b"PAR1" else content[::-1]


KINDS = ("jsonl", "jsonl.gz", "json", "parquet")


def data_in(corpus: Path, kind: str) -> Path:
    """Return the file of a corpus in another kind."""
    lines, data = corpus / "data" / "a.jsonl", corpus / "data" / f"a.{kind}"
    if kind == "jsonl.gz":
        data.write_bytes(gzip.compress(lines.read_bytes(), 0))
    elif kind == "json":
        good = [row for row in lines.read_bytes().splitlines() if row.startswith(b'{"mess')]
        data.write_bytes(b"[" + b",".join(good) + b"]")
    elif kind == "parquet":
        pytest.importorskip("pyarrow")
        ran(corpus, [], out="parquet", packing="parquet")
        (corpus / "parquet" / "part-00000.parquet").rename(data)
    if kind != "jsonl":
        lines.unlink()
    return data


@pytest.mark.parametrize(
    ("phase", "kind", "in_place"),
    [
        (phase, kind, (at + number) % 2 == 0)
        for at, phase in enumerate(("work", "settle", "write"))
        for number, kind in enumerate(KINDS)
    ],
)
def test_a_file_that_is_rewritten_with_its_size_and_time_is_noticed(
    corpus: Path, kind: str, phase: str, *, in_place: bool
) -> None:
    made, data = plan(["data"], "out", []), data_in(corpus, kind)
    is_done = False

    def change(progress: RunProgress) -> None:
        nonlocal is_done
        if progress.phase == phase and progress.done and not is_done:
            is_done = True
            rewritten(data, other_words, in_place=in_place)

    for _ in range(2):  # It is noticed also when the run goes on.
        with pytest.raises(Refused, match=rf"a\.{kind} has changed since it was read"):
            run_plan(made, LocalEngine(1), base=corpus, chunk=60_000, on_progress=change)
    assert is_done


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("is_over", [False, True])
def test_a_file_that_was_rewritten_before_a_run_goes_on_is_noticed(
    corpus: Path, kind: str, *, is_over: bool
) -> None:
    made, data = plan(["data"], "out", []), data_in(corpus, kind)

    def stop(progress: RunProgress) -> None:
        if progress.phase == "work" and progress.done == 1 and not is_over:
            raise KeyboardInterrupt

    with suppress(KeyboardInterrupt):
        run_plan(made, LocalEngine(1), base=corpus, chunk=60_000, on_progress=stop)
    rewritten(data, other_words)
    with pytest.raises(Refused, match="has changed since it was read"):
        run_plan(made, LocalEngine(1), base=corpus)


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_was_only_copied_or_got_other_permissions_is_the_same(
    corpus: Path, kind: str
) -> None:
    made, data = plan(["data"], "out", [], shard=20), data_in(corpus, kind)
    is_stopped = False

    def touch(progress: RunProgress) -> None:
        nonlocal is_stopped
        if progress.phase == "work" and progress.done == 1 and not is_stopped:
            is_stopped = True
            rewritten(data, bytes)
            raise KeyboardInterrupt
        if progress.phase == "settle":
            data.chmod(0o600)
            rewritten(data, bytes, in_place=False)

    with pytest.raises(KeyboardInterrupt):
        run_plan(made, LocalEngine(1), base=corpus, chunk=60_000, on_progress=touch)
    write_page(run_plan(made, LocalEngine(1), base=corpus, chunk=60_000, on_progress=touch))
    rewritten(data, bytes, in_place=False)
    assert run_plan(made, LocalEngine(1), base=corpus).was_done
    ran(corpus, [], out="expected", shard=20)
    assert written(corpus / "out") == written(corpus / "expected")


def test_shards_that_an_earlier_version_has_done_are_not_done_again(corpus: Path) -> None:
    made = plan(["data"], "out", [], shard=20)

    def stop(progress: RunProgress) -> None:
        if progress.phase == "settle":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_plan(made, LocalEngine(1), base=corpus, chunk=60_000, on_progress=stop)
    for path in (corpus / "out" / ".corpus").glob("shard-?????.json"):
        path.write_text(json.dumps(json.loads(path.read_text())[:7]))
    again = run_plan(made, LocalEngine(1), base=corpus)
    assert again.costs.records == 0
    write_page(again)
    ran(corpus, [], out="expected", shard=20)
    assert written(corpus / "out") == written(corpus / "expected")


def test_progress_tells_a_rate_and_the_time_left(corpus: Path) -> None:
    told: list[RunProgress] = []
    made = plan(["data"], "out", [])
    run_plan(made, LocalEngine(1), base=corpus, chunk=60_000, on_progress=told.append)
    works = [one for one in told if one.phase == "work"]
    assert works[0].seconds_left is None
    assert works[-1].seconds_left == 0
    assert (works[-1].done, works[-1].records) == (works[-1].of, 60)
    assert works[-1].rate > 0
    assert works[1].seconds_left is not None
    assert works[1].seconds_left > 0


def test_a_folder_of_another_run_or_of_something_else_is_refused(tmp_path: Path) -> None:
    put(tmp_path / "data" / "a.jsonl", chat("hello", "hi"))
    ran(tmp_path, [])
    before = written(tmp_path / "out")
    with pytest.raises(Refused, match="another plan"):
        ran(tmp_path, [{"squash": True}])
    put(tmp_path / "data" / "a.jsonl", chat("hello", "hi there"))
    with pytest.raises(Refused, match="files have changed"):
        ran(tmp_path, [])
    assert written(tmp_path / "out") == before
    put(tmp_path / "mine" / "thesis.txt", b"years of work")
    with pytest.raises(Refused, match="holds something"):
        ran(tmp_path, [], out="mine")
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.txt"]


def test_a_run_that_begins_anew_removes_only_what_runs_write(tmp_path: Path) -> None:
    put(tmp_path / "data" / "a.jsonl", chat("hello", "hi"))
    ran(tmp_path, [])
    put(tmp_path / "out" / "note.txt", b"mine")
    made = plan(["data"], "out", [{"squash": True}], shard=1)
    run_plan(made, LocalEngine(1), base=tmp_path, is_forced=True)
    assert (tmp_path / "out" / "note.txt").read_bytes() == b"mine"
    assert len(manifest(tmp_path / "out")) == 1


def test_two_runs_never_write_into_one_folder(corpus: Path) -> None:
    made = plan(["data"], "out", [])

    def second(progress: RunProgress) -> None:
        if progress.phase == "work":
            with pytest.raises(Refused, match="another run is writing"):
                run_plan(made, LocalEngine(1), base=corpus)
            seen.append(progress)

    seen: list[RunProgress] = []
    run_plan(made, LocalEngine(1), base=corpus, on_progress=second)
    assert seen
