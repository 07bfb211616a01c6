"""Settings of every test: Qt without a screen, folders of their own, and reasons for skipped tests.

Environment variables are set when this file is loaded, before any test module can import Qt or the program.
"""

from __future__ import annotations

import contextlib
import faulthandler
import functools
import gc
import math
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from pytestqt.qtbot import QtBot

from tests.fakes import SlowAdapter
from tests.sampling import leave_for_the_night
from tests.scripts import load_script

REPOSITORY = Path(__file__).resolve().parent.parent
PATIENCE_MS = 60_000  # until a test that waits in vain fails

gc.disable()  # while test modules are imported, nothing becomes garbage

# Without a display and without this, Qt ends the process.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

# No test may see or change the settings, caches and databases of the user who runs it.
_HOME = Path(tempfile.mkdtemp(prefix="swgui-tests-"))
for _variable in ("SWGUI_CONFIG_DIR", "SWGUI_CACHE_DIR", "SWGUI_DATA_DIR"):
    os.environ[_variable] = str(_HOME / _variable.removeprefix("SWGUI_").lower())
for _variable in ("SWGUI_DATABASES", "SWGUI_CONFIG_FILE", "SWGUI_SHARED_CACHE", "SWGUI_PROJECT"):  # what a site has set
    os.environ.pop(_variable, None)
os.environ["XDG_CONFIG_DIRS"] = str(_HOME / "etc")

# A slow machine is not a failing test, and a run in CI is the same every time.
settings.register_profile("swgui", deadline=None, derandomize=bool(os.environ.get("CI")), max_examples=50)
settings.register_profile("night", deadline=None, max_examples=1000)
settings.load_profile("swgui")


class Watch:
    """Ends a process whose test hangs, having said where, instead of holding up the run.

    The option of pytest does so with a new thread for every test, which on a busy computer takes as long as the test.
    """

    SECONDS, RENEWED = 660, 60

    def __init__(self, stderr: int) -> None:
        self.stderr, self.since = stderr, -math.inf

    def renew(self) -> None:
        """Count anew, unless that was done a moment ago."""
        if time.monotonic() - self.since > self.RENEWED:
            self.since = time.monotonic()
            faulthandler.dump_traceback_later(self.SECONDS, exit=True, file=self.stderr)


WATCH = pytest.StashKey[Watch]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--without", action="append", default=[], metavar="PACKAGE", help="as if it were not installed")
    parser.addoption("--styled", action="store_true", help="make every window with its style sheet")


def pytest_configure(config: pytest.Config) -> None:
    """Hide what `--without` names; compile the CPU library of these sources, once for all processes of the run."""
    sys.modules.update(dict.fromkeys(config.getoption("without")))
    config.stash[WATCH] = Watch(os.dup(2))
    if hasattr(config, "workerinput"):
        return
    builder = load_script(REPOSITORY / "packaging" / "native.py")
    with contextlib.suppress(builder.NoCompiler):  # tests/engines/native says so
        builder.build()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Leave modules and tests out of all later garbage collections, which then take milliseconds."""
    gc.freeze()
    gc.enable()


def pytest_unconfigure(config: pytest.Config) -> None:
    faulthandler.cancel_dump_traceback_later()
    shutil.rmtree(_HOME, ignore_errors=True)


def under_wine() -> bool:
    """Whether this is no Windows but Wine, which has no windows for Qt, among other things."""
    if sys.platform != "win32":
        return False
    import ctypes

    return hasattr(ctypes.WinDLL("ntdll"), "wine_get_version")


class PatientBot(QtBot):
    """A user of the window with patience: waits for a minute, because a busy computer is late.

    It holds its widgets until they are closed. A widget that only a cycle of Python objects holds could be collected
    before, in the middle of the events of its plots, which ends the process.
    """

    def __init__(self, request: pytest.FixtureRequest) -> None:
        super().__init__(request)
        self._held: dict[int, object] = {}

    def addWidget(self, widget, *, before_close_func=None):
        key = id(widget)
        self._held[key] = widget
        widget.destroyed.connect(lambda *_: self._held.pop(key, None))
        super().addWidget(widget, before_close_func=before_close_func)

    def waitUntil(self, callback, *, timeout=PATIENCE_MS):
        super().waitUntil(callback, timeout=timeout)

    def waitSignal(self, signal, *, timeout=PATIENCE_MS, **options):
        return super().waitSignal(signal, timeout=timeout, **options)

    def waitSignals(self, signals, *, timeout=PATIENCE_MS, **options):
        return super().waitSignals(signals, timeout=timeout, **options)

    def waitExposed(self, widget, *, timeout=PATIENCE_MS):
        return super().waitExposed(widget, timeout=timeout)


@pytest.fixture
def qtbot(qapp, request: pytest.FixtureRequest) -> PatientBot:
    """Return a stand-in for a user of the window, with patience."""
    return PatientBot(request)


@pytest.fixture
def links(tmp_path: Path) -> None:
    """Skip where files have no second names: Windows without the right to make links, and Wine."""
    file = tmp_path / "file-for-links"
    file.touch()
    for number, make in enumerate((os.symlink, os.link)):
        other = tmp_path / f"link-{number}"
        try:
            make(file, other)
            made = other.samefile(file) and (number == 1 or other.is_symlink())
            other.unlink()
        except OSError:
            made = False
        if not made:
            pytest.skip("no links can be made here")
    file.unlink()


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


@pytest.hookimpl(tryfirst=True)  # before pytest chooses by markers
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with the files that hold slow tests: run last, one of them keeps a core busy while the others wait.

    Tests that need a GPU are left out where there is none, unless requested (``-m gpu``), which prints why.
    """
    leave_for_the_night(items)
    left_out = [item for item in items if item.get_closest_marker("gpu")]
    if left_out and "gpu" not in config.option.markexpr and why_no_gpu():
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("gpu")]
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


def pytest_runtest_setup(item: pytest.Item) -> None:
    item.config.stash[WATCH].renew()
    # Asked test by test, so that a run without such tests probes nothing.
    if item.get_closest_marker("data") and not real_data().is_dir():
        pytest.skip(f"no real sequences in {real_data()}; set SWGUI_DATA to their folder")
    if item.get_closest_marker("gpu") and (reason := why_no_gpu()):
        pytest.skip(reason)


@pytest.fixture
def user_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """Give the test its own settings, cache and data folders."""
    folders = {name: tmp_path / "user" / name for name in ("config", "cache", "data")}
    for name, folder in folders.items():
        monkeypatch.setenv(f"SWGUI_{name.upper()}_DIR", str(folder))
    return folders


@pytest.fixture
def trusted_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Search without the self-check of engines, which has tests of its own and which toys do not pass."""
    monkeypatch.setattr("swgui.jobs.check.device.require_exact_engine", lambda *_: iter(()))


@pytest.fixture
def install_engines(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that replaces the engines of the registry by adapters, given by name, best first."""
    from swgui.core.engines import EngineFacts
    from swgui.engines import registry

    def install(**adapters: object) -> None:
        facts = {name: EngineFacts(name, name, title=name, auto=True) for name in adapters}
        monkeypatch.setattr(registry, "installed", lambda: facts)
        monkeypatch.setattr(registry, "adapter_of", adapters.__getitem__)
        monkeypatch.setattr(registry, "probed", {})

    return install


@pytest.fixture
def small_chunks(install_engines: Callable[..., None], trusted_engines: None) -> SlowAdapter:
    """Let the CPU engine score five subjects at a time; the adapter counts them."""
    adapter = SlowAdapter()
    install_engines(cpu=adapter)
    return adapter


@pytest.fixture
def rng() -> np.random.Generator:
    """Return random numbers, the same for every run of the test."""
    return np.random.default_rng(20_261_122)


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
