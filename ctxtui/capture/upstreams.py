"""Upstreams: where calls are passed on to, and the variables that send them here first."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from ctxtui.core.errors import Refused, format_value
from ctxtui.core.requests.exchange import kind_of_path

Name = Literal["openai", "anthropic", "google", "ollama", "azure"]
VERSION = "/v1"
"""What OpenAI's clients expect to be part of the address they are given."""
OLLAMA_PORT = 11434
SCHEMES = ("http", "https")
TAGGED = re.compile(r"/(?P<tag>[^/?]+)(?P<rest>/(?:v\d\w*|api)(?:[/?].*|$))", re.DOTALL)
"""A path with the name of a conversation in front of where paths of providers begin."""
STARTS = re.compile(r"v\d\w*|api")
NO_PROXY = ("no_proxy", "NO_PROXY")


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider: the variables its clients read, and the address they use without them.

    One that has no usual address is used only where one is set.
    """

    name: Name
    variables: tuple[str, ...]
    usual: str = ""
    suffix: str = ""


PROVIDERS = (
    Provider("openai", ("OPENAI_BASE_URL", "OPENAI_API_BASE"), "https://api.openai.com", VERSION),
    Provider(
        "anthropic",
        ("ANTHROPIC_BASE_URL", "ANTHROPIC_API_URL", "ANTHROPIC_API_BASE"),
        "https://api.anthropic.com",
    ),
    Provider("google", ("GOOGLE_GEMINI_BASE_URL",), "https://generativelanguage.googleapis.com"),
    Provider("ollama", ("OLLAMA_HOST", "OLLAMA_API_BASE"), f"http://127.0.0.1:{OLLAMA_PORT}"),
    Provider("azure", ("AZURE_OPENAI_ENDPOINT", "AZURE_API_BASE")),
)
AZURE_PATHS = "/openai/"
BY_KIND: dict[str, Name] = {
    "chat": "openai",
    "responses": "openai",
    "messages": "anthropic",
    "gemini": "google",
    "ollama": "ollama",
}


@dataclass(frozen=True, slots=True)
class Upstreams:
    """The address for each provider; ``others`` takes every call where it is given."""

    addresses: Mapping[Name, str]
    ends: Mapping[str, str]
    """How the address ends that each variable is set to."""
    others: str | None = None

    @classmethod
    def of(cls, environment: Mapping[str, str], upstream: str | None = None) -> Upstreams:
        """Return the addresses that programs would use without us, or the one that was given."""
        addresses: dict[Name, str] = {}
        ends: dict[str, str] = {}
        for one in PROVIDERS:
            given = {name: environment.get(name, "").strip() for name in one.variables}
            if not (one.usual or any(given.values())):
                continue
            ends |= dict.fromkeys(one.variables, one.suffix)
            base = one.usual
            for name in reversed(() if upstream else one.variables):
                if given[name]:
                    base = _address(given[name], name, one.name)
                    ends[name] = VERSION * base.endswith(VERSION)
            addresses[one.name] = base.removesuffix(VERSION)
        others = None if upstream is None else _address(upstream, "upstream").removesuffix(VERSION)
        return cls(addresses, ends, others)

    def split(self, path: str) -> tuple[str | None, str]:
        """Return the name of a conversation that a path begins with, if it does, and the rest."""
        return (None, path) if self._is_azure(path) else split_tag(path)

    def _is_azure(self, path: str) -> bool:
        return "azure" in self.addresses and path.startswith(AZURE_PATHS)

    def address(self, path: str, headers: Mapping[str, str]) -> str:
        """Return the whole address that a call is passed on to."""
        if self.others is not None:
            return self.others + path
        name = "azure" if self._is_azure(path) else provider_of(path, headers)
        return self.addresses[name] + path

    def variables(self, here: str) -> dict[str, str]:
        """Return what to set so that programs send their calls to an address of ours."""
        return {variable: here + end for variable, end in self.ends.items()}


def split_tag(path: str) -> tuple[str | None, str]:
    """Return the name of a conversation that a path begins with, if it does, and the rest."""
    found = TAGGED.fullmatch(path)
    if found is None or STARTS.fullmatch(found["tag"]):
        return None, path
    return unquote(found["tag"], errors="replace"), found["rest"]


def provider_of(path: str, headers: Mapping[str, str]) -> Name:
    """Return whose call it is: by how its path ends, else by what only one of them has."""
    bare = path.partition("?")[0]
    kind = kind_of_path(path)
    if kind is not None and "/threads/" not in bare:
        return BY_KIND[kind]
    if "anthropic-version" in headers or "x-api-key" in headers:
        return "anthropic"
    if "x-goog-api-key" in headers or bare.startswith(("/v1beta", "/v1alpha")):
        return "google"
    return "ollama" if bare.startswith("/api/") else "openai"


def program_environment(
    environment: Mapping[str, str], upstreams: Upstreams, here: str
) -> dict[str, str]:
    """Return the environment of a program that is to send its calls here, through no proxy."""
    host = urlsplit(here).hostname or ""
    direct = {
        name: ",".join(filter(None, (environment.get(name, ""), host, "localhost")))
        for name in NO_PROXY
    }
    return {**environment, **direct, **upstreams.variables(here)}


def proxy_for(address: str) -> str | None:
    """Return the proxy that the system wants to be used for an address, if any."""
    parts = urlsplit(address)
    proxies = getproxies()
    found = proxies.get(parts.scheme, proxies.get("all"))
    if not found or proxy_bypass(parts.netloc.rpartition("@")[2]):
        return None
    return found if "://" in found else f"http://{found}"


def _address(given: str, field: str, name: Name | None = None) -> str:
    """Return an address without the slash at its end, or refuse what is none."""
    text = given if "://" in given else f"http://{given}"
    legal = "http://HOST or https://HOST, with a port and a path if need be"
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
        parts = urlsplit("")
    is_bare = name == "ollama" and "://" not in given
    if is_bare and not host and port:
        host = "127.0.0.1"  # Ollama takes ":11434" for this machine.
    extras = parts.query or parts.fragment or "@" in parts.netloc
    is_cut = name is None and "://" not in given  # Any word would be one without its scheme.
    if parts.scheme not in SCHEMES or not host or extras or is_cut:
        raise Refused(
            f"{field} {format_value(given)} is no address ({legal})",
            field=field,
            value=given,
            legal=legal,
        )
    if is_bare:
        host = "127.0.0.1" if host == "0.0.0.0" else host
        return f"http://{host}:{port or OLLAMA_PORT}{parts.path.rstrip('/')}"
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


def server_of(address: str) -> str:
    """Return the server of an address, to be shown: what follows may hold a key."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"


def own_environment() -> dict[str, str]:
    """Return the environment of this program."""
    return dict(os.environ)
