"""``ctxtui apply``: a recipe applied to a file, or to sessions, to each all of it or nothing."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from core import Result
from core.curation.where import choose
from core.errors import Refused
from core.formats import WRITABLE, Written, format_named
from core.formats.remarks import beside_messages
from core.messages.message import METADATA_HINT
from core.storage import StorageError
from ctxtui.cli.applying import apply_to_each
from ctxtui.cli.choosing import target_arguments, targets
from ctxtui.cli.inputs import check_inputs
from ctxtui.cli.output import print_json, print_problems
from ctxtui.cli.sessions import is_session, open_target, take
from ctxtui.cli.streams import saved_output
from ctxtui.files.opening import Opened, open_recipe
from ctxtui.files.reading import Unreadable
from ctxtui.files.sessions import find_session, leave, open_library
from ctxtui.files.writing import write_whole
from ctxtui.words import plural


def arguments(parser: ArgumentParser) -> None:
    """Declare what the command takes."""
    target_arguments(parser)
    parser.add_argument(
        "--ops",
        metavar="RECIPE",
        nargs="+",
        action="extend",
        required=True,
        help="a list of operations; several are applied one after the other, all or none",
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
    names = targets(asked)
    recipe = [operation for path in asked.ops for operation in open_recipe(path)]
    if len(asked.names) != 1:
        return _to_each(asked, names, recipe)
    asked.file = names[0]
    if not is_session(asked.file) or asked.dry_run or asked.out is not None:
        return _to_file(asked, recipe)
    if asked.to is not None:
        raise Unreadable("--to needs -o: a session stays a session, only a file has a format")
    return _in_place(asked, recipe)


def _to_each(asked: Namespace, names: list[str], recipe: list[Any]) -> int:
    """Change many sessions; files are taken one at a time."""
    files = [name for name in names if not is_session(name)]
    if files or asked.out is not None or asked.to is not None:
        told = f"{files[0]} is a file" if files else "-o and --to are about files"
        raise Unreadable(f"a recipe goes to one file or to many sessions, and {told}")
    library = open_library(asked.library)
    return apply_to_each(library, choose(library, names), recipe, asked)


def _to_file(asked: Namespace, recipe: list[Any]) -> int:
    """Write or print what the recipe makes of a conversation, which itself stays as it is."""
    opened = open_target(asked)
    if opened.has_more:
        raise Unreadable(
            f"{asked.file}: it holds several conversations; import it, and apply the recipe to a "
            "session"
        )
    try:
        result = opened.conversation.execute(list(recipe))
    except Refused as refusal:
        return _refused(asked, refusal)
    said = _sentence(recipe, result, len(opened.conversation.view))
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
            print_json({**result.to_dict(), "written": None if asked.dry_run else asked.out})
    elif asked.dry_run:
        print_problems([f"would apply {said}; nothing was written"])
    else:
        print_problems([f"applied {said}"])
    return 0


def _in_place(asked: Namespace, recipe: list[Any]) -> int:
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
        try:
            result = session.change(list(recipe))
        except Refused as refusal:
            return _refused(asked, refusal)
        session.sync()
    finally:
        leave(session)
    if asked.json:
        with saved_output():
            print_json({**result.to_dict(), "written": None, "session": id})
    else:
        said = _sentence(recipe, result, len(session.conversation.view))
        print_problems([f"applied {said}, saved in session {id}"])
    return 0


def _refused(asked: Namespace, refusal: Refused) -> int:
    print_problems([f"{', '.join(asked.ops)}: {refusal.hinting(METADATA_HINT)}"])
    return 1


def _sentence(recipe: list[Any], result: Result, size: int) -> str:
    change = result.tokens
    return (
        f"{plural(len(recipe), 'operation')}: {plural(size, 'message')} visible, "
        f"{change.before} → {change.after} tokens, batch {result.affected_batch_index}"
    )


def _written(opened: Opened, to: str | None) -> Written:
    """Return the result in a format; a bare list of messages stays one."""
    if to is None and opened.is_list and opened.format == "native":
        print_problems(beside_messages(opened.conversation))
        return Written([message.to_dict() for message in opened.conversation.visible])
    written = format_named(to or opened.format).write(opened.conversation)
    print_problems(written.problems)
    return written
