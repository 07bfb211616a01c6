"""Matrix, gap costs and translation on the command line, for every command that scores."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING, Any, Final

from swgui.commands.binding import asked
from swgui.commands.option import Group, Option
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN, Alphabet
from swgui.core.errors import InvalidParameter
from swgui.core.scoring import ScoringScheme, SubstitutionMatrix, match_mismatch
from swgui.core.translation.frames import read_frames, write_frames
from swgui.core.translation.genetic_codes import STANDARD
from swgui.core.translation.programs import AUTO, PROGRAMS, PROPOSED_SHIFT, Translation, choose_program
from swgui.io.alphabets import alphabet_record
from swgui.io.matrices import factor_of, load_matrix

if TYPE_CHECKING:
    from swgui.commands.presets import Preset

DEFAULT_MATRIX: Final = "BLOSUM62"
DEFAULT_MATCH: Final = 2
DEFAULT_MISMATCH: Final = -3
DEFAULT_GAPS: Final = {"protein": (11, 1), "nucleotide": (5, 2)}  # gap open and extend by the BLAST rule
GAP_RULES: Final = ("blast", "first")
STRANDS: Final = ("both", "plus", "minus")
CIRCULAR: Final = Option(
    ("--circular",),
    "all records of the database are circular: look across their origins (GenBank and EMBL entries state it)",
    flag=True,
)
_MATCH_MISMATCH: Final = r"\+(\d+)/(-\d+)"

SCORING: Final = Group(
    (
        Option(
            ("--scoring-preset",),
            "matrix and gap costs that belong together: protein, distant, close, peptide, like-blast, like-ssearch, "
            "like-cudasw; dna, dna-strict; or a preset of your own, made in the window",
            "NAME",
        ),
        Option(
            ("--matrix",),
            f"BLOSUM30 to 100, PAM10 to 500, VTML10 to 200 and more; or a file (default: {DEFAULT_MATRIX}; proteins)",
            "NAME|FILE",
        ),
        Option(("--match",), f"nucleotide match score (default: {DEFAULT_MATCH})", read=int),
        Option(("--mismatch",), f"nucleotide mismatch score (default: {DEFAULT_MISMATCH})", read=int),
        Option(("--gap-open",), "cost of opening a gap", "COST", int),
        Option(
            ("--gap-extend",),
            "cost of extending a gap (default: open 11 and extend 1 for proteins, 5 and 2 for nucleotides)",
            "COST",
            int,
        ),
        Option(
            ("--gap-rule",),
            "cost of a gap of k: open + k x extend as in BLAST (blast), or open + (k - 1) x extend as in EMBOSS, "
            "parasail and MMseqs2 (first; default: blast)",
            default="blast",
            choices=GAP_RULES,
        ),
    ),
    "scoring",
)

TRANSLATION: Final = Group(
    (
        Option(
            ("--program", "-p"),
            "comparison: blastp, blastn, blastx (translated queries against proteins), tblastn (proteins against "
            "a translated database) or tblastx (both translated); default: by the two kinds of sequence",
            default=AUTO,
            choices=(AUTO, *PROGRAMS),
            path="translation.program",
        ),
        Option(
            ("--query-code", "--query-gencode"),
            "genetic code of the queries, by NCBI's number (default: 1)",
            "N",
            int,
            STANDARD,
            path="translation.query_code",
        ),
        Option(
            ("--subject-code", "--db-gencode"),
            "genetic code of the database, by NCBI's number (default: 1)",
            "N",
            int,
            STANDARD,
            path="translation.subject_code",
        ),
        Option(
            ("--frames",),
            "frames of translated sequences: all, plus, minus, or some of 1, 2, 3, -1, -2 and -3 with "
            "commas; write a leading minus with an equals sign: --frames=-1",
            "LIST",
            default="all",
            path="translation.frames",
            make=read_frames,
            show=write_frames,
        ),
        Option(
            ("--frameshift",),
            f"let the reading shift by one or two bases anywhere, at this cost; {PROPOSED_SHIFT} is proposed for long "
            "reads; for blastx and tblastn (default: it cannot)",
            "COST",
            int,
            0,
            path="translation.shift",
        ),
        Option(
            ("--min-orf",),
            "mask stretches of translated DNA between two stops with fewer codons than this (default: search all)",
            "N",
            int,
            0,
            path="translation.min_orf",
        ),
    ),
    "translation",
)


def choose_translation(arguments: argparse.Namespace, query: Alphabet, database: Alphabet | None) -> Translation | None:
    """Return how a search translates; None if it does not.

    Parameters
    ----------
    arguments : Namespace
        With the values of `TRANSLATION`; a command without them translates only where the kinds of sequence differ.
    query, database : Alphabet
        Kinds of sequence; a database of unknown kind counts as the kind of the queries.

    Raises
    ------
    InvalidParameter
        If the program compares other kinds, or frames or genetic code do not exist or do not matter.
    """
    options = TRANSLATION.options
    given: dict[str, Any] = {option.key: getattr(arguments, option.key, option.default) for option in options}
    program = choose_program(given["program"], query, database or query)
    if program is not None and program.translates:
        if strand := getattr(arguments, "strand", None):
            raise InvalidParameter(
                "strand",
                strand,
                "A translated search reads frames; a strand alone does not suffice.",
                hint="Leave out --strand, or choose --frames plus or minus.",
            )
        how = asked(options, argparse.Namespace(**given | {"program": program.name}))
        return Translation(**how["translation"])
    for option in options[1:]:
        if given[option.key] != option.default:
            raise InvalidParameter(
                option.key,
                given[option.key],
                f"{option.names[0]} is for translated sequences, and none is translated here.",
                hint="Leave it out, or choose --program tblastx if both are DNA.",
            )
    return None


def choose_scheme(arguments: argparse.Namespace, alphabet: Alphabet) -> ScoringScheme:
    """Make the scoring scheme from what was given and the defaults of the alphabet.

    Raises
    ------
    InvalidParameter, MatrixError
        If there is no such matrix, or the costs do not fit it.
    """
    usual = usual_gaps(alphabet)
    if usual is None and None in (arguments.matrix, arguments.gap_open, arguments.gap_extend):
        raise InvalidParameter(
            "matrix",
            arguments.matrix,
            f"For sequences of the alphabet '{alphabet.name}' no scores are usual.",
            hint="Give a file with --matrix, and --gap-open and --gap-extend.",
        )
    default_open, default_extend = usual or (0, 0)
    if preset := getattr(arguments, "scoring_preset", None):  # `swgui pair` has none
        from swgui.commands.presets import chosen_preset  # here: few searches name one

        return _preset_scheme(arguments, chosen_preset(preset, alphabet.name), alphabet)
    matrix = choose_matrix(arguments, alphabet)
    if (factor := factor_of(matrix)) > 1 and (arguments.gap_open is None or arguments.gap_extend is None):
        raise InvalidParameter(
            "gap-open",
            arguments.gap_open,
            f"The scores of {arguments.matrix} have fractions and are multiplied by {factor}; the usual gap costs do "
            "not fit them.",
            hint=f"Give --gap-open and --gap-extend in the same unit, {factor} times what they would be.",
        )
    make = ScoringScheme if arguments.gap_rule == "first" else ScoringScheme.from_blast
    return make(
        matrix,
        default_open if arguments.gap_open is None else arguments.gap_open,
        default_extend if arguments.gap_extend is None else arguments.gap_extend,
    )


def usual_gaps(alphabet: Alphabet) -> tuple[int, int] | None:
    """Return gap open and extend that are usual for an alphabet, by the BLAST rule; None if there are none."""
    if alphabet.name in DEFAULT_GAPS:
        return DEFAULT_GAPS[alphabet.name]
    record = alphabet_record(alphabet.name)
    return (record.gap_open, record.gap_extend) if record else None


def _preset_scheme(arguments: argparse.Namespace, preset: Preset, alphabet: Alphabet) -> ScoringScheme:
    """Return the scheme of a preset; other options of scoring are refused."""
    for option in SCORING.options:
        name = option.key
        if name != "scoring_preset" and getattr(arguments, name) != option.default:
            raise InvalidParameter(
                "scoring-preset",
                preset.id,
                f"The preset '{preset.id}' says what --{name.replace('_', '-')} asks for, too.",
                hint="Leave out one of them.",
            )
    make = ScoringScheme if preset.rule == "first" else ScoringScheme.from_blast
    return make(load_matrix(preset.matrix, alphabet), preset.gap_open, preset.gap_extend)


def choose_matrix(arguments: argparse.Namespace, alphabet: Alphabet) -> SubstitutionMatrix:
    """Return the requested matrix, by name, by file or by match and mismatch."""
    simple = arguments.match is not None or arguments.mismatch is not None
    if simple and (arguments.matrix or alphabet is PROTEIN):
        raise InvalidParameter("match", arguments.match, "Match and mismatch are for nucleotides without a matrix.")
    if arguments.matrix:
        return load_matrix(arguments.matrix, alphabet)
    if alphabet is NUCLEOTIDE:
        match = DEFAULT_MATCH if arguments.match is None else arguments.match
        mismatch = DEFAULT_MISMATCH if arguments.mismatch is None else arguments.mismatch
        return match_mismatch(alphabet, match, mismatch)
    return load_matrix(DEFAULT_MATRIX if alphabet is PROTEIN else alphabet.name, alphabet)


def scoring_values(scheme: ScoringScheme, matrix: str) -> dict[str, object]:
    """Return the values that `choose_scheme` makes a scheme of.

    Parameters
    ----------
    matrix : str
        The scheme's matrix as settings keep it: a name, a file, or ``+2/-3``.
    """
    pair = match_mismatch_of(matrix)
    named = {"matrix": matrix} if pair is None else {"match": pair[0], "mismatch": pair[1]}
    return {**named, "gap_open": scheme.gap_open, "gap_extend": scheme.gap_extend}


def match_mismatch_of(matrix: str) -> tuple[int, int] | None:
    """Read ``+2/-3``; None if it is the name of a matrix."""
    match = re.fullmatch(_MATCH_MISMATCH, matrix)
    return (int(match[1]), int(match[2])) if match else None
