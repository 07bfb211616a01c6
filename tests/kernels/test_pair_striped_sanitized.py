"""Memory errors of the striped and chunked kernels, as AddressSanitizer finds them on the CPU."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kernels.test_sanitized import sanitizer


def test_strips_touch_only_their_own_memory(repository):
    library = sanitizer()
    if not library:
        pytest.skip("no AddressSanitizer for this compiler")
    environment = {
        **os.environ,
        "LD_PRELOAD": str(Path(library).resolve()),
        "ASAN_OPTIONS": "detect_leaks=0:detect_stack_use_after_return=0",
        "PYTHONPATH": str(repository),
        "PYTHONMALLOC": "malloc",
    }
    command = [sys.executable, "-m", "tests.kernels.sanitized_strips"]
    run = subprocess.run(command, cwd=repository, env=environment, capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stderr[-3000:]
    assert run.stdout.strip() == "clean"
