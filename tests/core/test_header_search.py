"""Words in headers, against plain Python."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swgui.core import header_search
from swgui.core.alphabet import PROTEIN
from swgui.core.database import TextColumn, encode_database
from swgui.core.header_search import HeaderSearch
from swgui.core.records import SequenceRecord

HEADERS = [
    ("sp|P1|ALBU_HUMAN", "Albumin OS=Homo sapiens"),
    ("contig_7", ""),
    ("Größe", "Straße ΑΣ of ÉCOLE"),
    ("alb", "umin"),
    ("sp|P2|ALBU_RAT", "Serum albumin albumin OS=Rattus"),
    ("a" * 40, "aaaa aa"),
]
TEXTS = (
    *("albumin", "ALBUMIN homo", "h", "ho", "hom", "aa", "aaa", "aaaa", "a", "strasse", "straße", "ας", "école"),
    *("zzz", "", "  ", "contig_7", "umin", "album", "albumin albumin", "7 contig", "sapiens\ncontig", "|"),
)


def plain(order, text):
    lines = [f"{HEADERS[at][0]} {HEADERS[at][1]}".casefold() for at in order]
    return [all(word in line for word in text.casefold().split()) for line in lines]


@pytest.fixture
def database():
    return encode_database([SequenceRecord(*header, b"MK") for header in HEADERS], PROTEIN, "headers")


@pytest.mark.parametrize("few", [0, 10**6])
@pytest.mark.parametrize("rows", [1, 2, 100])
def test_found_is_what_the_headers_say(database, monkeypatch, few, rows):
    monkeypatch.setattr(header_search, "FEW", few)
    monkeypatch.setattr(header_search, "BLOCK_ROWS", rows)
    order = np.array([3, 0, 2, 5, 1, 4, 4])
    kept = HeaderSearch(database, order)
    for text in TEXTS:
        assert kept.matches(text).tolist() == plain(order, text), text
        assert HeaderSearch(database, order).matches(text).tolist() == plain(order, text), text
    assert kept.matches("albumin").tolist() == plain(order, "albumin")


def test_answers_are_not_shared(database):
    search = HeaderSearch(database, np.arange(6))
    search.prepare()
    first = search.matches("albumin")
    first[:] = True
    assert search.matches("albumin").sum() == 2


def test_no_rows(database):
    assert HeaderSearch(database, np.zeros(0, dtype=np.int64)).matches("x").shape == (0,)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.text("ab", max_size=6), st.text("ab é", max_size=12)), min_size=1, max_size=12),
    st.text("abé", min_size=1, max_size=7),
    st.integers(1, 5),
    st.integers(1, 4),
)
def test_any_word_in_any_headers(headers, word, rows, compared):
    texts = [TextColumn.from_texts(part) for part in zip(*headers, strict=True)]
    database = SimpleNamespace(ids=texts[0], descriptions=texts[1])
    order = np.arange(len(headers))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(header_search, "BLOCK_ROWS", rows)
        patch.setattr(header_search, "COMPARED", compared)
        found = HeaderSearch(database, order).matches(word)
    assert found.tolist() == [word in one or word in other for one, other in headers]
