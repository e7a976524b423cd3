"""``ctxtui note``: a note about sessions, or about one message of each."""

from __future__ import annotations

from ctxtui.cli.parser import Namespace, Parser
from ctxtui.cli.sessions import Row, describe_each, describing_arguments
from ctxtui.core.errors import out_of_range
from ctxtui.core.storage import Session
from ctxtui.files.reading import spelled


def arguments(parser: Parser) -> None:
    about = "the note, replacing the one before; '' removes it"
    parser.add_argument("text", metavar="TEXT", type=spelled, help=about)
    parser.option("--message RAW", "write it about the message of that raw index", type=int)
    describing_arguments(parser)


def run(args: Namespace) -> int:
    """Write the note; 1 means that some sessions could not be changed."""

    def write(session: Session) -> Row:
        if args.message is not None:
            return _write_about(session, args.message, args.text)
        if session.details.note != args.text:
            session.describe(note=args.text)
        return {"note": args.text}

    return describe_each(args, write, _line)


def _write_about(session: Session, raw: int, text: str) -> Row:
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


def _line(row: Row) -> str:
    about = "" if row.get("message") is None else f"raw {row['message']}: "
    return about + (row["note"] or "no note")
