"""The call screen: one request that was really sent, what it cost, and what explains it."""

from __future__ import annotations

from functools import partial
from typing import ClassVar, NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal

from ctxtui.background import BackgroundTask
from ctxtui.calls.drawing import SECTIONS, Section, call_lines, head_line, sections_of
from ctxtui.calls.keys import CALL
from ctxtui.calls.models.call import CallPath, body_of, is_managed
from ctxtui.calls.models.findings import CallFinding, ThreadFindings, findings_on, thread_findings
from ctxtui.calls.models.seen import SeenSheet
from ctxtui.calls.models.sheet import CallSheet
from ctxtui.calls.seen import FindingSource, reading_pieces
from ctxtui.clipboard import copy_text
from ctxtui.commands.command import Conditions, bindings
from ctxtui.commands.common import TEXT
from ctxtui.core.errors import Refused, format_value, out_of_range
from ctxtui.core.formats import dump_json
from ctxtui.core.values.numbers import count_in
from ctxtui.diff.screen import DiffScreen
from ctxtui.inspector.models.lint import ProfileCount, count_profiles
from ctxtui.inspector.models.search import Spot
from ctxtui.inspector.models.workspace import Workspace
from ctxtui.notify import notify
from ctxtui.text.lines import Piece
from ctxtui.text.toast import failed, note
from ctxtui.what_if.screen import Branch, WhatIfScreen
from ctxtui.widgets.base_screen import BaseScreen
from ctxtui.widgets.footer import KeyFooter
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.panes import LineBox, TextPane
from ctxtui.widgets.prompt import Prompt


class Sent(NamedTuple):
    """What to look at in the inspector: what a call sent, a message of it, or a view."""

    revision: int
    raw: int | None = None
    view: str = "inspector"


Outcome = Sent | Branch | Spot | None


FRAME, INSET = 2, 5
"""Rows and columns that a pane needs around its lines."""
LEAST_ROWS = 6
MOST_FINDINGS = 5
"""Findings that are in sight at once."""


class CallScreen(BaseScreen[Outcome]):
    """Shows the calls of a path one by one; nothing here changes anything.

    Its result is what to look at in the inspector, a branch that was opened by trying something, or
    None.
    """

    AUTO_FOCUS = ""
    CSS_PATH = "call.tcss"
    HELP_COMMANDS = (*CALL, *TEXT)
    BINDINGS: ClassVar[list[BindingType]] = bindings(CALL)
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (116, "-wide")]  # noqa: RUF012 - Textual's own
    VERTICAL_BREAKPOINTS = [(0, "-short"), (34, "-high")]  # noqa: RUF012

    def __init__(
        self, workspace: Workspace, path: CallPath, number: int, *, is_live: bool = False
    ) -> None:
        super().__init__()
        self.workspace = workspace
        self.path = path
        self._sent = CallSheet(path.at(number))
        self._seen: SeenSheet | None = None
        self.findings: list[CallFinding] = []
        """Findings about calls of the path, once they are known."""
        self.knows_seen = not is_managed(workspace.conversation)
        """Whether it is known what the model saw of these calls."""
        self.is_live = is_live
        self.is_following = False
        self._known = len(path)

    def compose(self) -> ComposeResult:
        yield LineBox(id="call-head")
        yield TextPane(id="call-cache")
        with Horizontal(id="call-asked"):
            yield TextPane(id="call-request")
            yield TextPane(id="call-usage")
            yield TextPane(id="call-tools")
        with Horizontal(id="call-judged"):
            yield TextPane(id="call-why")
            yield TextPane(id="call-seen")
            yield TextPane(id="call-lint")
        yield TextPane(id="call-all")
        yield LineList(id="call-findings")
        yield Prompt()
        yield KeyFooter()

    def on_mount(self) -> None:
        self.show()
        self._look_for_findings()

    @property
    def sheet(self) -> CallSheet:
        """Return the call as it was sent, or as its model saw it."""
        if not (self.shows_seen and self.knows_seen):
            return self._sent
        if self._seen is None or self._seen.sent is not self._sent:
            self._seen = SeenSheet(self._sent)
        return self._seen

    @sheet.setter
    def sheet(self, sheet: CallSheet) -> None:
        self._sent = sheet

    def reading_changed(self) -> None:
        self.show(top=False)

    # Findings

    def _look_for_findings(self) -> None:
        self.background.run(
            "look for findings",
            lambda _: thread_findings(self.path.conversation),
            self._found,
        )

    def _found(self, found: ThreadFindings) -> None:
        self.findings, self.knows_seen = findings_on(self.path, found.findings), True
        self.show(top=False)

    @property
    def _shown_sections(self) -> tuple[Section, ...]:
        return sections_of(self.sheet) if self.knows_seen else SECTIONS[1:]

    def _show_findings(self) -> None:
        listed = self.query_one("#call-findings", LineList)
        listed.display = bool(self.findings)
        number = self.sheet.number
        listed.show(FindingSource(self.findings, number))
        listed.frame("Findings of the run", [Piece(f"{len(self.findings):,} ", "muted")])
        here = next((at for at, one in enumerate(self.findings) if one.number == number), None)
        if here is not None and not listed.has_focus:
            listed.go_to(here)

    @on(LineList.Opened, "#call-findings")
    def _finding_opened(self, event: LineList.Opened) -> None:
        self.is_following = False
        self._turn_to(self.findings[event.key].number)

    def on_resize(self) -> None:
        self.call_after_refresh(self._share_room)

    @property
    def news(self) -> int:
        """Return how many calls were recorded since the newest was shown."""
        return len(self.path) - self._known

    # Showing

    def show(self, *, top: bool = True) -> None:
        """Show the call in every part, from the top or where they are scrolled to."""
        sheet = self.sheet
        if sheet.number == len(self.path):
            self._known = len(self.path)
        self.query_one("#call-head", LineBox).show(
            partial(
                head_line,
                sheet,
                self._live_words(),
                session=self.workspace.session.name,
                reading=reading_pieces(sheet),
            )
        )
        for section in SECTIONS:
            pane = self.query_one(f"#call-{section.name}", TextPane)
            pane.frame(section.title_of(sheet), section.about(sheet))
            pane.show(partial(section.lines, sheet), top=top)
        self.query_one("#call-seen").display = self._shown_sections == SECTIONS
        self._show_findings()
        sections = self._shown_sections
        self.query_one("#call-all", TextPane).show(
            partial(call_lines, sheet, sections=sections), top=top
        )
        self._share_room()
        self.refresh_bindings()
        if not sheet.profiles and not sheet.look.is_unlintable:
            self.background.run(
                "lint",
                partial(self._lint, sheet),
                partial(self._linted, sheet),
                failed=partial(self._not_linted, sheet),
            )

    def _live_words(self) -> str:
        if not self.is_live:
            return ""
        return f"{self.news:,} new" if self.news else "● live"

    def _share_room(self) -> None:
        """Give each row of panes what it needs, as far as there is room."""
        is_small = self.has_class("-narrow") or self.has_class("-short")
        if not self.is_attached:
            return
        target = self.query_one("#call-all" if is_small else "#call-cache")
        if self.focused is None or not self.focused.display or not self.focused.region:
            self.set_focus(target)
        listed, most = self.query_one("#call-findings", LineList), MOST_FINDINGS
        found = min(len(self.findings), most - FRAME if is_small else most) + FRAME * (not is_small)
        listed.styles.height = found
        if is_small or not self.size.width:
            return
        width, left = self.size.width, self.size.height - 2 - found
        names = {section.name: section for section in SECTIONS}
        cache = len(names["cache"].lines(self.sheet, width - INSET)) + FRAME
        third = width // 3 - INSET
        asked = max(
            len(names[name].lines(self.sheet, third)) for name in ("request", "usage", "tools")
        )
        cache = min(cache, left - 2 * LEAST_ROWS)
        asked = max(LEAST_ROWS, min(asked + FRAME, (left - cache) * 2 // 5))
        self.query_one("#call-cache").styles.height = cache
        self.query_one("#call-asked").styles.height = asked

    def _lint(self, sheet: CallSheet, task: BackgroundTask) -> dict[str, ProfileCount]:
        """Ask every profile, while the screen goes on."""
        found: dict[str, ProfileCount] = {}
        sheet.look.lint()
        count_profiles(sheet.state, found.__setitem__, task.is_wanted)
        return found

    def _linted(self, sheet: CallSheet, found: dict[str, ProfileCount]) -> None:
        sheet.profiles = found
        if sheet is self.sheet:
            self.show(top=False)

    def _not_linted(self, sheet: CallSheet, sentence: str) -> None:
        sheet.look.is_unlintable = True
        self._linted(sheet, {})
        self.background.complain(sentence)

    def key_conditions(self) -> Conditions:
        return {
            "several": len(self.path) > 1,
            "before": f"{self.sheet.number - 1:,}" if self.sheet.number > 1 else False,
            "findings": self.sheet.look.is_linted and bool(self.sheet.look.findings),
            "changing": self.workspace.saver.read_only_reason is None,
            "following": self.is_live,
            "news": f"{self.news:,}" if self.news else False,
            "seen": self.knows_seen and is_managed(self.workspace.conversation),
        }

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether a key may act: without another writer there is nothing to follow."""
        return action != "follow" or self.is_live

    # Other calls

    def _turn_to(self, number: int) -> None:
        if number != self.sheet.number:
            self.sheet = CallSheet(self.path.at(number))
            self.show()

    def action_call(self, by: int) -> None:
        number = self.sheet.number + by
        if 1 <= number <= len(self.path):
            self.is_following = False
            self._turn_to(number)
        else:
            notify(self, note(f"This is the {'newest' if by > 0 else 'first'} call"))

    def action_finding(self, by: int) -> None:
        """Go to the next call with a finding, or that lost what a prompt cache had of it."""
        known = {one.number for one in self.findings}
        stop = len(self.path) + 1 if by > 0 else 0
        for number in range(self.sheet.number + by, stop, by):
            if number in known or CallSheet(self.path.at(number)).cache.broke.is_loss:
                self.is_following = False
                self._turn_to(number)
                return
        notify(self, note(f"No {'later' if by > 0 else 'earlier'} call has a finding"))

    def action_go_to(self) -> None:
        hint = f"a call from 1 to {len(self.path):,}"
        self.query_one(Prompt).ask("call", hint, self._go_to, verb="go there")

    def _go_to(self, text: str) -> None:
        number, legal = count_in(text.strip().removeprefix("#")), f"1…{len(self.path)}"
        if number is None:
            raise Refused(
                f"{format_value(text)} is no call; legal is {legal}", field="call", value=text
            )
        if not 1 <= number <= len(self.path):
            raise out_of_range("call", number, legal)
        self.is_following = False
        self._turn_to(number)

    def action_follow(self) -> None:
        self.is_following = True
        self.sheet = CallSheet(self.path.at(len(self.path)))
        self.show()

    def move_on(self) -> None:
        path = CallPath(self.workspace.conversation, self.sheet.one.call.revision)
        if len(path) <= len(self.path) and path.to.id == self.path.to.id:
            return
        number = len(path) if self.is_following else self.sheet.number
        self.path, self.sheet = path, CallSheet(path.at(min(number, len(path))))
        self.knows_seen = not is_managed(self.workspace.conversation)
        self.show(top=False)
        self._look_for_findings()

    # Leaving

    def action_sent(self) -> None:
        self.dismiss(Sent(self.sheet.one.call.revision))

    def action_lint(self) -> None:
        self.dismiss(Sent(self.sheet.one.call.revision, view="lint-view"))

    def action_diff(self) -> None:
        one = self.sheet.one
        if one.before is None:
            notify(self, note("This is the first call", "There is none to compare it with."))
            return
        left, right = one.before.revision, one.call.revision
        title = self.workspace.session.title
        diff = DiffScreen(self.workspace.conversation, left, right, title)
        self.app.push_screen(diff, self._message_chosen)

    def _message_chosen(self, raw: int | None) -> None:
        if raw is not None:
            self.dismiss(Sent(self.sheet.one.call.revision, raw))

    def action_what_if(self) -> None:
        reason = self.workspace.saver.read_only_reason
        if reason is not None:
            notify(self, failed(reason))
            return
        revision = self.sheet.one.call.revision
        now = self.workspace.conversation.current.id
        tried = WhatIfScreen(self.workspace.session, revision=None if revision == now else revision)
        self.app.push_screen(tried, self._tried)

    def _tried(self, outcome: Branch | Spot | None) -> None:
        if outcome is not None:
            self.dismiss(outcome)

    def action_copy(self) -> None:
        """Copy the body of the request as it was sent; a large one goes to a file."""
        sheet = self.sheet  # In a thread: how it was written follows from all calls before it.
        copy = partial(copy_text, self.app, f"request-{sheet.number}")
        self.background.run(
            "copy the request",
            lambda _: dump_json(body_of(sheet.one)),
            lambda text: notify(self, copy(text)),
            holds_keys=True,
        )
