"""Request of a search by rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN, Alphabet
from swgui.core.engines import EngineOptions
from swgui.core.errors import InvalidParameter, SequenceError
from swgui.core.records import SequenceRecord
from swgui.core.rules.asked import groups, letter_remarks, refuse_unmet, repaired, unmet
from swgui.core.rules.base import Rule
from swgui.core.rules.matching import ONE_MASS, Ambiguity, match_table
from swgui.core.rules.rule import RULES
from swgui.core.translation.frames import frame_sizes, write_frames
from swgui.core.translation.genetic_codes import STANDARD, genetic_code
from swgui.core.words import agree

BOTH: Final = "both"
PLUS: Final = "plus"


@dataclass(frozen=True, slots=True)
class RuleRequest:
    """A rule, its queries and the database.

    Raises
    ------
    SequenceError, InvalidParameter
        If the rule does not accept these queries.
    """

    rule: Rule
    queries: tuple[SequenceRecord, ...] = field(repr=False)  # primers stand in pairs, forward and reverse
    alphabet: Alphabet
    database: str  # path of any file that can be searched
    ambiguity: Ambiguity = "strict"
    equate_il: bool = False  # whether isoleucine and leucine of proteins are the same residue
    strands: str = BOTH  # or `PLUS` to leave out reverse complements; of proteins there is one
    engine: str = "auto"  # ``"cpu"`` or ``"cuda"``, or ``"auto"``
    # Frames of the translated database, of `swgui.core.translation.frames.FRAMES`; empty if it is not translated
    frames: tuple[int, ...] = ()
    code: int = STANDARD  # genetic code of the database, by NCBI's number
    circular: bool = False  # whether all records of the database are read as circular, whatever its file says
    # as_given, with_pam, repairs: the original queries, the changes of `given`, and a sentence for each kind of change
    as_given: tuple[SequenceRecord, ...] = field(default=(), repr=False)
    with_pam: str = "auto"
    repairs: tuple[str, ...] = ()
    options: EngineOptions = field(default_factory=EngineOptions, hash=False)  # its devices and threads

    @classmethod
    def given(
        cls,
        rule: Rule,
        queries: Sequence[SequenceRecord],
        alphabet: Alphabet,
        database: str,
        with_pam: str = "auto",
        **manner: Any,
    ) -> Self:
        """Return a request of queries as a user gives them, which are repaired where they need it.

        Parameters
        ----------
        with_pam : {"auto", "yes", "no"}
            Whether guides are written with their PAM.
        **manner
            Other fields.

        Raises
        ------
        SequenceError, InvalidParameter
            Also if no place could meet the rule, or a guide may be written with its PAM or without.
        """
        made, repairs = repaired(rule, queries, alphabet, with_pam)
        before = tuple(queries) if repairs else ()
        request = cls(rule, made, alphabet, database, as_given=before, with_pam=with_pam, repairs=repairs, **manner)
        refuse_unmet(rule, request.names, request.unmet)
        return request

    def __post_init__(self) -> None:
        if not self.queries:
            raise SequenceError("There is no query.", hint="Give one or more sequences.")
        if self.rule.nucleotides and self.alphabet.name != NUCLEOTIDE.name:
            raise SequenceError(
                f"{self.rule.name.capitalize()} are nucleotide sequences, but these are {self.alphabet.name}.",
                hint="If they are, say so with --type nucleotide.",
            )
        if self.rule.paired and len(self.queries) % 2:
            raise SequenceError(
                f"Primers come in pairs, but {len(self.queries)} {agree(len(self.queries), 'was', 'were')} given.",
                hint="Give a forward and a reverse primer for each pair, one after the other.",
            )
        if self.equate_il and self.alphabet.name != PROTEIN.name:
            raise InvalidParameter(
                "equate_il",
                True,
                f"Isoleucine and leucine are residues of proteins, and the queries are {self.alphabet.name}.",
                hint="Leave out --equate-il, or say --type protein if they are proteins.",
            )
        self._check_strands()
        self._check_frames()
        if self.circular and not self.reads_circles:
            raise InvalidParameter(
                "circular",
                True,
                f"The rule '{self.rule.name}' does not read the records of this database as circular.",
                hint="Circular are records of nucleotides; identities over the query are not counted across an origin.",
            )
        for record in self.queries:
            self.rule.check_query(record.id, len(record.residues))

    def _check_strands(self) -> None:
        if self.strands not in (BOTH, PLUS):
            raise InvalidParameter("strands", self.strands, f"Strands are 'both' or 'plus', not '{self.strands}'.")
        if self.strands == PLUS and self.rule.paired:
            raise InvalidParameter(
                "strands",
                self.strands,
                "The two primers of a pair stand on opposite strands, so that both strands are searched.",
                hint="Leave out the strand.",
            )
        if self.strands == PLUS and self.alphabet.name != NUCLEOTIDE.name:
            raise InvalidParameter(
                "strands",
                self.strands,
                f"Queries that are {self.alphabet.name} have no strands to choose from.",
                hint="Leave out the strand; --frames chooses the frames of a translated database.",
            )

    def _check_frames(self) -> None:
        genetic_code(self.code)
        if not self.frames:
            return
        if not self.rule.translated:
            *names, last = (name for name, rule in RULES.items() if rule.translated)
            raise InvalidParameter(
                "frames",
                write_frames(self.frames),
                f"The rule '{self.rule.name}' does not take a translated database.",
                hint=f"{', '.join(names).capitalize()} and {last} do.",
            )
        if self.alphabet.name != PROTEIN.name:
            raise InvalidParameter(
                "frames",
                write_frames(self.frames),
                f"A database is translated for queries of proteins, but these are {self.alphabet.name}.",
                hint="Leave out the frames, or say --type protein if they are proteins.",
            )

    @property
    def database_alphabet(self) -> Alphabet:
        """The kind of sequence of the database."""
        return NUCLEOTIDE if self.frames else self.alphabet

    def scanned_lengths(self, lengths: NDArray[Any]) -> NDArray[np.int64]:
        """Return the lengths of the scanned sequences of subjects: their own, or those of their frames in turn."""
        return frame_sizes(lengths, self.frames) if self.frames else np.asarray(lengths, np.int64)

    def sentence(self) -> str:
        """Return the rule in words, which strands are searched, and how the database is translated."""
        sentence = self.rule.sentence()
        if self.equate_il:
            sentence = f"{sentence} Isoleucine and leucine count as the same residue."
        if self.frames:
            frames = ", ".join(map(str, self.frames))
            return f"{sentence} Frames {frames} of each subject are translated (genetic code {self.code})."
        if self.alphabet.name != NUCLEOTIDE.name or self.rule.paired:
            return sentence
        return f"{sentence} {'Both strands are' if self.both_strands else 'Only the plus strand is'} searched."

    def match_table(self) -> NDArray[np.bool_]:
        """Return the table of the symbols of queries that match symbols of subjects, as the rule reads them."""
        return match_table(self.alphabet, self.ambiguity, pattern=self.rule.paired, equate_il=self.equate_il)

    @property
    def both_strands(self) -> bool:
        """Whether reverse complements are searched, too."""
        return self.alphabet.name == NUCLEOTIDE.name and self.strands == BOTH

    @property
    def reads_circles(self) -> bool:
        """True if the search includes places across the origin of circular records."""
        return self.database_alphabet.name == NUCLEOTIDE.name and self.rule.crosses_origins

    @property
    def is_allergen_check(self) -> bool:
        """Whether the figure of FASTA and the background belong to the result."""
        return self.rule.background and self.alphabet.name == PROTEIN.name

    @property
    def names(self) -> Sequence[str]:
        """Name of each query, as places count them: of pairs for primers."""
        return ["/".join(record.id for record in group) for group in groups(self.rule, self.queries)]

    @property
    def unmet(self) -> dict[int, str]:
        """Reasons why no place could meet the rule, for the queries known to be so, by their numbers."""
        return unmet(self.rule, self.queries, self.alphabet, self.ambiguity)

    @property
    def remarks(self) -> list[str]:
        """Notes on the queries.

        Repairs, identical queries, and queries with residues that match little or nothing.
        """
        if self.rule.paired:
            return [*self.repairs]
        same: dict[bytes, list[str]] = {}
        one = bytes.maketrans(ONE_MASS.encode(), b"I" * len(ONE_MASS)) if self.equate_il else None
        for record in self.queries:
            same.setdefault(record.residues.translate(one), []).append(record.id)
        letters = letter_remarks(
            self.rule, self.queries, self.alphabet, self.ambiguity, ONE_MASS if self.equate_il else ""
        )
        remarks, of_one_mass = [*self.repairs, *letters], ", I and L taken as one" if self.equate_il else ""
        remarks += [
            f"{len(ids):,} queries are the same sequence{of_one_mass} ({', '.join(ids[:3])}"
            f"{'…' if len(ids) > 3 else ''}); places are listed for each."
            for ids in same.values()
            if len(ids) > 1
        ]
        return remarks
