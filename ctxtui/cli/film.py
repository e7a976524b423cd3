"""``ctxtui film``: the journal played, as an animated SVG or an asciinema recording."""

from __future__ import annotations

from pathlib import Path

from ctxtui.cli.inputs import open_target, target_argument
from ctxtui.cli.output import kind_of, out_argument, write_drawing
from ctxtui.cli.parser import Namespace, Parser
from ctxtui.cli.screenshot import USUAL_SIZE, read_size
from ctxtui.core.errors import out_of_range
from ctxtui.files.sessions import title_of
from ctxtui.pictures.film import film_cast, film_svg, play
from ctxtui.pictures.screen import Subject
from ctxtui.text.symbols import printable
from ctxtui.theme import CHOICES

ENDINGS = {".svg": "svg", ".cast": "cast"}
SHORTEST, LONGEST = 0.1, 60.0


def arguments(parser: Parser) -> None:
    target_argument(parser)
    out_argument(parser, "the film, NAME.svg or NAME.cast (asciinema); - prints an SVG")
    parser.option("--size", f"columns and lines; else {USUAL_SIZE}", default=USUAL_SIZE)
    parser.option("--theme", "the colours; else those of ink", choices=CHOICES, default="ink")
    parser.option("--seconds S", "how long each record is shown; else 1.2", type=float, default=1.2)
    parser.option("--json", "print what was written as JSON")


def run(args: Namespace) -> int:
    """Play the journal and write what was shown."""
    kind = kind_of(args.out, ENDINGS)
    if not SHORTEST <= args.seconds <= LONGEST:
        raise out_of_range("seconds", args.seconds, f"{SHORTEST:g}…{LONGEST:g}")
    size = read_size(args.size)
    conversation = open_target(args.file, args.library).conversation
    title = printable(title_of(conversation, Path(args.file).name))
    frames = play(Subject(conversation, title), size, args.theme, args.seconds)
    written = film_svg(frames, title, args.theme) if kind == "svg" else film_cast(frames, title)
    write_drawing(args, written, {"kind": kind, "frames": len(frames)})
    return 0
