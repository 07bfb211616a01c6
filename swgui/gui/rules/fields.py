"""The tasks of the page and the fields of their rules as records; the form is made of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from fractions import Fraction
from typing import Any, Final, Literal

from swgui.core.alphabet import Alphabet
from swgui.core.errors import InvalidParameter
from swgui.core.rules.matching import AMBIGUITIES, Ambiguity
from swgui.core.rules.rule import MAX_DIFFERENCES, MAX_PATTERN, MAX_WINDOW, RULES, Rule, percent, read_fraction

Kind = Literal["count", "percent", "choice", "flag", "text"]
NO_LIMIT: Final = -1  # what a box of an optional number holds for None
MAX_LENGTH: Final = 100_000


@dataclass(frozen=True, slots=True)
class Task:
    """What somebody wants to do, and the rule that does it."""

    rule: str  # name of the rule
    purpose: str  # what it finds, in one sentence
    queries: str  # what to paste, shown in the empty box


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a rule and the control it is set with."""

    name: str  # of the rule's field
    label: str
    kind: Kind
    help: str
    limits: tuple[int, int] = (0, MAX_DIFFERENCES)  # of a count
    optional: bool = False  # whether a count may be left without a limit
    choices: tuple[tuple[str, str], ...] = ()  # title and value


TASKS: Final = (
    Task("peptides", "Whole peptides without gaps, with mismatches if you allow them.",
         "Paste peptides: FASTA, or one sequence. Or drop a file on the page."),
    Task("edits", "Whole short sequences with mismatches, insertions and deletions.",
         f"Paste sequences of up to {MAX_PATTERN} residues: FASTA, or one sequence."),
    Task("identity", "Claims such as “at least 90 % identical to SEQ ID 3”, over the whole query.",
         "Paste the sequence of the claim: FASTA, or bare residues."),
    Task("window", "FAO/WHO and Codex: more than 35 % identity in a segment of 80 residues.",
         "Paste the new protein, without signal peptide. The database is the list of allergens you choose."),
    Task("words", "Runs of identical residues in query and subject, for allergens and patents.",
         "Paste sequences: FASTA, or bare residues."),
    Task("guides", "Unwanted sites: places beside a PAM, with mismatches and bulges.",
         "Paste guides of 4 to 48 bases, with or without their PAM: FASTA, or one sequence."),
    Task("primers", "Products of pairs of primers, with mismatches. Melting is not considered.",
         "Paste primers in pairs, forward and reverse one behind the other, as FASTA, each from 5' to 3'."),
)  # fmt: skip
_MISMATCHES: Final = Field("mismatches", "&Mismatches, at most", "count", "Residues that may differ")
FIELDS: Final[Mapping[str, tuple[Field, ...]]] = {
    "peptides": (_MISMATCHES,),
    "edits": (
        Field("edits", "&Differences, at most", "count", "Mismatches and gap positions together", (0, MAX_PATTERN - 1)),
        Field("mismatches", "Of these &mismatches", "count", "How many of them may be mismatches", optional=True),
        Field("gaps", "Of these &gap positions", "count",
              "How many of them may be gap positions, insertions and deletions together", optional=True),
        Field("gaps_in", "Gaps", "choice",
              "Insertions are residues that the query lacks, deletions residues that the database sequence lacks",
              choices=(("Insertions and deletions", "both"), ("Insertions only", "insertions"),
                       ("Deletions only", "deletions"))),
        Field("matching_ends", "First and last residue must match", "flag",
              "Leave out matches that begin or end with a difference"),
        Field("every_end", "List every end position", "flag",
              "List ends, too, that a better one beside them implies"),
    ),
    "identity": (
        Field("identity", "&Identity, at least", "percent", "Identities over all columns or over the query"),
        Field("over", "Counted over", "choice", "What identities are divided by",
              choices=(("All columns of the alignment", "columns"),
                       ("The query, any number of insertions", "query"))),
    ),
    "window": (
        Field("identity", "&Identity, more than", "percent", "35 % in FAO/WHO 2001 and Codex CAC/GL 45-2003"),
        Field("length", "In a &window of residues", "count", "80 in FAO/WHO 2001 and Codex CAC/GL 45-2003",
              (1, MAX_WINDOW)),
    ),
    "words": (Field("length", "&Residues, at least", "count", "8 or 6 for allergens, 15 to 25 in patents",
                    (2, MAX_LENGTH)),),
    "guides": (
        Field("pam", "&PAM", "text", "Bases in IUPAC code: NGG, NAG, TTTV, NNGRRT"),
        Field("side", "PAM stands", "choice", "On which side of the guide the PAM is",
              choices=(("Behind the guide (3')", "3"), ("Before the guide (5')", "5"))),
        Field("mismatches", "&Mismatches, at most", "count", "Bases that may differ"),
        Field("dna_bulges", "&DNA bulges", "count", "Bases of the genome more than of the guide, at most"),
        Field("rna_bulges", "&RNA bulges", "count", "Bases of the guide more than of the genome, at most"),
        Field("edits", "All &together", "count", "Mismatches and bulges together, at most", optional=True),
    ),
    "primers": (
        Field("mismatches", "&Mismatches, at most", "count", "Of each primer"),
        Field("exact_end", "&Exact bases at the 3' end", "count", "Bases at the 3' end that must match"),
        Field("shortest", "&Shortest product", "count", "Bases, primers included", (1, 10_000_000)),
        Field("longest", "&Longest product", "count", "Bases, primers included", (1, 10_000_000)),
    ),
}  # fmt: skip
AMBIGUITY_TITLES: Final[tuple[tuple[str, Ambiguity], ...]] = (
    ("Match only themselves", "strict"),
    ("Match what they stand for", "sets"),
    ("Match what they stand for; X and N match all", "wild"),
)
PAMS_WRITTEN: Final = (
    ("Left off where a guide ends with it", "auto"),
    ("Not part of the guides", "no"),
    ("Part of each guide", "yes"),
)
STRANDS: Final = (("Both strands", "both"), ("Plus strand", "plus"))
_PROPORTION: Final = "Write 70 for 70 %."


def default_of(rule: str, name: str) -> Any:
    value = next(field.default for field in fields(RULES[rule]) if field.name == name)
    assert value is not MISSING
    return value


def as_text(value: Fraction) -> str:
    """Return a percentage as its field shows it."""
    return percent(value)


def read_percent(text: str) -> Fraction:
    """Return an identity typed as a percentage, exactly (35, 66.5, 2/3); `InvalidParameter` where it is none."""
    typed = text.strip().removesuffix("%").strip()
    if "/" in typed:
        return read_fraction("identity", typed)
    try:
        value = Fraction(typed)
    except ValueError:
        value = Fraction(-1)
    if not 1 < value <= 100:
        shown = f"'{text.strip()}'" if text.strip() else "empty"
        raise InvalidParameter(
            "identity", text, f"The identity must be above 1 % and at most 100 %, not {shown}.", hint=_PROPORTION
        )
    return value / 100


def meaning(ambiguity: Ambiguity, alphabet: Alphabet, *, pattern: bool) -> str:
    """Return what ambiguous residues mean, as a sentence."""
    text = AMBIGUITIES[ambiguity].format(wildcard=alphabet.wildcard)
    own = " Those of a primer stand for each of their bases." if pattern else ""
    return f"{text[0].upper()}{text[1:]}.{own}"


def make_rule(name: str, values: Mapping[str, Any]) -> Rule:
    """Return a rule with these values. Raises `InvalidParameter`."""
    return RULES[name](**values)
