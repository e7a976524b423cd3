"""Addresses that commands listen to: this machine's own, or wider ones."""

from __future__ import annotations

import socket
from ipaddress import IPv6Address, ip_address

LOOPBACK = "127.0.0.1"
LAST_PORT = 65_535


def is_loopback(host: str) -> bool:
    """Tell whether only programs of this machine can reach an address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def openable(host: str) -> list[str]:
    """Return what a browser can be told instead of an address that is listened to.

    0.0.0.0 and :: stand for all addresses of a machine and are none themselves: this machine opens
    its own, others its name.
    """
    try:
        address = ip_address(host)
    except ValueError:
        return [host]
    if address.is_unspecified:
        return [LOOPBACK, socket.gethostname()]
    return [f"[{host}]" if isinstance(address, IPv6Address) else host]
