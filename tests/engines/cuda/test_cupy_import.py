"""CuPy is imported without looking for cuTENSOR: with a made-up one."""

from __future__ import annotations

import importlib
import sys

import pytest

from swgui.engines.cuda.cupy_import import import_lean

CUPY = """
from cuda import pathfinder
looked = []
for name in ("cutensor", "nvrtc"):
    try:
        looked.append(pathfinder.load_nvidia_dynamic_lib(name))
    except pathfinder.DynamicLibNotFoundError:
        looked.append("nothing")
"""
FINDER = """
class DynamicLibNotFoundError(Exception):
    pass
def load_nvidia_dynamic_lib(name):
    return name
"""


@pytest.fixture
def packages(monkeypatch, tmp_path):
    """Make a function that writes packages of these names and texts, and imports CuPy."""

    def imported(**texts):
        for name, text in texts.items():
            place = tmp_path / name.replace("_", "/")
            place.mkdir(parents=True)
            (place / "__init__.py").write_text(text)
        importlib.invalidate_caches()
        return import_lean()

    monkeypatch.syspath_prepend(tmp_path)
    for name in [name for name in sys.modules if name.split(".")[0] in ("cupy", "cuda")]:
        monkeypatch.delitem(sys.modules, name)
    yield imported
    for name in ("cupy", "cuda", "cuda.pathfinder"):
        sys.modules.pop(name, None)


def test_cutensor_is_not_looked_for(packages):
    assert packages(cupy=CUPY, cuda="", cuda_pathfinder=FINDER).looked == ["nothing", "nvrtc"]
    assert sys.modules["cuda.pathfinder"].load_nvidia_dynamic_lib("cutensor") == "cutensor"


@pytest.mark.parametrize("finder", [{}, {"cuda": "", "cuda_pathfinder": "load = None"}])
def test_a_version_that_finds_libraries_in_another_way_is_imported_as_it_is(packages, finder):
    assert packages(cupy="looked = 'elsewhere'", **finder).looked == "elsewhere"
