"""One hit, and one alignment, as users look at them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from operator import getitem
from pickle import PicklingError
from typing import Any

from swgui.core.alignment import AlignmentCounts
from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.errors import InvalidParameter
from swgui.core.hits import table
from swgui.core.pair.result import PairAlignment, PairResult
from swgui.core.scoring import ScoringScheme
from swgui.core.table import Value
from swgui.core.translation.frames import directions
from swgui.io.export.columns import choose_columns
from swgui.io.export.getters import cigars
from swgui.io.export.pairs import alignment_of_pair, windows
from swgui.io.export.rows import AlignedRows, aligned_rows, join_of, span, subject_parts
from swgui.io.export.text import alignment_text, pairwise_text
from swgui.library.frames import evalue_of, value_of
from swgui.library.notebook import in_html
from swgui.library.values import needed


@dataclass(frozen=True)
class Alignment:
    """One exact local alignment of a query with a subject.

    Positions here are half-open ranges from 0, as slices of Python; the columns of tables (``qstart``, ``send``) count
    from 1, as BLAST does: ``query_start`` is ``qstart - 1`` and ``query_end`` is ``qend``.

    Parameters
    ----------
    score : int
        Added up again from the residues.
    bit_score, log10_evalue : float
        NaN where no statistics are known.
    strand : int
        1, or -1 if the reverse complement of the query is aligned; of a translated search the strand that was read of
        the subject, or of the query where that alone is translated.
    query_start, query_end, subject_start, subject_end : int
        Half-open ranges from 0 in both sequences as they were given, so that ``sequence[start:end]`` is
        aligned; on strand -1 one of the two is reverse-complemented. Bases of what was translated. Of an alignment
        across the origin of a circular record `subject_end` counts from the origin: the aligned part is
        ``sequence[start:] + sequence[:end]``.
    cigar : str
        Runs of M (pair), I (residues of the query alone) and D (of the subject alone); codons in a translated search.
        With frameshifts also F (skipped bases) and R (bases read twice).
    counts : AlignmentCounts
        Columns, identities, positives, mismatches and gaps, named as in BLAST's tables.
    query_frame, subject_frame : int
        Frames that are aligned, -1 to -3 on the opposite strand; 0 for what is not translated.
    join : str
        Where the alignment lies across the origin of a circular record, ``"join(98..100,1..5)"``; else empty.
    """

    query_id: str
    subject_id: str
    score: int
    bit_score: float = field(compare=False)  # as below: it follows from the others, and NaN equals nothing
    log10_evalue: float = field(compare=False)
    strand: int
    query_start: int
    query_end: int
    subject_start: int
    subject_end: int
    cigar: str
    counts: AlignmentCounts
    _rows: Callable[[], AlignedRows] = field(repr=False, compare=False)
    _text: Callable[[], str] = field(repr=False, compare=False)
    query_frame: int = 0
    subject_frame: int = 0
    join: str = ""
    _nucleotides: bool = field(default=False, repr=False)

    @property
    def evalue(self) -> float:
        """E-value; NaN where no statistics are known, 0.0 below 1e-308 (see `log10_evalue`)."""
        return evalue_of(self.log10_evalue)

    @property
    def identity(self) -> float:
        """Identities in percent of the columns."""
        return self.counts.pident

    @cached_property
    def rows(self) -> AlignedRows:
        """The residues in columns, with ``-`` in gaps: ``rows.query``, ``rows.match`` and ``rows.subject``."""
        return self._rows()

    @cached_property
    def text(self) -> str:
        """The alignment as text, in the layout of BLAST's report."""
        return self._text()

    def to_biopython(self) -> Any:
        """Alignment as a ``Bio.Align.Alignment``, the subject as its target and the query as its query.

        Its sequences are the aligned parts alone, with ``start`` and ``end`` (half-open, from 0) and ``strand`` among
        their annotations.

        Raises
        ------
        MissingPackage
            If Biopython is not installed.
        InvalidParameter
            If the alignment has frameshifts.
        """
        query, subject = self._gapped()
        align, seq, record = (needed(f"Bio.{name}") for name in ("Align", "Seq", "SeqRecord"))
        parts, coordinates = align.Alignment.parse_printed_alignment([subject.encode(), query.encode()])
        places = (
            (self.subject_id, self.subject_start, self.subject_end),
            (self.query_id, self.query_start, self.query_end),
        )
        sequences = []
        for part, (name, start, end) in zip(parts, places, strict=True):
            facts = {"start": start, "end": end, "strand": self.strand}
            sequences.append(record.SeqRecord(seq.Seq(part), id=name, description="", annotations=facts))
        made = align.Alignment(sequences, coordinates)
        made.score = self.score
        return made

    def to_biotite(self) -> Any:
        """Alignment as a ``biotite.sequence.align.Alignment`` of the aligned parts of query and subject.

        Raises
        ------
        MissingPackage
            If biotite is not installed.
        InvalidParameter
            If the alignment has frameshifts.
        """
        rows = self._gapped()
        sequence, align = needed("biotite.sequence"), needed("biotite.sequence.align")
        kind = sequence.NucleotideSequence if self._nucleotides else sequence.ProteinSequence
        trace = align.Alignment.trace_from_strings(list(rows))
        return align.Alignment([kind(row.replace("-", "")) for row in rows], trace, self.score)

    def _gapped(self) -> tuple[str, str]:
        """Return the rows of query and subject; `InvalidParameter` where other packages have no form for them."""
        if self.counts.frameshifts:
            hint = "Write it with Hits.write, or read its `rows`."
            raise InvalidParameter("alignment", self.cigar, "Other packages have no frameshifts.", hint=hint)
        return self.rows.query, self.rows.subject

    def __reduce__(self) -> tuple[Any, ...]:
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        return _pickled, ({**values, "_rows": None, "_text": None}, self.rows, self.text)

    def __len__(self) -> int:
        """Return the number of columns."""
        return self.counts.length

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return in_html(self.text)


def _pickled(values: dict[str, Any], rows: AlignedRows, text: str) -> Alignment:
    """Return the alignment that was pickled."""
    return Alignment(**{**values, "_rows": lambda: rows, "_text": lambda: text})


def of_hit(row: table.Hit, scheme: ScoringScheme) -> Alignment | None:
    """Return the alignment of one row of a hit; None without one."""
    ends = span(row)
    if ends is None or row.counts is None:
        return None
    start, end = sorted((ends.query_start, ends.query_end))
    parts = subject_parts(row)
    return Alignment(
        query_id=row.query_record.id,
        subject_id=row.subject.id,
        score=row.score,
        bit_score=row.bit_score,
        log10_evalue=row.log10_evalue,
        strand=int(directions(row.strand)),
        query_start=start - 1,
        query_end=end,
        subject_start=parts[0][0] - 1,
        subject_end=parts[-1][1],
        cigar=cigars(row.table.take_line(row.line))[0],
        counts=row.counts,
        _rows=lambda: aligned_rows(row, scheme),
        _text=lambda: alignment_text(row, scheme).strip("\n") + "\n",
        query_frame=row.frames[0],
        subject_frame=row.frames[1],
        _nucleotides=scheme.alphabet is NUCLEOTIDE,
        join=join_of(row),
    )


def of_pair(result: PairResult, hsp: PairAlignment) -> Alignment:
    """Return one alignment of a pair."""

    def rows() -> AlignedRows:
        parts = list(windows(result, hsp))
        return AlignedRows(*("".join(getattr(part, name) for part in parts) for name in ("query", "middle", "subject")))

    start, end = hsp.query_range(result.query_length)
    return Alignment(
        query_id=result.query.id,
        subject_id=result.subject.id,
        score=hsp.score,
        bit_score=hsp.bit_score,
        log10_evalue=hsp.log10_evalue,
        strand=1 if hsp.strand == "plus" else -1,
        query_start=start,
        query_end=end,
        subject_start=hsp.alignment.subject_start,
        subject_end=hsp.alignment.subject_end,
        cigar=hsp.alignment.cigar,
        counts=hsp.counts,
        _rows=rows,
        _text=lambda: alignment_of_pair(result, hsp),
        _nucleotides=result.scheme.alphabet is NUCLEOTIDE,
    )


class Hit:
    """One subject that a query found.

    Its numbers are there at once; it is aligned on first use of `alignment`, or of a column that needs it.
    ``hit["pident"]`` gives any of the columns of tables, by name.

    Parameters
    ----------
    describe : callable
        Returns the hit, aligned if it is called with True.
    scheme : ScoringScheme
    alone : callable, optional
        Returns a list of this hit alone, which is pickled for it.
    """

    def __init__(
        self,
        describe: Callable[[bool], table.Hit],
        scheme: ScoringScheme,
        alone: Callable[[], Sequence[Hit]] | None = None,
    ) -> None:
        self._describe, self._scheme, self._alone = describe, scheme, alone

    def __reduce__(self) -> tuple[Any, ...]:
        if self._alone is None:
            raise PicklingError(f"'{self.id}' is not in the list of hits: only listed hits can be pickled.")
        return getitem, (self._alone(), 0)

    @cached_property
    def _plain(self) -> table.Hit:
        return self._whole if "_whole" in vars(self) else self._describe(False)

    @cached_property
    def _whole(self) -> table.Hit:
        return self._describe(True)

    @property
    def query_id(self) -> str:
        """Identifier of the query."""
        return self._plain.query_record.id

    @property
    def id(self) -> str:
        """Identifier of the subject."""
        return self._plain.subject.id

    @property
    def description(self) -> str:
        """Other facts in its header."""
        return self._plain.subject.description

    @property
    def sequence(self) -> str:
        """Residues of the subject."""
        return self._plain.subject.residues.decode("ascii")

    @property
    def length(self) -> int:
        """Number of these residues."""
        return len(self._plain.subject.residues)

    @property
    def rank(self) -> int:
        """Place among the subjects of its query, from 1."""
        return self._plain.rank

    @property
    def score(self) -> int:
        """Exact Smith-Waterman score."""
        return self._plain.score

    @property
    def bit_score(self) -> float:
        """Bit score; NaN where no statistics are known."""
        return self._plain.bit_score

    @property
    def evalue(self) -> float:
        """E-value; NaN where no statistics are known, 0.0 below 1e-308 (see `log10_evalue`)."""
        return evalue_of(self._plain.log10_evalue)

    @property
    def log10_evalue(self) -> float:
        """Decadic logarithm of the E-value, which never underflows."""
        return self._plain.log10_evalue

    @property
    def strand(self) -> int:
        """1, or -1 if the reverse complement of the query scored."""
        return int(directions(self._plain.strand))

    @property
    def alignment(self) -> Alignment:
        """The best alignment."""
        return self.alignments[0]

    @cached_property
    def alignments(self) -> tuple[Alignment, ...]:
        """All alignments within the limits of the search, best first; no two share an aligned pair of residues."""
        rows = (of_hit(row, self._scheme) for row in self._whole.rows())
        return tuple(alignment for alignment in rows if alignment is not None)

    @property
    def text(self) -> str:
        """Header and all alignments as text, in the layout of BLAST's report."""
        return pairwise_text(self._whole, self._scheme).lstrip("\n")

    def __getitem__(self, column: str) -> Value:
        """Return the value of a column; None where it is not known. `InvalidParameter` if there is no such column."""
        (chosen,) = choose_columns([column])
        hit = self._whole if chosen.late else self._plain
        return value_of(chosen, chosen.of(hit))

    def __eq__(self, other: object) -> bool:
        """Whether both are one subject with one score, in one place of the list of one query."""
        return self._facts == other._facts if isinstance(other, Hit) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._facts)

    @property
    def _facts(self) -> tuple[object, ...]:
        plain = self._plain
        record, subject = plain.query_record, plain.subject
        return record.id, record.residues, subject.id, subject.residues, plain.score, int(plain.strand), plain.rank

    def __repr__(self) -> str:
        return f"<Hit {self.rank} of {self.query_id}: {self.id}, score {self.score}, E {self.evalue:.3g}>"

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return in_html(self.text)
