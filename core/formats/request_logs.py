"""Logs of gateways and tracers: every request to a model with its answer, whatever else they say.

What a log says beyond the messages, the tools and the figures of a request is stored with its call.
Messages in another dialect than a provider's are sent as chat.
"""

from __future__ import annotations

import base64
import binascii
import json
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..engine.messages import Message
from ..errors import Refused, wrong_type
from ..requests.exchange import SUCCESS, Exchange, Kind, kind_of_path
from .anthropic import Anthropic
from .base import Format, JsonFormat, Loaded, ReadOnly
from .bedrock import Bedrock, are_parts, read_converse, read_tools
from .bodies import assembled
from .detection import detect_kind
from .fields import is_object, read_timestamp
from .format_metadata import without
from .gemini import Gemini
from .json_text import parsed
from .langchain import LangChain
from .openai import TOOLS, read_chat, write_chat
from .request_codecs import number
from .requests import kind_of_body, read_threads
from .responses import Responses
from .source import Source
from .traced_messages import MessageReader
from .warnings import kind_name

Row = dict[str, Any]
Found = Iterator[tuple[int, Exchange | Refused]]
USAGE = {
    "prompt_tokens": ("input", "input_tokens", "prompt_tokens"),
    "completion_tokens": ("output", "output_tokens", "completion_tokens"),
}
CACHED = ("input_cached_tokens", "input_cache_read", "cache_read_input_tokens")


class LoggedRequest(NamedTuple):
    """One request of a log, with messages of core."""

    sent: Sequence[Message]
    answer: Sequence[Message] = ()
    model: str | None = None
    tools: Sequence[Any] = ()
    usage: Mapping[str, Any] = {}
    time: int | None = None
    tag: str | None = None
    id: str | None = None
    rest: Mapping[str, Any] = {}
    given: Sequence[Any] = ()
    """The messages as the log has them, which are kept where chat can't say all of them."""

    def exchange(self) -> Exchange:
        """Return it as a chat completion."""
        model = {"model": self.model} if self.model else {}
        asked, adapted = write_chat(enumerate(self.sent))
        rows, adapted_too = write_chat(enumerate(self.answer))
        request: Row = {**model, "messages": asked}
        if self.tools:
            request["tools"] = list(self.tools)
        rest = dict(self.rest)
        if self.given and (adapted or adapted_too):
            rest["given"] = list(self.given)
        choices = [{"index": at, "message": row} for at, row in enumerate(rows)]
        response: Row = {"id": self.id, **model, "object": "chat.completion", "choices": choices}
        if self.usage:
            response["usage"] = dict(self.usage)
        return Exchange(
            request=request,
            response=response if choices or self.usage else None,
            kind="chat",
            time=self.time,
            tag=self.tag,
            envelope=rest or None,
        )


def chat_usage(found: object) -> Row:
    """Return figures under any of their usual names as chat completions have them."""
    counts: dict[str, int] = {}
    for name, keys in USAGE.items():
        for key in keys:
            if (count := _count(found, key)) is not None:
                counts.setdefault(name, count)
    cached = next((n for key in CACHED if (n := _count(found, key))), None)
    return {**counts, **({"prompt_tokens_details": {"cached_tokens": cached}} if cached else {})}


def _count(found: object, key: str) -> int | None:
    return number(found, key) if isinstance(found, Mapping) else None


def core_messages(value: object) -> list[Message]:
    """Return the messages of a list in any dialect, of one alone, or of a text."""
    given = as_value(value)
    if isinstance(given, str):
        return list(read_chat([{"role": "user", "content": given}])[0]) if given else []
    if is_object(given) and isinstance(given.get("messages"), list):
        given = given["messages"]
    rows = given if isinstance(given, list) else [given]
    if len(rows) == 1 and isinstance(rows[0], list):
        rows = rows[0]
    rows = [_hoisted(row) for row in rows]
    if not rows:
        return []
    if any(_is_traced(row) for row in rows):
        return MessageReader().read(rows)
    reader = READERS.get(detect_kind(rows) or "")
    if reader is None:
        return list(read_chat(rows)[0])
    return list(reader.read_one(rows).conversation.log)


READERS: dict[str, JsonFormat] = {
    kind: known
    for known in (LangChain(), Anthropic(), Responses(), Gemini(), Bedrock())
    for kind in known.kinds
}
"""What reads messages of other dialects than chat, by their kind."""


def as_value(value: object) -> Any:
    """Return what a text says as JSON, or the value itself."""
    return parsed(value)[1] if isinstance(value, str) and value[:1] in ("{", "[") else value


def _is_traced(row: object) -> bool:
    """Return whether a message has parts as OpenTelemetry has them."""
    parts = row.get("parts") if is_object(row) else None
    return isinstance(parts, list) and any(
        is_object(part) and ("content" in part or part.get("type") in TRACED) for part in parts
    )


TRACED = ("tool_call", "tool_call_response")


def _hoisted(row: object) -> object:
    """Return a chat message with the calls that LangChain puts beside them."""
    extra = row.get("additional_kwargs") if is_object(row) and "role" in row else None
    calls = extra.get("tool_calls") if is_object(extra) else None
    if not is_object(row) or not isinstance(calls, list):
        return row
    return {**without(row, "additional_kwargs"), "tool_calls": row.get("tool_calls") or calls}


class RequestLog(ReadOnly, Format):
    """A log of requests; each thread is a conversation with a call for each request."""

    def read(self, source: Source) -> Iterator[Loaded]:
        yield from read_threads(self.name, source, self.exchanges, is_log=True)

    def exchanges(self, source: Source) -> Found:
        """Yield the requests of a source in the order of time, or why one can't be read."""
        found: list[tuple[int, int, Exchange | Refused]] = []
        for place, value in self.entries(source):
            try:
                made = list(self.take(value))
            except Refused as refusal:
                found.append((0, place, refusal))
            else:
                found += [(one.time or 0, place, one) for one in made]
        for _, place, one in sorted(found, key=lambda row: row[0]):
            yield place, one

    def entries(self, source: Source) -> Iterator[tuple[int, Any]]:
        """Yield what may be requests, each with the number of its record."""
        return ((place, value) for place, value in source.rows())

    @abstractmethod
    def take(self, value: Mapping[str, Any]) -> Iterator[Exchange]:
        """Yield the requests of one entry, none where it has none."""


class LiteLLM(RequestLog):
    """Payloads that LiteLLM hands to loggers, and logs of single completions."""

    name = "litellm"
    about = "LiteLLM logging payloads or completion logs"
    kinds = ("LiteLLM logs",)
    sure_signs = (
        {"call_type": str, "messages": object, "response": object},
        {"latency_sec": object, "messages": list, "response": dict},
        {"args": object, "messages": list, "response": {"choices": list}},
        {"kwargs": dict, "messages": list, "response": {"choices": list}},
    )

    def take(self, value: Mapping[str, Any]) -> Iterator[Exchange]:
        messages, response = as_value(value.get("messages")), as_value(value.get("response"))
        if isinstance(messages, str):
            messages = [{"role": "user", "content": messages}]
        if not isinstance(messages, list):
            raise Refused(
                "the messages were not stored; storing prompts is a setting of LiteLLM",
                field="messages",
            )
        asked: Row = {"messages": messages}
        used = ["messages"]
        if isinstance(value.get("model"), str):
            asked["model"] = value["model"]
            used.append("model")
        for key in ("model_parameters", "kwargs", "optional_params"):
            given = value.get(key)
            if is_object(given) and isinstance(given.get("tools"), list):
                asked = {**asked, **without(given, "messages")}
                used.append(key)
        is_answer = is_object(response)
        if is_answer:
            used.append("response")
        times = (value.get(key) for key in ("startTime", "timestamp"))
        yield Exchange(
            request=asked,
            response=response if is_answer else None,
            kind="chat",
            time=next((at for one in times if (at := read_timestamp(one)) is not None), None),
            envelope=without(value, *used) or None,
            outcome="failed" if value.get("status") == "failure" else "complete",
        )


class OpenAIBatch(RequestLog):
    """Requests of a batch, its answers, or both in one file, which are joined by their name."""

    name = "openai-batch"
    about = "OpenAI batch requests or answers"
    kinds = ("OpenAI batch requests or answers",)
    sure_signs = (
        {"custom_id": object, "body": {"messages": list}},
        {"custom_id": object, "body": {"input": object}},
        {"custom_id": object, "response": {"body": dict}},
    )

    def entries(self, source: Source) -> Iterator[tuple[int, Any]]:
        """Yield requests with their answers, in the order in which either came first."""
        joined: dict[str, tuple[int, Row]] = {}
        for place, value in source.rows():
            name = str(value.get("custom_id", place))
            first, known = joined.get(name, (place, {}))
            found = {key: one for key, one in value.items() if key not in known}
            joined[name] = first, {**known, **found}
        yield from joined.values()

    def take(self, value: Mapping[str, Any]) -> Iterator[Exchange]:
        body, response = value.get("body"), value.get("response")
        answer = response.get("body") if is_object(response) else None
        answer = answer if is_object(answer) else None
        if not is_object(body) and answer is None:
            raise wrong_type("body", body, "an object with messages")
        kind: Kind = "responses" if answer is not None and "output" in answer else "chat"
        empty: Row = {"input": []} if kind == "responses" else {"messages": []}
        asked = body if is_object(body) else empty
        path = value.get("url") if isinstance(value.get("url"), str) else ""
        status = number(response, "status_code") if is_object(response) else None
        name = value.get("custom_id")
        rest = without(value, "body", *(("response",) if answer is not None else ()))
        if is_object(response) and answer is not None:
            rest["response"] = without(response, "body")
        yield Exchange(
            request=asked,
            response=answer,
            kind=kind_of_path(str(path)) or (kind_of_body(asked) if is_object(body) else kind),
            path=str(path),
            status=status,
            time=read_timestamp(answer.get("created")) if answer is not None else None,
            tag=name if isinstance(name, str) else None,
            envelope=rest,
            outcome="complete" if status is None or status in SUCCESS else "failed",
        )


class StoredCompletions(RequestLog):
    """Answers that OpenAI has kept, without the messages that were sent."""

    name = "stored-completions"
    about = "OpenAI stored completions: answers alone"
    kinds = ("OpenAI stored completions",)
    sure_signs = ({"data": [{"object": "chat.completion"}], "object": "list"},)

    def take(self, value: Mapping[str, Any]) -> Iterator[Exchange]:
        given = value.get("data")
        for answer in given if isinstance(given, list) else [value]:
            if not is_object(answer) or not isinstance(answer.get("choices"), list):
                raise wrong_type("data", answer, "a list of completions with choices")
            id = answer.get("id")
            yield Exchange(
                {"messages": []},
                answer,
                time=read_timestamp(answer.get("created")),
                tag=id if isinstance(id, str) else None,
            )


class ClaudeTap(RequestLog):
    """Traces of claude-tap: requests and answers over HTTP or WebSocket, as they were sent."""

    name = "claude-tap"
    about = "claude-tap traces"
    kinds = ("claude-tap traces",)
    sure_signs = (
        {"upstream_base_url": object, "request": dict, "response": object},
        {"turn": int, "request": {"body": object}, "response": dict},
    )

    def take(self, value: Mapping[str, Any]) -> Iterator[Exchange]:
        request, response = value.get("request"), value.get("response")
        if not is_object(request):
            raise wrong_type("request", request, "an object with a body")
        given = [event for event in _objects(request.get("ws_events")) if _is_create(event)] or [
            body for body in (request.get("body"),) if is_object(body)
        ]
        path = str(request.get("path") or "")
        answered = response if is_object(response) else {}
        rest = {
            **without(value, "request", "response"),
            "request": without(request, *SECRET),
            "response": without(answered, *SECRET),
        }
        kind = kind_of_path(path)
        answers = _streamed(answered, kind or "responses")
        for at, body in enumerate(given):
            status = number(answered, "status")
            yield Exchange(
                request=body,
                response=answers[at] if at < len(answers) else None,
                kind=kind or kind_of_body(body),
                path=path,
                time=read_timestamp(value.get("timestamp")),
                outcome="failed" if status is not None and status >= FAILED else "complete",
                envelope=rest,
            )


FAILED = 400
SECRET = ("body", "headers", "sse_events", "ws_events")
"""What is not kept of a request and its answer: it is read, or may have keys of a provider."""


def _objects(value: object) -> list[Mapping[str, Any]]:
    return [one for one in value if is_object(one)] if isinstance(value, list) else []


def _is_create(event: Mapping[str, Any]) -> bool:
    return event.get("type") == "response.create" and "input" in event


def _streamed(answered: Mapping[str, Any], kind: Kind) -> list[Row]:
    """Return the answers of a response: its body, or what its events make."""
    body = answered.get("body")
    if is_object(body):
        return [dict(body)]
    events = [
        (str(one.get("event", "")), one.get("data")) for one in _objects(answered.get("sse_events"))
    ] or [(str(one.get("type")), one) for one in _objects(answered.get("ws_events"))]
    found: list[Row] = []
    piece: list[str] = []
    for name, data in events:
        text = data if isinstance(data, str) else json.dumps(data)
        piece.append(f"event: {name}\ndata: {text}\n\n")
        if name in ("response.completed", "response.failed", "response.incomplete"):
            found += _answer(piece, kind)
            piece = []
    return found + _answer(piece, kind)


def _answer(piece: list[str], kind: Kind) -> list[Row]:
    answer = assembled(kind, "".join(piece).encode()).answer if piece else None
    return [] if answer is None else [answer]


class LHAR(RequestLog):
    """Records of context-lens; what it has of a request are the bodies, if it kept them."""

    name = "lhar"
    about = "context-lens recordings (LHAR)"
    kinds = ("context-lens recordings",)
    sure_signs = (
        {"gen_ai": dict, "type": "entry"},
        {"lhar": {"entries": list}},
        {"trace_id": str, "type": "session", "started_at": object},
    )

    def entries(self, source: Source) -> Iterator[tuple[int, Any]]:
        head: Row = {}
        for place, value in source.rows():
            inside = value.get("lhar")
            if is_object(inside):
                head = {"session": without(inside, "entries")}
            elif value.get("type") == "session":
                head = {"session": dict(value)}
                continue
            for one in _objects(inside.get("entries")) if is_object(inside) else [value]:
                yield place, {**one, **head}
                head = {}

    def take(self, value: Mapping[str, Any]) -> Iterator[Exchange]:
        raw, http = value.get("raw"), value.get("http")
        body = as_value(raw.get("request_body")) if is_object(raw) else None
        if not is_object(body) or not is_object(raw):
            raise Refused(
                "the bodies were not recorded; CONTEXT_LENS_PRIVACY=full records them", field="raw"
            )
        answer = as_value(raw.get("response_body"))
        path = str(http.get("url") or "") if is_object(http) else ""
        source = value.get("source")
        role = source.get("agent_role") if is_object(source) else None
        yield Exchange(
            request=body,
            response=answer if is_object(answer) else None,
            kind=kind_of_path(path) or kind_of_body(body),
            path=path,
            time=read_timestamp(value.get("timestamp")),
            tag=f"{role} of {value.get('parent_span_id')}" if role == "subagent" else None,
            envelope={
                **without(value, "raw"),
                **({} if is_object(answer) or answer is None else {"response": answer}),
            },
        )


class LangSmith(RequestLog):
    """Runs of LangSmith, also as they are uploaded; only those of a model are requests."""

    name = "langsmith"
    about = "LangSmith runs"
    kinds = ("LangSmith runs",)
    sure_signs = (
        {"run_type": str, "trace_id": object},
        {"run_type": str, "dotted_order": object},
        {"post": [{"run_type": str}]},
    )

    def entries(self, source: Source) -> Iterator[tuple[int, Any]]:
        """Yield each run once, with what was told of it later."""
        runs: dict[str, tuple[int, Row]] = {}
        for place, value in source.rows():
            told = [*_objects(value.get("post")), *_objects(value.get("patch"))] or [value]
            for run in told:
                name = str(run.get("id", place))
                first, known = runs.get(name, (place, {}))
                new = {key: one for key, one in run.items() if one is not None or key not in known}
                runs[name] = first, {**known, **new}
        ordered = sorted(runs.values(), key=lambda one: str(one[1].get("dotted_order", "")))
        yield from (one for one in ordered if one[1].get("run_type") == "llm")

    def take(self, value: Mapping[str, Any]) -> Iterator[Exchange]:
        given, made = value.get("inputs"), value.get("outputs")
        rows = given.get("messages", given.get("prompts")) if is_object(given) else None
        if not isinstance(rows, list):
            raise Refused("the run has no messages", field="inputs", legal="a list of messages")
        extra = value.get("extra")
        asked = extra.get("invocation_params") if is_object(extra) else None
        tools = asked.get("tools") if is_object(asked) else None
        model = asked.get("model", asked.get("model_name")) if is_object(asked) else None
        model = model or (given.get("model") if is_object(given) else None)
        answer, usage = _generation(made)
        used = ("inputs", "outputs")
        yield LoggedRequest(
            core_messages(rows),
            core_messages([answer]) if answer is not None else [],
            model if isinstance(model, str) else None,
            tools if isinstance(tools, list) else (),
            chat_usage(value) or usage,
            read_timestamp(value.get("start_time")),
            rest={
                **without(value, *used),
                "inputs": without(given, "messages") if is_object(given) else {},
                "outputs": made,
            },
            given=rows,
        ).exchange()


def _generation(outputs: object) -> tuple[object, Row]:
    """Return the message of an answer and what was counted."""
    if not is_object(outputs):
        return None, {}
    match outputs:
        case {"generations": [[{"message": message}, *_], *_]}:
            body = message.get("kwargs", message) if is_object(message) else None
            return message, chat_usage(body.get("usage_metadata") if is_object(body) else None)
        case {"choices": [{"message": message}, *_], **rest}:
            return message, chat_usage(rest.get("usage") or rest.get("usage_metadata"))
        case {"message": message} | {"messages": [message, *_]}:
            return message, chat_usage(outputs.get("usage_metadata"))
        case {"role": str()}:
            return outputs, {}
    return None, {}


class Langfuse(RequestLog):
    """Traces of Langfuse with their observations, or observations as rows."""

    name = "langfuse"
    about = "Langfuse traces with their observations"
    kinds = ("Langfuse traces",)
    sure_signs = (
        {"observations": list, "trace": dict},
        {"traceId": str, "type": "GENERATION"},
    )

    def entries(self, source: Source) -> Iterator[tuple[int, Any]]:
        for place, value in source.rows():
            inside = value.get("observations")
            told = _objects(inside) if isinstance(inside, list) else [value]
            asked = [one for one in told if one.get("type") == "GENERATION"]
            others = [one for one in told if one.get("type") != "GENERATION"]
            for at, one in enumerate(asked):
                around = {"trace": value.get("trace"), "observations": others}
                yield place, {**one, **(around if at == 0 and inside else {})}

    def take(self, value: Mapping[str, Any]) -> Iterator[Exchange]:
        given = as_value(value.get("input"))
        rows = given.get("messages", given.get("input")) if is_object(given) else given
        rows = as_value(rows)
        if isinstance(rows, str) and rows:
            rows = [{"role": "user", "content": rows}]
        if not isinstance(rows, list) or not all(map(is_object, rows)):
            raise Refused(
                f"the input of the generation is no list of messages: {kind_name(given)}",
                field="input",
            )
        tools = [row["content"] for row in rows if _is_tool(row)]
        said = [row for row in rows if not _is_tool(row)]
        given_tools = as_value(given.get("tools")) if is_object(given) else None
        model = value.get("model")
        made = as_value(value.get("output"))
        yield LoggedRequest(
            core_messages(said),
            core_messages(made) if made else [],
            model if isinstance(model, str) else None,
            tools or (given_tools if isinstance(given_tools, list) else ()),
            chat_usage(value.get("usageDetails") or value.get("usage")),
            read_timestamp(value.get("startTime")),
            rest=without(value, "input", "output"),
            given=[*rows, made],
        ).exchange()


def _is_tool(row: Mapping[str, Any]) -> bool:
    match row:
        case {"role": "tool", "content": {"type": "function"}}:
            return True
    return False


class HTTPRecording(RequestLog):
    """Interactions with providers as tests record them."""

    name = "http-recording"
    about = "recorded HTTP interactions with a model"
    kinds = ("recorded HTTP interactions",)
    sure_signs = ({"interactions": [{"request": {"url": str}}]},)

    def entries(self, source: Source) -> Iterator[tuple[int, Any]]:
        for place, value in source.rows():
            around = without(value, "interactions")
            for at, one in enumerate(_objects(value.get("interactions"))):
                yield place, {**one, **(around if at == 0 else {})}

    def take(self, value: Mapping[str, Any]) -> Iterator[Exchange]:
        request, response = value.get("request"), value.get("response")
        body = as_value(request.get("body")) if is_object(request) else None
        if not is_object(request) or not is_object(body):
            return
        path = str(request.get("url") or "")
        given = response if is_object(response) else {}
        content = _bytes(given)
        rest = {**without(value, "request", "response"), "request": without(request, *SECRET)}
        kind = kind_of_path(path)
        if kind is None and "/converse" in path:
            yield converse_exchange(body, _converse_answer(content), None, rest)
            return
        kind = kind or kind_of_body(body)
        status = number(given, "status")
        yield Exchange(
            body,
            assembled(kind, content).answer,
            kind,
            path,
            status=status,
            envelope=rest,
            outcome="complete" if status is None or status in SUCCESS else "failed",
        )


def _bytes(given: Mapping[str, Any]) -> bytes:
    body = given.get("body")
    if given.get("bodyEncoding") == "base64" and isinstance(body, str):
        try:
            return base64.b64decode(body)
        except (binascii.Error, ValueError):
            return b""
    text = body if isinstance(body, str) else "" if body is None else json.dumps(body)
    return text.encode("utf-8", "surrogatepass")


class BedrockLog(RequestLog):
    """What Bedrock logs of each invocation, and the records of its batches."""

    name = "bedrock-log"
    about = "Bedrock invocation logs"
    kinds = ("Bedrock invocation logs",)
    sure_signs = (
        {"schemaType": "ModelInvocationLog"},
        {"modelInput": dict, "recordId": object},
    )

    def take(self, value: Mapping[str, Any]) -> Iterator[Exchange]:
        given, made = value.get("input"), value.get("output")
        body = as_value(given.get("inputBodyJson") if is_object(given) else value.get("modelInput"))
        answer = as_value(
            made.get("outputBodyJson") if is_object(made) else value.get("modelOutput")
        )
        if not is_object(body):
            raise Refused("the body was not logged", field="input", legal="inputBodyJson")
        time = read_timestamp(value.get("timestamp"))
        rest = without(value, "input", "output", "modelInput", "modelOutput")
        answered = answer if is_object(answer) else None
        if value.get("operation") in ("Converse", "ConverseStream") or _is_converse(body):
            model = value.get("modelId")
            asked = {**({"modelId": model} if isinstance(model, str) else {}), **body}
            yield converse_exchange(asked, answered, time, rest)
            return
        yield Exchange(body, answered, kind_of_body(body), time=time, envelope=rest)


def _is_converse(body: Mapping[str, Any]) -> bool:
    return any(are_parts(row.get("content")) for row in _objects(body.get("messages")))


def converse_exchange(
    body: Mapping[str, Any], answer: Mapping[str, Any] | None, time: int | None, rest: Row
) -> Exchange:
    """Return a request of Bedrock's Converse, with its answer."""
    sent = read_converse(body)
    output = answer.get("output") if answer is not None else None
    message = output.get("message") if is_object(output) else None
    usage = answer.get("usage") if answer is not None else None
    counts = {
        "prompt_tokens": number(usage, "inputTokens"),
        "completion_tokens": number(usage, "outputTokens"),
    }
    model = body.get("modelId")
    kept = without(body, "messages", "system", "modelId", "toolConfig")
    return LoggedRequest(
        sent,
        read_converse({"messages": [message]}) if is_object(message) else [],
        model if isinstance(model, str) else None,
        TOOLS.write_all(read_tools(body.get("toolConfig")))[0],
        {key: count for key, count in counts.items() if count is not None},
        time,
        rest={**rest, **({"parameters": kept} if kept else {})},
    ).exchange()


def _converse_answer(content: bytes) -> Row | None:
    """Return the answer that a stream of Bedrock's events makes."""
    if content[:1] == b"{":
        found = as_value(content.decode("utf-8", "replace"))
        return found if isinstance(found, dict) else None
    blocks: dict[int, Row] = {}
    usage: object = None
    for event in _frames(content):
        at = event.get("contentBlockIndex")
        at = at if type(at) is int else 0
        match event:
            case {"start": {"toolUse": Mapping() as use}}:
                blocks[at] = {"toolUse": {**use, "input": ""}}
            case {"delta": {"text": str(text)}}:
                block = blocks.setdefault(at, {"text": ""})
                block["text"] = block.get("text", "") + text
            case {"delta": {"toolUse": {"input": str(text)}}} if "toolUse" in blocks.get(at, {}):
                blocks[at]["toolUse"]["input"] += text
            case {"usage": Mapping() as counted}:
                usage = counted
    for block in blocks.values():
        if "toolUse" in block:
            block["toolUse"]["input"] = parsed(block["toolUse"]["input"])[1] or {}
    parts = [blocks[at] for at in sorted(blocks)]
    if not parts and usage is None:
        return None
    return {"output": {"message": {"role": "assistant", "content": parts}}, "usage": usage}


PRELUDE, CHECKSUM = 12, 4
"""Bytes before the headers of a frame, and behind what it holds."""


def _frames(content: bytes) -> Iterator[Row]:
    """Yield the JSON of each frame of an event stream."""
    while len(content) > PRELUDE:
        size = int.from_bytes(content[:4])
        headers = int.from_bytes(content[4:8])
        if size <= PRELUDE + headers or size > len(content):
            return
        found = parsed(content[PRELUDE + headers : size - CHECKSUM].decode("utf-8", "replace"))[1]
        if isinstance(found, dict):
            yield found
        content = content[size:]
