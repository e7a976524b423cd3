"""``ctxtui lanes``: the lanes of recorded runs, and mending what was put into the wrong one."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from core.errors import Refused
from core.storage import Library
from ctxtui.cli.output import print_json, print_line, print_problems
from ctxtui.cli.sessions import WAIT_SECONDS, library_argument
from ctxtui.cli.streams import saved_output
from ctxtui.files.reading import spelled
from ctxtui.files.sessions import find_session, open_library
from ctxtui.models.lane_steps import Mended, merge, split
from ctxtui.models.library_steps import describe
from ctxtui.models.run_tree import LaneNode, RunHead, SideNode, run_tree
from ctxtui.models.watching import Lane
from ctxtui.words import plural

SESSION = "an id or title"


def arguments(parser: ArgumentParser) -> None:
    """Declare what the command takes."""
    ways = parser.add_subparsers(dest="way", required=True, metavar="list|merge|split|rename")
    way = ways.add_parser("list", help="print the lanes of all recorded runs as a tree")
    _common(way)
    way = ways.add_parser("merge", help="make one session of the calls of several")
    way.add_argument("session", metavar="INTO", type=spelled, help=f"{SESSION}; its name stays")
    way.add_argument("others", metavar="SESSION", type=spelled, nargs="+", help=SESSION)
    _common(way)
    way = ways.add_parser("split", help="make a session of its own from a call on")
    way.add_argument("session", metavar="SESSION", type=spelled, help=SESSION)
    way.add_argument("call", metavar="CALL", type=int, help="the first one's number is 1")
    _common(way)
    way = ways.add_parser("rename", help="give a session another name")
    way.add_argument("session", metavar="SESSION", type=spelled, help=SESSION)
    way.add_argument("title", metavar="NAME", type=spelled, help="its new name")
    _common(way)


def _common(parser: ArgumentParser) -> None:
    library_argument(parser)
    parser.add_argument("--json", action="store_true", help="print what there is as JSON")


def run(asked: Namespace) -> int:
    """Do one of the four."""
    library = open_library(asked.library)
    if asked.way == "list":
        return _list(library, is_json=asked.json)
    id = find_session(library, asked.session)
    with saved_output():
        if asked.way == "rename":
            return _rename(library, id, asked)
        if asked.way == "merge":
            others = [find_session(library, name) for name in asked.others]
            mended = merge(library, id, others, wait=WAIT_SECONDS)
        else:
            mended = split(library, id, asked.call, wait=WAIT_SECONDS)
        _tell(mended, is_json=asked.json)
    return 0


def _list(library: Library, *, is_json: bool) -> int:
    """Print the lanes of all runs, each below the one it stands beside or was called from."""
    lanes, code = [], 0
    holders = library.writers()
    for entry in library.list():
        if entry.run is not None:
            try:
                session = library.open(entry.id, read_only=True)
            except Refused as refusal:
                print_problems([str(refusal)])
                code = 1
            else:
                lanes.append(Lane(session, holders.get(entry.id)))
    if is_json:
        print_json({"lanes": [lane_data(lane) for lane in lanes]})
    elif not lanes:
        print_line(f"no run is recorded in {library.folder}; ctxtui capture records one")
    else:
        for node in run_tree(lanes, _Everything()):
            _print_node(node)
    return code


class _Everything(frozenset[int]):
    """Holds every key: all that is folded away is shown."""

    def __contains__(self, key: object) -> bool:
        return True


def _print_node(node: RunHead | LaneNode | SideNode) -> None:
    if isinstance(node, RunHead):
        print_line(node.name)
    elif isinstance(node, SideNode):
        print_line(f"{'  ' * (1 + node.depth)}beside it: {node.about}")
    else:
        lane = node.lane
        told = [plural(lane.figures.calls, "call")]
        told += [f"open in {lane.holder}"] if lane.holder is not None else []
        print_line(f"{'  ' * (1 + node.depth)}{lane.session.id}  {lane.title}: {', '.join(told)}")


def lane_data(lane: Lane) -> dict[str, object]:
    """Return what is told of a lane, for programs."""
    place, hit = lane.place, lane.figures.hit
    return {
        "session": lane.session.id,
        "title": lane.title,
        "holder": lane.holder,
        "lane": None if place is None else place.to_dict(),
        "calls": lane.figures.calls,
        "cacheHit": None if hit is None else round(hit[0] / hit[1], 3),
        "brokeCache": lane.story.broken,
        "withErrors": lane.story.refused,
    }


def _rename(library: Library, id: str, asked: Namespace) -> int:
    entry = next(one for one in library.list() if one.id == id)
    describe(library, entry, {"title": asked.title.strip()})
    if asked.json:
        print_json({"session": id, "title": asked.title.strip()})
    else:
        print_line(f"{id}  {asked.title.strip()}")
    return 0


def _tell(mended: Mended, *, is_json: bool) -> None:
    """Print what was made, and where the old sessions are."""
    if is_json:
        made = [{"session": one.id, "title": one.title, "calls": one.calls} for one in mended.made]
        print_json({"made": made, "trashed": list(mended.gone)})
        return
    for one in mended.made:
        print_line(f"{one.id}  {one.title}: {plural(one.calls, 'call')}")
    names = " ".join(mended.gone)
    print_line(f"in the trash; ctxtui delete --restore {names} brings back what there was")
