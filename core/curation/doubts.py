"""Doubts: why something that looks like an address or a number is probably none."""

from __future__ import annotations

import re

FILES = frozenset(
    (
        *("avif", "bmp", "css", "csv", "dll", "docx", "exe", "gif", "gz", "heic", "htm", "html"),
        *("ico", "jpeg", "jpg", "js", "json", "jsx", "less", "mp", "pdf", "png", "pptx", "scss"),
        *("svg", "tar", "tif", "tiff", "toml", "ts", "tsx", "ttf", "txt", "wav", "webm", "webp"),
        *("woff", "xlsx", "xml", "yaml", "yml"),
    )
)
"""How names of files end, and no address does."""
BEFORE = 24
"""Characters before a number in which a word may say what it is."""
NUMBER_OF = re.compile(
    r"\b(?:order|invoice|parcel|ticket|tracking|article|item|serial|account|iban|isbn|id|ref|"
    r"reference|no|nr|number of the order)\b[\s.:#№-]*$",
    re.IGNORECASE,
)
DATE = re.compile(r"\d{1,2}([-/. ])\d{1,2}\1\d{4}|\d{4}([-/. ])\d{1,2}\2\d{1,2}")
VERSION = re.compile(r"\d+\.\d")
NOBODYS = re.compile(r"(?:1[ .-])?\(?[2-9]\d{2}\)?[ .-]?[01]\d{2}[ .-]\d{4}")
"""A number as 555 123 4567: none that is given out has 0 or 1 behind the area code."""
ROW_BEFORE = re.compile(r"\d[ \u00a0\t]$")
ROW_AFTER = re.compile(r"[ \u00a0\t]\d")
"""Digits beside a number, as in a table or a dump."""
NAME = re.compile(r"[A-Za-z_][A-Za-z_.]*\d{0,2}[A-Za-z_.]*")
KNOWN = ("sk_", "rk_", "pk_", "whsec_", "gh", "npm_", "hf_", "eyJ", "ya29.", "AIza")
"""How a name in code looks, and how keys begin that look the same."""


def no_doubt(text: str, start: int, end: int) -> str:
    """Return nothing: whatever is found is meant."""
    return ""


def about_mail(text: str, start: int, end: int) -> str:
    """Return why something like a mail address is probably none."""
    person, _, host = text[start:end].rpartition("@")
    if host.rpartition(".")[2].casefold() in FILES:
        return "a file name, not an address"
    if VERSION.match(host):
        return "a version, not an address"
    if person == "git":
        return "where a repository is, not a person's address"
    return ""


def about_phone(text: str, start: int, end: int) -> str:
    """Return why something like a phone number is probably none."""
    number = text[start:end]
    if DATE.fullmatch(number):
        return "a date, not a phone number"
    if number.startswith("+"):
        return ""
    before = text[max(0, start - BEFORE) : start]
    if ROW_BEFORE.search(before) or ROW_AFTER.match(text, end):
        return "one of a row of numbers, not a phone number"
    if NUMBER_OF.search(before):
        return "the number of something else, not of a phone"
    return "a number as in examples, not one that is given out" if NOBODYS.fullmatch(number) else ""


def about_key(text: str, start: int, end: int) -> str:
    """Return why something like a key is probably none."""
    key = text[start:end]
    is_name = NAME.fullmatch(key) is not None and ("_" in key or "." in key)
    return "a name in code, not a key" if is_name and not key.startswith(KNOWN) else ""
