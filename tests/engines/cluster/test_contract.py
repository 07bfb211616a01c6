"""The contract of all engines, kept by two workers behind a scheduler."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.engines import EngineOptions
from swgui.core.hits.tally import Tally
from swgui.core.translation.frames import FRAMES
from swgui.core.translation.programs import Translation
from swgui.engines.base import Engine
from swgui.engines.cluster import engine as cluster
from swgui.engines.reference import ReferenceEngine
from swgui.engines.translated import score_missing, with_frameshifts
from swgui.io.database.file import open_database
from swgui.io.database.packed.build import save_packed
from swgui.io.database.packed.writer import PackedWriter
from tests.engines.conftest import all_scores, database_of, query_of, random_codes
from tests.engines.test_contract import *  # noqa: F403
from tests.engines.test_positions import (  # noqa: F401
    test_constant_costs_are_those_of_the_scheme,
    test_plain_queries_and_others_in_one_search,
    test_random_costs,
)
from tests.engines.test_translated import frame_scores

pytest.importorskip("distributed", reason="dask and distributed are not installed")
from tests.engines.cluster.processes import Processes

pytestmark = pytest.mark.sampled(3)  # its workers score as the CPU's engine, which runs every row


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    processes = Processes(tmp_path_factory.mktemp("contract"))
    try:
        for name in ("one", "two"):
            processes.worker(name)
        # Shards of a few subjects, so that most searches use several and cross their edges.
        settings = {"scheduler": processes.address, "shard-residues": "1500"}
        made = cluster.create(EngineOptions(settings=settings))
        yield made
        made.close()
    finally:
        processes.close()


def test_names_itself_and_its_device(engine):
    assert engine.name == "cluster"
    assert {device.id for device in engine.devices} <= {"one", "two"}
    assert all(device.id and device.name and device.facts["engine"] == "cpu" for device in engine.devices)


def test_workers_score_with_frameshifts(engine, rng, protein_scheme):
    translation = Translation("tblastn", shift=15)
    database = database_of([random_codes(rng, int(n), 20) for n in rng.integers(1, 400, 30)], PROTEIN)
    queries = [query_of(random_codes(rng, n, 20), f"q{n}") for n in (30, 90)]
    found, expected = (
        all_scores(
            with_frameshifts(one, protein_scheme, translation, EngineOptions()), queries, database, protein_scheme
        )
        for one in (engine, ReferenceEngine())
    )
    assert (found == expected).all()
    assert (found != all_scores(engine, queries, database, protein_scheme)).any()


def test_workers_score_blocks_of_a_packed_file(engine, protein_scheme, rng, tmp_path, monkeypatch):
    monkeypatch.setitem(PackedWriter.__init__.__kwdefaults__, "block_residues", 4000)
    whole = database_of([random_codes(rng, int(n), 20) for n in rng.integers(0, 300, 60)], PROTEIN)
    save_packed(whole, tmp_path / "packed.swdb")
    packed = open_database(tmp_path / "packed.swdb", in_blocks=True)
    assert len(packed.pieces) > 2
    queries, tally = (
        [query_of(random_codes(rng, n, 20), f"q{n}") for n in (20, 50)],
        Tally(2, len(whole), 5, keep_scores=True),
    )
    for chunk in score_missing(engine, queries, (1,), packed, None, tally, protein_scheme, threading.Event()):
        tally.add(chunk)
    assert (tally.scores == all_scores(ReferenceEngine(), queries, whole, protein_scheme)).all()


def test_workers_score_parts_of_frames(engine, protein_scheme, rng):
    database = database_of([random_codes(rng, int(n), 4) for n in rng.integers(0, 600, 8)], NUCLEOTIDE)
    asked = [query_of(random_codes(rng, 30, 20))], database, FRAMES, protein_scheme, 1 << 20
    found, expected = (frame_scores(one, *asked)[0] for one in (engine, ReferenceEngine()))
    assert (found == expected).all()
    assert found.max() > 0
