"""The part of CuPy that the engine uses is imported, and the rest when it is used: with a made-up CuPy."""

from __future__ import annotations

import importlib
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from swgui.core.later import Later
from swgui.engines.cuda.cupy_import import Finder, import_lean

CUDA = """
allocators = []
class MemoryPool:
    malloc = "memory"
class PinnedMemoryPool:
    malloc = "pinned"
set_allocator = set_pinned_memory_allocator = allocators.append
"""
CORE = """
from cuda import pathfinder
import importlib.metadata
looked = []
for name in ("cutensor", "nvrtc", "cufft"):
    try:
        looked.append(pathfinder.load_nvidia_dynamic_lib(name))
    except pathfinder.DynamicLibNotFoundError:
        looked.append("nothing")
ndarray = list
import cupy
cupy.looked = looked
"""
FINDER = """
class DynamicLibNotFoundError(Exception):
    pass
def load_nvidia_dynamic_lib(name):
    if name == "cufft":
        raise DynamicLibNotFoundError(name)
    return name
"""
PARTS = {
    "cupy/__init__.py": "whole = True\nexp = 'exp'\nfrom cupy import _core\n",
    "cupy/_environment.py": "import cuda\ndef _setup_win32_dll_directory():\n    cuda.folders.append('bin')\n",
    "cupy/_version.py": "__version__ = '14.9'\n",
    "cupy/_core.py": CORE,
    "cupy/cuda.py": CUDA,
    "cupy/random.py": "seed = 5\n",
    "cupy/_creation/__init__.py": "",
    "cupy/_creation/basic.py": "empty = zeros = None\n",
    "cupy/_creation/from_data.py": "asarray = None\n",
    "cuda/__init__.py": "folders = []\n",
    "cuda/pathfinder.py": FINDER,
}


@pytest.fixture
def packages(monkeypatch, tmp_path):
    """Make a function that writes these files and imports CuPy."""

    def imported(**changed):
        for place, text in {**PARTS, **{f"cupy/{name}.py": text for name, text in changed.items()}}.items():
            file = tmp_path / place
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        importlib.invalidate_caches()
        return import_lean()

    monkeypatch.syspath_prepend(tmp_path)
    for name in [name for name in sys.modules if name.split(".")[0] in ("cupy", "cuda")]:
        monkeypatch.delitem(sys.modules, name)
    kept = sys.modules.get("importlib.metadata"), getattr(importlib, "metadata", None)
    yield imported
    for name in [name for name in sys.modules if name.split(".")[0] in ("cupy", "cuda")]:
        del sys.modules[name]
    if kept[0] is not None:
        sys.modules["importlib.metadata"], importlib.metadata = kept


def test_only_the_part_is_imported(packages):
    cupy = packages()
    assert "whole" not in vars(cupy)
    assert "cupy.random" not in sys.modules
    assert cupy.__version__ == "14.9"
    assert sys.modules["cuda"].folders == ["bin"]
    assert cupy.ndarray is list
    assert cupy.cuda.allocators == ["memory", "pinned"]
    assert cupy.get_default_memory_pool().malloc == "memory"
    assert packages() is cupy


def test_threads_import_one_and_the_same_part(packages, monkeypatch):
    inside, asked = threading.Event(), threading.Event()
    monkeypatch.setitem(sys.modules, "gate", SimpleNamespace(inside=inside, asked=asked))
    slow = "import gate\ngate.inside.set()\nassert gate.asked.wait(60)\n__version__ = '14.9'\n"

    def other():
        asked.set()
        return vars(import_lean()).get("ndarray")

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(packages, _version=slow)
        assert inside.wait(60)
        assert pool.submit(other).result(60) is list
        assert first.result(60) is sys.modules["cupy"]


def test_cutensor_is_not_looked_for(packages):
    assert packages().looked == ["nothing", "nvrtc", "nothing"]


def test_the_rest_is_imported_when_it_is_used(packages):
    cupy = packages()
    assert cupy.random.seed == 5
    assert "whole" not in vars(cupy)
    assert cupy.exp == "exp"
    assert cupy.whole
    with pytest.raises(AttributeError):
        cupy.no_such_name  # noqa: B018


@pytest.mark.parametrize(
    "changed", [{"_version": "__version__ = '15.0'"}, {"_core": "array = None"}, {"cuda": ""}, {"_environment": ""}]
)
def test_another_version_is_imported_as_a_whole(packages, changed):
    assert packages(**changed).whole


def test_a_cupy_that_cannot_be_imported_says_so(packages):
    with pytest.raises(ImportError, match="no library"):
        packages(_core="raise ImportError('no library')")
    assert "cupy" not in sys.modules


def test_a_module_is_imported_later():
    later = Later("this")
    with pytest.raises(AttributeError):
        later.__wrapped__  # noqa: B018
    assert Later("colorsys").rgb_to_hsv(0, 0, 0) == (0, 0, 0)
    assert Finder("colorsys").hsv_to_rgb(0, 0, 0) == (0, 0, 0)
