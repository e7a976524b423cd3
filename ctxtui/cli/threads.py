"""``ctxtui threads``: the threads of recorded runs, and merging, splitting and renaming them."""

from __future__ import annotations

from ctxtui.cli.inputs import library_argument
from ctxtui.cli.output import print_json, print_line
from ctxtui.cli.parser import Namespace, Parser
from ctxtui.cli.sessions import WAIT_SECONDS
from ctxtui.cli.streams import print_errors, saved_output
from ctxtui.core.errors import Refused, wrong_type
from ctxtui.core.storage import Library
from ctxtui.core.values.numbers import count_in
from ctxtui.files.reading import spelled
from ctxtui.files.sandbox import Unreadable
from ctxtui.files.sessions import find_session, open_library
from ctxtui.library.models.library import describe
from ctxtui.text.plurals import plural
from ctxtui.watch.models import (
    RunHead,
    SideNode,
    ThreadEdit,
    ThreadNode,
    WatchedThread,
    explain,
    merge,
    run_tree,
    split,
)

NEEDS = {
    "list": "",
    "merge": "INTO SESSION…",
    "split": "SESSION CALL",
    "rename": "SESSION NAME",
    "explain": "SESSION",
}
"""What each way of the command is given."""


def arguments(parser: Parser) -> None:
    needs = ", ".join(f"{way} {given}".rstrip() for way, given in NEEDS.items())
    ways = "|".join(NEEDS)
    parser.add_argument("way", metavar=ways, nargs="?", choices=NEEDS, default="list")
    about = f"ids or titles of sessions: {needs}; the first call's number is 1"
    parser.add_argument("given", metavar="SESSION", type=spelled, nargs="*", help=about)
    library_argument(parser)
    parser.option("--save", "with explain: store what is found instead of what was stored")
    parser.option("--json", "print what there is as JSON")


def run(args: Namespace) -> int:
    """List the threads, or mend some."""
    way, given = args.way, args.given
    count, needed = len(given), len(NEEDS[way].split())
    if count < needed or (count > needed and way != "merge"):
        wanted = f"{way} {NEEDS[way]}".rstrip()
        raise Unreadable(f"ctxtui threads {wanted}: {plural(count, 'name')} can't be that")
    library = open_library(args.library)
    if way == "list":
        return _list(library, is_json=args.json)
    number = _call(given[1]) if way == "split" else 0
    id = find_session(library, given[0])
    with saved_output():
        if way == "rename":
            return _rename(library, id, given[1].strip(), is_json=args.json)
        if way == "explain":
            return _explain(library, id, args)
        if way == "merge":
            others = [find_session(library, name) for name in given[1:]]
            mended = merge(library, id, others, wait=WAIT_SECONDS)
        else:
            mended = split(library, id, number, wait=WAIT_SECONDS)
        _tell(mended, is_json=args.json)
    return 0


def _call(text: str) -> int:
    if (number := count_in(text)) is not None:
        return number
    raise wrong_type("call", text, "a number, the first one's being 1")


def _list(library: Library, *, is_json: bool) -> int:
    """Print the threads of all runs, each below the one it is a side call of or was called from."""
    threads, code = [], 0
    holders = library.writers()
    for entry in library.list():
        if entry.run is not None:
            try:
                session = library.open(entry.id, read_only=True)
            except Refused as refusal:
                print_errors([str(refusal)])
                code = 1
            else:
                threads.append(WatchedThread(session, holders.get(entry.id)))
    if is_json:
        print_json({"threads": [thread_data(thread) for thread in threads]})
    elif not threads:
        print_line(f"no run is recorded in {library.folder}; ctxtui capture records one")
    else:
        for node in run_tree(threads, _Everything()):
            _print_node(node)
    return code


class _Everything(frozenset[int]):
    """Holds every key: all that is folded away is shown."""

    def __contains__(self, key: object) -> bool:
        return True


def _print_node(node: RunHead | ThreadNode | SideNode) -> None:
    if isinstance(node, RunHead):
        print_line(node.name)
    elif isinstance(node, SideNode):
        print_line(f"{'  ' * (1 + node.depth)}side call: {node.about}")
    else:
        thread = node.thread
        facts = [plural(thread.figures.calls, "call")]
        facts += [f"open in {thread.holder}"] if thread.holder is not None else []
        print_line(
            f"{'  ' * (1 + node.depth)}{thread.session.id}  {thread.title}: {', '.join(facts)}"
        )


def thread_data(thread: WatchedThread) -> dict[str, object]:
    """Return what is told of a thread, for programs."""
    place, hit = thread.place, thread.figures.hit
    return {
        "session": thread.session.id,
        "title": thread.title,
        "holder": thread.holder,
        "thread": None if place is None else place.to_dict(),
        "calls": thread.figures.calls,
        "cacheHit": None if hit is None else round(hit[0] / hit[1], 3),
        "brokeCache": thread.story.broken,
        "withErrors": thread.story.refused,
    }


def _rename(library: Library, id: str, title: str, *, is_json: bool) -> int:
    entry = next(one for one in library.list() if one.id == id)
    describe(library, [entry], {"title": title})
    if is_json:
        print_json({"session": id, "title": title})
    else:
        print_line(f"{id}  {title}")
    return 0


def _explain(library: Library, id: str, args: Namespace) -> int:
    """Print which calls would be explained in another way than is stored; 1: there are some."""
    found = explain(library, id, wait=WAIT_SECONDS)
    if args.save and (found.changes or found.threads):
        _tell(found.save(), is_json=args.json)
        return 0
    if args.json:
        changes = [{**one._asdict(), "call": one.call + 1} for one in found.changes]
        print_json({"session": id, "changes": changes, "threads": found.threads})
    elif found.threads is not None:
        print_line(
            f"with all its calls known, the run has {plural(found.threads, 'thread')}; "
            "--save stores them"
        )
    elif not found.changes:
        print_line("every call is explained as it is stored")
    for one in () if args.json else found.changes:
        stored, now = (", ".join(steps) or "nothing" for steps in (one.stored, one.now))
        print_line(f"call {one.call + 1}: {stored} is stored; now it would be {now}")
    return 1 if found.changes or found.threads else 0


def _tell(mended: ThreadEdit, *, is_json: bool) -> None:
    """Print what was made, and where the old sessions are."""
    if is_json:
        made = [{"session": one.id, "title": one.title, "calls": one.calls} for one in mended.made]
        print_json({"made": made, "trashed": list(mended.gone)})
        return
    for one in mended.made:
        print_line(f"{one.id}  {one.title}: {plural(one.calls, 'call')}")
    names = " ".join(mended.gone)
    print_line(f"in the trash; ctxtui delete --restore {names} brings back what there was")
