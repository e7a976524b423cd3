"""Many sessions changed as one step that is undone as one: apply, squash, split, duplicates.

An accepted session that is changed is in review again, since the verdict was about its old text.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from ctxtui.core import Conversation, Refused, Result
from ctxtui.core.curation.purging import WORD, Purging, split, squash_session
from ctxtui.core.curation.replacing import save_changes as editing_settle
from ctxtui.core.curation.verdicts import DuplicateGroup, Duplicates, Member, find_duplicates
from ctxtui.core.engine.messages import Message
from ctxtui.core.errors import format_value
from ctxtui.core.policies import Policy
from ctxtui.core.recipes import Recipe
from ctxtui.core.storage import Entry, Library, Session, StorageError
from ctxtui.core.what_if import assess
from ctxtui.files.policies import RecipeFile, list_policies, list_recipes, load_policy, load_recipe
from ctxtui.library.models.library import Done, UndoStep, delete, describe, made_step, retag
from ctxtui.progress import TaskProgress
from ctxtui.text.options import Option
from ctxtui.text.plurals import percent, plural
from ctxtui.text.toast import Toast, done, sentence_of, warned
from ctxtui.text.word_diff import Edit, edits

About = Mapping[str, Any]
"""Some of title, tags and notes of a session."""


class SessionChange(NamedTuple):
    """A session that was changed: its journal before and after, and its status before."""

    entry: Entry
    before: int
    after: int
    status: str
    was: About
    """What was said about it before, as far as that changed."""
    became: About


Act = Callable[[Session], About | None]
"""Changes an open session in memory, if there is anything to change; what it refuses is reported.

What it returns is to be said about the session.
"""


def change_many(
    library: Library, entries: Sequence[Entry], act: Act, watch: TaskProgress
) -> BulkChange:
    """Change sessions one after the other; what fails is reported and stays as it was."""
    changed: list[SessionChange] = []
    problems: list[str] = []
    for number, entry in enumerate(entries):
        watch.step(number / len(entries))
        try:
            with taken(library, entry) as session:
                change = _changed(session, entry, act)
                changed += [] if change is None else [change]
        except Exception as problem:
            problems.append(f"{entry.name}: {sentence_of(problem)}")
    return BulkChange(tuple(changed), tuple(problems))


def _changed(session: Session, entry: Entry, act: Act) -> SessionChange | None:
    """Change one session and make that safe, or leave its file as it was."""
    old, before = session.details, len(session.conversation.journal)
    try:
        about = act(session) or {}
        after = len(session.conversation.journal)
        if after == before and not about:
            return None
        editing_settle(session, before, about)
    except BaseException:
        session.abandon()
        raise
    was = {key: getattr(old, key) for key in about}
    became = {key: getattr(session.details, key) for key in about}
    return SessionChange(entry_now(entry, session), before, after, old.status, was, became)


class BulkChange(NamedTuple):
    """What became of many sessions: those that were changed, and why others were not."""

    changed: tuple[SessionChange, ...]
    problems: tuple[str, ...]

    def done(self, library: Library, toast: Toast, word: str) -> Done:
        """Return it as one step of the library, which ``u`` undoes."""
        if self.problems:
            count = plural(len(self.problems), "session")
            toast = warned(toast.title, f"{count} stayed as they were: {self.problems[0]}")
        entries = tuple(change.entry for change in self.changed)
        if not entries:
            return Done(toast)
        restored = f"Restored {plural(len(entries), 'session')}."
        ids = tuple(entry.id for entry in entries)
        step = UndoStep(partial(take_back, library, self.changed), restored, word, ids)
        return Done(toast, step=step, changed=entries)


def take_back(library: Library, changed: Sequence[SessionChange]) -> Done:
    """Undo what was done to sessions; those that were changed since then stay as they are."""
    back: list[Entry] = []
    problems: list[str] = []
    for entry, before, after, status, was, became in changed:
        try:
            with taken(library, entry) as session:
                is_same = all(getattr(session.details, key) == became[key] for key in became)
                if len(session.conversation.journal) != after or not is_same:
                    raise StorageError(
                        "it was changed since then; open it and press u",
                        field="session",
                        value=entry.id,
                    )
                for _ in range(after - before):
                    session.change({"operation": "UNDO"})
                session.describe(status=status, **was)
                back.append(entry_now(entry, session))
        except Exception as problem:
            problems.append(f"{entry.name}: {sentence_of(problem)}")
    count = f"{len(back):,} of {plural(len(changed), 'session')} were restored"
    return Done(warned(count, problems[0]) if problems else None, changed=tuple(back))


def taken(library: Library, entry: Entry) -> Session:
    """Return a session to be changed; one that is damaged is refused."""
    session = library.open(entry.id)
    if session.id == entry.id:
        return session
    session.close()
    raise StorageError("it is damaged; open it to see what could be read", field="session")


def entry_now(entry: Entry, session: Session) -> Entry:
    """Return what a list says of a session as it is now."""
    talk, details = session.conversation, session.details
    return entry._replace(
        title=details.title,
        tags=details.tags,
        note=details.note,
        remarks=tuple(text for _, text in details.remarks),
        status=details.status,
        messages=len(talk.log),
        visible=len(talk.view),
        batches=len(talk.batches),
        tokens=talk.tokens.total,
        counter=talk.tokens.counter,
        updated=details.updated,
    )


# Squashing sessions of the library: new ones of what is visible, and the originals purged.

SQUASH, PURGE = "squash", "purge"


def read_word(text: str) -> bool:
    """Return whether originals shall be removed for good; refuse any other word.

    It is typed in full, since nothing can bring back what was purged.
    """
    word = text.strip().casefold()
    if word not in (SQUASH, PURGE):
        raise Refused(
            f"{format_value(text.strip())} is neither {SQUASH} nor {PURGE}",
            field="answer",
            value=text,
            legal=f"{SQUASH} or {PURGE}",
        )
    return word == PURGE


def squash_many(
    library: Library, entries: Sequence[Entry], is_purging: bool, watch: TaskProgress
) -> Done:
    """Make a session of what is visible of each; when purging, remove the originals for good."""
    instead: list[tuple[str, str]] = []
    problems: list[str] = []
    with Purging(library) as purging:  # Caches forget all that is gone at once.
        squash = purging.squash if is_purging else partial(squash_session, library)
        for number, entry in enumerate(entries, start=1):
            try:
                instead.append((entry.id, squash(entry.id).new))
            except Exception as problem:
                problems.append(f"{entry.name}: {sentence_of(problem)}")
            watch.step(number / len(entries))
    made = [new for _, new in reversed(instead)]  # The last one is put above the others.
    title = f"{'Purged' if is_purging else 'Squashed'} {plural(len(made), 'session')}"
    if problems:
        toast = warned(title, problems[0])
    elif is_purging:
        trashed = len(library.trash.ids())
        more = f" The trash still holds {plural(trashed, 'session')}." if trashed else ""
        kept = "New ones keep what is visible, titles, tags, notes, labels, tools and other fields."
        toast = done(
            title, f"{kept} History, hidden messages and recorded calls are removed.{more}"
        )
    else:
        toast = done(title, "The originals stay in the library.", ("u", "undoes it"))
    if is_purging:
        return Done(toast, tuple(made), instead=tuple(instead), must_list=True)
    return Done(toast, tuple(made), made_step(library, made, SQUASH), must_list=True)


# Squashing: a new session of what is visible, next to the one it was made from.


def squashed_at(conversation: Conversation, revision: int | None = None) -> Conversation:
    """Return a new conversation of what is visible, now or at another revision.

    The conversation itself stays where it is: a copy of it goes there.
    """
    if revision is None or revision == conversation.current.id:
        return conversation.squash()
    there = conversation.copy()
    there.checkout(revision=revision)
    return there.squash()


def squash_beside(
    library: Library, made: Conversation, title: str, tags: Sequence[str] = ()
) -> Session:
    """Return a session of a squashed conversation, named after the one it comes from.

    Where the disk doesn't let it be saved, it says so (``is_saved``, ``problem``).
    """
    session = library.create(made, title=f"{title} ({WORD})")
    if tags and session.is_saved:
        session.describe(tags=tuple(tags))
    return session


# Making two sessions of one: what is visible before a message, and from it on.


def split_beside(
    library: Library, conversation: Conversation, raw: int, title: str, tags: Sequence[str]
) -> Done:
    """Make two sessions next to the one that is open, which is unchanged.

    The second begins with the system messages of the first, without which it would be another
    conversation.
    """
    position = conversation.view.position(raw)
    if position is None:
        raise Refused(
            f"raw {raw} is hidden, so nothing can be split there",
            field="position",
            value=raw,
            legal="a visible message",
        )
    made: list[str] = []
    sizes: list[int] = []
    for number, part in enumerate(split(conversation, position, with_system=True), 1):
        session = library.create(part, title=f"{title} ({number} of 2)")
        if not session.is_saved:
            session.abandon()
            raise StorageError(session.problem or "it can't be saved", field="session")
        session.describe(tags=tuple(tags))
        session.close()
        made.append(session.id)
        sizes.append(len(part.log))
    first, second = (plural(size, "message") for size in sizes)
    toast = done("Split into two new sessions", f"{first}, and {second}.", ("O", "shows them"))
    return Done(toast, tuple(made), made_step(library, made, "split"), must_list=True)


# Duplicates in the library: what to look for, what to do with the extra ones, and doing it.

THRESHOLDS = (1.0, 0.95, 0.9, 0.8, 0.7)
ACTIONS = ("reject", "tag", "trash")
WORDS = {
    "reject": "reject the extra",
    "tag": "tag the extra",
    "trash": "trash the extra",
}
TAG = "duplicate"


@dataclass(frozen=True)
class DuplicateOptions:
    """How alike sessions must be, and what is done with all but the first of each group."""

    threshold: float = THRESHOLDS[0]
    action: str = ACTIONS[0]

    def options(self) -> list[Option]:
        alike = {one: "identical" if one == 1 else percent(one, 1) for one in THRESHOLDS}
        return [
            Option("threshold", "alike", self.threshold, alike, "Find", "of the words"),
            Option("action", "then", self.action, WORDS, "Do"),
        ]


class GroupRow(NamedTuple):
    """A row of the list: the head of a group, or one of its sessions."""

    group: int
    member: Member | None = None
    is_first: bool = False


def rows_of(found: Duplicates) -> list[GroupRow]:
    """Return the groups as rows."""
    rows: list[GroupRow] = []
    for number, group in enumerate(found.groups):
        rows.append(GroupRow(number))
        rows += [GroupRow(number, one, at == 0) for at, one in enumerate(group.members)]
    return rows


def find_groups(
    library: Library, entries: Sequence[Entry], choice: DuplicateOptions, watch: TaskProgress
) -> Duplicates:
    """Return the groups of sessions that are alike."""
    return find_duplicates(library, entries, choice.threshold, watch.step)


MOST_COMPARED, MOST_EDITED = 1_000, 100
"""Messages of each session that are compared, and the first ones that are so word by word."""


class MessagePair(NamedTuple):
    """A message of one session and that of the other in its place; either may be missing."""

    first: Message | None
    other: Message | None
    edits: tuple[Edit, ...] | None = None
    """How one text becomes the other; None where they are the same, or too different."""

    @property
    def is_same(self) -> bool:
        return self.first is not None and self.other is not None and self.edits is None


class TextPair(NamedTuple):
    """Two sessions of a group, message by message."""

    first: Entry
    other: Member
    pairs: tuple[MessagePair, ...]
    left_out: int = 0
    """How many messages were not compared."""


def compare_texts(library: Library, first: Entry, other: Member) -> TextPair:
    """Return what is visible of two sessions, with the differences in each message."""
    found = []
    for entry in (first, other.entry):
        with library.open(entry.id, read_only=True) as session:
            found.append(list(session.conversation.visible))
    left, right = (some[:MOST_COMPARED] for some in found)
    texts = [[(one.role, one.search_text) for one in some] for some in (left, right)]
    pairs: list[MessagePair] = []
    matcher = SequenceMatcher(None, texts[0], texts[1], autojunk=False)
    for kind, start, stop, at, end in matcher.get_opcodes():
        for one, two in zip_longest(left[start:stop], right[at:end]):
            is_same = kind == "equal"
            pairs += [MessagePair(one, two)] if is_same else _edited(one, two, len(pairs))
    return TextPair(first, other, tuple(pairs), max(map(len, found)) - max(map(len, texts)))


def _edited(one: Message | None, two: Message | None, number: int) -> list[MessagePair]:
    """Return two messages with what differs; of other roles or far apart, one after the other."""
    if one is not None and two is not None and one.role == two.role and number < MOST_EDITED:
        changes = edits(one.search_text, two.search_text)
        if changes is not None:
            return [MessagePair(one, two, tuple(changes))]
    rows = [MessagePair(one, None)] if one is not None else []
    return [*rows, MessagePair(None, two)] if two is not None else rows


def extra(found: Duplicates, left_out: Collection[int]) -> list[Entry]:
    """Return all but the first of each group that is not left out."""
    groups: list[DuplicateGroup] = [
        one for at, one in enumerate(found.groups) if at not in left_out
    ]
    return [entry for group in groups for entry in group.extra]


def settle_duplicates(library: Library, entries: Sequence[Entry], action: str) -> Done:
    """Do with the extra ones what was chosen, as one step."""
    match action:
        case "tag":
            made = retag(library, entries, [TAG], [])
        case "trash":
            return delete(library, entries)
        case _:
            made = describe(library, entries, {"status": "rejected"})
    word = "Rejected" if action == "reject" else f"Tagged {TAG}:"
    toast = done(f"{word} {plural(len(made.changed), 'session')}", "", ("u", "undoes it"))
    return made._replace(toast=made.toast or toast)


# Recipes and policies over many sessions: what each would come to, and doing it.


class RecipeOrPolicy(NamedTuple):
    """What can be applied: a recipe, or a policy, which acts only where it is due."""

    file: RecipeFile
    is_policy: bool

    @property
    def title(self) -> str:
        return f"{self.file.name} ({'policy' if self.is_policy else 'recipe'})"

    def load(self) -> Recipe | Policy:
        return load_policy(self.file.path) if self.is_policy else load_recipe(self.file.path)


def recipes_and_policies() -> list[RecipeOrPolicy]:
    """Return the recipes and policies there are."""
    return [
        *(RecipeOrPolicy(one, False) for one in list_recipes()),
        *(RecipeOrPolicy(one, True) for one in list_policies()),
    ]


def recipe_or_policy_at(path: Path) -> RecipeOrPolicy:
    """Return what is in a file: a list of operations is a recipe, anything else a policy."""
    file = RecipeFile(path, "file")
    try:
        load_recipe(path)
    except Refused:
        load_policy(path)  # Refused if it is no policy either.
        return RecipeOrPolicy(file, True)
    return RecipeOrPolicy(file, False)


def act_on(loaded: Recipe | Policy, conversation: Conversation) -> tuple[Result, ...]:
    """Apply something to a conversation; a recipe is all or nothing, so is a policy here.

    Where nothing would be sent differently, nothing is done: no session gets an empty batch.
    """
    if not isinstance(loaded, Policy):
        result = conversation.apply_plan(lambda _: loaded)
        return () if result is None else (result,)
    if len(loaded.stages) > 1:  # Each would be kept where a later one is refused.
        _before_call(loaded, conversation.copy())
    return _before_call(loaded, conversation)


def _before_call(policy: Policy, conversation: Conversation) -> tuple[Result, ...]:
    acted = policy.before_call(conversation)
    if acted.refused:
        raise Refused(acted.refused[0].reason, field="policy", legal="stages that can act")
    return acted.results


class Size(NamedTuple):
    """How large a conversation is, and what lint says of it."""

    messages: int
    tokens: int
    errors: int
    warnings: int

    @classmethod
    def of(cls, conversation: Conversation) -> Size:
        found = assess(conversation.moment)
        total = conversation.tokens.total
        return cls(len(conversation.view), total, found.error_count, found.warning_count)


class SessionTrial(NamedTuple):
    """What would become of a session; ``problem`` says why nothing can."""

    entry: Entry
    before: Size | None = None
    after: Size | None = None
    changes: bool = False
    problem: str = ""


class Trials(NamedTuple):
    """What would become of all sessions."""

    trials: tuple[SessionTrial, ...] = ()

    @property
    def changing(self) -> list[SessionTrial]:
        return [one for one in self.trials if one.changes]

    @property
    def refused(self) -> list[SessionTrial]:
        return [one for one in self.trials if one.problem]


def try_all(
    library: Library, entries: Sequence[Entry], loaded: Recipe | Policy, watch: TaskProgress
) -> Trials:
    """Return what would become of each session; nothing is changed on disk."""
    found = []
    for number, entry in enumerate(entries):
        watch.step(number / len(entries))
        try:
            with library.open(entry.id, read_only=True) as session:
                found.append(_tried(session, entry, loaded))
        except Exception as problem:
            found.append(SessionTrial(entry, problem=sentence_of(problem)))
    return Trials(tuple(found))


def _tried(session: Session, entry: Entry, loaded: Recipe | Policy) -> SessionTrial:
    """Try it on a conversation that was read for this alone."""
    talk = session.conversation
    before, records = Size.of(talk), len(talk.journal)
    try:
        act_on(loaded, talk)
    except Refused as refusal:
        return SessionTrial(entry, before, problem=str(refusal))
    return SessionTrial(entry, before, Size.of(talk), len(talk.journal) > records)


def apply_all(
    library: Library,
    entries: Sequence[Entry],
    chosen: RecipeOrPolicy,
    loaded: Recipe | Policy,
    watch: TaskProgress,
) -> Done:
    """Apply it to sessions, each as a whole, as one step."""
    bulk = change_many(library, entries, partial(_act, loaded), watch)
    toast = done(
        f"Applied {chosen.file.name} to {plural(len(bulk.changed), 'session')}",
        "",
        ("u", "undoes it"),
    )
    return bulk.done(library, toast, "applied")


def _act(loaded: Recipe | Policy, session: Session) -> None:
    act_on(loaded, session.conversation)
