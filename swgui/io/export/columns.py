"""The columns of hits: one record each, for the window, every export, imported tables and the manual."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from swgui.core.hits.results import Hit, SearchResult
from swgui.core.hits.table import HitTable
from swgui.core.organisms.tree import LINEAGE
from swgui.core.verdict.kinds import explain_kinds
from swgui.core.words import format_evalue
from swgui.io.export import getters as get
from swgui.io.export.getters import EVALUE_DIGITS, FromHeader, FromOrganism, Value, Values, values_of
from swgui.io.export.values import are_plain, clean_text, evalue_texts, mapped

Kind = Literal["text", "integer", "real", "evalue"]
Source = Literal["search", "header", "marks", "fit", "alignment"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column of hits, with all that tables, exports and the manual say of it.

    Parameters
    ----------
    key : str
        Name in files and on the command line, as in BLAST where BLAST has the column.
    title : str
        Full name for people.
    description : str
        One or two sentences: what it is and how it is counted.
    kind : {"text", "integer", "real", "evalue"}
        ``evalue`` columns give log10(E) as their value and E as their text.
    source : {"search", "header", "marks", "fit", "alignment"}
        What `value` looks at: what the search found; only id and description of the subject; only what the user noted;
        the fit to the scores of the search; or the alignment, which takes some milliseconds for each hit.
    value : callable
        Takes a `Hit`; None where it is not known (no alignment, no statistics). One that is `getters.InBulk` reads
        whole tables as well; for any other, as plug-ins may have it, an object is made of every line.
    unit : str
        For example ``"%"``; empty for plain counts and texts.
    decimals : int
        Written digits of a ``real`` column.
    short : str
        Head where room is scarce; the heading if empty.
    blast : str
        What BLAST calls it in the comment lines of its format 7; empty if BLAST has no such column.
    on_request : bool
        Whether tables have it only if it is asked for; columns of installed packages always are.
    asked : str
        Name by which it was asked for, if that is another program's.
    """

    key: str
    title: str
    description: str
    kind: Kind
    source: Source
    value: Callable[[Hit], Value]
    unit: str = ""
    decimals: int = 0
    short: str = ""
    blast: str = ""
    on_request: bool = False
    asked: str = ""

    @property
    def name(self) -> str:
        """Name in the head of a file."""
        return self.asked or self.key

    @property
    def heading(self) -> str:
        """Title, with the sign of percentages."""
        return f"{self.title} %" if self.unit == "%" else self.title

    @property
    def head(self) -> str:
        """Heading for narrow columns."""
        return self.short or self.heading

    @property
    def needs_alignment(self) -> bool:
        """Whether it can only be filled from an alignment."""
        return self.source == "alignment"

    @property
    def late(self) -> bool:
        """Whether it is known only once a hit has been described."""
        return self.source in ("fit", "alignment")

    def text(self, hit: Hit) -> str:
        """Return the value as written to files; empty where it is not known."""
        value = self.value(hit)
        return "" if value is None else self._write(value)

    def number(self, hit: Hit) -> float:
        """Return the value as a number (log10(E) of ``evalue`` columns); NaN where it is not known."""
        value = self.value(hit)
        return math.nan if value is None else float(value)

    def values(self, table: HitTable) -> Sequence[Value]:
        """Return the value of each line of a table; None where it is not known."""
        return _listed(values_of(self.value, table))

    def texts(self, table: HitTable, clean: Callable[[str], str] = clean_text) -> list[str]:
        """Return `text` of each line of a table.

        Parameters
        ----------
        clean : callable
            Makes what a ``text`` column holds fit for the file.
        """
        read = values_of(self.value, table)
        if self.kind == "evalue" and isinstance(read, np.ndarray):
            return evalue_texts(read, EVALUE_DIGITS)
        values = _listed(read)
        if self.kind == "text":
            words = ["" if value is None else str(value) for value in values]
            return words if are_plain(words) else mapped(clean, words)
        write = self._write
        if None in values:
            return ["" if value is None else write(value) for value in values]
        return list(map(write, values))

    @property
    def _write(self) -> Callable[[Any], str]:
        """What writes a value that is known."""
        return _WRITERS[self.kind](self)


def _listed(values: Values) -> Sequence[Value]:
    """Return values as Python's own, None where they are not known."""
    if not isinstance(values, np.ndarray):
        return values
    listed: list[Value] = values.tolist()
    if values.dtype.kind != "f" or not np.isnan(values).any():
        return listed
    return [None if value != value else value for value in listed]


_WRITERS: Final[dict[Kind, Callable[[Column], Callable[[Any], str]]]] = {
    "text": lambda column: lambda value: clean_text(str(value)),
    "integer": lambda column: str,
    "real": lambda column: f"{{:.{column.decimals}f}}".format,
    "evalue": lambda column: lambda value: format_evalue(float(value), EVALUE_DIGITS),
}


def _of_rank(rank: str) -> Column:
    description = f"The {rank} of the organism, where the database has a tree of organisms ('makedb --taxonomy')."
    read = FromOrganism(lambda organism: organism.lineage.get(rank, ""))
    return Column(rank, rank.capitalize(), description, "text", "header", read, on_request=True)


_ALL: Final = (
    Column("rank", "Rank", "Place in the list of this query: by E-value, then by score, then as in the database.",
           "integer", "search", get.RANK, short="#"),
    Column("qseqid", "Query", "Identifier of the query.", "text", "search", get.QUERY_ID,
           blast="query id"),
    Column("qtitle", "Query description", "Description of the query, without its identifier.", "text", "search",
           get.QUERY_TITLE, blast="query title", on_request=True),
    Column("sseqid", "Subject", "Identifier of the subject; the window shows the short name inside it where the header "
           "follows a known layout.", "text", "header", get.SUBJECT_ID, blast="subject id"),
    Column("stitle", "Description", "Description of the subject, without its identifier; the window leaves out what "
           "has a column of its own.", "text", "header", get.SUBJECT_TITLE, blast="subject title"),
    Column("organism", "Organism", "Organism of the subject, by its header or by what the database stores.", "text",
           "header", FromOrganism(lambda organism: organism.name), on_request=True),
    Column("accession", "Accession", "Accession number of the subject; its identifier if the header follows no known "
           "layout.", "text", "header", FromHeader(lambda header: header.accession), on_request=True),
    Column("gene", "Gene", "Gene named in a UniProt or Ensembl header.", "text", "header",
           FromHeader(lambda header: header.gene), on_request=True),
    Column("taxid", "Taxon", "Number of the organism in NCBI's taxonomy, where a UniProt header or the database says "
           "it.", "text", "header", FromOrganism(lambda organism: str(organism.taxid or "")), on_request=True),
    *map(_of_rank, LINEAGE),
    Column("link", "Link", "Page of the subject at UniProt, NCBI, Ensembl or wwPDB, by its accession.", "text",
           "header", FromHeader(lambda header: "".join(link.url for link in header.links[:1])), on_request=True),
    Column("score", "Score", "Smith-Waterman score: the sum of matrix values of the aligned pairs minus the costs of "
           "the gaps. Exact for every subject.", "integer", "search", get.SCORE, blast="score"),
    Column("bitscore", "Bit score", "Score on a scale that does not depend on matrix and gap costs: "
           "(λ × score − ln K) / ln 2.", "real", "search", get.BIT_SCORE, unit="bits", decimals=1,
           short="Bits", blast="bit score"),
    Column("evalue", "E-value", "How many subjects would score at least this much by chance in a database of this "
           "size, composition taken into account unless the search was asked not to.", "evalue", "search",
           get.LOG10_E, short="E", blast="evalue"),
    Column("log10_evalue", "Logarithm of E", "Decadic logarithm of the E-value; it never underflows.", "real", "search",
           get.LOG10_E, decimals=4, short="log₁₀ E"),
    Column("evalue_uncorrected", "E without composition", "E-value before the correction for composition.", "evalue",
           "search", get.LOG10_UNCORRECTED, short="E uncorr.", on_request=True),
    Column("bias", "Bias", "Bits that the correction for composition takes off.", "real", "search", get.BIAS,
           unit="bits", decimals=1, on_request=True),
    Column("lambda_ratio", "Lambda ratio", "Scale of chance scores between sequences of these compositions, over that "
           "of average ones; below 0.8 both are rich in the same residues.", "real", "search",
           get.LAMBDA_RATIO, decimals=3, short="λ ratio", on_request=True),
    Column("shuffle_z", "Z of shuffles", "Standard deviations of the score above those of shuffled copies of the "
           "aligned region; empty where lambda alone decided.", "real", "search", get.SHUFFLE_Z,
           decimals=1, short="Z shuf.", on_request=True),
    Column("verdict", "Verdict", f"Whether the hit is more than chance. In a word, {explain_kinds()}.", "text",
           "search", get.VERDICT, on_request=True),
    Column("zscore", "Z-score", "How far the score stands above those of unrelated subjects of the same length: 50 is "
           "their mean, 10 more a standard deviation. From the fit to this search.", "real", "fit",
           get.Z_SCORE, decimals=1, short="Z", on_request=True),
    Column("evalue_fit", "Fitted E-value", "E-value by the extreme-value fit to the scores of this search, instead of "
           "the published constants.", "evalue", "fit", get.LOG10_FITTED, short="fitted E",
           on_request=True),
    Column("pident", "Identity", "Columns with the same residue on both sides, in percent of all columns of the "
           "alignment, gaps included.", "real", "alignment", get.share("pident", "nident"), unit="%", decimals=3,
           short="Id %", blast="% identity"),
    Column("ppos", "Positives", "Columns whose pair has a matrix value above zero, in percent of all columns of the "
           "alignment.", "real", "alignment", get.share("ppos", "positive"), unit="%", decimals=2, short="Pos %",
           blast="% positives"),
    Column("nident", "Identities", "Columns with the same residue on both sides.", "integer", "alignment",
           get.counted("nident"), unit="columns", blast="identical"),
    Column("positive", "Positives, count", "Columns whose pair has a matrix value above zero.", "integer", "alignment",
           get.counted("positive"), unit="columns", short="Positives", blast="positives"),
    Column("mismatch", "Mismatches", "Aligned pairs of different residues.", "integer", "alignment",
           get.counted("mismatch"), unit="columns", blast="mismatches"),
    Column("gaps", "Gap residues", "Residues that stand against a gap, both sides together.", "integer", "alignment",
           get.counted("gaps"), unit="columns", short="Gaps", blast="gaps"),
    Column("gapopen", "Gap openings", "Number of gaps, whatever their length.", "integer", "alignment",
           get.counted("gapopen"), blast="gap opens"),
    Column("length", "Alignment length", "Columns of the alignment, gaps included.", "integer", "alignment",
           get.counted("length"), unit="columns", short="Length", blast="alignment length"),
    Column("qstart", "Query start", "First residue of the query inside the alignment, counted from 1; of a translated "
           "query the first base in the direction of reading.", "integer",
           "alignment", get.QUERY_START, short="Query from", blast="q. start"),
    Column("qend", "Query end", "Last residue of the query inside the alignment, counted from 1.", "integer",
           "alignment", get.QUERY_END, short="Query to", blast="q. end"),
    Column("sstart", "Subject start", "First residue of the subject inside the alignment, counted from 1; on the minus "
           "strand larger than the end. Of a translated subject the first base in the direction of reading.",
           "integer", "alignment", get.SUBJECT_START,
           short="Subject from", blast="s. start"),
    Column("send", "Subject end", "Last residue of the subject inside the alignment, counted from 1.", "integer",
           "alignment", get.SUBJECT_END, short="Subject to", blast="s. end"),
    Column("qlen", "Query length", "Residues of the whole query.", "integer", "search", get.QUERY_LENGTH,
           unit="residues", blast="query length"),
    Column("slen", "Subject length", "Residues of the whole subject.", "integer", "search",
           get.SUBJECT_LENGTH, unit="residues", blast="subject length"),
    Column("qcovhsp", "Query coverage", "Part of the query inside the alignment, in percent of the whole query.",
           "real", "alignment", get.QUERY_COVERAGE, unit="%", decimals=1, short="Query %",
           blast="% query coverage per hsp"),
    Column("scovhsp", "Subject coverage", "Part of the subject inside the alignment, in percent of the whole subject.",
           "real", "alignment", get.SUBJECT_COVERAGE, unit="%", decimals=1, short="Subject %"),
    Column("hsp", "Alignment", "Number of the alignment within its subject, the best one first; no two share an "
           "aligned pair of residues.", "integer", "alignment", get.HSP, short="Alignment",
           on_request=True),
    Column("n_hsps", "Alignments", "How many alignments of the subject are listed, both strands together.", "integer",
           "alignment", get.ALIGNMENTS, on_request=True),
    Column("total_score", "Total score", "Sum of the scores of all alignments of the subject.", "integer", "alignment",
           get.TOTAL_SCORE, short="Total", on_request=True),
    Column("sum_evalue", "Sum E-value", "E-value of all alignments of the subject together, by the sum statistics of "
           "Karlin and Altschul.", "evalue", "alignment", get.SUM_LOG10_E, short="Sum E", on_request=True),
    Column("qcovs", "Query coverage, all alignments", "Part of the query inside any alignment of the subject, in "
           "percent of the whole query.", "real", "alignment", get.covered_by_all(0), unit="%",
           decimals=1, short="Query all %", blast="% query coverage per subject", on_request=True),
    Column("scovs", "Subject coverage, all alignments", "Part of the subject inside any of its alignments, in "
           "percent of the whole subject.", "real", "alignment", get.covered_by_all(1), unit="%",
           decimals=1, short="Subject all %", on_request=True),
    Column("sstrand", "Strand", "Plus, or minus if the reverse complement of the query scored better; of a translated "
           "subject the strand that was read, or of a translated query.", "text",
           "search", get.STRAND, blast="subject strand"),
    Column("qframe", "Query frame", "Frame in which the query is translated, -1 to -3 on the opposite strand; empty "
           "where it is not.", "integer", "search", get.QUERY_FRAME, blast="query frame", on_request=True),
    Column("sframe", "Subject frame", "Frame in which the subject is translated, -1 to -3 on the opposite strand; "
           "empty where it is not.", "integer", "search", get.SUBJECT_FRAME, blast="sbjct frame", on_request=True),
    Column("frames", "Frames", "Frames of query and subject; 0 for the one that is not translated.", "text",
           "search", get.FRAMES, blast="query/sbjct frames", on_request=True),
    Column("frameshifts", "Frameshifts", "How often the reading shifts by one or two bases; of searches that allow it.",
           "integer", "alignment", get.FRAMESHIFTS, short="Shifts", on_request=True),
    Column("cigar", "CIGAR", "The alignment as runs: M aligned pairs, I query residues against a gap, D subject "
           "residues against a gap; F bases that are skipped and R bases that are read twice where the reading shifts.",
           "text", "alignment", get.CIGAR),
    Column("qseq", "Query residues", "The aligned part of the query, with gap signs.", "text", "alignment",
           get.QUERY_RESIDUES, blast="query seq", on_request=True),
    Column("sseq", "Subject residues", "The aligned part of the subject, with gap signs.", "text", "alignment",
           get.SUBJECT_RESIDUES, blast="subject seq", on_request=True),
    Column("rmsd", "RMSD", "Root of the mean squared distance of the CA atoms of aligned residues, the subject laid on "
           "the query so that it is smallest; of structures alone, as all columns of this kind.", "real", "alignment",
           get.of_shape(lambda fit: fit.rmsd), unit="Å", decimals=2, on_request=True),
    Column("qtmscore", "TM-score by query", "TM-score of the aligned residues, by the length of the query: 1 is "
           "identical, above 0.5 mostly the same fold, below 0.2 chance.", "real", "alignment",
           get.of_shape(lambda fit: fit.tm_query), decimals=4, short="TM query", on_request=True),
    Column("stmscore", "TM-score by subject", "TM-score of the aligned residues, by the length of the subject.",
           "real", "alignment", get.of_shape(lambda fit: fit.tm_subject), decimals=4, short="TM subject",
           on_request=True),
    Column("lddt", "LDDT", "Share of the distances up to 15 Å between CA atoms of the query that are the same in the "
           "subject, averaged over differences of 0.5, 1, 2 and 4 Å; aligned residues only.", "real", "alignment",
           get.of_shape(lambda fit: fit.lddt), decimals=4, on_request=True),
    Column("first_round", "First round", "First round of an iterated search that included the subject in a profile.",
           "integer", "search", get.FIRST_ROUND, short="Round",
           on_request=True),
    Column("round_status", "Status in rounds", "Whether the last round of an iterated search includes the subject: "
           "new, kept since the round before, or lost after it was included.", "text", "search",
           get.ROUND_STATUS, short="Status", on_request=True),
    Column("evalue_as_member", "E as a member", "E-value in the last round of an iterated search with the sequence in "
           "the profile it is scored by, which favours it: how well it fits in, not whether it belongs. The E-value "
           "is that without it.", "evalue", "fit", get.LOG10_AS_MEMBER, short="E as member", on_request=True),
    Column("round_evalues", "E in rounds", "E-value in every round of an iterated search, the first one first; a "
           "full stop where the subject was not listed.", "text", "search", get.ROUND_EVALUES,
           short="E in rounds", on_request=True),
    Column("profile_bits", "Profiles, bits", "Score of the profile made with the subject as the query against that of "
           "the query; only where profiles were compared.", "real", "search", get.PROFILE_BITS, unit="bits", decimals=1,
           short="Profiles", on_request=True),
    Column("profile_evalue", "Profiles, E", "How many subjects would have such a profile by chance, fitted to shuffled "
           "profiles: a second opinion beside the E-value.", "evalue", "search", get.PROFILE_LOG10_E,
           short="by profiles", on_request=True),
    Column("forward_bits", "Forward, bits", "Forward score of HMMER for the profile of the last round, by pyhmmer.",
           "real", "search", get.FORWARD_BITS, unit="bits", decimals=1, short="Forward", on_request=True),
    Column("forward_evalue", "Forward, E", "E-value of the Forward score, as HMMER calibrates it.", "evalue", "search",
           get.FORWARD_LOG10_E, short="by Forward", on_request=True),
    Column("path", "Path", "The hit that finds the subject where the query alone does not say enough, and the subject; "
           "(another domain) where the query and the subject share different stretches of that hit.",
           "text", "search", get.PATH, on_request=True),
    Column("path_evalues", "E along the path", "E-value of both steps of the path: of the hit, and of the subject in "
           "the search with that hit. The path has none as a whole.", "text", "search", get.PATH_EVALUES,
           short="E of steps", on_request=True),
    Column("star", "Star", "Marks hits you want to find again: a click or the key S gives and takes the star. Kept "
           "with the search; 1 in files.", "text", "marks", get.STAR, on_request=True),
    Column("note", "Note", "What you wrote about the hit under Details (key N). Kept with the search.", "text", "marks",
           get.NOTE, on_request=True),
)  # fmt: skip

HIT_COLUMNS: Final[dict[str, Column]] = {column.key: column for column in _ALL}

DEFAULT_COLUMNS: Final = tuple(column.key for column in _ALL if not column.on_request)

# What only subjects with several alignments have, and of these what sums up all of them.
SUBJECT_COLUMNS: Final = ("n_hsps", "total_score", "sum_evalue", "qcovs", "scovs")
HSP_COLUMNS: Final = ("hsp", *SUBJECT_COLUMNS)
FRAME_COLUMNS: Final = ("qframe", "sframe")  # what only translated searches have
SHIFT_COLUMNS: Final = ("frameshifts",)  # what only those have whose reading may shift
ROUND_COLUMNS: Final = ("first_round", "round_status", "round_evalues")  # what only iterated searches have
EVIDENCE_COLUMNS: Final = ("profile_bits", "profile_evalue", "forward_bits", "forward_evalue", "path", "path_evalues")

_OF_EACH: Final = frozenset(
    {"score", "bitscore", "evalue", "log10_evalue", "verdict", "sstrand", "frames", *FRAME_COLUMNS}
)


def is_of_alignment(column: Column) -> bool:
    """Return whether the alignments of one subject may differ in a column."""
    return column.key in _OF_EACH or (column.needs_alignment and column.key not in SUBJECT_COLUMNS)


def evidence_columns(result: SearchResult) -> tuple[str, ...]:
    """Return the columns that say something of the further evidence of a result."""
    known = [one for query in result.queries if query.rounds for one in query.rounds.evidence.values()]
    there = {
        "profile": any(not math.isnan(one.profile_bits) for one in known),
        "forward": any(not math.isnan(one.forward_bits) for one in known),
        "path": any(one.path is not None for one in known),
    }
    return tuple(key for key in EVIDENCE_COLUMNS if there[key.partition("_")[0]])
