"""Deflines of BLAST databases: identifier, title and organism of every entry, from NCBI's binary form.

An entry of a non-redundant database has several. Identifiers are written as ``blastdbcmd`` writes them with ``%a``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.io.imported.ber import Damaged, Values, walk
from swgui.io.imported.gathering import Buffer, first_words, gathered

JOINED: Final = b"\x01"  # between the deflines of one entry, as in NCBI's FASTA files
_TITLE, _IDENTIFIERS, _TAXID, _MEMBERSHIPS = 0xA0, 0xA1, 0xA2, 0xA330
_LIST: Final = b"\x30\x80"  # begins a list, and each defline in it
_CLOSED: Final = b"\0\0"
_LOCAL, _PATENT, _GENERAL, _GI, _PDB = 0xA0, 0xA8, 0xAA, 0xAB, 0xAE
_BACKBONE_SEQUENCE, _BACKBONE_TYPE, _IMPORT = 0xA1, 0xA2, 0xA3  # of GenBank's early years
_BARE_NUMBERS: Final = (_LOCAL, _BACKBONE_SEQUENCE, _BACKBONE_TYPE, _IMPORT)
# NCBI's prefixes of identifiers, by rank: where a defline has several, the lowest is shown.
_KINDS: Final = {
    0xA4: ("gb", 1), 0xA5: ("emb", 1), 0xA6: ("pir", 2), 0xA7: ("sp", 1), 0xA9: ("ref", 0), 0xAC: ("dbj", 1),
    0xAD: ("prf", 2), 0xAF: ("tpg", 1), 0xB0: ("tpe", 1), 0xB1: ("tpd", 1), 0xB2: ("gpp", 2), 0xB3: ("nat", 2),
    _PDB: ("pdb", 0), _PATENT: ("pat", 3), _GENERAL: ("gnl", 4), _LOCAL: ("lcl", 5), _GI: ("gi", 6),
    _BACKBONE_SEQUENCE: ("bbs", 5), _BACKBONE_TYPE: ("bbm", 5), _IMPORT: ("gim", 5),
}  # fmt: skip
_OTHER_RANK: Final = 9
_ORDINAL: Final = b"BL_ORD_ID"  # an identifier that is only the number of the entry; the title has the real one

# Parts of an identifier, and the paths that lead to each below the tag of its kind.
_MAIN, _BESIDE, _NUMBER = range(3)
_TEXTS: Final = {
    _MAIN: ((_LOCAL, (0xA1,)), (_GENERAL, (0x30, 0xA1, 0xA1)), (_PDB, (0x30, 0xA0)),
            (_PATENT, (0x30, 0xA1, 0x30, 0xA1, 0xA0)), (_PATENT, (0x30, 0xA1, 0x30, 0xA1, 0xA1))),
    _BESIDE: ((_GENERAL, (0x30, 0xA0)), (_PDB, (0x30, 0xA3)), (_PATENT, (0x30, 0xA1, 0x30, 0xA0))),
    _NUMBER: ((_LOCAL, (0xA0,)), (_GENERAL, (0x30, 0xA1, 0xA0)), (_GI, ()), (_PDB, (0x30, 0xA1)),
              (_PATENT, (0x30, 0xA0)), (_BACKBONE_SEQUENCE, ()), (_BACKBONE_TYPE, ()), (_IMPORT, (0x30, 0xA0))),
}  # fmt: skip
_TEXT_KINDS: Final = tuple(tag for tag in _KINDS if tag not in (*_BARE_NUMBERS, _PATENT, _GENERAL, _GI, _PDB))
_TEXT_PATHS: Final = {_MAIN: (0x30, 0xA1), _BESIDE: (0x30, 0xA0), _NUMBER: (0x30, 0xA3)}


def _path(tags: tuple[int, ...]) -> int:
    return int.from_bytes(bytes(tags[-8:]), "big")


def _paths_of(part: int) -> dict[int, int]:
    """Return the kind of identifier by the path that leads to this part of one."""
    listed = [*_TEXTS[part], *((kind, _TEXT_PATHS[part]) for kind in _TEXT_KINDS)]
    return {_path((0xA1, 0x30, kind, *below)): kind for kind, below in listed}


_PARTS: Final = {part: _paths_of(part) for part in (_MAIN, _BESIDE, _NUMBER)}


@dataclass(frozen=True, slots=True, eq=False)
class Deflines:
    """The deflines of some entries, those of an entry behind each other; texts are stretches of a buffer."""

    data: NDArray[np.uint8]
    entries: NDArray[np.int64]  # of which entry each is, ascending
    # Of each: id and title as (start, length), taxid (0 if none).
    id_starts: NDArray[np.int64]
    id_lengths: NDArray[np.int64]
    title_starts: NDArray[np.int64]
    title_lengths: NDArray[np.int64]
    taxids: NDArray[np.int32]
    memberships: NDArray[np.int64]  # a bit for each subset that it belongs to: the first number of a list
    # All identifiers of these deflines, those that are not shown too: (which defline, start, length), shape (3, m).
    names: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.entries)

    def named(self, wanted: Callable[[bytes], bool]) -> NDArray[np.bool_]:
        """Return which of them have an identifier that is wanted."""
        kept = np.zeros(len(self), dtype=bool)
        whole = self.data.tobytes()
        for defline, start, length in self.names.T.tolist():
            if wanted(whole[start : start + length]):
                kept[defline] = True
        return kept

    def take(self, kept: NDArray[np.bool_]) -> Deflines:
        """Return some of them, without their other names."""
        return Deflines(
            self.data,
            self.entries[kept],
            self.id_starts[kept],
            self.id_lengths[kept],
            self.title_starts[kept],
            self.title_lengths[kept],
            self.taxids[kept],
            self.memberships[kept],
            self.names[:, :0],
        )

    def texts(self, entries: int) -> tuple[bytes, NDArray[np.int64], bytes, NDArray[np.int64], NDArray[np.int32]]:
        """Return id, description and taxid of each entry: of its first defline, empty without one.

        The others stand behind it in the description, each after a `JOINED`.

        Returns
        -------
        (bytes, ndarray, bytes, ndarray, ndarray)
            Identifiers, concatenated, and the length of each, the same of descriptions, taxids.
        """
        heads, ids, id_lengths, descriptions, lengths = self._texts()
        of = self.entries[heads]
        taxids = np.zeros(entries, dtype=np.int32)
        taxids[of] = self.taxids[heads]
        return ids, _spread(id_lengths, of, entries), descriptions, _spread(lengths, of, entries), taxids

    def _texts(self) -> tuple[NDArray[np.int64], bytes, NDArray[np.int64], bytes, NDArray[np.int64]]:
        """Return the first defline of each entry, and its texts."""
        first = np.ones(len(self), dtype=bool)
        first[1:] = self.entries[1:] != self.entries[:-1]
        heads = np.flatnonzero(first)
        ids = gathered(self.data, self.id_starts[heads], self.id_lengths[heads])
        if len(heads) == len(self):
            titles = gathered(self.data, self.title_starts, self.title_lengths)
            return heads, ids, self.id_lengths, titles, self.title_lengths
        buffer = Buffer(self.data)
        joined, blank = buffer.add(JOINED), buffer.add(b" ")
        later = (~first).astype(np.int64)
        starts = np.stack(
            [np.full(len(self), joined), self.id_starts, np.full(len(self), blank), self.title_starts], axis=1
        )
        lengths = np.stack(
            [later, self.id_lengths * later, later * (self.title_lengths > 0), self.title_lengths], axis=1
        )
        descriptions = gathered(buffer.bytes(), starts.ravel(), lengths.ravel())
        sums = np.add.reduceat(lengths.sum(axis=1), heads)
        return heads, ids, self.id_lengths[heads], descriptions, sums


def _spread(values: NDArray[np.int64], places: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    spread = np.zeros(count, dtype=np.int64)
    spread[places] = values
    return spread


def read_deflines(data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]) -> Deflines:
    """Read the deflines of entries.

    Parameters
    ----------
    data : ndarray, dtype=uint8
    starts, ends : ndarrays, shape=(n,)
        Of the entries.

    Raises
    ------
    swgui.io.imported.ber.Damaged
        If one is not in the form of deflines.
    """
    values, of = _values(data, starts, ends)
    deflines, rows = _numbered(values.entries << 32 | values.elements)
    buffer = Buffer(data)
    title_starts, title_lengths = _texts(values, rows, len(deflines), {_TITLE: 0})[1:]
    taxids = np.zeros(len(deflines), dtype=np.int64)
    chosen = np.flatnonzero(values.paths == _TAXID)
    taxids[rows[chosen]] = values.integers(chosen, data)
    memberships = np.zeros(len(deflines), dtype=np.int64)
    chosen = np.flatnonzero(values.paths == _MEMBERSHIPS)[::-1]  # so that the first of several is kept
    memberships[rows[chosen]] = values.integers(chosen, data)
    taxids[(taxids < 0) | (taxids > np.iinfo(np.int32).max)] = 0
    names, best, ordinal = _identifiers(values, rows, len(deflines), data, buffer)
    padded = np.append(names, np.zeros((3, 1), dtype=np.int64), axis=1)  # for deflines without an identifier
    id_starts, id_lengths = padded[1:, best]
    # Where the identifier is a mere number, the title begins with the real one.
    if ordinal.any():
        words, rest = first_words(data, title_starts[ordinal], title_starts[ordinal] + title_lengths[ordinal])
        id_starts[ordinal], id_lengths[ordinal] = title_starts[ordinal], words - title_starts[ordinal]
        title_lengths[ordinal] += title_starts[ordinal] - rest
        title_starts[ordinal] = rest
    return Deflines(
        buffer.bytes(),
        of[deflines >> 32],
        id_starts,
        id_lengths,
        title_starts,
        title_lengths,
        taxids.astype(np.int32),
        memberships,
        names,
    )


def _values(
    data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> tuple[Values, NDArray[np.int64]]:
    """Return the values of the parts into which lists of deflines can be cut, and of which entry each part is.

    An entry of a large database may have thousands of deflines, and a walk takes as long as the longest. So lists are
    cut where it looks as if a defline ended and another began. A wrong cut shows as an incomplete part, and then whole
    entries are walked.
    """
    entries = np.arange(len(starts))
    if not len(data):
        return walk(data, starts, ends), entries
    ahead = np.concatenate([data, np.zeros(4, np.uint8)])
    lists = _stand(ahead, starts, _LIST) & (ends - starts >= 4)
    if not (lists & _stand(ahead, (ends - 2).clip(min=0), _CLOSED)).all():
        return walk(data, starts, ends), entries
    cuts = np.flatnonzero(ahead[:-3] == _LIST[0])
    cuts = cuts[_stand(ahead, cuts, _LIST) & _stand(ahead, (cuts - 2).clip(min=0), _CLOSED)]
    cuts = cuts[np.isin(ahead[cuts + 2], (_TITLE, _IDENTIFIERS)) & (ahead[cuts + 3] == _LIST[1])]
    filled = ends - starts > 4
    firsts = np.sort(np.concatenate([starts[filled] + 2, cuts]))
    of = np.searchsorted(starts, firsts, side="right") - 1
    lasts = np.minimum(np.append(firsts[1:], len(data)), ends[of] - 2)
    try:
        return walk(data, firsts, lasts, inside=True), of
    except Damaged:
        return walk(data, starts, ends), entries


def _stand(data: NDArray[np.uint8], places: NDArray[np.int64], pair: bytes) -> NDArray[np.bool_]:
    """Return where two bytes stand."""
    same: NDArray[np.bool_] = (data[places] == pair[0]) & (data[places + 1] == pair[1])
    return same


def _numbered(keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the different ones of ascending keys, and the place of each key among them."""
    new = np.ones(len(keys), dtype=bool)
    new[1:] = keys[1:] != keys[:-1]
    return keys[new], np.cumsum(new) - 1


def _texts(
    values: Values, rows: NDArray[np.int64], count: int, kinds: dict[int, int]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return kind, start and length of the value that each of `count` rows has at one of these paths; length 0 if none.

    Parameters
    ----------
    rows : ndarray
        To which row each value belongs.
    kinds : dict
        By path.
    """
    found, starts, lengths = (np.zeros(count, dtype=np.int64) for _ in range(3))
    paths = np.array(sorted(kinds), dtype=np.uint64)
    names = np.array([kinds[int(path)] for path in paths], dtype=np.int64)
    places = np.searchsorted(paths, values.paths).clip(max=len(paths) - 1)
    chosen = np.flatnonzero(paths[places] == values.paths)[::-1]  # so that the first of several is kept
    found[rows[chosen]] = names[places[chosen]]
    starts[rows[chosen]], lengths[rows[chosen]] = values.starts[chosen], values.sizes[chosen]
    return found, starts, lengths


def _identifiers(
    values: Values, deflines: NDArray[np.int64], count: int, data: NDArray[np.uint8], buffer: Buffer
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Return all identifiers as those of `Deflines`, which of them each defline shows, and where that is a mere number.

    The texts are put into the buffer.
    """
    inside = np.flatnonzero(values.members > 0)
    part = Values(*(getattr(values, name)[inside] for name in Values.__slots__))
    owners, rows = _numbered(deflines[inside] << 32 | part.members)
    main_kinds, *main = _texts(part, rows, len(owners), _PARTS[_MAIN])
    beside_kinds, *beside = _texts(part, rows, len(owners), _PARTS[_BESIDE])
    number_kinds, *number = _texts(part, rows, len(owners), _PARTS[_NUMBER])
    kinds = np.where(main_kinds > 0, main_kinds, np.where(beside_kinds > 0, beside_kinds, number_kinds))
    asked = np.flatnonzero(np.isin(part.paths, np.array(list(_PARTS[_NUMBER]), dtype=np.uint64)))[::-1]
    numbers = np.zeros(len(owners), dtype=np.int64)
    numbers[rows[asked]] = part.integers(asked, data)
    starts, lengths = _Pieces(kinds, buffer).laid_out(
        (main[0], main[1]), (beside[0], beside[1]), numbers, number[1] > 0
    )
    text_start = buffer.add(gathered(buffer.bytes(), starts.ravel(), lengths.ravel()))
    sums = lengths.sum(axis=1)
    of = owners >> 32
    names = np.stack([of, text_start + np.cumsum(sums) - sums, sums])
    ranks = np.full(256, _OTHER_RANK)
    ranks[list(_KINDS)] = [rank for _, rank in _KINDS.values()]
    order = np.lexsort((owners, ranks[kinds], of))[::-1]  # so that the best comes last, and stays
    best = np.full(count, -1)
    best[of[order]] = order
    ordinal = np.zeros(count, dtype=bool)
    mere = _equal(data, beside[0], beside[1], _ORDINAL) & (kinds == _GENERAL)
    ordinal[best >= 0] = mere[best[best >= 0]]
    return names, best, ordinal


class _Pieces:
    """The pieces of identifiers, up to six each: what is written depends on their kind."""

    def __init__(self, kinds: NDArray[np.int64], buffer: Buffer) -> None:
        self._kinds, self._buffer = kinds, buffer
        self._starts = np.zeros((len(kinds), 6), dtype=np.int64)
        self._lengths = np.zeros((len(kinds), 6), dtype=np.int64)

    def _put(self, rows: NDArray[np.bool_], column: int, starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> None:
        self._starts[rows, column], self._lengths[rows, column] = starts[rows], lengths[rows]

    def _sign(self, rows: NDArray[np.bool_], column: int, text: bytes) -> None:
        self._starts[rows, column], self._lengths[rows, column] = self._buffer.add(text), len(text)

    def laid_out(
        self,
        main: tuple[NDArray[np.int64], NDArray[np.int64]],
        beside: tuple[NDArray[np.int64], NDArray[np.int64]],
        numbers: NDArray[np.int64],
        numbered: NDArray[np.bool_],
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return where the pieces begin and their lengths, shape (n, 6)."""
        kinds, named = self._kinds, main[1] > 0
        number = self._buffer.add_numbers(numbers)
        textual = np.isin(kinds, _TEXT_KINDS)
        # ACCESSION.VERSION
        self._put(~np.isin(kinds, (_PDB, _PATENT)) & named, 0, *main)
        self._sign(textual & named & numbered, 1, b".")
        self._put(textual & named & numbered, 2, *number)
        for tag in _TEXT_KINDS:  # pir||NAME
            self._sign(textual & ~named & (kinds == tag), 0, f"{_KINDS[tag][0]}||".encode())
        self._put(textual & ~named, 1, *beside)
        # DATABASE:TAG
        general = kinds == _GENERAL
        self._starts[general, 2], self._lengths[general, 2] = self._starts[general, 0], self._lengths[general, 0]
        self._put(general, 0, *beside)
        self._sign(general, 1, b":")
        self._put(general & ~named, 2, *number)
        self._put(np.isin(kinds, _BARE_NUMBERS) & ~named, 0, *number)
        self._sign(kinds == _GI, 0, b"gi|")
        self._put(kinds == _GI, 1, *number)
        self._chains(main, beside, numbers)
        patent = kinds == _PATENT  # COUNTRY NUMBER_SEQUENCE
        self._put(patent, 0, *beside)
        self._put(patent, 1, *main)
        self._sign(patent, 2, b"_")
        self._put(patent, 3, *number)
        return self._starts, self._lengths

    def _chains(
        self,
        main: tuple[NDArray[np.int64], NDArray[np.int64]],
        beside: tuple[NDArray[np.int64], NDArray[np.int64]],
        numbers: NDArray[np.int64],
    ) -> None:
        """ENTRY_CHAIN: the chain as a text, or in older files as the number of its letter."""
        chains = self._kinds == _PDB
        if not chains.any():
            return
        self._put(chains, 0, *main)
        self._sign(chains, 1, b"_")
        self._put(chains, 2, *beside)
        lettered = chains & (beside[1] == 0) & (numbers > 32) & (numbers < 127)
        letters = self._buffer.add(bytes(range(128)))
        self._starts[lettered, 2], self._lengths[lettered, 2] = letters + numbers[lettered], 1
        self._lengths[chains & ~lettered & (beside[1] == 0), 1] = 0


def _equal(
    data: NDArray[np.uint8], starts: NDArray[np.int64], lengths: NDArray[np.int64], text: bytes
) -> NDArray[np.bool_]:
    """Return where a stretch is this text."""
    same: NDArray[np.bool_] = lengths == len(text)
    for offset, sign in enumerate(text):
        same[same] = data[starts[same] + offset] == sign
    return same
