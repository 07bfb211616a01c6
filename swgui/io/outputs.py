"""No output replaces an input, and no output another one: one rule for every command and for the window."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TypeAlias

from swgui.core.errors import InvalidParameter
from swgui.io.whole_file import check_place

FileName: TypeAlias = str | os.PathLike[str]
Inputs: TypeAlias = Iterable[tuple[str, FileName | None]]  # what a file holds, "query" for example, and its name


def check_outputs(outputs: Mapping[str, FileName | None], inputs: Inputs) -> None:
    """Make sure, before any work, that files can be written and that none of them replaces another file of the work.

    Parameters
    ----------
    outputs : Mapping
        Files by the option (without dashes) that names them; None and empty ones are skipped.
    inputs : iterable of (str, path)
        The files that the work reads, as for `keep_inputs`.

    Raises
    ------
    InvalidParameter
        If an output is an input, or two outputs are one file.
    FileNotWritten
        If a file cannot be written where it is to be.
    """
    named: dict[object, str] = {}  # options by the file they name
    inputs = tuple(inputs) if any(given and os.path.exists(given) for given in outputs.values()) else ()
    for option, given in outputs.items():
        if not given:
            continue
        keep_inputs(given, inputs, parameter=option, hint=f"Name another file with --{option}.")
        check_place(given)
        for key in _identities(given):
            if (other := named.setdefault(key, option)) != option:
                message = f"--{other} and --{option} both name '{given}'."
                raise InvalidParameter(option, str(given), message, hint="Give each a file of its own.")


def keep_inputs(
    path: FileName, inputs: Inputs, *, parameter: str = "out", hint: str = "Choose another name or folder."
) -> None:
    """Refuse to write a file that is also read, under whatever name: by links, or by case where that does not count.

    Pipes and devices, which nothing can replace, are let through, and so are inputs that are not there.

    Parameters
    ----------
    path : path
        The file to be written.
    inputs : iterable of (str, path)
        What each file holds, and its name; names that are None or empty are passed over.

    Raises
    ------
    InvalidParameter
        Saying which input would be replaced.
    """
    for role, given in inputs:
        if given and os.path.isfile(given) and _is_one_file(path, given):
            alias = "" if str(path) == str(given) else f"'{path}' and '{given}' are one file. "
            message = f"{alias}'{given}' is the file of the {role}; the result would replace it."
            raise InvalidParameter(parameter, str(path), message, hint=hint)


def _is_one_file(name: FileName, other: FileName) -> bool:
    """Whether two names are those of one file; they may be names of files that are not there yet."""
    return not _identities(name).isdisjoint(_identities(other))


def _identities(given: FileName) -> set[object]:
    """Return a key that only names of one file share: its place, and the file itself if it exists."""
    identities: set[object] = set()
    with suppress(OSError, ValueError):  # it is not there, or is no name at all
        place = os.path.realpath(given)
        identities.add(place.casefold() if sys.platform in ("win32", "darwin") else place)
        facts = os.stat(given)
        identities.add((facts.st_dev, facts.st_ino))
    return identities
