"""What commands are told: a conversation in a file, a batch of it."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from ctxtui.cli.output import print_json, print_line, print_problems, progress, saved_output
from ctxtui.core import Conversation, Result, Revision
from ctxtui.core.curation.catalog import Catalog
from ctxtui.core.curation.query import choose
from ctxtui.core.errors import Refused, format_value
from ctxtui.core.formats.warnings import sentences
from ctxtui.core.policies import Policy
from ctxtui.core.storage import STATUSES, Entry, Library, Session, StorageError
from ctxtui.core.values.numbers import count_in
from ctxtui.files.fences import Unreadable
from ctxtui.files.opening import Opened, open_recipe_or_policy, read_conversation
from ctxtui.files.reading import spelled
from ctxtui.files.sessions import find_session, is_file, leave, open_library
from ctxtui.library.models.steps import act_on
from ctxtui.text.plurals import plural


def check_inputs(*names: str) -> None:
    """Refuse to take two inputs from standard input, before anything of it is read."""
    if names.count("-") > 1:
        raise Unreadable("standard input: it can be read only once, and - is given more than once")


def open_conversation(path: str) -> Opened:
    """Return the conversation a file holds, or a script file leads to; print what was adapted."""
    opened = read_conversation(path)
    print_problems(sentences(opened.warnings))
    return opened


def find_batch(conversation: Conversation, name: str) -> Revision:
    """Return the revision of a batch: ``2`` is a number on the path, ``#7`` an id."""
    wanted = count_in(name.removeprefix("#"))
    if wanted is None:
        raise Unreadable(
            f"batch {format_value(name)} is neither a number such as 2 nor an id such as #7"
        )
    if name.startswith("#"):
        if wanted >= len(conversation.batches):
            raise Unreadable(f"batch {name} is outside #0…#{len(conversation.batches) - 1}")
        return conversation.newest(conversation.batches[wanted])
    if wanted >= len(conversation.path):
        raise Unreadable(f"batch {name} is outside 0…{len(conversation.path) - 1}")
    return conversation.on_path(wanted)


# What commands do with the library: choose it, look at a session, or take one to write.

WAIT_SECONDS = 10.0
"""Seconds in which another program may finish with a session that is to be changed."""


def library_argument(parser: ArgumentParser) -> None:
    """Declare how another library is chosen."""
    parser.add_argument(
        "--library",
        metavar="DIR",
        help="the library's folder; else that of CTXTUI_LIBRARY, else the usual one",
    )


def sessions_target_arguments(parser: ArgumentParser) -> None:
    """Declare the conversation a command is about."""
    parser.add_argument(
        "file",
        metavar="FILE|SESSION",
        help="a conversation in a file, or the id or title of a session; - reads standard input",
    )
    library_argument(parser)


def is_session(name: str) -> bool:
    """Tell whether a name can only mean a session: there is no such file."""
    return name != "-" and not is_file(name)


def open_target(asked: Namespace) -> Opened:
    """Return the conversation a command is about; a session is read without keeping others out."""
    if not is_session(asked.file):
        return open_conversation(asked.file)
    library = open_library(asked.library)
    session = look(library, find_session(library, asked.file))
    return Opened(session.conversation, "native", warnings=session.details.warnings)


def look(library: Library, id: str) -> Session:
    """Return a session that is closed again, and say what had to be done to read it."""
    with library.open(id, read_only=True) as session:
        print_problems(session.notes)
        return session


def take(library: Library, id: str) -> Session:
    """Return a session to be changed, when nobody else has it open any more."""
    session = library.open(id, wait=WAIT_SECONDS)
    print_problems(session.notes)
    return session


def titles(library: Library) -> dict[str, str]:
    """Return the title of every session by its id."""
    return {entry.id: entry.title for entry in library.list()}


def left_out(session: Session) -> list[str]:
    """Return what the library knows of a session and a file of its conversation does not say."""
    details = session.details
    usual = [session.conversation.meta.get("title")]
    if details.source is not None:
        usual.append(Path(details.source.path).name)
    facts = {
        "title": details.title not in usual,
        "tags": details.tags,
        "review status": details.status != STATUSES[0],
        "note": details.note,
        "notes about messages": details.remarks,
    }
    names = [name for name, is_there in facts.items() if is_there]
    return [f"left out, because only the library keeps it: {', '.join(names)}"] if names else []


# Which sessions a command is about, and doing something to each of them.

Told = dict[str, Any]
"""What is told of one session, as JSON has it."""


def session_arguments(parser: ArgumentParser, about: str = "the id or title of a session") -> None:
    """Declare the sessions a command is about: their names, or what must be so of them."""
    parser.add_argument("sessions", metavar="SESSION", type=spelled, nargs="*", help=about)
    where_argument(parser)
    library_argument(parser)


def choosing_target_arguments(parser: ArgumentParser) -> None:
    """Declare the conversations a command is about: in files, or sessions."""
    parser.add_argument(
        "names",
        metavar="FILE|SESSION",
        nargs="*",
        help="conversations in files, or ids or titles of sessions; - reads standard input",
    )
    where_argument(parser)
    library_argument(parser)


def where_argument(parser: ArgumentParser) -> None:
    """Declare how sessions are chosen by what is so of them; they may stand among options."""
    parser.set_defaults(mixed=True)
    parser.add_argument(
        "--where",
        metavar="WHERE",
        help="choose sessions instead of naming them, as 'status:accepted tag:x lint:error'",
    )


def chosen(library: Library, asked: Namespace, *, or_all: bool = False) -> list[Entry]:
    """Return the sessions that are meant; refuse names beside ``--where``, and neither of them."""
    return chosen_of(library, asked.sessions, asked.where, or_all=or_all)


def chosen_of(
    library: Library, names: Sequence[str], where: str | None, *, or_all: bool = False
) -> list[Entry]:
    """Return the sessions of some names, or those that ``where`` chooses; or all, if allowed."""
    must_choose(names, where, or_all=or_all)
    with progress("sessions", 1, 1) as watch:
        return choose(library, names, "" if where is None and not names else where, watch)


def must_choose(names: Sequence[str], where: str | None, *, or_all: bool = False) -> None:
    """Refuse names beside ``--where``, and neither of them."""
    if names and where is not None:
        raise Unreadable(
            f"sessions are named or chosen by --where, not both ({names[0]!r} is a name)"
        )
    if not names and where is None and not or_all:
        raise Unreadable("no session is named; name some, or choose them with --where")


def must_say(where: str | None, done: str = "change") -> None:
    """Refuse a ``--where`` that is blank before something is done to sessions.

    It chooses all of them, which is more likely a variable that was empty than what was meant.
    """
    if where is not None and not where.strip():
        raise Unreadable(
            f"--where {where!r} says nothing that must be so, and a slip would {done} all; "
            "-has:problem is every session that can be read"
        )


def targets(asked: Namespace) -> list[str]:
    """Return the files and sessions that are meant, each once, by name or by id."""
    names = list(dict.fromkeys(asked.names))
    if names and asked.where is None:
        return names
    return [one.id for one in chosen_of(open_library(asked.library), names, asked.where)]


def for_each(
    entries: Iterable[Entry], act: Callable[[Entry], Told], told: Callable[[Told], None]
) -> tuple[list[Told], int]:
    """Do something to each session; return what is told of those it worked for, and a code.

    ``told`` prints it at once, so that whoever stops the command knows what is done. 1 means that
    some were refused, each with its sentence on standard error.
    """
    done: list[Told] = []
    code = 0
    for entry in entries:
        try:
            row = act(entry)
        except (Refused, OSError) as problem:
            print_problems([f"{entry.id}  {entry.title}: {problem}"])
            code = 1
            continue
        done.append(row)
        told(row)
    return done, code


@contextmanager
def taken(library: Library, id: str) -> Iterator[Session]:
    """Lend a session to be changed; a damaged one, of which there is a copy now, is refused."""
    session = take(library, id)
    try:
        if session.id != id:
            raise StorageError(
                f"session {id} is damaged and stays as it is; what could be read is in session "
                f"{session.id}"
            )
        yield session
    finally:
        leave(session)


@contextmanager
def noting(library: Library) -> Iterator[Library]:
    """Lend a library whose catalog learns what is saved, so that nothing is to be found out again.

    A library that has no catalog needs none for this.
    """
    with Catalog(library):
        yield library


# What ``--ops`` holds: operations of one recipe or several, or a policy that acts once if due.


class Ops(NamedTuple):
    """Operations, or a policy in their place."""

    steps: tuple[Any, ...]
    policy: Policy | None = None

    def act(self, conversation: Conversation) -> list[Result]:
        """Change a conversation, all of it or nothing; nothing comes of a policy that is not due.

        A policy does what it would do before the next call.
        """
        if self.policy is not None:
            return list(act_on(self.policy, conversation))
        return [conversation.execute(list(self.steps))]

    def due(self, conversation: Conversation) -> bool:
        """Tell whether anything is to be done before the next call."""
        return self.policy is None or self.policy.is_due(conversation)

    def sentence(self, results: Sequence[Result], size: int, *, was_due: bool) -> str:
        """Return what came of it."""
        what = f"policy {self.policy.name}" if self.policy else plural(len(self.steps), "operation")
        visible = f"{what}: {plural(size, 'message')} visible"
        if not results:
            return f"{visible}, {'nothing changes' if was_due else 'it is not due'}"
        first, last = results[0].tokens, results[-1].tokens
        batch = results[-1].affected_batch_index
        return f"{visible}, {first.before} → {last.after} tokens, batch {batch}"

    def to_dict(self, results: Sequence[Result], *, was_due: bool) -> dict[str, Any]:
        """Return what came of it as JSON has it; a policy has a result for each stage."""
        if self.policy is None:
            return results[0].to_dict()
        stages = [one.to_dict() for one in results]
        return {"policy": self.policy.name, "due": was_due, "stages": stages}


def read_ops(paths: Sequence[str]) -> Ops:
    """Return what the files hold; a policy stands alone."""
    steps: list[Any] = []
    for path in paths:
        found = open_recipe_or_policy(path)
        if not isinstance(found, Policy):
            steps += found
        elif len(paths) == 1:
            return Ops((), found)
        else:
            raise Unreadable(f"{path}: a policy is applied alone, and {len(paths)} files are named")
    return Ops(tuple(steps))


# What commands that judge, tag and note share: each session is changed, and told as it is then.

Change = Callable[[Session], Told]
"""Changes a session, and returns what is to be told beside its id and title."""
After = Callable[[Library, list[Told]], Iterable[str]]
"""Completes what is told of all sessions that were changed, and returns lines that say it."""


def nothing_more(library: Library, rows: list[Told]) -> Iterable[str]:
    """Tell nothing beside what was told of each."""
    return ()


def describing_arguments(parser: ArgumentParser) -> None:
    """Declare the sessions, and how they are told."""
    session_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print what became of each as JSON")


def describe_each(
    asked: Namespace, change: Change, told: Callable[[Told], str], after: After = nothing_more
) -> int:
    """Change every session that can be; 1 means that some could not."""
    must_say(asked.where)
    library = open_library(asked.library)
    entries = chosen(library, asked)

    def show(row: Told) -> None:
        if not asked.json:
            print_line(f"{row['id']}  {row['title']}: {told(row)}")

    with saved_output(), noting(library):
        rows, code = for_each(entries, lambda entry: _changed(library, entry, change), show)
        lines = list(after(library, rows))
        if asked.json:
            print_json({"sessions": rows})
        elif not entries:
            print_line("no session is so")
        else:
            for line in lines:
                print_line(line)
    return code


def _changed(library: Library, entry: Entry, change: Change) -> Told:
    with taken(library, entry.id) as session:
        return {"id": session.id, "title": session.title, **change(session)}
