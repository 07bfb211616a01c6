"""Compiled kernels in files, found by every condition of the compilation.

CuPy keeps kernels, too, but asks the compiler for its version before it looks for one: the compiler's library is loaded
and compiles an empty program. Here the key is text, architecture and the versions of CuPy and of its CUDA: a process
whose kernels are all kept never loads the compiler. A kernel that an older compiler made gives the same scores.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Final

from swgui import paths

FOLDER: Final = "cubins"
ENDING: Final = ".cubin"
DIGEST: Final = 16  # bytes in front of the content: a damaged file counts as none
unwritten: dict[str, bytes] = {}  # by key, where no file could be written


def folder() -> Path:
    """Return their folder."""
    return paths.cache_dir() / FOLDER


def any_kept() -> bool:
    """Whether any kernel was ever compiled here."""
    for place in _places():
        with suppress(OSError), os.scandir(place) as entries:
            if any(entry.name.endswith(ENDING) for entry in entries):
                return True
    return bool(unwritten)


def key_of(cupy: Any, text: str, defines: tuple[str, ...]) -> str:
    """Return the key of a kernel for the current device.

    Parameters
    ----------
    text : str
        Its source, the same object every time.
    """
    device = cupy.cuda.Device().compute_capability
    facts = (_digest(text), defines, device, cupy.__version__, cupy.cuda.runtime.runtimeGetVersion())
    return hashlib.blake2b(repr(facts).encode(), digest_size=DIGEST).hexdigest()


def is_kept(key: str) -> bool:
    """Whether there is a kernel with this key; it may turn out to be damaged."""
    return key in unwritten or any((place / f"{key}{ENDING}").is_file() for place in _places())


def find(key: str) -> bytes | None:
    """Return a kernel, None if there is none or its file is damaged."""
    if key in unwritten:
        return unwritten[key]
    return next((binary for place in _places() if (binary := _read(place / f"{key}{ENDING}"))), None)


def _places() -> tuple[Path, ...]:
    """Return the folders to look in: that of the site, which is only read, then that of the user."""
    shared = paths.shared_cache_dir()
    return (folder(),) if shared is None else (shared / FOLDER, folder())


def _read(file: Path) -> bytes | None:
    try:
        data = file.read_bytes()
    except OSError:
        return None
    told, binary = data[:DIGEST], data[DIGEST:]
    return binary if binary and told == _checked(binary) else None


def keep(key: str, binary: bytes) -> None:
    """Keep a kernel: as a file, whole or not at all, or until the process ends where none can be written."""
    try:
        folder().mkdir(parents=True, exist_ok=True)
        number, name = tempfile.mkstemp(dir=folder())
        try:
            with os.fdopen(number, "wb") as file:
                file.write(_checked(binary) + binary)
            os.replace(name, folder() / f"{key}{ENDING}")
        except OSError:
            with suppress(OSError):
                os.unlink(name)
            raise
    except OSError:
        unwritten[key] = binary


def _checked(binary: bytes) -> bytes:
    return hashlib.blake2b(binary, digest_size=DIGEST).digest()


@cache
def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=DIGEST).hexdigest()
