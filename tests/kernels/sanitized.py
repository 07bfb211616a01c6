"""Programs that run compiled code under the sanitizers of the compiler."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def runtime_of(compiler: str) -> Path | None:
    """Return the library that has to be loaded before Python; None if there is none."""
    if sys.platform != "linux":
        return None
    asked = subprocess.run([compiler, "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
    path = Path(asked.stdout.strip())
    return path.resolve() if path.is_absolute() and path.exists() else None


def run_clean(repository: Path, runtime: Path, module: str, **environment: str) -> None:
    """Run a program that says "clean" in the end."""
    # Python never frees everything; coroutines of kernels switch stacks under the sanitizer's eyes.
    options = {"ASAN_OPTIONS": "detect_leaks=0:detect_stack_use_after_return=0", "PYTHONMALLOC": "malloc"}
    run = subprocess.run(
        [sys.executable, "-m", module],
        cwd=repository,
        env={**os.environ, "LD_PRELOAD": str(runtime), "PYTHONPATH": str(repository), **options, **environment},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert run.returncode == 0, run.stderr[-3000:]
    assert run.stdout.strip() == "clean"
