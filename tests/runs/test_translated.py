"""Translated searches that were stopped are resumed where they were, frame by frame."""

from __future__ import annotations

import threading

import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.translation.frames import translate
from swgui.core.translation.programs import Translation
from swgui.io.database.build import save_database
from swgui.runs import Runs
from tests.asking import BLOSUM62, answer, search_request
from tests.io.saved.saved_searches import assert_same

pytestmark = pytest.mark.usefixtures("user_folders", "trusted_engines")


@pytest.fixture(params=["blastx", "tblastn", "tblastx"])
def request_on_disk(request, rng, tmp_path):
    """A translated search of twelve subjects whose database is a file."""
    program = Translation(request.param, 4, 11, min_orf=5)
    dna = [rng.integers(0, 4, int(length)).astype("uint8") for length in rng.integers(90, 300, 12)]
    given = {
        NUCLEOTIDE.name: [SequenceRecord(f"d{at}", "", NUCLEOTIDE.decode(one)) for at, one in enumerate(dna)],
        PROTEIN.name: [SequenceRecord(f"p{at}", "", PROTEIN.decode(translate(one, 2))) for at, one in enumerate(dna)],
    }
    kind = program.of.database
    database = encode_database(given[kind.name], kind, "some")
    save_database(database, tmp_path / "some.swdb")
    queries = tuple(given[program.of.query.name][:2])
    return search_request(
        queries=queries,
        database=tmp_path / "some.swdb",
        scheme=BLOSUM62,
        max_evalue=1e3,
        engine="cpu",
        translation=program,
    )


def test_a_stopped_search_is_resumed_in_its_frames(request_on_disk, small_chunks, tmp_path):
    whole, history = answer(request_on_disk), Runs(tmp_path / "runs")
    total = len(small_chunks.scored)
    small_chunks.scored.clear()
    cancel = threading.Event()
    small_chunks.stop_after = (total // 2, cancel)
    stopped = list(history.run("search", request_on_disk, cancel))[-1].outcome
    small_chunks.stop_after = None
    assert stopped.state == "stopped"
    (record,) = history.list()
    assert 0 < record.fraction < 1
    small_chunks.scored.clear()
    asked = history.resume(record.id)
    assert asked.translation == request_on_disk.translation
    again = list(history.run("search", asked, threading.Event()))[-1].outcome
    assert again.state == "complete"
    assert len(small_chunks.scored) == total - total // 2  # nothing is scored twice
    assert_same(whole, replace(again, seconds=whole.seconds, finished_at=whole.finished_at))
    (record,) = history.list()
    kept = history.open(record.id).result
    assert kept.translation == whole.translation
    assert kept.translation.min_orf == 5
