"""The providers' own libraries through the proxy: what is recorded is what they give in the end."""

from __future__ import annotations

from typing import Any

import pytest

from ctxtui.core.formats.bodies import assembled
from ctxtui.core.requests.exchange import Kind
from tests.capture import streams
from tests.capture.conftest import Rig
from tests.capture.provider import Answering, Reply, event, streamed, whole

openai: Any = pytest.importorskip("openai")
anthropic: Any = pytest.importorskip("anthropic")
genai: Any = pytest.importorskip("google.genai")
ollama: Any = pytest.importorskip("ollama")

# The libraries leave transports behind that they never close.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
SAID = [{"role": "user", "content": "hello"}]


def answering(kind: Kind, pieces: list[bytes]) -> Answering:
    """Answer with a stream where one was asked for, and else with the same in one piece."""

    def answer(came: Any) -> Reply:
        if b'"stream":true' in came.body.replace(b" ", b"") or "stream" in came.path:
            return streamed(pieces)
        return whole(assembled(kind, b"".join(pieces)).answer)

    return answer


async def recorded(rig: Rig, count: int = 1) -> Any:
    await rig.until(count)
    assert rig.lost == []
    return rig.kept[-1].exchange.response


def same(ours: Any, theirs: Any) -> None:
    """Compare all that a library's object says with what was recorded; null says nothing."""
    assert _told(theirs.__class__.model_validate(ours).model_dump()) == _told(theirs.model_dump())


def _told(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _told(one) for key, one in value.items() if one not in (None, [], {})}
    return [_told(one) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize("calls", [0, 2])
async def test_openai_chat(rig: Rig, calls: int) -> None:
    rig.server.answering = answering("chat", streams.chat(["one ", "two"], calls=calls))
    client = openai.AsyncOpenAI(base_url=f"{rig.address}/v1", api_key="sk-0123456789abcdef")
    async with client:
        final = await client.chat.completions.create(model="m", messages=SAID)
        same(await recorded(rig), final)
        options = {"include_usage": True}
        async with client.chat.completions.stream(
            model="m", messages=SAID, stream_options=options
        ) as stream:
            async for _ in stream:
                pass
            completion = await stream.get_final_completion()
    told = completion.to_dict()
    for call in told["choices"][0]["message"]["tool_calls"] or ():
        del call["index"]  # A part of the stream, which no completion in one piece has.
    same(await recorded(rig, 2), openai.types.chat.ChatCompletion(**told))


@pytest.mark.parametrize("calls", [0, 2])
async def test_openai_responses(rig: Rig, calls: int) -> None:
    rig.server.answering = answering("responses", streams.responses("Hello there", calls=calls))
    client = openai.AsyncOpenAI(base_url=f"{rig.address}/v1", api_key="sk-0123456789abcdef")
    async with client:
        final = await client.responses.create(model="m", input="hello")
        same(await recorded(rig), final)
        async with client.responses.stream(model="m", input="hello") as stream:
            async for _ in stream:
                pass
            response = await stream.get_final_response()
    same(await recorded(rig, 2), openai.types.responses.Response(**response.to_dict()))


@pytest.mark.parametrize("calls", [0, 2])
async def test_anthropic(rig: Rig, calls: int) -> None:
    pieces = streams.messages(["He", "llo"], calls=calls, is_thinking=True)
    rig.server.answering = answering("messages", pieces)
    client = anthropic.AsyncAnthropic(base_url=rig.address, api_key="sk-0123456789abcdef")
    async with client:
        asked = {"model": "m", "messages": SAID, "max_tokens": 50}
        final = await client.messages.create(**asked)
        same(await recorded(rig), final)
        async with client.messages.stream(**asked) as stream:
            message = await stream.get_final_message()
    same(await recorded(rig, 2), anthropic.types.Message(**message.to_dict()))
    usage = rig.kept[-1].recorded.facts.usage
    assert usage == {"input": 100, "cached": 50, "written": 30, "output": 7}


async def test_a_stream_of_anthropic_that_its_user_leaves_is_cut(rig: Rig) -> None:
    pieces = streams.messages(["He", "llo"])
    rig.server.answering = lambda came: streamed(pieces[:5], cut=True)
    client = anthropic.AsyncAnthropic(
        base_url=rig.address, api_key="sk-0123456789abcdef", max_retries=0
    )
    async with client:
        with pytest.raises(Exception):  # noqa: B017, PT011 - whichever its transport raises
            async with client.messages.stream(model="m", messages=SAID, max_tokens=50) as stream:
                await stream.get_final_message()
    await rig.until(1)
    (kept,) = rig.kept
    answer: Any = kept.exchange.response
    assert (kept.exchange.outcome, answer["content"][0]["text"]) == ("cut", "Hello")


@pytest.mark.parametrize("is_streamed", [True, False])
async def test_google(rig: Rig, is_streamed: bool) -> None:
    call = {"functionCall": {"name": "look", "args": {"q": 1}}, "thoughtSignature": "U0lH"}
    parts: list[list[dict[str, Any]]] = [
        [{"text": "hmm", "thought": True}],
        [{"text": "He"}],
        [{"text": "llo"}, call],
    ]
    chunks = [event(chunk).replace(b"\n", b"\r\n") for chunk in streams.gemini(parts)]
    rig.server.answering = answering("gemini", chunks)
    client = genai.Client(
        api_key="key-0123456789abcdef", http_options={"base_url": rig.address}
    ).aio
    if is_streamed:
        got = await client.models.generate_content_stream(model="g", contents="hello")
        texts = [part.text or "" async for one in got for part in one.candidates[0].content.parts]
        answer = await recorded(rig)
        found = answer["candidates"][0]["content"]["parts"]
        assert "".join(part.get("text", "") for part in found) == "".join(texts)
        assert [part for part in found if "functionCall" in part] == [call]
    else:
        final = await client.models.generate_content(model="g", contents="hello")
        ours = genai.types.GenerateContentResponse.model_validate(await recorded(rig))
        assert ours.candidates == final.candidates
        assert ours.usage_metadata == final.usage_metadata
    await client.aclose()


@pytest.mark.parametrize("is_streamed", [True, False])
async def test_ollama(rig: Rig, is_streamed: bool) -> None:
    pieces = streams.ollama(["one ", "two"])
    rig.server.answering = answering("ollama", pieces)
    client = ollama.AsyncClient(host=rig.address)
    if is_streamed:
        got = await client.chat(model="m", messages=SAID, stream=True)
        said = "".join([one.message.content async for one in got])
        answer = await recorded(rig)
        assert answer["message"]["content"] == said == "one two"
    else:
        final = await client.chat(model="m", messages=SAID)
        assert _told(final.model_dump()) == _told(await recorded(rig))
    await client._client.aclose()  # It has no way of its own to be closed.


async def test_a_retry_of_openai_stands_beside_its_conversation(rig: Rig) -> None:
    busy = whole({"error": {"message": "busy"}}, status=503, headers={"Retry-After": "0"})
    good = whole({"id": "1", "choices": [], "created": 1, "model": "m", "object": "x"})
    rig.server.answering = lambda came: busy if len(rig.server.came) == 1 else good
    client = openai.AsyncOpenAI(base_url=f"{rig.address}/v1", api_key="sk-0123456789abcdef")
    async with client:
        await client.chat.completions.create(model="m", messages=SAID)
    await rig.until(2)
    assert [kept.recorded.thread.role for kept in rig.kept] == ["attempts", "main"]
    assert rig.kept[1].exchange.attempts == 1
