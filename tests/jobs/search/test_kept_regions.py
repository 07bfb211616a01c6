"""What the correction for composition finds of best alignments is not looked for again, and is what would be found."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.plain import replace
from swgui.core.query_range import QueryRange
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme, match_mismatch
from swgui.engines import cpu, native, windows
from swgui.engines.traceback import many
from swgui.io.matrices import load_matrix
from swgui.io.saved.search import load_search, save_search
from swgui.io.statistics import load_statistics
from swgui.jobs.search.events import Finished
from swgui.jobs.search.limits import align_rows
from swgui.jobs.search.ranking import rerank
from swgui.jobs.search.run import run_search
from tests.asking import search_request

KINDS = {
    "protein": (PROTEIN, ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), 11, 1), b"ARNDCQEGHILKMFPSTWYV"),
    "nucleotide": (NUCLEOTIDE, ScoringScheme.from_blast(match_mismatch(NUCLEOTIDE, 2, -3), 5, 2), b"ACGT"),
}


def made(kind, part=None, long=0):
    """Search with relatives on all strands, in subjects with so many more residues."""
    alphabet, scheme, letters = KINDS[kind]
    chance = np.random.default_rng(11)

    def some(length):
        return bytes(chance.choice(list(letters), length).astype(np.uint8))

    whole = some(120)
    back = alphabet.decode(alphabet.reverse_complement(alphabet.encode(whole))) if alphabet is NUCLEOTIDE else whole
    subjects = [some(40 + at) + (whole, back)[at % 2][at : 119 - at] + some(30 + long) for at in range(12)]
    database = encode_database([SequenceRecord(str(at), "", one) for at, one in enumerate(subjects)], alphabet)
    strand = "both" if alphabet is NUCLEOTIDE else "plus"
    query = SequenceRecord("q", "", whole)
    *_, last = run_search(
        search_request(queries=(query,), database=database, scheme=scheme, strand=strand, query_range=part,
                      engine="cpu", max_hsps=1),
        threading.Event(),
    )  # fmt: skip
    assert isinstance(last, Finished)
    return last.result


def aligned(result):
    parts = align_rows(result.hit_list(0), np.arange(len(result.queries[0].hits)))
    pairs = [part.pair(line) for part in parts for line in range(len(part))]
    return [(*alignment.path, alignment.score, counts) for alignment, counts in pairs]


def without_regions(result):
    query = result.queries[0]
    return replace(result, queries=(replace(query, hits=replace(query.hits, regions=None)),))


@pytest.mark.parametrize("part", [None, QueryRange(21, 100)], ids=["whole", "part"])
@pytest.mark.parametrize(("kind", "long"), [("protein", 0), ("nucleotide", 0), ("nucleotide", 3_000)])
def test_alignments_are_made_in_the_regions_that_are_known(kind, part, long, monkeypatch):
    monkeypatch.setattr(cpu, "LANE_CELLS", 120_000)
    monkeypatch.setattr(windows, "WINDOW", 300)
    monkeypatch.setattr(windows, "SPANS", 1)
    result = made(kind, part, long)
    hits = result.queries[0].hits
    assert len(hits) >= 10
    assert (hits.regions.scores == hits.scores).all()
    assert set(hits.strands.tolist()) == ({1, -1} if kind == "nucleotide" else {1})
    assert bool(result.queries[0].windows) == bool(long)
    expected = aligned(without_regions(result))
    monkeypatch.setattr(many.native, "regions", None)
    assert aligned(result) == expected


def test_what_has_no_region_is_looked_for():
    result = made("protein")
    query = result.queries[0]
    regions = query.hits.regions.take(np.arange(len(query.hits)))
    regions.put(np.arange(3), native.Regions.unknown(3))
    some = replace(result, queries=(replace(query, hits=replace(query.hits, regions=regions)),))
    assert aligned(some) == aligned(result)


def test_saved_and_ranked_anew_alignments_are_the_same(tmp_path):
    result = made("protein")
    expected = aligned(result)
    moved = rerank(result, load_statistics(result.scheme), replace(result.search.limits, top=5))
    assert aligned(moved) == expected[:5]
    save_search(result, tmp_path / "run.swgui")
    loaded = load_search(tmp_path / "run.swgui").result
    assert loaded.queries[0].hits.regions is None
    assert aligned(loaded) == expected
