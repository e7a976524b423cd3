"""``ctxtui apply``: a recipe applied to a file, all of it or nothing."""

from __future__ import annotations

import os
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from pathlib import Path

from core.errors import Refused
from core.formats import FORMATS, dump_json, format_named
from core.formats.remarks import beside_messages
from ctxtui.cli.inputs import Opened, Unreadable, open_conversation, open_recipe
from ctxtui.cli.output import plural, print_json, print_problems


def arguments(parser: ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("file", metavar="FILE", help="a conversation; - reads standard input")
    parser.add_argument("--ops", metavar="RECIPE", required=True, help="a list of operations")
    parser.add_argument(
        "-o", "--out", metavar="OUT", help="where the result goes; else it is printed"
    )
    parser.add_argument(
        "--to", choices=[one.name for one in FORMATS], help="the result's format; else FILE's own"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="say what would happen, write nothing"
    )
    parser.add_argument(
        "--json", action="store_true", help="print the result of the operations as JSON"
    )


def run(asked: Namespace) -> int:
    """Apply the recipe; 1 means that it was refused and nothing was written."""
    opened = open_conversation(asked.file)
    recipe = open_recipe(asked.ops)
    conversation = opened.conversation
    try:
        result = conversation.execute(list(recipe))
    except Refused as refusal:
        print_problems([f"{asked.ops}: {refusal}"])
        return 1
    change, size = result.tokens, len(conversation.view)
    said = (
        f"{plural(len(recipe), 'operation')}: {plural(size, 'message')} visible, "
        f"{change.before} → {change.after} tokens, batch {result.affected_batch_index}"
    )
    if not asked.dry_run:
        text = dump_json(_data(opened, asked.to)) + "\n"
        if asked.out in (None, "-") and not asked.json:
            sys.stdout.write(text)
        elif asked.out not in (None, "-"):
            write_whole(Path(asked.out), text)
            said += f", written to {asked.out}"
    if asked.json:
        print_json({**result.to_dict(), "written": None if asked.dry_run else asked.out})
    elif asked.dry_run:
        print_problems([f"would apply {said}; nothing was written"])
    else:
        print_problems([f"applied {said}"])
    return 0


def _data(opened: Opened, to: str | None) -> object:
    """Return the result as JSON-ready data; a bare list of messages stays one."""
    if to is None and opened.is_list and opened.format == "native":
        print_problems(beside_messages(opened.conversation))
        return [message.to_dict() for message in opened.conversation.visible]
    written = format_named(to or opened.format).write(opened.conversation)
    print_problems(written.problems)
    return written.data


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is there as a whole or not at all."""
    try:
        path = path.resolve()  # What a link points to is written, not the link.
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8")
            return
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".ctxtui-")
        try:
            os.fchmod(handle, _mode(path))
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise Unreadable(f"{path}: it can't be written: {error.strerror}") from None


def _mode(path: Path) -> int:
    """Return the permissions the file has, or a new one would get."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
