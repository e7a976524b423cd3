"""``ctxtui apply``: a recipe or policy applied to a file, or to sessions, all of it or nothing."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from contextlib import nullcontext
from pathlib import Path

from ctxtui.cli.inputs import (
    Ops,
    Told,
    check_inputs,
    choosing_target_arguments,
    for_each,
    is_session,
    look,
    must_say,
    noting,
    open_target,
    read_ops,
    take,
    taken,
    targets,
)
from ctxtui.cli.lint import Linted
from ctxtui.cli.output import print_json, print_line, print_problems, saved_output
from ctxtui.core import Conversation
from ctxtui.core.curation.query import choose
from ctxtui.core.curation.replacing import ACCEPTED, save_changes
from ctxtui.core.engine.messages import METADATA_HINT
from ctxtui.core.errors import Refused
from ctxtui.core.formats import WRITABLE, Written, format_named
from ctxtui.core.formats.warnings import beside_messages, sentences
from ctxtui.core.storage import Entry, Library, StorageError
from ctxtui.files.fences import Unreadable
from ctxtui.files.opening import Opened
from ctxtui.files.sessions import find_session, leave, open_library
from ctxtui.files.writing import write_whole
from ctxtui.library.models.steps import act_on
from ctxtui.text.plurals import plural

# A recipe or policy applied to many sessions: to each as a whole or not, one after the other.


def apply_to_each(library: Library, entries: list[Entry], ops: Ops, asked: Namespace) -> int:
    """Apply it to each session, or tell what it would do; 1 means that some refused it."""

    def act(entry: Entry) -> Told:
        return (_tried if asked.dry_run else _applied)(library, entry, ops)

    def show(row: Told) -> None:
        if not asked.json:
            print_line(f"{row['id']}  {row['title']}: {_sentence(row)}")

    with saved_output(), noting(library):
        rows, code = for_each(entries, act, show)
        if asked.json:
            print_json({"sessions": rows})
    changed = plural(sum(row["changed"] for row in rows), "session")
    would = f"would change {changed} of {len(entries):,}; nothing was written"
    print_problems([would if asked.dry_run else f"changed {changed} of {len(entries):,}"])
    if again := sum(row["inReviewAgain"] for row in rows):
        back = f"{plural(again, 'accepted session')} would go back to in review"
        went = f"{plural(again, 'session')} had been accepted, now in review again"
        print_problems([back if asked.dry_run else went])
    return code


def _tried(library: Library, entry: Entry, ops: Ops) -> Told:
    """Tell what it would make of a session."""
    conversation = look(library, entry.id).conversation
    before = _figures(conversation)
    told = _acted(ops, conversation)
    goes_back = told["changed"] and entry.status == ACCEPTED
    return _row(entry, before, conversation, {**told, "saved": False, "inReviewAgain": goes_back})


def _applied(library: Library, entry: Entry, ops: Ops) -> Told:
    """Change a session; when this returns, the change is on disk."""
    with taken(library, entry.id) as session:
        before, journal = _figures(session.conversation), len(session.conversation.journal)
        told = _acted(ops, session.conversation)
        told |= {"saved": True, "inReviewAgain": save_changes(session, journal)}
        return _row(entry, before, session.conversation, told)


def _acted(ops: Ops, conversation: Conversation) -> Told:
    """Change a conversation, and tell whether it did; of a policy also whether it was due.

    As in the app, where nothing would be sent differently nothing is done.
    """
    was_due = ops.due(conversation)
    loaded = ops.steps if ops.policy is None else ops.policy
    changed = any(result.changed for result in act_on(loaded, conversation))
    return {"changed": changed} if ops.policy is None else {"changed": changed, "due": was_due}


def _figures(conversation: Conversation) -> dict[str, int]:
    linted = Linted.of(conversation, None)
    return {
        "visible": len(conversation.view),
        "tokens": conversation.tokens.total,
        "errors": linted.errors,
        "warnings": linted.warnings,
    }


def _row(entry: Entry, before: dict[str, int], conversation: Conversation, told: Told) -> Told:
    after = _figures(conversation)
    both = {key: {"before": before[key], "after": after[key]} for key in before}
    return {"id": entry.id, "title": entry.title, **told, **both}


def _sentence(row: Told) -> str:
    if not row["changed"]:
        return "nothing changes" if row.get("due", True) else "it is not due"
    told = [f"{_change(row['visible'])} visible", f"{_change(row['tokens'])} tokens"]
    told += [
        f"{_change(row[key])} {key}" for key in ("errors", "warnings") if any(row[key].values())
    ]
    told += ["in review again"] if row["inReviewAgain"] else []
    return ", ".join(told)


def _change(both: dict[str, int]) -> str:
    before, after = both["before"], both["after"]
    return f"{before:,}" if before == after else f"{before:,} → {after:,}"


def arguments(parser: ArgumentParser) -> None:
    """Declare what the command takes."""
    choosing_target_arguments(parser)
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
        goes_back = save_changes(session, journal)
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
