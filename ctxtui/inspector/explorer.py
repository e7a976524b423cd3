"""The explorer: shows a conversation, steps through its batches, searches and selects."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from rich.cells import cell_len
from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.reactive import reactive

from ctxtui.background import background_of
from ctxtui.commands.command import Conditions, bindings
from ctxtui.core import Conversation
from ctxtui.core.engine.meta_fields import other_fields
from ctxtui.inspector.borders import Axis
from ctxtui.inspector.drawing.head import status
from ctxtui.inspector.head import BatchStrip, PaneTabs, Peek, StatusHead, TabBar
from ctxtui.inspector.keys import EXPLORER, FOLLOWING
from ctxtui.inspector.models.links import helping
from ctxtui.inspector.models.look import Frame, Look, is_on_path, record_of
from ctxtui.inspector.models.search import Spot
from ctxtui.inspector.models.workspace import Selection
from ctxtui.inspector.panes import PANES, BatchPane
from ctxtui.inspector.searching import Searching
from ctxtui.inspector.text_view import TextView
from ctxtui.inspector.views import FIELDS, Views
from ctxtui.notify import notify
from ctxtui.text.message import content_text
from ctxtui.text.plurals import plural
from ctxtui.text.toast import note
from ctxtui.widgets.choices import ChoiceBar
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.panes import LineBox, TextPane
from ctxtui.widgets.prompt import Prompt

if TYPE_CHECKING:
    from ctxtui.core.engine.text_search import TextFinder


class WayOut(NamedTuple):
    """What escape does next: its word in the footer, and the step."""

    word: str
    go: Callable[[], object]


class Explorer(Vertical):
    """Shows a conversation in linked panes and views; nothing in it changes the conversation."""

    BINDINGS: ClassVar[list[BindingType]] = bindings((*EXPLORER, *FOLLOWING))

    raw: reactive[int | None] = reactive(None, init=False)
    """The message under the cursor, by raw index."""
    pane = reactive("visible")
    way_home: WayOut | None = None
    """What escape does when there is nothing else to leave."""
    known_errors: int | None = None
    """How many errors the latest state has, once it is linted."""

    def __init__(self, conversation: Conversation, title: str) -> None:
        # Classes that are set later would style all that is inside once more.
        super().__init__(id="explorer", classes="-inspecting -pane-visible")
        self.conversation = conversation
        self.look = Look(conversation)
        self.selection = Selection()
        self.views = Views(self.selection)
        self.panes = self.views.panes
        self.prompt = Prompt()
        self.tabs = TabBar(title)
        self.searching = Searching(self)
        self._shows_batch = False
        """Whether pane 3 shows a batch or record, not a message."""
        self.is_followed = False
        """Whether another program writes the session."""
        self._seen = 0
        """How many records there were when the latest state was last shown."""

    def compose(self) -> ComposeResult:
        yield self.tabs
        yield StatusHead()
        yield self.views
        yield Peek()
        yield BatchStrip()
        yield self.prompt

    def on_mount(self) -> None:
        self.show(self.look)
        self.action_pane("visible")

    # Showing

    def show(self, look: Look) -> None:
        self.look = look
        self.set_class(not look.is_live, "-stepping")
        self.views.show(look)
        self.query_one(StatusHead).show(look)
        self.tabs.look = look
        self.query_one(BatchStrip).show_path(look, self.panes.errors)
        self.follow_cursor()
        if not look.is_linted:
            background_of(self).run(
                "lint",
                lambda _: look.lint(),
                lambda _: self._linted(look),
                failed=partial(self._not_linted, look),
            )
        if look.is_live:
            self.known_errors = look.errors if look.is_linted else None
            self._note_seen()
        self._show_news()

    def follow_cursor(self) -> None:
        """Select the message under the cursor of the list in focus."""
        raw, projection = self.panes.pane("raw"), self.panes.pane("visible")
        focused = raw if raw.has_focus or projection.key is None else projection
        self.set_reactive(Explorer.raw, focused.key)
        self.watch_raw(focused.key)

    def narrow(self, text: str, found: list[int] | None) -> None:
        self.panes.narrow(text, found)
        self.follow_cursor()

    def show_now(self) -> None:
        self.show(Look(self.conversation))
        if self.views.current == "journal":
            self.views.player.return_to_now()

    def highlight(self, finder: TextFinder | None) -> None:
        self.panes.highlight(finder)
        self.views.refill("roles")
        self.views.refill("text")
        self.refresh_bindings()

    def watch_raw(self, raw: int | None) -> None:
        self.panes.show_message(raw)
        self.query_one(StatusHead).show_message(self.look, raw)
        self.query_one(Peek).show_message(self.look, raw)
        self.refresh_bindings()

    def _linted(self, look: Look) -> None:
        if look is self.look:
            self.views.refill("lint-view")
            self.panes.fill_side()
            if look.is_live:
                self.known_errors = look.errors
            self.query_one(StatusHead).show_linted()
            for widget in self.query("#tabs, #visible"):
                widget.refresh()
            self.refresh_bindings()

    def _not_linted(self, look: Look, sentence: str) -> None:
        look.is_unlintable = True
        self._linted(look)
        background_of(self).complain(sentence)

    # Moving

    @on(LineList.Moved, "#raw, #visible, #role-columns LineList")
    def _moved(self, event: LineList.Moved) -> None:
        if event.list.has_focus and event.list.id == "visible":
            self.panes.show_placeholder(None)
        key = event.list.key  # Where it is by now, not when this was sent.
        if event.list.has_focus and key is not None and key >= 0:
            self.raw = key

    @on(LineList.Moved, "#lint")
    def _finding_chosen(self) -> None:
        self.views.lint.show_finding()

    @on(LineList.Moved, "#records")
    def _played(self) -> None:
        self._show_news()

    @on(LineList.Moved, "#timeline")
    def _stepped(self, event: LineList.Moved) -> None:
        self.look_at_batch(event.key)

    @on(LineList.Opened)
    def _opened(self, event: LineList.Opened) -> None:
        self._open(event.list.id or "", event.key)

    def _open(self, name: str, key: int) -> None:
        if name == "lint":
            finding = self.views.lint.finding
            raw = None if finding is None else finding.raw_index
            if raw is not None and raw < self.look.log_size:
                self.go_to_raw(raw)
        elif name == "batch" and key < 0:
            number = self.panes.batch_pane.call
            if number is not None:
                # From here: what a pane posts while its explorer is at work ends there.
                self.post_message(BatchPane.CallChosen(number))
        elif name.startswith("role-") or name == "batch":
            if key >= 0:
                self.go_to_raw(key)
        elif name in ("raw", "visible", "timeline"):
            self.action_pane("message")
        elif name == "records" or name.startswith("played-"):
            self._show_batch(True)
            self.show(Frame(self.conversation, self.views.player.entry.record))
            self.action_pane("message")
            if name != "records":
                self.go_to_raw(key)
        elif name == "snapshots":
            self.look_at_batch(self.look.state.path[key].id)

    def on_descendant_focus(self) -> None:
        here = self.screen.focused  # Where it is by now, not when this was sent.
        name = None if here is None else "message" if here.id == "batch" else here.id
        if name in PANES:
            self.pane = name

    @on(LineBox.Clicked, "#status")
    def _status_clicked(self, event: LineBox.Clicked) -> None:
        """Open the findings where they are counted, and the next labelled message where it is."""
        at = event.x
        for text, kind in status(self.look, event.box.size.width):
            at -= cell_len(text)
            if at < 0:
                if kind in ("error", "warn"):
                    self.action_view("lint-view")
                elif kind == "mark":
                    self.action_next_raw("labelled")
                return

    @on(LineBox.Clicked, "#ribbon")
    def _ribbon_clicked(self, event: LineBox.Clicked) -> None:
        raw = self.query_one(StatusHead).ribbon(self.look, event.box.size.width).raw(event.x)
        if raw is not None and raw < self.look.log_size:
            self.go_to_raw(raw)

    @on(TextView.Reached)
    def _read(self, event: TextView.Reached) -> None:
        self.raw = event.raw

    @on(TabBar.ViewChosen)
    def _chosen(self, event: TabBar.ViewChosen) -> None:
        self.action_view(event.view)

    @on(PaneTabs.PaneChosen)
    def _pane_chosen(self, event: PaneTabs.PaneChosen) -> None:
        turn = self.action_pane if event.name in PANES else self.action_view
        turn(event.name)

    @on(ChoiceBar.Chosen, "#role-choices")
    def _role_choice(self, event: ChoiceBar.Chosen) -> None:
        self.searching.choose_roles(event.group, event.name)

    def go_to_raw(self, raw: int) -> None:
        """Put the cursor on a message of this look; on a hidden one in the raw array."""
        hidden = self.look.view.position(raw) is None
        if self.views.current == "text" and not hidden:
            self.views.text.go_to(raw)
            self.raw = raw
            return
        self.action_pane("raw" if hidden or self.pane == "raw" else "visible")
        self.panes.pane(self.pane).go_to(raw)
        self.raw = raw

    def action_pane(self, pane: str) -> None:
        self.pane = pane
        self.action_view("inspector")

    def watch_pane(self, pane: str) -> None:
        if pane != "message":
            self._show_batch(pane == "timeline")
            self.panes.batch_pane.close()
        others = [f"-pane-{name}" for name in PANES if name != pane]
        self.remove_class(*others, update=False)
        if pane in ("raw", "visible"):
            self.set_class(pane == "raw", "-raw-first", update=False)
        self.add_class(f"-pane-{pane}")

    def action_view(self, view: str) -> None:
        player = self.views.player
        self.set_class(view == "journal", "-playing")
        if view != "journal":
            player.pause()
        elif not self.look.is_live:
            place = record_of(self.look)  # The journal begins at the state that was shown.
            self.show_now()
            self.views.turn_to(view)
            player.go_to_record(place)
        self.views.turn_to(view)
        self.tabs.active = view
        narrow = self.query_one(PaneTabs)
        narrow.view, narrow.pane = view, self.pane
        self.set_class(view == "inspector", "-inspecting")
        inside = "batch" if self._is_inside else self.pane
        target = self.views.entrance(view, inside, self.raw)
        # At once, so that the next key already goes there; later, if it is not on the screen yet.
        self.screen.set_focus(target)
        target.focus()

    def action_next_pane(self, by: int) -> None:
        if self.views.current == "inspector":
            names = list(PANES)
            self.action_pane(names[(names.index(self.pane) + by) % len(names)])
        elif by > 0:
            self.screen.focus_next()
        else:
            self.screen.focus_previous()

    def action_arrays(self) -> None:
        """Show the index arrays; where they are shown, state and snapshots, and back."""
        if self.views.current == "markmap":
            self.views.arrays.turn_over()
        self.action_view("markmap")

    def action_fields(self) -> None:
        self.show_fields()

    def show_fields(self, finder: TextFinder | None = None) -> None:
        self.views.arrays.turn_to(FIELDS, finder)
        self.action_view("markmap")

    def action_zoom(self) -> None:
        if self.screen.maximized is not None:
            self.screen.minimize()
        elif self.screen.focused is not None:
            self.screen.maximize(self.screen.focused)
        self.refresh_bindings()

    def action_resize(self, axis: Axis, by: int) -> None:
        self.panes.borders.step(axis, by)

    def action_reset_panes(self) -> None:
        self.panes.borders.reset()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Take the border under the mouse, to move it."""
        if self.views.current == "inspector" and self.panes.borders.grab(event):
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        self.panes.borders.drag(event)

    def on_mouse_up(self) -> None:
        self.release_mouse()
        self.panes.borders.drop()

    def action_step(self, by: int) -> None:
        batch = self._neighbour(by)
        if batch is not None:
            self.look_at_batch(batch)

    def action_back(self) -> None:
        way = self.way_out()
        if way is not None:
            way.go()
            self.refresh_bindings()

    def way_out(self) -> WayOut | None:
        """Return the next step out: of a search, the whole screen, the past, a view, the lists."""
        if self.searching.is_running:
            return WayOut("stop the search", self.searching.stop)
        if self.screen.maximized is not None:
            return WayOut("smaller", self.screen.minimize)
        view = self.views.current or "inspector"
        if isinstance(self.screen.focused, ChoiceBar):
            return WayOut("to the list", lambda: self.action_view(view))
        return self._way_out_of_past(view)

    def _way_out_of_past(self, view: str) -> WayOut | None:
        if self._is_inside:
            place = "journal" if isinstance(self.look, Frame) else "timeline"
            return WayOut(f"to the {place}", self._leave_batch)
        player = self.views.player
        if view == "journal" and not player.is_at_now:
            return WayOut("return to now", player.return_to_now)
        if not self.look.is_live:
            return WayOut(f"return to {self.conversation.batch.number}", self.show_now)
        if view != "inspector":
            return WayOut("to the panes", lambda: self.action_view("inspector"))
        return self._way_out_of_panes()

    def _way_out_of_panes(self) -> WayOut | None:
        if self.pane == "message":
            pane = "raw" if self.has_class("-raw-first") else "visible"
            return WayOut("to the list", lambda: self.action_pane(pane))
        if self.selection:
            return WayOut("clear selection", self.panes.clear_selection)
        if self.panes.finder is not None:
            return WayOut("end the search", lambda: self.highlight(None))
        if self.panes.is_narrowed:
            return WayOut("show all", lambda: self.narrow("", None))
        if self.panes.picked_batches:
            return WayOut("clear selection", self.panes.drop_batches)
        return self.way_home

    def action_follow(self) -> None:
        """Go to the newest message; from then on the cursor moves with it."""
        if self.panes.is_narrowed:
            self.narrow("", None)
        if not self.shown.is_live:
            self.show_now()
        self._go_to_ends([self.panes.pane("raw"), self.panes.pane("visible")])
        self._note_seen()
        self._show_news()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether a key may act: there is nothing to follow without another writer."""
        return action != "follow" or self.is_followed

    def key_conditions(self) -> Conditions:
        look, shown, raw = self.look, self.shown, self.raw
        found, out, news = self.searching.found, self.way_out(), self.news
        conditions: dict[str, str | bool] = {
            "message": raw is not None,
            "earlier": self._neighbour(-1) is not None,
            "later": self._neighbour(1) is not None,
            "batches": len(self.conversation.batches) > 1,
            "switchable": look.batch.operation is not None,
            "found": plural(len(found), "match", "matches") if found else False,
            "out": out is not None and out.word,
            "inspector": self.views.current == "inspector",
            "parts": self.views.current in ("roles", "lint-view"),
            "snapshots": not self.views.arrays.shows_arrays,
            "anchor": self.selection.anchor is not None,
            "labels": bool(look.marked),
            "calls": len(self.conversation.calls.all) > 0,
            "following": self.is_followed,
            "fields": bool(other_fields(self.conversation.meta)),
            "news": f"{news:,}" if news else False,
        }
        if not shown.is_live:
            # Only the latest state can be changed.
            none: dict[str, str | bool]
            none = dict.fromkeys(("changing", "undo", "redo", "offer"), False)
            past: dict[str, str | bool] = {
                "past": str(shown.batch.number),
                "now": str(self.conversation.batch.number),
                "on_path": is_on_path(self.conversation, shown.batch),
            }
            return {**conditions, **none, **past}
        count = len(self.selection.raws)
        conditions["selected"] = str(count) if count else False
        if raw is not None and raw < shown.log_size:
            position = shown.view.position(raw)
            conditions["hidden"] = position is None
            for finding in [] if position is None else shown.findings_at.get(position, []):
                conditions |= dict.fromkeys(helping(finding), True)
        return conditions

    # History

    @property
    def shown(self) -> Look:
        """Return the state that is shown: in the journal the one after the selected record."""
        player = self.views.player
        if self.views.current == "journal" and not player.is_at_now and player.frame:
            return player.frame
        return self.look

    def look_at_batch(self, batch: int) -> None:
        look = Look.at_batch(self.conversation, batch)
        if look.revision.id != self.look.revision.id or isinstance(self.look, Frame):
            self.show(look)

    def go_to(self, spot: Spot) -> None:
        """Show a batch of the path, a message and a view, as far as they are named."""
        if spot.batch is not None:
            self.look_at_batch(self.conversation.path[spot.batch].id)
        if spot.raw is not None and spot.raw < self.look.log_size:
            self.go_to_raw(spot.raw)
        if spot.sought:
            self.searching.find(spot.sought)
        if spot.view != "inspector":
            self.action_view(spot.view)
        if spot.view == "lint-view" and spot.raw is not None:
            self.views.lint.go_to(spot.raw)

    def _neighbour(self, by: int) -> int | None:
        """Return the batch before or after the one that is shown, on its own path."""
        number = self.look.batch.number + by
        own = self.look.state.path
        path = own if number < len(own) else self.conversation.path
        return path[number].id if 0 <= number < len(path) else None

    def _show_batch(self, shows_batch: bool) -> None:
        self._shows_batch = shows_batch
        self.set_class(shows_batch, "-batch")

    @property
    def _is_inside(self) -> bool:
        """Return whether the batch or record in pane 3 has the focus."""
        in_pane = self.pane == "message" and self.views.current == "inspector"
        return self._shows_batch and in_pane

    def _leave_batch(self) -> None:
        """Go back from the batch to the timeline, or from the record to the journal."""
        if isinstance(self.look, Frame):
            self.set_reactive(Explorer.pane, "visible")
            self.watch_pane("visible")
            self.action_view("journal")
        else:
            self.action_pane("timeline")

    # Following another program that writes the session

    @property
    def news(self) -> int:
        """Return how many records were added since the latest state was last shown."""
        return 0 if self.shown.is_live else len(self.conversation.journal) - self._seen

    def begin_following(self, *, at_end: bool) -> None:
        """Show what another program writes from now on, at the end or wherever the user is."""
        self.is_followed = True
        if at_end:
            self.action_follow()
        else:
            self._seen = len(self.conversation.journal)
            self._show_news()

    def take(self, apply: Callable[[], int]) -> int:
        """Apply new records and show them; return how many there were."""
        self._note_seen()
        ends = self._at_ends() if self.shown.is_live else []
        before = len(self.conversation.log)
        done = apply()
        if done:
            texts = list(self.query(TextPane))
            for pane in texts:
                pane.keeps_place = True
            try:
                self.show(self.look.again())
            finally:
                for pane in texts:
                    pane.keeps_place = False
            self._go_to_ends(ends)
            if self.look.is_live:
                self.panes.flash(range(before, len(self.conversation.log)))
        return done

    def _note_seen(self) -> None:
        if self.shown.is_live:
            self._seen = len(self.conversation.journal)

    def _at_ends(self) -> list[LineList]:
        """Return the lists whose cursor is at the end and may move on with it.

        None while a message is read in its own pane.
        """
        is_reading = self.pane == "message" and self.views.current == "inspector"
        if is_reading or self.panes.is_narrowed:
            return []
        lists = (self.panes.pane("raw"), self.panes.pane("visible"))
        return [one for one in lists if one.cursor >= len(one.source) - 1]

    def _go_to_ends(self, ends: list[LineList]) -> None:
        for one in ends:
            if len(one.source):
                one.go_to(one.source.key(len(one.source) - 1))
        if ends:
            self.follow_cursor()

    def _show_news(self) -> None:
        if self.is_followed:
            news = self.news
            self.tabs.news = news
            self.query_one(StatusHead).show_news(self.look, news)
            self.refresh_bindings()

    # Finding

    def action_search(self) -> None:
        self.searching.ask_text()

    def action_filter(self) -> None:
        """Choose what a view shows; in the inspector, ask for a text to narrow the lists to."""
        bars = self.query_one(f"#{self.views.current}").query(ChoiceBar)
        if bars:
            self.screen.set_focus(bars.first())
        else:
            self.searching.ask_filter()

    def action_go_to(self) -> None:
        self.searching.ask_place()

    def action_bisect(self) -> None:
        self.searching.ask_culprit()

    def action_next_hit(self, by: int) -> None:
        self.searching.next(by)

    def action_next_raw(self, kind: str) -> None:
        """Go to the next hidden or labelled message of the raw log; after the last, the first."""
        look, here = self.look, -1 if self.raw is None else self.raw
        if kind == "hidden":
            found = [raw for raw in range(look.log_size) if raw not in look.view]
        else:
            found = sorted(raw for raw in look.marked if raw < look.log_size)
        if not found:
            notify(self, note(f"No message is {kind}"))
            return
        self.action_pane("raw")
        self.go_to_raw(next((raw for raw in found if raw > here), found[0]))

    def action_copy(self) -> None:
        from ctxtui.clipboard import copy_text

        if self.raw is not None:
            text = content_text(self.look.state.log[self.raw])
            notify(self, copy_text(self.app, f"raw-{self.raw}", text))

    def action_copy_all(self) -> None:
        from ctxtui.clipboard import copy_text
        from ctxtui.core.formats import dump_json

        shown = [self.look.state.log[raw].to_dict() for raw in self.look.view]
        notify(self, copy_text(self.app, "projection", dump_json(shown)))

    def action_markdown(self) -> None:
        self.panes.toggle_markdown()
        self.refresh_bindings()
