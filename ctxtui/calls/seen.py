"""What a model saw of a call after its provider's own edits, and findings over calls, as lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ctxtui.calls.models.findings import CallFinding
from ctxtui.calls.models.seen import SeenLook, SeenSheet
from ctxtui.calls.models.sheet import CallSheet
from ctxtui.core.engine.seen import EditKind, ProviderEdit, Seen
from ctxtui.core.requests.findings import FindingKind
from ctxtui.text.icons import ERROR, PASSED, WARNING, Icon
from ctxtui.text.line_source import NumberedSource
from ctxtui.text.lines import (
    Line,
    Piece,
    fit,
    fit_pieces,
    hanging,
    longest,
    on_background,
    paragraph,
    spread,
)
from ctxtui.text.message import GLYPHS, WORDS, preview, tool_names
from ctxtui.text.numbers import tokens
from ctxtui.text.plurals import plural
from ctxtui.text.symbols import printable

CHIPS: Mapping[str, str] = {
    "proven": on_background("ok", "added"),
    "likely": on_background("warn", "warning"),
    "unknown": on_background("warn", "warning"),
}
"""How sure something is, as a chip."""
EDIT_WORDS: Mapping[EditKind, str] = {
    "PUT_IN_FRONT": "put in front, as stored",
    "EXPIRE": "expired messages hidden",
    "IGNORE_BEFORE": "hidden before a summary",
    "DROP_THINKING": "thinking not shown to this model",
    "CLEAR_THINKING": "thinking of earlier turns cleared",
    "CLEAR_RESULTS": "tool results cleared",
    "CLEAR_INPUTS": "arguments of tool calls cleared",
    "COMPACT": "summarised by the provider",
    "TRUNCATE": "cut by the provider",
}
_WORDS = {str(kind): words for kind, words in EDIT_WORDS.items()}
MOST_CHANGED = 12
NUMBERS = 300
"""Characters of a proof."""


def edit_words(kind: str) -> str:
    """Return what a provider did, by the name of its edit."""
    return _WORDS.get(kind, kind)


def differs(seen: Seen) -> bool:
    """Return whether there is more to say of what was seen than that it is what was sent."""
    return bool(seen.edits) or seen.certainty in ("likely", "unknown")


def chip(certainty: str) -> Line:
    """Return how sure something is, for the end of a line."""
    return [Piece(f" {certainty} ", CHIPS.get(certainty, "muted"))]


def reading_pieces(sheet: CallSheet) -> Line:
    """Return for a head line whether a call is shown as sent or as seen, and how sure that is."""
    if sheet.word == "sent":
        return [Piece("   as sent", "muted")]
    return [Piece("   "), Piece(" as seen ", "chip"), *chip(sheet.one.seen.certainty)]


def seen_lines(sheet: CallSheet, width: int) -> list[Line]:
    """Return what the provider changed with its proof, the counts, and the messages it changed."""
    seen = sheet.one.seen
    lines = _sentence(seen.why, seen.certainty, width)
    for edit in seen.edits:
        lines += [[], *_edit(edit, seen, width)]
    if seen.read is not None:
        said = f"The provider counted {seen.read:,} tokens"
        if seen.counted is not None and seen.counted != seen.read:
            said += f"; all that was sent would have been {seen.counted:,}"
        lines += [[], *paragraph(f"{said}.", width, "muted")]
    if seen.certainty == "unknown" or not (seen.hidden or seen.cleared or seen.inputs_cleared):
        return lines
    shown = sheet if isinstance(sheet, SeenSheet) else SeenSheet(sheet)
    assert isinstance(shown.look, SeenLook)
    return [*lines, [], *changed_lines(shown.look, width)]


def _sentence(why: str, certainty: str, width: int) -> list[Line]:
    end = chip(certainty)
    said = printable(why[:1].upper() + why[1:], NUMBERS)
    first, *rest = paragraph(f"{said}.", max(10, width - len(end[0].text) - 1))
    return [spread(first, end, width), *rest]


def _edit(edit: ProviderEdit, seen: Seen, width: int) -> list[Line]:
    own = sum(piece.record == seen.record for piece in edit.pieces)
    others = len(edit.pieces) - own
    count = own or others
    title = f"{count:,} × " if count else ""
    title += EDIT_WORDS[edit.kind]
    lines = [spread([Piece(title, "bright")], chip(edit.certainty), width)]
    for name, facts in (("reported", edit.reported), ("by the rule", edit.replayed)):
        if facts:
            said = ", ".join(f"{key} {value}" for key, value in facts.items())
            lead = [PASSED.piece(), Piece(f"{name}: ", "muted")]
            lines += hanging(lead, printable(said, NUMBERS), width)
    is_unproven = not (edit.reported or edit.replayed) or edit.certainty != "proven"
    if is_unproven and edit.why != seen.why:
        sign = PASSED.piece() if edit.certainty == "proven" else Piece("? ", "warn")
        lines += hanging([Piece(fit(sign.text, 2), sign.kind)], printable(edit.why, NUMBERS), width)
    return lines


def changed_lines(look: SeenLook, width: int) -> list[Line]:
    """Return the messages that were not seen as they were sent, with what is left of them."""
    change, before = look.change, look.before
    if change is None or before is None:
        return []
    lines = [_changed(look, raw, width) for raw in change.hidden[:MOST_CHANGED]]
    more = len(change.hidden) - MOST_CHANGED
    if more > 0:
        lines.append([Piece(f"and {plural(more, 'message')} more", "faint")])
    was, now = look.state.total(before), look.total
    lines.append([Piece(f"{was:,} tokens sent, {now:,} seen", "bright")])
    lines += paragraph(
        f"counted here by {printable(look.counter, 30)}; placeholders as they are worded here",
        width,
        "faint",
    )
    return lines


def _changed(look: SeenLook, raw: int, width: int) -> Line:
    log = look.state.log
    message = log[raw]
    glyph = Piece(f"{GLYPHS[message.role]} {WORDS[message.role]:<5}", "faint")
    lead = [Piece("−", "error"), Piece(f"{raw:>5,}  ", "muted"), glyph]
    room = max(0, width - 22)
    body = [
        Piece(text, "struck")
        for text, _ in fit_pieces(preview(message, tool_names(log, raw)), room)
    ]
    return spread([*lead, *body], [Piece(f"{tokens(look.tokens(raw)):>7}", "error")], width)


# Findings over the calls of a thread, for lists.

FINDINGS: Mapping[FindingKind, tuple[Icon, str]] = {
    "promptVanished": (ERROR, "the system prompt vanished"),
    "questionVanished": (ERROR, "the first question vanished"),
    "labelVanished": (ERROR, "a labelled message vanished"),
    "textVanished": (ERROR, "a text vanished"),
    "loop": (WARNING, "the same tool call again and again"),
    "cacheBroken": (WARNING, "the prompt cache broke"),
    "refused": (ERROR, "refused"),
    "providerCut": (WARNING, "the provider changed it"),
}
"""The symbol and the words of each kind of finding."""


class FindingSource(NumberedSource):
    """A line for each finding, in the order of the calls; its key is its place among them."""

    def __init__(self, findings: Sequence[CallFinding], here: int | None = None) -> None:
        self.findings = findings
        self._here = here

    def __len__(self) -> int:
        return len(self.findings)

    def line(self, at: int, width: int) -> Line:
        number, found = self.findings[at]
        icon, words = FINDINGS[found.kind]
        if found.kind == "refused" and found.certainty != "proven":
            words = "would be refused"
        call = Piece(f" call {number:<3,} ", "key" if number == self._here else "bright")
        operation = found.operation or ""
        if (
            found.kind == "providerCut" or operation != "TRUNCATE"
        ):  # The agent's has that name, too.
            operation = edit_words(operation)
        about = f"  {printable(found.about, 200)}" if found.about else ""
        lead = [call, icon.piece(words), Piece(about, "muted")]
        sure = chip(found.certainty)
        end = [Piece(f"  {printable(operation, 40)} ", "muted"), *sure]
        return longest([(lead, end), (lead[:-1], end), (lead, sure), (lead[:-1], sure)], width)
