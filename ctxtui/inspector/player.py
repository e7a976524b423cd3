"""The journal as a player: every record in time order, and what each of them left."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.containers import Container, Vertical
from textual.timer import Timer

from ctxtui.background import background_of
from ctxtui.commands.command import bindings
from ctxtui.core.formats import dump_json
from ctxtui.inspector.drawing.head import raw_about, raw_foot, tokens_foot, visible_about
from ctxtui.inspector.drawing.lists import RawSource, VisibleSource
from ctxtui.inspector.drawing.player import (
    NAMES,
    SPEEDS,
    CurvePicture,
    JournalSource,
    array_lines,
    journal_foot,
    narration,
    player_bar,
    speed_line,
    told_line,
)
from ctxtui.inspector.keys import PLAYER
from ctxtui.inspector.models.index_arrays import IndexArrays
from ctxtui.inspector.models.look import Frame, Look
from ctxtui.inspector.models.player import (
    Playlist,
    PlaylistEntry,
    PointerHistory,
    is_long_script,
    playlist_of,
)
from ctxtui.notify import notify
from ctxtui.text.lines import Piece
from ctxtui.text.toast import note
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.panes import LineBox, TextPane

USUAL_SPEED = 1
TOLD_ROWS = 2
LEAST_CURVE_ROWS = 5
CURVE_SHARE = 6
CURVE_LABEL_ROWS = 2
CURVE_BORDER_ROWS = 2
"""Rows of the curve itself, its share of the screen, and what is below and around it."""


class PlayedList(LineList):
    """A list of the player: the arrows to the sides go through time, wherever the focus is."""

    BINDINGS: ClassVar[list[BindingType]] = [
        command.binding() for command in PLAYER if command.keys in ("left", "right")
    ]

    def action_record(self, by: int) -> None:
        player = next(one for one in self.ancestors if isinstance(one, PlayerView))
        player.action_record(by)


class PlayerView(Vertical):
    """Shows the records, the state after the one under the cursor, and what it moved.

    Nothing here changes anything: what a record left is read from the conversation as it is.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings(PLAYER)

    def __init__(self) -> None:
        super().__init__(id="journal")
        self.pointers: PointerHistory | None = None
        self.playlist: Playlist | None = None
        self.frame: Frame | None = None
        self.speed = USUAL_SPEED
        self._picture: CurvePicture | None = None
        self._timer: Timer | None = None
        self._seen = 0

    def mount_parts(self) -> None:
        curve, played = TextPane(id="curve"), Container(id="played")
        curve.can_focus = False
        bar, told = LineBox(id="player-bar"), LineBox(id="narration")
        self.mount(bar, curve, told, played, ArrayStrip())
        played.mount(
            PlayedList(id="records"),
            PlayedList(id="played-raw", is_quiet=True),
            PlayedList(id="played-visible", is_quiet=True),
        )

    # What is shown

    def show(self, look: Look) -> None:
        """Show the journal with what has come; who stood at its end still does."""
        conversation = look.conversation
        was_at_now = self.frame is None or self.is_at_now
        if self.pointers is None or self.playlist is None:
            self.pointers = PointerHistory(conversation)
            self.playlist = Playlist(conversation)
            if is_long_script(conversation):
                self._prepare(self.pointers)
            else:
                self.playlist = playlist_of(conversation)
        if self.pointers.is_behind:
            self._prepare(self.pointers)
        else:
            self.pointers.catch_up()
        self._list(look, was_at_now)

    def _list(self, look: Look, was_at_now: bool) -> None:
        assert self.playlist is not None
        assert self.pointers is not None
        self._picture = None
        self._seen = len(self.playlist)
        self.records.show(JournalSource(self.playlist, self.pointers))
        if isinstance(look, Frame):
            self.records.go_to(self.playlist.of_record(look.place))
        elif was_at_now:
            self.records.go_to(self._seen - 1)
        self.show_entry()

    def _prepare(self, pointers: PointerHistory) -> None:
        """Look through a long journal and run a long script behind the scenes."""

        def prepare() -> Playlist:
            pointers.catch_up()
            return playlist_of(pointers.conversation)

        background_of(self).run("read the journal", lambda _: prepare(), self._prepared)

    def _prepared(self, playlist: Playlist) -> None:
        was_at_now, self.playlist = self.is_at_now, playlist
        self._list(Look(playlist.conversation), was_at_now)

    @property
    def records(self) -> LineList:
        return self.query_one("#records", LineList)

    @property
    def entry(self) -> PlaylistEntry:
        assert self.playlist is not None
        return self.playlist[self.records.cursor]

    @property
    def is_at_now(self) -> bool:
        return self.frame is None or self.records.cursor >= self._seen - 1

    def show_entry(self) -> None:
        playlist, pointers, entry = self.playlist, self.pointers, self.entry
        assert playlist is not None
        assert pointers is not None
        frame = self.frame = Frame(
            playlist.conversation, entry.record, is_still=not entry.is_record
        )
        source = self.records.source
        if isinstance(source, JournalSource):
            source.place = self.records.cursor
        self.records.refresh()
        self._fill(frame, entry, pointers)
        self.on_resize()
        self.refresh_bindings()

    def _fill(self, frame: Frame, entry: PlaylistEntry, pointers: PointerHistory) -> None:
        is_playing = self._timer is not None
        bar = self.query_one("#player-bar", LineBox)
        bar.set_class(frame.is_newest and not is_playing, "-now")
        bar.show(partial(player_bar, frame, entry, is_playing))
        if len(pointers) == len(frame.conversation.journal):
            told = narration(frame, pointers, entry)
            rows = (partial(told_line, told, TOLD_ROWS, at) for at in range(TOLD_ROWS))
            self.query_one("#narration", LineBox).show(*rows)
            if self._picture is None:
                self._picture = CurvePicture(pointers)
            curve = self.query_one("#curve", TextPane)
            picture = self._picture
            curve.show(lambda width: picture.lines(frame.place, width, curve.size.height))
        self.query_one(ArrayStrip).show_frame(frame)
        self._lists(frame)
        self._tell(frame)

    def on_resize(self) -> None:
        """Give the curve the rows it needs, as far as there are rows to give."""
        if self.pointers is not None:
            most = max(LEAST_CURVE_ROWS, self.size.height // CURVE_SHARE)
            rows = max(2, min(most, self.pointers.peak + 1))
            border = 0 if self.screen.has_class("-narrow") else CURVE_BORDER_ROWS
            self.query_one("#curve").styles.height = rows + CURVE_LABEL_ROWS + border

    def _lists(self, frame: Frame) -> None:
        diff = frame.difference
        parts = () if diff is None else (diff.hidden, diff.added, diff.shown, diff.moved)
        moved = [view.low for view in parts if view.low is not None]
        for name, source in (("raw", RawSource(frame)), ("visible", VisibleSource(frame))):
            lines = self._played(name)
            lines.show(source)
            if moved and not lines.has_focus:
                lines.go_to(min(moved))

    def _tell(self, frame: Frame) -> None:
        playlist = self.playlist
        assert playlist is not None
        curve = self.query_one("#curve", TextPane)
        about = [Piece("batch number after each record", "muted")]
        curve.frame("Where the pointer was", about, lambda: speed_line(self.speed))
        count = f"{len(playlist.conversation.journal):,}"
        records = [Piece("in time order ", "muted"), Piece(count, "bright")]
        self.records.frame("Journal", records, lambda: journal_foot(playlist))
        raw, visible = self._played("raw"), self._played("visible")
        raw.frame("Raw", raw_about(frame), lambda: raw_foot(frame))
        visible.frame("Visible", visible_about(frame), lambda: tokens_foot(frame))

    def _played(self, name: str) -> LineList:
        return self.query_one(f"#played-{name}", LineList)

    def go_to_record(self, place: int) -> None:
        if self.playlist is not None:
            self.records.cursor = self.playlist.of_record(place)

    @on(LineList.Moved, "#records")
    def _moved(self) -> None:
        self.show_entry()

    # Playing

    def action_record(self, by: int) -> None:
        self.records.action_move(by)

    def action_play(self) -> None:
        if self._timer is not None:
            self.pause()
            return
        if self.is_at_now:
            self.records.cursor = 0
        self._start()

    def _start(self) -> None:
        self._timer = self.set_interval(1 / SPEEDS[self.speed], self.tick)
        self.show_entry()

    def pause(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
            self.show_entry()

    @property
    def is_playing(self) -> bool:
        return self._timer is not None

    def tick(self) -> None:
        self.action_record(1)
        if self.records.cursor >= self._seen - 1:
            self.pause()

    def action_speed(self, by: int) -> None:
        self.speed = max(0, min(len(NAMES) - 1, self.speed + by))
        if self._timer is not None:
            self._timer.stop()
            self._start()
        elif self.frame is not None:
            self._tell(self.frame)

    def action_next_turn(self) -> None:
        pointers, playlist = self.pointers, self.playlist
        assert playlist is not None
        found = None if pointers is None else pointers.next_turn(self.entry.record)
        if found is None:
            notify(self, note("Nothing turns back after this record"))
        else:
            self.records.cursor = playlist.of_record(found)

    def return_to_now(self) -> None:
        self.pause()
        self.records.cursor = self._seen - 1

    def action_copy_record(self) -> None:
        from ctxtui.clipboard import copy_text

        if self.frame is not None:
            text = dump_json(self.frame.record.to_dict())
            notify(self, copy_text(self.app, f"record-{self.frame.place}", text))

    def key_conditions(self) -> dict[str, str | bool]:
        pointers, frame = self.pointers, self.frame
        turn = None if pointers is None or frame is None else pointers.next_turn(frame.place)
        return {"playing": self.is_playing, "turn": turn is not None, "played": not self.is_at_now}


MESSAGES_AT_ONCE = 10_000
"""How many messages are sorted into arrays without anybody noticing."""


class ArrayStrip(TextPane):
    """Shows the arrays of a frame; those of a long log are worked out behind the scenes."""

    def __init__(self) -> None:
        super().__init__(id="arrays")
        self.can_focus = False
        self._latest: Frame | None = None

    def show_frame(self, frame: Frame) -> None:
        """Show what another record did; nothing is worked out where the strip has no place."""
        self._latest = frame
        if not self.display:
            return
        did = [Piece(f"what record {frame.place} did", "muted")]
        self.frame("Index arrays", did)
        arrays = IndexArrays(frame)
        if frame.log_size > MESSAGES_AT_ONCE:
            background_of(self).run(
                "work out the index arrays",
                lambda _: arrays.work_out(),
                lambda _: self._show(frame, arrays),
            )
        else:
            self._show(frame, arrays)

    def on_show(self) -> None:
        if self._latest is not None:
            self.show_frame(self._latest)

    def _show(self, frame: Frame, arrays: IndexArrays) -> None:
        if frame is self._latest:
            self.show(partial(array_lines, frame, arrays))
