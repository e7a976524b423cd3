"""Addresses that commands listen to: this machine's own, or wider ones."""

from __future__ import annotations

from ipaddress import ip_address

LOOPBACK = "127.0.0.1"
LAST_PORT = 65_535


def is_loopback(host: str) -> bool:
    """Tell whether only programs of this machine can reach an address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
