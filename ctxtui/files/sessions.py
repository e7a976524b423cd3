"""What a user names on the command line: a file, or a session of the library."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ctxtui.core import Conversation
from ctxtui.core.engine.meta_fields import other_fields
from ctxtui.core.engine.settings import Settings
from ctxtui.core.formats.base import Layout
from ctxtui.core.formats.warnings import FormatWarning, sentences
from ctxtui.files.preferences import load_preferences
from ctxtui.files.reading import spelled, without_surrogates
from ctxtui.files.sandbox import Unreadable
from ctxtui.progress import TaskProgress
from ctxtui.text.plurals import fields_words

if TYPE_CHECKING:
    from ctxtui.core.formats import Source as FileData
    from ctxtui.core.storage import ImportSource, Library, Session
    from ctxtui.files.opening import Opened

VARIABLE = "CTXTUI_LIBRARY"
"""The environment variable that names another folder for the library."""


def shown_folder(library: Library) -> str | None:
    """Return where a library is, for those who may know it: a visitor is not told."""
    return None if library.is_read_only else str(library.folder)


def library_folder(given: str | None = None) -> Path:
    """Return the library's folder: given, else of the environment, else preferred, else usual."""
    from platformdirs import user_data_path

    chosen = given or os.environ.get(VARIABLE) or load_preferences().library
    return Path(chosen).expanduser() if chosen else user_data_path("ctxtui") / "library"


def open_library(given: str | None = None) -> Library:
    """Return the library; its folder is made when something is saved."""
    from ctxtui.core.storage import Library

    return Library(library_folder(given))


def is_file(name: str) -> bool:
    """Return whether a name means a file: one that exists, or that only a path would be called."""
    try:
        return Path(name).exists() or Path(name).is_symlink() or os.sep in name
    except (OSError, ValueError):
        return True


def open_target(library: Library, name: str, watch: TaskProgress | None = None) -> Session:
    """Return the session to work in: for a file the one made from it before, or a new one.

    The file itself is never written. A session that another program has open is opened read-only.
    Of several conversations the first is kept last: where its session is, all others were made,
    and what was stopped in the middle goes on.
    """
    from ctxtui.files.opening import open_source, parse_conversations

    if not is_file(name):
        return open_session(library, find_session(library, name))
    data = open_source(name, watch)
    source = source_of(name, data)
    known = library.made_from(source)
    made = {entry.part for entry in known}
    if 0 in made:
        return open_session(library, known[0].id)
    found = parse_conversations(name, data, is_story=True)
    opened, more = next(found), 0
    whole = FileWarnings(data)
    for more, other in enumerate(found, 1):
        if more not in made:
            leave(new_session(library, other, source, more, data))
        whole.tell(other, more)
    first = new_session(library, opened, source, 0, data)
    whole.tell(opened, 0)
    if rest := whole.rest():
        first.warn(rest)
        first.sync()
    several = (f"this is the first of {more + 1:,} sessions made from the file",) if more else ()
    first.notes = (*several, *first.notes, *sentences(data.warnings))
    return first


def new_session(
    library: Library,
    opened: Opened,
    source: ImportSource | None,
    part: int = 0,
    data: FileData | None = None,
) -> Session:
    """Return a session for a conversation of a file; what was adapted is stored with it.

    Of what is wrong with the file as a whole, ``data``, it has what is about this conversation.
    """
    from ctxtui.core.storage import ThreadPlace

    warnings = (*opened.warnings, *_about(opened, part, data)) if data else opened.warnings
    usual = Path(source.path).name if source else "standard input"
    title = title_of(opened.conversation, f"{usual} #{part + 1}" if part else usual)
    place = source and source._replace(part=part, format=opened.format)
    thread = source and ThreadPlace.stated_in(opened.conversation.meta, source.content, usual)
    session = library.create(
        started(opened.conversation), title=title, source=place, thread=thread, warnings=warnings
    )
    session.notes = (*session.notes, *sentences(opened.warnings))
    fields = list(other_fields(opened.conversation.meta))
    session.facts = (fields_words(fields),) if fields else ()
    return session


class FileWarnings:
    """What is wrong with a file, as far as no session that was made of it says so."""

    def __init__(self, data: FileData) -> None:
        self._data = data
        self._told: set[tuple[str, int]] = set()

    def tell(self, opened: Opened, part: int) -> None:
        """Note that there is a session of a conversation of the file."""
        for one in _about(opened, part, self._data):
            self._told.update((one.code, place) for place in one.places or (0,))

    def rest(self) -> tuple[FormatWarning, ...]:
        """Return the warnings about places of which there is no session, such as bad lines."""
        found: list[FormatWarning] = []
        for one in self._data.warnings:
            places = [place for place in one.places or (0,) if (one.code, place) not in self._told]
            if places:
                places = [place for place in places if place]
                found.append(FormatWarning.of(one.code, one.names, places, one.noun, one.count))
        return tuple(found)


def _about(opened: Opened, part: int, data: FileData) -> tuple[FormatWarning, ...]:
    """Return what is wrong with a file where a conversation is; all of it if there is but one."""
    if opened.layout in (Layout.LINES, Layout.LIST):
        return data.collector.at(opened.place)
    return data.warnings if part == 0 else ()


def started(conversation: Conversation) -> Conversation:
    """Return a conversation with the counter, limit and profile that new sessions start with.

    One that says its own keeps them. Where something was done to it already, they are one more
    change, since the history must not change silently.
    """
    preferred = load_preferences().settings
    if preferred == Settings() or conversation.settings != Settings():
        return conversation
    if len(conversation.journal) == 1 and not conversation.marks:
        return Conversation(conversation.log, preferred, meta=conversation.meta)
    given = preferred.to_dict()
    names = ("tokenLimit", "counter", "profile")
    conversation.execute({"operation": "CONFIGURE"} | {name: given[name] for name in names})
    return conversation


def leave(session: Session) -> None:
    """Close a session; one that could not be saved is not saved silently now."""
    if session.is_saved:
        session.close()
    else:
        session.abandon()


def source_of(name: str, data: FileData) -> ImportSource:
    """Return where a conversation comes from, spelled the same under every locale."""
    from ctxtui.core.storage import ImportSource

    path = spelled(os.path.abspath(name))  # noqa: PTH100 - links are kept
    return ImportSource.of_blocks(path, data.blocks())


def title_of(conversation: Conversation, usual: str) -> str:
    """Return what a conversation calls itself, or else a usual title."""
    title = conversation.meta.get("title")
    return without_surrogates(title) if isinstance(title, str) else usual


def find_session(library: Library, name: str) -> str:
    """Return the id of a session by id or title; say that there is no such file either."""
    from ctxtui.core.storage import NotFound

    name = spelled(name)
    try:
        return library.find(name)
    except NotFound as missing:
        raise Unreadable(f"{name}: there is no such file, and {missing}") from None


def open_session(library: Library, id: str) -> Session:
    """Return a session, read-only where another program writes it."""
    from ctxtui.core.storage import Locked

    try:
        return library.open(id)
    except Locked:
        return library.open(id, read_only=True)
