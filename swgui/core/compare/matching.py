"""The same sequence under the names that other programs give it: whole id, parts between bars, with or without version.

Programs cut headers differently: ``sp|P02649|APOE_HUMAN`` may come back as ``P02649``, ``P02649.1``, ``APOE_HUMAN`` or
``lcl|P02649``. The look-up of a name tries rules from strict to tolerant and stops at the first that matches; a rule
that matches more than one sequence makes the name ambiguous, without a guess.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.database import TextColumn

_VERSION: Final = re.compile(rb"(?<=[^.])\.\d+$")
# Text between bars that names no sequence: tags of databases (NCBI's table of bar-separated identifiers).
_TAGS: Final = frozenset(
    b"bbm bbs dbj emb gb gi gim gnl gp lcl oth pat pdb pgp pir pre prf ref sp tpd tpe tpg tr".split()
)
# Bars that stand before the name which MMseqs2 makes of an id, by how the id begins.
_BARS: Final = {
    b"cl": 1, b"sp": 1, b"tr": 1, b"gb": 1, b"ref": 1, b"pdb": 1, b"bbs": 1, b"lcl": 1, b"pir": 2, b"prf": 2,
    b"gnl": 2, b"pat": 2, b"gi": 3,
}  # fmt: skip
Step = Callable[[bytes], tuple[bytes, ...]]  # returns the texts under which an id, or a name, is found
_Table = tuple[dict[bytes, int], dict[bytes, list[int]]]  # first place, and further places, by text


@dataclass(frozen=True, slots=True)
class Matches:
    """Matches of names with ids."""

    found: Mapping[str, int] = field(repr=False)  # index of the one id that matches a name
    # Indices of the several ids that match an ambiguous name, ascending.
    ambiguous: Mapping[str, NDArray[np.int64]] = field(repr=False)
    unknown: list[str] = field(repr=False)  # names without a match, in the order given


def match_names(names: Iterable[str], ids: TextColumn, steps: Sequence[Step] | None = None) -> Matches:
    """Find the ids that match names; upper and lower case differ.

    Parameters
    ----------
    names : iterable of str
        Names; repetitions cost one look-up.
    ids : TextColumn
        Read once for each step that is needed.
    steps : sequence of Step, optional
        From strict to tolerant; the whole id, its parts, and these without version, if not given.
    """
    found: dict[str, int] = {}
    ambiguous: dict[str, NDArray[np.int64]] = {}
    left = list(dict.fromkeys(names))
    for keys_of in steps or STEPS:
        if not left:
            break
        wanted = {name: keys_of(name.encode("utf-8", "replace")) for name in left}
        places = _places({key for keys in wanted.values() for key in keys}, ids, keys_of)
        still = []
        for name in left:
            indices = {index for key in wanted[name] for index in places.get(key, ())}
            if len(indices) == 1:
                found[name] = indices.pop()
            elif indices:
                ambiguous[name] = np.array(sorted(indices), dtype=np.int64)
            else:
                still.append(name)
        left = still
    return Matches(found, ambiguous, left)


class NameIndex:
    """Names of a list, found by a name of the same sequence; the other direction of `match_names`, one at a time.

    Parameters
    ----------
    names : sequence of str
        No two equal.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = [name.encode("utf-8", "replace") for name in names]
        self._with_bars = any(b"|" in name for name in self._names)
        self._tables: list[_Table] = []

    def find(self, name: str) -> tuple[int, ...]:
        """Return the places of the names that match by the strictest rule that any matches; none if empty."""
        wanted = name.encode("utf-8", "replace")
        for number, keys_of in enumerate(STEPS):
            first, more = self._table(number)
            places = {first[key] for key in keys_of(wanted) if key in first}
            if places:
                places.update(place for key in keys_of(wanted) for place in more.get(key, ()))
                return tuple(sorted(places))
        return ()

    def _table(self, number: int) -> _Table:
        """Return the places by the texts of a rule; made when a name first needs it."""
        while len(self._tables) <= number:
            keys_of = STEPS[len(self._tables)]
            if keys_of is _parts and not self._with_bars:  # the parts are the names
                self._tables.append(self._tables[-1])
                continue
            first: dict[bytes, int] = {}
            more: dict[bytes, list[int]] = {}
            for place, name in enumerate(self._names):
                for key in keys_of(name):
                    if first.setdefault(key, place) != place:
                        more.setdefault(key, []).append(place)
            self._tables.append((first, more))
        return self._tables[number]


def _places(wanted: set[bytes], ids: TextColumn, keys_of: Step) -> dict[bytes, list[int]]:
    """Return the indices of the ids that have each of the wanted keys."""
    places: dict[bytes, list[int]] = {}
    for index, identifier in enumerate(_each(ids)):
        for key in keys_of(identifier):
            if key in wanted:
                places.setdefault(key, []).append(index)
    return places


def _each(ids: TextColumn) -> Iterator[bytes]:
    for _, part in ids.parts():
        block = part.data.tobytes()
        yield from (block[start:end] for start, end in pairwise(part.offsets.tolist()))


def _whole(identifier: bytes) -> tuple[bytes, ...]:
    return (identifier,)


def _parts(identifier: bytes) -> tuple[bytes, ...]:
    """Return the id and its parts between bars that can name a sequence."""
    if b"|" not in identifier:
        return (identifier,)
    parts = identifier.strip(b"|").split(b"|")
    if parts[0] == b"pdb" and len(parts) == 3:  # entry and chain name one sequence only together
        return (identifier, parts[1] + b"_" + parts[2])
    named = (part for part in parts if part and part not in _TAGS)
    return (identifier, *dict.fromkeys(named))


def _unversioned(identifier: bytes) -> tuple[bytes, ...]:
    """Return the same parts without version suffixes (``NP_000032.1``)."""
    return tuple(dict.fromkeys(_VERSION.sub(b"", part) for part in _parts(identifier)))


def _shortened(identifier: bytes) -> tuple[bytes, ...]:
    """Return the id as MMseqs2 shortens it: ``gnl|db|X``, ``gi|1|ref|X|``, ``consensus_X`` and ``ucX`` to ``X``."""
    parts = identifier.removeprefix(b"consensus_").split(b"|")
    if parts[0].startswith(b"uc"):
        return (parts[0][2:],)
    bars = _BARS.get(parts[0], 0)
    return (parts[bars],) if len(parts) > bars and parts[bars] else (b"|".join(parts),)


STEPS: Final[tuple[Step, ...]] = (_whole, _parts, _unversioned)
# Names in lists of clusters: whole, as MMseqs2 shortens them, or a part between bars; versions count.
CLUSTERED: Final[tuple[Step, ...]] = (_whole, _shortened, _parts)
