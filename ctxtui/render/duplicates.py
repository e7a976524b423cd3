"""Groups of sessions that are alike, as rows."""

from __future__ import annotations

from ctxtui.core.curation.verdicts import Duplicates, Group, Member
from ctxtui.render.text.lines import Line, Piece, fit
from ctxtui.render.text.severity import BOXES
from ctxtui.symbols import visible
from ctxtui.words import percent, plural

FIGURES = 32


def group_row(group: Group, is_left: bool) -> Line:
    """Return the head of a group; two verdicts in it are a warning."""
    box = Piece(f" {BOXES[not is_left]} ", "faint" if is_left else "key")
    words = plural(len(group.members), "session")
    line: Line = [box, Piece(f"group {group.number}", "bright"), Piece(f"  {words}", "muted")]
    if group.is_torn:
        line.append(Piece(f"   ▲ two verdicts: {', '.join(group.verdicts)}", "warn"))
    return line


def member_row(member: Member, is_first: bool, is_left: bool, width: int) -> Line:
    """Return a session of a group: what it is, how alike, and whether it stays."""
    entry = member.entry
    room = max(1, width - FIGURES - 10)
    share = "" if is_first else "=" if member.similarity == 1 else percent(member.similarity, 1)
    fate = "stays" if is_first or is_left else "extra"
    return [
        Piece("      "),
        Piece("╭ " if is_first else "│ ", "warn"),
        Piece(fit(visible(entry.title, room), room), "text" if is_first else "muted"),
        Piece(f"{share:>6} ", "warn"),
        Piece(f"{entry.messages:>6,} ", "muted"),
        Piece(f"{entry.status:<12}", "muted"),
        Piece(fate, "ok" if fate == "stays" else "error"),
    ]


def alike_lines(found: Duplicates, extra: int, width: int) -> list[Line]:
    """Return what was found, in figures."""
    torn = sum(group.is_torn for group in found.groups)
    rows = [
        ("groups", len(found.groups), "bright"),
        ("extra sessions", extra, "bright"),
        ("with two verdicts", torn, "warn"),
        ("could not be read", len(found.problems), "error"),
    ]
    return [
        [Piece(f"{name:<18}", "muted"), Piece(f"{count:>9,}", kind)]
        for name, count, kind in rows
        if count or name == "groups"
    ]
