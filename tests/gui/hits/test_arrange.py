"""Order and filters of the hit table."""

import io
import math

import numpy as np
import pytest

from swgui.core.hits.joined import join
from swgui.core.hits.table import HitStream, tables_of
from swgui.core.plain import replace
from swgui.gui.hits.arrange import HitFilter, Range, Sorting, arrange, stable_order
from swgui.gui.hits.columns import BY_KEY, COLUMNS
from swgui.gui.hits.data import HitData
from swgui.io.cells import spreadsheet_text
from swgui.io.export import ExportOptions, write_hits
from swgui.io.export.columns import HIT_COLUMNS, Column


@pytest.fixture
def data(made):
    data = HitData(made.result.hit_list(0))
    data.add(made.describe(made.result.hit_list(0), range(len(data))))
    return data


def test_values_come_from_the_search_and_the_alignments(data, made):
    hits = list(made.describe(made.result.hit_list(0), range(5)))
    assert data.aligned.all()
    for row, hit in enumerate(hits):
        assert data.value(row, "score") == hit.score
        assert data.value(row, "pident") == pytest.approx(hit.counts.pident)
        assert data.value(row, "qcovhsp") == pytest.approx(hit.query_coverage)
        assert data.value(row, "length") == hit.alignment.columns
        assert data.hit(row).alignment.cigar == hit.alignment.cigar
    for column in COLUMNS:
        if column.kind in ("number", "bar"):
            one_by_one = [data.value(row, column.key) for row in range(5)]
            assert one_by_one == pytest.approx(data.values(column.key).tolist(), nan_ok=True)


@pytest.mark.parametrize("key", HIT_COLUMNS)
def test_every_column_says_in_the_window_what_it_says_in_files(key, data, made):
    data.marks.change("starred", 0, [data.subject(1)], True)
    data.marks.set_note(0, data.subject(2), "seen")
    (table,) = (replace(table, marks=data.marks) for table in [join(list(tables_of(map(data.hit, range(5)))))])
    column, view, files = HIT_COLUMNS[key], BY_KEY[key], io.StringIO(newline="")
    write_hits("tsv", made.result, HitStream([table]), files, ExportOptions((key,)))
    lines = files.getvalue().splitlines()[1:]
    assert len(lines) == 5
    for row, line in enumerate(lines):
        hit = data.hit(row)
        text = column.text(hit)
        assert line == (spreadsheet_text(text) if column.kind == "text" else text)
        if view.kind == "text" and view.readable is None and key != "n_hsps":
            assert data.text(row, view).split() == line.lstrip("'").replace(";", " ").split()
        elif view.kind in ("number", "bar") and line:
            written = math.log10(float(line)) if column.kind == "evalue" else float(line)
            assert data.value(row, key) == pytest.approx(written, abs=10.0**-column.decimals, rel=1e-2)
        elif view.kind in ("number", "bar"):
            assert math.isnan(data.value(row, key))


def test_numbers_of_marks_follow_them(made, monkeypatch):
    starred = Column("starred", "Starred", "1 with a star.", "integer", "marks", value=lambda hit: int(hit.star))
    monkeypatch.setitem(HIT_COLUMNS, "starred", starred)
    data = HitData(made.result.hit_list(0))
    assert data.values("starred").tolist() == [0] * 5
    data.marks.change("starred", 0, [data.subject(1)], True)
    assert data.values("starred").tolist() == [0, 1, 0, 0, 0]
    assert data.value(1, "starred") == 1


def test_before_alignment_values_are_unknown(made):
    data = HitData(made.result.hit_list(0))
    assert math.isnan(data.value(0, "pident"))
    assert data.text(0, BY_KEY["pident"]) == "–"
    assert data.unaligned(range(5)) == [0, 1, 2, 3, 4]
    assert data.add(made.describe(made.result.hit_list(0), [2])) == [2]
    assert data.unaligned(range(5)) == [0, 1, 3, 4]
    assert len(arrange(data, Sorting(), HitFilter(ranges=(Range("pident", 0),)))) == 1


def test_text_columns_are_parsed_headers(data):
    names = [data.text(row, BY_KEY["sseqid"]) for row in range(5)]
    assert names[0] == "ALBU_HUMAN"
    assert sorted(names) == ["ALBU_HUMAN", "ALBU_MOUSE", "ALBU_RAT", "NP_000468.1", "contig_7"]
    assert data.text(names.index("NP_000468.1"), BY_KEY["organism"]) == "Homo sapiens"


@pytest.mark.parametrize("falling", [False, True])
@pytest.mark.parametrize(
    "key", ["rank", "score", "evalue", "pident", "slen", "gaps", "sseqid", "stitle", "organism", "link", "map"]
)
def test_order_is_stable_and_unknown_values_come_last(made, key, falling):
    data = HitData(made.result.hit_list(0))
    data.add(made.describe(made.result.hit_list(0), [0, 2, 3]))
    rows = arrange(data, Sorting(key, falling), HitFilter())
    assert sorted(rows.tolist()) == list(range(5))

    def value(row):
        column = BY_KEY[key]
        if column.kind == "text":
            return data.text(row, column).casefold() or "\uffff"
        return data.value(row, "qstart" if key == "map" else key)

    known = [row for row in range(5) if value(row) == value(row)]
    expected = sorted(known, key=value, reverse=False)
    if falling:
        expected = sorted(known, key=value, reverse=True)
    assert rows.tolist()[: len(known)] == expected  # `sorted` is stable in both directions


def test_filters_act_together(data):
    organism = HitFilter(text="HOMO")
    assert {data.text(r, BY_KEY["organism"]) for r in arrange(data, Sorting(), organism)} == {"Homo sapiens"}
    assert len(arrange(data, Sorting(), organism)) == 2
    both = HitFilter(text="homo alb", ranges=(Range("pident", low=99.9),))
    assert arrange(data, Sorting(), both).tolist() == [0]
    assert len(arrange(data, Sorting(), HitFilter(text="homo rattus"))) == 0
    covers = arrange(data, Sorting(), HitFilter(covers=(1, 60)))
    assert all(data.value(row, "qstart") == 1 and data.value(row, "qend") == 60 for row in covers)
    assert len(covers) == 4
    data.marks.change("ticked", 0, data.subjects([1, 4]), True)
    assert arrange(data, Sorting("rank", True), HitFilter(ticked=True)).tolist() == [4, 1]
    data.marks.change("starred", 0, data.subjects([4]), True)
    assert arrange(data, Sorting(), HitFilter(ticked=True, starred=True)).tolist() == [4]
    assert arrange(data, Sorting("star", True), HitFilter()).tolist() == [4, 0, 1, 2, 3]
    data.marks.change("hidden", 0, data.subjects([0, 4]), True)
    assert arrange(data, Sorting(), HitFilter()).tolist() == [1, 2, 3]
    assert arrange(data, Sorting(), HitFilter(with_hidden=True)).tolist() == [0, 1, 2, 3, 4]


def test_text_matches_within_one_header_only(made):
    names = [(f"id{i}", text) for i, text in enumerate(["ab", "ba", "aab", "Größe ab", "aa", "b"])]
    result, _ = made.make(names=names)
    data = HitData(result.hit_list(0))
    found = {data.text(row, BY_KEY["stitle"]) for row in np.flatnonzero(data.matches("ab"))}
    assert found == {"ab", "aab", "Größe ab"}
    assert data.matches("GRÖSSE").sum() == 1  # casefold: ß is ss
    assert data.matches("a b").sum() == 4
    assert data.matches("id1").sum() == 1


def test_filter_describes_itself():
    wanted = HitFilter(" two  words ", (Range("pident", low=30), Range("evalue", high=-3.0)), (100, 150), True)
    assert wanted.needs_alignments
    assert wanted.chips() == [
        ("text", "“two words”"), ("pident", "identity ≥ 30.0"), ("evalue", "E-value ≤ 0.001"),
        ("covers", "covers 100 to 150 of the query"), ("ticked", "ticked"),
    ]  # fmt: skip
    for name, _ in wanted.chips():
        assert name not in dict(wanted.without(name).chips())
    assert not HitFilter(text="  ")
    assert wanted.with_range(Range("pident")).range("pident") == Range("pident")
    assert Range("slen", 1000, 2000).describe() == "subject length 1,000 to 2,000"


def test_minus_strand_coordinates_are_written_as_in_blast(minus_hit):
    result, hit = minus_hit
    data = HitData(result.hit_list(0))
    data.add([hit])
    assert [data.value(0, key) for key in ("qstart", "qend", "sstart", "send")] == [3, 10, 10, 3]


def test_a_million_rows_give_the_same_as_a_few(make_large):
    data = HitData(make_large(200_000).hit_list(0))
    rows = arrange(data, Sorting("evalue"), HitFilter(ranges=(Range("slen", low=400),)))
    values = data.values("evalue")[rows]
    assert (np.diff(values) >= 0).all()
    assert len(rows) == int((data.values("slen") >= 400).sum())


@pytest.mark.parametrize("count", [0, 1, 2, 1000])
@pytest.mark.parametrize("kind", ["float", "ties", "nan", "int8", "int32", "int64", "far"])
def test_the_order_is_stable(count, kind):
    rng = np.random.default_rng(count)
    values = {
        "float": lambda: rng.normal(size=count),
        "ties": lambda: np.round(rng.normal(size=count)),
        "nan": lambda: np.where(rng.random(count) < 0.5, np.nan, np.round(rng.normal(size=count))),
        "int8": lambda: rng.integers(-1, 2, count).astype(np.int8),
        "int32": lambda: rng.integers(-40, 40, count).astype(np.int32),
        "int64": lambda: rng.integers(0, 1 << 40, count),
        "far": lambda: rng.integers(-(1 << 61), 1 << 61, count),
    }[kind]()
    assert (stable_order(values) == np.argsort(values, kind="stable")).all()
