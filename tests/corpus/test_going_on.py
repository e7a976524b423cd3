"""Runs that are killed go on where they were; runs never touch what is not theirs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from core.corpus import LocalEngine, Progress, run_plan
from core.corpus.dask_engine import DaskEngine
from core.corpus.work_folder import WorkFolder
from core.errors import Refused
from ctxtui.pages.corpus import write_page
from tests.corpus import generated
from tests.corpus.small import ALL_STEPS, chat, manifest, plan, put, ran, written

RUN = """
import sys
from pathlib import Path
from core.corpus import LocalEngine, run_plan
from ctxtui.pages.corpus import write_page
from tests.corpus.small import ALL_STEPS, plan

if __name__ == "__main__":
    engine = LocalEngine(2)
    made = plan(["data"], "out", ALL_STEPS, shard=20)
    write_page(run_plan(made, engine, base=Path(sys.argv[1]), chunk=60_000))
    engine.close()
"""


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    generated.write(tmp_path / "data" / "a.jsonl", 60)
    (tmp_path / "run.py").write_text(RUN)
    return tmp_path


def begun(corpus: Path) -> subprocess.Popen[bytes]:
    """Start a run in a process of its own, which leads a group."""
    root = Path(__file__).parents[2]
    return subprocess.Popen(
        [sys.executable, str(corpus / "run.py"), str(corpus)],
        env={**os.environ, "PYTHONPATH": str(root)},
        start_new_session=True,
        stderr=subprocess.DEVNULL,
    )


def workers_of(process: subprocess.Popen[bytes]) -> list[int]:
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    try:
        return [int(one) for one in children.read_text().split()]
    except OSError:
        return []


def has_begun(corpus: Path) -> bool:
    return any(WorkFolder(corpus / "out").path.glob("shard-*.json"))


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc to find workers")
@pytest.mark.parametrize("victim", ["client", "workers"])
def test_a_run_whose_client_or_workers_are_killed_comes_out_the_same(
    corpus: Path, victim: str
) -> None:
    ran(corpus, ALL_STEPS, out="expected", shard=20)
    chance = Random(victim)
    kills, code = 0, None
    for _ in range(8):
        process = begun(corpus)
        while process.poll() is None and kills < 3:
            time.sleep(chance.random() * 0.8)
            if victim == "client":
                if has_begun(corpus):
                    os.kill(process.pid, signal.SIGKILL)
                    kills += 1
            elif workers_of(process) and has_begun(corpus):
                try:
                    os.kill(chance.choice(workers_of(process)), signal.SIGKILL)
                    kills += 1
                except (ProcessLookupError, IndexError):
                    pass
        code = process.wait()
        if code == 0:
            break
    assert code == 0
    assert kills
    assert written(corpus / "out") == written(corpus / "expected")
    assert [row["number"] for row in manifest(corpus / "out")] == list(range(60))


def test_dask_goes_on_when_its_workers_are_killed(corpus: Path) -> None:
    ran(corpus, ALL_STEPS, out="expected", shard=20)
    made = plan(["data"], "out", ALL_STEPS, shard=20)
    killed: list[int] = []

    def kill(progress: Progress) -> None:
        if progress.phase == "work" and progress.done in (1, 4):
            pids = list(engine.worker_pids())
            if pids:
                killed.append(pids[0])
                os.kill(pids[0], signal.SIGKILL)

    with closing(DaskEngine(2)) as engine:
        write_page(run_plan(made, engine, base=corpus, chunk=60_000, tell=kill))
    assert killed
    assert written(corpus / "out") == written(corpus / "expected")


def test_what_was_done_is_not_done_again(corpus: Path) -> None:
    made = plan(["data"], "out", ALL_STEPS, shard=20)
    told: list[Progress] = []

    def stop(progress: Progress) -> None:
        told.append(progress)
        if progress.phase == "work" and progress.done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_plan(made, LocalEngine(1), base=corpus, chunk=60_000, tell=stop)
    again = run_plan(made, LocalEngine(1), base=corpus, chunk=999_999, tell=told.append)
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
    ]


def test_progress_tells_a_rate_and_the_time_left(corpus: Path) -> None:
    told: list[Progress] = []
    made = plan(["data"], "out", [])
    run_plan(made, LocalEngine(1), base=corpus, chunk=60_000, tell=told.append)
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

    def second(progress: Progress) -> None:
        if progress.phase == "work":
            with pytest.raises(Refused, match="another run is writing"):
                run_plan(made, LocalEngine(1), base=corpus)
            seen.append(progress)

    seen: list[Progress] = []
    run_plan(made, LocalEngine(1), base=corpus, tell=second)
    assert seen
