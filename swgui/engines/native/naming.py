"""The name of the compiled library: its sources and its platform. Imports no other module of the program.

`packaging/native.py` loads this file by its path, where NumPy is not installed.
"""

from __future__ import annotations

import importlib
import os
import platform
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

SUFFIXES = {"linux": ".so", "darwin": ".dylib", "win32": ".dll"}
# Modules of the standard library with SHA-256; the last imports OpenSSL, which takes longer than the sources.
_WITH_SHA256 = ("_sha2", "_sha256", "hashlib")
_MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}


def sources(folder: Path) -> list[Path]:
    """Return the files that the library is compiled from: all C sources and headers of a folder, sorted."""
    return [folder / name for name in sorted(os.listdir(folder)) if name.endswith((".c", ".h"))]


def this_target() -> tuple[str, str]:
    """Return the CPU and the operating system of this computer: ``("x86_64", "linux")``."""
    machine = platform.machine().lower()
    return _MACHINES.get(machine, machine), sys.platform


def library_name(folder: Path, target: tuple[str, str]) -> str:
    """Return the name of the library's file, which no library of other sources has.

    Parameters
    ----------
    folder : Path
        Folder of the sources, ``kernels/cpu``.
    target : tuple of str
        CPU and operating system, as `this_target` gives them.
    """
    digest = _sha256()
    for path in sources(folder):
        # Checkouts differ in how lines end.
        digest.update(path.name.encode() + b"\0" + path.read_bytes().replace(b"\r\n", b"\n"))
    cpu, system = target
    return f"swgui-{cpu}-{digest.hexdigest()[:12]}{SUFFIXES.get(system, '.so')}"


def _sha256() -> Any:
    for name in _WITH_SHA256:
        with suppress(ImportError):
            return importlib.import_module(name).sha256()
    raise ImportError("This Python has no SHA-256.")
