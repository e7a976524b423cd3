"""``ctxtui check``: whether conversations keep what the engine promises."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from ctxtui.cli.inputs import check_inputs, choosing_target_arguments, open_target, targets
from ctxtui.cli.output import print_json, print_line, print_problems
from ctxtui.core.errors import Refused
from ctxtui.files.fences import Unreadable
from ctxtui.text.icons import ERROR, PASSED
from ctxtui.text.plurals import plural


def arguments(parser: ArgumentParser) -> None:
    """Declare what the command takes."""
    choosing_target_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print the sentences as JSON")


def run(asked: Namespace) -> int:
    """Print a sentence for each broken invariant; 1 means that there is one."""
    check_inputs(*asked.names)
    names, rows, unread = targets(asked), [], 0
    for name in names:
        try:
            opened = open_target(Namespace(file=name, library=asked.library))
        except (Unreadable, Refused) as problem:
            if len(names) == 1:
                raise
            print_problems([str(problem)])
            unread += 1
            continue
        conversation = opened.conversation
        broken = conversation.check()
        rows.append({"name": name, "ok": not broken, "sentences": broken})
        if not asked.json:
            sizes = f"{plural(len(conversation.log), 'message')}, "
            sizes += plural(len(conversation.revisions), "revision")
            for sentence in broken:
                print_line(ERROR.text(f"{name}: {sentence}"))
            if not broken:
                print_line(PASSED.text(f"{name}: every invariant holds ({sizes})"))
    if asked.json:
        print_json({"conversations": rows})
    return 0 if all(row["ok"] for row in rows) and not unread else 1
