"""OpenAI Agents SDK: a session for its runs, and a filter for what every model call is sent.

Needs the extra ``openai-agents``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from agents import RunHooks
from agents.memory import SessionSettings
from agents.run import CallModelData, ModelInputData

from ..engine.messages import Message
from ..errors import Refused
from ..formats.responses import (
    INSTRUCTIONS,
    NOTES,
    RESULTS,
    GivenItem,
    read_items,
    write_items,
)
from ..formats.warnings import WarningCollector, sentence
from ..policies import Policy
from .context import ContextStore, ManagedContext, function_tool, known_usage
from .message_map import Translator, content_key, plain

Item = str | dict[str, Any]
"""An item as the Responses API takes it, or the instructions of an agent, which are a text."""


class ResponseItems(Translator[Item]):
    """Reads and writes items; what the assistant says in a row is one message."""

    def split(self, objects: Sequence[Item]) -> list[tuple[Item, ...]]:
        """Return the assistant's items together up to its next message, all others alone."""
        pieces: list[list[Item]] = []
        is_open = has_message = False
        for one in objects:
            is_message = isinstance(one, Mapping) and one.get("role") is not None
            if is_open and _is_assistants(one) and not (is_message and has_message):
                pieces[-1].append(one)
                has_message = has_message or is_message
            else:
                pieces.append([one])
                is_open, has_message = _is_assistants(one), is_message
        return [tuple(piece) for piece in pieces]

    def read(self, piece: Sequence[Item]) -> Sequence[Message]:
        """Return the message of some items, or the system message that instructions are."""
        if isinstance(piece[0], str):
            note = NOTES.entry({"place": INSTRUCTIONS})
            content: Any = piece[0] or [{"type": "text", "text": ""}]
            return [Message.from_dict({"role": "system", "content": content, **note})]
        warnings = WarningCollector("item")
        given = [GivenItem(plain(item), place) for place, item in enumerate(piece)]
        messages, bad = read_items(given, warnings)
        if bad:
            raise Refused(sentence(warnings.found()[0]), "items")
        return messages

    def write(self, message: Message, raw: int) -> Sequence[Item]:
        if NOTES.of(message.metadata).get("place") == INSTRUCTIONS:
            return [message.text]
        return [made.item for made in write_items(message, raw)]


def _is_assistants(item: Item) -> bool:
    if isinstance(item, str) or item.get("type") in RESULTS:
        return False
    return bool(item.get("role", "assistant") == "assistant")


class ContextSession:
    """A session of the SDK that is stored as a conversation, and the filter that manages it.

    As ``session`` it gives a run what is visible, and adds what is new; ``filter`` lets the policy
    act before every model call and records the call. Either can be used without the other. With
    ``hooks`` in a run, calls are recorded with what they cost.
    """

    session_settings: SessionSettings | None = None

    def __init__(self, policy: Policy, place: ContextStore) -> None:
        self.context = ManagedContext(policy, place, ResponseItems())
        kept = self.context.session
        self.session_id = "context" if kept is None else kept.id
        self._saved = 0
        self._ahead: list[Item] = []
        self._hooks: CallHooks | None = None
        self._is_filtered = False

    @property
    def filter(self) -> Callable[[CallModelData[Any]], ModelInputData]:
        """Return the ``call_model_input_filter`` of a run; from now on the policy acts there."""
        self._is_filtered = True
        return self._filter

    @property
    def hooks(self) -> RunHooks[Any]:
        """Return the ``hooks`` of a run; from now on a call is recorded once it is answered."""
        if self._hooks is None:
            self._hooks = CallHooks(self.context)
        return self._hooks

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """Return what is visible, or only the last items of it.

        The policy acts first unless the filter lets it act, which has the question as well.
        """
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        if self._is_filtered:
            self.context.flush_call()
            shown = self.context.message_map.visible()
        else:
            shown = self.context.projected()
        items = _items(shown)
        items = items if limit is None else items[max(len(items) - limit, 0) :]
        self._saved, self._ahead = len(items), []
        return items

    async def add_items(self, items: list[Any]) -> None:
        """Append what is new: a model may have been sent an item before the SDK saves it."""
        new = [item for item in items if not self._was_sent(item)]
        self._saved += len(items)
        if new:
            self.context.flush_call()
            self.context.message_map.add(new)
        self.context.sync()

    def _was_sent(self, item: Item) -> bool:
        if not self._ahead or _content(item) != _content(self._ahead[0]):
            return False
        del self._ahead[0]
        return True

    async def pop_item(self) -> Any | None:
        self.context.flush_call()
        shown = self.context.message_map.visible()
        if not shown or isinstance(shown[-1], str):
            return None
        self.context.message_map.follow(shown[:-1])
        self._saved, self._ahead = max(self._saved - 1, 0), []
        self.context.sync()
        return shown[-1]

    async def clear_session(self) -> None:
        self.context.flush_call()
        self.context.message_map.clear()
        self._saved, self._ahead = 0, []
        self.context.sync()

    def _filter(self, data: CallModelData[Any]) -> ModelInputData:
        """Let the policy act, and return what a call is sent."""
        given = data.model_data
        prompt = [] if given.instructions is None else [given.instructions]
        sent = self.context.before_call([*prompt, *given.input])
        self._ahead = list(given.input[self._saved :])
        note = self.context.record_call if self._hooks is None else self.context.begin_call
        note(**_described(data.agent))
        prompts = [one for one in sent if isinstance(one, str)]
        instructions = "\n\n".join(prompts) if prompts else None
        return ModelInputData(input=_items(sent), instructions=instructions)


class CallHooks(RunHooks[Any]):
    """Notes what each call of a run cost, once its answer is there."""

    def __init__(self, context: ManagedContext[Item]) -> None:
        self._context = context

    async def on_llm_end(self, context: Any, agent: Any, response: Any) -> None:
        self._context.flush_call(usage=_usage(response.usage), request=response.response_id or None)


def _usage(usage: Any) -> dict[str, int] | None:
    """Return what a call cost; a model that does not report it counts nothing at all."""
    if not (usage.input_tokens or usage.output_tokens):
        return None
    details = usage.input_tokens_details
    return known_usage(
        input=usage.input_tokens,
        cached=getattr(details, "cached_tokens", None),
        written=getattr(details, "cache_write_tokens", None),
        output=usage.output_tokens,
    )


def _items(objects: Sequence[Item]) -> list[Any]:
    return [one for one in objects if not isinstance(one, str)]


def _content(item: Item) -> object:
    try:
        return content_key(ResponseItems().read([item]))
    except Refused:
        return plain(item)


def _described(agent: Any) -> dict[str, Any]:
    model = agent.model if isinstance(agent.model, str) else getattr(agent.model, "model", None)
    settings = agent.model_settings
    given = {
        one.name: value
        for one in (fields(settings) if is_dataclass(settings) else ())
        if (value := getattr(settings, one.name)) is not None
    }
    tools = [
        function_tool(
            tool.name,
            getattr(tool, "description", None),
            getattr(tool, "params_json_schema", None),
        )
        for tool in agent.tools
    ]
    return {
        "model": model if isinstance(model, str) else None,
        "tools": tools,
        "parameters": plain(given) or None,
    }
