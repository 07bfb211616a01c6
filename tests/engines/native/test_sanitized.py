"""Memory errors and undefined behaviour of the compiled library, as the compiler's sanitizers find them."""

from __future__ import annotations

from pathlib import Path

import pytest

from swgui.engines.native.library import VARIABLE
from tests.kernels.sanitized import run_clean, runtime_of
from tests.scripts import load_script

RUNS = sorted(path.stem for path in (Path(__file__).parent / "sanitized_runs").glob("[!_]*.py"))
# -O1 wins over the builder's -O3: quick to compile, and nothing is optimized away.
FLAGS = ("-O1", "-g1", "-fno-omit-frame-pointer", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")


@pytest.fixture(scope="module")
def sanitized(repository, tmp_path_factory):
    """Path of a library with sanitizers, and of what has to be loaded before Python."""
    builder = load_script(repository / "packaging" / "native.py")
    compiler = builder.system_compiler()
    runtime = runtime_of(compiler) if compiler else None
    if runtime is None:
        pytest.skip("no compiler with sanitizers")
    made = builder.build(compiler="system", into=tmp_path_factory.mktemp("sanitized") / "library.so", flags=FLAGS)
    return made, runtime


@pytest.mark.nightly
@pytest.mark.parametrize("module", RUNS)
def test_the_library_touches_only_its_own_memory(repository, sanitized, module):
    made, runtime = sanitized
    run_clean(repository, runtime, f"tests.engines.native.sanitized_runs.{module}", **{VARIABLE: str(made)})
