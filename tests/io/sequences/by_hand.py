"""Results and hits made by hand from CIGAR strings."""

import math

import numpy as np

from swgui.core.alignment import Alignment, count_columns, rescore
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.hits.encoding import encode_query
from swgui.core.hits.results import HitColumns, QueryResult
from swgui.core.scoring import ScoringScheme
from swgui.io.matrices import load_matrix
from tests.asking import BLOSUM62, search_result
from tests.given_hits import Line, changed, given_hit, line_of


def make_scheme(alphabet):
    if alphabet is PROTEIN:
        return BLOSUM62
    return ScoringScheme.from_blast(load_matrix("+2/-3", NUCLEOTIDE), 5, 2)


def make_hit(scheme, query, subject, db_index, rank, query_start, subject_start, cigar, strand=1, log10_evalue=-3.0):
    """Make a hit from a CIGAR string; positions as in `Alignment`."""
    encoded = encode_query(query, scheme, strand)
    codes = scheme.alphabet.encode(subject.residues)
    alignment = Alignment.from_cigar(query_start, subject_start, cigar, 0) if cigar else None
    score = rescore(alignment, encoded, codes, scheme) if alignment else 0
    counts = count_columns(alignment, encoded, codes, scheme) if alignment else None
    bits = score / 2.25 if not math.isnan(log10_evalue) else math.nan
    line = Line(encoded, score, bits, log10_evalue, strand, alignment, counts)
    return given_hit(query, subject, [line], rank=rank, db_index=db_index)


def with_others(best, others, sum_log10_evalue=math.nan):
    """Return a hit with further alignments of the same pair, which are hits themselves."""
    return changed(best, lines=map(line_of, (best, *others)), sum_log10_evalue=sum_log10_evalue)


def make_result(scheme, queries, subjects, hits_of, state="complete"):
    """Make a result; `hits_of` has for each query how many hits it has."""
    nothing = np.zeros(0)
    columns = [
        HitColumns(
            np.arange(count, dtype=np.int64),
            np.ones(count, np.int32),
            np.ones(count, np.int8),
            np.resize(nothing, count) + 1.0 if not count else np.ones(count),
            np.zeros(count),
        )
        for count in hits_of
    ]
    return search_result(
        queries=tuple(QueryResult(query, hits, len(subjects)) for query, hits in zip(queries, columns, strict=True)),
        database=encode_database(subjects, scheme.alphabet, "small db"),
        scheme=scheme,
        strand="plus" if scheme.alphabet is PROTEIN else "both",
        max_evalue=10.0,
        top=500,
        engine="reference",
        devices=("cpu",),
        state=state,
        cells_done=1000,
        cells_total=1000,
        seconds=0.5,
        rescored=0,
        statistics="Karlin-Altschul, published",
        message="",
        version="0.1.0",
        finished_at="2026-11-20T12:00:00+00:00",
    )
