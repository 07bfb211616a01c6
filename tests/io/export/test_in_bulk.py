"""Tables are written from columns; cell for cell they say what the objects of the same hits say."""

import csv
import io
import math

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.database import encode_database
from swgui.core.errors import ScoreMismatch
from swgui.core.hits.joined import joined
from swgui.core.hits.marks import Marks
from swgui.core.hits.results import HitColumns
from swgui.core.hits.table import HitStream, tables_of
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme, match_mismatch
from swgui.core.words import format_evalue
from swgui.io.cells import evalue_texts, spreadsheet_text
from swgui.io.database.any_file import open_any_database
from swgui.io.export import FORMATS, HIT_COLUMNS, Column, ExportOptions, write_hits
from swgui.io.export.columns import EVIDENCE_COLUMNS, ROUND_COLUMNS
from swgui.io.export.getters import FromHeader, FromOrganism
from swgui.io.sequences.reader import read_sequences
from swgui.jobs.search import describe, listed_rows
from swgui.jobs.search.describe import describe_list
from tests.asking import DNA_SCHEME, altered, answer, search_request
from tests.described import describe_all, describe_hits
from tests.io.export.columns_by_hit import BY_HIT
from tests.io.sequences.by_hand import make_scheme

pytestmark = pytest.mark.usefixtures("trusted")

ODD = ('=cmd|" /C calc"!A0', 'said "so", and\tmore', "line\u2028break \u202e back", "+ plus; minus -", "", "ünï çødé")


@pytest.fixture(scope="module")
def trusted():
    """Search without the self-check of engines; the results are shared by the tests of this file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("swgui.jobs.check.device.require_exact_engine", lambda *_: iter(()))
        yield patch


@pytest.fixture(scope="module")
def proteins(trusted, repository):
    """Real proteins, corrected for composition, with a query of which nothing is found."""
    folder = repository / "resources" / "examples"
    queries = tuple(read_sequences(folder / "sample_queries.fasta"))[:3]
    database = open_any_database(folder / "sample_database.fasta.gz")
    nothing = SequenceRecord("nothing", "", b"W")
    scheme = make_scheme(database.alphabet)
    return answer(
        search_request(
            queries=(queries[0], nothing, *queries[1:]), database=database, scheme=scheme, max_evalue=1e3, top=60
        )
    )


@pytest.fixture(scope="module")
def nucleotides():
    """Repeats on both strands with U in them, under names that need escaping."""
    rng = np.random.default_rng(20_261_122)
    unit = rng.integers(0, 4, 90).astype(np.uint8)
    unit[40] = NUCLEOTIDE.code("U")
    records = []
    for number, name in enumerate(ODD):
        codes = rng.integers(0, 4, 700).astype(np.uint8)
        codes[100:190] = unit
        codes[300:390] = NUCLEOTIDE.reverse_complement(unit)
        codes[[120, 340]] = 0
        codes = np.delete(codes, [150, 151, 320])
        records.append(SequenceRecord(f"{name[:3]}{number}", name, NUCLEOTIDE.decode(codes)))
    records.append(SequenceRecord("none", "no pair that scores", b"N" * 20))
    query = SequenceRecord("=q 'one", "-1 of\tits kind", NUCLEOTIDE.decode(unit))
    database = encode_database(records, NUCLEOTIDE, "odd\nnames")
    return search_request(
        queries=(query,),
        database=database,
        scheme=DNA_SCHEME,
        strand="both",
        engine="cpu",
        composition="none",
        max_evalue=1.0,
    )


def with_one_of_score_0(result):
    """Return a result as older searches have it, which listed subjects of score 0."""
    (query,) = result.queries
    (nothing,) = np.flatnonzero(query.scores == 0).tolist()
    hits, unknown = query.hits, np.full(1, np.nan)
    last = replace(hits.take(slice(0, 1)), db_index=np.array([nothing]), scores=np.zeros(1, dtype=np.int32))
    last = replace(last, bit_scores=unknown, log10_evalues=unknown, regions=None)
    return replace(result, queries=(replace(query, hits=HitColumns.join([hits, last])),))


@pytest.fixture(scope="module")
def with_statistics(trusted, nucleotides):
    return with_one_of_score_0(answer(nucleotides))


@pytest.fixture(scope="module")
def without_statistics(trusted, nucleotides):
    """Neither published nor fitted statistics, and all subjects."""
    scheme = ScoringScheme.from_blast(match_mismatch(NUCLEOTIDE, 7, -6), 17, 5)
    with trusted.context() as patch:
        patch.setattr("swgui.jobs.search.kept_fits.fit_to_shuffles", lambda *given, **options: None)
        result = answer(altered(nucleotides, scheme=scheme))
    assert not result.statistics
    return with_one_of_score_0(result)


@pytest.fixture(scope="module", params=["proteins", "with_statistics", "without_statistics"])
def result(request):
    return request.getfixturevalue(request.param)


def tables(result, **how):
    marks = Marks()
    for index, query in enumerate(result.queries):
        marks.change("starred", index, query.hits.db_index[1:3].tolist(), True)
        for db_index in query.hits.db_index[:2].tolist():
            marks.set_note(index, db_index, " =seen\n before ")
    return [
        replace(table, marks=marks)
        for index, query in enumerate(result.queries)
        for table in describe_list(result.hit_list(index), range(len(query.hits)), **how).tables
    ]


def none_of_nan(value):
    return None if isinstance(value, float) and math.isnan(value) else value


def lines_of(table):
    return [line for hit in table.hits() for line in hit.rows()]


@pytest.mark.parametrize("how", [{}, {"align": False}], ids=["aligned", "bare"])
def test_tables_of_several_queries_are_read_as_one_after_the_other(result, how):
    several = tables(result, **how) * 2
    (whole,) = joined(HitStream(several))
    assert len(whole) == sum(map(len, several))
    names = [(line.query_record.id, line.subject.id, line.star) for table in several for line in lines_of(table)]
    assert [(line.query_record.id, line.subject.id, line.star) for line in lines_of(whole)] == names
    for key, column in HIT_COLUMNS.items():
        assert column.texts(whole) == [text for table in several for text in column.texts(table)], key


def test_tables_that_differ_are_not_joined(proteins, with_statistics):
    known, others = tables(proteins), tables(proteins, align=False)
    of_each = [known[0], *others, *tables(with_statistics), *tables(proteins, fit=False)[:1]]
    assert [len(table) for table in joined(HitStream(of_each))] == [
        len(known[0]), sum(map(len, others)), *(len(table) for table in of_each[-2:])
    ]  # fmt: skip


def test_what_was_read_before_an_error_is_given_before_it(proteins):
    def failing():
        yield from tables(proteins)
        raise ScoreMismatch("a", 1, 2)

    given = joined(HitStream(failing()))
    assert len(next(given)) == sum(map(len, tables(proteins)))
    with pytest.raises(ScoreMismatch):
        next(given)


def test_many_evalues_are_written_as_one():
    exponents = np.concatenate([np.arange(-400, 8, 0.37), np.log10(np.arange(0.0005, 30, 0.0005)), np.arange(-6, 7)])
    given = np.concatenate([exponents, np.log10(np.arange(1005, 9999, 10) / 1e6), [np.nan, np.inf, -np.inf]])
    for digits in (2, 3):
        assert evalue_texts(given, digits) == [format_evalue(value, digits) for value in given.tolist()]


def test_the_data_are_what_they_are_to_be(proteins, with_statistics, without_statistics):
    assert min(len(query.hits) for query in proteins.queries) == 0
    assert max(table.alignments.max() for table in tables(proteins)) > 1
    assert {strand for table in tables(with_statistics) for strand in table.strands.tolist()} == {-1, 1}
    assert not all(table.there.all() for table in tables(without_statistics))
    assert np.isnan(np.concatenate([table.log10_evalues for table in tables(without_statistics)])).all()


@pytest.mark.parametrize("how", [{}, {"align": False}, {"fit": False}], ids=["aligned", "bare", "without-fit"])
def test_every_column_reads_tables_as_it_reads_hits(result, how):
    for table in tables(result, **how):
        lines = lines_of(table)
        for key, column in HIT_COLUMNS.items():
            values = column.values(table)
            assert values == [column.of(line) for line in lines], key
            assert column.texts(table) == [column.text(line) for line in lines], key
            if key in BY_HIT:
                expected = [none_of_nan(BY_HIT[key](line)) for line in lines]
                assert values == (pytest.approx(expected) if column.kind in ("real", "evalue") else expected), key


def test_every_column_is_judged_by_one_that_looks_at_hits():
    of_headers = {key for key, column in HIT_COLUMNS.items() if isinstance(column.read, FromHeader | FromOrganism)}
    of_shapes = {"rmsd", "qtmscore", "stmscore", "lddt"}  # and tests of rounds judge those of rounds
    of_rounds = {"evalue_as_member", *ROUND_COLUMNS, *EVIDENCE_COLUMNS}
    of_directions = {
        "back_score",
        "evalue_forward",
        "evalue_back",
    }  # which `tests/jobs/search/test_directions.py` judges
    assert set(HIT_COLUMNS) - of_headers - of_shapes - of_rounds - of_directions == set(BY_HIT)


def test_hits_made_one_by_one_are_the_same_table(result):
    for table in tables(result):
        (again,) = tables_of(list(table.hits()))
        for key, column in HIT_COLUMNS.items():
            assert column.texts(again) == column.texts(table), key


def test_a_column_that_reads_only_hits_stands_in_tables(result):
    column = Column(
        "x", "X", "A column of a plug-in.", "real", "search", value=lambda hit: hit.score / 3 or None, decimals=2
    )
    for table in tables(result):
        assert column.texts(table) == [column.text(line) for line in lines_of(table)]


def expected(name, result, keys):
    """Return a table written line by line from objects."""
    file, columns = io.StringIO(newline=""), [HIT_COLUMNS[key] for key in keys]
    rows = [line for table in tables(result) for line in lines_of(table)]
    if name in ("tsv", "csv"):
        write = csv.writer(file, lineterminator="\n").writerow
        if name == "tsv":
            write = lambda cells: file.write("\t".join(cells) + "\n")  # noqa: E731
        write(keys)
        for row in rows:
            write([spreadsheet_text(c.text(row)) if c.kind == "text" else c.text(row) for c in columns])
    else:
        empty = {"text": lambda c: "N/A", "integer": lambda c: "0", "evalue": lambda c: "nan",
                 "real": lambda c: f"{0:.{c.decimals}f}"}  # fmt: skip
        for row in rows:
            texts = ["_".join(c.text(row).split()) if c.key in ("qseqid", "sseqid") else c.text(row) for c in columns]
            cells = [text or empty[c.kind](c) for text, c in zip(texts, columns, strict=True)]
            file.write("\t".join(cells) + "\n")
    return file.getvalue()


@pytest.mark.parametrize("name", ["tsv", "csv", "blast6", "blast7"])
@pytest.mark.sampled
def test_tables_of_every_column_are_those_of_the_objects(result, name):
    file, keys = io.StringIO(newline=""), tuple(HIT_COLUMNS)
    write_hits(name, result, HitStream(tables(result)), file, ExportOptions(keys))
    text = file.getvalue()
    if name == "blast7":
        lines = text.splitlines(keepends=True)
        counted = [int(line.split()[1]) for line in lines if line.endswith("hits found\n")]
        text = "".join(line for line in lines if not line.startswith("# "))
        assert len(counted) == len(result.queries)
        assert sum(counted) == text.count("\n")
    assert text == expected(name, result, keys)


@pytest.mark.parametrize("name", [form.name for form in FORMATS.values() if form.is_text and not form.one_query])
@pytest.mark.sampled
def test_every_format_is_the_same_from_columns_and_from_objects(result, name):
    files = [io.StringIO(newline="") for _ in range(2)]
    write_hits(name, result, HitStream(tables(result)), files[0])
    write_hits(name, result, [hit for table in tables(result) for hit in table.hits()], files[1])
    assert files[0].getvalue() == files[1].getvalue() != ""


def test_rows_are_described_in_the_order_asked_for(proteins):
    rows = [7, 2, 5]
    (table,) = describe_list(proteins.hit_list(0), rows).tables
    assert [hit.rank for hit in describe_hits(proteins, 0, rows)] == [8, 3, 6] == table.ranks.tolist()
    assert [hit.subject for hit in table.hits()] == [proteins.database.record(int(i)) for i in table.subjects.db_index]


def test_hits_before_one_with_a_wrong_score_are_described(proteins):
    query = proteins.queries[0]
    scores = query.hits.scores.copy()
    scores[3] += 2
    wrong = replace(proteins, queries=(replace(query, hits=replace(query.hits, scores=scores, regions=None)),))
    described = describe_hits(wrong, 0, range(6))
    assert [next(described).rank for _ in range(3)] == [1, 2, 3]
    with pytest.raises(ScoreMismatch, match=proteins.database.ids[int(query.hits.db_index[3])].replace("|", r"\|")):
        next(described)


@pytest.fixture
def together(monkeypatch):
    """Hits of all queries are described together, a few dozen at a time."""
    monkeypatch.setattr(describe, "PORTIONS", 1)
    monkeypatch.setattr(describe, "PORTIONS_OF_WORKER", 0)
    monkeypatch.setattr(listed_rows, "BATCH_OF_SEVERAL", 24)


def parts_of(result):
    return [(result.hit_list(at), rows) for at, rows in enumerate(rows_of(result))]


def rows_of(result):
    return [range(len(query.hits)) for query in result.queries]


@pytest.mark.parametrize("library", ["compiled", "none"])
def test_hits_of_several_queries_are_described_together_as_alone(library, proteins, together, monkeypatch):
    if library == "none":
        proteins = replace(
            proteins, queries=tuple(replace(one, hits=one.hits.take(slice(6))) for one in proteins.queries)
        )
        monkeypatch.setattr("swgui.engines.native.usable", lambda profile: False)
    assert [len(some) for some in describe.portions(parts_of(proteins))] == [len(proteins.queries)]
    alone = [
        table
        for index, rows in enumerate(rows_of(proteins))
        for table in describe_list(proteins.hit_list(index), rows).tables
    ]
    found = list(describe_all(proteins, rows_of(proteins)).tables)
    assert library == "none" or max(table.lines - len(table) for table in found) > 0
    for key in ("qseqid", "sseqid", "rank", "evalue", "hsp", "cigar", "qseq", "sseq", "pident", "qcovs", "sum_evalue"):
        texts = [text for table in found for text in HIT_COLUMNS[key].texts(table)]
        assert texts == [text for table in alone for text in HIT_COLUMNS[key].texts(table)], key


def test_a_wrong_score_among_several_queries_leaves_what_is_before_it(proteins, together):
    wrong = proteins.queries[2]
    scores = wrong.hits.scores.copy()
    scores[1] += 1
    hits = replace(wrong.hits, scores=scores, regions=None)
    result = replace(proteins, queries=(*proteins.queries[:2], replace(wrong, hits=hits), *proteins.queries[3:]))
    given = []
    with pytest.raises(ScoreMismatch):
        given.extend(describe_all(result, rows_of(result)).tables)
    assert sum(map(len, given)) == len(proteins.queries[0].hits) + 1
    assert given[-1].record == wrong.query
