"""``ctxtui status``: a verdict on sessions."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from core.curation.asking import read_status
from core.storage import STATUSES, Session
from ctxtui.cli.choosing import Told
from ctxtui.cli.describing import describe_each, describing_arguments


def arguments(parser: ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "status", metavar="STATUS", help=f"one of {', '.join(STATUSES)}; a space may be a hyphen"
    )
    describing_arguments(parser)


def run(asked: Namespace) -> int:
    """Give the sessions a status; 1 means that some could not be changed."""
    status = read_status(asked.status)

    def judge(session: Session) -> Told:
        was = session.details.status
        if was != status:
            session.describe(status=status)
        return {"status": status, "was": was}

    return describe_each(asked, judge, _told)


def _told(row: Told) -> str:
    if row["was"] == row["status"]:
        return f"{row['status']}, as it was"
    return f"{row['was']} → {row['status']}"
