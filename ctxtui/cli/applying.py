"""A recipe applied to many sessions: to each as a whole, or to none of it, one after the other."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from core import Conversation, Result
from core.storage import Entry, Library
from ctxtui.cli.choosing import Told, for_each, noting, taken
from ctxtui.cli.lint import Linted
from ctxtui.cli.output import print_json, print_line, print_problems
from ctxtui.cli.sessions import look
from ctxtui.cli.streams import saved_output
from ctxtui.words import plural


def apply_to_each(
    library: Library, entries: list[Entry], recipe: list[Any], asked: Namespace
) -> int:
    """Apply a recipe to each session, or tell what it would do; 1 means that some refused it."""

    def act(entry: Entry) -> Told:
        return (_tried if asked.dry_run else _applied)(library, entry, recipe)

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
    return code


def _tried(library: Library, entry: Entry, recipe: list[Any]) -> Told:
    """Tell what a recipe would make of a session."""
    conversation = look(library, entry.id).conversation
    before = _figures(conversation)
    result = conversation.execute(list(recipe))
    return _row(entry, before, result, conversation, is_saved=False)


def _applied(library: Library, entry: Entry, recipe: list[Any]) -> Told:
    """Change a session; when this returns, the change is on disk."""
    with taken(library, entry.id) as session:
        before = _figures(session.conversation)
        result = session.change(list(recipe))
        session.sync()
        return _row(entry, before, result, session.conversation, is_saved=True)


def _figures(conversation: Conversation) -> dict[str, int]:
    linted = Linted.of(conversation, None)
    return {
        "visible": len(conversation.view),
        "tokens": conversation.tokens.total,
        "errors": linted.errors,
        "warnings": linted.warnings,
    }


def _row(
    entry: Entry,
    before: dict[str, int],
    result: Result,
    conversation: Conversation,
    *,
    is_saved: bool,
) -> Told:
    after = _figures(conversation)
    both = {key: {"before": before[key], "after": after[key]} for key in before}
    changed = bool(result.changed)
    return {"id": entry.id, "title": entry.title, "changed": changed, **both, "saved": is_saved}


def _sentence(row: Told) -> str:
    if not row["changed"]:
        return "nothing changes"
    told = [f"{_change(row['visible'])} visible", f"{_change(row['tokens'])} tokens"]
    told += [
        f"{_change(row[key])} {key}" for key in ("errors", "warnings") if any(row[key].values())
    ]
    return ", ".join(told)


def _change(both: dict[str, int]) -> str:
    before, after = both["before"], both["after"]
    return f"{before:,}" if before == after else f"{before:,} → {after:,}"
