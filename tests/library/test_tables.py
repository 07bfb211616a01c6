"""Hits as tables of other libraries: the same values, and a sentence where one is missing."""

from __future__ import annotations

import math
import sys

import pytest

import swgui
from tests.library.conftest import GLOBIN

COLUMNS = ["qseqid", "sseqid", "score", "evalue", "pident", "zscore", "organism"]


@pytest.fixture
def hits(database):
    return swgui.search({"one": GLOBIN, "two": GLOBIN[:30]}, database, top=3)


def as_lists(name, frame):
    if name == "pandas":
        return {key: [None if value is None or value != value else value for value in frame[key]] for key in frame}
    return frame.to_pydict() if name == "pyarrow" else frame.to_dict(as_series=False)


@pytest.mark.parametrize(("name", "method"), [("pandas", "pandas"), ("polars", "polars"), ("pyarrow", "arrow")])
def test_frames_hold_the_columns(hits, name, method):
    pytest.importorskip(name)
    frame = getattr(hits, f"to_{method}")(COLUMNS)
    found = as_lists(name, frame)
    assert list(found) == COLUMNS
    assert found["score"] == hits.to_arrays(["score", "pident"])["score"].tolist()
    assert found["qseqid"][0] == "one"
    assert found["organism"] == [None] * len(found["score"])
    assert found["evalue"][0] == pytest.approx(hits[0].evalue)
    assert {type(value) for value in found["score"]} == {int} or name == "pandas"


@pytest.mark.parametrize(("name", "method"), [("pandas", "pandas"), ("polars", "polars"), ("pyarrow", "arrow")])
def test_a_missing_library_is_named(hits, name, method, monkeypatch):
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(swgui.MissingPackage, match=f"'{name}' is not installed. Install it with: pip install 'swgui"):
        getattr(hits, f"to_{method}")()
    with pytest.raises(ImportError):
        getattr(hits, f"to_{method}")()


def test_arrays_need_nothing(hits):
    found = hits.to_arrays(["std", "organism", "n_hsps"])
    assert list(found)[:3] == ["qseqid", "sseqid", "pident"]
    assert found["sseqid"].dtype == object
    assert found["n_hsps"].dtype == int
    assert {len(values) for values in found.values()} == {len(found["evalue"])}
    assert found["evalue"][0] == pytest.approx(hits[0].evalue)
    quick = hits.to_arrays(["sseqid", "score", "evalue"])
    assert quick["score"].tolist() == [hit.score for hit in hits]
    with pytest.raises(swgui.InvalidParameter, match="no column 'nothing'"):
        hits.to_arrays(["nothing"])


def test_what_is_not_known_is_no_number(hits):
    assert hits[0]["organism"] is None
    assert hits[0]["zscore"] is None
    assert all(map(math.isnan, hits.to_arrays(["zscore"])["zscore"]))
