"""``ctxtui compare``: several recipes side by side on the same conversation."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import PurePath

from core.recipes import Outcome, Standing, standing, what_if
from core.settings import PROFILES
from core.tokens import is_exact
from ctxtui.cli.inputs import open_recipe
from ctxtui.cli.output import print_json, print_line, print_table
from ctxtui.cli.sessions import open_target, target_arguments

HEAD = ("recipe", "messages", "tokens", "errors", "warnings", "marks lost", "prefix kept")


def arguments(parser: ArgumentParser) -> None:
    """Declare what the command takes."""
    target_arguments(parser)
    parser.add_argument(
        "--ops",
        metavar="RECIPE",
        action="append",
        required=True,
        help="a recipe; give it once for each",
    )
    parser.add_argument("--profile", choices=PROFILES, help="whose lint rules to apply")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")


def run(asked: Namespace) -> int:
    """Print what each recipe would give; 1 means that one was refused."""
    conversation = open_target(asked).conversation
    recipes = [(path, open_recipe(path)) for path in asked.ops]
    before = standing(conversation.moment, asked.profile)
    outcomes = what_if(conversation, recipes, asked.profile)
    if asked.json:
        named = [{**one.to_dict(), "name": PurePath(one.name).name} for one in outcomes]
        print_json({"before": before.to_dict(), "recipes": named})
    else:
        rows = [HEAD, _before(before), *(_row(one) for one in outcomes if one.ok)]
        print_table(rows, right=range(1, len(HEAD)))
        estimate = "" if is_exact(before.counter) else ", an estimate"
        print_line(f"tokens by {before.counter}{estimate}")
        for one in outcomes:
            if one.error is not None:
                print_line(f"✖ {PurePath(one.name).name} is refused: {one.error}")
    return 0 if all(one.ok for one in outcomes) else 1


def _before(now: Standing) -> tuple[str, ...]:
    figures = (now.messages, now.tokens, now.errors, now.warnings)
    return ("(now)", *(f"{figure:,}" for figure in figures), "", "")


def _row(one: Outcome) -> tuple[str, ...]:
    figures = (one.messages, one.tokens, one.errors, one.warnings, one.marks_lost)
    kept = f"{one.prefix_messages:,} ({one.prefix_tokens:,} tokens)"
    return (PurePath(one.name).name, *(f"{figure:,}" for figure in figures), kept)
