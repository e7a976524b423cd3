"""Answers of each kind as their providers stream them, with parallel calls and thinking."""

from __future__ import annotations

import json
from typing import Any

from tests.capture.provider import event

USAGE = {
    "prompt_tokens": 100,
    "completion_tokens": 7,
    "total_tokens": 107,
    "prompt_tokens_details": {"cached_tokens": 64},
}


def chat(words: list[str], *, calls: int = 0, id: str = "chatcmpl-1") -> list[bytes]:
    """Return the chunks of a chat completion; pieces of its calls take turns."""
    base = {"id": id, "created": 1, "model": "m", "object": "chat.completion.chunk"}

    def chunk(delta: dict[str, Any], reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return event({**base, "choices": [choice]})

    out = [chunk({"role": "assistant", "content": ""})]
    out += [chunk({"content": word}) for word in words]
    for place in range(calls):
        function = {"name": "look", "arguments": ""}
        call = {"index": place, "id": f"call_{place}", "type": "function", "function": function}
        out.append(chunk({"tool_calls": [call]}))
    for piece in ('{"q":', ' "q%d"}'):
        for place in range(calls):
            text = piece % place if "%" in piece else piece
            call = {"index": place, "function": {"arguments": text}}
            out.append(chunk({"tool_calls": [call]}))
    out.append(chunk({}, "tool_calls" if calls else "stop"))
    out.append(event({**base, "choices": [], "usage": USAGE}))
    return [*out, event("[DONE]")]


def messages(texts: list[str], *, calls: int = 0, is_thinking: bool = False) -> list[bytes]:
    """Return the events of one of Anthropic's messages."""
    usage = {"input_tokens": 20, "cache_creation_input_tokens": 30, "cache_read_input_tokens": 50}
    start = {
        **{"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": []},
        **{"stop_reason": None, "stop_sequence": None, "usage": {**usage, "output_tokens": 1}},
    }
    out = [_named({"type": "message_start", "message": start}), _named({"type": "ping"})]
    place = 0

    def block(first: dict[str, Any], deltas: list[dict[str, Any]]) -> None:
        nonlocal place
        out.append(_named({"type": "content_block_start", "index": place, "content_block": first}))
        for delta in deltas:
            told = {"type": "content_block_delta", "index": place, "delta": delta}
            out.append(_named(told))
        out.append(_named({"type": "content_block_stop", "index": place}))
        place += 1

    if is_thinking:
        block(
            {"type": "thinking", "thinking": "", "signature": ""},
            [
                {"type": "thinking_delta", "thinking": "hmm "},
                {"type": "thinking_delta", "thinking": "so"},
                {"type": "signature_delta", "signature": "SIGNATURE=="},
            ],
        )
    block({"type": "text", "text": ""}, [{"type": "text_delta", "text": text} for text in texts])
    for number in range(calls):
        text = json.dumps({"q": f"q{number}"})
        pieces = ("", text[:3], text[3:])
        block(
            {"type": "tool_use", "id": f"toolu_{number}", "name": "look", "input": {}},
            [{"type": "input_json_delta", "partial_json": piece} for piece in pieces],
        )
    reason = "tool_use" if calls else "end_turn"
    delta = {"stop_reason": reason, "stop_sequence": None}
    out.append(_named({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 7}}))
    return [*out, _named({"type": "message_stop"})]


def responses(text: str, *, calls: int = 0) -> list[bytes]:
    """Return the events of a response, with reasoning before it."""
    items: list[dict[str, Any]] = [
        {
            **{"type": "reasoning", "id": "rs_1", "encrypted_content": "ENC=="},
            "summary": [{"type": "summary_text", "text": "thought"}],
        }
    ]
    part = {"type": "output_text", "text": text, "annotations": []}
    items.append(
        {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed"}
        | {"content": [part]}
    )
    for number in range(calls):
        call = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}"}
        items.append(call | {"name": "look", "arguments": '{"q": 1}', "status": "completed"})
    response = {
        **{"id": "resp_1", "object": "response", "created_at": 1, "model": "m", "metadata": {}},
        **{"status": "completed", "output": items, "parallel_tool_calls": True, "error": None},
        **{"tool_choice": "auto", "tools": [], "incomplete_details": None, "instructions": None},
        **{"temperature": 1.0, "top_p": 1.0},
        "usage": {
            **{"input_tokens": 100, "output_tokens": 7, "total_tokens": 107},
            "input_tokens_details": {"cached_tokens": 64, "cache_write_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 3},
        },
    }
    begun = {**response, "status": "in_progress", "output": [], "usage": None}
    told: list[dict[str, Any]] = [{"type": "response.created", "response": begun}]
    for place, item in enumerate(items):
        at = {"output_index": place, "item_id": item["id"]}
        told.append({"type": "response.output_item.added", **at, "item": _empty(item)})
        told += [{**one, **at} for one in _deltas(item)]
        told.append({"type": "response.output_item.done", **at, "item": item})
    told.append({"type": "response.completed", "response": response})
    return [_named({**one, "sequence_number": number}) for number, one in enumerate(told)]


def _empty(item: dict[str, Any]) -> dict[str, Any]:
    match item["type"]:
        case "message":
            return {**item, "content": [], "status": "in_progress"}
        case "function_call":
            return {**item, "arguments": "", "status": "in_progress"}
    return {**item, "summary": [], "encrypted_content": "PART"}


def _deltas(item: dict[str, Any]) -> list[dict[str, Any]]:
    match item:
        case {"type": "message", "content": [{"text": str(text)}]}:
            at = {"content_index": 0}
            empty = {"type": "output_text", "text": "", "annotations": []}
            name = "response.output_text.delta"
            return [
                {"type": "response.content_part.added", **at, "part": empty},
                *({"type": name, **at, "delta": d, "logprobs": []} for d in (text[:3], text[3:])),
                {"type": "response.output_text.done", **at, "text": text, "logprobs": []},
                {"type": "response.content_part.done", **at, "part": item["content"][0]},
            ]
        case {"type": "function_call", "arguments": str(text)}:
            name = "response.function_call_arguments"
            done = {"type": f"{name}.done", "arguments": text, "name": item["name"]}
            return [*({"type": f"{name}.delta", "delta": d} for d in (text[:4], text[4:])), done]
    empty = {"type": "summary_text", "text": ""}
    at = {"summary_index": 0}
    return [
        {"type": "response.reasoning_summary_part.added", **at, "part": empty},
        {"type": "response.reasoning_summary_text.delta", **at, "delta": "thought"},
        {"type": "response.reasoning_summary_text.done", **at, "text": "thought"},
    ]


def gemini(parts: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Return the chunks of one of Gemini's answers."""
    usage = {"promptTokenCount": 100, "cachedContentTokenCount": 64, "candidatesTokenCount": 5}
    out = []
    for number, some in enumerate(parts):
        is_last = number == len(parts) - 1
        content = {"role": "model", "parts": some}
        reason = {"finishReason": "STOP"} if is_last else {}
        chunk = {"candidates": [{"content": content, "index": 0, **reason}], "responseId": "r1"}
        out.append({**chunk, "modelVersion": "g", **({"usageMetadata": usage} if is_last else {})})
    return out


def ollama(words: list[str]) -> list[bytes]:
    """Return the lines of one of Ollama's answers."""
    base = {"model": "m", "created_at": "2025-01-01T00:00:00Z"}
    lines: list[dict[str, Any]] = [
        {**base, "message": {"role": "assistant", "content": word}, "done": False} for word in words
    ]
    figures = {"prompt_eval_count": 100, "eval_count": 7, "done_reason": "stop"}
    last = {"role": "assistant", "content": ""}
    lines.append({**base, "message": last, "done": True, **figures})
    return [json.dumps(line).encode() + b"\n" for line in lines]


def _named(data: dict[str, Any]) -> bytes:
    return event(data, data["type"])
