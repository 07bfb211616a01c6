"""The rules as records: what each lists, its limits, and the sentence that says so.

Notation: a query has n residues. The columns of an alignment are matches, mismatches and gap positions. An insertion is
a residue of the subject that the query lacks (a DNA bulge of a guide), a deletion one of the query that the subject
lacks (an RNA bulge). Differences are mismatches, insertions and deletions together.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.errors import InvalidParameter, SequenceError

CODEX_WINDOW: Final = 80  # residues; and the identity to exceed in them: FAO/WHO 2001, Codex CAC/GL 45-2003
CODEX_IDENTITY: Final = Fraction(35, 100)
MAX_PATTERN: Final = 64  # residues of what is searched with edits: bits of a word
MAX_DIFFERENCES: Final = 250
MAX_QUERY: Final = 100_000
MAX_DENOMINATOR: Final = 10_000  # of identities: scores stay within 31 bits
MAX_WINDOW: Final = 10_000  # residues: scores by any identity that is found do, too

Side = Literal["3", "5"]
Lengths = NDArray[np.int64]
GapKind = Literal["both", "insertions", "deletions"]
_FORMER_KINDS: Final[dict[str, GapKind]] = {"subject": "insertions", "query": "deletions"}
_GAP_KINDS: Final[dict[GapKind, str]] = {
    "both": "",
    "insertions": ", insertions only (residues of the subject that the query lacks)",
    "deletions": ", deletions only (residues of the query that the subject lacks)",
}
LEFT_OUT: Final = (
    " An end is left out if a listed one, s residues beside it, has at least s differences fewer and the limits leave "
    "that one s more gap positions."
)


class Limits(NamedTuple):
    """How many differences a fit may have at most, and how many of each kind."""

    differences: int
    mismatches: int
    insertions: int
    deletions: int
    gaps: int  # insertions and deletions together


def read_fraction(name: str, text: str) -> Fraction:
    """Return an identity as an exact fraction (0.7, 70%, 7/10); `InvalidParameter` unless above 0 and at most 1."""
    try:
        value = Fraction(text[:-1]) / 100 if text.endswith("%") else Fraction(text)
    except (ValueError, ZeroDivisionError):
        value = Fraction(-1)
    if not 0 < value <= 1:
        raise InvalidParameter(name, text, f"{name} must be above 0 and at most 1, such as 0.7 or 70%, not {text}.")
    return value


def percent(value: Fraction) -> str:
    """Return a fraction in percent, rounded to two decimals."""
    return f"{float(round(value * 100, 2)):g}"


@dataclass(frozen=True, slots=True)
class Mismatches:
    """Every window of n residues of a subject that differs from the query in at most so many of them."""

    name: ClassVar[str] = "peptides"
    title: ClassVar[str] = "Peptides"
    mismatches: int = 0

    def __post_init__(self) -> None:
        _check("mismatches", self.mismatches)

    def sentence(self) -> str:
        """Return the rule in words."""
        return f"Every place where the whole query stands without gaps and with {_most(self.mismatches, 'mismatch')}."

    def check_query(self, name: str, length: int) -> None:
        """Raise `SequenceError` if the rule cannot be asked of a query of this name and length."""
        _check_length(name, length, self.mismatches)

    def places(self, query: int, subjects: Lengths) -> Lengths:
        """Return how many places of each subject are tested for a query, given their lengths."""
        return np.maximum(subjects - query + 1, 0)


@dataclass(frozen=True, slots=True)
class Edits:
    """Every end position in a subject at which the whole query fits with at most so many differences.

    Of the alignments that end there the one with the fewest differences is given; then the one with the fewest gap
    positions, then the longest one of the subject (whose beginning stands leftmost).

    Unless `every_end`, ends that a listed one implies are left out (`swgui.core.rules.places.without_implied`).
    """

    name: ClassVar[str] = "edits"
    title: ClassVar[str] = "Mismatches and gaps"
    edits: int = 1  # differences, at most
    # gaps, mismatches: of these gap positions (insertions and deletions together) and mismatches, at most
    gaps: int | None = None
    mismatches: int | None = None
    matching_ends: bool = False  # whether the first and the last residue of the query must match
    # Which gaps are allowed. ``"subject"`` and ``"query"``, the only sequence whose residues may stand opposite a gap,
    # are former words for ``"insertions"`` and ``"deletions"``
    gaps_in: GapKind = "both"
    every_end: bool = False  # whether no end is left out

    def __post_init__(self) -> None:
        _check("edits", self.edits)
        _check("gaps", self.gaps)
        _check("mismatches", self.mismatches)
        object.__setattr__(self, "gaps_in", _FORMER_KINDS.get(self.gaps_in, self.gaps_in))
        _check_choice("gaps_in", self.gaps_in, *_GAP_KINDS)

    @property
    def limits(self) -> Limits:
        """What a fit may have at most."""
        gaps = self.edits if self.gaps is None else min(self.gaps, self.edits)
        mismatches = self.edits if self.mismatches is None else min(self.mismatches, self.edits)
        insertions, deletions = gaps * (self.gaps_in != "deletions"), gaps * (self.gaps_in != "insertions")
        return Limits(self.edits, mismatches, insertions, deletions, gaps)

    @property
    def leaves_out(self) -> bool:
        """Whether ends are left out that a listed one implies: only gap positions that the rule allows imply any."""
        return not (self.every_end or self.matching_ends) and self.limits.gaps > 0

    def sentence(self) -> str:
        """Return the rule in words."""
        limits = [_most(self.edits, "difference")]
        together = " (insertions and deletions together)" if self.gaps and self.gaps_in == "both" else ""
        limits += [] if self.gaps is None else [_most(self.gaps, "gap position") + together]
        limits += [] if self.mismatches is None else [_most(self.mismatches, "mismatch")]
        ends = ", its first and last residue matching" if self.matching_ends else ""
        fits = f"{', '.join(limits)}{_GAP_KINDS[self.gaps_in]}{ends}"
        return f"Every end position at which the whole query fits with {fits}.{LEFT_OUT * self.leaves_out}"

    def check_query(self, name: str, length: int) -> None:
        """Raise `SequenceError` if the rule cannot be asked of a query of this name and length."""
        _check_length(name, length, self.edits, MAX_PATTERN)

    def places(self, query: int, subjects: Lengths) -> Lengths:
        """Return how many places of each subject are tested for a query, given their lengths."""
        return subjects


@dataclass(frozen=True, slots=True)
class Identity:
    """Every subject to which the whole query can be aligned, ends of the subject free, with this identity or more.

    The identity is the largest that any alignment attains: that of the alignment with the best score may be lower.
    Over the query that is the length of the longest common subsequence: insertions, of any number, take nothing away.

    Each subject is listed with one place: of the alignments with the largest identity the one with the fewest gap
    positions, then the leftmost start, then the leftmost end.
    """

    name: ClassVar[str] = "identity"
    title: ClassVar[str] = "Identity claim"
    identity: Fraction = Fraction(9, 10)  # identities over all columns, or over the residues of the query
    over: Literal["columns", "query"] = "columns"

    def __post_init__(self) -> None:
        _check_identity(self.identity)
        _check_choice("over", self.over, "columns", "query")

    def sentence(self) -> str:
        """Return the rule in words."""
        limit = f"at least {percent(self.identity)} %"
        if self.over == "query":
            return (
                f"Every subject to which the query can be aligned so that {limit} of the residues of the query match, "
                "however many residues of the subject stand between them."
            )
        return f"Every subject to which the whole query can be aligned with {limit} identity, counted over all columns."

    def check_query(self, name: str, length: int) -> None:
        """Raise `SequenceError` if the rule cannot be asked of a query of this name and length."""
        _check_length(name, length, 0, MAX_QUERY)

    def places(self, query: int, subjects: Lengths) -> Lengths:
        """Return how many cells are computed for a query and each subject, given their lengths."""
        return query * subjects


@dataclass(frozen=True, slots=True)
class Window:
    """Every subject that exceeds an identity in a window of the query: FAO/WHO 2001, Codex CAC/GL 45-2003.

    Each window of consecutive residues of the query is aligned whole, as by `Identity`; a shorter query is one window,
    whose identities are counted over `length` columns at least.
    """

    name: ClassVar[str] = "window"
    title: ClassVar[str] = "Allergen check"
    length: int = CODEX_WINDOW
    identity: Fraction = CODEX_IDENTITY

    def __post_init__(self) -> None:
        _check("length", self.length, MAX_WINDOW, 1)
        _check_identity(self.identity)

    def sentence(self) -> str:
        """Return the rule in words."""
        return (
            f"Every subject with more than {percent(self.identity)} % identity to a window of {self.length} residues "
            "of the query."
        )

    def check_query(self, name: str, length: int) -> None:
        """Raise `SequenceError` if the rule cannot be asked of a query of this name and length."""
        _check_length(name, length, 0, MAX_QUERY)

    def windows(self, query: int) -> int:
        """Return how many windows a query of this length has."""
        return max(1, query - self.length + 1)

    def places(self, query: int, subjects: Lengths) -> Lengths:
        """Return how many cells are computed for a query and each subject, given their lengths."""
        return self.windows(query) * min(query, self.length) * subjects


@dataclass(frozen=True, slots=True)
class Words:
    """Every longest run of at least so many residues that a query and a subject have in common."""

    name: ClassVar[str] = "words"
    title: ClassVar[str] = "Contiguous matches"
    length: int = 8

    def __post_init__(self) -> None:
        _check("length", self.length, MAX_QUERY, 2)

    def sentence(self) -> str:
        """Return the rule in words."""
        return f"Every run of {self.length} or more residues in common, as long as it goes."

    def check_query(self, name: str, length: int) -> None:
        """Raise `SequenceError` if the rule cannot be asked of a query of this name and length."""
        if length < self.length:
            raise SequenceError(
                f"Query {name} has {length} residues, fewer than a word of {self.length}.",
                hint="Ask for shorter words, or leave this query out.",
            )

    def places(self, query: int, subjects: Lengths) -> Lengths:
        """Return how many pairs of words are compared for a query and each subject, given their lengths."""
        return max(0, query - self.length + 1) * np.maximum(subjects - self.length + 1, 0)


@dataclass(frozen=True, slots=True)
class Guides:
    """Every site of a guide beside its PAM, within the limits, once.

    Where bulges let it be read in several ways from one base on, the reading with the fewest differences is given.
    """

    name: ClassVar[str] = "guides"
    title: ClassVar[str] = "CRISPR guides"
    pam: str = "NGG"  # its bases in IUPAC letters
    # ``"3"`` where the PAM follows the guide (NGG of Cas9), ``"5"`` where it stands before it (TTTV of Cas12a)
    side: Side = "3"
    # mismatches, dna_bulges, rna_bulges: at most; a DNA bulge is a base of the genome more, an RNA bulge one of the
    # guide more
    mismatches: int = 3
    dna_bulges: int = 0
    rna_bulges: int = 0
    edits: int | None = None  # all of them together, at most

    def __post_init__(self) -> None:
        for name in ("mismatches", "dna_bulges", "rna_bulges", "edits"):
            _check(name, getattr(self, name))
        if wrong := "".join(sorted(set(self.pam.upper()) - set(NUCLEOTIDE.letters))):
            raise InvalidParameter("pam", self.pam, f"A PAM is written in IUPAC letters of bases; {wrong} is none.")
        if not 1 <= len(self.pam) <= 16:
            raise InvalidParameter("pam", self.pam, f"A PAM has 1 to 16 bases, not {len(self.pam)}.")

    @property
    def limits(self) -> Limits:
        """What a fit may have at most."""
        parts = self.mismatches, self.dna_bulges, self.rna_bulges
        most = sum(parts) if self.edits is None else min(self.edits, sum(parts))
        return Limits(most, *parts, gaps=self.dna_bulges + self.rna_bulges)

    def sentence(self) -> str:
        """Return the rule in words."""
        limits = [_most(self.mismatches, "mismatch")]
        limits += [_most(self.dna_bulges, "DNA bulge"), _most(self.rna_bulges, "RNA bulge")]
        limits += [] if self.edits is None else [f"{_most(self.edits, 'difference')} in all"]
        where = "followed by" if self.side == "3" else "behind"
        once = "; each site once, as it has the fewest differences" if self.dna_bulges or self.rna_bulges else ""
        return f"Every site {where} the PAM {self.pam.upper()}, with {', '.join(limits)}{once}."

    def check_query(self, name: str, length: int) -> None:
        """Raise `SequenceError` if the rule cannot be asked of a query of this name and length."""
        if not 4 <= length <= MAX_PATTERN - 16:
            raise SequenceError(
                f"Guide {name} has {length} bases; guides of 4 to {MAX_PATTERN - 16} are read.",
                hint="Give the guide without its PAM.",
            )
        _check_length(name, length, self.limits[0])

    def places(self, query: int, subjects: Lengths) -> Lengths:
        """Return how many places of one strand of each subject are looked at for a PAM, given the lengths."""
        return np.maximum(subjects - len(self.pam) + 1, 0)


@dataclass(frozen=True, slots=True)
class Primers:
    """Every product of two primers on opposite strands, in which both lie whole.

    Queries are taken in pairs, forward and reverse.
    """

    name: ClassVar[str] = "primers"
    title: ClassVar[str] = "Primers"
    mismatches: int = 2  # of each primer, at most
    exact_end: int = 3  # so many bases at the 3' end of each primer must match
    # shortest, longest: bases of a product, primers included
    shortest: int = 50
    longest: int = 3000

    def __post_init__(self) -> None:
        _check("mismatches", self.mismatches)
        _check("exact_end", self.exact_end)
        _check("shortest", self.shortest, 1 << 31, 1)
        _check("longest", self.longest, 1 << 31, self.shortest)

    def sentence(self) -> str:
        """Return the rule in words."""
        return (
            f"Every product of {self.shortest} to {self.longest} bases between two primers with "
            f"{_most(self.mismatches, 'mismatch')} each, none in the last {self.exact_end} bases of their 3' ends."
        )

    def check_query(self, name: str, length: int) -> None:
        """Raise `SequenceError` if the rule cannot be asked of a query of this name and length."""
        _check_length(name, length, max(self.mismatches, self.exact_end))

    def places(self, query: int, subjects: Lengths) -> Lengths:
        """Return how many places of one strand of each subject are tested for a primer, given the lengths."""
        return np.maximum(subjects - query + 1, 0)


Rule = Mismatches | Edits | Identity | Window | Words | Guides | Primers
RULES: Final[dict[str, type[Rule]]] = {
    rule.name: rule for rule in (Mismatches, Edits, Identity, Window, Words, Guides, Primers)
}


def _check(name: str, value: int | None, most: int = MAX_DIFFERENCES, least: int = 0) -> None:
    if value is not None and not least <= value <= most:
        raise InvalidParameter(name, value, f"{name.replace('_', ' ')} must be {least} to {most}, not {value}.")


def _check_choice(name: str, value: str, *choices: str) -> None:
    if value not in choices:
        raise InvalidParameter(name, value, f"{name.replace('_', ' ')} is one of {', '.join(choices)}, not {value}.")


def _check_identity(value: Fraction) -> None:
    if not 0 < value <= 1:
        raise InvalidParameter(
            "identity", value, f"An identity must be above 0 and at most 100 %, not {percent(value)}."
        )
    if value.denominator > MAX_DENOMINATOR:
        raise InvalidParameter(
            "identity",
            value,
            f"An identity is a fraction with a denominator of at most {MAX_DENOMINATOR:,}, and this one has "
            f"{value.denominator:,}.",
            hint="Write fewer decimals, such as 0.8125 or 81.25%.",
        )


def _check_length(name: str, length: int, differences: int, most: int = MAX_QUERY) -> None:
    if not length:
        raise SequenceError(f"Query {name} is empty.", hint="Leave it out.")
    if differences >= length:
        raise SequenceError(
            f"Query {name} has {length} residues: with {differences} differences every place would be listed.",
            hint="Allow fewer differences, or leave this query out.",
        )
    if length > most:
        raise SequenceError(
            f"Query {name} has {length} residues; this rule takes {most} at most.",
            hint="Cut it into shorter queries, or use another rule.",
        )


def _most(count: int, word: str) -> str:
    plural = word if count == 1 else f"{word}es" if word.endswith("ch") else f"{word}s"
    return f"at most {count} {plural}" if count else f"no {plural}"
