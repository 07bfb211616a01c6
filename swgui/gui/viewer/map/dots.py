"""Where two sequences agree: single residues, words of a small part, and words of all of it. Pure, without Qt.

Sequences are codes of residues, arrays of shape (m,) for the query and (n,) for the subject and of dtype uint8;
positions count from 0. A *word* is some residues in a row, long enough that few agree by chance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet
from swgui.core.scoring import ScoringScheme

NOTHING, SIMILAR, SAME = 0, 1, 2
RESIDUE_CELLS = 200_000  # cells of a part that is compared residue by residue
WORD_CELLS = 1_500_000  # cells of a part whose words are compared at once
CHANCE_WORDS = 150  # words that agree by chance in the visible part, at most
REPEATED = 1 << 18  # values repeated at a time, a few milliseconds
COMMON = 32  # a word that the other sequence has more often than this is a repeat and is left out
BASIC = {"protein": "ACDEFGHIKLMNPQRSTVWY", "nucleotide": "ACGT"}


def similarity(scheme: ScoringScheme, *, complement: bool = False) -> NDArray[np.uint8]:
    """Return the class of each pair of residues: nothing, similar (scores above 0) or the same.

    Parameters
    ----------
    complement : bool
        Compare the complement of the query's residues.

    Returns
    -------
    ndarray, shape=(symbols, symbols), dtype=uint8
        By codes of query and subject.
    """
    alphabet = scheme.alphabet
    symbols = alphabet.letters
    table = np.where(scheme.matrix.scores > 0, SIMILAR, NOTHING).astype(np.uint8)
    table[np.arange(len(symbols)), np.arange(len(symbols))] = SAME
    wildcard = symbols.index(alphabet.wildcard)
    table[wildcard, wildcard] = NOTHING
    if complement and alphabet.complements:
        codes = alphabet.reverse_complement(np.arange(len(symbols), dtype=np.uint8))[::-1]
        table = table[codes]
    return table


def residue_cells(query: NDArray[np.uint8], subject: NDArray[np.uint8], table: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Compare every residue of the query with every one of the subject.

    Parameters
    ----------
    query, subject : ndarray, shape=(m,) and (n,), dtype=uint8
    table : ndarray, shape=(symbols, symbols), dtype=uint8
        As `similarity` returns it.

    Returns
    -------
    ndarray, shape=(n, m), dtype=uint8
        `NOTHING`, `SIMILAR` or `SAME` for each pair.
    """
    return table[query[None, :], subject[:, None]]


def word_length(query: int, subject: int, alphabet: Alphabet) -> int:
    """Return the length, at least 2, of words of which at most `CHANCE_WORDS` pairs agree by chance."""
    kinds = len(BASIC.get(alphabet.name, alphabet.plain))
    return max(2, math.ceil(math.log(max(query * subject / CHANCE_WORDS, 2), kinds)))


def word_codes(codes: NDArray[np.uint8], length: int, alphabet: Alphabet) -> NDArray[np.int64]:
    """Return a number for the word at each position: equal numbers for equal words.

    Parameters
    ----------
    codes : ndarray, shape=(n,), dtype=uint8

    Returns
    -------
    ndarray, shape=(max(n - length + 1, 0),), dtype=int64
        -1 for words with ambiguity codes such as N: they agree with nothing.
    """
    basic = BASIC.get(alphabet.name, alphabet.plain)
    values = np.full(len(alphabet.letters), -1, dtype=np.int64)
    for value, residue in enumerate(basic):
        values[alphabet.letters.index(residue)] = value
    residues = values[codes]
    count = len(codes) - length + 1
    if count <= 0:
        return np.zeros(0, dtype=np.int64)
    words = np.zeros(count, dtype=np.int64)
    unknown = np.zeros(count, dtype=bool)
    for offset in range(length):
        part = residues[offset : offset + count]
        words *= len(basic)
        words += part
        unknown |= part < 0
    words[unknown] = -1
    return words


def word_cells(
    query: NDArray[np.uint8], subject: NDArray[np.uint8], alphabet: Alphabet, *, complement: bool = False
) -> NDArray[np.bool_]:
    """Compare the words of a small part; a word that agrees is marked at its middle residues.

    Parameters
    ----------
    complement : bool
        Compare the words of the other strand of the query.

    Returns
    -------
    ndarray, shape=(n, m), dtype=bool
    """
    length = word_length(len(query), len(subject), alphabet)
    cells = np.zeros((len(subject), len(query)), dtype=bool)
    residues = alphabet.reverse_complement(query) if complement else query
    words = word_codes(residues, length, alphabet)
    words = words[::-1] if complement else words
    others = word_codes(subject, length, alphabet)
    if not len(words) or not len(others):
        return cells
    middle = length // 2
    agree = cells[middle : middle + len(others), middle : middle + len(words)]
    np.equal(others[:, None], np.where(words < 0, -2, words)[None, :], out=agree)
    return cells


@dataclass(frozen=True, slots=True, eq=False)
class Stretches:
    """Stretches of equal residues, in the order of their length, the longest first."""

    # query, subject: first position in the subject and the position of the query that is aligned with it.
    query: NDArray[np.int64] = field(repr=False)
    subject: NDArray[np.int64] = field(repr=False)
    lengths: NDArray[np.int64] = field(repr=False)  # shape (n,)
    # Whether the query runs the same way; if not, its complement agrees and its positions descend.
    forwards: NDArray[np.bool_] = field(repr=False)
    word: int  # stretches below this length were not looked for
    left_out: int  # words of repeats that were left out

    def __len__(self) -> int:
        return len(self.lengths)


def find_stretches(query: NDArray[np.uint8], subject: NDArray[np.uint8], alphabet: Alphabet) -> Stretches:
    """Find all stretches of equal residues of two sequences, on both strands of nucleotides.

    Words are sorted once and joined, in O((m + n) log(m + n)) steps. Words that occur more than `COMMON` times in
    the subject are left out and counted.
    """
    word = word_length(len(query), len(subject), alphabet)
    table = _Words(word_codes(subject, word, alphabet))
    parts, left_out = [], 0
    for forwards in (True, False) if alphabet.complements else (True,):
        residues = query if forwards else alphabet.reverse_complement(query)
        q, s, omitted = table.join(word_codes(residues, word, alphabet))
        left_out += omitted
        starts, lengths = _merge(q, s, word)
        q, s = q[starts], s[starts]
        parts.append((q if forwards else len(query) - 1 - q, s, lengths, np.full(len(q), forwards)))
    q, s, lengths, forward = (np.concatenate(column) for column in zip(*parts, strict=True))
    longest = np.argsort(-lengths, kind="stable")
    return Stretches(q[longest], s[longest], lengths[longest], forward[longest], word, left_out)


class _Words:
    """The words of one sequence, sorted.

    Parameters
    ----------
    words : ndarray, shape=(n,), dtype=int64
        By position; -1 for none.
    """

    def __init__(self, words: NDArray[np.int64]) -> None:
        self.order = np.argsort(words, kind="stable")
        ordered = words[self.order]
        first = np.ones(len(ordered), dtype=bool)
        first[1:] = ordered[1:] != ordered[:-1]
        self.starts = np.flatnonzero(first)
        self.distinct = ordered[self.starts]
        self.counts = np.diff(np.append(self.starts, len(ordered)))

    def join(self, words: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
        """Return the pairs of positions with equal words, and how many words were left out.

        Parameters
        ----------
        words : ndarray, shape=(m,), dtype=int64
            Of the query, by position.

        Returns
        -------
        query, subject : ndarray, shape=(k,), dtype=int64
            Positions, ordered by diagonal and then by position.
        left_out : int
        """
        if not len(self.distinct) or not len(words):
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), 0
        by_word = np.argsort(words, kind="stable")  # looking up words in order touches memory in order
        sought = words[by_word]
        place = np.minimum(np.searchsorted(self.distinct, sought), len(self.distinct) - 1)
        counts = np.where((self.distinct[place] == sought) & (sought >= 0), self.counts[place], 0)
        common = counts > COMMON
        counts[common] = 0
        q = _repeated(by_word, counts)
        within = np.arange(len(q)) - _repeated(np.cumsum(counts) - counts, counts)
        s = self.order[_repeated(self.starts[place], counts) + within]
        width = int(q.max(initial=0)) + 1
        by_diagonal = np.argsort((s - q) * width + q, kind="stable")
        return q[by_diagonal], s[by_diagonal], int(common.sum())


def _repeated(values: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Repeat each value; in parts, because `np.repeat` holds the GIL and would keep the window waiting."""
    parts = [
        np.repeat(values[start : start + REPEATED], counts[start : start + REPEATED])
        for start in range(0, len(values), REPEATED)
    ]
    return np.concatenate(parts)


def _merge(q: NDArray[np.int64], s: NDArray[np.int64], word: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where in the pairs of `_Words.join` stretches of neighbouring words begin, and their lengths."""
    if not len(q):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    breaks = np.flatnonzero((np.diff(s - q) != 0) | (np.diff(q) != 1)) + 1
    starts = np.concatenate([[0], breaks])
    return starts, np.diff(np.concatenate([starts, [len(q)]])) + word - 1
