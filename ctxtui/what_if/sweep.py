"""Sweep: one number of the compared policies over a range, and the setting one would ship."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from time import monotonic
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical

from ctxtui.background import BackgroundTask
from ctxtui.commands.command import Conditions, bindings
from ctxtui.core.policies.simulation import SweepSetting
from ctxtui.files.policies import check_text, save_policy, usual_check, write_check
from ctxtui.files.writing import Overwriting
from ctxtui.notify import notify
from ctxtui.text.lines import Line, Piece, paragraph
from ctxtui.text.plurals import plural
from ctxtui.text.toast import done, note
from ctxtui.what_if.drawing.sweep import (
    SettingSource,
    SweepPlot,
    facts_lines,
    series_of,
    ship_lines,
    verdict,
)
from ctxtui.what_if.drawing.words import WALKING, asked_line, labels_text, missing_text
from ctxtui.what_if.keys import SWEEP
from ctxtui.what_if.models.sweep import SweepCursor, Swept
from ctxtui.what_if.side import WALK, Side
from ctxtui.widgets.footer import KeyFooter
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.panes import LineBox, Picture, TextPane
from ctxtui.widgets.prompt import Later, Prompt

SHOWN_EVERY_SECONDS = 0.2
"""How often settings that come are shown: drawing takes longer than walking."""
ACTING = ("enter", "S", "e")
"""Keys that act on the setting under the cursor."""


class SweepScreen(Side[bool]):
    """Shows a family of settings over the run; nothing is written unless it is asked for.

    The result is whether what-if is left altogether.
    """

    CSS_PATH = "sweep.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings(SWEEP)
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual's own
    VERTICAL_BREAKPOINTS = [  # noqa: RUF012
        (0, "-short"),
        (30, "-high"),
        (50, "-tall"),
    ]
    HELP_COMMANDS = SWEEP
    URGENT = ("escape", "q", "ctrl+q", "tab")
    side = "sweep"

    def __init__(self, cursor: SweepCursor) -> None:
        super().__init__()
        self.cursor = cursor
        self.sweep = cursor.sweep
        self.comparison = self.sweep.comparison
        self._overwriting = Overwriting()

    def compose(self) -> ComposeResult:
        yield LineBox(id="side-head")
        with Horizontal(id="sweep"):
            yield Picture(id="settings-plot")
            with Vertical(id="sweep-side"):
                yield LineList(id="settings", empty="… reading")
                yield TextPane(id="sweep-facts")
        yield TextPane(id="ship")
        yield Prompt()
        yield KeyFooter()

    def on_mount(self) -> None:
        for name in ("#settings", "#sweep-facts", "#ship"):
            self.query_one(name).can_focus = False
        self.query_one("#sweep-side").border_title = "Settings"
        self.set_focus(self.query_one(Picture))
        self.sweep.follow()
        self.refill()
        self.find_out()

    def on_resize(self) -> None:
        self.refill()

    # Finding out

    def walk(self, task: BackgroundTask) -> None:
        """Find out what the policies give, then each setting; this runs in a thread."""
        super().walk(task)
        found, shown = [], monotonic()
        for swept in self.sweep.answers(task.is_wanted):
            found.append(swept)
            is_time = monotonic() - shown > SHOWN_EVERY_SECONDS
            if is_time or swept.family is not None:
                task.show(self._swept, tuple(found))
                found, shown = [], monotonic()

    def _swept(self, found: Sequence[Swept]) -> None:
        for swept in found:
            self.sweep.take(swept)
        self.show_settings()

    # Showing

    def refill(self) -> None:
        if self.sweep.follow() and self.comparison.question is not None:
            self.find_out()
        self.show_settings()

    def show_settings(self) -> None:
        cursor, sweep, missing = self.cursor, self.sweep, self._missing
        self.show_head(
            partial(asked_line, self.comparison, self._asked, f"sweep {sweep.sweep or ''}")
        )
        plot = self.query_one("#settings-plot", Picture)
        against = "cost" if self.comparison.prices is not None else "tokens outside the prefix"
        about = [Piece("calls that fail ", "muted"), Piece(f"against {against}", "faint")]
        plot.frame("Which setting would you ship", about)
        if missing:
            plot.show(lambda width, _: paragraph(missing, width))
        else:
            plot.show(self._draw)
        settings = self.query_one("#settings", LineList)
        settings.empty = missing
        settings.show(SettingSource(cursor))
        if cursor.key is not None:
            settings.go_to(cursor.key[1])
        self.query_one("#sweep-facts", TextPane).show(partial(facts_lines, cursor), top=False)
        self._show_ship()
        on_front = {key[0] for key in sweep.keys if sweep.is_front(sweep.setting(key))}
        letters = {self.comparison.letter(one) for one in sweep.swept if one.id in on_front}
        text = f"the front is {' '.join(sorted(letters))}" if letters else ""
        self.query_one("#sweep-side").border_subtitle = text
        self.refresh_bindings()

    def _show_ship(self) -> None:
        ship = self.query_one("#ship", TextPane)
        title, about = verdict(self.cursor)
        ship.frame(title, [Piece(about, "faint")])
        rows = max(1, ship.scrollable_content_region.height)
        none = self.cursor.key is None
        ship.show(lambda width: [] if none else ship_lines(self.cursor, rows, width))

    @property
    def _asked(self) -> str:
        sweep = self.sweep.sweep
        if sweep is None:
            return "sweep"
        policies = plural(len(self.sweep.swept), "policy", "policies")
        return f"sweep {sweep}   {policies}, {plural(len(self.sweep.values), 'setting')}"

    @property
    def _missing(self) -> str:
        missing = missing_text(self.comparison)
        if missing:
            return missing
        if self.sweep.sweep is None:
            return "None of the policies has a number that could be swept."
        if not self.sweep.swept:
            return f"None of the policies has {self.sweep.sweep.name}. / sweeps something else."
        return "" if self.sweep.keys else WALKING

    def _draw(self, width: int, height: int) -> list[Line]:
        return self.plot(width, height).lines(self.cursor.setting, self.cursor.rival_setting)

    def plot(self, width: int, height: int) -> SweepPlot:
        comparison, question = self.comparison, self.comparison.question
        must = "" if question is None else labels_text(question.required_labels)
        return SweepPlot(
            series_of(self.cursor),
            comparison.calls,
            (width, height),
            is_money=comparison.prices is not None,
            must=must,
        )

    def accepts_key(self, event: events.Event) -> bool:
        """Return whether an event may be handled now: what acts on a setting waits for all.

        Until then the cursor follows what would ship, so it is not clear what a key is meant for.
        """
        is_acting = isinstance(event, events.Key) and event.key in ACTING
        is_pending = self.sweep.is_pending and self.background.is_running(WALK)
        is_early = is_acting and is_pending and not self.prompt.is_open
        return super().accepts_key(event) and not is_early

    def key_conditions(self) -> Conditions:
        sweep, cursor = self.sweep, self.cursor
        return {
            "settings": bool(sweep.keys),
            "several": len(sweep.swept) > 1,
            "known": cursor.setting is not None,
            "settled": sweep.family is not None,
            "elsewhere": sweep.recommended is not None and not cursor.is_shipped,
            "folded": self.has_class("-narrow") or self.has_class("-short"),
            "face": "the plot" if self.has_class("-turned") else "the table",
        }

    # Moving

    def action_move(self, by: int) -> None:
        self.cursor.move(by)
        self.show_settings()

    def action_edge(self, last: int) -> None:
        self.action_move(len(self.sweep.values) * (1 if last else -1))

    def action_front(self, by: int) -> None:
        if self.cursor.next_on_front(by):
            self.show_settings()
        else:
            notify(self, note(f"No {'later' if by > 0 else 'earlier'} setting is on the front"))

    def action_ship(self) -> None:
        if self.cursor.to_shipped():
            self.show_settings()
        else:
            notify(self, note("No setting is fit to ship", verdict(self.cursor)[1] + "."))

    def action_choose(self, by: int) -> None:
        self.cursor.choose(by)
        self.show_settings()

    @on(Picture.PlaceClicked, "#settings-plot")
    def _clicked(self, event: Picture.PlaceClicked) -> None:
        near = None
        if not self._missing:
            near = self.plot(*event.picture.size).setting_at(event.x, event.y)
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
        self.toggle_class("-turned")
        self.refill()

    # Leaving

    def action_turn(self) -> None:
        if not self.prompt.is_open:
            self.dismiss(False)

    def action_leave(self) -> None:
        self.dismiss(True)

    def action_open(self) -> None:
        setting = self._setting
        if setting is not None:
            known = [one.policy for one in self.comparison.strategies]
            policy = setting.policy if setting.policy in known else self.sweep.named(setting)
            self.comparison.add_policy(policy)
            self.comparison.go_to(self.comparison.call)
            self.dismiss(False)

    @property
    def _setting(self) -> SweepSetting | None:
        """Return the setting under the cursor; say so where it isn't known yet."""
        setting = self.cursor.setting
        if setting is None:
            notify(self, note("This setting is not known yet"))
        return setting

    # Asking and writing; nothing is overwritten unless asked twice

    def action_range(self) -> None:
        value = "" if self.sweep.sweep is None else str(self.sweep.sweep)
        self.prompt.ask(
            "sweep",
            "a parameter or field and its values, such as keepLast=10:200:10",
            self._take_range,
            verb="sweep it",
            value=value,
        )

    def _take_range(self, text: str) -> None:
        if self.sweep.ask(text):
            self.show_settings()
            self.find_out()

    def action_save(self) -> None:
        if (setting := self._setting) is not None:
            name = self.sweep.named(setting).name
            then = partial(self._save, setting)
            self.prompt.ask("save the policy as", "a name", then, verb="save it", value=name)

    def _save(self, setting: SweepSetting, name: str) -> Later:
        def saved(path: Path) -> None:
            notify(self, done(f"Saved as {path.name}", f"It is in {path.parent}."))

        return Later(lambda _: save_policy(name.strip(), setting.policy), saved)

    def action_check(self) -> None:
        if (setting := self._setting) is not None:
            usual = usual_check(self.sweep.named(setting))
            hint = f"a file; nothing typed means {usual}"
            then = partial(self._check, setting, usual)
            self.prompt.ask("CI check", hint, then, verb="write the file", takes_nothing=True)

    def _check(self, setting: SweepSetting, usual: str, text: str) -> Later:
        name, question = text.strip() or usual, setting.run.config
        self._overwriting.check(name)
        must = question.required_labels
        policy = self.sweep.named(setting)
        made = check_text(
            self.comparison.source,
            policy,
            setting.figures,
            None if must == question.run.labels() else must,
        )
        toast = done(
            f"Written to {name}", "sh runs it; it fails when the policy does worse than now."
        )
        return Later(lambda _: write_check(name, made), lambda _: notify(self, toast))
