"""Runs a context strategy in its own environment; spoken to over a pipe, line by line as JSON.

This file is handed over to another Python, where ctxtui is not installed: it imports the standard
library, and a framework only where the strategy is an object of it. Every message travels with a
key. What comes back for a call is a list: a key for a message that was not touched, ``{"key",
"message"}`` for one that was rewritten, and ``{"message"}`` for one that was made.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import copy
import importlib
import importlib.util
import inspect
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

Row = dict[str, Any]

QUIET = {
    "LANGSMITH_TRACING": "false",
    "LANGCHAIN_TRACING_V2": "false",
    "OPENAI_AGENTS_DISABLE_TRACING": "1",
    "OPENHANDS_SUPPRESS_BANNER": "1",
    "OTEL_SDK_DISABLED": "true",
    "AGNO_TELEMETRY": "false",
    "DO_NOT_TRACK": "1",
}
KEY = "ctxtui_key"


class UnfitError(Exception):
    """What was named is no strategy that is known here."""


def load(named: str) -> Any:
    """Return the object of ``MODULE:NAME`` or ``FILE.py:NAME``, called if it has arguments."""
    source, _, name = named.partition(":")
    call = ast.parse(name, mode="eval").body
    arguments: list[Any] = []
    keywords: dict[str, Any] = {}
    if isinstance(call, ast.Call):
        arguments = [ast.literal_eval(one) for one in call.args]
        keywords = {str(one.arg): ast.literal_eval(one.value) for one in call.keywords}
        name = ast.unparse(call.func)
    if source.endswith(".py"):
        path = Path(source)
        sys.path.insert(0, str(path.resolve().parent))
        spec = importlib.util.spec_from_file_location(path.stem, path)
        if spec is None or spec.loader is None or not path.is_file():
            raise UnfitError(f"{source}: there is no such file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = module
        spec.loader.exec_module(module)
    else:
        sys.path.insert(0, str(Path.cwd()))
        module = importlib.import_module(source)
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            raise UnfitError(f"{source} has no {name}")
        found = getattr(found, part)
    is_made = isinstance(call, ast.Call)
    if is_made or inspect.isclass(found):
        found = found(*arguments, **keywords)
    elif inspect.isfunction(found) and not inspect.signature(found).parameters:
        found = found()
    return found


def text_of(row: Row) -> str:
    """Return the text of a message, or of an item."""
    content = row.get("content")
    if isinstance(content, str):
        return content
    blocks = content or []
    return "\n".join(one.get("text", "") for one in blocks if isinstance(one, dict))


class HostedStrategy:
    """Hands messages to a strategy; ``fresh`` ones get the whole run every time."""

    kind = "function"
    has_state = True

    def __init__(self, strategy: Any, opened: Row) -> None:
        self.strategy = strategy
        self.opened = opened
        self.loop = asyncio.new_event_loop()
        self.keep: list[Row] = []
        self.rows: list[Row] = []
        self.known: dict[str, Row] = {}

    def wait(self, found: Any) -> Any:
        """Return a result, awaited if it has to be."""
        return self.loop.run_until_complete(found) if inspect.isawaitable(found) else found

    def tokens(self, row: Row) -> int:
        """Return the tokens of a message as they are counted for the whole run, or bytes / 4."""
        known = self.known.get(row.get(KEY, ""))
        if known is not None and same(known, row):
            return int(known["tokens"])
        calls = json.dumps(row.get("tool_calls", ""), ensure_ascii=False)
        return -(-len((text_of(row) + calls).encode()) // 4)

    def noted(self, new: list[Row]) -> list[Row]:
        """Return new messages with their keys, and keep them."""
        rows = [{**one["message"], KEY: one["key"]} for one in new]
        for row, one in zip(rows, new, strict=True):
            self.known[one["key"]] = {**row, "tokens": one["tokens"]}
        self.rows += rows
        return rows

    def answered(self, sent: list[Row]) -> list[Any]:
        """Return what is sent as the pipe carries it."""
        return [self.told(row) for row in sent]

    def call(self, new: list[Row]) -> list[Any]:
        """Return what is sent now that some messages are new."""
        self.keep += self.noted(new)
        given = self.rows if self.opened["state"] == "fresh" else self.keep
        sent = self.send(copy.deepcopy(given))
        self.keep = sent
        return [self.told(row) for row in sent]

    def send(self, rows: list[Row]) -> list[Row]:
        """Return what would be sent; a plain function neither sees keys nor has to keep them."""
        bare = [{key: value for key, value in row.items() if key != KEY} for row in rows]
        known = {id(row): held[KEY] for row, held in zip(bare, rows, strict=True) if KEY in held}
        found = self.wait(self.strategy(list(bare)))
        if not isinstance(found, (list, tuple)) or not all(isinstance(x, dict) for x in found):
            raise UnfitError(f"it returned {type(found).__name__}, not a list of message dicts")
        return matched(list(found), known, rows)

    def told(self, row: Row) -> Any:
        key = row.get(KEY)
        bare = {name: value for name, value in row.items() if name != KEY}
        if key is None or key not in self.known:
            return {"message": bare}
        return key if same(self.known[key], row) else {"key": key, "message": bare}


def same(known: Row, row: Row) -> bool:
    """Return whether a provider would read two messages alike."""
    if known.get("role") != row.get("role") or text_of(known) != text_of(row):
        return False
    if known.get("tool_call_id") != row.get("tool_call_id"):
        return False
    return calls_of(known) == calls_of(row)


def calls_of(row: Row) -> list[Any]:
    """Return what a message calls: ids, names and arguments, read where they are text."""
    found = []
    for call in row.get("tool_calls") or []:
        function = call.get("function", {})
        given = function.get("arguments")
        with contextlib.suppress(ValueError):
            given = json.loads(given) if isinstance(given, str) else given
        found.append((call.get("id"), function.get("name"), given))
    return found


def matched(found: list[Row], known: dict[int, str], rows: list[Row]) -> list[Row]:
    """Give messages their keys: by identity, else by their content, in order, else by their id."""
    result = [dict(row) for row in found]
    taken = set()
    for row, original in zip(result, found, strict=True):
        row.pop(KEY, None)
        key = known.get(id(original))
        if key is not None and key not in taken:
            row[KEY] = key
            taken.add(key)
    left = [row for row in rows if row.get(KEY) not in taken]
    place = 0
    for row in result:
        if KEY in row:
            continue
        for at in [*range(place, len(left)), *range(place)]:
            if left[at].get(KEY) not in taken and same(left[at], row):
                if KEY in left[at]:
                    row[KEY] = left[at][KEY]
                    taken.add(left[at][KEY])
                place = at + 1
                break
    by_id = {row["tool_call_id"]: row for row in left if row.get("tool_call_id")}
    by_calls = {json.dumps(calls_of(row)[0][0]): row for row in left if row.get("tool_calls")}
    for row in result:
        if KEY not in row:
            first = calls_of(row)[:1]
            twin = by_id.get(row.get("tool_call_id")) if row.get("role") == "tool" else None
            twin = twin or (by_calls.get(json.dumps(first[0][0])) if first else None)
            if twin is not None and KEY in twin and twin[KEY] not in taken:
                row[KEY] = twin[KEY]
                taken.add(twin[KEY])
    return result


def arguments_of(call: Row) -> Row:
    """Return the arguments of a tool call as an object."""
    given = call["function"].get("arguments") or {}
    try:
        read = json.loads(given) if isinstance(given, str) else given
    except ValueError:
        read = {"text": given}
    return read if isinstance(read, dict) else {"value": read}


def chat_call(key: str, name: str, given: Any) -> Row:
    """Return a tool call as a chat message has it."""
    text = given if isinstance(given, str) else json.dumps(given or {}, ensure_ascii=False)
    return {"id": key, "type": "function", "function": {"name": name, "arguments": text}}


class HostedObjects(HostedStrategy):
    """A strategy that sees a framework's own messages; ``read`` and ``write`` translate them."""

    def read(self, rows: list[Row]) -> list[Any]:
        raise NotImplementedError

    def write(self, messages: list[Any]) -> list[Row]:
        raise NotImplementedError

    def act(self, messages: list[Any]) -> list[Any]:
        raise NotImplementedError

    def send(self, rows: list[Row]) -> list[Row]:
        return self.keyed(self.write(self.act(self.read(rows))), rows)

    def keyed(self, sent: list[Row], rows: list[Row]) -> list[Row]:
        """Give what was sent its keys: those that travelled along, the others by content."""
        done = {row[KEY] for row in sent if row.get(KEY) in self.known}
        open_rows = [row for row in sent if row.get(KEY) not in self.known]
        left = [row for row in rows if row.get(KEY) not in done]
        found = iter(matched(open_rows, {}, left))
        return [row if row.get(KEY) in self.known else next(found) for row in sent]


class HostedEdit(HostedObjects):
    """LangChain: edits of ``ContextEditingMiddleware`` and middleware itself."""

    kind = "LangChain edit"
    has_state = False

    def read(self, rows: list[Row]) -> list[Any]:
        from langchain_core.messages import convert_to_messages

        messages = convert_to_messages(
            [{key: value for key, value in row.items() if key != KEY} for row in rows]
        )
        for message, row in zip(messages, rows, strict=True):
            message.id = row.get(KEY) or message.id
        return list(messages)

    def write(self, messages: list[Any]) -> list[Row]:
        from langchain_core.messages import convert_to_openai_messages

        return [{**convert_to_openai_messages(message), KEY: message.id} for message in messages]

    def count(self, messages: Any) -> int:
        return sum(self.tokens(row) for row in self.write(list(messages)))

    def act(self, messages: list[Any]) -> list[Any]:
        said = [one for one in messages if one.type != "system"]  # An agent keeps it elsewhere.
        self.strategy.apply(said, count_tokens=self.count)
        return [*(one for one in messages if one.type == "system"), *said]


class HostedMiddleware(HostedEdit):
    """LangChain: middleware, before the model is called and around the call, with its state."""

    kind = "LangChain middleware"
    has_state = True

    def __init__(self, strategy: Any, opened: Row) -> None:
        super().__init__(strategy, opened)
        self.state: Row = {"messages": []}
        self.system: list[Any] = []
        if hasattr(strategy, "token_counter"):
            strategy.token_counter = self.count

    def call(self, new: list[Row]) -> list[Any]:
        from langchain.agents.middleware.types import ModelRequest
        from langgraph.graph.message import add_messages

        added = self.read(self.noted(new))
        self.system += [one for one in added if one.type == "system"]
        said = [one for one in added if one.type != "system"]
        self.state["messages"] = add_messages(self.state["messages"], said)
        self.update(self.overridden("before_model", self.state, None), add_messages)
        messages = copy.deepcopy(self.state["messages"])
        system = self.system[-1] if self.system else None
        request = ModelRequest(
            model=None, messages=messages, system_message=system, tools=[], state=self.state
        )
        seen: list[Any] = [request]

        def handler(asked: Any) -> Any:
            from langchain.agents.middleware.types import ModelResponse
            from langchain_core.messages import AIMessage

            seen[0] = asked
            return ModelResponse(result=[AIMessage("recorded")])

        self.overridden("wrap_model_call", request, handler)
        sent = seen[0]
        first = [sent.system_message] if sent.system_message is not None else []
        written = self.write([*first, *sent.messages])
        return [self.told(row) for row in self.keyed(written, self.rows)]

    def overridden(self, name: str, *given: Any) -> Any:
        """Call a hook, in its asynchronous form if only that is there."""
        for one in (name, f"a{name}"):
            method = getattr(self.strategy, one, None)
            own = getattr(type(self.strategy), one, None)
            if method is not None and getattr(own, "__module__", "").split(".")[-1] != "types":
                return self.wait(method(*given))
        return None

    def update(self, changes: Any, add_messages: Callable[..., Any]) -> None:
        for key, value in (changes or {}).items():
            known = self.state.get(key)
            self.state[key] = add_messages(known, value) if key == "messages" else value


class HostedProcessor(HostedObjects):
    """Pydantic AI: a history processor."""

    kind = "Pydantic AI history processor"

    def read(self, rows: list[Row]) -> list[Any]:
        from pydantic_ai import messages as m

        found: list[Any] = []
        names: dict[str, str] = {}
        for row in rows:
            text, role = text_of(row), row.get("role")
            if role == "assistant":
                calls = row.get("tool_calls") or []
                names.update({one["id"]: one["function"]["name"] for one in calls})
                parts: list[Any] = [m.TextPart(text)] if text or not calls else []
                parts += [
                    m.ToolCallPart(one["function"]["name"], arguments_of(one), one["id"])
                    for one in calls
                ]
                found.append(m.ModelResponse(parts=parts))
                continue
            if role == "tool":
                key = row.get("tool_call_id", "")
                part: Any = m.ToolReturnPart(names.get(key, "tool"), text, key)
            else:
                kind = m.SystemPromptPart if role in ("system", "developer") else m.UserPromptPart
                part = kind(text)
            if found and isinstance(found[-1], m.ModelRequest):
                found[-1].parts.append(part)
            else:
                found.append(m.ModelRequest(parts=[part]))
        return found

    def write(self, messages: list[Any]) -> list[Row]:
        rows: list[Row] = []
        for message in messages:
            if message.kind == "response":
                texts = [one.content for one in message.parts if one.part_kind == "text"]
                calls = [
                    chat_call(one.tool_call_id, one.tool_name, one.args)
                    for one in message.parts
                    if one.part_kind == "tool-call"
                ]
                row: Row = {"role": "assistant", "content": "\n".join(texts)}
                rows.append({**row, "tool_calls": calls} if calls else row)
                continue
            for part in message.parts:
                rows.append(self.row_of(part))
        return rows

    def row_of(self, part: Any) -> Row:
        role = {"system-prompt": "system", "tool-return": "tool"}.get(part.part_kind, "user")
        content = part.content
        if not isinstance(content, str):
            is_list = isinstance(content, (list, tuple))
            texts = [one for one in content if isinstance(one, str)] if is_list else []
            content = "\n".join(texts) or json.dumps(content, default=str)
        row: Row = {"role": role, "content": content}
        return {**row, "tool_call_id": part.tool_call_id} if role == "tool" else row

    def act(self, messages: list[Any]) -> list[Any]:
        given: list[Any] = [messages]
        if len(inspect.signature(self.strategy).parameters) > 1:
            given.insert(0, SimpleNamespace(messages=messages, deps=None, usage=None, prompt=None))
        return list(self.wait(self.strategy(*given)))


class HostedFilter(HostedObjects):
    """openai-agents: a model input filter; items of one message carry its key."""

    kind = "OpenAI Agents input filter"
    has_state = False

    def read(self, rows: list[Row]) -> list[Any]:
        items: list[Row] = []
        for row in rows:
            key, role, text = row.get(KEY), row.get("role"), text_of(row)
            mark = {KEY: key} if key else {}
            if role == "tool":
                result = {"type": "function_call_output", "output": text}
                items.append({**result, "call_id": row.get("tool_call_id", ""), **mark})
                continue
            if text or not row.get("tool_calls"):
                items.append({"role": role, "content": text, **mark})
            for one in row.get("tool_calls") or []:
                call = one["function"]
                given = {"name": call["name"], "arguments": call["arguments"]}
                items.append({"type": "function_call", "call_id": one["id"], **given, **mark})
        return items

    def write(self, messages: list[Any]) -> list[Row]:
        rows: list[Row] = []
        for item in messages:
            key, kind = item.get(KEY), item.get("type", "message")
            mark = {KEY: key} if key else {}
            if kind == "function_call_output":
                result = {"role": "tool", "tool_call_id": item["call_id"]}
                rows.append({**result, "content": str(item["output"]), **mark})
            elif kind == "function_call":
                last = rows[-1] if rows and key and rows[-1].get(KEY) == key else None
                if last is None:
                    last = {"role": "assistant", "content": "", **mark}
                    rows.append(last)
                call = chat_call(item["call_id"], item["name"], item["arguments"])
                last.setdefault("tool_calls", []).append(call)
            else:
                rows.append({"role": item.get("role"), "content": text_of(item), **mark})
        return rows

    def act(self, messages: list[Any]) -> list[Any]:
        from agents.run_config import CallModelData, ModelInputData

        data = ModelInputData(input=messages, instructions=None)
        asked = CallModelData(model_data=data, agent=None, context=None)
        return list(self.wait(self.strategy(asked)).input)


class HostedSession(HostedFilter):
    """openai-agents: a session; its items are asked for when a turn starts, as the runner does."""

    kind = "OpenAI Agents session"
    has_state = True

    def __init__(self, strategy: Any, opened: Row) -> None:
        super().__init__(strategy, opened)
        self.system: list[Row] = []
        self.turn: list[Row] = []
        self.history: list[Row] = []

    def call(self, new: list[Row]) -> list[Any]:
        for row in self.noted(new):
            if row.get("role") == "user":
                self.wait(self.strategy.add_items(self.read(self.turn)))
                self.history = self.write(whole(list(self.wait(self.strategy.get_items()))))
                self.turn = []
            (self.system if row.get("role") == "system" else self.turn).append(row)
        sent = [*self.system, *self.history, *self.turn]
        return [self.told(row) for row in self.keyed(sent, self.rows)]


def whole(items: list[Row]) -> list[Row]:
    """Return items without calls that have no result, and results that have no call."""
    calls = {one["call_id"] for one in items if one.get("type") == "function_call"}
    results = {one["call_id"] for one in items if one.get("type") == "function_call_output"}
    return [one for one in items if "call_id" not in one or one["call_id"] in calls & results]


class HostedCompaction(HostedObjects):
    """Agent Framework: a compaction strategy; it notes on the messages what it left out."""

    kind = "Agent Framework compaction"

    def __init__(self, strategy: Any, opened: Row) -> None:
        super().__init__(strategy, opened)
        self.messages: list[Any] = []
        self.taken = 0

    def read(self, rows: list[Row]) -> list[Any]:
        from agent_framework import Content, Message

        found = []
        for row in rows:
            text = text_of(row)
            if row.get("role") == "tool":
                result = Content.from_function_result(row.get("tool_call_id", ""), result=text)
                contents: list[Any] = [result]
            else:
                calls = row.get("tool_calls") or []
                contents = [Content.from_text(text)] if text or not calls else []
                contents += [
                    Content.from_function_call(
                        one["id"], one["function"]["name"], arguments=one["function"]["arguments"]
                    )
                    for one in calls
                ]
            found.append(Message(row["role"], contents, message_id=row.get(KEY)))
        return found

    def write(self, messages: list[Any]) -> list[Row]:
        rows = []
        for message in messages:
            role = getattr(message.role, "value", message.role)
            row: Row = {"role": role, "content": message.text, KEY: message.message_id}
            for one in message.contents:
                if one.type == "function_call":
                    call = chat_call(one.call_id, one.name, one.arguments)
                    row.setdefault("tool_calls", []).append(call)
                elif one.type == "function_result":
                    row.update(tool_call_id=one.call_id, content=str(one.result))
            rows.append(row)
        return rows

    def count_tokens(self, text: str) -> int:
        return -(-len(text.encode()) // 4)

    def send(self, rows: list[Row]) -> list[Row]:
        from agent_framework import apply_compaction

        self.messages += self.read(rows[self.taken :])  # Some strategies add messages of their own.
        self.taken = len(rows)
        asked = apply_compaction(self.messages, strategy=self.strategy, tokenizer=self)
        return self.keyed(self.write(list(self.wait(asked))), rows)

    def call(self, new: list[Row]) -> list[Any]:
        self.opened["state"] = "fresh"  # The state is on the messages, so all are handed over.
        return super().call(new)


class HostedManager(HostedObjects):
    """Strands: a conversation manager; it changes the messages of an agent in place."""

    kind = "Strands conversation manager"

    def __init__(self, strategy: Any, opened: Row) -> None:
        super().__init__(strategy, opened)
        self.system: list[Row] = []
        self.agent = SimpleNamespace(
            messages=[], model=None, system_prompt=None, tool_registry=None
        )
        self.calls = 0

    def read(self, rows: list[Row]) -> list[Any]:
        found: list[Row] = []
        for row in rows:
            mark, text = {KEY: row[KEY]}, text_of(row)
            blocks: list[Row] = []
            if row.get("role") == "tool":
                result = {"toolUseId": row.get("tool_call_id", ""), "content": [{"text": text}]}
                blocks.append({"toolResult": {**result, "status": "success"}, **mark})
            elif text or not row.get("tool_calls"):
                blocks.append({"text": text, **mark})
            for one in row.get("tool_calls") or []:
                use = {"toolUseId": one["id"], "name": one["function"]["name"]}
                blocks.append({"toolUse": {**use, "input": arguments_of(one)}, **mark})
            role = "assistant" if row.get("role") == "assistant" else "user"
            is_more = (
                row.get("role") == "tool" and found and "toolResult" in found[-1]["content"][0]
            )
            if is_more:
                found[-1]["content"] += blocks
            else:
                found.append({"role": role, "content": blocks})
        return found

    def write(self, messages: list[Any]) -> list[Row]:
        rows: list[Row] = []
        for message in messages:
            for block in message["content"]:
                mark = {KEY: block[KEY]} if KEY in block else {}
                if "toolResult" in block:
                    result = block["toolResult"]
                    text = "\n".join(one.get("text", "") for one in result["content"])
                    row = {"role": "tool", "tool_call_id": result["toolUseId"], "content": text}
                    rows.append({**row, **mark})
                    continue
                if not (rows and mark and rows[-1].get(KEY) == mark[KEY]):
                    rows.append({"role": message["role"], "content": "", **mark})
                if "toolUse" in block:
                    use = block["toolUse"]
                    call = chat_call(use["toolUseId"], use["name"], use["input"])
                    rows[-1].setdefault("tool_calls", []).append(call)
                else:
                    rows[-1]["content"] += block.get("text", "")
        return rows

    def call(self, new: list[Row]) -> list[Any]:
        self.calls += 1
        waiting: list[Row] = []
        for row in self.noted(new):
            if row.get("role") == "system":
                self.system.append(row)
                continue
            if row.get("role") == "user" and (waiting or self.agent.messages):
                self.agent.messages += self.read(waiting)
                waiting = []
                self.wait(self.strategy.apply_management(self.agent))
            waiting.append(row)
        self.agent.messages += self.read(waiting)
        every = int(getattr(self.strategy, "per_turn", 0) or 0)
        if every and self.calls % every == 0:
            self.wait(self.strategy.apply_management(self.agent))
        sent = [*self.system, *self.write(self.agent.messages)]
        return [self.told(row) for row in self.keyed(sent, self.rows)]


class HostedMemory(HostedObjects):
    """LlamaIndex: a memory; messages are put in one by one and asked for at each call."""

    kind = "LlamaIndex memory"

    def __init__(self, strategy: Any, opened: Row) -> None:
        super().__init__(strategy, opened)
        self.system: list[Row] = []

    def read(self, rows: list[Row]) -> list[Any]:
        from llama_index.core.llms import ChatMessage

        found = []
        for row in rows:
            more = {key: row[key] for key in ("tool_calls", "tool_call_id") if row.get(key)}
            message = ChatMessage(role=row["role"], content=text_of(row), additional_kwargs=more)
            found.append(message)
        return found

    def write(self, messages: list[Any]) -> list[Row]:
        return [
            {
                "role": getattr(one.role, "value", one.role),
                "content": one.content or "",
                **one.additional_kwargs,
            }
            for one in messages
        ]

    def call(self, new: list[Row]) -> list[Any]:
        for row in self.noted(new):
            if row.get("role") == "system":
                self.system.append(row)
            else:
                self.wait(self.strategy.put(*self.read([row])))
        sent = [*self.system, *self.write(list(self.wait(self.strategy.get())))]
        return [self.told(row) for row in self.keyed(sent, self.rows)]


def kind_of(strategy: Any) -> type:
    """Return the adapter of a strategy, by what it has and what it says it takes."""
    origin = type(strategy).__module__.split(".")[0]
    if hasattr(strategy, "get_items") and hasattr(strategy, "add_items"):
        return HostedSession
    if hasattr(strategy, "wrap_model_call") or hasattr(strategy, "before_model"):
        return HostedMiddleware
    if hasattr(strategy, "apply") and "count_tokens" in parameters(strategy.apply):
        return HostedEdit
    if hasattr(strategy, "apply_management"):
        return HostedManager
    if hasattr(strategy, "put") and hasattr(strategy, "get"):
        return HostedMemory
    if not callable(strategy):
        raise UnfitError(f"a {type(strategy).__name__} is no strategy that is known here")
    if origin == "agent_framework" or is_agent_framework(strategy):
        return HostedCompaction
    noted = " ".join(str(one.annotation) for one in parameters(strategy).values())
    if "CallModelData" in noted:
        return HostedFilter
    if "ModelMessage" in noted or "RunContext" in noted:
        return HostedProcessor
    return HostedStrategy


def parameters(function: Any) -> Any:
    """Return what a function takes."""
    return inspect.signature(function).parameters


def is_agent_framework(strategy: Any) -> bool:
    """Return whether a strategy of the user's own says that it takes Agent Framework's messages."""
    noted = " ".join(str(one.annotation) for one in parameters(strategy).values())
    return "agent_framework" in noted or "list[Message]" in noted


def main() -> None:
    """Answer one line with one line until the input ends; what is printed goes to stderr."""
    os.environ.update(QUIET)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    host = None
    for line in sys.stdin:
        asked = json.loads(line)
        told: Row = {"error": "nothing was opened"}
        try:
            if "open" in asked:
                strategy = load(asked["open"]["strategy"])
                host = kind_of(strategy)(strategy, asked["open"])
                told = {"kind": host.kind, "hasState": host.has_state}
            elif host is not None:
                told = {"sent": host.call(asked["call"])}
        except UnfitError as unfit:
            told = {"error": str(unfit)}
        except BaseException as error:
            told = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(told, ensure_ascii=False, default=str) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
