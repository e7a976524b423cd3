"""Lanes as a tree, told call by call: models without a screen."""

from __future__ import annotations

from typing import Any

import pytest
from rich.cells import cell_len

from ctxtui.core import Conversation
from ctxtui.core.storage import Library, MemoryLibrary, Session, ThreadPlace
from ctxtui.text.lines import Line
from ctxtui.watch.drawing import (
    BatchSource,
    CallSource,
    LaneSource,
    Where,
    again_words,
    bar_line,
    call_blocks,
    explained_lines,
    hit_plot,
    plot_lines,
    sent_line,
    since,
    totals_line,
)
from ctxtui.watch.models import (
    QUIET_AFTER,
    Gaze,
    Lane,
    LaneNode,
    LaneStory,
    RunHead,
    SideNode,
    Watching,
    page_of,
    run_tree,
    totals_of,
)
from tests.core.requests.traffic import said
from tests.ui.hostility import HOSTILE
from tests.ui.opening import LONG_AGO
from tests.ui.recorded_threads import (
    SYSTEM,
    TOOLS,
    Talk,
    Writer,
    cut_talk,
    measured,
    run_with_agents,
)


def watched(library: Library) -> Watching:
    watching = Watching(library)
    watching.read()
    while watching.take():
        pass
    return watching


def text_of(line: Line) -> str:
    return "".join(piece.text for piece in line)


def told(library: Library, *opened: int) -> list[str]:
    """Return the lines of a tree: how deep each is, and what it is called."""
    lines = []
    for node in run_tree(watched(library).lanes, opened):
        if isinstance(node, RunHead):
            lines.append(f"# {node.name}")
        elif isinstance(node, SideNode):
            lines.append(f"{'  ' * node.depth}({node.calls}: {node.about})")
        else:
            lines.append(f"{'  ' * node.depth}{node.lane.title}")
    return lines


TREE = [
    "# coder.py",
    "coder",
    "  Find every place where the retry limit is written down.",
    "  (2: 1 token count, 1 attempt)",
    "triage",
]


class TestTree:
    def test_agents_stand_below_who_called_them_and_side_calls_are_folded(self) -> None:
        library = MemoryLibrary()
        run_with_agents(library)
        assert told(library) == TREE

    def test_side_calls_can_be_shown_one_by_one(self) -> None:
        library = MemoryLibrary()
        run_with_agents(library)
        nodes = run_tree(watched(library).lanes)
        (side,) = (node.key for node in nodes if isinstance(node, SideNode))
        shown = told(library, side)
        assert shown[3:6] == [TREE[3], "    attempts that came to nothing", "    token counts"]

    def test_runs_stand_apart_the_newest_first_and_other_sessions_last(self) -> None:
        times = iter(range(1_000, 10_000_000, 1_000))
        library = MemoryLibrary(clock=lambda: next(times))
        Talk(Writer(library, "old.py", "one"), "hello").go_on(1)
        Talk(Writer(library, "new.py", "two"), "good day").go_on(1)
        library.create(Conversation([said("user", "alone")]), title="alone")
        assert told(library) == [
            *("# new.py", "good day", "# old.py", "hello", "# other sessions", "alone"),
        ]

    def test_sessions_of_no_run_have_no_heading(self) -> None:
        library = MemoryLibrary()
        library.create(Conversation([said("user", "alone")]), title="alone")
        assert told(library) == ["alone"]

    def test_a_run_that_has_ended_is_still_shown(self) -> None:
        library = MemoryLibrary()
        run_with_agents(library).close()
        assert told(library) == TREE
        assert watched(library).written == 0

    def test_lanes_that_stand_below_each_other_are_all_shown(self) -> None:
        library = MemoryLibrary()
        made = [
            library.create(
                Conversation([said("user", "x")]),
                title=str(lane),
                thread=ThreadPlace("r", "p", lane, "agent", parent),
            )
            for lane, parent in ((0, 1), (1, 0), (2, 2), (3, 9))
        ]
        assert sorted(told(library)) == ["# p", "0", "1", "2", "3"]
        assert len(made) == 4

    def test_who_stands_beside_a_merged_lane_stands_beside_what_it_became(self) -> None:
        library = MemoryLibrary()
        for lane, also in ((0, (5,)), (7, ())):
            place = ThreadPlace("r", "p", lane, "agent" if lane else "main", 5 if lane else None)
            talk = Conversation([said("user", "x")])
            library.create(talk, title=str(lane), thread=place._replace(also=also))
        assert told(library) == ["# p", "0", "  7"]

    def test_how_it_is_with_a_lane_is_told_by_when_it_changed_and_who_writes_it(self) -> None:
        library = MemoryLibrary()
        writer = run_with_agents(library)
        lanes = watched(library).lanes
        nodes = [node for node in run_tree(lanes) if isinstance(node, LaneNode)]
        now = nodes[0].lane.figures.changed
        states = [node.state(now + QUIET_AFTER - 1) for node in nodes]
        assert states == ["running", "done", "running"]
        assert nodes[0].state(now + QUIET_AFTER) == "waiting"
        writer.close()
        assert watched(library).lanes[0].state(now) == "done"

    def test_all_is_counted(self) -> None:
        library = MemoryLibrary()
        run_with_agents(library)
        totals = totals_of(watched(library).lanes)
        assert totals == (2, 5, 12, 1, 0, 0)
        line = text_of(totals_line(totals, 100))
        assert "2 conversations   5 threads   12 requests" in line
        assert "▲ 1 broke the cache" in line

    def test_the_cursor_never_stands_on_a_heading(self) -> None:
        library = MemoryLibrary()
        run_with_agents(library)
        source = LaneSource(run_tree(watched(library).lanes), LONG_AGO)
        assert [source.stop(at, way) for at in (0, 1) for way in (1, -1)] == [1, 1, 1, 1]
        assert LaneSource([], LONG_AGO).stop(0, 1) == 0


def lane_of(session: Session, library: Library) -> Lane:
    return Lane(library.open(session.id, read_only=True), "agent.py")


def coder(title: str = "coder") -> Lane:
    """Return the lane of a conversation that was trimmed once."""
    library = MemoryLibrary()
    talk = cut_talk(library, 4, 1)
    talk.go_on(1)
    session = talk.writer.sessions[0]
    session.describe(title=title)
    return lane_of(session, library)


class TestStory:
    def test_each_call_is_told_once_and_batches_know_their_calls(self) -> None:
        lane = coder()
        story = lane.story
        assert [one.number for one in story.calls] == [1, 2, 3, 4, 5, 6]
        assert {batch: len(calls) for batch, calls in story.by_batch.items()} == {0: 4, 1: 2}
        assert (story.broken, story.refused, story.measured, story.again) == (1, 0, 6, 1)
        assert story.calls[4].story.explained[0].operation == "TRUNCATE"
        before = list(story.calls)
        story.catch_up()
        assert all(one is two for one, two in zip(before, story.calls, strict=True))

    def test_what_has_come_is_told_without_looking_at_what_was_there(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        library = MemoryLibrary()
        writer = Writer(library)
        talk = Talk(writer, "Make the retry limit a setting.")
        talk.go_on(5)
        lane = lane_of(writer.sessions[0], library)
        told: list[int] = []
        whole = LaneStory._add

        def counted(story: LaneStory, call: Any) -> None:
            told.append(len(story.calls) + 1)
            whole(story, call)

        monkeypatch.setattr(LaneStory, "_add", counted)
        talk.go_on(1)
        lane.follower.look()
        lane.settle()
        lane.settle()
        assert told == [6]
        assert lane.figures.calls == 6

    def test_lint_is_of_what_was_sent(self) -> None:
        library = MemoryLibrary()
        writer = Writer(library)
        lost = {"role": "tool", "tool_call_id": "nobody", "content": "found"}
        writer.send(SYSTEM, said("user", "hello"), response=measured("yes", 0), tools=TOOLS)
        writer.send(
            SYSTEM,
            said("user", "hello"),
            said("assistant", "yes"),
            lost,
            response=None,
            tools=TOOLS,
        )
        lane = lane_of(writer.sessions[0], library)
        assert [one.errors for one in lane.story.calls] == [0, 1]
        page = page_of(lane.session.conversation, lane.story.calls[1], lane.story.calls[0])
        assert [finding.rule for finding, _ in page.errors] == ["G1"]
        drawn = "\n".join(map(text_of, explained_lines(page, None, 80)))
        assert "✖ G1" in drawn

    def test_another_profile_judges_all_calls_anew(self) -> None:
        library = MemoryLibrary()
        writer = Writer(library)
        Talk(writer, "hello").go_on(2)
        conversation = writer.sessions[0].conversation
        story = LaneStory(conversation)
        story.catch_up()
        first = story.calls[0]
        conversation.execute({"operation": "CONFIGURE", "profile": "anthropic"})
        story.catch_up()
        assert len(story.calls) == 2
        assert story.calls[0] is not first


class TestGaze:
    def test_the_newest_call_is_followed_until_another_is_looked_at(self) -> None:
        library = MemoryLibrary()
        writer = Writer(library)
        talk = Talk(writer, "hello")
        talk.go_on(3)
        lane, gaze = lane_of(writer.sessions[0], library), Gaze()

        def seen() -> tuple[int, bool, int]:
            told = gaze.call(lane)
            assert told is not None
            return told.number, gaze.is_past(lane), gaze.news(lane)

        def more() -> None:
            talk.go_on(1)
            lane.follower.look()
            lane.settle()

        assert seen() == (3, False, 0)
        more()
        assert seen() == (4, False, 0)
        gaze.step(lane, -2)
        assert seen() == (2, True, 0)
        more()
        more()
        gaze.step(lane, -5)
        assert seen() == (1, True, 2)
        gaze.step(lane, 99)
        assert seen() == (6, False, 0)
        gaze.step(lane, -1)
        gaze.follow(lane)
        assert seen() == (6, False, 0)

    def test_a_lane_with_one_call_has_no_past(self) -> None:
        library = MemoryLibrary()
        writer = Writer(library)
        Talk(writer, "hello").go_on(1)
        lane, gaze = lane_of(writer.sessions[0], library), Gaze()
        gaze.step(lane, -1)
        assert not gaze.is_past(lane)

    def test_a_session_without_calls_has_nothing_to_look_at(self) -> None:
        library = MemoryLibrary()
        made = library.create(Conversation([said("user", "alone")]))
        lane, gaze = lane_of(made, library), Gaze()
        gaze.step(lane, -1)
        assert gaze.call(lane) is None


class TestPage:
    def test_a_cut_is_explained_with_its_cache(self) -> None:
        lane = coder()
        page = page_of(lane.session.conversation, lane.story.calls[4], lane.story.calls[3])
        assert page.breaks is not None
        assert (page.breaks.position, page.breaks.was, page.breaks.now) == (1, 1, 4)
        assert page.measured == (70, 1_000)
        assert page.apart == 1_000
        assert page.first_change == 1
        drawn = [text_of(line) for line in explained_lines(page, None, 80)]
        assert drawn[0].split() == ["TRUNCATE", "removeFirst", "3,", "keepSystem", "likely"]
        assert any("message 1 changed: the cache breaks there" in line for line in drawn)
        assert any("at position 1 raw 1 stood, raw 4 does now" in line for line in drawn)
        assert any("70 of 1,000" in line and "7 % measured" in line for line in drawn)

    def test_what_is_kept_of_another_call_than_the_last_says_of_which(self) -> None:
        conversation = Conversation([said("user", "hello")])
        for place in (None, 0, 0, 1, 7):
            cache = {"messages": 1, "tokens": 39, "total": 140, "call": place}
            conversation.record_call(
                wire={"cache": {**cache, "cause": "tools came: the cache breaks at 0"}}
            )
        story = LaneStory(conversation)
        story.catch_up()
        pairs = zip([None, *story.calls], story.calls, strict=False)
        pages = [page_of(conversation, one, before) for before, one in pairs]
        assert [page.source for page in pages] == [None, None, 1, 2, 8]
        drawn = [text_of(line) for line in explained_lines(pages[2], None, 80)]
        (at,) = (row for row, line in enumerate(drawn) if "39 of 140" in line)
        assert drawn[at + 1].strip() == "What is kept began call 1 in the same way."

    def test_tools_that_vanish_are_named(self) -> None:
        library = MemoryLibrary()
        writer = Writer(library)
        talk = Talk(writer, "hello")
        talk.go_on(1)
        writer.send(*talk.rows, tools=TOOLS[:1], response=None, temperature=1)
        lane = lane_of(writer.sessions[0], library)
        page = page_of(lane.session.conversation, lane.story.calls[1], lane.story.calls[0])
        assert page.tools == (2, 1, ("agent",), ())
        assert page.changed == ("temperature",)
        drawn = "\n".join(map(text_of, explained_lines(page, None, 60)))
        assert "▲ tools  2 → 1, agent vanished" in drawn

    def test_a_call_that_nobody_explained_says_what_was_done(self) -> None:
        conversation = Conversation([said("user", "hello")])
        odd = {"cache": {"tokens": "x", "changed": 5}, "noticed": 7, "explained": "?"}
        conversation.record_call(wire=odd)
        conversation.execute({"operation": "TRUNCATE", "keepLast": 0})
        conversation.record_call()
        conversation.record_call(outcome="cut")
        story = LaneStory(conversation)
        story.catch_up()
        assert [one.done for one in story.calls] == [
            *("START", "TRUNCATE keepLast 0", "the same messages as before"),
        ]
        for before, one in zip([None, *story.calls], story.calls, strict=False):
            assert explained_lines(page_of(conversation, one, before), "it is gone", 40)


@pytest.mark.parametrize("width", [8, 30, 54, 80, 150])
@pytest.mark.parametrize("title", ["coder", HOSTILE[:150]])
def test_everything_fits_its_width(width: int, title: str) -> None:
    lane = coder("x")
    lane.session._details = lane.session._details._replace(title=title)
    told = lane.story.calls[4]
    page = page_of(lane.session.conversation, told, lane.story.calls[3])
    lanes = LaneSource(run_tree([lane]), LONG_AGO + 5_000)
    calls, batches = CallSource(lane.story, 5), BatchSource(lane.story, lane.look, 1)
    where = Where(title, 5, 6, True, 3)
    exact = [
        *(lanes.line(at, width) for at in range(len(lanes))),
        *lanes.below(1, width),
        *(calls.line(at, width) for at in range(len(calls))),
        *(batches.line(at, width) for at in range(len(batches))),
        bar_line(where, width),
        bar_line(where._replace(is_past=False), width),
        bar_line(where._replace(merging=title), width),
        sent_line(page.look, width),
    ]
    if width > 50:
        assert {cell_len(text_of(line)) for line in exact} == {width}
    for line in (*explained_lines(page, None, width), *plot_lines(lane.story, title, 5, width)):
        assert cell_len(text_of(line)) <= max(width, 12)


@pytest.mark.parametrize(
    ("apart", "said"),
    [(0, "now"), (999, "now"), (2_000, "2 s"), (59_999, "59 s"), (60_000, "1 min"), (-5, "now")],
)
def test_how_long_ago_is_told_to_the_second(apart: int, said: str) -> None:
    assert since(1_000_000, 1_000_000 + apart) == said


def test_blocks_and_plot_show_what_was_cached() -> None:
    story = coder().story
    calls = [one.call for one in story.calls]
    assert text_of(call_blocks(calls, 20)) == "▇ ▇ ▇ ▇ ▁ ▇ "
    assert text_of(call_blocks(calls, 8)) == "▇▇▇▇▁▇"
    assert text_of(call_blocks(calls, 3)) == "▇▁▇"
    plot = hit_plot(story.calls, 40, 4, 5)
    assert len(plot) == 5
    assert text_of(plot[-2]).startswith("████████████▂▂▂███")
    assert text_of(plot[-1]).rstrip() == "1            ┴5  6"
    assert hit_plot([], 40, 4) == []
    assert again_words(story) == "1 of 6 measured calls paid for most of the prompt again."


def test_a_long_run_is_plotted_around_the_call_that_is_looked_at() -> None:
    library = MemoryLibrary()
    writer = Writer(library)
    Talk(writer, "hello").go_on(40)
    story = lane_of(writer.sessions[0], library).story
    newest = text_of(hit_plot(story.calls, 26, 3)[-1]).split()
    assert newest == ["21", "40"]
    assert text_of(hit_plot(story.calls, 26, 3, 10)[-1]).split() == ["1", "┴10", "20"]


def test_the_bar_says_what_is_looked_at_and_what_came_meanwhile() -> None:
    where = Where("coder", 38, 41, True, 3)
    words = " ".join(text_of(bar_line(where, 90)).split())
    assert words == "● LOOKING AT CALL 38 OF 41 coder, read-only 3 new f follow esc to 41"
    assert "3 new" in text_of(bar_line(where, 30))
    assert "RECORDING THE CALLS AGAIN" in text_of(bar_line(where._replace(is_busy=True), 60))
    assert "call 41, the newest" in text_of(bar_line(where._replace(is_past=False), 60))
