"""Sweep: one number of the compared policies over a range, and the setting one would ship."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.command import Provider
from textual.containers import Horizontal, Vertical
from textual.worker import get_current_worker

from core.policies.sweeps import Setting
from ctxtui.commands import SWEEP, Facts
from ctxtui.models.policy_comparison import PolicyComparison
from ctxtui.models.policy_sweep import Swept
from ctxtui.models.told import note
from ctxtui.palette import CommandProvider
from ctxtui.render.sweep.ship import verdict
from ctxtui.screens.shipping import Shipping
from ctxtui.screens.side import Hub, Side
from ctxtui.screens.sweep_panes import SweepPanes
from ctxtui.telling import tell
from ctxtui.widgets.key_line import KeyLine
from ctxtui.widgets.line_box import LineBox
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.picture import Picture
from ctxtui.widgets.prompt import Prompt
from ctxtui.widgets.text_pane import TextPane

WIDE_COLUMNS = 100
HIGH_ROWS, TALL_ROWS = 30, 50
"""Columns and rows from which on the table stands beside the plot, and a policy has more room."""
SHOWN_EVERY_SECONDS = 0.2
"""How often settings that come are shown: drawing takes longer than walking."""
ACTING = ("enter", "S", "e")
"""Keys that act on the setting under the cursor."""
RANGE_HINT = "a parameter or field and its values, such as keepLast=10:200:10"


class SweepProvider(CommandProvider):
    """The commands of this side."""

    commands = SWEEP


class SweepScreen(Side):
    """Shows a family of settings over the run; nothing is written unless it is asked for."""

    CSS_PATH = "sweep.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [command.binding() for command in SWEEP]
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {SweepProvider}
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE_COLUMNS, "-wide")]  # noqa: RUF012 - Textual's own
    VERTICAL_BREAKPOINTS = [  # noqa: RUF012
        (0, "-short"),
        (HIGH_ROWS, "-high"),
        (TALL_ROWS, "-tall"),
    ]
    side = "sweep"
    commands = SWEEP

    def __init__(self, comparison: PolicyComparison, hub: Hub) -> None:
        super().__init__(comparison, hub)
        self.cursor = hub.cursor
        self.sweep = self.cursor.sweep
        self.panes = SweepPanes(self)
        self._shipping = Shipping(self, self.sweep)

    def compose(self) -> ComposeResult:
        """Lay out the plot, the table, and the setting one would ship."""
        yield LineBox(id="side-head")
        with Horizontal(id="sweep"):
            yield Picture(id="settings-plot")
            with Vertical(id="sweep-side"):
                yield LineList(id="settings", empty="… reading")
                yield TextPane(id="sweep-facts")
        yield TextPane(id="ship")
        yield Prompt()
        yield KeyLine()

    def on_mount(self) -> None:
        """Show what is known at once, and find out the rest."""
        for name in ("#settings", "#sweep-facts", "#ship"):
            self.query_one(name).can_focus = False
        self.query_one("#sweep-side").border_title = "Settings"
        self.set_focus(self.query_one(Picture))
        self.sweep.follow()
        self.refill()
        self.find_out()

    def on_resize(self) -> None:
        """Use the room there is."""
        self.refill()

    # Finding out

    @work(thread=True, exclusive=True, group="walk")
    def find_out(self) -> None:
        """Find out what the policies give, then each setting; leaving stops it."""
        worker = get_current_worker()
        for answer in self.comparison.answers(lambda: not worker.is_cancelled):
            if not worker.is_cancelled:
                self.from_thread(self.found, answer)
        found, shown = [], monotonic()
        for swept in self.sweep.answers(lambda: not worker.is_cancelled):
            found.append(swept)
            is_time = monotonic() - shown > SHOWN_EVERY_SECONDS
            if (is_time or swept.family is not None) and not worker.is_cancelled:
                self.from_thread(self._swept, tuple(found))
                found, shown = [], monotonic()

    def _swept(self, found: Sequence[Swept]) -> None:
        if self.is_attached:
            for swept in found:
                self.sweep.take(swept)
            self.show_settings()

    # Showing

    def refill(self) -> None:
        """Show everything as it is known by now; what has become another question is asked anew."""
        if self.sweep.follow() and self.comparison.question is not None:
            self.find_out()
        self.show_settings()

    def show_settings(self) -> None:
        """Show the settings, with the cursor on one of them."""
        self.panes.show()
        self.refresh_bindings()

    def awaits(self, event: events.Event) -> bool:
        """Tell whether an event may come now: what acts on a setting waits until all are known.

        Until then the cursor follows what would ship, and nobody can mean what is under it.
        """
        is_acting = isinstance(event, events.Key) and event.key in ACTING
        return not (is_acting and not self.query_one(Prompt).is_open and self.sweep.is_pending)

    def is_urgent(self, event: events.Event) -> bool:
        """Tell whether an event stops the waiting instead of standing in line."""
        return isinstance(event, events.Key) and event.key in ("escape", "q", "ctrl+q", "tab")

    def key_facts(self) -> Facts:
        """Return what can be done here, for the line of keys."""
        sweep, cursor = self.sweep, self.cursor
        return {
            "settings": bool(sweep.keys),
            "several": len(sweep.swept) > 1,
            "known": cursor.setting is not None,
            "settled": sweep.family is not None,
            "elsewhere": sweep.shipped is not None and not cursor.is_shipped,
            "folded": self.has_class("-narrow") or self.has_class("-short"),
            "face": "the plot" if self.has_class("-turned") else "the table",
        }

    # Moving

    def action_move(self, by: int) -> None:
        """Go to the next value, or to the one before."""
        self.cursor.move(by)
        self.show_settings()

    def action_edge(self, last: int) -> None:
        """Go to the first value or to the last one."""
        self.action_move(len(self.sweep.values) * (1 if last else -1))

    def action_front(self, by: int) -> None:
        """Go to the next setting that no other beats, or to the one before."""
        if self.cursor.next_on_front(by):
            self.show_settings()
        else:
            tell(self, note(f"No {'later' if by > 0 else 'earlier'} setting is on the front"))

    def action_ship(self) -> None:
        """Go to the setting that would be shipped."""
        if self.cursor.to_shipped():
            self.show_settings()
        else:
            tell(self, note("No setting is fit to ship", verdict(self.cursor)[1] + "."))

    def action_choose(self, by: int) -> None:
        """Go to the same value of the next policy, or of the one before."""
        self.cursor.choose(by)
        self.show_settings()

    @on(Picture.Clicked, "#settings-plot")
    def _clicked(self, event: Picture.Clicked) -> None:
        near = self.panes.setting_at(event)
        for key in self.sweep.keys:
            if near is not None and self.sweep.setting(key) is near:
                self.cursor.go_to(key)
                self.show_settings()

    @on(LineList.Moved, "#settings")
    def _row_clicked(self, event: LineList.Moved) -> None:
        if self.cursor.key is not None and event.key != self.cursor.key[1]:
            self.cursor.go_to_value(event.key)
            self.show_settings()

    @on(LineList.Opened, "#settings")
    def _row_opened(self) -> None:
        self.action_open()

    def action_turn_over(self) -> None:
        """Show the table instead of the plot, or the plot again, where there is room for one."""
        self.toggle_class("-turned")
        self.refill()

    # Asking, taking along

    def action_range(self) -> None:
        """Ask what to sweep."""
        value = "" if self.sweep.sweep is None else str(self.sweep.sweep)
        self.prompt.ask("sweep", RANGE_HINT, self._take_range, verb="sweep it", value=value)

    def _take_range(self, text: str) -> None:
        if self.sweep.ask(text):
            self.show_settings()
            self.find_out()

    def action_open(self) -> None:
        """Play the setting under the cursor through the run, beside the policies there are."""
        setting = self._setting
        if setting is not None:
            known = [one.policy for one in self.comparison.contenders]
            policy = setting.policy if setting.policy in known else self.sweep.named(setting)
            self.comparison.add_policy(policy)
            self.hub.turn_to("over-run")

    @property
    def _setting(self) -> Setting | None:
        """Return the setting under the cursor; say so where it isn't known yet."""
        setting = self.cursor.setting
        if setting is None:
            tell(self, note("This setting is not known yet"))
        return setting

    def action_save(self) -> None:
        """Ask for a name to save the policy under."""
        if self._setting is not None:
            self._shipping.ask_save(self._setting)

    def action_check(self) -> None:
        """Ask for a file to write a CI check to."""
        if self._setting is not None:
            self._shipping.ask_check(self._setting)
