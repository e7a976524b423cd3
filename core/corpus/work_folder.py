"""The folder of a run: its files, and next to them the work folder with what is finished so far.

A file is written under another name first and put in place as a whole. The file that says that a
shard is done is put in place last, so that a run that was killed can go on.

What a run has written for its user is listed in the work folder with size and checksum. Only a file
that is in that list, and still has the same content, is ever replaced or removed. Folders are
opened without following a symbolic link, and files are reached through the open folder: what takes
the place of a folder meanwhile is neither written nor removed.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import IO, Any
from uuid import uuid4

import orjson

from ..errors import Refused
from ..formats.source import unpacked
from ..storage.disk import UserDisk, lock_of
from ..storage.errors import StorageError, reason

NAME = ".corpus"
KIND = "ctxtui corpus run"
"""What the marker of a work folder says that it is."""
RUN, LIST, SEEN, LOCK = "run.json", "written.json", "seen.json", "lock"
REPORT, PAGE, MANIFEST, WORST = "report.json", "report.html", "manifest.jsonl", "worst"
PART = ".part"
"""How the name of a file ends that is not whole yet."""
ENTRY = ".written"
"""How the name of a file ends that lists one output, before all are in one list."""
LEVEL = 1
"""How hard zstd tries: what is here is read once or twice and then removed."""
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
READING = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
WRITING = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
OUTPUT = re.compile(
    r"part-\d{5,}\.(jsonl|parquet)|worst/\d\d\.json"
    r"|manifest\.jsonl|report\.json|report\.html|run\.json"
)
"""Names of files that a run writes for its user."""

Identity = tuple[int, str]
"""The size and the SHA-256 of a file."""


def is_output(name: str) -> bool:
    """Return whether a run may write a file of this name for its user."""
    return OUTPUT.fullmatch(name) is not None


def is_part(name: str) -> bool:
    """Return whether a file of this name may hold conversations that a run has kept."""
    return name.startswith("part-") and is_output(name)


def flat(output: str) -> str:
    """Return the name of an output as files of the work folder have it."""
    return output.replace("/", "-")


class WorkFolder:
    """The folder in which a run stores what it has done so far, and where its outputs go."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.path = out / NAME

    def plan(self) -> Path:
        """Return the file that says which run this is, and so that the folder is ours."""
        return self.path / RUN

    def shard(self, number: int, what: str) -> Path:
        """Return a file of a shard: its ``records``, the ``facts`` about them, and so on.

        ``json`` says that it is done, ``settled.json`` what became of its records, and ``kept`` has
        a byte for each conversation: whether it is kept.
        """
        return self.path / f"shard-{number:05}.{what}"

    def alike(self, step: int) -> Path:
        """Return the file with a number for each record: the first one that is alike."""
        return self.path / f"alike-{step}"

    def seen(self) -> Path:
        """Return the file that says what the sources were when they were read."""
        return self.path / SEEN

    def marker(self) -> dict[str, Any] | None:
        """Return what the work folder says of its run, or None if no run has marked it."""
        try:
            with opened_folder(self.path) as folder, open_in(folder, RUN) as file:
                found = json.load(file)
        except (OSError, ValueError, RecursionError):
            return None
        is_ours = isinstance(found, dict) and found.get("kind") == KIND
        return found if is_ours and isinstance(found.get("shards"), list) else None

    @contextmanager
    def output(self, name: str) -> Iterator[IO[bytes]]:
        """Write a file for the user, as a whole; a file that is not ours is never replaced.

        A file that has the same content already is left as it is, and counts as ours.
        """
        last = Path(name).name
        with opened_folder(self.path) as work, _unfinished(work, flat(name)) as (file, part):
            yield file
            new = _identity_of(file)
            os.fsync(file.fileno())
            with self.folder_of(name, is_made=True) as folder:
                found = identity_in(folder, last)
                known = [] if found in (None, new) else self.listed().get(name, [])
                if found not in (None, new, *known):
                    raise not_ours(self.out / name)
                # Listed before it is there: a run that is killed in between knows it again.
                write_json(self._entry(name), {"name": name, "files": [*known, new]})
                if found is None:
                    self._place(work, part, folder, name)
                elif found != new:
                    os.replace(part, last, src_dir_fd=work, dst_dir_fd=folder)

    def _place(self, work: int, part: str, folder: int, name: str) -> None:
        """Give a finished file its name, unless another file has got it meanwhile."""
        last = Path(name).name
        try:
            os.link(part, last, src_dir_fd=work, dst_dir_fd=folder, follow_symlinks=False)
        except FileExistsError:
            raise not_ours(self.out / name) from None
        except OSError:  # Some disks know no links.
            if identity_in(folder, last) is not None:
                raise not_ours(self.out / name) from None
            os.rename(part, last, src_dir_fd=work, dst_dir_fd=folder)

    def has_output(self, name: str) -> bool:
        """Return whether a file for the user is there just as this run has written it."""
        known = dict(_listed(read_json_file(self._entry(name))))
        with self.folder_of(name) as folder:
            return name in known and identity_in(folder, Path(name).name) in known[name]

    @contextmanager
    def folder_of(self, output: str, *, is_made: bool = False) -> Iterator[int]:
        with opened_folder(self.out) as out:
            inner = Path(output).parent.name
            if not inner:
                yield out
                return
            if is_made:
                with suppress(FileExistsError):
                    os.mkdir(inner, dir_fd=out)
            with opened_folder(inner, out) as folder:
                yield folder

    def listed(self) -> dict[str, list[Identity]]:
        """Return the files that runs have written here for their user, and what each may be."""
        found: dict[str, list[Identity]] = {}
        known = read_json_file(self.path / LIST)
        match known:
            case {"kind": str(kind), "files": list(files)} if kind == KIND:
                for one in files:
                    found.update(_listed(one))
        for path in self.path.glob(f"*{ENTRY}"):
            for name, identities in _listed(read_json_file(path)):
                found[name] = [*found.get(name, []), *identities]
        return found

    def must_be_as_written(self, name: str) -> None:
        """Refuse an output that is not as the list says; earlier versions kept no list."""
        known = self.listed().get(name)
        if known:
            with self.folder_of(name) as folder:
                if identity_in(folder, Path(name).name) not in (None, *known):
                    raise not_ours(self.out / name)

    def join_list(self) -> None:
        """Put everything that is listed into one file."""
        rows = [{"name": name, "files": files[-1:]} for name, files in self.listed().items()]
        rows.sort(key=lambda one: str(one["name"]))
        write_json(self.path / LIST, {"kind": KIND, "files": rows})
        with opened_folder(self.path) as folder:
            for row in rows:
                with suppress(FileNotFoundError):
                    os.unlink(self._entry(str(row["name"])).name, dir_fd=folder)

    def _entry(self, output: str) -> Path:
        return self.path / f"{flat(output)}{ENTRY}"


def resolved(path: Path, field: str) -> Path:
    """Return where a path leads, or refuse one that leads in a circle."""
    try:
        return path.resolve()
    except (RuntimeError, ValueError):
        raise Refused(
            f"{path} is a link that leads nowhere", field=field, value=str(path)
        ) from None


def damaged(path: Path) -> Refused:
    """Return the refusal to go on where a file of a run is not as the run has written it."""
    return Refused(
        f"{path} is damaged, so that the run can't go on; start again with --force",
        field="folder",
        value=str(path),
        legal="a run whose files are whole",
    )


def not_ours(path: Path) -> Refused:
    """Return the refusal to replace or remove a file that no list says a run has written."""
    return Refused(
        f"{path} is not as a run has written it, or was written by a version that had no list "
        "of its files; move it away, or name another folder to write into",
        field="folder",
        value=str(path),
        legal="a new or empty folder",
    )


def _listed(entry: Any) -> Iterator[tuple[str, list[Identity]]]:
    """Yield the name of an output that an entry lists, and what it may be."""
    match entry:
        case {"name": str(name), "files": list(files)} if is_output(name):
            known: list[Identity] = []
            for one in files:
                match one:
                    case [int(size), str(digest)]:
                        known.append((size, digest))
            yield name, known


@contextmanager
def opened_folder(path: str | Path, inside: int | None = None) -> Iterator[int]:
    """Open a folder for work on what is in it; a symbolic link is refused."""
    folder = os.open(path, FOLDER, dir_fd=inside)
    try:
        yield folder
    finally:
        os.close(folder)


def names_in(folder: int) -> list[str]:
    """Return what is in an open folder, in order."""
    with os.scandir(folder) as found:
        return sorted(one.name for one in found)


def open_in(folder: int, name: str) -> IO[bytes]:
    """Open a file in an open folder for reading; a symbolic link is refused."""
    return os.fdopen(os.open(name, READING, dir_fd=folder), "rb")


def _identity_of(file: IO[bytes]) -> Identity:
    file.flush()
    file.seek(0)
    digest = hashlib.file_digest(file, "sha256")  # type: ignore[arg-type]
    return file.tell(), digest.hexdigest()


def identity_in(folder: int, name: str) -> Identity | tuple[()] | None:
    """Return the identity of a file in an open folder, or None if there is none.

    What is not a regular file has an empty one, which no list holds.
    """
    try:
        if not stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            return ()
        with open_in(folder, name) as file:
            return _identity_of(file)
    except FileNotFoundError:
        return None


@contextmanager
def _unfinished(folder: int, name: str) -> Iterator[tuple[IO[bytes], str]]:
    """Give a new file, and the name under which it is gone again in the end."""
    part = f"{name}.{uuid4().hex}{PART}"
    try:
        with os.fdopen(os.open(part, WRITING, 0o666, dir_fd=folder), "w+b") as file:
            yield file, part
    finally:
        with suppress(OSError):
            os.unlink(part, dir_fd=folder)


@contextmanager
def whole(path: Path) -> Iterator[IO[bytes]]:
    """Write a file of the work folder that is there as a whole or not at all."""
    with opened_folder(path.parent) as folder, _unfinished(folder, path.name) as (file, part):
        yield file
        file.flush()
        os.fsync(file.fileno())
        os.replace(part, path.name, src_dir_fd=folder, dst_dir_fd=folder)


@contextmanager
def packed(path: Path) -> Iterator[IO[bytes]]:
    """Write a packed file that is there as a whole or not at all."""
    with whole(path) as file, _packing(file) as stream:
        yield stream


def _packing(file: IO[bytes]) -> Any:
    try:
        return import_module("compression.zstd").ZstdFile(file, "w", level=LEVEL)
    except ImportError:
        compressor = import_module("zstandard").ZstdCompressor(level=LEVEL)
        return compressor.stream_writer(file, closefd=False)


def packed_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a packed file, each with its end."""

    def damaged(sentence: str) -> None:
        raise OSError(f"{path.name}: {sentence}")

    with path.open("rb") as file:
        yield from unpacked(file, damaged)


def packed_json(data: Any) -> bytes:
    """Return data as JSON; a lone surrogate, which bytes of UTF-8 can't hold, is escaped."""
    try:
        return orjson.dumps(data)
    except (TypeError, ValueError):
        return json.dumps(data, separators=(",", ":")).encode()


def write_json(path: Path, data: Any) -> None:
    """Write data as a whole."""
    with whole(path) as file:
        file.write(packed_json(data))


def read_json_file(path: Path) -> Any:
    """Return the data of a file, or None where there is none or it is damaged."""
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None


SHARD_FILE = re.compile(
    r"shard-(\d{5,})\.(records|facts|(?:shingles|sketches)-\d+|json|settled\.json|kept|manifest)"
)
ALIKE, SHUFFLE = re.compile(r"alike-\d+"), re.compile(r"shuffle-\d+")
ROWS = re.compile(r"\d+-\d+(\.\d+\.part)?")
"""Names of files in the folder of a shuffle."""
UNFINISHED = re.compile(r"(.+)\.[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}\.part")


@contextmanager
def locked_folder(out: Path, *, is_forced: bool = False) -> Iterator[WorkFolder]:
    """Lock a folder for a run; one that holds something else is refused."""
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
    with suppress(FileExistsError):
        UserDisk().create(folder.path / LOCK).close()
    lock = lock_of(folder.path / LOCK)
    try:
        if not lock.acquire():
            raise Refused(
                f"another run is writing into {out} right now", field="folder", value=str(out)
            )
        must_be_ours(folder)
        if is_forced:
            _remove_outputs(folder)
            remove_work(folder)
        else:
            _must_be_files(folder)
        yield folder
    finally:
        lock.release()


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
        with locked_folder(out) as folder:
            with folder.output(name) as file:
                file.write(content)
            folder.join_list()
    except OSError as error:
        raise StorageError(
            f"{out / name} can't be written: {reason(error)}", field="folder", value=str(out)
        ) from None
