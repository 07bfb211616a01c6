"""Libraries of contexts in files: those of the program in NumPy's form, and the published text form of CRF libraries.

The text form begins with the line ``CRF``. Each state has its lines ``BIAS`` (a natural logarithm), ``WEIGHTS`` or
``PC`` with the residues of the rows, a numbered row of weights for each place of the window, ``PC`` with the logarithms
of the probabilities, and ``//`` at its end. Rows are in thousandths of natural logarithms, ``*`` where there is none.
"""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.contexts import OWN_CONTEXT
from swgui.core.errors import ProfileError
from swgui.core.profiles.context import RESIDUES, WINDOW, ContextLibrary
from swgui.io.opening import open_to_read
from swgui.io.sequences.sources import open_file
from swgui.paths import resources_dir

LARGEST: Final = 1 << 28  # bytes, unpacked
_SHIPPED: Final = Path("contexts", "library.npz")  # in the resources
_ZIP: Final = b"PK\x03\x04"
_MEMBERS: Final = ("weights", "bias", "columns")
_MORE: Final = ("background", "scale")  # which a library need not have
_UNIT: Final = 1000.0  # of a natural logarithm, in the rows of the text form
_HINT: Final = "A context library is one of HH-suite's text files that begin with CRF; the program has one of its own."


def load_contexts(name: str) -> ContextLibrary:
    """Return the library of the program, by the name `OWN_CONTEXT`, or that of a file.

    Raises
    ------
    SequenceError, ProfileError
        As of `read_contexts`.
    """
    return read_contexts(resources_dir() / _SHIPPED, OWN_CONTEXT) if name == OWN_CONTEXT else read_contexts(name)


def read_contexts(path: str | os.PathLike[str], name: str = "") -> ContextLibrary:
    """Read a library of contexts; the text form may be packed.

    Parameters
    ----------
    name : str
        Its name in results; the name of the file if not given.

    Raises
    ------
    SequenceError
        If the file cannot be opened.
    ProfileError
        If it is no library, is damaged, or has windows of another length or another alphabet.
    """
    place = Path(path)
    name = name or place.name
    if _is_archive(place):
        return _read_archive(place, name)
    if place.is_file() and not place.stat().st_size:
        raise ProfileError(f"'{name}' is empty, and no context library.", hint=_HINT)
    with open_file(place) as source:
        text = source.text().read(LARGEST + 1)
    if len(text) > LARGEST:
        raise _too_large(name)
    return _read_text(text, name)


def _is_archive(place: Path) -> bool:
    try:
        with open(place, "rb") as file:
            return place.is_file() and file.read(len(_ZIP)) == _ZIP
    except (OSError, ValueError):
        return False  # `open_file` says why


def _read_archive(place: Path, name: str) -> ContextLibrary:
    with open_to_read(place, "a context library", lambda _, message, hint="": ProfileError(message, hint=hint)) as file:
        try:
            with zipfile.ZipFile(file) as members:
                if sum(member.file_size for member in members.infolist()) > LARGEST:
                    raise _too_large(name)
            file.seek(0)
            with np.load(file, allow_pickle=False) as arrays:
                weights, bias, columns = (np.asarray(arrays[member]) for member in _MEMBERS)
                more: dict[str, Any] = {of: np.asarray(arrays[of]) for of in _MORE if of in arrays.files}
        except KeyError:
            raise ProfileError(f"'{name}' is an archive without a context library.", hint=_HINT) from None
        except (OSError, ValueError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError) as fault:
            raise ProfileError(f"The context library '{name}' is damaged ({fault}).", hint=_HINT) from fault
    if (scale := more.get("scale")) is not None:
        more["scale"] = float(scale.sum())
    return ContextLibrary(weights, bias, _normalised(columns.astype(np.float32)), name, **more)


def _normalised(columns: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return columns whose rows add up to 1 where they nearly do: files round them."""
    if columns.ndim != 2:
        return columns
    sums = columns.sum(axis=1, keepdims=True)
    near = np.abs(sums - 1) < 1e-2
    return np.where(near, columns / np.where(near, sums, 1), columns)


@dataclass(slots=True)
class _State:
    """The lines of one state."""

    bias: float | None = None
    rows: list[NDArray[np.float64]] = field(default_factory=list)
    column: NDArray[np.float64] | None = None


def _read_text(text: str, name: str) -> ContextLibrary:
    lines = text.splitlines()
    first = next((index for index, line in enumerate(lines) if line.strip()), 0)
    if not lines or lines[first].strip() != "CRF":
        raise ProfileError(f"'{name}' is no context library.", hint=_HINT)
    declared, states = 0, []
    for number, words, state in _lines_of_states(lines[first + 1 :], first + 2, name):
        if words[0] == "SIZE":
            declared = int(_numbers(words[1:2], number, name)[0])
        elif words[0] == "BIAS":
            state.bias = float(_numbers(words[1:2], number, name)[0])
        elif words[0] == "PC":
            state.column = _numbers(words[1:], number, name)
        elif words[0] in ("WEIGHTS", "ALPHABET") and "".join(words[1:]) != RESIDUES:
            raise _damaged(name, number, f"its residues are not {RESIDUES}")
        elif words[0] in ("LENG", "ALPH"):
            _check_size(words, number, name)
        elif words[0].isdigit():
            state.rows.append(_numbers(words[1:], number, name))
        elif words[0] == "//":
            _check_state(state, number, name)
            states.append(state)
    if declared and len(states) != declared:
        raise _damaged(name, len(lines), f"{declared:,} states are announced, and {len(states):,} are there")
    if not states:
        raise _damaged(name, len(lines), "it has no states")
    weights = np.array([np.stack(state.rows) for state in states]) / _UNIT
    weights[~np.isfinite(weights)] = 0.0
    columns = _probabilities(np.stack([state.column for state in states if state.column is not None]) / _UNIT)
    bias = np.array([state.bias for state in states], dtype=np.float32)
    return ContextLibrary(weights.astype(np.float32), bias, columns.astype(np.float32), name)


def _probabilities(logarithms: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return probabilities whose logarithms are known but for a constant of each row."""
    with np.errstate(invalid="ignore"):  # of a row of `*` alone, which the library refuses
        weights = np.exp(logarithms - logarithms.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), dtype=np.float64)


def _lines_of_states(lines: Sequence[str], first: int, name: str) -> Iterator[tuple[int, list[str], _State]]:
    """Yield the number and the words of each line that is not empty, and the state it belongs to."""
    state, last = _State(), first
    for number, line in enumerate(lines, first):
        words = line.split()
        if not words:
            continue
        last = number
        yield number, words, state
        if words[0] == "//":
            state = _State()
    if state.rows or state.bias is not None or state.column is not None:
        raise _damaged(name, last, "the last state has no end")


def _numbers(words: Sequence[str], line: int, name: str) -> NDArray[np.float64]:
    try:
        numbers = np.array([-np.inf if word == "*" else float(word) for word in words])
    except ValueError:
        raise _damaged(name, line, "a number is not readable") from None
    if not len(numbers) or np.isnan(numbers).any() or (numbers == np.inf).any():
        raise _damaged(name, line, "a number is missing or not finite")
    return numbers


def _check_size(words: Sequence[str], line: int, name: str) -> None:
    wanted, what = (WINDOW, "windows") if words[0] == "LENG" else (len(RESIDUES), "an alphabet")
    given = int(_numbers(words[1:2], line, name)[0])
    if given != wanted:
        raise ProfileError(
            f"The context library '{name}' has {what} of {given:,} residues; {wanted} are needed here.", hint=_HINT
        )


def _check_state(state: _State, line: int, name: str) -> None:
    if state.bias is None or state.column is None or not np.isfinite(state.bias):
        raise _damaged(name, line, "the state that ends here has no bias or no probabilities")
    if len(state.rows) != WINDOW:
        raise _damaged(name, line, f"the state that ends here has {len(state.rows)} rows of weights, not {WINDOW}")
    if {len(row) for row in (*state.rows, state.column)} != {len(RESIDUES)}:
        raise _damaged(name, line, f"a row of the state that ends here has not {len(RESIDUES)} numbers")


def _too_large(name: str) -> ProfileError:
    return ProfileError(f"'{name}' is too large for a context library.", hint="256 MiB are read at most.")


def _damaged(name: str, line: int, why: str) -> ProfileError:
    return ProfileError(f"The context library '{name}' is damaged in line {line:,}: {why}.", hint=_HINT)
