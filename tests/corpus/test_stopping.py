"""A run that somebody stops with ctrl+c says one sentence, and leaves nobody behind."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from ctxtui.cli import streams
from ctxtui.cli.corpus import PHASES, progress_line
from ctxtui.core.corpus import RunProgress, dask_engine
from tests.corpus import generated

RUN = """
import os
import signal
import sys

from ctxtui.__main__ import main
from ctxtui.cli import corpus

def stop(progress):
    if progress.done:
        os.killpg(os.getpgrp(), signal.SIGINT)  # As a terminal does.

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # Who runs tests may ignore it.
    corpus.MIB = 30_000
    corpus.is_terminal = lambda _: True
    corpus.show_progress = stop
    sys.exit(main())
"""


@pytest.mark.parametrize("engine", ["local", pytest.param("dask", marks=pytest.mark.slow)])
def test_ctrl_c_in_a_terminal_is_told_in_one_sentence(tmp_path: Path, engine: str) -> None:
    if engine == "dask":
        pytest.importorskip("distributed")
    generated.write(tmp_path / "a.jsonl", 60)
    (tmp_path / "run.py").write_text(RUN)
    given = ("--source", "a.jsonl", "--what", "mail", "-o", "out", "--workers", "2")
    with subprocess.Popen(
        [sys.executable, "run.py", "corpus", *given, "--engine", engine],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
    ) as stopped:
        _, said = stopped.communicate()  # To its end: until all who could write there are gone.
    assert said == "ctxtui: stopped; the same command continues where it was\n"
    assert stopped.returncode == 130
    assert not (tmp_path / "out" / "report.json").exists()


DYING = """
import os
import sys

if any("spawn_main" in one for one in sys.orig_argv):
    place = os.environ["STARTED"]
    open(f"{place}/{os.getpid()}", "w").close()
    if len(os.listdir(place)) > int(os.environ["MAY_START"]):
        os._exit(3)
"""
"""What Python runs first: it ends every worker that starts after the first ones."""
KILLING = """
import os
import sys

from ctxtui.core.corpus import dask_engine
from ctxtui.__main__ import main
from ctxtui.cli import corpus

def kill(progress):
    if progress.phase == "work" and progress.done == 1:
        for engine in engines:
            for pid in engine.worker_pids():
                os.kill(pid, 9)

class Engine(dask_engine.DaskEngine):
    def __init__(self, *given):
        super().__init__(*given)
        engines.append(self)

if __name__ == "__main__":
    engines = []
    dask_engine.SECONDS = 1
    corpus.DaskEngine = Engine
    corpus.MIB = 30_000
    corpus.is_terminal = lambda _: True
    corpus.show_progress = kill
    sys.exit(main())
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("may_start", "said"),
    [
        (0, "ctxtui: dask can't start 2 workers here: Nanny failed to start worker process; "),
        (2, "ctxtui: the scheduler is gone, or its workers have died and none has started again"),
    ],
)
def test_workers_that_die_while_they_start_are_reported_in_one_sentence(
    tmp_path: Path, may_start: int, said: str
) -> None:
    pytest.importorskip("distributed")
    generated.write(tmp_path / "a.jsonl", 60)
    (tmp_path / "run.py").write_text(KILLING)
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(DYING)
    (tmp_path / "started").mkdir()
    given = ("--source", "a.jsonl", "-o", "out", "--workers", "2", "--engine", "dask")
    ended = subprocess.run(
        [sys.executable, "run.py", "corpus", *given],
        env={
            **os.environ,
            "PYTHONPATH": f"{tmp_path / 'site'}:{Path(__file__).parents[2]}",
            "STARTED": str(tmp_path / "started"),
            "MAY_START": str(may_start),
        },
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.stderr.startswith(said)
    assert ended.stderr.count("\n") == 1
    assert (ended.stdout, ended.returncode) == ("", 2)


@pytest.mark.slow
def test_a_time_out_of_a_job_is_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(dask_engine, "SECONDS", 1)
    with closing(dask_engine.DaskEngine(1)) as engine, pytest.raises(TimeoutError, match="disk"):
        list(engine.each(slow_disk, [1]))


def slow_disk(_: int) -> None:
    raise TimeoutError("the disk does not answer")


def progress(phase: str = "work", records: int = 123_456) -> RunProgress:
    return RunProgress(phase, 40, 100, records, 1 << 30, 10 << 30, 3_600.0, records, 1 << 30)


@pytest.mark.parametrize("width", [12, 30, 40, 50, 60, 79, 100, 200])
def test_how_far_a_run_is_fits_into_one_line(width: int) -> None:
    for phase in PHASES:
        line = progress_line(progress(phase), width)
        assert "40 %" in line
        assert len(line) <= max(width, len(f"{PHASES[phase]}  40 %"))


def test_words_go_before_figures_do() -> None:
    wide, usual, narrow = (progress_line(progress(), width) for width in (100, 79, 50))
    assert wide.endswith("40 %  123,456 conversations, 34 a second, 9:00:00 left")
    assert usual.endswith("40 %  123,456 done, 34/s, 9:00:00 left")
    assert usual.count("━") + usual.count("─") == 24
    assert narrow == "40 %  123,456, 9:00:00 left"


def test_a_passing_line_never_has_a_second_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(streams, "status_width", lambda: 10)
    streams.show_status("漢字漢字漢字 and more")
    streams.show_status("0123456789 and more")
    streams.show_status("")
    shown = capsys.readouterr().err.split(streams.ERASE_LINE)
    assert shown == ["", "漢字漢字漢", "0123456789", ""]
