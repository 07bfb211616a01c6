"""What a reader changed or noticed, collected while it reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet
from swgui.core.records import Remark

KEPT_PER_KIND: Final = 1000

# What the user reads for each kind of remark: one, several.
_KIND_TEXTS: Final = {
    "replaced": ("letter replaced by the unknown letter", "letters replaced by the unknown letter"),
    "removed": ("sign left out", "signs left out"),
    "odd": ("rare letter kept", "rare letters kept"),
    "empty": ("empty record left out", "empty records left out"),
    "duplicate": ("identifier that was there before", "identifiers that were there before"),
    "note": ("note", "notes"),
}


@dataclass
class ReadReport:
    """All remarks of one reading, bounded: the first ones are kept, all are counted.

    Parameters
    ----------
    remarks : list of Remark
        The first `KEPT_PER_KIND` of each kind, in the order of the file.
    counts : Counter
        Letters, signs or records concerned, by kind of remark; complete.
    records : int
        Records handed on (empty ones are not).
    residues : int
        Residues handed on.
    format : str
        For example ``"FASTA, gzip"``; several files are joined by "; ".
    alphabet : Alphabet, optional
        The kind of sequence that was read; None until the first record.
    """

    remarks: list[Remark] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    records: int = 0
    residues: int = 0
    format: str = ""
    alphabet: Alphabet | None = None
    _made: Counter[str] = field(default_factory=Counter, repr=False)

    def add(self, remark: Remark) -> None:
        """Count a remark, and keep it if there is room for its kind."""
        self.counts[remark.kind] += remark.count
        self._made[remark.kind] += 1
        if self._made[remark.kind] <= KEPT_PER_KIND:
            self.remarks.append(remark)

    @property
    def altered(self) -> bool:
        """Whether letters or records were replaced or left out."""
        return any(self.counts[kind] for kind in ("replaced", "removed", "empty"))

    @property
    def complete(self) -> bool:
        """Whether `remarks` holds every remark that was made."""
        return all(made < KEPT_PER_KIND for made in self._made.values())

    def add_format(self, name: str) -> None:
        """Note the format of one more file."""
        known = self.format.split("; ") if self.format else []
        if name not in known:
            self.format = "; ".join([*known, name])

    def name_source(self, first: int, name: str) -> None:
        """Put the name of their file before the remarks from number `first` on, where several files are read."""
        self.remarks[first:] = [replace(remark, message=f"{name}: {remark.message}") for remark in self.remarks[first:]]

    def brief(self) -> Iterator[str]:
        """Yield the first remark of each kind, with how many more of it were made."""
        seen = set()
        for remark in self.remarks:
            if remark.kind not in seen:
                seen.add(remark.kind)
                more = self._made[remark.kind] - 1
                yield f"{remark.message} ({more:,} more of this kind.)" if more else remark.message

    def listing(self) -> Iterator[str]:
        """Yield every remark that was kept, and in the end how many of each kind were made if some were not kept."""
        for remark in self.remarks:
            yield remark.message
        if not self.complete:
            yield f"Not every remark is listed, only {KEPT_PER_KIND:,} of each kind. In all: {self._changes()}."

    def summary(self) -> str:
        """Say in one or two sentences what was read and what was changed."""
        kind = f"{self.alphabet.name} " if self.alphabet else ""
        sequences = "sequence" if self.records == 1 else "sequences"
        residues = "residue" if self.residues == 1 else "residues"
        text = f"{self.records:,} {kind}{sequences}, {self.residues:,} {residues}"
        text += f" ({self.format})." if self.format else "."
        changes = self._changes()
        return f"{text} {changes}." if changes else text

    def _changes(self) -> str:
        return ", ".join(
            f"{self.counts[kind]:,} {texts[self.counts[kind] != 1]}"
            for kind, texts in _KIND_TEXTS.items()
            if self.counts[kind]
        )


class IdLedger:
    """Finds identifiers that occur twice, in 16 bytes per record whatever the ids are.

    Ids are kept as 64-bit hashes in sorted runs of doubling size; a batch is compared with the runs
    when it is full. Of 10 million ids, two different ones share a hash with probability 3e-6.

    Parameters
    ----------
    batch : int
        Ids compared at a time.
    largest : int
        Runs beyond this size are not merged any more.
    """

    def __init__(self, batch: int = 1 << 16, largest: int = 1 << 20) -> None:
        self._batch_size = batch
        self._largest = largest
        self._ids: list[str] = []
        self._places: list[tuple[int, int]] = []
        self._runs: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []  # sorted hashes, record numbers
        # Records are numbered through all files; these are the files, and the number before the first record of each.
        self._files: list[str] = []
        self._before: list[int] = []
        self._last = 0

    def begin(self, file: str) -> None:
        """Say that the records that follow are of another file, whose first record is number 1 again.

        What was entered before must have been compared (`flush`).
        """
        self._files.append(file)
        self._before.append(self._last)

    def add(self, identifier: str, record: int, line: int) -> Sequence[Remark]:
        """Enter one id; returns remarks about duplicates found so far (mostly none)."""
        self._last = self._before[-1] + record if self._before else record
        self._ids.append(identifier)
        self._places.append((self._last, line))
        return self.flush() if len(self._ids) >= self._batch_size else ()

    def flush(self) -> Sequence[Remark]:
        """Compare what was entered last; call it at the end of the input."""
        if not self._ids:
            return ()
        hashes = np.fromiter(map(hash, self._ids), dtype=np.int64, count=len(self._ids))
        numbers = np.fromiter((record for record, _ in self._places), dtype=np.int64, count=len(self._ids))
        order = np.argsort(hashes, kind="stable")
        hashes, numbers = hashes[order], numbers[order]
        # The record in which each id of the batch occurred first: in an earlier run, or in the batch.
        starts = np.flatnonzero(np.concatenate([[True], hashes[1:] != hashes[:-1]]))
        first = np.repeat(numbers[starts], np.diff(np.append(starts, len(hashes))))
        for run_hashes, run_numbers in reversed(self._runs):  # the oldest run has the last word
            at = np.minimum(np.searchsorted(run_hashes, hashes), len(run_hashes) - 1)
            first = np.where(run_hashes[at] == hashes, run_numbers[at], first)
        earlier = np.empty_like(first)
        earlier[order] = first
        remarks = []
        for position in np.sort(order[first != numbers]):
            record, line = self._places[position]
            name = shown(self._ids[position])
            here = record - (self._before[-1] if self._before else 0)
            message = f"The identifier '{name}' of record {here} is also that of {self._place(int(earlier[position]))}."
            remarks.append(Remark("duplicate", message, here, line))
        self._keep(hashes[starts], numbers[starts])
        self._ids, self._places = [], []
        return remarks

    def _place(self, number: int) -> str:
        """Return the place of a record in words; with its file if that is an earlier one."""
        file = int(np.searchsorted(self._before, number)) - 1
        if file == len(self._before) - 1:
            return f"record {number - self._before[file]}" if self._before else f"record {number}"
        return f"record {number - self._before[file]} of {self._files[file]}"

    def _keep(self, hashes: NDArray[np.int64], numbers: NDArray[np.int64]) -> None:
        """Add a run, and merge it with runs that are not much longer; large ones stay, as a merge needs room."""
        while self._runs and len(self._runs[-1][0]) <= min(2 * len(hashes), self._largest):
            older_hashes, older_numbers = self._runs.pop()
            joined = np.concatenate([older_hashes, hashes])
            hashes, kept = np.unique(joined, return_index=True)
            numbers = np.concatenate([older_numbers, numbers])[kept]
        self._runs.append((hashes, numbers))


def shown(text: str, limit: int = 60) -> str:
    """Return a text from a file fit for a message: printable, on one line, not too long."""
    if len(text) <= limit and text.isprintable():
        return text
    printable = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text[: limit + 1])
    return printable if len(printable) <= limit else printable[: limit - 1] + "…"
