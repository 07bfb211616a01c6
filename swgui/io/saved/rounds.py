"""Rounds of iterated searches inside saved searches.

Of all rounds of all queries, concatenated: ``rounds/db_index.npy`` and ``rounds/log10_evalues.npy`` of their
hits, ``rounds/included.npy``. Of the last round of each query the alignment: ``rounds/codes.npy``, residue codes of its
rows, and ``rounds/rows.json``, the rest. Where further evidence was looked for, ``rounds/evidence.json``: of each query
what is known of which subjects.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import nan
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet
from swgui.core.hits.results import QueryResult
from swgui.core.hits.rounds import Ended, QueryRounds, Round
from swgui.core.plain import Count, from_plain, plain
from swgui.core.profiles.alignment import DELETION, AlignedRow, MasterAlignment
from swgui.core.profiles.bases import SearchedBases
from swgui.core.profiles.evidence import Evidence, TwoStepPath
from swgui.core.profiles.recipe import Recipe
from swgui.core.records import SequenceRecord
from swgui.core.score_profile import ScoreProfile
from swgui.io.saved.pack import PackReader, PackWriter, damaged

_INDEX: Final = {"rounds/db_index.npy": "<i8", "rounds/log10_evalues.npy": "<f8", "rounds/included.npy": "<i8"}

_FIGURES: Final = ("effective_sequences", "seconds", "coverage", "information", "beyond")  # of a `Round`, in its order


_NUMBERS: Final = ("profile_bits", "profile_log10_evalue", "forward_bits", "forward_log10_evalue")
_ASKED: Final = (
    "max_rows",
    "include_ids",
    "exclude_ids",
    "from_profile",
    "bases",
)  # of `QueryRounds`
_EVIDENCE: Final = "rounds/evidence.json"


@dataclass(frozen=True, slots=True)
class RoundFacts:
    """A round: how many hits it had and included, and what is known of its profile."""

    hits: Count
    included: Count
    effective_sequences: float = 1.0
    seconds: float = 0.0
    coverage: float | None = None
    information: float | None = None
    beyond: tuple[Count, ...] = ()

    @classmethod
    def of(cls, iteration: Round) -> RoundFacts:
        """Return the record of a round, apart from arrays."""
        figures = (getattr(iteration, name) for name in _FIGURES)
        return cls(len(iteration.db_index), len(iteration.included), *figures)


@dataclass(frozen=True, slots=True)
class RoundsFacts:
    """The rounds of a query; `rows` of the alignment of the last one, the query among them."""

    rounds: tuple[RoundFacts, ...]
    rows: Count
    ended: Ended | Literal["nobody"]  # see `ending`
    database: str = ""
    recipe: Recipe = field(default_factory=Recipe)
    inclusion: float | None = None
    max_rows: Count = 0
    include_ids: tuple[str, ...] = ()
    exclude_ids: tuple[str, ...] = ()
    from_profile: bool = False
    bases: SearchedBases | None = None

    @classmethod
    def of(cls, rounds: QueryRounds) -> RoundsFacts:
        """Return the record of rounds, apart from arrays."""
        facts = tuple(map(RoundFacts.of, rounds.rounds))
        by = _known(rounds.inclusion), *(getattr(rounds, name) for name in _ASKED)
        return cls(facts, len(rounds.last.alignment), rounds.ended, rounds.database, rounds.recipe, *by)

    @property
    def ending(self) -> Ended:
        """Reason why there are no more rounds."""
        # Files of earlier builds have another word for "none".
        return "none" if self.ended == "nobody" else self.ended

    @property
    def asked(self) -> dict[str, Any]:
        """Whom the rounds were to include, as `QueryRounds` has it."""
        inclusion = nan if self.inclusion is None else self.inclusion
        return {"inclusion": inclusion} | {name: getattr(self, name) for name in _ASKED}


@dataclass(frozen=True, slots=True)
class _EvidenceFacts:
    """The evidence of a subject, by its source index; NaN becomes nothing."""

    db_index: Count
    profile_bits: float | None
    profile_log10_evalue: float | None
    forward_bits: float | None
    forward_log10_evalue: float | None
    path: TwoStepPath | None

    @classmethod
    def of(cls, db_index: int, evidence: Evidence) -> _EvidenceFacts:
        """Return the record of evidence."""
        bits, evalue, forward_bits, forward_evalue = map(_known, (getattr(evidence, name) for name in _NUMBERS))
        return cls(db_index, bits, evalue, forward_bits, forward_evalue, evidence.path)

    def evidence(self) -> Evidence:
        """Return the argument of `of`."""
        numbers = {name: value for name in _NUMBERS if (value := getattr(self, name)) is not None}
        return Evidence(**numbers, path=self.path)


@dataclass(frozen=True, slots=True)
class _RowFacts:
    """A row of an alignment, apart from its codes; insertions by column, as text."""

    id: str
    description: str
    start: Count
    log10_evalue: float | None
    insertions: dict[str, str]
    strand: int = 1


def write_rounds(pack: PackWriter, queries: Sequence[QueryResult]) -> None:
    """Write the rounds of those queries that have some; nothing if none has."""
    every = [query.rounds for query in queries if query.rounds is not None]
    if not every:
        return
    rounds = [iteration for of_query in every for iteration in of_query.rounds]
    for name, dtype in _INDEX.items():
        field = name.removeprefix("rounds/").removesuffix(".npy")
        pack.array(name, np.concatenate([getattr(iteration, field) for iteration in rounds]).astype(dtype))
    alignments = [of_query.last.alignment for of_query in every]
    pack.array(
        "rounds/codes.npy", np.concatenate([alignment.codes.reshape(-1) for alignment in alignments]).astype("|u1")
    )
    rows = [_row_facts(row) for alignment in alignments for row in alignment.rows]
    pack.text("rounds/rows.json", json.dumps(rows).encode("ascii"))
    if any(of_query.evidence for of_query in every):
        evidence = [[_EvidenceFacts.of(*of_query) for of_query in sorted(item.evidence.items())] for item in every]
        pack.text(_EVIDENCE, json.dumps(plain(evidence)).encode("ascii"))


def _known(value: float) -> float | None:
    """Return a number, None for NaN, which JSON does not have."""
    return None if np.isnan(value) else value


def _row_facts(row: AlignedRow) -> dict[str, Any]:
    insertions = {str(column): residues.decode("ascii") for column, residues in row.insertions.items()}
    return {
        "id": row.id,
        "description": row.description,
        "start": row.start,
        "log10_evalue": _known(row.log10_evalue),
        "insertions": insertions,
        **({"strand": row.strand} if row.strand != 1 else {}),
    }


def read_rounds(
    pack: PackReader,
    facts: Sequence[RoundsFacts | None],
    records: Sequence[SequenceRecord],
    starts: Sequence[ScoreProfile | None],
    alphabet: Alphabet,
) -> list[QueryRounds | None]:
    """Return the rounds of every query; only the last of each has its alignment, and the first and the last a profile.

    Parameters
    ----------
    starts : sequence of ScoreProfile or None
        What the first round of each query searched with.
    """
    if not any(facts):
        return [None] * len(facts)
    every = [r for fact in facts if fact is not None for r in fact.rounds]
    hits, included = sum(r.hits for r in every), sum(r.included for r in every)
    sizes = dict(zip(_INDEX, (hits, hits, included), strict=True))
    arrays = [pack.array(name, dtype, (sizes[name],)) for name, dtype in _INDEX.items()]
    alignments, evidence = _read_alignments(pack, facts, records, alphabet), _read_evidence(pack, facts)
    result: list[QueryRounds | None] = []
    first = member = 0
    for fact, record, start in zip(facts, records, starts, strict=True):
        if fact is None:
            result.append(None)
            continue
        if not fact.rounds:
            raise damaged(pack.path, "an iterated search has no round")
        rounds, alignment = [], next(alignments)
        for number, round_facts in enumerate(fact.rounds, start=1):
            last = number == len(fact.rounds)
            listed, taken = slice(first, first + round_facts.hits), slice(member, member + round_facts.included)
            first, member = listed.stop, taken.stop
            rounds.append(
                Round(
                    arrays[0][listed],
                    arrays[1][listed],
                    arrays[2][taken],
                    record.profile if last else start if number == 1 else None,
                    alignment if last else alignment.with_rows(()),
                    *(getattr(round_facts, name) for name in _FIGURES),
                )
            )
        about = fact.ending, fact.database, fact.recipe, next(evidence)
        result.append(QueryRounds(tuple(rounds), *about, **fact.asked))
    return result


def _read_evidence(pack: PackReader, facts: Sequence[RoundsFacts | None]) -> Iterator[dict[int, Evidence]]:
    """Return further evidence of subjects, of each query that has rounds."""
    number = sum(fact is not None for fact in facts)
    if _EVIDENCE not in pack:
        return iter([{}] * number)
    evidence = from_plain(list[list[_EvidenceFacts]], json.loads(pack.text(_EVIDENCE)))
    if len(evidence) != number:
        raise damaged(pack.path, "further evidence is of other queries")
    return iter([{item.db_index: item.evidence() for item in of_query} for of_query in evidence])


def _read_alignments(
    pack: PackReader, facts: Sequence[RoundsFacts | None], records: Sequence[SequenceRecord], alphabet: Alphabet
) -> Iterator[MasterAlignment]:
    shapes = [(fact.rows, len(record.residues)) for fact, record in zip(facts, records, strict=True) if fact]
    codes = pack.array("rounds/codes.npy", "|u1", (sum(rows * columns for rows, columns in shapes),))
    if len(codes) and bool(((codes >= len(alphabet)) & (codes < DELETION)).any()):
        raise damaged(pack.path, "an alignment has residues that do not exist")
    facts_of_rows = from_plain(list[_RowFacts], json.loads(pack.text("rounds/rows.json")))
    if len(facts_of_rows) != sum(rows for rows, _ in shapes):
        raise damaged(pack.path, "an alignment has rows without a name")
    start = row = 0
    for count, columns in shapes:
        block = codes[start : start + count * columns].reshape(count, columns)
        named = facts_of_rows[row : row + count]
        start, row = start + count * columns, row + count
        yield MasterAlignment(alphabet, tuple(_row(*pair) for pair in zip(named, block, strict=True)))


def _row(fact: _RowFacts, codes: NDArray[np.uint8]) -> AlignedRow:
    insertions = {int(column): residues.encode("ascii") for column, residues in fact.insertions.items()}
    evalue = float("nan") if fact.log10_evalue is None else fact.log10_evalue
    return AlignedRow(fact.id, fact.description, codes.copy(), insertions, fact.start, evalue, fact.strand)
