"""``ctxtui screenshot``: a picture of a screen, without a terminal."""

from __future__ import annotations

import re
from pathlib import Path

from ctxtui.cli.inputs import find_batch, is_session, open_target, target_argument
from ctxtui.cli.output import kind_of, out_argument, write_drawing
from ctxtui.cli.parser import Namespace, Parser
from ctxtui.cli.streams import print_errors
from ctxtui.core.errors import Refused, out_of_range
from ctxtui.core.formats.warnings import sentences
from ctxtui.files.opening import open_source, parse_conversations
from ctxtui.files.sandbox import Unreadable
from ctxtui.files.sessions import title_of
from ctxtui.pictures.screen import CALL, LIBRARY, SCREENS, PictureOptions, Subject, read_keys, take
from ctxtui.theme import CHOICES

SMALLEST, LARGEST = (40, 12), (400, 200)
USUAL_SIZE = "120x40"
ENDINGS = {".svg": "svg", ".png": "png"}


def arguments(parser: Parser) -> None:
    target_argument(parser)
    out_argument(parser, "the picture, NAME.svg or NAME.png; - prints an SVG")
    parser.option("--screen", "which screen", choices=SCREENS, default="inspector")
    parser.option("--batch N", "look at batch N of the path, or #ID")
    parser.option("--size", f"columns and lines; else {USUAL_SIZE}", default=USUAL_SIZE)
    parser.option("--theme", "the colours; else those of ink", choices=CHOICES, default="ink")
    parser.option("--keys", "keys to press first, as 'j j enter'", default="")
    parser.option("--json", "print what was written as JSON")


def run(args: Namespace) -> int:
    """Take the picture and write it."""
    kind_of(args.out, ENDINGS)
    size = read_size(args.size)
    subjects = _subjects(args)
    conversation = subjects[0].conversation
    if args.screen == CALL and not conversation.calls:
        legal = ", ".join(name for name in SCREENS if name != CALL)
        raise Refused(
            f"screen call shows a recorded call, and none was recorded in {args.file}",
            field="screen",
            value=CALL,
            legal=legal,
        )
    batch = args.batch and find_batch(conversation, args.batch)
    options = PictureOptions(args.screen, size, args.theme, batch, read_keys(args.keys))
    data = {"screen": args.screen, "width": size[0], "height": size[1], "theme": args.theme}
    write_drawing(args, take(subjects, options), data)
    return 0


def read_size(text: str) -> tuple[int, int]:
    """Return columns and lines, given as ``120x40``."""
    found = re.fullmatch(r"([0-9]{1,4})[xX×]([0-9]{1,4})", text)
    size = (int(found[1]), int(found[2])) if found else (0, 0)
    pairs = zip(SMALLEST, size, LARGEST, strict=True)
    if not all(least <= one <= most for least, one, most in pairs):
        legal = "…".join(f"{columns}x{lines}" for columns, lines in (SMALLEST, LARGEST))
        raise out_of_range("size", text, legal, why="columns and lines")
    return size


def _subjects(args: Namespace) -> list[Subject]:
    """Return what is to be seen: a conversation, or for the library all of a file."""
    if is_session(args.file):
        opened = open_target(args.file, args.library)
        return [Subject(opened.conversation, title_of(opened.conversation, args.file))]
    source = open_source(args.file)
    usual, found = Path(args.file).name, []
    for at, one in enumerate(parse_conversations(args.file, source, is_story=True)):
        called = title_of(one.conversation, f"{usual} #{at + 1}" if at else usual)
        found.append(Subject(one.conversation, called))
        if args.screen != LIBRARY:
            break
    print_errors(sentences(source.warnings))
    if not found:
        raise Unreadable(f"{args.file}: there is no conversation in it")
    return found
