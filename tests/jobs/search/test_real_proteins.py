"""The whole path on real proteins: from FASTA files to ranked, aligned hits."""

import threading

import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.scoring import ScoringScheme
from swgui.io.matrices import load_matrix
from swgui.io.sequences.reader import read_sequences
from swgui.jobs.search.run import run_search
from tests.asking import search_request
from tests.described import describe_hits

SELF_HITS = ("P27895", "P21177")  # queries that are in the database, too


@pytest.mark.data
@pytest.mark.slow
def test_queries_that_are_in_the_database_find_themselves_first(data_dir):
    proteins = data_dir / "proteins"
    records = {query.id: query for query in read_sequences(proteins / "cudasw_20queries.fasta")}
    queries = tuple(next(r for name, r in records.items() if accession in name) for accession in SELF_HITS)
    request = search_request(
        queries=queries,
        database=proteins / "swissprot_16species.fasta.gz",
        scheme=ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), 11, 1),
        top=5,
    )
    result = list(run_search(request, threading.Event()))[-1].result
    assert result.state == "complete"
    for index, accession in enumerate(SELF_HITS):
        first = next(describe_hits(result, index, [0]))
        assert accession in first.subject.id
        assert first.counts.pident == 100.0
        assert first.query_coverage == first.subject_coverage == 100.0
        assert first.log10_uncorrected < -300
        assert first.log10_evalue < -300
