"""The rule of CRISPR guides next to a PAM."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal, get_args

import numpy as np

from swgui.core.alphabet import NUCLEOTIDE, Alphabet
from swgui.core.errors import InvalidParameter, SequenceError
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.rules.base import (
    MAX_PATTERN,
    Lengths,
    Limits,
    Parameter,
    Rule,
    WithPam,
    check_length,
    check_number,
    most,
)
from swgui.core.rules.matching import residue_sets
from swgui.core.rules.naming import NAMED, queries_named
from swgui.core.rules.repair import Repair
from swgui.core.words import agree, count

# Lengths of guides in use, by the side of their PAM: those of Cas9 and SaCas9, and those of Cas12a; and the length up
# to which a guide is one of Cas9 without doubt, whatever it ends with
GUIDES: Final = {"3": range(17, 23), "5": range(20, 26)}
PLAIN_GUIDE: Final = 20
SEED: Final = 12  # bases next to the PAM, as CRISPOR counts them
_DNA_BULGE: Final = "guide   GATTC-GAAC\n        ||||| ||||\ngenome  GATTCAGAAC"
_RNA_BULGE: Final = "guide   GATTCAGAAC\n        ||||| ||||\ngenome  GATTC-GAAC"
_BOTH_STRANDS: Final = "Every site on both strands "  # so the sentence began before commit 342b8dd3

Side = Literal["3", "5"]


@dataclass(frozen=True, slots=True)
class Guides(Rule):
    """Every site of a guide next to its PAM, within the limits, once.

    Where bulges let it be read in several ways from one base on, the reading with the fewest differences is given.
    """

    name: ClassVar[str] = "guides"
    title: ClassVar[str] = "CRISPR guides"
    known_as: ClassVar[str] = "CRISPR"
    work: ClassVar[str] = "swgui.jobs.rules.work.guides:GuideWork"
    purpose: ClassVar[str] = "Unwanted sites: places next to a PAM, with mismatches and bulges."
    paste: ClassVar[str] = "Paste guides of 4 to 48 bases, with or without their PAM: FASTA, or one sequence."
    nucleotides: ClassVar[bool] = True
    beside_pam: ClassVar[bool] = True
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            "pam", "text", "bases next to a guide (default: NGG)", metavar="BASES", label="&PAM",
            tip="Bases in IUPAC code: NGG, NAG, TTTV, NNGRRT",
        ),
        Parameter(
            "side", "choice", "of the guide on which the PAM stands (default: 3')", option="pam_side",
            label="PAM stands", tip="On which side of the guide the PAM is",
            choices=(("Behind the guide (3')", "3"), ("Before the guide (5')", "5")),
        ),
        Parameter(
            "with_pam", "choice",
            "whether guides are written with their PAM, which is left off (default: auto, by their lengths)",
            values=get_args(WithPam), of_rule=False,
        ),
        Parameter(
            "mismatches", own="guides 3", metavar="K", label="&Mismatches, at most", tip="Bases that may differ"
        ),
        Parameter(
            "dna_bulges", said="bases of the genome more than of the guide at most (default: 0)", metavar="K",
            label="&DNA bulges", tip="Bases of the genome more than of the guide, at most", picture=_DNA_BULGE,
        ),
        Parameter(
            "rna_bulges", said="bases of the guide more than of the genome at most (default: 0)", metavar="K",
            label="&RNA bulges", tip="Bases of the guide more than of the genome, at most", picture=_RNA_BULGE,
        ),
        Parameter(
            "edits", own="guides: all together", metavar="K", label="All &together",
            tip="Mismatches and bulges together, at most", optional=True,
        ),
    )  # fmt: skip
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
            check_number(name, getattr(self, name))
        if wrong := "".join(sorted(set(self.pam.upper()) - set(NUCLEOTIDE.letters))):
            raise InvalidParameter("pam", self.pam, f"A PAM is written in IUPAC letters of bases; {wrong} is none.")
        if not 1 <= len(self.pam) <= 16:
            raise InvalidParameter("pam", self.pam, f"A PAM has 1 to 16 bases, not {len(self.pam)}.")

    @property
    def limits(self) -> Limits:
        """Limits of a fit."""
        parts = self.mismatches, self.dna_bulges, self.rna_bulges
        together = sum(parts) if self.edits is None else min(self.edits, sum(parts))
        return Limits(together, *parts, gaps=self.dna_bulges + self.rna_bulges)

    def sentence(self) -> str:
        """Return the rule in words."""
        limits = [most(self.mismatches, "mismatch")]
        limits += [most(self.dna_bulges, "DNA bulge"), most(self.rna_bulges, "RNA bulge")]
        limits += [] if self.edits is None else [f"{most(self.edits, 'difference')} in all"]
        where = "followed by" if self.side == "3" else "behind"
        once = "; each site once, as it has the fewest differences" if self.dna_bulges or self.rna_bulges else ""
        return f"Every site {where} the PAM {self.pam.upper()}, with {', '.join(limits)}{once}."

    @property
    def up_to(self) -> str:
        """How much a site may differ, in words."""
        limits = self.limits
        if limits.gaps:
            return f"up to {count(limits.differences, 'difference')}"
        return f"up to {count(limits.differences, 'mismatch', 'mismatches')}" if limits.differences else ""

    def seed(self, size: int) -> range:
        """Return the bases of a guide of this size that lie next to its PAM, the `SEED` that decide most."""
        return range(max(0, size - SEED), size) if self.side == "3" else range(min(SEED, size))

    def check_query(self, name: str, length: int) -> None:
        """Raise `SequenceError` if the rule does not accept a query of this name and length."""
        if not 4 <= length <= MAX_PATTERN - 16:
            raise SequenceError(
                f"Guide {name} has {length} bases; guides of 4 to {MAX_PATTERN - 16} are read.",
                hint="Give the guide without its PAM.",
            )
        check_length(name, length, self.limits.differences)

    def places(self, query: int, subjects: Lengths) -> Lengths:
        """Return the number of places of one strand of each subject tested for a PAM, given the lengths."""
        return np.maximum(subjects - len(self.pam) + 1, 0)

    @property
    def most_differences(self) -> int:
        """Largest number of differences of a place."""
        return self.limits.differences

    @property
    def may_differ(self) -> int:
        """Return the number of residues of a query that may be unmatched: opposite another residue or a gap."""
        return min(self.limits.differences, self.limits.mismatches + self.limits.deletions)

    def behind(self, strand: int) -> bool:
        """Whether the PAM stands behind the guide on the plus strand as it is written."""
        return (self.side == "3") == (strand > 0)

    def without_pam(
        self, queries: Sequence[SequenceRecord], alphabet: Alphabet, with_pam: str
    ) -> tuple[Sequence[SequenceRecord], list[str]]:
        """Return guides without the PAM that some end with, and a sentence on it; errors as of `repaired`."""
        pam = self.pam.upper()
        made, ids, ends = [], [], []
        for guide in queries:
            text = guide.residues.decode()
            rest, end = self._parted(text)
            fits = self._fits(text, alphabet)
            if with_pam == "yes" and not fits:
                where = "end with" if self.side == "3" else "begin with"
                raise InvalidParameter("with_pam", with_pam, f"Guide {guide.id} does not {where} the PAM {pam}.")
            if fits and (with_pam == "yes" or self._holds_pam(guide.id, len(text), end)):
                ids.append(guide.id)
                ends.append(end)
                guide = replace(guide, residues=rest.encode())
            made.append(guide)
        if not ids:
            return made, []
        verb, they = ("ended" if self.side == "3" else "began"), (agree(len(ids), "it was", "they were"))
        shown = sorted(set(ends))
        which = ", ".join(shown[:NAMED]) + (", …" if len(shown) > NAMED else "")
        fit = agree(len(shown), "fits", "fit")
        said = f"{queries_named(ids)} {verb} with {which}, which {fit} the PAM {pam}: {they} left off."
        return made, [said[0].upper() + said[1:]]

    def repairs(self, question: Any) -> Sequence[Repair]:
        """Return how guides that end with bases of the PAM can be read, where that is in doubt or was decided."""
        if question.with_pam != "auto" or question.alphabet.name != NUCLEOTIDE.name:
            return ()
        kept = Repair.to("They have no PAM: keep all bases", "--with-pam no", with_pam="no")
        try:
            _, said = self.without_pam(question.queries, question.alphabet, "auto")
        except InvalidParameter:
            each = all(self._fits(guide.residues.decode(), question.alphabet) for guide in question.queries)
            off = Repair.to("Each has its PAM: leave it off", "--with-pam yes", with_pam="yes")
            return (off, kept) if each else (kept,)
        return (kept,) if said else ()

    def _fits(self, text: str, alphabet: Alphabet) -> bool:
        """Whether the bases where the PAM of a guide would stand fit it."""
        sets = dict(zip(alphabet.letters, residue_sets(alphabet), strict=True))
        _, end = self._parted(text)
        each = zip(end, self.pam.upper(), strict=False)
        return len(text) > len(self.pam) and (all(sets[a] <= sets[b] for a, b in each) or set(end) == {"N"})

    def _parted(self, text: str) -> tuple[str, str]:
        """Return a guide without the bases where its PAM would stand, and these."""
        size = len(self.pam)
        return (text[:-size], text[-size:]) if self.side == "3" else (text[size:], text[:size])

    def _holds_pam(self, name: str, size: int, end: str) -> bool:
        """Return True if bases that fit the PAM are the PAM, by the length of the guide; errors as of `repaired`."""
        lengths, rest = GUIDES[self.side], size - len(end)
        if rest not in lengths or set(self.pam.upper()) == {"N"}:
            return False
        if size not in lengths:
            return True
        if self.side == "3" and size <= PLAIN_GUIDE:
            return False
        verb = "ends" if self.side == "3" else "begins"
        raise InvalidParameter(
            "with_pam",
            "auto",
            f"Guide {name} {verb} with {end}, which fits the PAM: it has {size} bases with it, and {rest} without it.",
            hint="Say whether guides are written with their PAM: --with-pam yes or --with-pam no.",
        )

    def reach(self, size: int) -> tuple[int, int]:
        """Return the residues before and behind a site that decide on it: also those of other readings."""
        site = size + self.dna_bulges + self.rna_bulges + len(self.pam)
        return 2 * site, 2 * site

    def bare(self, query: str) -> str:
        """Return the guide that a list of another program means, whose queries have their PAM."""
        return self._parted(query)[0]

    def without_pam_span(self, start: int, end: int, strand: int) -> tuple[int, int]:
        """Return start and end of a site without its PAM."""
        size = len(self.pam)
        return (start, end - size) if self.behind(strand) else (start + size, end)

    def only_end(self, strand: int) -> Literal["", "start", "end"]:
        """Return the end that identifies a site: that at its PAM, since bulges decide the other one."""
        return "end" if self.behind(strand) else "start"

    def former_meaning(self, sentence: str) -> str:
        """Return the different meaning of the rule in earlier versions; empty if it is the same."""
        former = (self.dna_bulges or self.rna_bulges) and sentence.startswith(_BOTH_STRANDS)
        return "lists a site of a guide in each of its readings" if former else ""

    def reworded(self, sentence: str) -> str:
        """Return a sentence of earlier versions as this one words it."""
        if not sentence.startswith(_BOTH_STRANDS):
            return sentence
        return f"Every site {sentence.removeprefix(_BOTH_STRANDS)} Both strands are searched."
