"""``ctxtui apply``: a recipe or policy applied to a file, or to sessions, all of it or nothing."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from contextlib import nullcontext
from pathlib import Path

from ctxtui.cli.applying import apply_to_each
from ctxtui.cli.choosing import must_say, target_arguments, targets
from ctxtui.cli.inputs import check_inputs
from ctxtui.cli.ops import Ops, read_ops
from ctxtui.cli.output import print_json, print_problems
from ctxtui.cli.sessions import is_session, open_target, take
from ctxtui.cli.streams import saved_output
from ctxtui.core.curation.editing import settle
from ctxtui.core.curation.where import choose
from ctxtui.core.engine.messages import METADATA_HINT
from ctxtui.core.errors import Refused
from ctxtui.core.formats import WRITABLE, Written, format_named
from ctxtui.core.formats.warnings import beside_messages, sentences
from ctxtui.core.storage import StorageError
from ctxtui.files.fences import Unreadable
from ctxtui.files.opening import Opened
from ctxtui.files.sessions import find_session, leave, open_library
from ctxtui.files.writing import write_whole


def arguments(parser: ArgumentParser) -> None:
    """Declare what the command takes."""
    target_arguments(parser)
    parser.add_argument(
        "--ops",
        metavar="RECIPE",
        nargs="+",
        action="extend",
        required=True,
        help="a list of operations; several are applied one after the other, all or none; or one "
        "policy, which does what it would do before the next call",
    )
    parser.add_argument(
        "-o",
        "--out",
        metavar="OUT",
        help="where the result goes; else a session is changed, a file's result printed",
    )
    parser.add_argument("--to", choices=WRITABLE, help="the format of OUT; else FILE's own")
    parser.add_argument(
        "--dry-run", action="store_true", help="say what would happen, write nothing"
    )
    parser.add_argument(
        "--json", action="store_true", help="print the result of the operations as JSON"
    )


def run(asked: Namespace) -> int:
    """Apply the recipe; 1 means that it was refused and nothing was written."""
    check_inputs(*asked.names, *asked.ops)
    if not asked.dry_run:
        must_say(asked.where)
    names = targets(asked)
    ops = read_ops(asked.ops)
    if len(asked.names) != 1:
        return _to_each(asked, names, ops)
    asked.file = names[0]
    if not is_session(asked.file) or asked.dry_run or asked.out is not None:
        return _to_file(asked, ops)
    if asked.to is not None:
        raise Unreadable("--to needs -o: a session stays a session, only a file has a format")
    return _in_place(asked, ops)


def _to_each(asked: Namespace, names: list[str], ops: Ops) -> int:
    """Change many sessions; files are taken one at a time."""
    files = [name for name in names if not is_session(name)]
    if files or asked.out is not None or asked.to is not None:
        told = f"{files[0]} is a file" if files else "-o and --to are about files"
        raise Unreadable(f"a recipe goes to one file or to many sessions, and {told}")
    library = open_library(asked.library)
    return apply_to_each(library, choose(library, names), ops, asked)


def _to_file(asked: Namespace, ops: Ops) -> int:
    """Write or print what the recipe makes of a conversation, which itself stays as it is."""
    opened = open_target(asked)
    if opened.has_more:
        raise Unreadable(
            f"{asked.file}: it holds several conversations; import it, and apply the recipe to a "
            "session"
        )
    try:
        was_due = ops.due(opened.conversation)
        results = ops.act(opened.conversation)
    except Refused as refusal:
        return _refused(asked, refusal)
    said = ops.sentence(results, len(opened.conversation.view), was_due=was_due)
    is_kept = False
    if not asked.dry_run:
        text = _written(opened, asked.to).text
        if asked.out in (None, "-") and not asked.json:
            sys.stdout.write(text)
        elif asked.out not in (None, "-"):
            write_whole(Path(asked.out), text)
            said += f", written to {asked.out}"
            is_kept = True
    if asked.json:
        with saved_output() if is_kept else nullcontext():
            written = None if asked.dry_run else asked.out
            print_json({**ops.to_dict(results, was_due=was_due), "written": written})
    elif asked.dry_run:
        print_problems([f"{'would apply ' if results else ''}{said}; nothing was written"])
    else:
        print_problems([f"{'applied ' if results else ''}{said}"])
    return 0


def _in_place(asked: Namespace, ops: Ops) -> int:
    """Change a session; when this returns 0, the change is on disk."""
    library = open_library(asked.library)
    id = find_session(library, asked.file)
    session = take(library, id)
    try:
        if session.id != id:
            raise StorageError(
                f"session {id} is damaged and stays as it is; what could be read is in session "
                f"{session.id}: apply the recipe to that one"
            )
        journal = len(session.conversation.journal)
        try:
            was_due = ops.due(session.conversation)
            results = ops.act(session.conversation)
        except Refused as refusal:
            return _refused(asked, refusal)
        goes_back = settle(session, journal)
    finally:
        leave(session)
    if asked.json:
        with saved_output():
            told = ops.to_dict(results, was_due=was_due)
            print_json({**told, "written": None, "session": id, "inReviewAgain": goes_back})
    else:
        said = ops.sentence(results, len(session.conversation.view), was_due=was_due)
        saved = f"applied {said}, saved in session {id}"
        print_problems([saved if results else f"{said}; session {id} stays as it is"])
        print_problems(["it had been accepted, now in review again"] if goes_back else [])
    return 0


def _refused(asked: Namespace, refusal: Refused) -> int:
    print_problems([f"{', '.join(asked.ops)}: {refusal.with_hint(METADATA_HINT)}"])
    return 1


def _written(opened: Opened, to: str | None) -> Written:
    """Return the result in a format; a bare list of messages stays one."""
    if to is None and opened.is_list and opened.format == "native":
        print_problems(sentences(beside_messages(opened.conversation)))
        return Written([message.to_dict() for message in opened.conversation.visible])
    written = format_named(to or opened.format).write(opened.conversation)
    print_problems(sentences(written.warnings))
    return written
