"""Windows narrowed by a device change nothing that is listed: the same code of the host stands for it."""

from __future__ import annotations

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.errors import EngineFault
from swgui.core.query_range import QueryRange
from swgui.core.records import SequenceRecord
from swgui.core.translation.database import TranslatedDatabase, searched
from swgui.core.translation.frames import NAMED_FRAMES
from swgui.core.translation.programs import Translation
from swgui.engines import shift_search, shifted, windows
from swgui.engines.base import DeviceEngine
from swgui.engines.cuda import device as gpu
from swgui.engines.cuda.peaks import GpuPeaks
from swgui.engines.cuda.shifting import CudaShifts
from swgui.engines.narrowing import can_narrow
from swgui.io.statistics import load_statistics
from swgui.jobs.search.describe import describe
from swgui.jobs.search.narrowing import narrower_of
from swgui.jobs.search.ranking import rerank
from swgui.jobs.search.run import _Scoring
from tests.asking import BLOSUM62, altered, answer, search_request
from tests.kernels.on_cpu import COMPILER
from tests.kernels.test_peaks_on_cpu import CpuGpu, spelled

pytestmark = [
    pytest.mark.usefixtures("user_folders", "trusted_engines"),
    pytest.mark.skipif(COMPILER is None, reason="no C++ compiler"),
]


class Device(DeviceEngine):
    """Finds peaks, as a GPU does."""

    def __init__(self):
        self.gpu, self.asked = CpuGpu(), 0

    def peaks_of(self, database, scheme):
        self.asked += 1
        return GpuPeaks.of(self.gpu, database, scheme)


@pytest.fixture
def small_windows(monkeypatch):
    for name in ("PART", "WINDOW"):
        monkeypatch.setattr(windows, name, 64)
    monkeypatch.setattr(windows, "PART_SPANS", 1)
    monkeypatch.setattr(shift_search, "NUMBERED", 600)
    monkeypatch.setattr(shifted.CpuShifts, "overlaps", 2)


@pytest.fixture
def device(small_windows, monkeypatch):
    """A search whose engine brings a device, in small windows."""
    made = Device()
    monkeypatch.setattr(
        _Scoring,
        "narrower_of_engine",
        lambda run, _: narrower_of(made, run.searched, run.request.scheme, run.request.search, run.queries),
    )
    return made


@pytest.fixture
def genome(rng):
    """Three proteins, and DNA that holds parts of them on both strands, some next to each other, some with errors."""
    proteins = [rng.integers(0, 20, size).astype(np.uint8) for size in (40, 90, 33)]
    text = list("".join(rng.choice(list("ACGT"), 7_000)))
    for at, which, part in ((400, 0, slice(2, 38)), (900, 1, slice(5, 80)), (1_200, 1, slice(20, 60)),
                            (1_330, 0, slice(0, 30)), (4_000, 2, slice(0, 33)), (6_880, 0, slice(1, 40))):  # fmt: skip
        piece = spelled(proteins[which][part])
        if at == 900:
            piece = piece[:100] + piece[101:]
        text[at : at + len(piece)] = piece
    plus = NUCLEOTIDE.encode("".join(text).encode())
    minus = NUCLEOTIDE.reverse_complement(plus[:3_000])
    records = [SequenceRecord("a", "", NUCLEOTIDE.decode(plus)), SequenceRecord("b", "", NUCLEOTIDE.decode(minus))]
    queries = [SequenceRecord(f"p{at}", "", PROTEIN.decode(codes)) for at, codes in enumerate(proteins)]
    return queries, records


def request_of(genome, program="tblastn", shift=0, **changes):
    queries, records = genome
    given = search_request(
        queries=tuple(queries),
        database=encode_database(records, NUCLEOTIDE, "dna"),
        scheme=BLOSUM62,
        engine="cpu",
        max_evalue=5.0,
        translation=Translation(program, subject_code=11, shift=shift),
    )
    return altered(given, **changes)


def listed(request):
    """Return all that is listed of a search, and its result."""
    result = answer(request)
    return rows_of(result), result


def rows_of(result):
    """Return all that is listed of a result."""
    parts = [(result.hit_list(at), range(len(query.hits))) for at, query in enumerate(result.queries)]
    names = "hit", "hsp", "scores", "strands", "bit_scores", "log10_evalues"
    rows = []
    for table in describe([(of, list(rows)) for of, rows in parts]).tables:
        columns = [getattr(table, name).tolist() for name in names] + [table.aligned.numbers.tolist()]
        rows.append((columns, list(table.aligned.cigars())))
    return rows


@pytest.mark.parametrize("composition", ["none", "full"])
@pytest.mark.parametrize("shift", [0, 15])
@pytest.mark.sampled(1)
def test_what_is_listed_is_the_same(genome, device, monkeypatch, shift, composition):
    request = request_of(genome, shift=shift, composition=composition)
    found, result = listed(request)
    assert device.asked == 1
    assert device.gpu.launches
    narrow = [one for query in result.queries for one in query.windows.values() if one.least]
    assert narrow
    assert any(len(one.scores) > 1 for one in narrow)
    monkeypatch.setattr(_Scoring, "narrower_of_engine", lambda *_: None)
    expected, wide = listed(request)
    assert found == expected
    assert not any(one.least for query in wide.queries for one in query.windows.values())
    assert sum(len(columns[0]) for columns, _ in found) > len(found) * 2  # several alignments of a subject


@pytest.mark.parametrize("shift", [0, 15])
def test_limits_that_are_moved_find_what_boxes_do_not_hold(genome, device, monkeypatch, shift):
    request = request_of(genome, shift=shift, composition="none", max_evalue=1e-8)
    _, strict = listed(request)
    lenient = altered(request, max_evalue=5.0)
    moved = rerank(strict, load_statistics(BLOSUM62), lenient.search.limits)
    assert any(one.least for query in moved.queries for one in query.windows.values())
    monkeypatch.setattr(_Scoring, "narrower_of_engine", lambda *_: None)
    expected, _ = listed(lenient)
    assert rows_of(moved) == expected
    assert rows_of(moved) != rows_of(strict)


def test_a_part_of_the_queries_and_a_higher_score(genome, device, monkeypatch):
    request = request_of(genome, query_range=QueryRange(3, 30), composition="none")
    found, _ = listed(request)
    monkeypatch.setattr(_Scoring, "narrower_of_engine", lambda *_: None)
    assert found == listed(request)[0]


def test_translated_queries_too(genome, device, monkeypatch):
    _, records = genome
    pieces = [SequenceRecord("q", "", records[0].residues[880:1_180])]
    request = request_of((pieces, records), "tblastx", composition="none", max_evalue=1e-3)
    found, _ = listed(request)
    assert device.gpu.launches
    monkeypatch.setattr(_Scoring, "narrower_of_engine", lambda *_: None)
    assert found == listed(request)[0]


@pytest.mark.parametrize(
    ("frames", "changes"), [("all", {}), ("all", {"max_hsps": 1}), ("all", {"composition": "none"}), ("minus", {})]
)
def test_reads_whose_reading_may_shift(genome, device, monkeypatch, frames, changes):
    proteins, records = genome
    reads = [SequenceRecord(f"r{at}", "", records[0].residues[at : at + 900]) for at in (350, 3_700, 6_100)]
    turned = NUCLEOTIDE.reverse_complement(NUCLEOTIDE.encode(records[0].residues[800:1_500]))
    reads.append(SequenceRecord("turned", "", NUCLEOTIDE.decode(turned)))
    how = Translation("blastx", query_code=11, shift=15, frames=NAMED_FRAMES[frames])
    request = search_request(
        queries=tuple(reads),
        database=encode_database(proteins, PROTEIN, "proteins"),
        scheme=BLOSUM62,
        engine="cpu",
        max_evalue=5.0,
        translation=how,
        **changes,
    )
    found, result = listed(request)
    assert device.asked == 1
    assert device.gpu.launches
    assert any(len(one.scores) for query in result.queries for one in query.windows.values() if one.least)
    monkeypatch.setattr(_Scoring, "narrower_of_engine", lambda *_: None)
    expected, wide = listed(request)
    assert found == expected
    assert not any(query.windows for query in wide.queries)


def test_a_device_that_fails_is_not_asked_again(genome, device, monkeypatch):
    def fail(*_, **__):
        device.asked += 10
        raise EngineFault("It is gone.")

    monkeypatch.setattr(GpuPeaks, "find", fail)
    found, result = listed(request_of(genome, composition="none"))
    assert device.asked > 10
    assert not any(one.least for query in result.queries for one in query.windows.values())
    monkeypatch.setattr(_Scoring, "narrower_of_engine", lambda *_: None)
    assert found == listed(request_of(genome, composition="none"))[0]


@pytest.mark.gpu
@pytest.mark.skipif(not gpu.probe().available, reason=gpu.probe().reason or "a GPU")
@pytest.mark.parametrize("shift", [0, 15])
def test_a_gpu_lists_what_the_cpu_does(genome, small_windows, monkeypatch, shift):
    monkeypatch.setattr(CudaShifts, "overlaps", 2)
    request = request_of(genome, shift=shift)
    found, result = listed(altered(request, engine="cuda"))
    assert any(one.least for query in result.queries for one in query.windows.values())
    assert found == listed(request)[0]


def test_open_reading_frames_and_proteins_cannot_be_narrowed(genome):
    database = request_of(genome).database
    for how in (Translation("tblastn", min_orf=30), Translation("tblastn")):
        made = vars(database).pop("_translated", None)
        assert made is None or isinstance(next(iter(made.values())), TranslatedDatabase)
        assert can_narrow(searched(database, how)) == (how.min_orf < 2)
    assert not can_narrow(database)
