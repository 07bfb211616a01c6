"""What identifies unfinished work on a pair."""

from __future__ import annotations

from dataclasses import fields

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.engines import EngineOptions
from swgui.core.pair.problem import PairPlan
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme, match_mismatch
from swgui.io.saved import pair_checkpoint
from swgui.jobs.pair.request import CheckpointIdentity, PairRequest

QUERY, SUBJECT = SequenceRecord("q", "", b"GATTACA"), SequenceRecord("s", "", b"GATCACA")
SCHEME = ScoringScheme.from_blast(match_mismatch(NUCLEOTIDE, 2, -3), 5, 2)
REQUEST = PairRequest(QUERY, SUBJECT, SCHEME, strand="both", limit=3, min_score=5)
PLAN = PairPlan("wavefront", ("0",), 49, 98, settings={"rows": "8", "bits": "16", "threads": "4"}, seconds=20.0)


def identity_of(request=REQUEST, plan=PLAN):
    return repr(CheckpointIdentity.of(request, plan))


def test_runs_that_are_kept_are_found():
    """The digest stands in the files of runs."""
    assert CheckpointIdentity.of(REQUEST, PLAN).asked == "3d13d1e72c5fd2cced7b23478aafe5d2"


def test_neither_threads_nor_devices_are_part_of_it():
    elsewhere = replace(PLAN, devices=("1",), settings={**PLAN.settings, "threads": "1"})
    assert identity_of(replace(REQUEST, options=EngineOptions(("1",), threads=1)), elsewhere) == identity_of()


def test_all_that_is_asked_is_part_of_it():
    others = [
        replace(REQUEST, **changes)
        for changes in (
            {"query": SUBJECT},
            {"subject": QUERY},
            {"scheme": ScoringScheme.from_blast(match_mismatch(NUCLEOTIDE, 2, -2), 5, 2)},
            {"scheme": ScoringScheme.from_blast(SCHEME.matrix, 6, 2)},
            {"limit": 1, "mode": "global"},
            {"strand": "plus"},
            {"limit": 1, "score_only": True},
            {"limit": 2},
            {"min_score": 6},
        )
    ]
    plans = [replace(PLAN, method="tiled"), replace(PLAN, settings={"rows": "4"})]
    found = {identity_of(), *map(identity_of, others), *(identity_of(plan=plan) for plan in plans)}
    assert len(found) == 1 + len(others) + len(plans)


def test_every_fact_has_words_for_the_user():
    facts = CheckpointIdentity.of(REQUEST, PLAN).facts()
    assert set(facts) == set(pair_checkpoint._NAMES)
    assert len(facts) == len(fields(CheckpointIdentity))
