"""What a search with frameshifts is asked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN, Alphabet
from swgui.core.database import EncodedDatabase
from swgui.core.errors import InvalidParameter
from swgui.core.records import SequenceRecord
from swgui.core.scoring import GAP_LIMIT, ScoringScheme
from swgui.core.translation.genetic_codes import STANDARD, genetic_code
from swgui.engines.base import EngineOptions

DEFAULT_SHIFT: Final = 15  # what DIAMOND's manual proposes for long reads, with BLOSUM62 and 11/1
STRANDS: Final = {"both": (1, -1), "plus": (1,), "minus": (-1,)}


@dataclass(frozen=True, slots=True)
class ShiftedRequest:
    """One search: proteins against DNA, or DNA against proteins.

    Parameters
    ----------
    queries : tuple of SequenceRecord
    alphabet : Alphabet
        Of the queries.
    database : EncodedDatabase
        Of the other kind.
    scheme : ScoringScheme
        Of proteins.
    shift : int
        Cost of a frameshift, 1 to 1,000,000.
    code : int
        Number of the genetic code.
    strand : {"both", "plus", "minus"}
        Of the DNA.
    max_evalue : float
    top : int
        Hits of a query at most.
    engine : str
        One of `swgui.engines.shifted.ENGINES`, or ``auto``.
    options : EngineOptions

    Raises
    ------
    InvalidParameter
        If it cannot be carried out.
    """

    queries: tuple[SequenceRecord, ...]
    alphabet: Alphabet
    database: EncodedDatabase = field(repr=False)
    scheme: ScoringScheme
    shift: int = DEFAULT_SHIFT
    code: int = STANDARD
    strand: str = "both"
    max_evalue: float = 10.0
    top: int = 500
    engine: str = "auto"
    options: EngineOptions = field(default_factory=EngineOptions)

    def __post_init__(self) -> None:
        genetic_code(self.code)
        kinds = {self.alphabet.name, self.database.alphabet.name}
        if kinds != {PROTEIN.name, NUCLEOTIDE.name}:
            raise InvalidParameter(
                "database",
                self.database.name,
                f"Frameshifts are between proteins and DNA, but queries and database are of the kind '{kinds.pop()}'.",
                hint="Give proteins and DNA, in either order.",
            )
        if not 1 <= self.shift <= GAP_LIMIT:
            raise InvalidParameter(
                "frameshift", self.shift, f"A frameshift cannot cost {self.shift}.", hint=f"Give 1 to {GAP_LIMIT:,}."
            )
        if not self.max_evalue > 0:
            raise InvalidParameter(
                "evalue", self.max_evalue, f"No hit has an E of {self.max_evalue:g} or less.", hint="Give one above 0."
            )
        if self.top < 1:
            raise InvalidParameter(
                "top", self.top, f"{self.top} hits of a query would be none.", hint="Give 1 or more."
            )

    @property
    def protein_query(self) -> bool:
        """Whether the queries are proteins."""
        return self.alphabet.name == PROTEIN.name

    @property
    def strands(self) -> tuple[int, ...]:
        """Strands of the DNA that are read."""
        return STRANDS[self.strand]
