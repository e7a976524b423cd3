"""A line of the palette: what a command is called, what it does, and its keys at the right."""

from __future__ import annotations

from rich.cells import cell_len
from textual.content import Content
from textual.css.styles import RulesMap
from textual.strip import Strip
from textual.style import Style
from textual.visual import RenderOptions, Visual

from ctxtui.models.palette_search import Entry
from ctxtui.render.text.lines import fit
from ctxtui.symbols import visible

TITLE_CELLS = 19
LEAST_ABOUT_CELLS = 12


class PaletteRow(Visual):
    """Draws an entry in one line, whatever the width; what was typed is underlined in its title."""

    def __init__(self, entry: Entry, typed: str = "") -> None:
        self._entry = entry
        self._typed = typed.strip().casefold()

    def render_strips(
        self, width: int, height: int | None, style: Style, options: RenderOptions
    ) -> list[Strip]:
        """Return the line as one strip."""
        return self._content(width).render_strips(width, 1, style, options)

    def _content(self, width: int) -> Content:
        title, about, keys = (visible(text) for text in self._entry)
        room = max(1, width - cell_len(keys) - 2) if keys else width
        named = max(TITLE_CELLS, cell_len(title) + 1)
        start = title.casefold().find(self._typed) if self._typed else -1
        name = Content(fit(title, min(named, room))).stylize("bold")
        if start >= 0:
            name = name.stylize("underline", start, start + len(self._typed))
        told = Content("")
        if room - named >= LEAST_ABOUT_CELLS:
            told = Content(fit(about, room - named)).stylize("$muted")
        else:
            name = name.pad_right(max(0, room - name.cell_length))
        return Content.assemble(name, told, "  " if keys else "", (keys, "bold $focus"))

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        """Return the whole width."""
        return container_width

    def get_height(self, rules: RulesMap, width: int) -> int:
        """Return one line."""
        return 1
