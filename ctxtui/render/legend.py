"""The legend: every sign the screens draw, and what it means."""

from __future__ import annotations

from typing import NamedTuple

from ctxtui.render.calls import UNMEASURED
from ctxtui.render.message.preview import GLYPHS
from ctxtui.render.saved import ENDED, LIVE
from ctxtui.render.text import bars, ribbon
from ctxtui.render.text.severity import CACHED_BLOCK, ERROR, NOTED, PASSED, RESENT_BLOCK, WARNING
from ctxtui.render.watch.hits import AGAIN as HIT_AGAIN
from ctxtui.render.watch.hits import CACHED

LINE = bars.FULL + bars.HALF + bars.SLIGHT


class LegendSign(NamedTuple):
    """A sign in the ink it is drawn with, and its meaning."""

    sign: str
    kind: str
    meaning: str


LEGEND: dict[str, tuple[LegendSign, ...]] = {
    "Messages": (
        LegendSign(GLYPHS["system"], "system", "system: instructions and rules"),
        LegendSign(GLYPHS["user"], "user", "user"),
        LegendSign(GLYPHS["assistant"], "assistant", "assistant"),
        LegendSign(GLYPHS["tool"], "tool", "tool: what a call gave"),
        LegendSign("→", "bright", "calls a tool; between two figures: before and after"),
        LegendSign("★", "mark", "marked; the colour is the label's"),
        LegendSign(NOTED.glyph, NOTED.kind, "has a note, which stands above the message"),
        LegendSign("⋮", "muted", "messages between this one and the one above are not sent"),
        LegendSign("⏎", "muted", "a line ends here; ␣ is a space that matters"),
        LegendSign("▌", "key", "the cursor; ▏ is the same message in another pane"),
        LegendSign("• ‹ ›", "bright", "what is chosen; where the cursor is among choices"),
    ),
    "Hidden and changed": (
        LegendSign("╮ │ ╯", "faint", "hidden by one operation, which is named at the top"),
        LegendSign("─", "faint", "hidden alone"),
        LegendSign("┄", "muted", "where a hidden message would stand; where a cache breaks"),
        LegendSign("╌", "muted", "hidden ones come below; a cut between two messages"),
        LegendSign("+", "ok", "has come"),
        LegendSign("−", "error", "has gone, or would go"),
        LegendSign("~ ±", "warn", "has moved; came and went in one cell, or no change"),
    ),
    "Lint": (
        LegendSign(ERROR.glyph, "error", "error: a provider would refuse it"),
        LegendSign(WARNING.glyph, "warn", "warning; below a plot: the cursor"),
        LegendSign(PASSED.glyph, "ok", "no finding; what was expected"),
        LegendSign("╭ │ ╰", "faint", "a call and its result, the cut between them"),
    ),
    "Batches": (
        LegendSign("◉", "key", "where the conversation stands"),
        LegendSign("●", "key", "the batch that is looked at"),
        LegendSign("○", "text", "a batch on the way here"),
        LegendSign("├╌◌", "faint", "a branch that was left; │ goes on with it"),
        LegendSign("!", "warn", "more tokens than the limit"),
        LegendSign(
            f"{CACHED_BLOCK} {RESENT_BLOCK} {UNMEASURED}",
            "muted",
            "calls: mostly cached, mostly sent again, not measured (amber: cut or failed)",
        ),
        LegendSign(f"{CACHED} {HIT_AGAIN}", "muted", "the same calls where they are watched"),
        LegendSign("▶", "key", "the journal is played; 2× is how fast"),
        LegendSign("╌ ┆", "faint", "in its curve: batches on a branch that was left"),
        LegendSign("≤", "muted", "up to this raw index"),
        LegendSign("╵ └ ┘", "muted", "where a stretch of indices begins and ends"),
    ),
    "The ribbon: the raw log as one line": (
        LegendSign(ribbon.SENT, "assistant", "sent; the colour is the role with most tokens there"),
        LegendSign(ribbon.HIDDEN, "faint", "hidden"),
        LegendSign(ribbon.GONE, "error", "would go, or has just gone"),
        LegendSign(ribbon.HEIGHTS, "tool", "a stretch of which some is sent: the higher, the more"),
        LegendSign(ribbon.CURSOR, "chip", "the cursor"),
        LegendSign(ribbon.ABSENT, "faint", "not yet in the log then; in a table: none"),
    ),
    "Bars, plots and the diff": (
        LegendSign(LINE, "bar", "tokens: a whole cell, half of one, little"),
        LegendSign("─┼─", "track", "room that is left, and the threshold of the policy"),
        LegendSign("█ ▀ ▄ ■", "bar", "tokens in a plot, in the colour of the role"),
        LegendSign("┈ ┤ └", "muted", "the threshold in a plot; its scale; ┴ what is looked at"),
        LegendSign(f"{CACHED_BLOCK} ═", "ok", "the same up to here: a prompt cache has it"),
        LegendSign(RESENT_BLOCK, "error", "sent again"),
        LegendSign("█ ▄", "ok", "kept as computed; as the provider measured it, in the diff"),
    ),
    "Policies over a run": (
        LegendSign("⡠⠔⠉", "bright", "tokens per call: bright is chosen, grey compared with it"),
        LegendSign("┈", "warn", "the limit; ┬ on the axis: a call whose number stands below"),
        LegendSign("█ ▌ ▐", "error", "calls that a provider would refuse"),
        LegendSign("★", "error", "calls without a message that must stay"),
        LegendSign("▆", "ok", "all that the call before has sent is kept at the start"),
        LegendSign("▄ ▁", "warn", "some of it is kept; nothing is, all of it is sent again"),
    ),
    "Lessons": (
        LegendSign("▒", "faint", "covered until the answer is revealed"),
        LegendSign(f"{PASSED.glyph} ✗ +", "bright", "right; missed; picked, but not sent"),
        LegendSign("● ◉ ○", "ok", "steps done, amber where the answer was wrong; here; to come"),
    ),
    "Sessions": (
        LegendSign("○", "text", "new"),
        LegendSign("◐", "text", "in review"),
        LegendSign(PASSED.glyph, "ok", "accepted"),
        LegendSign("✗", "error", "rejected; in a lint picture: missing"),
        LegendSign("!", "warn", "needs work"),
        LegendSign("≈ =", "warn", "how many are alike; the same as those ╭ ╰ joined with it"),
        LegendSign("▾ ▴", "muted", "sorted by this, or by this the other way round"),
        LegendSign(LIVE, "ok", f"another program is writing it; {ENDED} it no longer does"),
    ),
}
"""Signs by where they are met, in the order in which a newcomer meets them."""
