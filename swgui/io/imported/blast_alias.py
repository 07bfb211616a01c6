"""Aliases of BLAST databases: the volumes that one stands for, and which of their sequences.

An alias is a text file of keys and values. It may name other aliases; lists in it leave out sequences of all that it
names. Volumes come in the order of their names, each once, as in BLAST.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet
from swgui.core.errors import DatabaseError
from swgui.io.imported.blast import ALIAS, places_of
from swgui.io.imported.blast_volume import COPY_AGAIN, LETTER_OF
from swgui.io.imported.deflines import Deflines
from swgui.io.opening import is_file, open_to_read
from swgui.io.read_report import shown

_LARGEST_ALIAS: Final = 1 << 24  # bytes
_DEEPEST: Final = 100  # aliases that name each other
_MAX_WAYS: Final = 1000
_BITS: Final = 32  # of membership
_WORDS: Final = re.compile(r'"([^"]*)"|(\S+)')
_GIS: Final = {b"\xff\xff\xff\xff": ">u4", b"\xff\xff\xff\xfe": ">u8"}  # beginnings of binary lists
_VERSIONED: Final = re.compile(rb"\.\d+$")
_ADVICE: Final = "With NCBI BLAST+ installed, 'blastdbcmd -db NAME -entry all -out NAME.fasta' writes it as FASTA."


class Chosen:
    """Leaves out sequences of a volume, or of their deflines; this one leaves out nothing."""

    def sequences(self, first: int, stop: int) -> NDArray[np.bool_]:
        """Return which sequences of a stretch stay."""
        return np.ones(stop - first, dtype=bool)

    def deflines(self, deflines: Deflines) -> NDArray[np.bool_]:
        """Return which deflines stay; a sequence without any goes."""
        return np.ones(len(deflines), dtype=bool)


@dataclass(frozen=True, slots=True)
class _Stretch(Chosen):
    """Sequences by their number in an alias."""

    before: int  # sequences in the volumes of the alias before this one
    low: int
    high: int  # behind the last

    def sequences(self, first: int, stop: int) -> NDArray[np.bool_]:
        numbers = np.arange(first, stop) + self.before
        return (numbers >= self.low) & (numbers < self.high)


@dataclass(frozen=True, slots=True, eq=False)
class _Marks(Chosen):
    """A bit for every sequence of a volume, the highest bit of a byte first."""

    bits: NDArray[np.uint8]

    def sequences(self, first: int, stop: int) -> NDArray[np.bool_]:
        numbers = np.arange(first, stop)
        bits = self.bits[numbers >> 3] >> (7 - (numbers & 7)).astype(np.uint8)
        marked: NDArray[np.bool_] = (bits & 1).astype(bool)
        return marked


@dataclass(frozen=True, slots=True)
class _Taxids(Chosen):
    taxids: frozenset[int]

    def deflines(self, deflines: Deflines) -> NDArray[np.bool_]:
        return np.isin(deflines.taxids, list(self.taxids))


@dataclass(frozen=True, slots=True)
class _Members(Chosen):
    """Deflines that belong to a subset, by the number of its bit."""

    bit: int

    def deflines(self, deflines: Deflines) -> NDArray[np.bool_]:
        return (deflines.memberships >> (self.bit - 1) & 1).astype(bool)


@dataclass(frozen=True, slots=True)
class _Names(Chosen):
    """Identifiers in upper case, with a version or without."""

    names: frozenset[bytes]

    def deflines(self, deflines: Deflines) -> NDArray[np.bool_]:
        names = self.names

        def wanted(name: bytes) -> bool:
            upper = name.upper()
            return upper in names or _VERSIONED.sub(b"", upper) in names

        return deflines.named(wanted)


# What an alias leaves of each volume: a sequence stays if one of these lets it, and all of that one do.
Volumes = dict[Path, list[tuple[Chosen, ...]]]


class AliasReader:
    """Follows aliases to volumes.

    Parameters
    ----------
    kind : Alphabet
    count_of : callable
        Returns the number of sequences of a volume, which it opens.
    """

    def __init__(self, kind: Alphabet, count_of: Callable[[Path], int]) -> None:
        self._letter = LETTER_OF[kind.name]
        self._count_of = count_of
        self._counts: dict[Path, int] = {}
        self._known: dict[Path, Volumes] = {}  # by alias

    @property
    def sequences(self) -> int:
        """Number of sequences in all volumes that were found."""
        return sum(self._counts.values())

    def volumes(self, name: Path, above: tuple[Path, ...] = ()) -> Volumes:
        """Return the volumes that a name stands for, by name, and what is left of each.

        Parameters
        ----------
        above : tuple of Path
            Aliases that led here.

        Raises
        ------
        DatabaseError
            If an alias, a volume or a list is missing, cannot be understood, or aliases lead in a circle.
        """
        alias = name.with_name(f"{name.name}.{self._letter}{ALIAS}")
        itself = bool(above) and above[-1] == alias  # an alias that names itself means the volume of its name
        if itself or not is_file(alias):
            return self._volume(name, above)
        if alias in above:
            raise DatabaseError(
                str(alias), f"'{alias.name}' names '{above[-1].name}', which leads back to it.", hint=COPY_AGAIN
            )
        if len(above) >= _DEEPEST:
            raise DatabaseError(str(alias), f"'{alias.name}' is reached through more than {_DEEPEST} aliases.")
        if alias not in self._known:
            said = _read_alias(alias)
            together: Volumes = {}
            for name in map(Path, dict.fromkeys(_words(said["DBLIST"]))):
                if not name.name:
                    raise DatabaseError(str(alias), f"'{alias.name}' names '{name}', which is no database.")
                for volume, ways in self.volumes(self._place(name, alias), (*above, alias)).items():
                    together[volume] = _united(together.get(volume, []), ways, alias)
            ordered = dict(sorted(together.items(), key=lambda item: (item[0].stem, str(item[0]))))
            self._known[alias] = self._narrowed(ordered, said, alias)
        return self._known[alias]

    def _volume(self, name: Path, above: tuple[Path, ...]) -> Volumes:
        index = name.with_name(f"{name.name}.{self._letter}in")
        if not is_file(index):
            by = f", which '{above[-1].name}' names," if above else ""
            raise DatabaseError(str(index), f"'{shown(index.name)}'{by} is missing.", hint=COPY_AGAIN)
        if name not in self._counts:
            self._counts[name] = self._count_of(name)
        return {name: [()]}

    def _place(self, name: Path, alias: Path) -> Path:
        """Return the path of a database that an alias names; in the folder of the alias if there is none."""
        found = (
            place
            for place in places_of(name, alias.parent)
            if any(is_file(place.with_name(f"{place.name}.{self._letter}{end}")) for end in (ALIAS, "in"))
        )
        return next(found, alias.parent / name)

    def _narrowed(self, volumes: Volumes, said: dict[str, str], alias: Path) -> Volumes:
        """Add what an alias says of sequences to what is left of its volumes."""
        before = 0
        lists = [_read_list(key, said[key], alias) for key in ("GILIST", "SEQIDLIST", "TAXIDLIST") if said.get(key)]
        total = sum(self._counts[volume] for volume in volumes)
        if said.get("OIDLIST"):
            lists.append(_read_marks(said["OIDLIST"], alias, len(volumes), total))
        if said.get("MEMB_BIT"):
            lists.append(_members(said, alias))
        narrowed: Volumes = {}
        for volume, ways in volumes.items():
            chosen = list(lists)
            if said.get("FIRST_OID") or said.get("LAST_OID"):
                low, high = _number(said, "FIRST_OID", 1, alias), _number(said, "LAST_OID", total, alias)
                chosen.append(_Stretch(before, low - 1, high))
            narrowed[volume] = [(*way, *chosen) for way in ways]
            before += self._counts[volume]
        return narrowed


def _united(ways: list[tuple[Chosen, ...]], more: list[tuple[Chosen, ...]], alias: Path) -> list[tuple[Chosen, ...]]:
    """Return all ways to a volume, each once; only the one that leaves out nothing if there is one."""
    united = list(dict.fromkeys([*ways, *more]))
    if len(united) > _MAX_WAYS:
        raise DatabaseError(str(alias), f"'{alias.name}' chooses parts of one volume in more than {_MAX_WAYS} ways.")
    return [()] if () in united else united


def _words(text: str) -> list[str]:
    return [quoted or plain for quoted, plain in _WORDS.findall(text)]


def _read_alias(alias: Path) -> dict[str, str]:
    """Return the entries of an alias, by key."""
    data = _read(alias, alias, _LARGEST_ALIAS)
    said: dict[str, str] = {}
    for line in data.decode("utf-8", "replace").splitlines():
        key, _, value = line.strip().partition(" ")
        if key and not key.startswith("#"):
            said[key.upper()] = value.strip()
    if not said.get("DBLIST"):
        raise DatabaseError(
            str(alias), f"'{alias.name}' names no databases: it has no line DBLIST.", hint="It is no alias of BLAST."
        )
    return said


def _number(said: dict[str, str], key: str, default: int, alias: Path) -> int:
    text = said.get(key) or str(default)
    if not text.isdecimal() or len(text) > 18:
        raise DatabaseError(str(alias), f"'{alias.name}' has no number behind {key}: '{shown(text)}'.", hint=COPY_AGAIN)
    return int(text)


def _members(said: dict[str, str], alias: Path) -> _Members:
    bit = _number(said, "MEMB_BIT", 0, alias)
    if not 1 <= bit <= _BITS:
        raise DatabaseError(
            str(alias),
            f"'{alias.name}' chooses sequences by bit {bit} of their membership (MEMB_BIT), where there are {_BITS}.",
            hint=_ADVICE,
        )
    return _Members(bit)


def _list_file(name: str, alias: Path) -> Path:
    """Return where a list lies that an alias names."""
    place = Path((_words(name) or [name])[0])
    return next((found for found in places_of(place, alias.parent) if is_file(found)), alias.parent / place)


def _read(path: Path, alias: Path, largest: int = 1 << 34) -> bytes:
    by = f", which '{alias.name}' names," if path != alias else ""
    if not path.exists():
        raise DatabaseError(str(path), f"'{shown(path.name)}'{by} is missing.", hint=COPY_AGAIN)
    with open_to_read(path, "a list", DatabaseError) as file:
        if os.fstat(file.fileno()).st_size > largest:
            raise DatabaseError(str(path), f"'{path.name}'{by} is too large to be an alias.", hint=COPY_AGAIN)
        return file.read()


def _read_marks(name: str, alias: Path, volumes: int, sequences: int) -> _Marks:
    path = _list_file(name, alias)
    if volumes != 1:
        raise DatabaseError(
            str(alias),
            f"'{alias.name}' names marks of sequences (OIDLIST) for {volumes} volumes; they are understood for one.",
            hint=_ADVICE,
        )
    data = _read(path, alias)
    count = int.from_bytes(data[:4], "big") + 1 if len(data) >= 4 else 0
    if not count or len(data) < 4 + (count + 7) // 8:
        raise DatabaseError(str(path), f"'{path.name}' is no list of marks, or is truncated.", hint=COPY_AGAIN)
    if count < sequences:
        raise DatabaseError(
            str(path), f"'{path.name}' has {count:,} marks, where there are {sequences:,} sequences.", hint=COPY_AGAIN
        )
    return _Marks(np.frombuffer(data, dtype=np.uint8, offset=4))


def _read_list(key: str, name: str, alias: Path) -> Chosen:
    """Read a list of identifiers, of numbers that NCBI gave sequences once, or of taxids."""
    path = _list_file(name, alias)
    data = _read(path, alias)
    if key == "GILIST" and (dtype := _GIS.get(data[:4])):
        numbers = np.frombuffer(data[8 : 8 + (len(data) - 8) // 8 * 8 if dtype == ">u8" else None], dtype=dtype)
        if len(numbers) < int.from_bytes(data[4:8], "big"):
            raise DatabaseError(str(path), f"'{path.name}' is truncated.", hint=COPY_AGAIN)
        return _Names(frozenset(b"GI|%d" % number for number in numbers.tolist()))
    if key == "SEQIDLIST" and data.startswith(b"\0"):
        names = _binary_names(data)
        if names is None:
            raise DatabaseError(str(path), f"'{path.name}' is truncated or damaged.", hint=COPY_AGAIN)
        return _Names(frozenset(_bare(name) for name in names))
    if b"\0" in data[:64]:
        raise DatabaseError(
            str(path), f"'{path.name}' is a binary list of a kind that is not understood here.", hint=_ADVICE
        )
    words = [word for line in data.splitlines() if not line.startswith(b"#") for word in line.split()[:1]]
    if key == "SEQIDLIST":
        return _Names(frozenset(_bare(word) for word in words))
    if wrong := next((word for word in words if not word.isdigit()), None):
        raise DatabaseError(
            str(path),
            f"'{path.name}' is to be a list of numbers and has '{shown(wrong.decode('utf-8', 'replace'))}'.",
            hint="Each line is one number.",
        )
    if key == "GILIST":
        return _Names(frozenset(b"GI|%d" % int(word) for word in words))
    return _Taxids(frozenset(int(word) for word in words if len(word) < 10))


class _Fields:
    """Numbers and texts of a binary list, concatenated; what goes beyond its end raises `ValueError`."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def number(self, size: int) -> int:
        return int.from_bytes(self.text(size), "little")

    def text(self, size: int) -> bytes:
        self._at += size
        if self._at > len(self._data):
            raise ValueError
        return self._data[self._at - size : self._at]


def _binary_names(data: bytes) -> list[bytes] | None:
    """Return the identifiers of a list that ``blastdb_aliastool -seqid_file_in`` made; None if it is damaged.

    It is a zero, its size, the number of identifiers, a title and a date; then the residues of the database it was
    made for, if any, with its date and name; then the identifiers, each behind its length (255 before longer ones).
    """
    fields = _Fields(data)
    try:
        fields.number(1)
        size, count = fields.number(8), fields.number(8)
        fields.text(fields.number(4))
        fields.text(fields.number(1))
        if fields.number(8):
            fields.text(fields.number(1))
            fields.text(fields.number(4))
        names: list[bytes] = []
        while len(names) < count:
            length = fields.number(1)
            names.append(fields.text(length if length < 255 else fields.number(4)))
    except ValueError:
        return None
    return names if size == len(data) else None


def _bare(name: bytes) -> bytes:
    """Return an identifier as deflines have it, in upper case: ``sp|P69905.1|HBA_HUMAN`` is P69905.1."""
    parts = name.upper().split(b"|")
    if len(parts) < 2 or parts[0] == b"GI":
        return name.upper()
    if parts[0] == b"GNL" and len(parts) > 2:
        return parts[1] + b":" + parts[2]
    if parts[0] == b"PDB" and len(parts) > 2:
        return parts[1] + b"_" + parts[2]
    return parts[1] or name.upper()
