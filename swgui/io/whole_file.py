"""Files are written completely or not at all: into a temporary file in the same folder, then renamed."""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Final, TextIO

from swgui.core.errors import SwguiError
from swgui.core.trace import part
from swgui.io.replacing import PART, WINDOWS, replace_file
from swgui.paths import is_own, no_folder, resolved

# What the user reads for each reason; {name} is the file, {folder} where it was to be.
_REASONS: Final = {
    errno.ENOSPC: ("There is no space left for '{name}' in {folder}.", "Free some space or choose another folder."),
    errno.EDQUOT: ("Your disk quota leaves no space for '{name}'.", "Delete something or choose another folder."),
    errno.EFBIG: ("'{name}' is larger than the file system in {folder} allows.", "Choose another folder."),
    errno.EACCES: ("You may not write '{name}' in {folder}.", "Choose another folder."),
    errno.EPERM: ("You may not write '{name}' in {folder}.", "Choose another folder."),
    errno.EROFS: ("{folder} can only be read, so '{name}' cannot be written.", "Choose another folder."),
    errno.ENOENT: ("The folder {folder} does not exist, so '{name}' cannot be written.", "Make it, or choose another."),
    errno.ENOTDIR: ("{folder} is not a folder, so '{name}' cannot be written.", "Choose another place."),
    errno.EISDIR: ("'{name}' is a folder; a file cannot replace it.", "Choose another name."),
    errno.ELOOP: ("'{name}' is a link that leads round in a circle.", "Choose another name, or delete the link."),
    errno.ENAMETOOLONG: ("The name '{name}' is too long.", "Choose a shorter name."),
}
PACKED: Final = (".gz", ".bz2", ".xz", ".zst")  # endings of files that are written compressed
_LOCK: Final = "lock"  # the file in a folder of `staged` that is open, and locked, while the folder is used
_STALE_AFTER: Final = 10.0  # seconds without a change: one that was just begun may not be locked yet


class FileNotWritten(SwguiError, OSError):
    """A file that could not be written; ``path`` names it, and what was there before is still there."""

    def __init__(self, path: str, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.path = path


def not_written(path: Path, fault: OSError, error: Callable[..., SwguiError] = FileNotWritten) -> SwguiError:
    """Explain why a file could not be written."""
    message, hint = _REASONS.get(
        fault.errno or 0, ("'{name}' cannot be written in {folder}: {reason}.", "Choose another folder.")
    )
    reason = fault.strerror or str(fault)
    name = path.name if len(path.name) <= 80 else f"{path.name[:79]}…"
    folder = no_folder(path) or path.parent
    text = message.format(name=name, folder=f"'{folder}'", reason=reason)
    return error(str(path), text, hint=hint)


@contextmanager
def whole_file(
    path: str | os.PathLike[str], error: Callable[..., SwguiError] = FileNotWritten, *, private: bool = False
) -> Iterator[IO[bytes]]:
    """Open a binary file for writing and reading that replaces `path` once the block ends well.

    If the block raises anything, or the disk is full, nothing has changed. A target that is not an
    ordinary file (a pipe, ``/dev/stdout``) is written directly.

    Parameters
    ----------
    error : callable
        Class of the error, called as ``error(path, message, hint=...)``.
    private : bool
        Whether only the user may read the file, as it is with all files in the program's own folders.
    """
    target = Path(path)
    try:
        target = resolved(target)  # a link stays a link
        if _is_special(target):
            with open(target, "wb") as file:
                yield file
            return
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, "Is a directory")
        _remove_stale(target)
        temporary = _temporary(target)
        # Not `mkstemp`, whose files only their owner may read: a new file has the mode of the umask, and one that
        # replaces another gets that of the other at the end.
        mode = 0o600 if private or is_own(target) or target.exists() else 0o666
        descriptor = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    except SwguiError:
        raise
    except OSError as fault:
        raise not_written(target, fault, error) from fault
    except ValueError as fault:  # a zero byte in the name
        raise error(str(path), f"'{path!r}' is no file name.", hint="Choose another name.") from fault
    try:
        with os.fdopen(descriptor, "w+b", buffering=1 << 20) as file:
            _lock(descriptor)
            yield file
            with part("write"):
                file.flush()
                os.fsync(file.fileno())
        replace_file(temporary, target)
    except BaseException as fault:
        with suppress(OSError):
            os.unlink(temporary)
        if isinstance(fault, OSError) and not isinstance(fault, SwguiError):
            raise not_written(target, fault, error) from fault
        raise
    _sync_folder(target.parent)


@contextmanager
def staged(path: str | os.PathLike[str], error: Callable[..., SwguiError] = FileNotWritten) -> Iterator[Path]:
    """Give the name of a file of which `path` is made afterwards: in a folder next to it, deleted at the end.

    Where a program was killed, the next that writes `path` deletes the folder, as it deletes files of `whole_file`.

    Parameters
    ----------
    error : callable
        As for `whole_file`; raised where the folder cannot be made, before anything else is done.
    """
    check_place(path, error)
    target = resolved(Path(path))
    folder = _temporary(target)
    try:
        folder.mkdir(mode=0o700)
        descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT)
    except OSError as fault:
        _remove_folder(folder)
        raise not_written(target, fault, error) from fault
    try:
        _lock(descriptor)
        yield folder / target.name
    finally:
        os.close(descriptor)
        _remove_folder(folder)


def ending_of(path: str | os.PathLike[str]) -> str:
    """Return the ending of a name in small letters; of a compressed file the one before: ``.tsv`` of ``a.tsv.gz``."""
    place = Path(path)
    return (Path(place.stem) if place.suffix.lower() in PACKED else place).suffix.lower()


def save_bytes(path: str | os.PathLike[str], write: Callable[[IO[bytes]], object]) -> None:
    """Write a file whole or not at all.

    Parameters
    ----------
    write : callable
        Takes the open file; if it raises, nothing has changed.

    Raises
    ------
    FileNotWritten
        If the file cannot be written: no space, no permission, no such folder.
    """
    with whole_file(path) as file:
        write(file)


def save_text(path: str | os.PathLike[str], write: Callable[[TextIO], object]) -> None:
    """Write a file in UTF-8 whole or not at all, compressed if its name has one of the endings of `PACKED`.

    Parameters and errors are those of `save_bytes`.
    """

    def write_encoded(file: IO[bytes]) -> None:
        with _packing(file, Path(path).suffix.lower()) as packed:
            text = io.TextIOWrapper(packed, encoding="utf-8", newline="\n")
            try:
                write(text)
                text.flush()
            finally:
                text.detach()

    save_bytes(path, write_encoded)


def write_text(path: str | None, write: Callable[[TextIO], object]) -> None:
    """Do as `save_text`, or write to the standard output where no file is named."""
    if path:
        save_text(path, write)
    else:
        write(sys.stdout)


@contextmanager
def _packing(file: IO[bytes], ending: str) -> Iterator[IO[bytes]]:
    """Open a file for writing that compresses into another, as the ending of its name has it."""
    packed: Any = file
    if ending == ".gz":
        import gzip  # here, as below: few files are compressed

        packed = gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0)  # the same bytes at any time
    elif ending == ".bz2":
        import bz2

        packed = bz2.BZ2File(file, "wb")
    elif ending == ".xz":
        import lzma

        packed = lzma.LZMAFile(file, "wb")  # noqa: SIM115 - closed below
    elif ending == ".zst":
        from swgui.io.unpacking import zstd_module

        packed = zstd_module().ZstdFile(file, "wb")
    try:
        yield packed
    finally:
        if packed is not file:
            packed.close()  # the file below stays open


class _Enough(Exception):
    """Ends a file that was begun only to see whether it can be."""


def check_place(path: str | os.PathLike[str], error: Callable[..., SwguiError] = FileNotWritten) -> None:
    """Make sure that a file can be begun at `path`, long before it is written; nothing is changed.

    Raises
    ------
    FileNotWritten, or `error`
        As `whole_file` would: no such folder, no permission, a folder of that name.
    """
    with suppress(OSError, ValueError):
        if _is_special(resolved(Path(path))):  # to open a pipe means to wait for its reader
            return
    with suppress(_Enough), whole_file(path, error):
        raise _Enough


def _temporary(target: Path) -> Path:
    """Return a name in the same folder for an incomplete file."""
    return target.with_name(f".{target.name[:80]}.{os.urandom(6).hex()}{PART}")


def _remove_stale(target: Path) -> None:
    """Remove the remains of a killed program at this target; a program that still writes holds a lock."""
    prefix = f".{target.name[:80]}."
    with suppress(OSError):
        for entry in os.scandir(target.parent):
            if entry.name.startswith(prefix) and entry.name.endswith(PART) and not entry.is_symlink():
                with suppress(OSError):
                    if time.time() - entry.stat().st_mtime > _STALE_AFTER:
                        _remove_abandoned(Path(entry.path))


def _remove_abandoned(path: Path) -> None:
    """Remove a file of `whole_file` or a folder of `staged` that no program uses."""
    lock = path / _LOCK if path.is_dir() else path
    if not lock.exists() or _is_abandoned(lock):
        lock.unlink(missing_ok=True)  # raises on Windows if a program has it open
        if lock is not path:
            _remove_folder(path)


def _remove_folder(path: Path) -> None:
    import shutil  # here: most files are written as one

    shutil.rmtree(path, ignore_errors=True)


def _is_abandoned(path: Path) -> bool:
    """Whether no program writes a file; Windows does not delete open files, so the check is not needed there."""
    if WINDOWS:
        return True
    with open(path, "rb") as file:
        return _lock(file.fileno())


def _lock(descriptor: int) -> bool:
    """Lock a file for this process while it is open; False if another holds it, or where there are no locks."""
    try:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        return False
    return True


def _is_special(target: Path) -> bool:
    try:
        mode = target.stat().st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _sync_folder(folder: Path) -> None:
    """Make the new name last through a power cut, where the system allows it."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
