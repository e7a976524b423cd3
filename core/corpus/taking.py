"""Taking a folder for a run: nobody else writes into it, and nothing in it is lost."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from core.corpus.report import MANIFEST, PAGE, REPORT, WORST
from core.corpus.work_folder import WorkFolder
from core.errors import Refused

RUN = "run.json"
OWN = (REPORT, PAGE, MANIFEST, WORST, RUN)
"""What a run writes beside its files."""


@contextmanager
def taken(out: Path, *, is_forced: bool) -> Iterator[WorkFolder]:
    """Take a folder for a run; one that holds something else is refused."""
    folder = WorkFolder(out.resolve())
    if out.exists() and not folder.plan().exists() and any(_others(out, folder)):
        raise Refused(
            f"the folder {out} holds something that is no run of this kind; name another one",
            field="folder",
            value=str(out),
            legal="a new or empty folder",
        )
    folder.path.mkdir(parents=True, exist_ok=True)
    lock = FileLock(str(folder.path / "lock"))
    try:
        with lock.acquire(timeout=0):
            if is_forced:
                _clear(folder)
            yield folder
    except Timeout:
        raise Refused(
            f"another run is writing into {out} right now", field="folder", value=str(out)
        ) from None


def _others(out: Path, folder: WorkFolder) -> Iterator[Path]:
    return (path for path in out.iterdir() if path != folder.path)


def _clear(folder: WorkFolder) -> None:
    """Remove what earlier runs have written, and nothing else."""
    for path in (*folder.out.glob("part-*"), *(folder.out / name for name in OWN)):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    for path in folder.path.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name != "lock":
            path.unlink()
