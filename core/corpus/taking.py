"""Taking a folder for a run: no other run writes into it, and nothing that is not ours is lost.

A work folder is ours if the marker of a run is in it and each of its files has a name that this run
gives. Of the folder around it only files that a list names are ours. Anything else is refused and
left as it is.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from ..errors import Refused
from ..storage.errors import StorageError, reason
from .work_folder import (
    ENTRY,
    LIST,
    LOCK,
    RUN,
    SEEN,
    WORST,
    WorkFolder,
    flat,
    identity_in,
    is_output,
    names_in,
    not_ours,
    opened_folder,
    resolved,
)

SHARD_FILE = re.compile(
    r"shard-(\d{5,})\.(records|facts|sketches-\d+|json|settled\.json|kept|manifest)"
)
ALIKE, SHUFFLE = re.compile(r"alike-\d+"), re.compile(r"shuffle-\d+")
ROWS = re.compile(r"\d+-\d+(\.\d+\.part)?")
"""Names of files in the folder of a shuffle."""
UNFINISHED = re.compile(r"(.+)\.[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}\.part")


@contextmanager
def taken(out: Path, *, is_forced: bool = False) -> Iterator[WorkFolder]:
    """Take a folder for a run; one that holds something else is refused."""
    folder = WorkFolder(resolved(out, "folder"))
    must_be_ours(folder)
    if out.exists() and folder.marker() is None and any(_others(folder)):
        raise Refused(
            f"the folder {out} holds something that is no run of this kind; name another one",
            field="folder",
            value=str(out),
            legal="a new or empty folder",
        )
    folder.path.mkdir(parents=True, exist_ok=True)
    lock = FileLock(str(folder.path / LOCK))
    try:
        with lock.acquire(timeout=0):
            must_be_ours(folder)
            if is_forced:
                _remove_outputs(folder)
                remove_work(folder)
            else:
                _must_be_files(folder)
            yield folder
    except Timeout:
        raise Refused(
            f"another run is writing into {out} right now", field="folder", value=str(out)
        ) from None


def _others(folder: WorkFolder) -> Iterator[Path]:
    return (path for path in folder.out.iterdir() if path != folder.path)


def must_be_ours(folder: WorkFolder) -> None:
    """Refuse a work folder that no run has made, or that holds other files."""
    try:
        found = os.lstat(folder.path)
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(found.st_mode):
        raise _foreign(folder.path, "is not a folder")
    shards = _shards(folder)
    with opened_folder(folder.path) as work:
        for name in names_in(work):
            if not _is_work_file(work, name, shards):
                raise _foreign(folder.path / name, "is not a file of a run")


def _foreign(path: Path, why: str) -> Refused:
    return Refused(
        f"{path} {why}; it is left as it is: move it away, or name another folder to write into",
        field="folder",
        value=str(path),
        legal="a new or empty folder",
    )


def _shards(folder: WorkFolder) -> int | None:
    """Return how many shards the run of a work folder has, or None if it has not begun."""
    marker = folder.marker()
    return None if marker is None else len(marker["shards"])


def _is_work_file(work: int, name: str, shards: int | None) -> bool:
    """Return whether a run of so many shards has made this file of its work folder."""
    found = os.stat(name, dir_fd=work, follow_symlinks=False)
    if SHUFFLE.fullmatch(name) and stat.S_ISDIR(found.st_mode) and shards is not None:
        with opened_folder(name, work) as inner:
            return all(_is_rows(inner, one) for one in names_in(inner))
    if not stat.S_ISREG(found.st_mode):
        return False
    if name == LOCK:
        return found.st_size == 0 and found.st_nlink == 1
    return is_work_name(name, shards)


def is_work_name(name: str, shards: int | None) -> bool:
    """Return whether a run of so many shards gives this name to a file of its work folder.

    With None it has not begun: there is at most what was to become its marker.
    """
    unfinished = UNFINISHED.fullmatch(name)
    bare = name if unfinished is None else unfinished[1]
    if shards is None:
        return unfinished is not None and bare == RUN
    shard = SHARD_FILE.fullmatch(bare)
    if shard is not None:
        return int(shard[1]) < shards
    if bare in (RUN, LIST, SEEN) or ALIKE.fullmatch(bare):
        return True
    output = bare.removesuffix(ENTRY).replace(flat(f"{WORST}/"), f"{WORST}/", 1)
    return is_output(output) and (bare.endswith(ENTRY) or unfinished is not None)


def _is_rows(folder: int, name: str) -> bool:
    found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    return stat.S_ISREG(found.st_mode) and ROWS.fullmatch(name) is not None


def remove_work(folder: WorkFolder, *kept: str) -> None:
    """Remove the files of a work folder that a run has made, except its lock and some others."""
    shards = _shards(folder)
    with opened_folder(folder.path) as work:
        # The marker goes last, and the list before it: until then the folder is known to be ours.
        for name in sorted(names_in(work), key=lambda one: (one == RUN, one == LIST)):
            if name in (LOCK, *kept) or not _is_work_file(work, name, shards):
                continue
            if SHUFFLE.fullmatch(name):
                _remove_shuffle(work, name)
            else:
                os.unlink(name, dir_fd=work)


def _remove_shuffle(work: int, name: str) -> None:
    with opened_folder(name, work) as folder:
        for one in names_in(folder):
            if _is_rows(folder, one):
                os.unlink(one, dir_fd=folder)
    with suppress(OSError):  # Something else has come into it.
        os.rmdir(name, dir_fd=work)


def _outputs(folder: WorkFolder) -> Iterator[str]:
    """Yield everything in the folder of a run that has the name of an output."""
    with opened_folder(folder.out) as out:
        for name in names_in(out):
            if name != WORST:
                yield from filter(is_output, [name])
                continue
            try:
                with opened_folder(WORST, out) as inner:
                    yield from filter(is_output, (f"{WORST}/{one}" for one in names_in(inner)))
            except OSError:
                raise not_ours(folder.out / WORST) from None


def _must_be_files(folder: WorkFolder) -> None:
    """Refuse what is in the way of an output and no file: this would be found too late."""
    for name in _outputs(folder):
        with folder.folder_of(name) as inside:
            found = os.stat(Path(name).name, dir_fd=inside, follow_symlinks=False)
            if not stat.S_ISREG(found.st_mode):
                raise not_ours(folder.out / name)


def _remove_outputs(folder: WorkFolder) -> None:
    """Remove the files that runs have written here for their user; or refuse, and remove none."""
    listed = folder.listed()
    stamps = {name: _stamp_of_ours(folder, name, listed.get(name, [])) for name in _outputs(folder)}
    for name, stamp in stamps.items():
        with folder.folder_of(name) as inside:
            last = Path(name).name
            if _stamp(inside, last) != stamp:
                raise not_ours(folder.out / name)
            os.unlink(last, dir_fd=inside)
    if any(name.startswith(f"{WORST}/") for name in listed):
        with opened_folder(folder.out) as out, suppress(OSError):  # Other files may be in it.
            os.rmdir(WORST, dir_fd=out)


Stamp = tuple[int, ...]


def _stamp(folder: int, name: str) -> Stamp:
    """Return what tells that a file has not changed since this was last asked."""
    found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _stamp_of_ours(folder: WorkFolder, name: str, known: list[tuple[int, str]]) -> Stamp:
    """Return the stamp of an output that is as a run has written it; refuse any other."""
    with folder.folder_of(name) as inside:
        last = Path(name).name
        stamp = _stamp(inside, last)
        if identity_in(inside, last) not in known:
            raise not_ours(folder.out / name)
        return stamp


def write_output(out: Path, name: str, content: bytes) -> None:
    """Write a file for the user once the run is over."""
    try:
        with taken(out) as folder:
            with folder.output(name) as file:
                file.write(content)
            folder.join_list()
    except OSError as error:
        raise StorageError(
            f"{out / name} can't be written: {reason(error)}", field="folder", value=str(out)
        ) from None
