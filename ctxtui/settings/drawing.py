"""A setting of the app at length: what it is, its choices, and where it is kept."""

from __future__ import annotations

from collections.abc import Sequence

from ctxtui.text.lines import Line, Piece, paragraph, spread, wrap


def settings_head(is_saved: bool, width: int) -> Line:
    """Return the head line of the settings."""
    left = [Piece(" ctxtui  ", "bright"), Piece(" Settings ", "chip")]
    about = f"every change takes effect at once{' and is saved' if is_saved else ''} "
    return spread(left, [Piece(about, "muted")], width)


def preference_lines(
    about: str,
    choices: Sequence[tuple[str, str, bool]],
    notes: Sequence[str],
    kept_at: str | None,
    width: int,
) -> list[Line]:
    """Return what a setting is: a sentence, its choices with the one that counts, and where from.

    A choice is its name, a few words about it, and whether it is the one.
    """
    lines: list[Line] = paragraph(about, width)
    if choices:
        lines.append([])
        room = max(len(name) for name, _, _ in choices) + 2
        for name, words, is_chosen in choices:
            sign = Piece("● ", "key") if is_chosen else Piece("○ ", "faint")
            kind = "bright" if is_chosen else "text"
            lines.append([sign, Piece(f"{name:<{room}}", kind), Piece(words, "muted")])
    if notes:
        lines.append([])
        lines += [[Piece(row, "muted")] for note in notes for row in wrap(note[:400], width)]
    if kept_at is None:
        return [*lines, [], [Piece("lasts until you leave", "faint")]]
    lines += [[], [Piece("saved in", "faint")]]
    lines += paragraph(kept_at[:400], width, "faint")
    return lines
