"""Organisms of subjects that come some at a time: numbers that blocks hold, and in the end what they mean."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from swgui.core.organisms.subjects import UNKNOWN, SubjectOrganisms, grouped
from swgui.core.texts import TextColumn
from swgui.io.database.facts import NO_FILES
from swgui.io.database.packed.names import Texts
from swgui.io.organisms.assign import OrganismSource

_Named = tuple[str, int]  # name, empty where only the taxid is known; taxid, 0 where it is not


class OrganismNumbers:
    """Gives numbers to what headers and sources say of organisms."""

    def __init__(self) -> None:
        self._numbers: dict[_Named, int] = {}
        self._counts: Counter[int] = Counter()
        self._source = OrganismSource(NO_FILES)

    def __len__(self) -> int:
        return len(self._numbers)

    def of(self, ids: Texts, descriptions: Texts, taxids: NDArray[np.int32] | None) -> NDArray[np.int32]:
        """Return the number of each subject's organism, shape (n,).

        Parameters
        ----------
        taxids : ndarray, shape=(n,), dtype=int32, optional
            What their source says; 0 where it says nothing.
        """
        found = self._source.assign(_column(ids), _column(descriptions), taxids)
        named = [
            ("" if name == f"taxid {taxid}" else name, taxid)
            for name, taxid in zip(found.names, found.taxids.tolist(), strict=True)
        ]
        numbers = [self._numbers.setdefault(one, len(self._numbers)) for one in named]
        self._counts.update(dict(zip(numbers, found.counts.tolist(), strict=True)))
        return np.array([*numbers, UNKNOWN], np.int32)[found.of]  # the unknown one is the last

    def meant(self) -> SubjectOrganisms:
        """Return what the numbers mean: organisms, and which of them each number is."""
        names = list(dict.fromkeys(name for name, _ in self._numbers if name))
        places = {name: place for place, name in enumerate(names)} | {"": UNKNOWN}
        of = np.array([places[name] for name, _ in self._numbers], np.int64)
        times = np.array([self._counts[number] for number in range(len(of))], np.int64)
        return grouped(of, names, np.array([taxid for _, taxid in self._numbers], np.int32), times)


def _column(texts: Texts) -> TextColumn:
    text, lengths = texts
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return TextColumn(np.frombuffer(text, np.uint8), offsets)
