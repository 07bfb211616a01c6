"""What every test relies on: Qt without a screen, folders of their own, and reasons for what is skipped.

Environment variables are set when this file is loaded, before any test module can import Qt or the program.
"""

from __future__ import annotations

import functools
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

REPOSITORY = Path(__file__).resolve().parent.parent

# Without a display and without this, Qt ends the process.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

# No test may see or change the settings, caches and databases of whoever runs it.
_HOME = Path(tempfile.mkdtemp(prefix="swgui-tests-"))
for _variable in ("SWGUI_CONFIG_DIR", "SWGUI_CACHE_DIR", "SWGUI_DATA_DIR"):
    os.environ[_variable] = str(_HOME / _variable.removeprefix("SWGUI_").lower())

# A slow machine is not a failing test, and a run in CI is the same every time.
settings.register_profile("swgui", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("swgui")


def pytest_unconfigure(config: pytest.Config) -> None:
    shutil.rmtree(_HOME, ignore_errors=True)


def real_data() -> Path:
    """Folder of the real sequences, which are not part of the repository; it need not exist."""
    return Path(os.environ.get("SWGUI_DATA") or REPOSITORY.parent / "shared" / "data")


@functools.cache
def why_no_gpu() -> str:
    """Return why the CUDA engine cannot run here; empty if it can."""
    from swgui.engines.registry import probe_engines

    for status in probe_engines():
        if status.name == "cuda":
            return "" if status.available else (status.reason or "The cuda engine is not available here.")
    return "The engine registry has no cuda engine."


def pytest_runtest_setup(item: pytest.Item) -> None:
    # Asked test by test, so that a run without such tests probes nothing.
    if item.get_closest_marker("data") and not real_data().is_dir():
        pytest.skip(f"no real sequences in {real_data()}; set SWGUI_DATA to their folder")
    if item.get_closest_marker("gpu") and (reason := why_no_gpu()):
        pytest.skip(reason)


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Folder of the real sequences; the test is skipped where it is absent."""
    folder = real_data()
    if not folder.is_dir():
        pytest.skip(f"no real sequences in {folder}; set SWGUI_DATA to their folder")
    return folder


@pytest.fixture(scope="session")
def repository() -> Path:
    """Root of the checkout."""
    return REPOSITORY
