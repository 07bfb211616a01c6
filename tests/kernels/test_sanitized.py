"""Memory errors of the kernels, as AddressSanitizer finds them on the CPU."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kernels.on_cpu import COMPILER


def sanitizer() -> str:
    """Path of the library that has to be loaded before Python; empty if there is none."""
    if COMPILER is None or sys.platform != "linux":
        return ""
    found = subprocess.run([COMPILER, "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
    path = found.stdout.strip()
    return path if os.path.isabs(path) and Path(path).exists() else ""


@pytest.mark.nightly
@pytest.mark.parametrize("module", ["search", "strips", "methods", "pair_wavefront"])
def test_kernels_touch_only_their_own_memory(repository, module):
    library = sanitizer()
    if not library:
        pytest.skip("no AddressSanitizer for this compiler")
    environment = {
        **os.environ,
        "LD_PRELOAD": str(Path(library).resolve()),
        # Python never frees everything; coroutines switch stacks under the sanitizer's eyes.
        "ASAN_OPTIONS": "detect_leaks=0:detect_stack_use_after_return=0",
        "PYTHONPATH": str(repository),
        "PYTHONMALLOC": "malloc",
    }
    run = subprocess.run(
        [sys.executable, "-m", f"tests.kernels.sanitized_runs.{module}"],
        cwd=repository,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert run.returncode == 0, run.stderr[-3000:]
    assert run.stdout.strip() == "clean"
