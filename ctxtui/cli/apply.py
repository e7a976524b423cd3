"""``ctxtui apply``: a recipe or policy applied to a file, or to sessions, all of it or nothing."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NamedTuple

from ctxtui.cli.inputs import (
    check_stdin,
    is_session,
    open_target,
    read_session,
    targets,
    targets_argument,
)
from ctxtui.cli.lint import Linted
from ctxtui.cli.output import print_json, print_line
from ctxtui.cli.parser import Namespace, Parser
from ctxtui.cli.sessions import Row, changing, check_where, for_each
from ctxtui.cli.streams import print_error, print_errors, saved_output
from ctxtui.core import Conversation, Result
from ctxtui.core.curation.catalog import Catalog
from ctxtui.core.curation.query import choose
from ctxtui.core.curation.replacing import save_changes
from ctxtui.core.engine.messages import METADATA_HINT
from ctxtui.core.errors import Refused
from ctxtui.core.formats import WRITABLE, Written, format_named
from ctxtui.core.formats.losses import conversation_losses
from ctxtui.core.formats.warnings import sentences
from ctxtui.core.policies import Policy
from ctxtui.core.storage import Entry
from ctxtui.core.storage.details import ACCEPTED
from ctxtui.files.opening import Opened, open_recipe_or_policy
from ctxtui.files.sandbox import Unreadable
from ctxtui.files.sessions import find_session, open_library
from ctxtui.files.writing import write_whole
from ctxtui.library.models.steps import act_on
from ctxtui.text.plurals import plural


def arguments(parser: Parser) -> None:
    targets_argument(parser)
    ops = "a list of operations, several are applied in turn, all or none; or one policy"
    parser.option("--ops RECIPE", ops, nargs="+", action="extend", required=True)
    parser.option(
        "-o --out OUT", "write a file; else change the session, or print the result of a file"
    )
    parser.option("--to", "the format of OUT; else FILE's own", choices=WRITABLE)
    parser.option("--dry-run", "say what would happen, write nothing")
    parser.option("--json", "print the result of the operations as JSON")


def run(args: Namespace) -> int:
    """Apply the recipe; 1 means that it was refused and nothing was written."""
    check_stdin(*args.names, *args.ops)
    if not args.dry_run:
        check_where(args.where)
    names = targets(args)
    ops = read_ops(args.ops)
    if len(args.names) != 1:
        return _to_each(args, names, ops)
    args.file = names[0]
    if not is_session(args.file) or args.dry_run or args.out is not None:
        return _to_file(args, ops)
    if args.to is not None:
        raise Unreadable("--to needs -o: a session stays a session, only a file has a format")
    return _in_place(args, ops)


class Ops(NamedTuple):
    """What ``--ops`` holds: operations of one recipe or several, or one policy instead."""

    steps: tuple[Any, ...]
    policy: Policy | None = None

    def act(self, conversation: Conversation) -> list[Result]:
        """Change a conversation, all of it or nothing; a policy acts as before the next call."""
        if self.policy is not None:
            return list(act_on(self.policy, conversation))
        return [conversation.execute(list(self.steps))]

    def is_due(self, conversation: Conversation) -> bool:
        """Return whether anything is to be done before the next call."""
        return self.policy is None or self.policy.is_due(conversation)

    def sentence(self, results: Sequence[Result], size: int, *, was_due: bool) -> str:
        what = f"policy {self.policy.name}" if self.policy else plural(len(self.steps), "operation")
        visible = f"{what}: {plural(size, 'message')} visible"
        if not results:
            return f"{visible}, {'no change' if was_due else 'not due'}"
        first, last = results[0].tokens, results[-1].tokens
        batch = results[-1].affected_batch_index
        return f"{visible}, {first.before} → {last.after} tokens, batch {batch}"

    def to_dict(self, results: Sequence[Result], *, was_due: bool) -> dict[str, Any]:
        """Return the outcome as JSON has it; a policy has a result for each stage."""
        if self.policy is None:
            return results[0].to_dict()
        stages = [one.to_dict() for one in results]
        return {"policy": self.policy.name, "due": was_due, "stages": stages}


def read_ops(paths: Sequence[str]) -> Ops:
    """Return what the files hold; a policy must be the only file."""
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


def _to_each(args: Namespace, names: list[str], ops: Ops) -> int:
    """Apply it to each session, or report what it would do; 1 means that some refused it."""
    files = [name for name in names if not is_session(name)]
    if files or args.out is not None or args.to is not None:
        why = f"{files[0]} is a file" if files else "-o and --to are about files"
        raise Unreadable(f"a recipe is applied to one file or to many sessions, and {why}")
    library = open_library(args.library)
    entries = choose(library, names)

    def act(entry: Entry) -> Row:
        if args.dry_run:
            row = _acted(ops, read_session(library, entry.id).conversation, entry)
            return row | {"inReviewAgain": row["changed"] and entry.status == ACCEPTED}
        with changing(library, entry.id) as session:
            journal = len(session.conversation.journal)
            row = _acted(ops, session.conversation, entry)
            return row | {"saved": True, "inReviewAgain": save_changes(session, journal)}

    def show(row: Row) -> None:
        if not args.json:
            print_line(f"{row['id']}  {row['title']}: {_sentence(row)}")

    with saved_output(), Catalog(library):
        rows, code = for_each(entries, act, show)
        if args.json:
            print_json({"sessions": rows})
    changed = plural(sum(row["changed"] for row in rows), "session")
    again = sum(row["inReviewAgain"] for row in rows)
    if args.dry_run:
        print_error(f"would change {changed} of {len(entries):,}; nothing was written")
        sentence = f"{plural(again, 'accepted session')} would go back to in review"
    else:
        print_error(f"changed {changed} of {len(entries):,}")
        sentence = f"{plural(again, 'session')} had been accepted, now in review again"
    print_errors([sentence] if again else [])
    return code


def _acted(ops: Ops, conversation: Conversation, entry: Entry) -> Row:
    """Change a conversation, unless the same would be sent; return what that did."""
    before, was_due = _figures(conversation), ops.is_due(conversation)
    loaded = ops.steps if ops.policy is None else ops.policy
    changed = any(result.changed for result in act_on(loaded, conversation))
    after = _figures(conversation)
    return {
        **{"id": entry.id, "title": entry.title, "changed": changed},
        **({} if ops.policy is None else {"due": was_due}),
        **{"saved": False, "inReviewAgain": False},
        **{key: {"before": before[key], "after": after[key]} for key in before},
    }


def _figures(conversation: Conversation) -> dict[str, int]:
    linted = Linted.of(conversation, None)
    return {
        "visible": len(conversation.view),
        "tokens": conversation.tokens.total,
        "errors": linted.errors,
        "warnings": linted.warnings,
    }


def _sentence(row: Row) -> str:
    if not row["changed"]:
        return "no change" if row.get("due", True) else "not due"
    parts = [f"{_change(row['visible'])} visible", f"{_change(row['tokens'])} tokens"]
    parts += [
        f"{_change(row[key])} {key}" for key in ("errors", "warnings") if any(row[key].values())
    ]
    parts += ["in review again"] if row["inReviewAgain"] else []
    return ", ".join(parts)


def _change(both: dict[str, int]) -> str:
    before, after = both["before"], both["after"]
    return f"{before:,}" if before == after else f"{before:,} → {after:,}"


def _to_file(args: Namespace, ops: Ops) -> int:
    """Write or print what the recipe makes of a conversation, which is not changed itself."""
    opened = open_target(args.file, args.library)
    if opened.has_more:
        how = "import it, and apply the recipe to a session"
        raise Unreadable(f"{args.file}: it holds several conversations; {how}")
    try:
        was_due = ops.is_due(opened.conversation)
        results = ops.act(opened.conversation)
    except Refused as refusal:
        return _refused(args, refusal)
    said = ops.sentence(results, len(opened.conversation.view), was_due=was_due)
    is_kept = not args.dry_run and args.out not in (None, "-")
    if not args.dry_run:
        text = _written(opened, args.to).text
        if is_kept:
            write_whole(Path(args.out), text)
            said += f", written to {args.out}"
        elif not args.json:
            sys.stdout.write(text)
    if args.json:
        with saved_output() if is_kept else nullcontext():
            written = None if args.dry_run else args.out
            print_json({**ops.to_dict(results, was_due=was_due), "written": written})
    elif args.dry_run:
        print_error(f"{'would apply ' if results else ''}{said}; nothing was written")
    else:
        print_error(f"{'applied ' if results else ''}{said}")
    return 0


def _in_place(args: Namespace, ops: Ops) -> int:
    """Change a session; when this returns 0, the change is on disk."""
    library = open_library(args.library)
    id = find_session(library, args.file)
    with changing(library, id) as session:
        journal = len(session.conversation.journal)
        try:
            was_due = ops.is_due(session.conversation)
            results = ops.act(session.conversation)
        except Refused as refusal:
            return _refused(args, refusal)
        goes_back = save_changes(session, journal)
    if args.json:
        with saved_output():
            data = ops.to_dict(results, was_due=was_due)
            print_json({**data, "written": None, "session": id, "inReviewAgain": goes_back})
    else:
        said = ops.sentence(results, len(session.conversation.view), was_due=was_due)
        saved = f"applied {said}, saved in session {id}"
        print_error(saved if results else f"{said}; session {id} was not changed")
        print_errors(["it had been accepted, now in review again"] if goes_back else [])
    return 0


def _refused(args: Namespace, refusal: Refused) -> int:
    print_error(f"{', '.join(args.ops)}: {refusal.with_hint(METADATA_HINT)}")
    return 1


def _written(opened: Opened, to: str | None) -> Written:
    """Return the result in a format; a bare list of messages stays one."""
    if to is None and opened.is_list and opened.format == "native":
        print_errors(sentences(conversation_losses(opened.conversation)))
        return Written([message.to_dict() for message in opened.conversation.visible])
    written = format_named(to or opened.format).write(opened.conversation)
    print_errors(sentences(written.warnings))
    return written
