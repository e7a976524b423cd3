"""What a batch or record did in figures: four lines, each before → after."""

from __future__ import annotations

from ctxtui.models.story import Story
from ctxtui.render.text.bars import FULL, bar
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.numbers import tokens
from ctxtui.render.text.severity import ERROR, PASSED
from ctxtui.words import plural

LABEL_CELLS = 10
VALUE_CELLS = 7
LONGEST_BAR = 24
SHORTEST_BAR = 6
NOTE_CELLS = 26


def figure_lines(story: Story, width: int) -> list[Line]:
    """Return messages, tokens, lint and cache: before, after, a bar, and a word on it."""
    room = width - LABEL_CELLS - 2 * VALUE_CELLS - 5 - NOTE_CELLS
    room = min(LONGEST_BAR, room) if room >= SHORTEST_BAR else 0
    (sent_before, sent), (old, new) = story.messages, story.tokens
    counter = f"  {story.look.counter}"
    kept = sent - len(story.appended)
    told = f"{kept} after it, {len(story.appended)} appended" if len(story.appended) else ""
    most = max(sent_before, sent, 1)
    change = new - old
    shown = f"{'−' if change < 0 else '+'}{tokens(abs(change))}" if change else "·"
    if story.before is None:
        return [
            _only("messages", str(sent), [Piece(told, "muted")]),
            _only("tokens", tokens(new), [Piece(counter.strip(), "muted")]),
            _only("lint", *_lint_now(story.errors[1])),
        ]
    return [
        _figure("messages", str(sent_before), str(sent), _bar(sent, most, room), told),
        [
            *_figure("tokens", tokens(old), tokens(new), _bar(new, max(old, new, 1), room), ""),
            Piece(shown, "error" if change < 0 else "ok" if change else "faint"),
            Piece(counter, "muted"),
        ],
        _lint(story, room),
        _cache(story, room),
    ]


def _bar(part: int, whole: int, room: int) -> Line:
    full = bar(part, whole, room)
    return [Piece(full, "bright"), Piece(FULL * (room - len(full)), "track")]


def _figure(name: str, before: str, after: str, middle: Line, told: str) -> Line:
    return [
        Piece(f"{name:<{LABEL_CELLS}}", "muted"),
        Piece(f"{before:>{VALUE_CELLS}} → ", "muted"),
        Piece(f"{after:>{VALUE_CELLS - 1}}  ", "bright"),
        *middle,
        Piece("  "),
        Piece(told, "muted"),
    ]


def _only(name: str, value: str, told: Line) -> Line:
    return [
        Piece(f"{name:<{LABEL_CELLS}}", "muted"),
        Piece(f"{value:>{VALUE_CELLS}}  ", "bright"),
        *told,
    ]


def _lint_now(errors: int | None) -> tuple[str, Line]:
    if errors is None:
        return "…", [Piece("being counted", "faint")]
    return (f"{ERROR.glyph}{errors}", []) if errors else (PASSED.glyph, [Piece("clean", "muted")])


def _lint(story: Story, room: int) -> Line:
    before, after = story.errors
    shown = [
        "…" if one is None else f"{ERROR.glyph}{one}" if one else PASSED.glyph
        for one in story.errors
    ]
    line = _figure("lint", shown[0], shown[1], [Piece(" " * room)], "")
    kind = "muted" if after is None else "error" if after else "ok"
    line[2] = Piece(line[2].text, kind)
    if before is None or after is None:
        return [*line, Piece("being counted", "faint")]
    if after == before:
        told = "no error came or went" if not after else "no more and no fewer errors"
        return [*line, Piece(told, "muted")]
    change = f"{plural(abs(after - before), 'error')} {'came' if after > before else 'went'}"
    return [*line, Piece(change, "error" if after > before else "ok")]


def _cache(story: Story, room: int) -> Line:
    prefix, total = story.prefix, story.tokens[1]
    full = bar(prefix.tokens, max(total, 1), room)
    middle = [Piece(full, "ok"), Piece(FULL * (room - len(full)), "error" if total else "track")]
    again = total - prefix.tokens
    line = _figure("cache", "kept", tokens(prefix.tokens), middle, "")
    line[1] = Piece(line[1].text.replace("→", " "), "muted")
    if prefix.messages >= story.messages[0]:
        told = f"holds, {tokens(again)} new" if again else "holds"
        return [*line, Piece(told, "muted")]
    if prefix.messages >= story.messages[1]:
        return [*line, Piece("holds, nothing is sent again", "muted")]
    return [
        *line,
        Piece(f"breaks at {prefix.messages}", "bright"),
        Piece(f", {tokens(again)} again", "muted"),
    ]
