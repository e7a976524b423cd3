"""The inspector's panes and its other views: roles, mark map, journal, tokens, lint."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.widgets import ContentSwitcher

from core.finding import Finder
from ctxtui.lists.filtered import Filtered, WithGhost
from ctxtui.lists.journal import JournalSource
from ctxtui.lists.raw import RawSource
from ctxtui.lists.source import Source
from ctxtui.lists.timeline import TimelineSource
from ctxtui.lists.visible import VisibleSource
from ctxtui.look import Look
from ctxtui.render.ascii import plain_signs
from ctxtui.render.bars import sparkline
from ctxtui.render.detail import detail
from ctxtui.render.lines import Line
from ctxtui.render.mark_map import mark_map_lines
from ctxtui.render.symbols import visible
from ctxtui.render.token_plots import batch_plot
from ctxtui.render.token_view import token_lines
from ctxtui.render.worries import worry_lines
from ctxtui.screens.lint_view import LintView
from ctxtui.screens.roles_view import RolesView
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.text_pane import TextPane

HUGE, SPARK = 180, 16
LOWEST, LABELS = 4, 5
"""Rows of the smallest plot beside the timeline, and of what stands around it."""
PANES = {"raw": "1 Raw", "visible": "2 Visible", "message": "3 Message", "timeline": "4 Timeline"}
EMPTY = {"raw": "No messages yet.", "visible": "Nothing is sent. u undoes, [ looks back."}


class Views(ContentSwitcher):
    """Shows one view of a look at a time; fills only the one that is in sight."""

    def __init__(self) -> None:
        super().__init__(id="views", initial="inspector")
        self.look: Look | None = None
        self.selected: set[int] = set()
        self._anchor: int | None = None
        self._lints: dict[int, int] = {}
        self._judged_by: object = None
        self._narrowed: tuple[str, list[int]] | None = None
        self._ghost: int | None = None
        self._is_markdown = False
        self._raw: int | None = None
        self._filled: set[str] = set()
        self.finder: Finder | None = None

    def compose(self) -> ComposeResult:
        """Lay out every view."""
        with Container(id="inspector"):
            for name in ("raw", "visible", "timeline"):
                yield LineList(id=name, empty=EMPTY.get(name, ""))
            yield TextPane(id="message")
            yield TextPane(id="over-batches")
            yield TextPane(id="worries")
        yield RolesView()
        yield TextPane(id="markmap")
        yield LineList(id="journal")
        yield TextPane(id="tokens")
        yield LintView()

    def on_resize(self) -> None:
        """Put the message beside the lists where three columns fit, else below them."""
        panes = self.query_one("#inspector")
        message, timeline = self.query_one("#message"), self.query_one("#timeline")
        if self.size.width >= HUGE:
            panes.move_child(timeline, after=message)
        else:
            panes.move_child(message, after=timeline)
        self.fill_side()

    @property
    def _lists(self) -> tuple[LineList, LineList]:
        return self.pane("raw"), self.pane("visible")

    def pane(self, name: str) -> LineList:
        """Return a list by its name."""
        return self.query_one(f"#{name}", LineList)

    @property
    def roles(self) -> RolesView:
        """Return the roles view."""
        return self.query_one(RolesView)

    def show(self, look: Look) -> None:
        """Show another look in the view that is in sight; the others follow when they are."""
        self.look = look
        self._filled.clear()
        self._fill_panes(look)
        self.turn_to(self.current or "inspector")

    def turn_to(self, view: str) -> None:
        """Bring a view to the front and fill it, if that has not been done."""
        if self.look is not None and view not in self._filled:
            self._filled.add(view)
            self._fill(view, self.look)
        self.current = view

    def refill(self, view: str) -> None:
        """Fill a view again: at once if it is in sight, else when it is."""
        self._filled.discard(view)
        if self.current == view:
            self.turn_to(view)

    def toggle(self, raw: int) -> None:
        """Select a message, or take it out of the selection."""
        self._select(self.selected ^ {raw})

    def select_to(self, name: str) -> bool:
        """Select from the anchor to the cursor; without an anchor set one, and say no."""
        pane = self.pane(name)
        anchor, self._anchor = self._anchor, None
        if anchor is None or pane.key is None or pane.source.find(anchor) is None:
            self._anchor = pane.key
            return False
        self._select_run(pane, anchor, pane.key)
        return True

    def select_between(self, pane: LineList, key: int) -> None:
        """Select from the cursor to an item."""
        if pane.key is not None:
            self._select_run(pane, pane.key, key)

    def _select_run(self, pane: LineList, one: int, other: int) -> None:
        ends = sorted(at for key in (one, other) if (at := pane.source.find(key)) is not None)
        self._select(self.selected | {pane.source.key(at) for at in range(ends[0], ends[-1] + 1)})

    @property
    def has_anchor(self) -> bool:
        """Tell whether a range was begun."""
        return self._anchor is not None

    def let_go(self) -> None:
        """Forget the selection."""
        self._anchor = None
        self._select(set())

    def _select(self, raws: set[int]) -> None:
        self.selected = raws
        for name in ("raw", "visible"):
            self.pane(name).selected = raws
            self.pane(name).refresh()
        self.tell()

    def flash(self, raws: Iterable[int]) -> None:
        """Tint lines that have just come, for a moment."""
        if self.app.animation_level != "none":
            for pane in self._lists:
                pane.flash(raws)

    def light(self, finder: Finder | None) -> None:
        """Light up what was searched for, wherever it is in sight."""
        self.finder = finder
        self.query_one("#message", TextPane).finder = finder
        if self.look is not None:
            self._fill_panes(self.look)
        self.refill("roles")

    @property
    def is_narrowed(self) -> bool:
        """Tell whether only some messages are shown."""
        return self._narrowed is not None

    def narrow(self, text: str, found: list[int] | None) -> None:
        """Show only some messages in both lists, or all of them again."""
        self._narrowed = None if found is None else (text, found)
        if self.look is not None:
            self._fill_panes(self.look)

    def toggle_markdown(self) -> None:
        """Lay messages out as Markdown from now on, or as they are."""
        self._is_markdown = not self._is_markdown

    def show_message(self, raw: int | None) -> None:
        """Show a message in the message pane, and tint it in the lists."""
        self._raw = raw
        look, message = self.look, self.query_one("#message", TextPane)
        focused = self.screen.focused
        row = next((one.cursor_row for one in self._lists if one is focused), None)
        self.show_ghost(raw)
        for name in ("raw", "visible"):
            pane = self.pane(name)
            if raw is not None and pane is not focused:
                pane.go_to(raw, row)
            pane.mark_twin(raw)
        word = "V as it is" if self._is_markdown else "V Markdown"
        message.border_subtitle = "" if raw is None else f"raw {raw} · {word}"
        if look is None or raw is None or raw >= len(look.state.log):
            message.show(lambda _: [])
        else:
            message.show(partial(detail, look, raw, is_markdown=self._is_markdown))

    def _fill_panes(self, look: Look) -> None:
        peak = max(revision.tokens for revision in look.conversation.revisions)
        self._fill_list("raw", RawSource(look))
        self._fill_list("visible", VisibleSource(look))
        timeline = self.pane("timeline")
        timeline.show(TimelineSource(look, peak, self._errors(look)))
        timeline.go_to(look.batch.id)
        self.fill_side()
        self._ghost = None
        self.tell()

    def lints_wanted(self) -> tuple[list[int], dict[int, int]]:
        """Return revisions in sight whose errors nobody has counted yet, and where they go."""
        source = self.pane("timeline").source
        wanted = source.wanted if isinstance(source, TimelineSource) else set()
        return [id for id in wanted if id not in self._lints], self._lints

    def fill_side(self) -> None:
        """Fill what stands beside the timeline where there is room for it."""
        if self.look is not None:
            over = self._text("over-batches", "Tokens")
            over.show(partial(_over_batches, self.look, over))
            self._text("worries", "Lint and marks").show(partial(worry_lines, self.look))

    def _errors(self, look: Look) -> dict[int, int]:
        """Return what is known of errors by revision; another setting makes all of it unknown."""
        if self._judged_by != look.conversation.settings:
            self._judged_by, self._lints = look.conversation.settings, {}
        return self._lints

    def _fill_list(self, name: str, source: Source) -> None:
        source.finder = self.finder
        narrowed = self._narrowed
        self.pane(name).show(source if narrowed is None else Filtered(source, narrowed[1]))

    def show_ghost(self, raw: int | None) -> None:
        """Show in the projection where a hidden message would stand, while it is looked at."""
        pane, look = self.pane("visible"), self.look
        if look is not None and not self._is_ghostly(look, pane, raw):
            raw = None
        if raw == self._ghost or look is None:
            return
        self._ghost = raw
        source = pane.source.source if isinstance(pane.source, WithGhost) else pane.source
        if raw is not None:
            text = f"raw {raw} would stand here, {look.blame(raw)}"
            source = WithGhost(source, look.place_of_hidden(raw), raw, visible(text))
        pane.show(source)

    def _is_ghostly(self, look: Look, pane: LineList, raw: int | None) -> bool:
        if raw is None or raw >= look.log_size or look.view.position(raw) is not None:
            return False
        return look.is_live and self._narrowed is None and pane is not self.screen.focused

    def tell(self) -> None:
        """Say in the borders what each pane is, and how much of it there is."""
        look = self.look
        if look is None:
            return
        path = look.conversation.path
        batches, hidden = len(look.conversation.batches), look.log_size - len(look.view)
        about = {
            "raw": f"everything ever added {look.log_size} · {hidden} hidden",
            "visible": f"what the model is sent {len(look.view)}",
            "timeline": f"{_spark(look)}  batches {batches}, abandoned {batches - len(path)}",
        }
        for name in ("raw", "visible"):
            if self.selected:
                about[name] = f"{len(self.selected)} selected, esc lets go"
            if self._narrowed is not None:
                text = visible(self._narrowed[0], 20)
                about[name] = f"{len(self.pane(name).source)} with '{text}', esc shows all"
        for name, title in PANES.items():
            pane = self.query_one(f"#{name}")
            pane.border_title = title
            text = about.get(name, "")
            shown = plain_signs(text) if self.app.has_class("-ascii") else text
            pane.border_subtitle = Content(shown)

    def _fill(self, view: str, look: Look) -> None:
        match view:
            case "roles":
                self.roles.show(look, self.finder)
            case "markmap":
                self._text(view, "Mark map").show(partial(mark_map_lines, look))
            case "tokens":
                pane = self._text(view, "Tokens")
                pane.show(lambda width: token_lines(look, width, pane.size.height, self._raw))
            case "journal":
                journal = self.pane(view)
                journal.border_title = "Journal"
                journal.show(JournalSource(look))
            case "lint-view":
                self.query_one(LintView).show(look)

    def _text(self, view: str, title: str) -> TextPane:
        pane = self.query_one(f"#{view}", TextPane)
        pane.border_title = title
        return pane


def _over_batches(look: Look, pane: TextPane, width: int) -> list[Line]:
    """Return the plot of the tokens over batches, as high as its pane."""
    return batch_plot(look, width, max(LOWEST, pane.size.height - LABELS))


def _spark(look: Look) -> str:
    """Return the visible tokens over the newest batches of the path."""
    conversation = look.conversation
    newest = range(max(0, len(conversation.path) - SPARK), len(conversation.path))
    return sparkline([look.state.total(conversation.on_path(number)) for number in newest])
