"""How far a corpus run is, in one line: in fewer words where the terminal is narrow."""

from __future__ import annotations

from collections.abc import Iterator

from ctxtui.cli.streams import passing_room, show_passing
from ctxtui.core.corpus import Progress
from ctxtui.words import percent, plural

BAR_CELLS, SHORT_BAR = 24, 8
PHASES = {
    "work": "working",
    "alike": "looking for those that are alike",
    "settle": "adding up",
    "write": "writing",
}


def tell_progress(progress: Progress) -> None:
    """Show how far a run is at the bottom of the terminal."""
    show_passing(progress_line(progress, passing_room()))


def progress_line(progress: Progress, width: int) -> str:
    """Return how far a run is, in the longest way of saying it that fits."""
    line = ""
    for line in _ways(progress):
        if len(line) <= width:
            break
    return line


def _ways(progress: Progress) -> Iterator[str]:
    """Yield what is to be said, shorter and shorter: words go before figures do."""
    share = progress.done / max(1, progress.of)
    phase, done = PHASES[progress.phase], f"{percent(share, 1):>5}"
    if progress.phase != "work":
        yield f"{phase} {_bar(share, BAR_CELLS)} {done}"
        yield f"{phase} {done}"
        return
    count, rate = f"{progress.records:,}", f"{progress.rate:,.0f}" if progress.rate else ""
    left = "" if progress.seconds_left is None else _time(progress.seconds_left)
    long = [plural(progress.records, "conversation"), rate and f"{rate} a second"]
    short = [f"{count} done", rate and f"{rate}/s"]
    for cells, told in ((BAR_CELLS, long), (BAR_CELLS, short), (SHORT_BAR, short)):
        words = ", ".join(filter(None, [*told, left and f"{left} left"]))
        yield f"{phase} {_bar(share, cells)} {done}  {words}"
    yield f"{done.strip()}  {', '.join(filter(None, [count, left and f'{left} left']))}"
    yield done.strip()


def _bar(share: float, cells: int) -> str:
    full = int(share * cells)
    return f"{'━' * full}{'─' * (cells - full)}"


def _time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
