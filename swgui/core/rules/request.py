"""What is asked of a search by rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from swgui.core.alphabet import NUCLEOTIDE, Alphabet
from swgui.core.errors import InvalidParameter, SequenceError
from swgui.core.records import SequenceRecord
from swgui.core.rules.matching import Ambiguity
from swgui.core.rules.rule import Guides, Primers, Rule


@dataclass(frozen=True, slots=True)
class RuleRequest:
    """A rule, its queries and the database.

    Parameters
    ----------
    queries : tuple of SequenceRecord
        Primers stand in pairs, forward and reverse.
    database : str
        Path of any file that can be searched.
    strands : str
        ``"both"``, or ``"plus"`` to leave out reverse complements; of proteins there is one.
    engine : str
        ``"cpu"`` or ``"cuda"``, or ``"auto"``.

    Raises
    ------
    SequenceError, InvalidParameter
        If the rule cannot be asked of these queries.
    """

    rule: Rule
    queries: tuple[SequenceRecord, ...] = field(repr=False)
    alphabet: Alphabet
    database: str
    ambiguity: Ambiguity = "strict"
    strands: str = "both"
    engine: str = "auto"

    def __post_init__(self) -> None:
        if not self.queries:
            raise SequenceError("There is no query.", hint="Give one or more sequences.")
        if isinstance(self.rule, Guides | Primers) and self.alphabet.name != NUCLEOTIDE.name:
            raise SequenceError(
                f"{self.rule.name.capitalize()} are nucleotide sequences, but these are {self.alphabet.name}.",
                hint="If they are, say so with --type nucleotide.",
            )
        if isinstance(self.rule, Primers) and len(self.queries) % 2:
            raise SequenceError(
                f"Primers come in pairs, but there are {len(self.queries)}.",
                hint="Give a forward and a reverse primer for each pair, one behind the other.",
            )
        if self.strands not in ("both", "plus"):
            raise InvalidParameter("strands", self.strands, f"Strands are 'both' or 'plus', not '{self.strands}'.")
        for record in self.queries:
            self.rule.check_query(record.id, len(record.residues))

    @property
    def both_strands(self) -> bool:
        """Whether reverse complements are searched, too; of guides and primers always."""
        nucleotide = self.alphabet.name == NUCLEOTIDE.name
        return nucleotide and (self.strands == "both" or isinstance(self.rule, Guides | Primers))

    @property
    def names(self) -> Sequence[str]:
        """Name of each query, as places count them: of pairs for primers."""
        ids = [record.id for record in self.queries]
        if isinstance(self.rule, Primers):
            return [f"{forward}/{reverse}" for forward, reverse in zip(ids[::2], ids[1::2], strict=True)]
        return ids

    @property
    def notes(self) -> list[str]:
        """What should be known of the queries: those that are the same sequence, and those that can match nothing."""
        if isinstance(self.rule, Primers):
            return []
        same: dict[bytes, list[str]] = {}
        for record in self.queries:
            same.setdefault(record.residues, []).append(record.id)
        notes = [
            f"{len(ids):,} queries are the same sequence ({', '.join(ids[:3])}{'…' if len(ids) > 3 else ''}); "
            "places are listed for each."
            for ids in same.values()
            if len(ids) > 1
        ]
        wildcard = self.alphabet.wildcard.encode()
        if self.ambiguity != "wild":
            notes += [
                f"Query {ids[0]} is all {self.alphabet.wildcard}, which matches nothing here."
                for residues, ids in same.items()
                if residues == wildcard * len(residues)
            ]
        return notes
