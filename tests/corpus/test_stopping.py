"""A run that somebody stops with ctrl+c says one sentence, and leaves nobody behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.corpus import Progress
from ctxtui.cli import streams
from ctxtui.cli.corpus_progress import PHASES, progress_line
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
    corpus.tell_progress = stop
    sys.exit(main())
"""


@pytest.mark.parametrize("engine", ["local", "dask"])
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
    assert said == "ctxtui: stopped; what is done is kept, and the same command goes on\n"
    assert stopped.returncode == 130
    assert not (tmp_path / "out" / "report.json").exists()


def progress(phase: str = "work", records: int = 123_456) -> Progress:
    return Progress(phase, 40, 100, records, 1 << 30, 10 << 30, 3_600.0, records, 1 << 30)


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
    monkeypatch.setattr(streams, "passing_room", lambda: 10)
    streams.show_passing("漢字漢字漢字 and more")
    streams.show_passing("0123456789 and more")
    streams.show_passing("")
    shown = capsys.readouterr().err.split(streams.ERASE_LINE)
    assert shown == ["", "漢字漢字漢", "0123456789", ""]
