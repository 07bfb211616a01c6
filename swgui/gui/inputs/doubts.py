"""Texts that can be read as residues and were hardly meant so: three-letter code, and lines of prose. No Qt."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

ONE_LETTER: Final = {
    "ala": "A", "arg": "R", "asn": "N", "asp": "D", "cys": "C", "gln": "Q", "glu": "E", "gly": "G", "his": "H",
    "ile": "I", "leu": "L", "lys": "K", "met": "M", "phe": "F", "pro": "P", "ser": "S", "thr": "T", "trp": "W",
    "tyr": "Y", "val": "V", "sec": "U", "pyl": "O", "asx": "B", "glx": "Z", "xle": "J", "xaa": "X", "ter": "*",
}  # fmt: skip
FEWEST_CODES: Final = 3  # of three letters in a line, below which it may be anything
_JOINED: Final = re.compile(r"(?:[A-Z][a-z]{2}){3,}")  # MetValGly
_BETWEEN: Final = re.compile(r"[\s\d.,;\-–]+")
_WORD: Final = re.compile(r"[^\W\d_]+")
_PUNCTUATION: Final = re.compile(r"[,:;!'\"()\[\]{}“”‘’„–—…]")
# Words that a line with a sequence does not have beside it.
_PLAIN_WORDS: Final = frozenset(
    ("a", "an", "and", "are", "as", "at", "by", "for", "from", "gene", "in", "is", "it", "my", "not", "of", "on", "or",
     "our", "protein", "sequence", "the", "this", "to", "was", "with")
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Doubt:
    """A question about a text.

    Parameters
    ----------
    question : str
        What it looks like.
    answer : str
        What the button says that takes `text` instead.
    text : str
        What was probably meant; empty if nothing is left of it.
    """

    question: str
    answer: str
    text: str


def find_doubt(text: str) -> Doubt | None:
    """Return what is odd about a text of bare residues or FASTA; None if it reads like sequences."""
    lines = text.split("\n")
    bodies = [at for at, line in enumerate(lines) if line.strip() and line.strip()[0] not in ">;#!"]
    codes = {at: letters for at in bodies if (letters := _from_codes(lines[at])) is not None}
    if codes:
        first = next(iter(codes.values()))
        shown = f"{first[:12]}…" if len(first) > 12 else first
        meant = "\n".join(codes.get(at, line) for at, line in enumerate(lines))
        return Doubt(f"This looks like three-letter code: {shown} in short.", "Read three-letter code", meant)
    prose = [at for at in bodies if _is_prose(lines[at])]
    if prose:
        first = " ".join(lines[prose[0]].split())
        shown = f"{first[:40]}…" if len(first) > 40 else first
        more = f" and {len(prose) - 1:,} more lines" if len(prose) > 1 else ""
        left = "\n".join(line for at, line in enumerate(lines) if at not in set(prose))
        return Doubt(f"“{shown}”{more} reads like words, not like residues.", "Leave it out", left)
    return None


def _from_codes(line: str) -> str | None:
    if _JOINED.fullmatch(line.strip()):
        codes = [line.strip()[at : at + 3] for at in range(0, len(line.strip()), 3)]
    else:
        codes = [part for part in _BETWEEN.split(line) if part]
    letters = [ONE_LETTER.get(code.lower(), "") for code in codes]
    return "".join(letters) if len(codes) >= FEWEST_CODES and all(letters) else None


def _is_prose(line: str) -> bool:
    words = _WORD.findall(line)
    lengths = {len(word) for word in words[:-1]}
    if not words or (len(words) > 2 and len(lengths) == 1):
        return False
    known = sum(word.lower() in _PLAIN_WORDS for word in words)
    return bool(_PUNCTUATION.search(line)) or (known > 0 and len(words) > 1)
