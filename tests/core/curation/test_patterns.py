"""The built-in patterns find what is about a person, and not what only looks like it."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from ctxtui.core import Refused
from ctxtui.core.curation.patterns import PATTERNS, find_all, named_patterns, own_pattern

EVERY = list(PATTERNS.values())


def found(text: str) -> list[tuple[str, str]]:
    return [
        (one.pattern, text[one.start : one.end]) for one in find_all(text, EVERY) if not one.doubt
    ]


@pytest.mark.parametrize(
    ("kind", "text", "match"),
    [
        ("mail", "My mail is kb@mail.example, phone later", "kb@mail.example"),
        ("mail", "<a.b+c@sub.mail.example>.", "a.b+c@sub.mail.example"),
        ("mail", "mailto:kb@mail.example?subject=x", "kb@mail.example"),
        ("mail", "我的邮箱 kb@mail.example。", "kb@mail.example"),
        ("mail", "grüße@büro.example", "grüße@büro.example"),
        ("mail", "o'neil@mail.example", "o'neil@mail.example"),
        ("mail", r"from:\nkb@mail.example\n", "kb@mail.example"),
        ("phone", "call +1 202 555 0147.", "+1 202 555 0147"),
        ("phone", "tel:+4722123456", "+4722123456"),
        ("phone", "+49 (0)30 1234567", "+49 (0)30 1234567"),
        ("phone", "called 0800 555 0199, no answer", "0800 555 0199"),
        ("phone", "(202) 555-0147", "(202) 555-0147"),
        ("phone", "1-202-555-0147", "1-202-555-0147"),
        ("phone", "0047 22 12 34 56", "0047 22 12 34 56"),
        ("phone", "030/1234567", "030/1234567"),
        ("key", "crm token=sk_live_9fQ2aaaac81d customer=20417", "sk_live_9fQ2aaaac81d"),
        ("key", "sk-ant-api03-abcdefghijklmnop", "sk-ant-api03-abcdefghijklmnop"),
        ("key", "AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE"),
        ("key", "ghp_" + "a1" * 18, "ghp_" + "a1" * 18),
        ("key", "Authorization: Bearer abcdef0123456789abcdef", "abcdef0123456789abcdef"),
        ("key", 'password: "hunter22"', "hunter22"),
        ("key", "API_KEY=abcd1234efgh;", "abcd1234efgh"),
        ("key", "Authorization: Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"),
        ("key", "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", ...),
        ("phone", "06 12 34 56 78", "06 12 34 56 78"),
        ("key", "postgres://me:hunter22@db.example/x", "hunter22"),
        ("key", "eyJhbGciOiJI.eyJzdWIiOiIx.c2ln", "eyJhbGciOiJI.eyJzdWIiOiIx.c2ln"),
    ],
)
def test_what_is_about_a_person_or_opens_a_door_is_found(kind: str, text: str, match: Any) -> None:
    assert found(text) == [(kind, text if match is ... else match)]


@pytest.mark.parametrize(
    "text",
    [
        *("The photo is label@2x.png", "npm i react@18.2.0-rc.next", "git@github.com:a/b.git"),
        *(
            "a @decorator",
            "user@localhost",
            r"x\n@pytest.fixture",
            "@types/node",
            "x@y",
            "price@",
            "@mail.example",
        ),
        *("order 20417", "order no. 0800-555-0199", "parcel 4471-8812-33", "K-4471"),
        *("2024-05-11", "01-02-2024", "11.05.2024 08:30", "192.168.100.200", "1 000 000"),
        *("4111 1111 1111 1111", "978-3-16-148410-0", "3.14159265358979", "12:30:45.123456"),
        *("0x0800 5550199", "v1.2.3.4", "2024/05/11", "555-0199", "#0800 555 0199"),
        *("tokens=123456789", "the secret: everything", "token: unlimited", "password is long"),
        *("sk-learn", "sk_live", "Bearer of news", "http://host:8080/x@y", "eyJ.x.y"),
        *("sort_key=item2.created", "token = parse_token2(x)", "secret = get_secret_v2"),
        *(
            "00 00 00 00 00 00 00 00",
            "01 02 03 04 05 06 07",
            "10 0800 555 0199",
            "basic knowledge12",
        ),
        *("2024-05-11T10:00:00+02:00", "59.9139, 10.7522", "key=cache_key_1", "NO93 8601 1117 947"),
        *("[mail] [phone] [key]", ""),
    ],
)
def test_what_only_looks_like_it_is_not_replaced(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "doubt"),
    [
        ("saved as label@2x.png.", "a file name, not an address"),
        ("react@18.2.0-rc.next", "a version, not an address"),
        ("git@github.com:a/b", "where a repository is, not a person's address"),
        ("on 01-02-2024", "a date, not a phone number"),
        ("1 0800 555 0199", "one of a row of numbers, not a phone number"),
        ("secret = get_secret_v2", "a name in code, not a key"),
        ("my order 2024-11-12 555 123 4567", "one of a row of numbers, not a phone number"),
        ("call 555 123 4567", "a number as in examples, not one that is given out"),
        ("order 0800-555-0199", "the number of something else, not of a phone"),
    ],
)
def test_a_doubt_says_why(text: str, doubt: str) -> None:
    assert [one.doubt for one in find_all(text, EVERY)] == [doubt]


def test_where_two_patterns_meet_the_one_that_hides_more_counts() -> None:
    text = "https://me:sk-abcdefghijklmnop1@mail.example and kb@mail.example"
    assert found(text) == [("key", "sk-abcdefghijklmnop1"), ("mail", "kb@mail.example")]


@pytest.mark.parametrize(
    ("own", "after", "text", "replaced"),
    [
        ("b(o)b", r"X\1X", "Ask bob@site.example.org, bob", "Ask [mail], XoX"),
        ("example", "host", "example: kb@mail.example", "host: [mail]"),
        ("555", "x", "555 or +1 202 555 0147", "x or [phone]"),
        ("kb@mail.example", "K", "to kb@mail.example", "to K"),
        ("to .*", "someone", "Sent to kb@mail.example and b@mail.example", "Sent someone"),
        ("to (.*)", r"for \1", "Sent to kb@mail.example", "Sent to [mail]"),
        ("x kb@mail.example b", "-", "x kb@mail.example b@mail.example", "x [mail] [mail]"),
        ("key sk-[a-z]+1", "-", "the key sk-abcdefghijklmnop1", "the -"),
        ("2x", "-", "label@2x.png", "label@-.png"),
    ],
)
def test_own_words_never_leave_a_part_of_what_a_built_in_pattern_hides(
    own: str, after: str, text: str, replaced: str
) -> None:
    hits = find_all(text, [own_pattern(own, after, is_regex=True), *EVERY])
    for one in reversed([one for one in hits if not one.doubt]):
        text = text[: one.start] + one.after + text[one.end :]
    assert text == replaced


def test_several_patterns_come_from_left_to_right_and_never_overlap() -> None:
    text = "+1 202 555 0147 kb@mail.example token=sk_live_9fQ2aaaac81d +47 22 12 34 56" * 3
    spans = [(one.start, one.end) for one in find_all(text, EVERY)]
    assert spans == sorted(spans)
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    assert len(spans) == 12


@pytest.mark.parametrize("text", ["a" * 100_000, "1 " * 50_000, "a@" * 50_000, "a." * 50_000 + "@"])
def test_built_in_patterns_end_in_time_on_long_texts(text: str) -> None:
    assert found(text) == []


def test_own_words_are_found_without_case_and_replaced_as_they_are() -> None:
    pattern = own_pattern("a.b", r"\1")
    assert list(pattern.matches("A.B axb a.b")) == [(0, 3, r"\1"), (8, 11, r"\1")]
    exact = own_pattern("a.b", "x", case_sensitive=True)
    assert list(exact.matches("A.B a.b")) == [(4, 7, "x")]


def test_an_expression_may_name_its_groups_in_what_stands_there() -> None:
    pattern = own_pattern(r"(\w+)@(?P<host>\w+)", r"\1 at \g<host>", is_regex=True)
    assert list(pattern.matches("me@home")) == [(0, 7, "me at home")]


@pytest.mark.parametrize(
    ("text", "replacement", "sentence"),
    [
        ("(", "x", "is not a regular expression"),
        ("((a{1000}){1000}){1000}", "x", "steps"),
        ("(?R)", "x", "may call itself"),
        ("(a)", r"\2", "no such group"),
        ("a", r"\g<x>", "can't be used"),
        ("a", "\\", "can't be used"),
        ("", "x", "is empty"),
    ],
)
def test_bad_expressions_and_replacements_are_refused(
    text: str, replacement: str, sentence: str
) -> None:
    with pytest.raises(Refused, match=sentence):
        own_pattern(text, replacement, is_regex=True)


def test_matches_of_nothing_are_no_hits() -> None:
    assert list(own_pattern("x*", "y", is_regex=True).matches("abc")) == []


def test_patterns_are_named_with_commas_and_unknown_ones_are_refused() -> None:
    assert [one.name for one in named_patterns("key, mail")] == ["key", "mail"]
    with pytest.raises(Refused, match="what 'fax' is not one of mail, phone, key"):
        named_patterns("fax")
