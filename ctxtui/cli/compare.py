"""``ctxtui compare``: several recipes side by side on the same conversation."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import PurePath
from typing import Any

from ctxtui.cli.inputs import check_inputs, open_target, sessions_target_arguments
from ctxtui.cli.output import print_json, print_line, print_table
from ctxtui.core.engine.messages import METADATA_HINT
from ctxtui.core.engine.settings import PROFILES
from ctxtui.core.engine.tokens import is_exact
from ctxtui.core.errors import Refused
from ctxtui.core.what_if import Assessment, WhatIf, WhatIfOutcome
from ctxtui.files.opening import open_recipe
from ctxtui.text.icons import ERROR

FIGURES = (
    "messages",
    "tokens",
    "counter",
    "errors",
    "warnings",
    "marksLost",
    "prefixMessages",
    "prefixTokens",
)
"""What a recipe that is refused has no figures for."""
HEAD = ("recipe", "messages", "tokens", "errors", "warnings", "marks lost", "prefix kept")


def arguments(parser: ArgumentParser) -> None:
    """Declare what the command takes."""
    sessions_target_arguments(parser)
    parser.add_argument(
        "--ops",
        metavar="RECIPE",
        nargs="+",
        action="extend",
        required=True,
        help="recipes to compare, as many as you like",
    )
    parser.add_argument("--profile", choices=PROFILES, help="whose lint rules to apply")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")


def run(asked: Namespace) -> int:
    """Print what each recipe would give; 1 means that one was refused."""
    check_inputs(asked.file, *asked.ops)
    what_if = WhatIf(open_target(asked).conversation, asked.profile)
    named = [(PurePath(path).name, _tried(what_if, open_recipe(path))) for path in asked.ops]
    if asked.json:
        told = [_data(name, outcome) for name, outcome in named]
        print_json({"before": what_if.before.to_dict(), "recipes": told})
    else:
        _print(what_if.before, named)
    return 1 if any(isinstance(outcome, str) for _, outcome in named) else 0


def _tried(what_if: WhatIf, recipe: list[Any]) -> WhatIfOutcome | str:
    """Return what a recipe would make of it, or why it is refused."""
    try:
        return what_if.outcome(list(recipe))
    except Refused as refusal:
        return str(refusal.with_hint(METADATA_HINT))


def _data(name: str, outcome: WhatIfOutcome | str) -> dict[str, Any]:
    if isinstance(outcome, str):
        return {"name": name, "ok": False, "error": outcome, **dict.fromkeys(FIGURES)}
    return {"name": name, "ok": True, "error": None, **outcome.to_dict()}


def _print(before: Assessment, outcomes: list[tuple[str, WhatIfOutcome | str]]) -> None:
    accepted = [(name, one) for name, one in outcomes if isinstance(one, WhatIfOutcome)]
    rows = [HEAD, ("(now)", *_figures(before), "", ""), *(_row(*one) for one in accepted)]
    print_table(rows, right=range(1, len(HEAD)))
    estimate = "" if is_exact(before.counter) else ", an estimate"
    print_line(f"tokens by {before.counter}{estimate}")
    for name, outcome in outcomes:
        if isinstance(outcome, str):
            print_line(ERROR.text(f"{name} is refused: {outcome}"))


def _row(name: str, one: WhatIfOutcome) -> tuple[str, ...]:
    kept = f"{one.prefix.messages:,} ({one.prefix.tokens:,} tokens)"
    return (name, *_figures(one), f"{len(one.marks_lost):,}", kept)


def _figures(one: Assessment) -> tuple[str, ...]:
    figures = (one.messages, one.tokens, one.error_count, one.warning_count)
    return tuple(f"{figure:,}" for figure in figures)
