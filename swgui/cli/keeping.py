"""Writes the file of modules, from which later commands import (`swgui.cli.importing`)."""

from __future__ import annotations

import marshal
import opcode
import os
import sys
from contextlib import suppress
from importlib.machinery import SourceFileLoader
from types import CodeType, ModuleType
from typing import Final

from swgui.cli.importing import FORM, Finder, Loader, compiled_file, kept_file
from swgui.cli.postponing import Loader as Postponing

FEW: Final = 16  # modules whose writing takes longer than they do
WITHOUT_DOCS: Final = ("swgui.", "msgspec.")  # nothing shows the docstrings of their functions; NumPy reads its own
_FUNCTION: Final = 0x3  # flags of the code of functions
_HAS_DOC: Final = 0x4000000 if sys.version_info >= (3, 13) else 0
_Entry = tuple[str, bool, int, int, bytes]


def keep(finder: Finder) -> None:
    """Write the modules of this process into the file, with those that it has; nothing if they are few.

    A file that cannot be written is left as it is.
    """
    path = kept_file()
    if path is None or finder.others < FEW or sys.dont_write_bytecode:
        return
    folder = os.path.dirname(path)
    with suppress(OSError):
        os.makedirs(folder, mode=0o700, exist_ok=True)
    if not os.access(folder, os.W_OK):  # as in a home that is only read: every command would collect them in vain
        return
    kept = finder.kept
    entries: dict[str, _Entry] = {
        name: (*entry[:4], bytes(kept.data[entry[4] : entry[5]])) for name, entry in kept.table.items()
    }
    for name, module in list(sys.modules.items()):
        if (file := _source(name, module)) and kept.loader(name, file) is None and (entry := _entry(name, module)):
            entries[name] = entry
    with suppress(OSError):
        _write(path, entries)


def _source(name: str, module: ModuleType) -> str:
    """Return the source of a module that Python compiles and keeps; empty for others."""
    spec = getattr(module, "__spec__", None)
    if spec is None or spec.name != name or not isinstance(spec.loader, SourceFileLoader | Postponing):
        return ""
    return spec.origin if isinstance(spec.origin, str) and spec.origin.endswith(".py") else ""


def _entry(name: str, module: ModuleType) -> _Entry | None:
    """Return the code of a module, if its source is the one that is imported now."""
    file = _source(name, module)
    try:
        before = os.stat(file)
        code = _code(Loader(name, file), before.st_mtime_ns)
        after = os.stat(file)
    except (OSError, ImportError, SyntaxError):
        return None
    if code is None or (before.st_mtime_ns, before.st_size) != (after.st_mtime_ns, after.st_size):
        return None
    if name.startswith(WITHOUT_DOCS):
        code = _without_docs(code)
    package = file.endswith(f"{os.sep}__init__.py")
    return file, package, before.st_mtime_ns, before.st_size, marshal.dumps(code)


def _code(loader: Loader, changed: int) -> CodeType | None:
    """Return the code of a module, whose source has changed at a time (ns): Python compares whole seconds."""
    with suppress(OSError):  # not compiled
        if os.stat(compiled_file(loader.path)).st_mtime_ns < changed:
            return loader.source_to_code(loader.get_data(loader.path), loader.path)
    return loader.get_code(loader.name)


def _without_docs(code: CodeType) -> CodeType:
    """Return code without the docstrings of functions."""
    consts = tuple(_without_docs(part) if isinstance(part, CodeType) else part for part in code.co_consts)
    function = code.co_flags & _FUNCTION == _FUNCTION and code.co_flags & _HAS_DOC == _HAS_DOC
    if function and code.co_name[:1] != "<" and consts and isinstance(consts[0], str) and not _uses_first(code):
        return code.replace(co_consts=(None, *consts[1:]), co_flags=code.co_flags & ~_HAS_DOC)
    return code.replace(co_consts=consts)


def _uses_first(code: CodeType) -> bool:
    """Return whether code may use its first constant, a docstring, as a value too."""
    words = code.co_code
    return any(words[at] in opcode.hasconst and words[at + 1] == 0 for at in range(0, len(words), 2))


def _write(path: str, entries: dict[str, _Entry]) -> None:
    table: dict[str, tuple[str, bool, int, int, int, int]] = {}
    at = 0
    for name, (file, package, time, size, data) in entries.items():
        table[name] = (file, package, time, size, at, at + len(data))
        at += len(data)
    head = marshal.dumps(table)
    made = f"{path}.{os.urandom(8).hex()}"  # in a container every process has the same number
    number = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    try:
        with open(number, "wb") as out:
            out.writelines((FORM, len(head).to_bytes(4, "little"), head))
            out.writelines(data for *_, data in entries.values())
        os.replace(made, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(made)
        raise
