"""``ctxtui status``: a verdict on sessions."""

from __future__ import annotations

from collections.abc import Iterator

from ctxtui.cli.output import progress
from ctxtui.cli.parser import Namespace, Parser
from ctxtui.cli.sessions import Row, describe_each, describing_arguments
from ctxtui.core.curation.query import read_status
from ctxtui.core.curation.verdicts import disagreements
from ctxtui.core.storage import STATUSES, Library, Session
from ctxtui.text.icons import WARNING


def arguments(parser: Parser) -> None:
    about = f"one of {', '.join(STATUSES)}; a space may be a hyphen"
    parser.add_argument("status", metavar="STATUS", help=about)
    describing_arguments(parser)


def run(args: Namespace) -> int:
    """Give the sessions a status; 1 means that some could not be changed."""
    status = read_status(args.status)

    def judge(session: Session) -> Row:
        was = session.details.status
        if was != status:
            session.describe(status=status)
        return {"status": status, "was": was}

    return describe_each(args, judge, _line, _other_verdicts)


def _other_verdicts(library: Library, rows: list[Row]) -> Iterator[str]:
    """Report which sessions are identical with those that were judged and have another verdict."""
    with progress("sessions", 1, 1) as watch:
        found = disagreements(library, {row["id"] for row in rows}, watch.step)
    others = {entry.id: against for entry, against in found}
    for row in rows:
        against = others.get(row["id"], ())
        keys = ("id", "title", "status")
        row["otherVerdicts"] = [{key: getattr(one, key) for key in keys} for one in against]
        for one in against:
            yield WARNING.text(
                f"{row['id']}  {row['title']}: {row['status']}, but {one.id}  {one.title}, "
                f"which is identical, is {one.status}"
            )


def _line(row: Row) -> str:
    if row["was"] == row["status"]:
        return f"{row['status']}, as it was"
    return f"{row['was']} → {row['status']}"
