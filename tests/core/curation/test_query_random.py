"""Any question to a library is read, written and read again the same, or refused."""

from __future__ import annotations

from contextlib import suppress

from hypothesis import example, given
from hypothesis import strategies as st

from ctxtui.core.curation.digest import SessionRow, digest_of
from ctxtui.core.curation.query import FIELDS, SessionQuery, Term, read_query
from ctxtui.core.errors import Refused
from ctxtui.core.storage import STATUSES, Entry
from tests.storage.samples import small

TEXT = st.text(min_size=1, max_size=12)
SAID = TEXT.filter(str.strip)
NUMBERS = st.integers(0, 10**6)
VALUES: dict[str, st.SearchStrategy[str]] = {
    "status": st.sampled_from([*STATUSES, "reviewed", "unreviewed"]),
    "tag": SAID,
    "title": SAID,
    "note": SAID,
    "lint": st.sampled_from(["error", "warning", "clean", "G1"]),
    "format": st.sampled_from(["openai", "native", "none"]),
    "dup": st.one_of(st.sampled_from(["yes", "no"]), NUMBERS.map(str)),
    "personal": st.sampled_from(["yes", "no", "mail", "phone", "key"]),
    "trainable": st.sampled_from(["yes", "no"]),
    "field": st.builds(
        "{}{}".format,
        TEXT.filter(lambda text: not set(text) & set("=<>")),
        st.one_of(st.just(""), TEXT.map("={}".format), NUMBERS.map(">{}".format)),
    ),
    "fields": st.sampled_from(["yes", "no"]),
    "has": st.sampled_from(["tag", "note", "problem"]),
}
AMOUNT = st.one_of(
    st.builds("{}{}".format, st.sampled_from(["", "<", ">"]), NUMBERS),
    st.builds("{}..{}".format, NUMBERS, NUMBERS),
)


def of_field(field: str) -> st.SearchStrategy[Term]:
    values = st.lists(VALUES.get(field, AMOUNT), min_size=1, max_size=3, unique=True)
    return st.builds(Term, st.just(field), values.map(tuple), st.booleans())


WORDS = st.builds(Term, st.just(""), TEXT.map(lambda text: (text,)), st.booleans())
TERMS = st.one_of(WORDS, *map(of_field, FIELDS))
WHERES = st.lists(TERMS, max_size=5).map(lambda terms: SessionQuery(tuple(terms)))
ROWS = st.builds(
    SessionRow,
    st.builds(
        Entry,
        st.just("abcdefghijkl"),
        TEXT,
        messages=NUMBERS,
        tags=st.lists(TEXT, max_size=3).map(tuple),
        status=st.sampled_from(STATUSES),
        note=st.text(max_size=12),
        problem=st.sampled_from([None, None, "damaged"]),
    ),
    st.sampled_from([None, digest_of(small())]),
)


def test_every_field_is_tried() -> None:
    assert set(VALUES) < set(FIELDS)


@given(WHERES)
@example(SessionQuery((Term("", ("-",)), Term("", ('"\\,',), is_negated=True))))
@example(SessionQuery((Term("tag", ("a,b", "c d", '"')), Term("", ("tag:x",)))))
def test_what_is_written_is_read_again(where: SessionQuery) -> None:
    assert read_query(str(where)) == where


@given(st.text(alphabet=st.sampled_from('ab:",\\- \n世tagstus\0\ud800'), max_size=24))
@example('tag:"a"b')
@example("-")
@example("--x")
@example(",")
@example("tag:,a,,b,")
def test_any_text_is_refused_or_means_the_same_when_it_is_written(text: str) -> None:
    where = None
    with suppress(Refused):
        where = read_query(text)
    assert where is None or read_query(str(where)) == where


@given(TERMS, ROWS)
def test_a_term_and_its_contrary_never_both_choose_a_session(term: Term, row: SessionRow) -> None:
    contrary = term._replace(is_negated=not term.is_negated)
    one, other = (SessionQuery((each,)).matches(row) for each in (term, contrary))
    assert not (one and other)
    if row.digest is not None and row.entry.problem is None:
        assert one or other


@given(WHERES, ROWS)
def test_all_terms_must_be_so(where: SessionQuery, row: SessionRow) -> None:
    each = [SessionQuery((term,)).matches(row) for term in where.terms]
    assert where.matches(row) is all(each)


@given(TEXT, TEXT, TEXT)
def test_titles_tags_and_notes_are_found_by_any_part_of_them(a: str, b: str, c: str) -> None:
    row = SessionRow(Entry("abcdefghijkl", a + b + c, tags=(b,), note=c))
    for field, value in (("", b), ("title", b), ("tag", b), ("note", c)):
        if value.strip():
            assert read_query(str(SessionQuery((Term(field, (value,)),)))).matches(row)
