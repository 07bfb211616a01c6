"""A short way to the modules of a few packages, in a process that is this program's alone.

A command imports 280 modules of these packages. Python asks for each whether its folder has changed, tries seven
names of files in it, and reads the compiled module in several steps; here a folder is listed once, and a compiled
module read at once. It is valid for the same size and time of its source as Python's own import, which does the rest:
libraries in C, modules that are not compiled yet, and what is not found here.
"""

from __future__ import annotations

import _imp
import marshal
import os
import sys
from collections.abc import Sequence
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import MAGIC_NUMBER
from struct import Struct
from types import CodeType, ModuleType

from swgui.cli import postponing

PACKAGES = ("swgui.", "numpy.", "msgspec.", "cupy.", "cupy_backends.")
ENDING = f".{sys.implementation.cache_tag}.pyc"  # of compiled modules
STAMP = Struct("<4sIII")  # what stands before their code: magic number, flags, and time and size of the source
MASK = 0xFFFFFFFF


class Loader(SourceFileLoader):
    """Loads a module from its compiled file, in one read."""

    def get_code(self, fullname: str) -> CodeType | None:
        """Return the code of the compiled file, if it is that of the source; otherwise what Python makes of it."""
        try:
            return _compiled(self.path) or super().get_code(fullname)
        except (OSError, ValueError, EOFError, TypeError):  # not compiled, or damaged
            return super().get_code(fullname)


def _compiled(path: str) -> CodeType | None:
    """Return the code of the compiled file of a source, None where it was compiled from another."""
    folder, _, name = path.rpartition(os.sep)
    kept = os.open(f"{folder}{os.sep}__pycache__{os.sep}{name[:-3]}{ENDING}", os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        data = os.read(kept, os.fstat(kept).st_size)
    finally:
        os.close(kept)
    source = os.stat(path)
    if data[:16] != STAMP.pack(MAGIC_NUMBER, 0, int(source.st_mtime) & MASK, source.st_size & MASK):
        return None
    code = marshal.loads(memoryview(data)[16:])
    if not isinstance(code, CodeType):
        return None
    # As Python does: the folder was moved since, or lies behind a link.
    _imp._fix_co_filename(code, path)  # type: ignore[attr-defined]  # typeshed leaves it out
    return code


class Finder:
    """Finds modules by the names in their folders, which it lists once."""

    def __init__(self) -> None:
        self._names: dict[str, frozenset[str]] = {}  # in a folder
        self._later = {*postponing.NAMES}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return where a module of `PACKAGES` is, None for one in C and for others that run at their import."""
        if fullname in self._later:
            self._later.remove(fullname)  # its next import is that of the module itself
            return postponing.postponed(PathFinder.find_spec(fullname, path))
        if path is None or len(path) != 1 or not fullname.startswith(PACKAGES):
            return None
        names, name = self._listed(path[0]), fullname.rpartition(".")[2]
        place = f"{path[0]}{os.sep}{name}"
        if name in names and "__init__.py" in self._listed(place):
            return _spec(fullname, f"{place}{os.sep}__init__.py", [place])
        if f"{name}.py" not in names or any(f"{name}{suffix}" in names for suffix in EXTENSION_SUFFIXES):
            return None
        return _spec(fullname, f"{place}.py", None)

    def _listed(self, folder: str) -> frozenset[str]:
        if folder not in self._names:
            try:
                self._names[folder] = frozenset(os.listdir(folder))
            except OSError:  # no folder: a file, or a frozen program
                self._names[folder] = frozenset()
        return self._names[folder]


def _spec(fullname: str, file: str, inside: list[str] | None) -> ModuleSpec:
    spec = ModuleSpec(fullname, Loader(fullname, file), origin=file, is_package=inside is not None)
    spec.has_location = True
    spec.submodule_search_locations = inside
    return spec


def shorten() -> None:
    """Let this process find modules so, from now on; not where compiled modules lie elsewhere."""
    if not sys.flags.optimize and sys.pycache_prefix is None:
        sys.meta_path.insert(0, Finder())
