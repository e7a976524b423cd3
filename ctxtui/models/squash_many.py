"""Squashing sessions of the library: new ones of what is visible, and the originals purged."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ctxtui.core import Refused
from ctxtui.core.curation.purging import Purging, squash_session
from ctxtui.core.errors import format_value
from ctxtui.core.storage import Entry, Library
from ctxtui.models.library_steps import Done, made_step
from ctxtui.models.told import done, sentence_of, warned
from ctxtui.progress import Watch
from ctxtui.words import plural

SQUASH, PURGE = "squash", "purge"


def read_word(text: str) -> bool:
    """Tell whether originals shall be removed for good; refuse any other word.

    It is typed in full, since nothing can bring back what was purged.
    """
    word = text.strip().casefold()
    if word not in (SQUASH, PURGE):
        raise Refused(
            f"{format_value(text.strip())} is neither {SQUASH} nor {PURGE}",
            field="answer",
            value=text,
            legal=f"{SQUASH} or {PURGE}",
        )
    return word == PURGE


def squash_many(library: Library, entries: Sequence[Entry], is_purging: bool, watch: Watch) -> Done:
    """Make a session of what is visible of each; when purging, remove the originals for good."""
    instead: list[tuple[str, str]] = []
    problems: list[str] = []
    with Purging(library) as purging:  # Caches forget all that is gone at once.
        squash = purging.squash if is_purging else partial(squash_session, library)
        for number, entry in enumerate(entries, start=1):
            try:
                instead.append((entry.id, squash(entry.id).new))
            except Exception as problem:
                problems.append(f"{entry.title}: {sentence_of(problem)}")
            watch.step(number / len(entries))
    made = [new for _, new in reversed(instead)]  # The last one is put above the others.
    title = f"{'Purged' if is_purging else 'Squashed'} {plural(len(made), 'session')}"
    if problems:
        told = warned(title, problems[0])
    elif is_purging:
        trashed = len(library.trash.ids())
        more = f" The trash still holds {plural(trashed, 'session')}." if trashed else ""
        kept = "New ones keep what is visible, titles, tags, notes, labels, tools and other fields."
        told = done(title, f"{kept} History, hidden messages and recorded calls are removed.{more}")
    else:
        told = done(title, "The originals stay beside them.", ("u", "takes the new ones away"))
    if is_purging:
        return Done(told, tuple(made), instead=tuple(instead), must_list=True)
    return Done(told, tuple(made), made_step(library, made, SQUASH), must_list=True)
