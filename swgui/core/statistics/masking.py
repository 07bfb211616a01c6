"""Low-complexity stretches: SEG for proteins, symmetric DUST for nucleotides.

Off by default everywhere: masking changes scores. A masked residue becomes the wildcard (X or N), which scores
little or nothing against anything, so that a match cannot live on composition alone.

* SEG: Wootton and Federhen (1993), Comput. Chem. 17:149, and (1996), Methods Enzymol. 266:554.
* Symmetric DUST: Morgulis, Gertz, Schaffer and Agarwala (2006), J. Comput. Biol. 13:1028.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import NUCLEOTIDE, Alphabet
from swgui.core.control import checking
from swgui.core.database import ArrayDatabase
from swgui.core.plain import replace
from swgui.core.records import Remark, SequenceRecord

Interval = tuple[int, int]

_PLAIN: Final = 20  # amino acids; their codes come first in the alphabet
_BASES: Final = 4
BLOCK_PARTS: Final = 100_000  # parts of a stretch that are compared at a time
_NO_ENTROPY: Final = -1.0  # window with too many letters that are no amino acid


@dataclass(frozen=True, slots=True)
class SegSettings:
    """Settings of SEG; the defaults are those of the papers and of NCBI's ``segmasker``."""

    window: int = 12  # residues over which complexity is measured
    low: float = 2.2  # complexity in bits at which a stretch begins
    high: float = 2.5  # complexity up to which it is extended
    most_trim: int = 100  # largest number of residues cut from a stretch in the search of its least probable part
    most_odd: int = 2  # letters other than the twenty amino acids that a window may hold


@dataclass(frozen=True, slots=True)
class DustSettings:
    """Settings of DUST; the defaults are those of NCBI's ``dustmasker``."""

    window: int = 64  # bases a stretch has at most before stretches are joined
    level: int = 20  # ten times the score above which a stretch is masked


def low_complexity(codes: NDArray[np.uint8], alphabet: Alphabet) -> list[Interval]:
    """Find low-complexity stretches with SEG or DUST, whichever fits the alphabet, at default settings.

    Parameters
    ----------
    codes : ndarray, shape=(n,), dtype=uint8

    Returns
    -------
    list of (start, end)
        Half-open, from 0, in order, apart from each other.
    """
    return dust(codes) if alphabet.name == NUCLEOTIDE.name else seg(codes)


def mask_codes(codes: NDArray[np.uint8], alphabet: Alphabet, intervals: Sequence[Interval]) -> NDArray[np.uint8]:
    """Return a copy of codes, shape (n,), with the wildcard in the intervals (half-open, from 0)."""
    masked = codes.copy()
    for start, end in intervals:
        masked[start:end] = alphabet.code(alphabet.wildcard)
    return masked


def mask_record(
    record: SequenceRecord, alphabet: Alphabet, number: int = 0
) -> tuple[SequenceRecord, list[Interval], list[Remark]]:
    """Mask a record's low-complexity stretches.

    Parameters
    ----------
    number : int
        Number of the record in its file, for the remark.

    Returns
    -------
    SequenceRecord
        The same object if nothing was masked.
    list of (start, end)
        Masked stretches, half-open, from 0.
    list of Remark
        One for each record that was changed, saying where.
    """
    alphabet = alphabet.residue_alphabet
    codes = alphabet.encode(record.residues)
    intervals = low_complexity(codes, alphabet)
    if not intervals:
        return record, [], []
    count = sum(end - start for start, end in intervals)
    shown = ", ".join(f"{start + 1}-{end}" for start, end in intervals[:8])
    more = f" and {len(intervals) - 8} more" if len(intervals) > 8 else ""
    method = "DUST" if alphabet.name == NUCLEOTIDE.name else "SEG"
    message = (
        f"{record.id}: {count} of {len(codes)} {alphabet.letter}s of low complexity were masked with "
        f"{alphabet.wildcard} ({method}): {shown}{more}."
    )
    masked = replace(record, residues=alphabet.decode(mask_codes(codes, alphabet, intervals)))
    return masked, intervals, [Remark("replaced", message, record=number, count=count)]


def mask_database(
    database: ArrayDatabase, progress: Callable[[int, int], None] | None = None, cancel: threading.Event | None = None
) -> tuple[ArrayDatabase, int]:
    """Mask the low-complexity stretches of all subjects; about 0.3 ms per protein.

    Parameters
    ----------
    progress : callable, optional
        Told how many subjects are done, of how many.

    Returns
    -------
    ArrayDatabase
        In memory, without a checksum; all else is that of `database`.
    int
        Residues masked.

    Raises
    ------
    Stopped
        If `cancel` was set.
    """
    codes = np.array(database.codes)
    wildcard, count = database.alphabet.code(database.alphabet.wildcard), 0
    for position in range(len(database)):
        if position % 256 == 0:
            checking(cancel, "Masking was stopped.")()
            if progress is not None:
                progress(position, len(database))
        start = int(database.offsets[position])
        for first, last in low_complexity(codes[start : int(database.offsets[position + 1])], database.alphabet):
            codes[start + first : start + last] = wildcard
            count += last - first
    return replace(database, codes=codes, checksum=""), count


def seg(codes: NDArray[np.uint8], settings: SegSettings | None = None) -> list[Interval]:
    """Find low-complexity stretches of a protein.

    A stretch begins where a window's entropy is at most ``low`` and is extended both ways while windows stay at or
    below ``high``. The stretch is the part of the residues in these windows with the least probable composition;
    the rest to the left of it is searched again.

    Parameters
    ----------
    codes : ndarray, shape=(n,), dtype=uint8
        Codes of the protein alphabet.
    """
    chosen = settings or SegSettings()
    intervals: list[Interval] = []
    pending = [(0, codes.size)]
    while pending:
        start, end = pending.pop()
        stretches, leftovers = _seg_once(codes[start:end], chosen)
        intervals += [(start + a, start + b) for a, b in stretches]
        pending += [(start + a, start + b) for a, b in leftovers]
    return join_close(intervals, gap=0)


def _seg_once(codes: NDArray[np.uint8], settings: SegSettings) -> tuple[list[Interval], list[Interval]]:
    """Return the stretches of one piece, and the leftovers that need another look."""
    window = settings.window
    entropy = _window_entropy(codes, window, settings.most_odd)
    trigger = (entropy <= settings.low) & (entropy != _NO_ENTROPY)
    extend = (entropy <= settings.high) & (entropy != _NO_ENTROPY)
    stretches, leftovers = [], []
    position, lowest = 0, 0
    while position < len(entropy):
        if not trigger[position]:
            ahead = np.flatnonzero(trigger[position:])
            if not len(ahead):
                break
            position += int(ahead[0])
        first = position
        while first > lowest and extend[first - 1]:
            first -= 1
        last = position
        while last + 1 < len(entropy) and extend[last + 1]:
            last += 1
        left, right = _least_probable(codes[first : last + window], settings.most_trim)
        left, right = first + left, first + right
        if position + window - 1 < left:
            leftovers.append((first, left))
        stretches.append((left, right))
        # Continue with the first window that begins behind the stretch.
        position = max(position, min(last, right - 1)) + 1
        lowest = position
    return stretches, leftovers


def _counts(codes: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Return the counts of each amino acid before each position, shape (n + 1, 20)."""
    below = np.zeros((codes.size + 1, _PLAIN), dtype=np.int32)
    np.cumsum(codes[:, np.newaxis] == np.arange(_PLAIN), axis=0, out=below[1:])
    return below


def _window_entropy(codes: NDArray[np.uint8], window: int, most_odd: int) -> NDArray[np.float64]:
    """Return Shannon's entropy in bits of the amino acids of every window, shape (n - window + 1,)."""
    if codes.size < window:
        return np.zeros(0)
    below = _counts(codes)
    counts = below[window:] - below[:-window]
    total = counts.sum(axis=1)
    # Sum of c log2 c over the letters, from a table so that equal compositions give equal values.
    table = np.array([0.0] + [c * math.log2(c) for c in range(1, window + 1)])
    weight = np.sort(table[counts], axis=1).sum(axis=1)
    least = np.maximum(total, 1)
    entropy = np.log2(least) - weight / least
    entropy[window - total > most_odd] = _NO_ENTROPY
    return np.asarray(entropy, dtype=np.float64)


def _least_probable(codes: NDArray[np.uint8], most_trim: int) -> Interval:
    """Find the part of a stretch whose composition is least probable, the longest and leftmost of equals.

    The probability of a composition is ``1/20**L  L! / prod(n_i!)  20! / prod(r_k!)``, with n_i the counts of the
    amino acids and r_k the number of amino acids that occur k times (Wootton and Federhen 1993, equation 3).
    """
    n = codes.size
    below = _counts(codes)
    lengths = np.arange(n, max(n - most_trim, 1), -1)
    best, least = (0, n), math.inf
    # As many lengths at a time as make about BLOCK_PARTS parts.
    step = max(1, BLOCK_PARTS // n)
    for block in (lengths[row : row + step] for row in range(0, len(lengths), step)):
        length = np.repeat(block, n - block + 1)
        start = np.concatenate([np.arange(n - k + 1) for k in block.tolist()])
        ln_p = _ln_probability(below[start + length] - below[start], length)
        index = int(np.argmax(ln_p <= ln_p.min() + 1e-9))
        if ln_p[index] < least - 1e-9:
            best, least = (int(start[index]), int(start[index] + length[index])), float(ln_p[index])
    return best


def _ln_probability(counts: NDArray[np.int32], length: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the logarithm of the probability of each row's composition, shape (rows,)."""
    most = max(int(length.max()), _PLAIN)
    ln_factorial = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, most + 1)))])
    ordered = np.sort(counts, axis=1)
    ln_p: NDArray[np.float64] = ln_factorial[counts.sum(axis=1)] - ln_factorial[ordered].sum(axis=1)
    ln_p += ln_factorial[_PLAIN] - length * math.log(_PLAIN)
    return ln_p - _ln_arrangements(ordered)


def _ln_arrangements(ordered: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return ln prod(r_k!), r_k being how many columns of a sorted row hold k, shape (rows,)."""
    run = np.ones(len(ordered))
    total = np.zeros(len(ordered))
    for column in range(1, _PLAIN):
        run = np.where(ordered[:, column] == ordered[:, column - 1], run + 1, 1)
        total += np.log(run)
    return total


def dust(codes: NDArray[np.uint8], settings: DustSettings | None = None) -> list[Interval]:
    """Find low-complexity stretches of a nucleotide sequence.

    The score of a stretch of l triplets is ``sum c_t (c_t - 1) / 2 / (l - 1)``, c_t being how often triplet t occurs.
    Masked is every stretch of at most ``window`` bases whose score is above ``level / 10`` and above or equal to
    that of every stretch inside it. Both strands give the same. Ambiguous bases separate stretches.

    Parameters
    ----------
    codes : ndarray, shape=(n,), dtype=uint8
        Codes of the nucleotide alphabet.
    """
    chosen = settings or DustSettings()
    thymine = np.where(codes == NUCLEOTIDE.code("U"), NUCLEOTIDE.code("T"), codes)
    plain = np.concatenate([[False], thymine < _BASES, [False]])
    edges = np.flatnonzero(plain[1:] != plain[:-1])
    intervals: list[Interval] = []
    for start, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        intervals += [(start + a, start + b) for a, b in _dust_piece(thymine[start:end], chosen)]
    return join_close(intervals, gap=1)


def _dust_piece(codes: NDArray[np.uint8], settings: DustSettings) -> list[Interval]:
    """Run DUST over bases without ambiguity, one length of stretch after the other, all positions at once."""
    triplets = codes[:-2] * 16 + codes[1:-1] * 4 + codes[2:] if codes.size > 3 else np.zeros(0, dtype=np.uint8)
    count = len(triplets)
    if count < 2:
        return []
    threshold = settings.level / 10.0
    repeats = np.zeros(count, dtype=np.int32)  # of triplet j among the `length - 1` before it
    pairs = np.zeros(count, dtype=np.int32)  # equal pairs in the stretch that begins at i
    best = np.zeros(count)  # highest score of a stretch inside the one that begins at i
    change = np.zeros(codes.size + 1, dtype=np.int32)
    for length in range(2, min(settings.window - 2, count) + 1):
        repeats[length - 1 :] += triplets[length - 1 :] == triplets[: count - length + 1]
        stretches = count - length + 1
        pairs = pairs[:stretches] + repeats[length - 1 :]
        inside = np.maximum(best[:stretches], best[1 : stretches + 1])
        score = pairs / (length - 1)
        starts = np.flatnonzero((score > threshold) & (score >= inside))
        change[starts] += 1
        np.subtract.at(change, starts + length + 2, 1)
        best = np.maximum(score, inside)
    covered = np.concatenate([[False], np.cumsum(change[:-1]) > 0, [False]])
    edges = np.flatnonzero(covered[1:] != covered[:-1])
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def join_close(intervals: list[Interval], gap: int) -> list[Interval]:
    """Sort intervals and join those that overlap, touch, or are at most `gap` apart."""
    joined: list[Interval] = []
    for start, end in sorted(intervals):
        if joined and start <= joined[-1][1] + gap:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined
