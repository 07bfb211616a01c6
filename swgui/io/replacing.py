"""Replacing and deleting files that are open: on Windows the system refuses what others allow.

A database is mapped while it is searched, and Windows neither replaces nor deletes a file that is mapped. Opened by
`opener` it can be renamed, though: it is set aside under a name that those who sweep a folder know (``.NAME.*.part``),
and is deleted with the next sweep after its last reader. A virus scanner holds a new file for some tenths of a second;
refused calls are repeated.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

PART: Final = ".part"  # end of the names of files that are not whole yet, or not wanted any more
WINDOWS = os.name == "nt"
_WAITS: Final = (0.0, 0.05, 0.1, 0.2, 0.4, 0.8)  # seconds before each attempt
_SHARE_ALL: Final = 7  # FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE
_GENERIC_READ: Final = 0x80000000
_OPEN_EXISTING: Final = 3


def opener(path: str, flags: int) -> int:
    """Open a file for reading, so that it may be renamed meanwhile; for the parameter `opener` of `open`.

    Raises
    ------
    OSError
        If it cannot be opened.
    """
    if sys.platform != "win32":
        return os.open(path, flags)
    import ctypes
    import msvcrt

    create = ctypes.WinDLL("kernel32", use_last_error=True).CreateFileW
    create.restype = ctypes.c_void_p
    number, text, pointer = ctypes.c_uint32, ctypes.c_wchar_p, ctypes.c_void_p
    create.argtypes = [text, number, number, pointer, number, number, pointer]
    handle = create(os.fspath(path), _GENERIC_READ, _SHARE_ALL, None, _OPEN_EXISTING, 0, None)
    if handle is None or handle == ctypes.c_void_p(-1).value:
        code = ctypes.get_last_error()
        raise OSError(None, ctypes.FormatError(code).strip(), path, code)
    return msvcrt.open_osfhandle(handle, flags)


def replace_file(source: str | os.PathLike[str], target: str | os.PathLike[str]) -> None:
    """Give a file the name of another, as `os.replace` does, also if that one is open or being scanned.

    The permissions of the replaced file stay the same.

    Raises
    ------
    OSError
        If it cannot; both are as they were.
    """
    if not WINDOWS:
        with suppress(FileNotFoundError):
            _keep_mode(source, os.stat(target))
    _insist(lambda: os.replace(source, target), lambda: _replace_open(source, Path(target)))


def _keep_mode(path: str | os.PathLike[str], before: os.stat_result) -> None:
    """Give a file the permissions of another; those of its group only where it can be given that group."""
    mode = stat.S_IMODE(before.st_mode) & 0o777
    if os.stat(path).st_gid != before.st_gid:
        try:
            os.chown(path, -1, before.st_gid)
        except OSError:
            mode &= ~stat.S_IRWXG
    os.chmod(path, mode)


def delete_file(path: str | os.PathLike[str]) -> None:
    """Delete a file, also one that is open: its name is free at once, its space when it is closed.

    Raises
    ------
    OSError
        If it cannot be deleted, or there is none.
    """
    if WINDOWS:  # which may keep the name until the last reader is gone
        _insist(lambda: _delete_open(Path(path)), lambda: os.unlink(path))
    else:
        os.unlink(path)


def _insist(action: Callable[[], object], fallback: Callable[[], object]) -> None:
    """Do it one way, else the other, several times; a refusal of other systems than Windows is final."""
    for wait in _WAITS if WINDOWS else _WAITS[:1]:
        time.sleep(wait)
        try:
            action()
            return
        except PermissionError as fault:
            refused = fault
        if WINDOWS:
            with suppress(OSError):
                fallback()
                return
    raise refused


def _replace_open(source: str | os.PathLike[str], target: Path) -> None:
    aside = _set_aside(target)
    try:
        os.replace(source, target)
    except OSError:
        os.rename(aside, target)
        raise
    with suppress(OSError):
        os.unlink(aside)


def _delete_open(path: Path) -> None:
    aside = _set_aside(path)
    with suppress(OSError):
        os.unlink(aside)


def _set_aside(path: Path) -> Path:
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "Is a directory", str(path))
    aside = path.with_name(f".{path.name[:80]}.{os.urandom(6).hex()}{PART}")
    os.rename(path, aside)
    return aside
