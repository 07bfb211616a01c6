"""Errors that users can meet. Each is one sentence with the event and its place, and a hint with the remedy."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final

# Sentence about a file for each error of the system, and the remedy.
_REASONS: Final = {
    errno.ENOENT: ("{file} is not there any more.", "Check its name; it was moved or deleted."),
    errno.EACCES: ("{file} may not be read or written by you.", "Ask its owner."),
    errno.EPERM: ("{file} may not be read or written by you.", "Ask its owner."),
    errno.ENOSPC: ("There is no space left for {file}.", "Free some space."),
    errno.EDQUOT: ("Your disk quota leaves no space for {file}.", "Delete something."),
    errno.EISDIR: ("{file} is a folder.", "Choose a file in it."),
    errno.EMFILE: ("{file} cannot be opened: too many files are open.", "Raise the limit with 'ulimit -n'."),
    errno.ENFILE: ("{file} cannot be opened: too many files are open.", "Close other programs."),
    errno.ENAMETOOLONG: ("The name of {file} is too long.", "Choose a shorter one."),
}
_OTHER_REASON: Final = ("{file} cannot be read or written: {reason}.", "Check its drive, or use a copy elsewhere.")


class SwguiError(Exception):
    """Base of all errors that are explained to the user.

    Parameters
    ----------
    message : str
        What happened and where, as one sentence; signs that cannot be shown, as of a damaged file, are replaced.
    hint : str, optional
        What the user can do about it.
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        if not message.isprintable():
            message = "".join(
                sign if sign.isprintable() or sign == "\n" else "\N{REPLACEMENT CHARACTER}" for sign in message
            )
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}" if self.hint else self.message


def sentence_of(error: BaseException) -> str:
    """Return the first line of an exception as a sentence with a full stop; the name of its class if it has no text."""
    line = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip()
    return line if line.endswith((".", "!", "?", "…")) else f"{line}."


def reason_of(fault: BaseException) -> str:
    """Return the system's text of an error, without its number and the name of the file."""
    return (getattr(fault, "strerror", None) or str(fault) or type(fault).__name__).rstrip(".")


class InvalidParameter(SwguiError, ValueError):
    """A setting has a value that cannot be used; ``name`` and ``value`` say which."""

    def __init__(self, name: str, value: object, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.name = name
        self.value = value


class SequenceError(SwguiError, ValueError):
    """Letters or a file that cannot be read as sequences.

    ``path`` names the file (or is empty), ``line`` and ``record`` count from 1, 0 when unknown.
    """

    def __init__(self, message: str, *, path: str = "", line: int = 0, record: int = 0, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.path = path
        self.line = line
        self.record = record


class SequenceFileMissing(SequenceError, FileNotFoundError):
    """A file of sequences that is not there; ``path`` names it."""


class AlphabetMismatch(SwguiError, ValueError):
    """Query and database (or matrix) are of different kinds."""

    def __init__(self, expected: str, actual: str, what: str) -> None:
        super().__init__(
            f"The {what} is {actual}, but {expected} is needed here.",
            hint=f"Choose a {expected} {what}, or a database and matrix for {actual}.",
        )
        self.expected = expected
        self.actual = actual


class MatrixError(SwguiError, ValueError):
    """A substitution matrix that is unknown or cannot be read."""


class ProfileError(SwguiError, ValueError):
    """A profile or alignment that cannot be read, or cannot be searched with."""


class LogError(SwguiError, OSError):
    """A log from which a run cannot continue."""


class RunFileError(SwguiError, OSError):
    """A file with the result of a run that is missing, damaged, foreign, or of another version.

    Parameters
    ----------
    path : str or path-like
        Names the file; empty where only its content is known.
    message, hint : str
        As of `SwguiError`.
    """

    def __init__(self, path: str | os.PathLike[str], message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.path = os.fspath(path)


class RunFileMissing(RunFileError, FileNotFoundError):
    """A file with the result of a run that is not there; ``path`` names it."""


class DatabaseError(SwguiError):
    """A database file that is missing, damaged, foreign or of a newer version; ``path`` names it."""

    def __init__(self, path: str, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.path = path


class DatabaseMissing(DatabaseError, FileNotFoundError):
    """A database file that is not there; ``path`` names it."""


# The errors for a file that is missing, by the general error for such files.
MISSING: Final[Mapping[object, Callable[..., SwguiError]]] = {
    DatabaseError: DatabaseMissing,
    RunFileError: RunFileMissing,
}


class FileFault(SwguiError, OSError):
    """The system failed while a file was read or written; ``path`` names it, and is empty where it is not known."""

    def __init__(self, path: str, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.path = path


class ConnectionFault(SwguiError, OSError):
    """The system failed while the program spoke with another one."""


def explained(fault: OSError) -> SwguiError:
    """Return an error of the system as one with a sentence; errors that have a sentence stay as they are."""
    if isinstance(fault, SwguiError):
        return fault
    made: SwguiError
    if isinstance(fault, ConnectionError | TimeoutError) and not fault.filename:
        made = ConnectionFault(f"A connection failed: {reason_of(fault)}.", hint="Check the network.")
    else:
        path = os.fsdecode(fault.filename) if isinstance(fault.filename, str | bytes) else ""
        message, hint = _REASONS.get(fault.errno or 0, _OTHER_REASON)
        text = message.format(file=f"'{path}'" if path else "a file", reason=reason_of(fault))
        made = FileFault(path, text[:1].upper() + text[1:], hint=hint)
    assert isinstance(made, OSError)
    made.errno, made.strerror, made.filename = fault.errno, fault.strerror, fault.filename
    return made


@contextmanager
def explaining() -> Iterator[None]:
    """Raise errors of the system as errors with a sentence: the border of commands, tasks and the library.

    Raises
    ------
    FileFault, ConnectionFault
        For any `OSError` without a sentence but `BrokenPipeError`: a reader of our output that has seen enough.
    """
    try:
        yield
    except (SwguiError, BrokenPipeError):
        raise
    except OSError as fault:
        raise explained(fault) from fault


class EngineUnavailable(SwguiError, RuntimeError):
    """An engine or device that cannot be used on this computer; ``engine`` names it."""

    def __init__(self, engine: str, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.engine = engine


class EngineFault(SwguiError, RuntimeError):
    """An engine that failed while it worked; earlier scores are kept."""


class OutOfDeviceMemory(EngineFault, MemoryError):
    """The device has too little free memory; ``needed`` and ``free`` are in bytes."""

    def __init__(self, device: str, needed: int, free: int) -> None:
        super().__init__(
            f"{device} has {free / 2**20:.0f} MiB free, {needed / 2**20:.0f} MiB are needed.",
            hint="Close other programs that use this GPU, choose another device, or run on the CPU.",
        )
        self.device = device
        self.needed = needed
        self.free = free


class KernelCompileError(EngineFault):
    """The GPU program could not be compiled; ``log`` is the compiler's full message."""

    def __init__(self, kernel: str, defines: tuple[str, ...], log: str) -> None:
        first = next((line for line in log.splitlines() if "error" in line.lower()), log.splitlines()[0] if log else "")
        super().__init__(
            f"The GPU program '{kernel}' could not be compiled: {first.strip()}",
            hint="Run on the CPU, and report this with the compiler's message.",
        )
        self.kernel = kernel
        self.defines = defines
        self.log = log


class ScoreMismatch(SwguiError, AssertionError):
    """An alignment that does not add up to the score it was made for: a fault in the program."""

    def __init__(self, subject_id: str, expected: int, actual: int) -> None:
        super().__init__(
            f"The alignment with '{subject_id}' adds up to {actual}, but the search scored {expected}.",
            hint="Do not use this hit; please report it with the query and the subject.",
        )
        self.subject_id = subject_id
        self.expected = expected
        self.actual = actual


class NotFound(SwguiError, KeyError):
    """A result or database without an entry of a name, which is in ``name``."""

    def __init__(self, name: str, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.name = name


class MissingPackage(SwguiError, ImportError):
    """A package that an option needs and that is not installed; ``name`` is its name."""

    def __init__(self, name: str, extra: str = "") -> None:
        name = name.partition(".")[0]
        package = f"'swgui-core[{extra}]'" if extra else {"Bio": "biopython"}.get(name, name)
        super().__init__(f"The package '{name}' is not installed.", hint=f"Install it with: pip install {package}.")
        self.name = name


class Stopped(SwguiError):
    """The user stopped the work: the worker raises it, the caller that started the work ends quietly on it.

    Attributes
    ----------
    continues : bool
        Whether the work itself continues, on another computer, and only this program has left it.
    """

    continues = False

    def __init__(self, message: str = "Stopped.", *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
