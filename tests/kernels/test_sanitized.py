"""Memory errors of the kernels, as AddressSanitizer finds them on the CPU."""

from __future__ import annotations

import pytest

from tests.kernels.on_cpu import COMPILER
from tests.kernels.sanitized import run_clean, runtime_of


@pytest.mark.nightly
@pytest.mark.parametrize("module", ["search", "strips", "methods", "pair_wavefront"])
def test_kernels_touch_only_their_own_memory(repository, module):
    runtime = runtime_of(COMPILER) if COMPILER else None
    if runtime is None:
        pytest.skip("no AddressSanitizer for this compiler")
    run_clean(repository, runtime, f"tests.kernels.sanitized_runs.{module}")
