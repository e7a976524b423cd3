"""``ctxtui policies``: the presets, by family."""

from __future__ import annotations

from itertools import groupby

from ctxtui.cli.output import print_json, print_line
from ctxtui.cli.parser import Namespace, Parser
from ctxtui.core.policies.preset import PREFIX, UNPROVEN, Preset, presets
from ctxtui.files.policies import list_policies


def arguments(parser: Parser) -> None:
    parser.option("--json", "print all that is known of each as JSON")


def run(args: Namespace) -> int:
    """Print each preset with one line, its source and version."""
    found = presets()
    own = [one for one in list_policies() if one.origin == "saved"]
    if args.json:
        saved = [{"name": one.name, "path": str(one.path)} for one in own]
        print_json({"presets": [one.to_dict() for one in found], "saved": saved})
        return 0
    width = max(len(one.name) for one in found)
    for family, members in groupby(found, key=lambda one: one.family):
        print_line(family)
        for one in members:
            print_line(f"  {one.name:<{width}}  {_about(one)}")
    if own:
        print_line("Saved")
    for file in own:
        print_line(f"  {file.path}")
    print_line(f"Use them as --policy {PREFIX}NAME, or with other numbers: {PREFIX}NAME?keep=20")
    return 0


def _about(one: Preset) -> str:
    doubt = "" if one.proven else UNPROVEN
    numbers = ", ".join(f"{name} {value:,}" for name, value in one.parameters.items())
    return f"{one.line}{doubt}; {one.source} {one.version}" + (f"; {numbers}" if numbers else "")
