"""What a user's words on the command line stand for: queries, matrix, gap costs, settings."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from swgui.core.alphabet import ALPHABETS, NUCLEOTIDE, PROTEIN, Alphabet, guess_alphabet
from swgui.core.errors import InvalidParameter, SequenceError
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme, SubstitutionMatrix, match_mismatch
from swgui.io.matrices import load_matrix
from swgui.io.sequences.reader import ReadReport, read_sequences

# Costs used when the user gives none: (gap open, gap extend) by the BLAST rule.
DEFAULT_MATRIX = "BLOSUM62"
DEFAULT_MATCH, DEFAULT_MISMATCH = 2, -3
DEFAULT_GAPS = {"protein": (11, 1), "nucleotide": (5, 2)}


def read_queries(path: Path, kind: str) -> tuple[tuple[SequenceRecord, ...], Alphabet]:
    """Read the queries; what the reader changed or left out goes to the standard error."""
    given = None if kind == "auto" else ALPHABETS[kind]
    notes = ReadReport()
    records = tuple(read_sequences(path, given, notes))
    for text in notes.listing():
        print(f"swgui: {path.name}: {text}", file=sys.stderr)
    if not records:
        raise SequenceError(f"{path} holds no sequence to search with.", path=str(path))
    return records, given or guess_alphabet(b"".join(record.residues for record in records))


def choose_scheme(arguments: argparse.Namespace, alphabet: Alphabet) -> ScoringScheme:
    """Make the scoring scheme from what was given and the defaults of the alphabet."""
    default_open, default_extend = DEFAULT_GAPS[alphabet.name]
    return ScoringScheme.from_blast(
        choose_matrix(arguments, alphabet),
        default_open if arguments.gap_open is None else arguments.gap_open,
        default_extend if arguments.gap_extend is None else arguments.gap_extend,
    )


def choose_matrix(arguments: argparse.Namespace, alphabet: Alphabet) -> SubstitutionMatrix:
    """Return the matrix that was asked for by name, by file or by match and mismatch."""
    simple = arguments.match is not None or arguments.mismatch is not None
    if simple and (arguments.matrix or alphabet is PROTEIN):
        raise InvalidParameter("match", arguments.match, "Match and mismatch are for nucleotides without a matrix.")
    if arguments.matrix:
        return load_matrix(arguments.matrix, alphabet)
    if alphabet is NUCLEOTIDE:
        match = DEFAULT_MATCH if arguments.match is None else arguments.match
        mismatch = DEFAULT_MISMATCH if arguments.mismatch is None else arguments.mismatch
        return match_mismatch(alphabet, match, mismatch)
    return load_matrix(DEFAULT_MATRIX, alphabet)


def parse_setting(text: str) -> tuple[str, str]:
    """Split NAME=VALUE."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise InvalidParameter("set", text, f"'{text}' is not NAME=VALUE.")
    return name.strip(), value.strip()
