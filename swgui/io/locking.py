"""Locks on files, which the system forgets with the program that holds them, however that ends."""

from __future__ import annotations

import errno
import sys
from typing import IO, Final

_LOCKED_BYTE: Final = 1 << 30  # on Windows other programs cannot read locked bytes; this one is unused
_TAKEN: Final = (errno.EAGAIN, errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK)  # by another one


def lock(file: IO[bytes]) -> bool:
    """Lock a file until it is closed or the program ends; False if another one has it.

    File systems that cannot lock (some of networks) lock nothing out. On Windows the file is at its
    start afterwards.
    """
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(_LOCKED_BYTE)
            try:
                msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            finally:
                file.seek(0)
        else:
            import fcntl

            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as fault:
        return bool(fault.errno) and fault.errno not in _TAKEN  # Wine refuses without a number
    return True
