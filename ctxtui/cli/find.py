"""``ctxtui find``: the transcripts of coding agents on this machine."""

from __future__ import annotations

from ctxtui.cli.output import print_json, print_line, print_table
from ctxtui.cli.parser import FINE, Namespace, Parser
from ctxtui.files.transcripts import find_transcripts
from ctxtui.text.plurals import plural

MOST = 50


def arguments(parser: Parser) -> None:
    parser.option("--json", "print the list as JSON")
    parser.option("--all", f"print more than the newest {MOST}")


def run(args: Namespace) -> int:
    """Print the transcripts, the newest first."""
    found = find_transcripts()
    if args.json:
        print_json({"transcripts": [one.to_dict() for one in found]})
        return FINE
    if not found:
        print_line("no transcript of a coding agent was found in the folders where they are kept")
        return FINE
    shown = found if args.all else found[:MOST]
    rows = [("changed", "tool", "title", "path")]
    for one in shown:
        changed = one.updated.astimezone().strftime("%Y-%m-%d %H:%M")
        rows.append((changed, one.tool, one.title or "(no title)", str(one.path)))
    print_table(rows)
    if len(shown) < len(found):
        print_line(f"{plural(len(found) - len(shown), 'older one')} left out; --all prints them")
    print_line("open one with ctxtui PATH, follow one that grows with ctxtui PATH --follow")
    return FINE
