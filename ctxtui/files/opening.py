"""Opening files: conversations, scripts and recipes, from files or standard input."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ctxtui.core import Conversation, Refused
from ctxtui.core.engine.messages import METADATA_HINT
from ctxtui.core.errors import wrong_type
from ctxtui.core.formats import Layout
from ctxtui.core.formats.detection import is_script
from ctxtui.core.formats.source import MOST_BYTES
from ctxtui.core.formats.warnings import FormatWarning
from ctxtui.core.values.frozen import thaw
from ctxtui.files.reading import MOST_RECIPE_BYTES, read_bytes, source_of_file
from ctxtui.files.sandbox import Unreadable
from ctxtui.progress import TaskProgress, tracked

if TYPE_CHECKING:
    from ctxtui.core.formats import Source
    from ctxtui.core.policies import Policy
    from ctxtui.core.scripts import Script

PRESET = "preset:"
"""How a text begins that names a preset in place of a file."""
FIRST_OF_SEVERAL = FormatWarning("only-first-read")


def read_file(path: str, most: int = MOST_BYTES, *, keys_once: bool = False) -> object:
    """Return the JSON data of a file; ``-`` is standard input."""
    from ctxtui.core.formats import read_json

    content = read_bytes(path, most=most)
    with _reading(path):
        return read_json(content, keys_once=keys_once)


@contextmanager
def _reading(path: str) -> Iterator[None]:
    """Say of which file it is that something in it is refused, or is too much."""
    try:
        yield
    except Refused as refusal:
        raise Unreadable(f"{path}: {refusal.with_hint(METADATA_HINT)}") from None
    except MemoryError:
        raise Unreadable(f"{path}: there is not enough memory to read it") from None
    except RecursionError:
        raise Unreadable(f"{path}: it is nested deeper than can be read") from None


class Opened(NamedTuple):
    """A conversation, the format it came in, and whether it was a bare list of messages.

    Each warning is about something that was adapted; ``has_more`` means that it is the
    first of several in the file. ``layout`` and ``place`` say where in the file it was.
    """

    conversation: Conversation
    format: str
    is_list: bool = False
    warnings: tuple[FormatWarning, ...] = ()
    has_more: bool = False
    layout: Layout = Layout.DOCUMENT
    place: int = 1


def open_source(path: str, watch: TaskProgress | None = None) -> Source:
    """Return what is in a file; ``-`` is standard input."""
    return source_of_file(path, watch, lambda data: tracked(data, watch) if watch else data)


def read_conversation(path: str, watch: TaskProgress | None = None) -> Opened:
    """Return the first conversation of a file, with progress."""
    source = open_source(path, watch)
    found = parse_conversations(path, source)
    first = next(found)
    has_more = next(found, None) is not None
    several = (FIRST_OF_SEVERAL,) if has_more else ()
    warnings = (*several, *source.warnings, *first.warnings)
    return first._replace(has_more=has_more, warnings=warnings)


def parse_conversations(
    path: str, source: Source, format: str | None = None, *, is_story: bool = False
) -> Iterator[Opened]:
    """Yield every conversation of a file, each as soon as it is read, in the named format if any.

    What is wrong with the file as a whole is in the source's warnings afterwards. A script whose
    steps fail is refused, unless it is opened as a story, which reports them.
    """
    from ctxtui.core.formats import load_all

    with _reading(path):
        document = None if source.is_lines or source.is_text else source.document()
        if is_lesson(document):
            raise Unreadable(f"{path}: it is a lesson; ctxtui learn {path} plays it")
        if format is None and is_script(document):
            from ctxtui.core.scripts import Script

            data = _with_files(path, document)
            yield _story(data) if is_story else Opened(Script.from_dict(data).run(), "native")
            return
        is_list = isinstance(document, list)
        for one in load_all(source, format):
            yield Opened(
                one.conversation,
                one.format,
                is_list,
                one.warnings,
                layout=one.layout,
                place=one.place,
            )


def may_hold_several(path: str, source: Source) -> bool:
    """Return whether there may be more than one conversation in a file."""
    with _reading(path):
        is_many = source.is_lines or source.is_text
        return is_many or isinstance(source.document(), list)


def _story(data: Mapping[str, Any]) -> Opened:
    """Return the conversation that a script leads to, which remembers its steps.

    A step that fails is a problem that is told, not a reason to show nothing.
    """
    from ctxtui.core.scripts import Script, keep_steps

    script = Script.from_dict(keep_steps(data))
    conversation = script.start()
    reports = script.take(conversation, keep_going=True)
    failed = [f"step {one.index} failed: {one.error}" for one in reports if not one.ok]
    warnings = (FormatWarning.of("steps-failed", failed),) if failed else ()
    return Opened(conversation, "native", False, warnings)


def is_lesson(data: object) -> bool:
    """Return whether JSON data looks like a lesson."""
    return isinstance(data, Mapping) and {"title", "start", "steps"} <= data.keys()


def read_script(path: str) -> Script:
    """Return the script of a file."""
    from ctxtui.core.scripts import Script

    data = read_file(path)
    with _reading(path):
        return Script.from_dict(_with_files(path, data))


def _with_files(path: str, script: Any) -> Any:
    """Return a script as JSON data with what is in the files it names in place of their names.

    Names count from the script's own folder.
    """
    if not isinstance(script, Mapping):
        return script
    return _with_policies(path, with_messages(path, script))


def _beside(path: str, name: str) -> Path:
    return Path(name) if path == "-" else Path(path).parent / name


def with_messages(path: str, script: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a script whose messages are those of the file it names, which may be in any format."""
    from ctxtui.core.formats import load_all

    match script:
        case {"messages": {"file": str(name), **others}} if not others:
            beside = _beside(path, name)
        case _:
            return script
    source = open_source(str(beside))
    with _reading(str(beside)):
        if not (source.is_lines or source.is_text) and is_script(source.document()):
            raise Unreadable(f"{beside}: it is a script itself; a conversation is wanted")
        first = next(load_all(source)).conversation
    messages = [message.to_dict() for message in first.visible]
    return {**script, "messages": messages, "meta": {**thaw(first.meta), **script.get("meta", {})}}


def _with_policies(path: str, script: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a script whose steps run the policies of the files they name."""
    steps = script.get("steps")
    if not isinstance(steps, list):
        return script
    known: dict[str, Any] = {}

    def filled(step: Any) -> Any:
        match step:
            case {"policy": str(name)}:
                if name == "-":
                    raise Unreadable(f"{path}: policy '-' is not a file next to the script")
                if name not in known:
                    beside = name if name.startswith(PRESET) else str(_beside(path, name))
                    known[name] = open_policy(beside).to_dict()
                return {**step, "policy": known[name]}
        return step

    return {**script, "steps": [filled(step) for step in steps]}


def open_policy(path: str) -> Policy:
    """Return the policy of a file, named like the file where it has no name; ``-`` is stdin.

    A recipe is a policy too: one that acts before every call. ``preset:NAME`` is a preset.
    """
    if path.startswith(PRESET):
        from ctxtui.core.policies.preset import read_preset

        with _reading(path):
            return read_preset(path)
    return _policy_of(path, read_file(path, MOST_RECIPE_BYTES, keys_once=True))


def _policy_of(path: str, data: Any) -> Policy:
    from ctxtui.core.policies import Policy

    with _reading(path):
        policy = Policy.from_dict(data)
    return policy if policy.is_named else policy.named(Path(path).name)


def open_recipe_or_policy(path: str) -> list[Any] | Policy:
    """Return the operations of a recipe, or the policy that a file holds instead."""
    if path.startswith(PRESET):
        return open_policy(path)
    data = read_file(path, MOST_RECIPE_BYTES, keys_once=True)
    if isinstance(data, dict) and data.keys() & {"do", "stages"}:
        return _policy_of(path, data)
    if not isinstance(data, list):
        wrong = wrong_type("recipe", data, "a list of operations or a policy")
        raise Unreadable(f"{path}: {wrong}")
    if not data:
        raise Unreadable(f"{path}: recipe [] holds no operation")
    return data
