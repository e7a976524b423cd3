"""A recipe or policy applied to many sessions: to each as a whole or not, one after the other."""

from __future__ import annotations

from argparse import Namespace

from ctxtui.cli.choosing import Told, for_each, noting, taken
from ctxtui.cli.lint import Linted
from ctxtui.cli.ops import Ops
from ctxtui.cli.output import print_json, print_line, print_problems
from ctxtui.cli.sessions import look
from ctxtui.cli.streams import saved_output
from ctxtui.core import Conversation
from ctxtui.core.curation.editing import ACCEPTED, settle
from ctxtui.core.storage import Entry, Library
from ctxtui.models.applying import act_on
from ctxtui.words import plural


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
        told |= {"saved": True, "inReviewAgain": settle(session, journal)}
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
