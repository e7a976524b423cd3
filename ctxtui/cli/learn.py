"""``ctxtui learn``: opens the lessons or one of them, lists them, or checks your own."""

from __future__ import annotations

from typing import Any

from ctxtui.cli import NO_TERMINAL, run_app
from ctxtui.cli.output import kind_of, print_json, print_line, print_table, write_drawing
from ctxtui.cli.parser import Namespace, Parser
from ctxtui.cli.streams import has_terminal, print_errors
from ctxtui.core.errors import Refused
from ctxtui.core.lessons import LANGUAGES, SERIES, Problem
from ctxtui.files.sandbox import Unreadable
from ctxtui.files.sessions import open_library
from ctxtui.lessons.files import (
    LearnerState,
    LessonFile,
    check_file,
    find_lesson,
    language_of,
    list_lessons,
    load_learner,
    save_language,
)
from ctxtui.lessons.words import progress_words, say
from ctxtui.text.plurals import plural

ENDINGS = {".html": "html", ".htm": "html"}


def arguments(parser: Parser) -> None:
    about = "the name of a lesson, or a file of your own"
    parser.add_argument("lesson", metavar="LESSON", nargs="?", help=about)
    parser.option("--lang", "the language; the locale's if not given", choices=LANGUAGES)
    parser.option("--check FILE", "check lessons instead; 1 if one is not right", nargs="+")
    parser.option("-o --out OUT", "write the lesson as a page, NAME.html; - prints it")
    parser.option("--json", "print the list as JSON")


def run(args: Namespace) -> int:
    """List, open or check lessons."""
    if args.check:
        if args.lesson:
            raise Refused("a lesson is opened or checked; --check takes all the files")
        return _check(args.check, is_json=args.json)
    if args.out is not None and args.lesson is None:
        raise Refused(f"-o {args.out} needs a lesson to write: ctxtui learn NAME -o {args.out}")
    learnt = load_learner()
    language = language_of(learnt, args.lang)
    if args.lesson is None:
        if args.json or not has_terminal():
            return _list(learnt, language, is_json=args.json)
        return _open(None, args.lang)
    found = find_lesson(args.lesson)
    if args.out is not None:
        from ctxtui.pages.lesson import lesson_html

        data = {"kind": kind_of(args.out, ENDINGS), "steps": len(found.lesson.steps)}
        write_drawing(args, lesson_html(found.lesson), data)
        return 0
    if args.json:
        print_json(_data(found, learnt, language))
        return 0
    if not has_terminal():
        raise Unreadable(NO_TERMINAL)
    return _open(found, args.lang)


def _open(found: LessonFile | None, lang: str | None) -> int:
    """Open a lesson in the app, or the list of them."""
    from ctxtui.app import CtxtuiApp

    if lang is not None:
        save_language(lang)  # It holds for the lessons after this one, too.
    library = open_library(None)
    return run_app(CtxtuiApp(library=library, home="lessons", lesson=found, language=lang))


def _list(learnt: LearnerState, language: str, *, is_json: bool) -> int:
    found, problems = list_lessons()
    if is_json:
        lessons = [_data(one, learnt, language) for one in found]
        print_json({"language": language, "lessons": lessons, "problems": problems})
        return 1 if problems else 0
    known = {one.name: one.lesson for one in found}
    words = {
        name: progress_words(lesson, learnt.of(name), language) for name, lesson in known.items()
    }
    for key, series in SERIES.items():
        rows = [
            (f"  {lesson.order or ''}", name, lesson.title.to(language), words[name])
            for name, lesson in known.items()
            if lesson.series == key
        ]
        if rows:
            print_line(series.to(language))
            print_table(rows, right=(0,))
            print_line()
    print_line(say("ctxtui learn NAME opens one; --lang zh or en chooses the language.", language))
    print_errors(problems)
    return 1 if problems else 0


def _data(one: LessonFile, learnt: LearnerState, language: str) -> dict[str, Any]:
    """Return a lesson as JSON-ready data: what it is, and how far it was taken."""
    lesson, progress = one.lesson, learnt.of(one.name)
    right, asked = progress.score(lesson)
    return {
        "name": one.name,
        "title": lesson.title.to(language),
        "about": lesson.about.to(language) if lesson.about else None,
        "series": lesson.series,
        "order": lesson.order,
        "steps": len(lesson.steps),
        "questions": sum(step.predict is not None for step in lesson.steps),
        "step": progress.place_in(lesson) + 1 if progress.is_begun else 0,
        "answered": progress.answered(lesson)[0],
        "seen": progress.is_seen,
        "done": progress.is_done(lesson),
        "right": right,
        "asked": asked,
    }


def _check(paths: list[str], *, is_json: bool) -> int:
    """Check lessons, each told with every problem it has; one that is no JSON stops no other."""
    found: dict[str, list[Problem]] = {}
    unreadable = set()
    for path in paths:
        try:
            found[path] = check_file(path)
        except (Unreadable, Refused) as refusal:
            found[path] = [Problem("file", str(refusal))]
            unreadable.add(path)
            print_errors([str(refusal)])
    if is_json:
        lists = {path: [one.to_dict() for one in problems] for path, problems in found.items()}
        print_json({"lessons": [{"file": path, "problems": lists[path]} for path in lists]})
    for path, problems in found.items() if not is_json else ():
        if path in unreadable:
            continue
        for problem in problems:
            print_line(f"{path}: {problem}")
        fine = "every step is as the engine has it"
        print_line(f"{path}: {plural(len(problems), 'problem') if problems else fine}")
    return 2 if unreadable else int(any(found.values()))
