"""A short way to the modules of a command, in a process that is this program's alone.

A command imports 350 modules. Python asks for each whether its folder has changed, tries seven names of files in it,
and reads the compiled module in several steps. Here the compiled modules of earlier commands lie in one file of the
user's cache (`swgui.cli.keeping` writes it), each valid for the same size and time of its source. Of other modules of a
few packages a folder is listed once, and a compiled module read at once. Python's own import does the rest: libraries
in C, modules that are not compiled yet, and what is not found here.

This module is imported before any other, the long way, so it imports only what Python itself has started with.
"""

from __future__ import annotations

import _imp
import marshal
import os
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER, PathFinder, SourceFileLoader

from swgui.core.folders import user_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, ModuleType
    from typing import Any

    from swgui.cli.postponing import Loader as Postponing

PACKAGES = ("swgui.", "numpy.", "msgspec.", "cupy.", "cupy_backends.")
ENDING = f".{sys.implementation.cache_tag}.pyc"  # of compiled modules
EXTENSION_SUFFIXES = _imp.extension_suffixes()
FORM = b"swgui modules 2\0" + MAGIC_NUMBER  # the beginning of the file of modules, before the length of its table
MASK = 0xFFFFFFFF
FOLDER = "modules"  # in the cache
OTHERS_MAY_WRITE = 0o022


class Loader(SourceFileLoader):
    """Loads a module from its compiled file, in one read."""

    def get_code(self, fullname: str) -> CodeType | None:
        """Return the code of the compiled file, if it is that of the source; otherwise what Python makes of it."""
        try:
            return compiled(self.path) or super().get_code(fullname)
        except (OSError, ValueError, EOFError, TypeError):  # not compiled, or damaged
            return super().get_code(fullname)


class KeptLoader(Loader):
    """Loads a module from the file of modules."""

    def __init__(self, fullname: str, path: str, data: memoryview) -> None:
        super().__init__(fullname, path)
        self._data = data

    def get_code(self, fullname: str) -> CodeType | None:
        """Return the code in the file."""
        try:
            return marshal.loads(self._data)  # type: ignore[no-any-return]
        except (ValueError, EOFError, TypeError):
            return super().get_code(fullname)


class Kept:
    """The file of modules: a table of their places, and their code.

    An entry of the table has the module's source, whether it is a package, time (ns) and size (bytes) of the source,
    and the bytes from which and before which its code lies.
    """

    def __init__(self, table: dict[str, tuple[str, bool, int, int, int, int]], data: memoryview) -> None:
        self.table, self.data = table, data

    def loader(self, fullname: str, file: str) -> KeptLoader | None:
        """Return the loader of a module with a source; None if the source has changed, or is another."""
        found = self.table.get(fullname)
        if found is None or found[0] != file:
            return None
        try:
            source = os.stat(file)
        except OSError:
            return None
        if (source.st_mtime_ns, source.st_size) != found[2:4]:
            return None
        return KeptLoader(fullname, file, self.data[found[4] : found[5]])


class Finder:
    """Finds modules in the file of modules, or by the names in their folders, which it lists once."""

    def __init__(self, kept: Kept | None = None) -> None:
        self.kept = kept or Kept({}, memoryview(b""))
        self.later: dict[str, Postponing] = {}  # modules that run at their first use, not imported so far
        self.others = 0  # modules of `PACKAGES` found by their folders
        self._names: dict[str, frozenset[str]] = {}  # in a folder
        self._stems: dict[str, frozenset[str]] = {}  # of the names in a folder

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return where a module is; None for one in C and for others that are Python's to find."""
        spec = self._kept(fullname, path) or self._listed_in(fullname, path)
        if loader := self.later.pop(fullname, None):  # its next import is that of the module itself
            spec = spec or PathFinder.find_spec(fullname, path)
            if spec is not None:
                spec.loader = loader  # type: ignore[assignment]  # `importlib.abc` takes time to import
        return spec

    def _kept(self, fullname: str, path: Sequence[str] | None) -> ModuleSpec | None:
        """Return where a module of the file of modules is, if Python would find the same source."""
        found = self.kept.table.get(fullname)
        if found is None:
            return None
        file, package = found[:2]
        ending = f"{os.sep}{fullname.rpartition('.')[2]}{f'{os.sep}__init__' if package else ''}.py"
        folder = file.removesuffix(ending)
        if (list(path) != [folder]) if path is not None else not self._comes_first(fullname, folder):
            return None
        loader = self.kept.loader(fullname, file)
        return None if loader is None else _spec(loader, [file.rpartition(os.sep)[0]] if package else None)

    def _comes_first(self, name: str, folder: str) -> bool:
        """Return whether the folder of a module is the first of all on the path that have one of its name."""
        for place in sys.path:
            if place == folder:
                return True
            if place not in self._stems:
                try:
                    stems = frozenset(name.partition(".")[0] for name in os.listdir(place or os.curdir))
                except FileNotFoundError:
                    stems = frozenset()
                except OSError:  # an archive, or a folder that may not be read: Python looks into it
                    return False
                self._stems[place] = stems
            if name in self._stems[place]:
                return False
        return False

    def _listed_in(self, fullname: str, path: Sequence[str] | None) -> ModuleSpec | None:
        """Return where a module of `PACKAGES` is."""
        if path is None or len(path) != 1 or not fullname.startswith(PACKAGES):
            return None
        names, name = self._listed(path[0]), fullname.rpartition(".")[2]
        place = f"{path[0]}{os.sep}{name}"
        if name in names and "__init__.py" in self._listed(place):
            self.others += 1
            return _spec(Loader(fullname, f"{place}{os.sep}__init__.py"), [place])
        if f"{name}.py" not in names or any(f"{name}{suffix}" in names for suffix in EXTENSION_SUFFIXES):
            return None
        self.others += 1
        return _spec(Loader(fullname, f"{place}.py"), None)

    def _listed(self, folder: str) -> frozenset[str]:
        if folder not in self._names:
            try:
                self._names[folder] = frozenset(os.listdir(folder))
            except OSError:  # no folder: a file, or a frozen program
                self._names[folder] = frozenset()
        return self._names[folder]


def _spec(loader: Loader, inside: list[str] | None) -> ModuleSpec:
    spec = ModuleSpec(loader.name, loader, origin=loader.path, is_package=inside is not None)
    spec.has_location = True
    spec.cached = compiled_file(loader.path)
    spec.submodule_search_locations = inside
    return spec


def compiled_file(source: str) -> str:
    """Return the path of the compiled file of a source."""
    folder, _, name = source.rpartition(os.sep)
    return f"{folder}{os.sep}__pycache__{os.sep}{name[:-3]}{ENDING}"


def compiled(path: str) -> CodeType | None:
    """Return the code of the compiled file of a source, None where it was compiled from another."""
    kept = os.open(compiled_file(path), os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        data = os.read(kept, os.fstat(kept).st_size)
    finally:
        os.close(kept)
    source = os.stat(path)
    # Before the code: magic number, flags, and time and size of the source.
    stamp = (0, int(source.st_mtime) & MASK, source.st_size & MASK)
    if data[:16] != MAGIC_NUMBER + b"".join(number.to_bytes(4, "little") for number in stamp):
        return None
    code = marshal.loads(memoryview(data)[16:])
    if not isinstance(code, type(compiled.__code__)):
        return None
    # As Python does: the folder was moved since, or lies behind a link.
    _imp._fix_co_filename(code, path)  # type: ignore[attr-defined]  # typeshed leaves it out
    return code


def kept_file() -> str | None:
    """Return the path of the file of modules of this Python; None where there is none."""
    try:
        cache = user_folder("CACHE", ".cache")
    except RuntimeError:  # no home
        return None
    if cache is None:
        return None
    # Environments have packages of their own, and checkouts this program's.
    homes = f"{sys.prefix}{os.pathsep}{__file__}".encode("utf-8", "surrogateescape")
    home = _imp.source_hash(int.from_bytes(MAGIC_NUMBER, "little"), homes)
    return os.path.join(cache, FOLDER, f"{sys.implementation.cache_tag}-{home.hex()}")


def opened(path: str) -> Kept | None:
    """Return the file of modules, if it is the user's own and no other may write it; None if there is none."""
    try:
        file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return None
    try:
        status = os.fstat(file)
        if hasattr(os, "geteuid") and (status.st_uid != os.geteuid() or status.st_mode & OTHERS_MAY_WRITE):
            return None
        # Read, not mapped: a map of a file on a network drive, which another computer replaces, ends the process.
        data = memoryview(os.read(file, status.st_size))
        at = len(FORM) + 4
        end = at + int.from_bytes(data[len(FORM) : at], "little")
        if data[: len(FORM)] != FORM or end > len(data):
            return None
        table = marshal.loads(data[at:end])
        return Kept(table, data[end:]) if isinstance(table, dict) else None
    except (OSError, ValueError, EOFError, TypeError):  # damaged
        return None
    finally:
        os.close(file)


def shorten() -> Finder | None:
    """Let this process find modules so, from now on; not where compiled modules lie elsewhere."""
    if sys.flags.optimize or sys.pycache_prefix is not None:
        return None
    path = kept_file()
    finder: Any = Finder(opened(path) if path else None)
    sys.meta_path.insert(0, finder)
    from swgui.cli import postponing  # by way of the finder

    finder.later = {name: postponing.Loader() for name in postponing.NAMES}
    return finder  # type: ignore[no-any-return]
