"""``ctxtui note``: a note about sessions, or about one message of each."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from ctxtui.cli.inputs import Told, describe_each, describing_arguments
from ctxtui.core.errors import out_of_range
from ctxtui.core.storage import Session
from ctxtui.files.reading import spelled


def arguments(parser: ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "text", metavar="TEXT", type=spelled, help="the note, in place of the one before; '' none"
    )
    parser.add_argument(
        "--message", metavar="RAW", type=int, help="write it about the message of that raw index"
    )
    describing_arguments(parser)


def run(asked: Namespace) -> int:
    """Write the note; 1 means that some sessions could not be changed."""

    def write(session: Session) -> Told:
        if asked.message is not None:
            return _write_about(session, asked.message, asked.text)
        if session.details.note != asked.text:
            session.describe(note=asked.text)
        return {"note": asked.text}

    return describe_each(asked, write, _told)


def _write_about(session: Session, raw: int, text: str) -> Told:
    """Write a note about a message, in place of the one before."""
    size = len(session.conversation.log)
    if not 0 <= raw < size:
        raise out_of_range("message", raw, f"0…{size - 1}" if size else "the empty log")
    was = dict(session.details.remarks)
    remarks = {**was, raw: text}
    if not text:
        del remarks[raw]
    if remarks != was:
        session.describe(remarks=list(remarks.items()))
    return {"message": raw, "note": text}


def _told(row: Told) -> str:
    about = "" if row.get("message") is None else f"raw {row['message']}: "
    return about + (row["note"] or "no note")
