"""Each published method is one object next to its paper; another one needs only that, a kernel and its facts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import MappingProxyType

import pytest

import swgui
from swgui import paths
from swgui.core.methods import search
from swgui.core.methods.base import Method
from swgui.core.methods.search import DEFAULT_METHOD, SEARCH_METHODS
from swgui.engines.cuda.arithmetic import Costs
from swgui.engines.cuda.methods import divide
from swgui.papers.search import config, methods
from swgui.papers.search.config import configure
from swgui.papers.search.methods import GpuLimits, PublishedMethod, published_method

PUBLISHED = [name for name in SEARCH_METHODS if name != DEFAULT_METHOD]
H200 = GpuLimits(132, 232_448, 2048, True)
# Next to the kernel. The benchmark may know the settings of the paper.
NAMED_IN = {"papers/methods.py", "papers/search/methods.py"}


def test_a_method_is_named_in_two_modules():
    source = Path(swgui.__file__).parent
    found = {
        path.relative_to(source).as_posix() for path in source.rglob("*.py") if '"vsimd"' in path.read_text("utf-8")
    }
    assert found - {"bench/methods.py"} == NAMED_IN


def test_every_method_is_described_and_has_a_kernel():
    assert set(methods.METHODS) == set(PUBLISHED)
    for name in PUBLISHED:
        assert published_method(name).name == name
        file = configure(name, {}, 350, Costs(27, 12, 1, -4, 11), H200).variant.file
        assert (paths.kernels_dir() / file).is_file()


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_method_names_its_paper(name):
    author = SEARCH_METHODS[name].paper.split(",")[0].split(":")[0]
    assert author in (type(published_method(name)).__doc__ or "")


@pytest.fixture
def another(monkeypatch):
    """Add a method that works like `simt` with its own launch: its facts and its figures."""
    simt = SEARCH_METHODS["simt"]
    facts = Method("another", "Another", simt.paper, "Like simt.", simt.settings)
    every = MappingProxyType({**SEARCH_METHODS, "another": facts})
    for module in (search, config):
        monkeypatch.setattr(module, "SEARCH_METHODS", every)
    monkeypatch.setitem(methods.METHODS, "another", PublishedMethod("another"))
    monkeypatch.setitem(methods.LAUNCH, "another", (64, 5))
    monkeypatch.setitem(methods.HEIGHTS, "another", methods.Heights("rows", 1.0, (8, 16)))
    return facts


def test_another_method_is_configured_like_the_others(another):
    method, own, _ = divide({"method": "another", "rows": "16"})
    assert (method, own) == (another, {"rows": "16"})
    found = configure("another", {}, 350, Costs(27, 12, 1, -4, 11), H200)
    assert (found.variant.kernel, found.variant.file) == ("another", "papers/another.cu")
    assert (found.variant.threads, found.blocks, found.variant.of("rows")) == (64, 5, 16)
    assert "-DSW_ROWS=16" in found.variant.defines()
    assert not found.fallback
    assert found.settings["threads"] == "64"


BARE = """
from swgui.core.methods import base
base.MODULES = ()
from swgui.core.methods.pair import PAIR_METHODS
from swgui.core.methods.search import SEARCH_METHODS
from swgui.cli import main
print(*SEARCH_METHODS, *PAIR_METHODS)
main(["devices"])
import sys
print([name for name in sys.modules if name.startswith("swgui.papers")])
"""


def test_the_program_is_whole_without_them(repository):
    run = subprocess.run([sys.executable, "-c", BARE], cwd=repository, capture_output=True, text=True, check=True)
    assert run.stdout.startswith("streaming wavefront cpu\n")
    assert "band" not in run.stdout
    assert run.stdout.endswith("[]\n")
