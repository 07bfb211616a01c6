"""What identifies unfinished work on a pair, and the files in which earlier versions kept its state unasked."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.pair.problem import PairPlan
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme, match_mismatch
from swgui.engines.base import EngineOptions
from swgui.io.saved import pair_checkpoint
from swgui.jobs.pair import checkpoint
from swgui.jobs.pair.checkpoint import (
    CheckpointIdentity,
    forget_old_checkpoints,
)
from swgui.jobs.pair.request import PairRequest

QUERY, SUBJECT = SequenceRecord("q", "", b"GATTACA"), SequenceRecord("s", "", b"GATCACA")
SCHEME = ScoringScheme.from_blast(match_mismatch(NUCLEOTIDE, 2, -3), 5, 2)
REQUEST = PairRequest(QUERY, SUBJECT, SCHEME, strand="both", limit=3, min_score=5)
PLAN = PairPlan("wavefront", ("0",), 49, 98, settings={"rows": "8", "bits": "16", "threads": "4"}, seconds=20.0)
NAME_OF_0_1 = "3d13d1e72c5fd2cced7b23478aafe5d2.wavefront.d0f59651.pair"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint.paths, "data_dir", lambda: tmp_path)
    return tmp_path / "pairs"


def path_of(request=REQUEST, plan=PLAN):
    return CheckpointIdentity.of(request, plan).path


def test_files_of_version_0_1_are_found(folder):
    assert path_of() == folder / NAME_OF_0_1


def test_neither_threads_nor_devices_are_part_of_it(folder):
    elsewhere = replace(PLAN, devices=("1",), settings={**PLAN.settings, "threads": "1"})
    assert path_of(replace(REQUEST, options=EngineOptions(("1",), threads=1)), elsewhere) == path_of()


def test_all_that_is_asked_is_part_of_it(folder):
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
    paths = {path_of(), *map(path_of, others), *(path_of(plan=plan) for plan in plans)}
    assert len(paths) == 1 + len(others) + len(plans)


def test_every_fact_has_words_for_the_user():
    facts = CheckpointIdentity.of(REQUEST, PLAN).facts()
    assert set(facts) == set(pair_checkpoint._NAMES)
    assert len(facts) == len(fields(CheckpointIdentity))


def test_old_states_are_deleted_and_new_ones_kept(monkeypatch, folder):
    folder.mkdir(parents=True)
    (folder / "x.pair").write_bytes(b"old")
    forget_old_checkpoints()
    assert (folder / "x.pair").exists()
    monkeypatch.setattr(checkpoint.time, "time", lambda: 4e9)
    forget_old_checkpoints()
    assert not (folder / "x.pair").exists()
