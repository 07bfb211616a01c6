"""Alphabets: their letters, the code of each letter, and the meaning of each ambiguity letter.

A *code* is the position of a letter in ``Alphabet.letters``; engines, databases and matrices all use the same codes.
Every letter that may occur in a sequence has its own code, so that ``decode(encode(x)) == x``; the matrix gives
the *scores* of a letter (`swgui.core.scoring`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.columns import ByIdentity
from swgui.core.errors import SequenceError

INVALID: Final = 255
AUTO: Final = "auto"  # in place of the name of an alphabet: detect it from the letters
_CERTAIN: Final = 10  # bases; as many or more can hardly be a protein
TRACKS: Final = "+"  # joins the names of two alphabets used side by side
_AMINO_ACIDS: Final = "ARNDCQEGHILKMFPSTWYV"
_TWO_TRACKS: Final[dict[tuple[str, ...], TwoTracks]] = {}


class Alphabet(msgspec.Struct, frozen=True, dict=True):
    """The letters of one kind of sequence."""

    name: str  # ``"protein"``, ``"nucleotide"``, or the name in a file or a package
    # The position is the code. Upper-case unless `case_matters`.
    letters: str
    wildcard: str  # replacement of unreadable letters
    # Plain letters that each ambiguous letter stands for; a matrix that lacks the letter scores it by them.
    expansions: Mapping[str, str]
    # Complement of each letter; empty for proteins.
    complements: Mapping[str, str] = msgspec.field(default_factory=dict)
    # Letters that are another way to write a letter: a pair of the two counts as identical.
    alike: Mapping[str, str] = msgspec.field(default_factory=dict)
    case_matters: bool = False  # whether a letter and its lower case are different letters; the same otherwise
    # Frequencies of the plain letters by chance, adding up to 1; empty if another table has them, or all are alike.
    background: Mapping[str, float] = msgspec.field(default_factory=dict)

    @cached_property
    def _encoder(self) -> bytes:
        encoder = bytearray([INVALID]) * 256
        for code, letter in enumerate(self.letters):
            encoder[ord(letter)] = code
            if not self.case_matters:
                encoder[ord(letter.lower())] = code
        return bytes(encoder)

    @cached_property
    def _decoder(self) -> bytes:
        return self.letters.encode().ljust(256, b"?")

    def _codes_of(self, others: Mapping[str, str]) -> NDArray[np.uint8]:
        """Return the code of the spelling of each letter, or of itself, shape (256,)."""
        codes = bytes(self.letters.index(others.get(letter, letter)) for letter in self.letters)
        return np.frombuffer(codes.ljust(256, b"\0"), dtype=np.uint8)

    def __len__(self) -> int:
        return len(self.letters)

    def __reduce__(self) -> tuple[object, ...]:
        # The program's own travel by name, so that identity survives pickling to a worker process; others whole, for
        # another computer may not have their file.
        if self is PROTEIN or self is NUCLEOTIDE:
            return (alphabet_by_name, (self.name,))
        tables = (dict(self.expansions), dict(self.complements), dict(self.alike))
        return (_unpickled, (self.name, self.letters, self.wildcard, *tables, self.case_matters, dict(self.background)))

    def code(self, letter: str) -> int:
        """Return the code of one letter (in either case, unless case matters); `ValueError` if it has none."""
        return self.letters.index(letter if self.case_matters else letter.upper())

    def invalid(self, residues: bytes) -> bytes:
        """Return the bytes of `residues` that are not letters of this alphabet, in order."""
        return residues.translate(None, self._valid_bytes)

    @property
    def _valid_bytes(self) -> bytes:
        return (self.letters + ("" if self.case_matters else self.letters.lower())).encode()

    def encode(self, residues: bytes) -> NDArray[np.uint8]:
        """Turn letters (in either case, unless case matters) into codes.

        Parameters
        ----------
        residues : bytes
            ASCII letters without blanks or gaps.

        Returns
        -------
        ndarray, shape=(len(residues),), dtype=uint8

        Raises
        ------
        SequenceError
            If a letter is not of this alphabet; readers clean their input first.
        """
        codes = np.frombuffer(residues.translate(self._encoder), dtype=np.uint8)
        if codes.size and codes.max() == INVALID:
            index = int(np.argmax(codes == INVALID))
            raise SequenceError(
                f"'{chr(residues[index])}' at position {index + 1} is not a {self.name} letter.",
                hint=f"Letters are {self.letters}.",
            )
        return codes

    def decode(self, codes: NDArray[np.uint8]) -> bytes:
        """Turn codes back into letters."""
        return codes.astype(np.uint8, copy=False).tobytes().translate(self._decoder)

    @property
    def residue_alphabet(self) -> Alphabet:
        """Alphabet of the residues if letters of a second track accompany them; itself otherwise."""
        return self

    @property
    def letter(self) -> str:
        """Word for one letter: base or residue."""
        return letter_of(self.residue_alphabet.name)

    @property
    def plain(self) -> str:
        """Unambiguous letters, in the order of their codes."""
        return "".join(letter for letter in self.letters if letter not in self.expansions and letter != self.wildcard)

    @cached_property
    def alike_codes(self) -> NDArray[np.uint8]:
        """The code that each code counts as when identities are counted, shape (256,)."""
        return self._codes_of(self.alike)

    def same(self, codes: NDArray[np.uint8], other: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Return a mask of the pairs of codes that are identities: equal letters, and T against U among nucleotides.

        Parameters
        ----------
        codes, other : ndarray, shape=(n,), dtype=uint8

        Returns
        -------
        ndarray, shape=(n,), dtype=bool
        """
        table = self.alike_codes
        equal: NDArray[np.bool_] = table[codes] == table[other]
        return equal

    def reverse_complement(self, codes: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return the codes of the opposite strand, shape (n,); `ValueError` for proteins."""
        if not self.complements:
            raise ValueError("Only nucleotide sequences have a reverse complement.")
        return np.ascontiguousarray(self._complement_codes[codes[::-1]])

    @cached_property
    def _complement_codes(self) -> NDArray[np.uint8]:
        return self._codes_of(self.complements)


PROTEIN: Final = Alphabet(
    name="protein",
    letters=_AMINO_ACIDS + "BZXJUO*",  # the order of NCBI matrix files, then letters that they lack
    wildcard="X",
    # Hardly any matrix file has J, U and O. Selenocysteine scores as cysteine, as in ssearch36
    # and blastp; pyrrolysine, for which no program has a figure, as an unknown residue.
    expansions={"B": "ND", "Z": "QE", "X": _AMINO_ACIDS, "J": "IL", "U": "C", "O": "X"},
)

NUCLEOTIDE: Final = Alphabet(
    name="nucleotide",
    letters="ACGTRYSWKMBDHVNU",  # IUPAC; U is kept as written and scores as T
    wildcard="N",
    expansions={
        "R": "AG", "Y": "CT", "S": "CG", "W": "AT", "K": "GT", "M": "AC",
        "B": "CGT", "D": "AGT", "H": "ACT", "V": "ACG", "N": "ACGT", "U": "T",
    },
    complements=dict(zip("ACGTRYSWKMBDHVNU", "TGCAYRSWMKVHDBNA", strict=True)),
    alike={"U": "T"},  # as in ssearch36, and in BLAST, which reads U as T
)  # fmt: skip


class TwoTracks(Alphabet, frozen=True):
    """Two letters at every position as one symbol: residue ``r`` with letter ``l`` is ``r * len(second) + l``.

    A matrix over such symbols adds the weighted scores of both, so all code that uses codes and matrices works with two
    tracks; displays and counts use the residues. Made by `two_tracks`; all fields but the two parts are those of
    `residues`.
    """

    residues: Alphabet | None = None
    second: Alphabet | None = None

    def __len__(self) -> int:
        return len(self.parts[0]) * len(self.parts[1])

    def __reduce__(self) -> tuple[object, ...]:
        return (two_tracks, self.parts)

    @property
    def parts(self) -> tuple[Alphabet, Alphabet]:
        """Alphabets of the residues and of the letters."""
        assert self.residues is not None
        assert self.second is not None
        return self.residues, self.second

    @property
    def residue_alphabet(self) -> Alphabet:
        """Alphabet of the residues."""
        return self.parts[0]

    def join(self, residues: NDArray[np.uint8], letters: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return the symbols of two lists of codes of one length; their dtype is uint16 if there are more than 256."""
        symbols: NDArray[Any] = residues.astype(np.uint8 if len(self) <= 1 << 8 else np.uint16)
        symbols *= symbols.dtype.type(len(self.parts[1]))
        symbols += letters
        return symbols

    def join_kept(self, residues: NDArray[np.uint8], letters: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return `join`, whose result `split` takes apart at no cost; none of the arrays may change any more."""
        symbols = self.join(residues, letters)
        self._apart.put(symbols, (residues, letters))
        return symbols

    @cached_property
    def _apart(self) -> ByIdentity[tuple[NDArray[np.uint8], NDArray[np.uint8]]]:
        return ByIdentity()

    def split(self, symbols: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """Return codes of residues and of letters."""
        if (apart := self._apart.get(symbols)) is not None:
            return apart
        count = symbols.dtype.type(len(self.parts[1]))
        residues = symbols // count  # by vectors; `np.divmod` takes 25 times as long
        return residues.astype(np.uint8), (symbols - residues * count).astype(np.uint8)

    def encode(self, residues: bytes) -> NDArray[np.uint8]:
        """Turn residues into symbols whose letters are unknown; `encode_record` takes both."""
        first, second = self.parts
        letters = np.full(len(residues), second.code(second.wildcard), dtype=np.uint8)
        return self.join(first.encode(residues), letters)

    def encode_tracks(self, residues: bytes, letters: bytes) -> NDArray[np.uint8]:
        """Turn residues and letters, as many, into symbols."""
        first, second = self.parts
        return self.join(first.encode(residues), second.encode(letters))

    def decode(self, codes: NDArray[np.uint8]) -> bytes:
        """Return the residues of symbols."""
        return self.parts[0].decode(self.split(codes)[0])

    def decode_letters(self, codes: NDArray[np.uint8]) -> bytes:
        """Return the letters of symbols."""
        return self.parts[1].decode(self.split(codes)[1])

    @cached_property
    def alike_codes(self) -> NDArray[np.uint8]:
        """The residue that each symbol counts as, shape (symbols,): pairs of equal residues are identities."""
        first, second = self.parts
        return np.repeat(first.alike_codes[: len(first)], len(second))


def two_tracks(residues: Alphabet, letters: Alphabet) -> TwoTracks:
    """Return the alphabet of residues with letters of a second track; the same object for the same two."""
    key = residues.name, residues.letters, letters.name, letters.letters
    if key not in _TWO_TRACKS:
        _TWO_TRACKS[key] = TwoTracks(
            f"{residues.name}{TRACKS}{letters.name}",
            residues.letters,
            residues.wildcard,
            residues.expansions,
            {},
            residues.alike,
            residues.case_matters,
            {},
            residues,
            letters,
        )
    return _TWO_TRACKS[key]


class Alphabets(Mapping[str, Alphabet]):
    """Alphabets by name: those of the program, and those that `more` adds when a caller wants another one, or all.

    Attributes
    ----------
    more : callable or None
        Adds others to the dict it is given; called once.
    """

    def __init__(self, *alphabets: Alphabet) -> None:
        self._known = {alphabet.name: alphabet for alphabet in alphabets}
        self.more: Callable[[dict[str, Alphabet]], object] | None = None

    def _all(self) -> dict[str, Alphabet]:
        more, self.more = self.more, None
        if more is not None:
            more(self._known)
        return self._known

    def __getitem__(self, name: str) -> Alphabet:
        if name not in self._known and TRACKS in name:
            return two_tracks(*(self[part] for part in name.split(TRACKS, 1)))
        return self._known[name] if name in self._known else self._all()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())


ALPHABETS: Final = Alphabets(PROTEIN, NUCLEOTIDE)


class _Kinds(Collection[str]):
    """Valid kinds of sequences; an unknown name loads the alphabets of files and packages."""

    def __contains__(self, name: object) -> bool:
        return name == AUTO or name in ALPHABETS

    def __iter__(self) -> Iterator[str]:
        yield AUTO
        yield from ALPHABETS

    def __len__(self) -> int:
        return 1 + len(ALPHABETS)

    def __bool__(self) -> bool:
        return True


KINDS: Final = _Kinds()


def alphabet_by_name(name: str) -> Alphabet:
    """Return the alphabet called `name`; `KeyError` if there is none."""
    return ALPHABETS[name]


def letter_of(kind: str) -> str:
    """Return the word for one letter of the sequences of an alphabet, by its name: base or residue."""
    return "base" if kind == NUCLEOTIDE.name else "residue"


def _unpickled(name: str, *rest: Any) -> Alphabet:
    """Unpickle an alphabet: the registered one of this name if it is the same."""
    made = Alphabet(name, *rest)
    registered = ALPHABETS.get(name)
    return registered if registered == made else made


def is_nucleotide(residues: bytes) -> bool:
    """Whether a supposed protein is certainly DNA or RNA: 10 bases or more, at least three different ones.

    Short peptides and repeats of glycine and alanine consist of letters that are also bases.
    """
    different = {*residues.upper().replace(b"U", b"T")} & {*b"ACGT"}
    return len(residues) >= _CERTAIN and len(different) > 2 and guess_alphabet(residues) is NUCLEOTIDE


def guess_alphabet(residues: bytes, expected: Alphabet | None = None) -> Alphabet:
    """Guess the kind of sequence from its letters.

    Nucleotide if every letter is of the nucleotide alphabet, and at least 9 of 10 are A, C, G, T, U or N or
    nucleotides are `expected`; protein otherwise. A sequence without letters counts as protein. I is a modified base
    where one letter of twenty or more is U: in proteins U is far rarer.
    """
    letters = residues.upper()
    if b"I" in letters and 20 * letters.count(b"U") >= len(letters):
        letters = letters.replace(b"I", b"N")
    if not letters or NUCLEOTIDE.invalid(letters):
        return PROTEIN
    if expected is NUCLEOTIDE:  # codes of ambiguous bases are also letters of amino acids
        return NUCLEOTIDE
    plain = len(letters) - len(letters.translate(None, b"ACGTUN"))
    return NUCLEOTIDE if plain >= 0.9 * len(letters) else PROTEIN
