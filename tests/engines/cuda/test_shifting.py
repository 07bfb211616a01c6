"""Proteins with DNA whose reading may shift, on a real GPU, against the CPU."""

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.engines import EngineOptions
from swgui.core.stretches import Subjects
from swgui.engines.cuda import device
from swgui.engines.shifted import CpuShifts, ShiftScheme, make_shift_engines
from swgui.io.matrices import load_matrix

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not device.probe().available, reason=device.probe().reason or "a GPU"),
]


@pytest.mark.parametrize("lengths", [[1, 127, 128, 129, 300, 513, 1100], [30] * 200])
def test_scores_are_those_of_the_cpu(lengths):
    rng = np.random.default_rng(len(lengths))
    scheme = ShiftScheme(load_matrix("BLOSUM62", PROTEIN).scores, 12, 1, 15)
    proteins, strands = (
        Subjects.packed(rng.integers(0, 20, size=sum(sizes)).astype(np.uint8), np.concatenate([[0], np.cumsum(sizes)]))
        for sizes in (lengths, [1, 2, 95, 96, 97, 5000])
    )
    strands.codes[200:2000] = np.resize(proteins.codes, 1800)
    expected = CpuShifts(scheme).grid(proteins, strands, lambda: None).tolist()
    for engine in make_shift_engines("cuda", scheme, EngineOptions(devices=("all",))):
        begun = [engine.begin(proteins, strands, lambda: None) for _ in range(3)]
        assert all(scores().tolist() == expected for scores in begun)
