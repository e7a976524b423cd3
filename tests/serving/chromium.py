"""Drives a headless Chromium through its own protocol, which needs nothing but a socket."""

from __future__ import annotations

import asyncio
import base64
import re
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import aiohttp

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--remote-debugging-port=0", "--window-size=1300,860"),
)
ESCAPES = re.compile(r"\x1b(?:\[[0-9;?<>=$]*[A-Za-z]|\][^\x07]*\x07)")
LONGEST_SECONDS = 600.0
"""How long anything may take: longer than on the busiest machine, so that only a fault does."""
DOWNLOADS = "downloads"
"""The folder, within that of the browser, where it puts what it downloads."""


def find_chromium() -> str | None:
    """Return the browser of this machine, if there is one."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class Page:
    """A page: what it was sent, what it asked for, and a hand on its keys and mouse."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._reading = asyncio.create_task(self._read())
        self._news = asyncio.Event()
        self.shown = ""
        """Everything the terminal was told to draw, without colours."""
        self.urls: list[str] = []
        """Everything that was asked for, whoever was asked."""
        self.problems: list[str] = []

    async def _read(self) -> None:
        async for message in self._socket:
            data = message.json()
            if "id" in data:
                self._answers.pop(data["id"]).set_result(data.get("result", data))
            else:
                self._note(data["method"], data["params"])
            self._news.set()

    def _note(self, method: str, params: dict[str, Any]) -> None:
        match method:
            case "Network.webSocketFrameReceived":
                self._draw(params["response"])
            case "Network.requestWillBeSent":
                self.urls.append(params["request"]["url"])
            case "Network.webSocketCreated":
                self.urls.append(params["url"])
            case "Runtime.exceptionThrown":
                self.problems.append(str(params["exceptionDetails"]))
            case "Log.entryAdded" if params["entry"]["level"] == "error":
                self.problems.append(params["entry"]["text"])

    def _draw(self, frame: dict[str, Any]) -> None:
        if frame["opcode"] == 2:
            text = base64.b64decode(frame["payloadData"]).decode("utf-8", "replace")
            self.shown += ESCAPES.sub("", text)

    async def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Return what the browser answers."""
        id = len(self._answers) + 1 + max(self._answers, default=0)
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._answers[id] = answer
        await self._socket.send_json({"id": id, "method": method, "params": params})
        return await answer

    async def sees(self, *words: str) -> None:
        """Wait until all of these were drawn since the last time something was waited for."""
        try:
            async with asyncio.timeout(LONGEST_SECONDS):
                while not all(word in self.shown for word in words):
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            raise AssertionError(f"{words} are not in {self.shown!r}") from None
        self.shown = ""

    async def press(self, key: str) -> None:
        """Press a key that writes a character, and let it go."""
        await self.ask("Input.dispatchKeyEvent", type="keyDown", text=key, key=key)
        await self.ask("Input.dispatchKeyEvent", type="keyUp", key=key)

    async def press_named(self, *names: str) -> None:
        """Press keys that write nothing, by the names browsers have for them."""
        for name in names:
            for kind in ("rawKeyDown", "keyUp"):
                await self.ask("Input.dispatchKeyEvent", type=kind, key=name)

    async def value_of(self, expression: str) -> Any:
        """Return what an expression is worth in the page; None while the page is being loaded."""
        found = await self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        return found.get("result", {}).get("value")

    async def becomes(self, expression: str, value: object) -> None:
        """Wait until an expression is worth something in the page."""
        async with asyncio.timeout(LONGEST_SECONDS):
            while await self.value_of(expression) != value:
                await asyncio.sleep(0.05)

    async def click(self, column: int, line: int) -> None:
        """Click into a cell of the terminal."""
        size = re.search(r"[?&]width=(\d+)&height=(\d+)", " ".join(self.urls))
        assert size is not None
        box = "document.querySelector('.xterm-screen').getBoundingClientRect()"
        width, height = await self.value_of(f"[{box}.width, {box}.height]")
        place = {
            "x": (column + 0.5) * width / int(size[1]),
            "y": (line + 0.5) * height / int(size[2]),
        }
        for kind in ("mousePressed", "mouseReleased"):
            await self.ask(
                "Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **place
            )

    async def picture(self) -> bytes:
        """Return a picture of the page, as PNG."""
        return base64.b64decode((await self.ask("Page.captureScreenshot"))["data"])

    async def close(self) -> None:
        """Read no more."""
        self._reading.cancel()
        with suppress(asyncio.CancelledError):
            await self._reading


async def downloaded(folder: Path) -> Path:
    """Return the file that a browser has downloaded, when it has."""
    async with asyncio.timeout(LONGEST_SECONDS):
        while True:
            found = [path for path in (folder / DOWNLOADS).glob("*.svg") if path.stat().st_size]
            if found:
                return found[0]
            await asyncio.sleep(0.05)


@asynccontextmanager
async def opened_page(browser: str, folder: Path, url: str) -> AsyncIterator[Page]:
    """Open a page in a browser of its own."""
    process = await asyncio.create_subprocess_exec(
        *(browser, *FLAGS, f"--user-data-dir={folder}", "about:blank"),
        stderr=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL,
    )
    try:
        async with aiohttp.ClientSession() as http:
            target = await _first_page(http, await _address(process))
            async with http.ws_connect(target, max_msg_size=0) as socket:
                page = Page(socket)
                for domain in ("Page", "Runtime", "Log", "Network"):
                    await page.ask(f"{domain}.enable")
                await page.ask("Emulation.setFocusEmulationEnabled", enabled=True)
                await page.ask(
                    "Browser.setDownloadBehavior",
                    behavior="allow",
                    downloadPath=str(folder / DOWNLOADS),
                )
                await page.ask("Page.navigate", url=url)
                yield page
                await page.close()
    finally:
        process.terminate()
        await process.wait()


async def _first_page(http: aiohttp.ClientSession, address: str) -> str:
    """Return where a page listens: a browser listens before it has opened its first one."""
    async with asyncio.timeout(LONGEST_SECONDS):
        while True:
            async with http.get(f"{address}/json") as answer:
                for one in await answer.json():
                    if one["type"] == "page":
                        return str(one["webSocketDebuggerUrl"])
            await asyncio.sleep(0.05)


async def _address(process: asyncio.subprocess.Process) -> str:
    """Return where the browser listens, which it tells."""
    assert process.stderr is not None
    async with asyncio.timeout(LONGEST_SECONDS):
        while line := (await process.stderr.readline()).decode():
            found = re.search(r"ws://([^/\s]+)/", line)
            if found is not None:
                return f"http://{found[1]}"
    raise AssertionError("the browser did not start")
