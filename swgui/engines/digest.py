"""Digest of the kernel sources: measurements hold for the kernels that they were made with."""

from __future__ import annotations

import functools
import hashlib
from typing import Final

import swgui
from swgui import paths

_KERNEL_FILES: Final = (".cu", ".cuh")


@functools.cache
def kernels_digest(*, kernels: bool) -> str:
    """Return a digest of the kernel sources; for engines without kernels the program's version."""
    if not kernels:
        return swgui.__version__
    digest = hashlib.blake2b(digest_size=16)
    folder = paths.kernels_dir()
    for path in sorted(path for path in folder.rglob("*") if path.suffix in _KERNEL_FILES):
        digest.update(path.relative_to(folder).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
