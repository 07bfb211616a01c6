"""The wavefront method on a GPU, beyond the contract of all methods: bands that run side by side, large scores."""

from __future__ import annotations

import os
import threading
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.engines import EngineOptions
from swgui.core.pair.problem import PairAligned, PairMode, PairProblem, PairProgress
from swgui.core.plain import replace
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines.cuda.pair.wavefront import engine as wavefront
from swgui.engines.pair.registry import make_pair_engine, pair_status
from swgui.io.matrices import load_matrix
from swgui.io.sequences.reader import read_sequences
from tests.asking import DNA_SCHEME
from tests.engines.conftest import random_codes, relative
from tests.engines.pair.reference import ask, pairs_of
from tests.reference import gotoh_score_wide

pytestmark = pytest.mark.gpu

SETTINGS = ({}, {"rows": "1", "columns": "1"}, {"rows": "16", "columns": "4"}, {"prune": "on"}, {"bits": "32"})


@pytest.fixture(autouse=True)
def _on_a_gpu():
    status = pair_status("wavefront")
    if not status.available:
        pytest.skip(f"{status.reason} {status.hint}")


def engine_with(**settings):
    return closing(make_pair_engine("wavefront", EngineOptions(settings=settings)))


@pytest.mark.parametrize("mode", tuple(PairMode))
def test_every_setting_gives_the_same_end(rng, monkeypatch, mode):
    monkeypatch.setattr(wavefront, "TUNING", replace(wavefront.TUNING, saved_rows=1))
    for _ in range(4):
        query = random_codes(rng, int(rng.integers(1_000, 9_000)), 4)
        subject = np.concatenate([random_codes(rng, int(rng.integers(1, 3_000)), 4), relative(rng, query, 4)])
        ends = set()
        for settings in SETTINGS:
            with engine_with(**settings) as engine:
                ends.add(ask(engine, query, subject, DNA_SCHEME, mode).end)
        assert len(ends) == 1


def test_scores_of_unrelated_pairs_equal_the_textbook(rng):
    with engine_with() as engine:
        for rows, columns in ((3_000, 2_500), (1_023, 4_097), (4_225, 511)):
            query, subject = random_codes(rng, rows, 4), random_codes(rng, columns, 4)
            answer = ask(engine, query, subject, DNA_SCHEME)
            assert answer.end.score == gotoh_score_wide(
                DNA_SCHEME.matrix.scores[query], subject, DNA_SCHEME.gap_first, DNA_SCHEME.gap_extend
            )


def test_next_best_alignments_share_no_pair(rng):
    unit = random_codes(rng, 1_500, 4)
    query = np.concatenate([unit, random_codes(rng, 700, 4), relative(rng, unit, 4)])
    subject = np.concatenate([relative(rng, unit, 4), random_codes(rng, 300, 4), unit])
    ends = []
    for settings in ({}, {"bits": "32"}):
        found = []
        with engine_with(**settings) as engine:
            for _ in range(3):
                found.append(ask(engine, query, subject, DNA_SCHEME, found=found).alignment)
        ends.append([one.score for one in found])
        pairs = [pairs_of(one) for one in found]
        assert all(not one & other for i, one in enumerate(pairs) for other in pairs[:i])
    assert ends[0][0] == ends[1][0]
    assert ends[0] == sorted(ends[0], reverse=True)


def test_proteins(rng):
    scheme = ScoringScheme(load_matrix("BLOSUM62", PROTEIN), 12, 1)
    query = random_codes(rng, 3_000, 20)
    subject = relative(rng, query, 20)
    with engine_with() as engine:
        answer = ask(engine, query, subject, scheme)
    assert answer.end.score == gotoh_score_wide(scheme.matrix.scores[query], subject, 12, 1)


def test_a_cancelled_run_leaves_the_device_ready(rng):
    query = random_codes(rng, 400_000, 4)
    cancel = threading.Event()
    with engine_with() as engine:
        for step in engine.run(PairProblem(EncodedQuery("q", query), query, DNA_SCHEME), cancel):
            assert not isinstance(step, PairAligned)
            if isinstance(step, PairProgress) and not cancel.is_set():
                cancel.set()
        assert cancel.is_set()
        assert ask(engine, query[:3_000], query[:3_000], DNA_SCHEME).end.score == 6_000


@pytest.mark.data
def test_two_strains_align_whole(rng):
    folder = Path(os.environ.get("SWGUI_DATA", Path(__file__).parents[4] / "shared" / "data"))
    paths = [folder / "dna" / f"shew_os{number}.fa.gz" for number in (185, 223)]
    if not all(path.exists() for path in paths):
        pytest.skip(f"no sequences in {folder / 'dna'}")
    query, subject = (NUCLEOTIDE.encode(next(iter(read_sequences(path))).residues) for path in paths)
    with engine_with() as engine:
        local = ask(engine, query, subject, DNA_SCHEME)
        whole = ask(engine, query, subject, DNA_SCHEME, PairMode.GLOBAL)
    assert local.end.score >= whole.end.score
    assert whole.alignment.query_end == len(query)


@pytest.mark.parametrize("rows", ["2", "4", "auto"])
def test_leaving_out_changes_nothing_in_a_rearranged_genome(rng, rows):
    # Bands leave out different chunks, so that one may run where those before it did not: a border that was read
    # too early would be that of five bands ago.
    query = random_codes(rng, 150_000, 4)
    pieces = np.array_split(query, 60)
    order = [*range(20, 40), *rng.permutation(20), *rng.permutation(np.arange(40, 60))]
    subject = np.concatenate([relative(rng, pieces[number], 4) for number in order])
    ends = []
    for prune in ("off", "on", "on", "on"):
        with engine_with(rows=rows, prune=prune) as engine:
            ends.append(ask(engine, query, subject, DNA_SCHEME, score_only=True).end)
    assert len(set(ends)) == 1
