"""Which identifiers occur twice among any number of records."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.checksums import blake2b
from swgui.core.records import Remark
from swgui.io.read_report import shown

_FACTORS: Final = (0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93)
_LONG: Final = 512  # bytes beyond which a text is hashed by itself
_MANY: Final = 1 << 21  # ids beyond which a table of marks tells those that cannot have been there before
_MARKS: Final = 1 << 27  # bytes of that table


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
    most : int
        Ids that are entered; of those beyond it is not told whether they occur twice.
    """

    def __init__(self, batch: int = 1 << 16, largest: int = 1 << 20, most: int = sys.maxsize) -> None:
        self._most, self._ended = most, False
        self._batch_size = batch
        self._largest = largest
        self._ids: list[bytes] = []
        self._lengths = array("i")
        self._numbers, self._lines = array("q"), array("q")  # numbers count through all files
        self._runs: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []  # sorted hashes, record numbers
        # Records are numbered through all files; these are the files, and the number before the first record of each.
        self._files: list[str] = []
        self._before: list[int] = []
        self._last = 0
        self._kept = 0
        self._marks: NDArray[np.bool_] | None = None  # by the low bits of hashes in runs

    def begin(self, file: str) -> None:
        """Mark the beginning of another file, whose first record is number 1 again.

        Earlier entries must have been compared (`flush`).
        """
        self._files.append(file)
        self._before.append(self._last)

    def add(self, identifier: str, record: int, line: int) -> Sequence[Remark]:
        """Enter one id; returns remarks about duplicates found so far (mostly none)."""
        name = identifier.encode("utf-8", "surrogatepass")
        self._last = record + (self._before[-1] if self._before else 0)
        if self._last > self._most:
            return self._end()
        self._ids.append(name)
        self._lengths.append(len(name))
        self._numbers.append(self._last)
        self._lines.append(line)
        return self._flush_full()

    def add_many(
        self, ids: bytes, lengths: NDArray[np.int32], record: int, lines: NDArray[np.int64]
    ) -> Sequence[Remark]:
        """Enter the ids of records that follow each other.

        Parameters
        ----------
        ids : bytes
            UTF-8, concatenated.
        lengths : ndarray, shape=(n,), dtype=int32
            Bytes of each.
        record : int
            Number of the first record in its file.
        lines : ndarray, shape=(n,), dtype=int64
            Line of each record in the file.
        """
        first = record + (self._before[-1] if self._before else 0)
        self._last = first + len(lengths) - 1
        if first > self._most:
            return self._end()
        self._ids.append(ids)
        self._lengths.frombytes(lengths.astype(np.int32).tobytes())
        self._numbers.frombytes(np.arange(first, self._last + 1, dtype=np.int64).tobytes())
        self._lines.frombytes(lines.astype(np.int64).tobytes())
        return self._flush_full()

    def _end(self) -> Sequence[Remark]:
        """Add one remark that no more identifiers are entered."""
        if self._ended:
            return ()
        self._ended = True
        text = f"Whether identifiers occur twice was looked at for the first {self._most:,} sequences."
        return [*self.flush(), Remark("note", text)]

    def _flush_full(self) -> Sequence[Remark]:
        return self.flush() if len(self._lengths) >= self._batch_size else ()

    def flush(self) -> Sequence[Remark]:
        """Compare what was entered last; call it at the end of the input."""
        if not self._lengths:
            return ()
        data = np.frombuffer(b"".join(self._ids), dtype=np.uint8)
        offsets = np.concatenate([[0], np.cumsum(self._lengths, dtype=np.int64)])
        hashes = hash_texts(data, offsets)
        numbers, lines = np.array(self._numbers, dtype=np.int64), np.array(self._lines, dtype=np.int64)
        order = np.argsort(hashes, kind="stable")
        hashes, sorted_numbers = hashes[order], numbers[order]
        # The record in which each id of the batch occurred first: in an earlier run, or in the batch.
        starts = np.flatnonzero(np.concatenate([[True], hashes[1:] != hashes[:-1]]))
        first = np.repeat(sorted_numbers[starts], np.diff(np.append(starts, len(hashes))))
        asked = np.arange(len(hashes)) if self._marks is None else np.flatnonzero(self._marks[_slots(hashes)])
        for run_hashes, run_numbers in reversed(self._runs):  # the oldest run has the last word
            positions = np.minimum(np.searchsorted(run_hashes, hashes[asked]), len(run_hashes) - 1)
            first[asked] = np.where(run_hashes[positions] == hashes[asked], run_numbers[positions], first[asked])
        earlier = np.empty_like(first)
        earlier[order] = first
        remarks = []
        for position in np.flatnonzero(earlier != numbers):
            name = shown(data[offsets[position] : offsets[position + 1]].tobytes().decode("utf-8", "replace"))
            nth = int(numbers[position]) - (self._before[-1] if self._before else 0)
            message = f"Record {nth} has the same identifier as {self._named(int(earlier[position]))}: '{name}'."
            remarks.append(Remark("duplicate", message, nth, int(lines[position])))
        self._keep(hashes[starts], sorted_numbers[starts])
        self._ids, self._lengths, self._numbers, self._lines = [], array("i"), array("q"), array("q")
        return remarks

    def _named(self, number: int) -> str:
        """Return the name of a record in messages; with its file if that is an earlier one."""
        file = int(np.searchsorted(self._before, number)) - 1
        if file == len(self._before) - 1:
            return f"record {number - self._before[file]}" if self._before else f"record {number}"
        return f"record {number - self._before[file]} of {self._files[file]}"

    def _keep(self, hashes: NDArray[np.int64], numbers: NDArray[np.int64]) -> None:
        """Add a run, and merge it with runs that are not much longer; large ones stay, as a merge needs room."""
        self._kept += len(hashes)
        if self._marks is None and self._kept > _MANY:
            self._marks = np.zeros(_MARKS, dtype=bool)
            for older, _ in self._runs:
                self._marks[_slots(older)] = True
        if self._marks is not None:
            self._marks[_slots(hashes)] = True
        while self._runs and len(self._runs[-1][0]) <= min(2 * len(hashes), self._largest):
            older_hashes, older_numbers = self._runs.pop()
            joined = np.concatenate([older_hashes, hashes])
            hashes, kept = np.unique(joined, return_index=True)
            numbers = np.concatenate([older_numbers, numbers])[kept]
        self._runs.append((hashes, numbers))


def _slots(hashes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where hashes stand in the table of marks."""
    return hashes & (_MARKS - 1)


def hash_texts(data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a 64-bit hash of each of many concatenated byte strings.

    Eight bytes are mixed in at a time, by multiplication and folding.

    Parameters
    ----------
    data : ndarray, dtype=uint8
    offsets : ndarray, shape=(n + 1,), dtype=int64

    Returns
    -------
    ndarray, shape=(n,), dtype=int64
    """
    multiplier, folder = (np.uint64(factor) for factor in _FACTORS)
    padded = np.concatenate([data, np.zeros(8, np.uint8)])
    words = np.ndarray(len(data) + 1, dtype="<u8", buffer=padded.data, strides=(1,))
    starts, left = offsets[:-1].copy(), np.diff(offsets)
    hashes = left.astype(np.uint64) * multiplier
    for number in np.flatnonzero(left > _LONG):
        whole = blake2b(data[offsets[number] : offsets[number + 1]].tobytes(), digest_size=8).digest()
        hashes[number] = int.from_bytes(whole, "little")
        left[number] = 0
    active = np.flatnonzero(left > 0)
    while len(active):
        unused = (8 - np.minimum(left[active], 8)).astype(np.uint64) * np.uint64(8)
        mixed = (hashes[active] ^ ((words[starts[active]] << unused) >> unused)) * multiplier
        hashes[active] = (mixed ^ (mixed >> np.uint64(32))) * folder
        starts[active] += 8
        left[active] -= 8
        active = active[left[active] > 0]
    return (hashes ^ (hashes >> np.uint64(29))).view(np.int64)
