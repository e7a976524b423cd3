"""What a command is about: a conversation in a file or a session, and a batch of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxtui.cli.parser import Namespace, Parser
from ctxtui.cli.streams import print_errors
from ctxtui.core import Conversation, Revision
from ctxtui.core.errors import format_value
from ctxtui.core.formats.warnings import sentences
from ctxtui.core.values.numbers import count_in
from ctxtui.files.opening import Opened, read_conversation
from ctxtui.files.sandbox import Unreadable
from ctxtui.files.sessions import find_session, is_file, open_library

if TYPE_CHECKING:
    from ctxtui.core.storage import Library, Session


def library_argument(parser: Parser) -> None:
    """Declare how another library is chosen."""
    parser.option("--library DIR", "the library; else CTXTUI_LIBRARY, else that of the settings")


def target_argument(parser: Parser) -> None:
    """Declare the conversation a command is about."""
    about = "a file, or the id or title of a session; - reads standard input"
    parser.add_argument("file", metavar="FILE|SESSION", help=about)
    library_argument(parser)


def targets_argument(parser: Parser, metavar: str = "FILE|SESSION") -> None:
    """Declare the conversations a command is about: in files, or sessions."""
    about = "files, or ids or titles of sessions; - reads standard input"
    parser.add_argument("names", metavar=metavar, nargs="*", help=about)
    where_argument(parser)
    library_argument(parser)


def where_argument(parser: Parser) -> None:
    """Declare how sessions are chosen by a query; their names may be among the options."""
    parser.set_defaults(mixed=True)
    about = "choose sessions instead of naming them, as 'status:accepted tag:x lint:error'"
    parser.option("--where WHERE", about)


def check_stdin(*names: str) -> None:
    """Refuse to read standard input twice, before anything of it is read."""
    if names.count("-") > 1:
        raise Unreadable("standard input: it can be read only once, and - is given more than once")


def is_session(name: str) -> bool:
    """Return whether a name can only mean a session: no file has it."""
    return name != "-" and not is_file(name)


def open_conversation(path: str) -> Opened:
    """Return the conversation of a file, or of a script's end; print what was adapted."""
    opened = read_conversation(path)
    print_errors(sentences(opened.warnings))
    return opened


def open_target(name: str, folder: str | None) -> Opened:
    """Return the conversation a command is about; a session is read without locking it."""
    if not is_session(name):
        return open_conversation(name)
    library = open_library(folder)
    session = read_session(library, find_session(library, name))
    return Opened(session.conversation, "native", warnings=session.details.warnings)


def read_session(library: Library, id: str) -> Session:
    """Return a session that is closed again, and report what was needed to read it."""
    with library.open(id, read_only=True) as session:
        print_errors(session.notes)
        return session


def targets(args: Namespace) -> list[str]:
    """Return the files and sessions that are meant, each once, by name or by id."""
    names = list(dict.fromkeys(args.names))
    if names and args.where is None:
        return names
    from ctxtui.cli.sessions import choose_sessions

    library = open_library(args.library)
    return [one.id for one in choose_sessions(library, names, args.where)]


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
