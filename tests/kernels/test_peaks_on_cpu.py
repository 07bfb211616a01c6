"""Peaks of stretches as a GPU finds them, run on the CPU: against H of every cell; and windows narrowed by them."""

from __future__ import annotations

import ctypes
import threading

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.hits.scores import WindowScores
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.core.stretches import Subjects
from swgui.core.translation.database import searched
from swgui.core.translation.frames import FRAMES, SHIFTING, reading
from swgui.core.translation.peaks import Stretches
from swgui.core.translation.programs import Translation
from swgui.engines.cuda import device
from swgui.engines.cuda.gpu import Gpu
from swgui.engines.cuda.modules import source
from swgui.engines.cuda.peaks import TOGETHER, GpuPeaks
from swgui.engines.cuda.shifting import FILE, KERNEL, ROWS, ShiftVariant
from swgui.engines.narrowing import NO_SHIFT, Narrowing, spans_of
from swgui.engines.windows import cut
from swgui.io.matrices import load_matrix
from tests.kernels import nvrtc, on_cpu
from tests.kernels.on_cpu import COMPILER, library, pointer

needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")


class CpuGpu(on_cpu.CpuGpu):
    """The calls of `GpuPeaks` to a GPU."""

    multiprocessors = 1

    def __init__(self):
        super().__init__()
        self.cancel_flag = np.zeros(1, dtype=np.int32)
        self.launches = 0
        self._one = threading.Lock()  # kernels on the CPU know one launch at a time

    def clear(self, array, stream):
        array[:] = 0

    def kernel(self, file, name, defines, shared_bytes):
        assert (file, name) == (FILE, KERNEL)
        run = library("frameshift/on_cpu.cpp", defines).run_shifts

        def launch(grid, block, arguments, *, shared_mem):
            self.launches += 1
            given = (pointer(one) if isinstance(one, np.ndarray) else ctypes.c_int(int(one)) for one in arguments)
            with self._one:
                run(1, ctypes.c_size_t(shared_mem), *given)

        return launch


def scheme_of(first=11, extend=1):
    return ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), first, extend)


def database_of(texts, shift=0):
    records = [SequenceRecord(f"s{at}", "", text.encode()) for at, text in enumerate(texts)]
    database = encode_database(records, NUCLEOTIDE, "dna")
    return searched(database, Translation("tblastn", subject_code=11, shift=shift))


def spelled(protein):
    """Return DNA that is translated to a protein."""
    codons = "GCTCGTAATGATTGTCAAGAAGGTCATATTCTTAAAATGTTTCCTTCTACTTGGTATGTT"
    places = ["ARNDCQEGHILKMFPSTWYV".index(residue) for residue in PROTEIN.decode(protein).decode()]
    return "".join(codons[3 * place : 3 * place + 3] for place in places)


def best_of_columns(profile, codes, scheme, shift):
    """Return the highest H of every column, which follows that three before it where the reading shifts."""
    apart, rows = 3 if shift >= 0 else 1, np.arange(len(profile) + 1)
    h = np.zeros((len(codes) + 5, len(rows)), dtype=np.int64)  # column j at j + 5
    e = np.full_like(h, -(10**6))
    for at, code in enumerate(codes, start=5):
        before = h[at - apart]
        if shift >= 0:
            before = np.maximum(before, h[[at - apart + move for move in (1, -1, 2, -2)]].max(axis=0) - shift)
        e[at] = np.maximum(h[at - apart] - scheme.gap_first, e[at - apart] - scheme.gap_extend)
        h[at, 1:] = np.maximum(0, np.maximum(before[:-1] + profile[:, code], e[at, 1:]))
        opened = np.maximum.accumulate(h[at] + rows * scheme.gap_extend)[:-1]  # the best start of a gap before each row
        h[at, 1:] = np.maximum(h[at, 1:], opened - scheme.gap_first - rows[:-1] * scheme.gap_extend)
    return h[5:].max(axis=1)


def real_gpu():
    """Return a GPU, the first there is."""
    return Gpu(device.import_cupy(), device.choose(device.probe().devices, ())[0])


GPUS = [
    pytest.param(CpuGpu, marks=needs_compiler),
    pytest.param(real_gpu, marks=[pytest.mark.gpu, pytest.mark.skipif(
        not device.probe().available, reason=device.probe().reason or "a GPU")]),
]  # fmt: skip


@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("shift", [0, 15])
def test_peaks_are_the_best_scores_of_columns(rng, gpu, shift, backwards):
    scheme = scheme_of()
    proteins = [rng.integers(0, 20, size).astype(np.uint8) for size in (7, 40, 140)]
    text = "".join(rng.choice(list("ACGT"), 400))
    text = (
        text[:50] + spelled(proteins[1]) + text[50:200] + spelled(proteins[2][30:70]) + "A" + spelled(proteins[2][70:])
    )
    peaks, packed = GpuPeaks(gpu(), database_of([text, text[::-1]], shift), scheme), Subjects.stacked(proteins)
    strands, apart = peaks.strands, 1 if shift else 3
    wanted = [(1, 0, 0, 180), (1, 0, 1, 99), (2, 0, 2, 180), (0, 1, 0, 40), (2, 1, 5, 17), (1, 0, 4, 1), (2, 0, 0, 190)]
    if shift:
        wanted = [(protein, subject, first, 3 * columns + first % 3) for protein, subject, first, columns in wanted]
    of, subject, first, lengths = np.array(wanted, dtype=np.int64).T
    begins = strands.plus[subject] + first
    least = np.full(len(of), 9)
    given = Stretches(of, begins + (apart * (lengths - 1) if backwards else 0), lengths, least)
    stretch, block, score = peaks.find(packed, given, backwards=backwards)
    found = {}
    for key, value in zip(zip(stretch.tolist(), block.tolist(), strict=True), score.tolist(), strict=True):
        found[key] = max(found.get(key, 0), value)
    width, expected = peaks.width, {}
    for number, (protein, *_, columns) in enumerate(wanted):
        codes = strands.codes[begins[number] + apart * np.arange(columns)]
        profile = scheme.matrix.scores[proteins[protein]]
        sides = (profile[::-1], codes[::-1]) if backwards else (profile, codes)
        best = best_of_columns(*sides, scheme, shift or NO_SHIFT)
        for at in range(0, columns, width):
            if (top := int(best[at : at + width].max())) >= 9:
                expected[number, at // width] = top
    inside = {key: value for key, value in found.items() if key[1] * width < lengths[key[0]]}
    assert inside == expected
    assert max(expected.values()) > 150


@needs_compiler
@pytest.mark.parametrize("shift", [0, 15])
def test_boxes_hold_the_alignments_of_windows(rng, shift):
    scheme, least = scheme_of(), 40
    proteins = [rng.integers(0, 20, size).astype(np.uint8) for size in (60, 150)]
    text = "".join(rng.choice(list("ACGT"), 9000))
    for at in (100, 2000, 2300, 8500):
        piece = spelled(proteins[at % 3 % 2][10 : 10 + 30 + at % 40])
        text = text[:at] + piece + text[at + len(piece) :]
    database = database_of([text], shift)
    peaks, packed = GpuPeaks(CpuGpu(), database, scheme), Subjects.stacked(proteins)
    spans = spans_of(packed, database, scheme)
    readings = [reading(0, frame) for frame in ((SHIFTING, -SHIFTING) if shift else FRAMES)]
    items, windows = [], []
    for protein in range(2):
        for of in readings:
            codes = database.subject(0, of)
            best = best_of_columns(scheme.matrix.scores[proteins[protein]], codes, scheme, shift or NO_SHIFT)
            ranges = np.array(cut(len(codes), int(spans[protein]), 4 * int(spans[protein])), dtype=np.int64)
            score = np.array([best[a:b].max() for a, b in ranges], dtype=np.int32)  # as good as its own
            items.append((protein, of, best))
            windows.append(WindowScores(0, ranges[:, 0], ranges[:, 1] + (2 if shift else 0), score))
    of = np.array([protein for protein, *_ in items])
    firsts = peaks.strands.begins(np.zeros(len(of), dtype=np.int64), np.array([frame for _, frame, _ in items]))
    asked = np.full(len(of), least, dtype=np.int64)
    made = Narrowing(peaks, packed, spans, of, firsts, windows, asked, bool(shift)).boxes()
    assert sum(len(one.scores) for one in made) >= 4
    for (_, _, best), one in zip(items, made, strict=True):
        assert one.boxes(least)
        assert not one.boxes(least - 1)
        assert (one.starts[1:] >= one.stops[:-1]).all()
        reached = np.flatnonzero(best >= least)
        at = np.searchsorted(one.starts, reached, side="right") - 1
        assert (reached < one.stops[at]).all()
        assert int(one.scores.max(initial=0)) == (int(best.max()) if len(reached) else 0)
        assert (one.stops - one.starts).sum() < len(best) / 2


def test_windows_that_bytes_cannot_hold_stay_as_they_are(rng):
    scheme, database = scheme_of(), database_of(["ACGT" * 100])
    peaks = GpuPeaks(CpuGpu(), database, scheme)
    packed = Subjects.stacked([rng.integers(0, 20, 30).astype(np.uint8)])
    one = WindowScores(0, np.array([0]), np.array([130]), np.array([40_000], dtype=np.int32))
    nothing = np.zeros(1, dtype=np.int64)
    spans = spans_of(packed, database, scheme)
    made = Narrowing(peaks, packed, spans, nothing, nothing, [one], nothing + 5, by_base=False).boxes()
    assert made == [one]


@pytest.mark.skipif(nvrtc.library() is None, reason="the wheel nvidia-cuda-nvrtc is not installed")
@pytest.mark.parametrize("architecture", nvrtc.ARCHITECTURES)
@pytest.mark.parametrize("shift", [NO_SHIFT, 15])
def test_it_compiles_for_every_gpu(architecture, shift):
    rows = ROWS[2] if architecture >= 90 else ROWS[0]
    variant = ShiftVariant(rows, 27, 12, 1, shift, peaks=TOGETHER)
    used = nvrtc.compile_kernel(source(FILE), architecture, variant.defines())[KERNEL]
    assert used.spilled == 0
