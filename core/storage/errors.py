"""Errors of storage: each is one sentence, with the session still whole in memory."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import Refused


class StorageError(Refused):
    """Something about saved sessions that could not be done; the sentence says what to do."""


class NotFound(StorageError):  # noqa: N818 - says what happened
    """No session is known by that name, or several are."""


class Locked(StorageError):  # noqa: N818 - says what happened
    """Another program has the session open for writing; ``holder`` says which."""

    def __init__(self, sentence: str, holder: str = "") -> None:
        super().__init__(
            sentence, field="session", legal="a session that no other program has open"
        )
        self.holder = holder


class NotSaved(StorageError):  # noqa: N818 - says what happened
    """The disk refused; everything is still in memory, and saving again later works."""


class Stale(NotSaved):
    """The file is not the one this session was read from, so it is not written over."""


class Damaged(StorageError):  # noqa: N818 - says what happened
    """Nothing of a session file could be read."""


class TooNew(StorageError):  # noqa: N818 - says what happened
    """The file comes from a newer version of this program."""


REASONS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EROFS: "the disk can only be read",
    errno.EACCES: "permission is denied",
    errno.EPERM: "permission is denied",
    errno.ENOENT: "the folder or file is gone",
    errno.EEXIST: "there is a file where a folder should be",
    errno.ENOTDIR: "there is a file where a folder should be",
    errno.EISDIR: "there is a folder where a file should be",
    errno.EIO: "the disk reports an error",
    errno.ELOOP: "it is a link that can't be followed",
    errno.EMFILE: "too many files are open",
    errno.ENAMETOOLONG: "the name is too long",
}


def reason(error: OSError) -> str:
    """Return why the system refused, in plain words."""
    known = REASONS.get(error.errno or 0)
    return known or (error.strerror or type(error).__name__).lower()


@contextmanager
def translated(what: str, field: str, value: str) -> Iterator[None]:
    """Raise what the system refuses as a sentence: what could not be done, and why."""
    try:
        yield
    except OSError as error:
        raise StorageError(f"{what}: {reason(error)}", field=field, value=value) from None
