"""Search results made by hand for the tests of the results page: plain data, exact by construction."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from swgui.core.alignment import Alignment, count_columns, rescore
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import ArrayDatabase, TextColumn, encode_database
from swgui.core.hits.results import HitColumns, QueryResult
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme, build_matrix
from swgui.gui.results.page import ResultsPage
from tests.asking import DNA_SCHEME, altered, search_result
from tests.given_hits import Line, given_hit


@pytest.fixture
def made():
    """A result of three queries, its `describe(listed, rows)` and the factory behind it."""
    result, alignments = make_result()
    return SimpleNamespace(result=result, describe=partial(_describe, alignments), make=make_result)


@pytest.fixture
def make_large():
    """Make a result with any number of hits."""
    return make_large_result


@pytest.fixture
def minus_hit():
    """A nucleotide hit on the minus strand, with its result."""
    return make_minus_strand_hit()


@pytest.fixture
def page(qtbot, tasks, made):
    page = ResultsPage(tasks, describe=made.describe)
    qtbot.addWidget(page)
    page.resize(1100, 760)
    page.show_result(made.result)
    page.show()
    qtbot.waitUntil(lambda: tasks.idle and page.alignment.hit is not None)
    return page


QUERY = b"MKWVTFISLLFLFSSAYSRGVFRRDAHKSEVAHRFKDLGEENFKALVLIAFAQYLQQCPF"


def protein_scheme():
    """Return +5 on the diagonal, +1 between I L M V and between K R, −4 elsewhere; gap 11/1."""
    plain = "ARNDCQEGHILKMFPSTWYV"
    groups = ("ILMV", "KR", "DE")
    pairs = {(a, b): 5 if a == b else 1 if any(a in g and b in g for g in groups) else -4 for a in plain for b in plain}
    return ScoringScheme.from_blast(build_matrix("test", PROTEIN, pairs), 11, 1)


def make_result(*, state="complete", statistics=True, names=None):
    """Return a result of three queries: five hits, one hit, none; every score belongs to a true alignment."""
    scheme = protein_scheme()
    subjects = [
        (QUERY, "10M"),
        (QUERY[:30] + QUERY[36:], "30M6I24M"),
        (QUERY.replace(b"I", b"V").replace(b"K", b"R"), ""),
        (b"GGGG" + QUERY[10:50] + b"WWWW", ""),
        (QUERY[:20] + b"PPP" + QUERY[20:], "20M3D40M"),
        (b"WWWWWWW", ""),
    ]
    names = names or [
        ("sp|P02768|ALBU_HUMAN", "Albumin OS=Homo sapiens OX=9606 GN=ALB PE=1 SV=2"),
        ("sp|P02770|ALBU_RAT", "Albumin OS=Rattus norvegicus OX=10116 GN=Alb PE=1 SV=2"),
        ("NP_000468.1", "albumin preproprotein [Homo sapiens]"),
        ("contig_7", "my own | odd text"),
        ("sp|P07724|ALBU_MOUSE", "Albumin OS=Mus musculus OX=10090 GN=Alb PE=1 SV=3"),
        ("nothing", ""),
    ]
    database = encode_database(
        [SequenceRecord(*name, residues) for name, (residues, _) in zip(names, subjects, strict=True)],
        PROTEIN,
        "Test proteins",
    )
    queries = (
        SequenceRecord("sp|P02768|ALBU_HUMAN", "Albumin OS=Homo sapiens OX=9606 GN=ALB PE=1 SV=2", QUERY),
        SequenceRecord("short", "a piece", QUERY[10:20]),
        SequenceRecord("odd", "finds nothing", b"CCCCCCCC"),
    )
    runs = {0: (0, 0, "60M"), 1: (0, 0, "30M6I24M"), 2: (0, 0, "60M"), 3: (10, 4, "40M"), 4: (0, 0, "20M3D40M")}
    alignments = [{}, {}, {}]
    scored = search_result(
        queries=tuple(QueryResult(q, _columns([], [], scheme), len(database)) for q in queries),
        database=database, scheme=scheme, strand="plus", max_evalue=10.0, top=500, engine="reference",
        devices=("test",), state=state, cells_done=62 if state != "complete" else 100, cells_total=100, seconds=0.12,
        rescored=0, statistics="made up" if statistics else "", message="" if state != "failed" else "It broke.",
        version="0.1.0", finished_at="2026-03-01T12:00:00+00:00",
    )  # fmt: skip
    for db_index, (q, s, cigar) in runs.items():
        alignments[0][db_index] = _alignment(scored, 0, db_index, q, s, cigar)
    alignments[1][0] = _alignment(scored, 1, 0, 0, 10, "10M")
    results = []
    for index, query in enumerate(queries):
        found = sorted(alignments[index], key=lambda i: (-alignments[index][i].score, i))
        scores = np.zeros(len(database), dtype=np.int32)
        for i in found:
            scores[i] = alignments[index][i].score
        if not found:
            scores[4] = 5
        hits = _columns(found, [alignments[index][i].score for i in found], scheme, statistics)
        results.append(QueryResult(query, hits, len(database), scores))
    return _with_queries(scored, tuple(results)), alignments


def _with_queries(result, queries):
    return replace(result, queries=queries)


def _alignment(result, query_index, db_index, query_start, subject_start, cigar):
    draft = Alignment.from_cigar(query_start, subject_start, cigar, 0)
    query, subject = result.encoded_query(query_index), result.database.subject(db_index)
    return Alignment.from_cigar(query_start, subject_start, cigar, rescore(draft, query, subject, result.scheme))


def _columns(db_index, scores, scheme, statistics=True):
    scores = np.array(scores, dtype=np.int32)
    return HitColumns(
        db_index=np.array(db_index, dtype=np.int64),
        scores=scores,
        strands=np.ones(len(scores), dtype=np.int8),
        bit_scores=scores * 0.385 if statistics else np.full(len(scores), np.nan),
        log10_evalues=3 - scores * 0.116 if statistics else np.full(len(scores), np.nan),
    )


def _describe(alignments, listed, rows, **_options):
    """Make hits as `swgui.jobs.search.describe.describe_list` does, from the alignments of `make_result`."""
    result, query_index, hits = listed.result, listed.query_index, listed.columns
    query = result.encoded_query(query_index)
    for row in rows:
        db_index = int(hits.db_index[row])
        alignment = alignments[query_index][db_index]
        counts = count_columns(alignment, query, result.database.subject(db_index), result.scheme)
        numbers = int(hits.scores[row]), float(hits.bit_scores[row]), float(hits.log10_evalues[row])
        line = Line(query, *numbers, 1, alignment, counts)
        yield given_hit(listed.query.query, result.database.record(db_index), [line], rank=row + 1, db_index=db_index)


def make_minus_strand_hit():
    """Return a result and its hit on the minus strand: the complement of AACCGGTTTA stands in CC…GG."""
    record = SequenceRecord("q", "", b"AACCGGTTTA")
    subject = SequenceRecord("s", "", b"CCTAAACCGGGG")
    database = encode_database([subject], NUCLEOTIDE)
    hits = HitColumns(
        np.zeros(1, np.int64), np.array([16], np.int32), np.array([-1], np.int8), np.zeros(1), np.array([-5.0])
    )
    result = search_result(
        queries=(QueryResult(record, hits, 1),), database=database, scheme=DNA_SCHEME, strand="both", max_evalue=10.0,
        top=5, engine="reference", devices=(), state="complete", cells_done=1, cells_total=1, seconds=1.0, rescored=0,
        statistics="", message="", version="0", finished_at="",
    )  # fmt: skip
    query = result.encoded_query(0, -1)  # TAAACCGGTT
    alignment = Alignment.from_cigar(0, 2, "8M", 16)
    assert rescore(alignment, query, database.subject(0), DNA_SCHEME) == 16
    counts = count_columns(alignment, query, database.subject(0), DNA_SCHEME)
    return result, given_hit(record, subject, [Line(query, 16, 30.0, -5.0, -1, alignment, counts)])


def make_large_result(rows, seed=1):
    """Return a result with `rows` hits of one query, all names different."""
    rng = np.random.default_rng(seed)
    scheme = protein_scheme()
    lengths = rng.integers(50, 900, rows)
    order = np.argsort(-lengths, kind="stable")
    offsets = np.concatenate([[0], np.cumsum(lengths[order])])
    organisms = ["Homo sapiens", "Mus musculus", "Escherichia coli (strain K12)"]
    database = ArrayDatabase(
        name="Large", alphabet=PROTEIN, codes=np.zeros(0, np.uint8), offsets=offsets, order=order,
        ids=TextColumn.from_texts(f"sp|Q{i % 90000:05d}|N{i}_HUMAN" for i in range(rows)),
        descriptions=TextColumn.from_texts(
            f"Protein number {i} of many OS={organisms[i % 3]} OX=1 PE=1 SV=1" for i in range(rows)
        ),
    )  # fmt: skip
    scores = np.sort(rng.integers(30, 3000, rows).astype(np.int32))[::-1]
    hits = HitColumns(
        db_index=rng.permutation(rows), scores=scores, strands=np.ones(rows, np.int8), bit_scores=scores * 0.385,
        log10_evalues=3 - scores * 0.116 + rng.random(rows),
    )  # fmt: skip
    result, _ = make_result()
    query = QueryResult(result.queries[0].query, hits, rows)
    return altered(result, database=database, queries=(query,), scheme=scheme)
