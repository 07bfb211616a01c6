"""Memory errors and undefined behaviour of the compiled library, as the compiler's sanitizers find them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from swgui.engines.native.library import VARIABLE
from tests.scripts import load_script

RUNS = sorted(path.stem for path in (Path(__file__).parent / "sanitized_runs").glob("[!_]*.py"))
# -O1 wins over the builder's -O3: quick to compile, and nothing is optimized away.
FLAGS = ("-O1", "-g1", "-fno-omit-frame-pointer", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")


@pytest.fixture(scope="module")
def sanitized(repository, tmp_path_factory):
    """Path of a library with sanitizers, and of what has to be loaded before Python."""
    builder = load_script(repository / "packaging" / "native.py")
    compiler = builder.system_compiler()
    if not compiler or sys.platform != "linux":
        pytest.skip("no system compiler with sanitizers")
    asked = subprocess.run([compiler, "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
    runtime = asked.stdout.strip()
    if not Path(runtime).is_absolute():
        pytest.skip("no AddressSanitizer for this compiler")
    made = builder.build(compiler="system", into=tmp_path_factory.mktemp("sanitized") / "library.so", flags=FLAGS)
    return made, Path(runtime).resolve()


@pytest.mark.nightly
@pytest.mark.parametrize("module", RUNS)
def test_the_library_touches_only_its_own_memory(repository, sanitized, module):
    made, runtime = sanitized
    environment = {
        **os.environ,
        VARIABLE: str(made),
        "LD_PRELOAD": str(runtime),
        "ASAN_OPTIONS": "detect_leaks=0",  # Python never frees everything
        "PYTHONPATH": str(repository),
        "PYTHONMALLOC": "malloc",
    }
    run = subprocess.run(
        [sys.executable, "-m", f"tests.engines.native.sanitized_runs.{module}"],
        cwd=repository,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert run.returncode == 0, run.stderr[-3000:]
    assert run.stdout.strip() == "clean"
