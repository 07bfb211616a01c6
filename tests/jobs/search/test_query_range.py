"""A part of the query searched alone: scores of the part, positions of the whole, everywhere."""

from __future__ import annotations

import csv
import io
import threading
from pathlib import Path

import numpy as np
import pytest

from swgui.cli import main
from swgui.core.alignment import rescore
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.errors import InvalidParameter
from swgui.core.judging.explain import explain_hit
from swgui.core.judging.subjects import locate
from swgui.core.plain import replace
from swgui.core.query_range import QueryRange
from swgui.core.records import SequenceRecord
from swgui.io.database.build import save_database
from swgui.io.export import write_hits
from swgui.io.export.base import ExportOptions
from swgui.io.saved.search import load_search, save_search
from swgui.io.statistics import load_statistics
from swgui.jobs.events import Finished, run_to_end
from swgui.jobs.search.alternatives import equally_good, next_hit
from swgui.jobs.search.ranking import rerank
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.search.shuffles import queries_of
from swgui.jobs.search.verify import Verification, verify
from swgui.runs import Runs
from tests.asking import BLOSUM62, DNA_SCHEME, altered, answer, search_request
from tests.described import describe_hits
from tests.fakes import SlowAdapter

SCHEMES = {
    "protein": BLOSUM62,
    "nucleotide": DNA_SCHEME,
}
STRANDS = {"protein": "plus", "nucleotide": "both"}
PART = QueryRange(31, 90)
SAID = {"protein": "query: x = 60 −", "nucleotide": "m = 60 (length of the query)"}


def made_request(kind: str, part: QueryRange | None = PART) -> SearchRequest:
    """Return a search in which both ends of the query have close relatives, too."""
    scheme, chance = SCHEMES[kind], np.random.default_rng(3)
    letters = list((b"ACDEFGHIKLMNPQRSTVWY", b"ACGT")[kind == "nucleotide"])
    whole = bytes(chance.choice(letters, 130).astype(np.uint8))
    other = bytes(chance.choice(letters, 40).astype(np.uint8))
    subjects = [
        SequenceRecord("part", "", other + whole[35:80] + other),
        SequenceRecord("ends", "", whole[:30] + other + whole[95:]),
        SequenceRecord("across", "", whole[20:60] + other),
        SequenceRecord("twice", "", whole[40:70] + other + whole[40:70]),
        SequenceRecord("gapped", "", whole[31:50] + whole[52:89]),
    ]
    if kind == "nucleotide":
        back = NUCLEOTIDE.decode(NUCLEOTIDE.reverse_complement(NUCLEOTIDE.encode(whole[25:100])))
        subjects.append(SequenceRecord("back", "", other + back))
    return search_request(
        queries=(SequenceRecord("whole", "a query", whole),),
        database=encode_database(subjects, scheme.alphabet, "made"),
        scheme=scheme,
        strand=STRANDS[kind],  # type: ignore[arg-type]
        max_evalue=1e9,
        max_hsps=1,
        engine="cpu",
        query_range=part,
    )


@pytest.mark.parametrize("kind", SCHEMES)
def test_scores_and_e_are_those_of_the_part_at_positions_of_the_whole(kind: str) -> None:
    request = made_request(kind)
    cut = replace(request.queries[0], residues=request.queries[0].residues[PART.first - 1 : PART.last])
    found, of_part = answer(request), answer(altered(request, queries=(cut,), query_range=None))
    assert found.cells_total == of_part.cells_total
    mine, theirs = found.queries[0].hits, of_part.queries[0].hits
    for name in ("db_index", "scores", "strands", "bit_scores", "log10_evalues"):
        np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name), err_msg=name)
    rows = range(len(mine))
    for hit, alone in zip(describe_hits(found, 0, rows), describe_hits(of_part, 0, rows), strict=True):
        assert hit.alignment is not None
        assert alone.alignment is not None
        shift = PART.within(130, hit.strand).start
        assert hit.alignment.score == alone.alignment.score
        assert PART.within(130, hit.strand).start <= hit.alignment.query_start
        assert hit.alignment.query_end <= PART.within(130, hit.strand).stop
        plain = found.scheme.alphabet.encode(request.queries[0].residues)
        codes = plain if hit.strand > 0 else found.scheme.alphabet.reverse_complement(plain)
        np.testing.assert_array_equal(hit.query.codes, codes)
        score = rescore(
            hit.alignment, replace(hit.query, profile=None), found.database.subject(hit.db_index), found.scheme
        )
        assert score == hit.score
        if (
            hit.alignment.cigar == alone.alignment.cigar
            and alone.alignment.subject_start == hit.alignment.subject_start
        ):
            assert hit.alignment.query_start == alone.alignment.query_start + shift


@pytest.mark.parametrize("kind", SCHEMES)
def test_every_alignment_of_a_subject_lies_in_the_part(kind: str) -> None:
    request = altered(made_request(kind), max_hsps=100)
    found, several = answer(request), 0
    for hit in describe_hits(found, 0, range(len(found.queries[0].hits))):
        rows = list(hit.rows())
        several += len(rows) > 1
        for row in rows:
            assert row.alignment is not None
            part = PART.within(130, row.strand)
            assert part.start <= row.alignment.query_start < row.alignment.query_end <= part.stop
            plain = replace(row.query, profile=None)
            assert rescore(row.alignment, plain, found.database.subject(row.db_index), found.scheme) == row.score
    assert several


def test_exports_count_from_the_start_of_the_whole_query() -> None:
    found = answer(made_request("nucleotide"))
    hits, file = describe_hits(found, 0, range(len(found.queries[0].hits))), io.StringIO()
    columns = ("sseqid", "sstrand", "qstart", "qend", "qlen", "qcovhsp")
    write_hits("tsv", found, hits, file, ExportOptions(columns=columns))
    rows = {row["sseqid"]: row for row in csv.DictReader(io.StringIO(file.getvalue()), delimiter="\t")}
    assert (rows["part"]["qstart"], rows["across"]["qstart"], rows["part"]["qlen"]) == ("36", "31", "130")
    assert (rows["back"]["qstart"], rows["back"]["qend"]) == ("31", "90")
    assert rows["back"]["sstrand"] == "minus"
    assert float(rows["back"]["qcovhsp"]) == pytest.approx(100 * 60 / 130, abs=0.1)


@pytest.mark.parametrize("kind", SCHEMES)
def test_other_alignments_stay_in_the_part(kind: str) -> None:
    found = answer(made_request(kind))
    twice = next(row for row, at in enumerate(found.queries[0].hits.db_index) if found.database.ids[at] == "twice")
    (hit,) = describe_hits(found, 0, [twice])
    assert hit.alignment is not None
    second = next_hit(found, 0, hit, [hit.alignment], threading.Event())
    assert second is not None
    assert second.alignment is not None
    assert (second.alignment.query_start, second.alignment.query_end) == (40, 70)
    assert equally_good(found, hit) == 2
    assert [len(query) for query in queries_of(found, 0)] == [60] * (2 if kind == "nucleotide" else 1)


@pytest.mark.parametrize("kind", SCHEMES)
def test_what_is_saved_comes_back_with_its_part(kind: str, tmp_path: Path) -> None:
    found = answer(made_request(kind))
    save_search(found, tmp_path / "made.swgui")
    again = load_search(tmp_path / "made.swgui", database=found.database).result
    assert again.search.query_range == PART
    rows = range(len(found.queries[0].hits))
    assert [hit.alignment for hit in describe_hits(again, 0, rows)] == [
        hit.alignment for hit in describe_hits(found, 0, rows)
    ]
    outcome = run_to_end(verify(again, threading.Event(), engine="cpu"))
    assert isinstance(outcome, Verification)
    assert outcome.ok
    published = load_statistics(found.scheme)
    moved = rerank(again, published, replace(again.search.limits, top=2))
    np.testing.assert_array_equal(moved.queries[0].hits.log10_evalues, found.queries[0].hits.log10_evalues[:2])
    sections = explain_hit(again, 0, next(describe_hits(again, 0, [0])), published)
    assert SAID[kind] in dict(sections)["E-value, published parameters"]
    best = locate(again, 0, int(found.queries[0].hits.db_index[0]), published)
    assert best.log10_evalue == found.queries[0].hits.log10_evalues[0]


@pytest.mark.usefixtures("user_folders")
def test_an_interrupted_run_goes_on_with_its_part(tmp_path: Path, small_chunks: SlowAdapter) -> None:
    request, history, cancel = made_request("protein"), Runs(tmp_path / "runs"), threading.Event()
    residues = request.queries[0].residues
    database = encode_database([SequenceRecord(f"s{at}", "", residues[at:]) for at in range(12)], PROTEIN)
    save_database(database, tmp_path / "many.swdb")
    request = replace(request, database=tmp_path / "many.swdb")
    small_chunks.stop_after = (1, cancel)
    *_, stopped = history.run("search", request, cancel)
    assert isinstance(stopped, Finished)
    assert stopped.outcome.state == "stopped"
    small_chunks.stop_after = None
    (record,) = history.list()
    resumed = history.resume(record.id)
    assert resumed.search.query_range == PART
    *_, last = history.run("search", resumed, threading.Event())
    assert isinstance(last, Finished)
    expected = answer(replace(request, database=database)).queries[0].scores
    np.testing.assert_array_equal(last.outcome.queries[0].scores, expected)
    assert expected is not None
    assert expected[11] == SCHEMES["protein"].matrix.scores[(codes := PROTEIN.encode(residues[30:90])), codes].sum()
    assert history.again(record.id).search.query_range == PART


@pytest.mark.parametrize("text", ["10", "a-b", "0-4", "9-3", "-3", "1-2-3"])
def test_what_is_no_range_is_one_sentence(text: str) -> None:
    with pytest.raises(InvalidParameter, match="for example 10-250"):
        QueryRange.read(text)


@pytest.mark.parametrize("text", ["10-250", " 10 - 250 ", "10..250", "10:250", "10–250"])
def test_a_range_is_read_as_people_write_it(text: str) -> None:
    assert QueryRange.read(text) == QueryRange(10, 250)
    assert QueryRange.read("  ") is None


def test_a_range_beyond_a_query_names_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "q.fa").write_text(">long\nMKVLAWMKVLAW\n>short\nMKVLAW\n")
    words = ["search", "-q", str(tmp_path / "q.fa"), "-d", str(tmp_path / "q.fa"), "--query-range", "3-10"]
    assert main(words) == 2
    told = capsys.readouterr().err
    assert "The query range 3-10 ends beyond the query 'short', which is 6 long." in told
    assert "Traceback" not in told
