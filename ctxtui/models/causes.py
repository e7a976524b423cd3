"""The cause of a finding: the other half of a broken exchange, and what hid it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core import Finding

if TYPE_CHECKING:
    from ctxtui.models.look import Look

FAR_MESSAGES = 2_000
"""How far a call and its result are looked for apart; nearly all stand side by side."""


def cause(look: Look, finding: Finding) -> str:
    """Return where the missing half is, and which operation hid it; nothing if there is none."""
    raw = finding.raw_index
    if raw is None or not finding.repairs:
        return ""
    log, links = look.state.log, look.state.log.links(raw)
    results, calls = set(links.results), set(links.calls)
    nearest = sorted(
        range(max(0, raw - FAR_MESSAGES), min(look.log_size, raw + FAR_MESSAGES + 1)),
        key=lambda at: abs(at - raw),
    )
    for other in nearest:
        its = log.links(other)
        is_call = bool(results.intersection(its.calls))
        if other == raw or not (is_call or calls.intersection(its.results)):
            continue
        if look.view.position(other) is None:
            return f"Its {'call' if is_call else 'result'}, raw {other}, is {look.blame(other)}."
    return ""
