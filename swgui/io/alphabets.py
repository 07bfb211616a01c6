"""Alphabets as files: those that ship, those in a folder of the user's, and those that packages bring.

A file is a matrix in NCBI layout whose comments say the rest, a line each; everything but the matrix may be missing::

    # name: 3Di                          (that of the file without its suffix)
    # title: structure letters of Foldseek
    # case: ignored                      or matters; by default it matters if the matrix has both cases of a letter
    # wildcard: X                        what stands for an unknown letter
    # background: A 0.049 C 0.031 ...    how often letters occur by chance
    # colours: A #1f77b4 C #aec7e8 ...
    # gaps: 10 1                         open and extend, by the BLAST rule, where this track is searched alone with
    # residues: weights 1 2 gaps 11 1       weights of residues and letters, gaps in two tracks
       A  C ...
    A  6 -3 ...

A package's entry point ``swgui.alphabets`` names what `read_alphabet` returns of such a file of its own, or an
`Alphabet` alone, for which no scores are usual.
"""

from __future__ import annotations

import functools
import logging
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

from swgui.core.alphabet import ALPHABETS, NUCLEOTIDE, PROTEIN, Alphabet
from swgui.core.errors import InvalidParameter, MatrixError
from swgui.core.scoring import AlphabetRecord, TrackSettings
from swgui.io.matrix_files import parse_matrix, read_matrix_file
from swgui.io.plugins import add_installed
from swgui.paths import config_dir, resources_dir

FOLDER: Final = "alphabets"
MAX_LETTERS: Final = 64
# Forms are compiled when they are tried: most searches read no file of an alphabet.
_FACT: Final = r"#\s*(name|title|case|wildcard|background|colours|gaps|beside residues)\s*:\s*(.*?)\s*$"
_NAME: Final = r"[A-Za-z0-9][A-Za-z0-9_.-]{0,30}"
_SHARE: Final = r"\d*\.?\d+(?:[eE][-+]?\d+)?"
_COLOUR: Final = r"#[0-9a-fA-F]{6}"
_BESIDE: Final = r"weights\s+(\d+)\s+(\d+)\s+gaps\s+(\d+)\s+(\d+)"
_CASES: Final = {"matters": True, "ignored": False}
_OWN: Final = (PROTEIN.name, NUCLEOTIDE.name)  # of the program, which are in no file
log = logging.getLogger(__name__)
_KEPT: Final[dict[tuple[Path, int], AlphabetRecord]] = {}


def alphabet_files() -> Iterator[Path]:
    """Yield the files of alphabets: those of the program, then those of the user."""
    for folder in (resources_dir() / FOLDER, user_folder()):
        if folder.is_dir():
            yield from sorted(folder.glob("*.txt"))


def user_folder() -> Path:
    """Return the folder into which users put alphabets. Not created here."""
    return config_dir() / FOLDER


def alphabet_records() -> Mapping[str, AlphabetRecord]:
    """Return the records of alphabets in files and packages, by name; an unusable file is logged and left out."""
    records: dict[str, AlphabetRecord] = {}
    for path in alphabet_files():
        try:
            record = _read_kept(path, path.stat().st_mtime_ns)
        except (MatrixError, OSError) as fault:
            log.warning("%s is left out of the alphabets: %s", path, fault)
            continue
        if record.name in records:
            log.warning("%s offers the alphabet '%s', which is there already; it is left out.", path, record.name)
        else:
            records[record.name] = record
    for name, installed in installed_alphabets().items():
        if isinstance(installed, AlphabetRecord):
            records.setdefault(name, installed)
    return records


@functools.lru_cache(maxsize=1)
def installed_alphabets() -> Mapping[str, Alphabet | AlphabetRecord]:
    """Return the alphabets of installed packages, by name; read once."""
    installed: dict[str, Alphabet | AlphabetRecord] = {}
    add_installed(installed, "swgui.alphabets", Alphabet | AlphabetRecord, lambda item: item.name)
    return installed


def alphabet_record(name: str) -> AlphabetRecord | None:
    """Return the record of the alphabet called `name`; None if no file has it."""
    if name in _OWN:  # no file may have this name
        return None
    return alphabet_records().get(name)


def alphabet_called(name: str) -> Alphabet:
    """Return an alphabet by its name; `InvalidParameter` if there is none of that name."""
    if name not in ALPHABETS:
        message = f"There is no alphabet '{name}'."
        raise InvalidParameter("letters-alphabet", name, message, hint=f"Known are {', '.join(ALPHABETS)}.")
    return ALPHABETS[name]


def _read_kept(path: Path, changed: int) -> AlphabetRecord:
    key = path, changed
    if key not in _KEPT:
        _KEPT[key] = read_alphabet(path)
    return _KEPT[key]


def read_alphabet(path: Path) -> AlphabetRecord:
    """Read the file of an alphabet.

    Raises
    ------
    MatrixError
        If it breaks the layout; the sentence tells where.
    """
    text = read_matrix_file(path)
    facts = {match[1]: match[2] for line in text.splitlines() if (match := re.match(_FACT, line))}
    given = _Facts(facts.get("name", path.stem), facts)
    alphabet = given.alphabet(_letters(given.name, text))
    gap_open, gap_extend = given.numbers("gaps", r"(\d+)\s+(\d+)", (11, 1))
    beside = given.numbers("beside residues", _BESIDE, (1, 2, gap_open, gap_extend))
    return AlphabetRecord(
        alphabet,
        parse_matrix(text, alphabet, given.name),
        facts.get("title", ""),
        gap_open,
        gap_extend,
        TrackSettings(*beside),
        given.by_letter("colours", alphabet.letters, _COLOUR),
    )


def _letters(name: str, text: str) -> str:
    """Return the letters of the first line of the matrix."""
    for number, line in enumerate(text.splitlines(), 1):
        if words := line.split("#", 1)[0].split():
            letters = [word for word in words if word != "*"]
            if odd := next((word for word in letters if len(word) != 1 or not word.isascii() or word.isdigit()), None):
                raise MatrixError(f"The alphabet '{name}', line {number}: '{odd[:20]}' is not a letter.")
            if len(set(letters)) < len(letters):
                raise MatrixError(f"The alphabet '{name}', line {number}: a letter occurs twice.")
            if not 2 <= len(letters) <= MAX_LETTERS:
                message = f"The alphabet '{name}' has {len(letters)} letters, not 2 to {MAX_LETTERS}."
                raise MatrixError(message)
            return "".join(letters)
    raise MatrixError(f"The alphabet '{name}' has no matrix.", hint="Behind its comments belongs one in NCBI's layout.")


class _Facts(msgspec.Struct, frozen=True):
    """The comments of one file."""

    name: str
    said: Mapping[str, str]

    def alphabet(self, letters: str) -> Alphabet:
        if not re.fullmatch(_NAME, self.name) or self.name in (*_OWN, "auto"):
            raise MatrixError(f"An alphabet cannot be called '{self.name[:40]}'.", hint="Take letters and digits.")
        both = any(letter.lower() in letters for letter in letters if letter.isupper())
        case = _CASES.get(self.said.get("case", "matters" if both else "ignored"))
        if case is None or (both and not case):
            raise self._wrong("case", "is neither 'matters' nor fits the letters")
        letters = letters if case else letters.upper()
        wildcard = self.said.get("wildcard", "" if "X" in letters else "X") or "?"
        if len(wildcard) != 1 or not wildcard.isascii() or not wildcard.isprintable() or wildcard.isspace():
            raise self._wrong("wildcard", "is no single letter")
        plain = letters.replace(wildcard, "")
        # An unknown symbol stands for every other one, unless the matrix has scores for it.
        shares = self._background(plain)
        return Alphabet(self.name, plain + wildcard, wildcard, {wildcard: plain}, case_matters=case, background=shares)

    def numbers(self, key: str, pattern: str, usual: tuple[int, ...]) -> tuple[int, ...]:
        if key not in self.said:
            return usual
        match = re.fullmatch(pattern, self.said[key])
        if not match:
            raise self._wrong(key, "cannot be read")
        return tuple(int(number) for number in match.groups())

    def by_letter(self, key: str, letters: str, pattern: str) -> dict[str, str]:
        words = self.said.get(key, "").split()
        values = dict(zip(words[::2], words[1::2], strict=False))
        if len(words) % 2 or any(k not in letters or not re.fullmatch(pattern, v) for k, v in values.items()):
            raise self._wrong(key, "is not a list of letters of the alphabet, each with its value")
        return values

    def _background(self, plain: str) -> dict[str, float]:
        shares = self.by_letter("background", plain, _SHARE)
        total = sum(map(float, shares.values()))
        if shares and (len(shares) < len(plain) or not total):
            raise self._wrong("background", "lacks letters")
        return {letter: float(share) / total for letter, share in shares.items()}

    def _wrong(self, key: str, why: str) -> MatrixError:
        return MatrixError(f"The alphabet '{self.name}': '{key}: {self.said.get(key, '')[:40]}' {why}.")
