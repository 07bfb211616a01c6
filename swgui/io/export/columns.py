"""The columns of hits: one record each, for the window, every export, imported tables and the manual."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Final, Literal

import numpy as np

from swgui.core import table
from swgui.core.errors import InvalidParameter
from swgui.core.hits.results import SearchResult
from swgui.core.hits.table import Hit, HitTable
from swgui.core.organisms.tree import LINEAGE
from swgui.core.plain import replace
from swgui.core.table import Value, Values
from swgui.core.translation.frames import query_frames, subject_frames
from swgui.core.translation.programs import shifting
from swgui.core.verdict.kinds import explain_kinds
from swgui.io.cells import clean_text, texts_of, written
from swgui.io.export import getters as get
from swgui.io.export.getters import FromHeader, FromOrganism
from swgui.io.export.rows import aligned_texts

Source = Literal["search", "header", "own", "marks", "fit", "alignment"]

# Columns that people see first, in the window and on a terminal, and those of them that are left out where there is
# no room, the one that is missed least first.
SHOWN: Final = ("rank", "sseqid", "stitle", "organism", "evalue", "verdict", "pident", "qcovhsp")
SPARE: Final = ("qcovhsp", "pident", "organism", "stitle")  # never the verdict
# What only subjects with several alignments have, and of these what sums up all of them.
SUBJECT_COLUMNS: Final = ("n_hsps", "total_score", "sum_evalue", "qcovs", "scovs")
HSP_COLUMNS: Final = ("hsp", *SUBJECT_COLUMNS)
FRAME_COLUMNS: Final = ("qframe", "sframe")  # what only translated searches have
SHIFT_COLUMNS: Final = ("frameshifts",)  # what only those have whose reading may shift
CIRCLE_COLUMNS: Final = ("join",)  # what only searches have that read circular records across their origins
MEMBER_COLUMNS: Final = ("database",)  # what only searches of several databases have
ROUND_COLUMNS: Final = ("first_round", "round_status", "round_evalues")  # what only iterated searches have
EVIDENCE_COLUMNS: Final = ("profile_bits", "profile_evalue", "forward_bits", "forward_evalue", "path", "path_evalues")
_OF_EACH: Final = frozenset(
    {"score", "bitscore", "evalue", "log10_evalue", "verdict", "sstrand", "frames", *FRAME_COLUMNS}
)
BLAST_COLUMNS: Final = (
    "qseqid", "sseqid", "pident", "length", "mismatch", "gapopen",
    "qstart", "qend", "sstart", "send", "evalue", "bitscore",
)  # fmt: skip
GROUPS: Final = {"std": BLAST_COLUMNS}
ADDED: Final = "+"  # before a name: the usual columns, and this one
_BLAST: Final = {
    "qaccver": "qseqid", "qacc": "qseqid", "saccver": "sseqid", "sacc": "sseqid", "sallseqid": "sseqid",
    "sallacc": "sseqid", "salltitles": "stitle", "staxid": "taxid", "staxids": "taxid", "ssciname": "organism",
    "sscinames": "organism",
}  # fmt: skip
_MMSEQS: Final = {
    "query": "qseqid", "target": "sseqid", "alnlen": "length", "tstart": "sstart", "tend": "send", "bits": "bitscore",
    "raw": "score", "tlen": "slen", "qaln": "qseq", "taln": "sseq", "taxname": "organism",
}  # fmt: skip
OTHER_NAMES: Final = {**_BLAST, **_MMSEQS}  # for the same values


class Column(table.Column[HitTable], frozen=True):
    """One column of hits, with all that tables, exports and the manual say of it."""

    # The data needed: the result of the search; only id and description of the subject; a table of the
    # user's own; only the user's notes; the fit
    # to the scores of the search; or the alignment, which takes some milliseconds for each hit.
    source: Source
    # In place of `read`, and much slower: takes a `Hit`; None where it is not known (no alignment, no statistics). Of
    # columns of installed packages, which are always on request.
    value: Callable[[Hit], Value] | None = None
    blast: str = ""  # BLAST's name in the comment lines of its format 7; empty if BLAST has no such column
    asked: str = ""  # name in the request, if that is another program's

    def __post_init__(self) -> None:
        if (self.read is None) == (self.value is None):
            raise ValueError(f"The column '{self.key}' must have either read or value.")

    @property
    def name(self) -> str:
        """Name in the head of a file."""
        return self.asked or self.key

    @property
    def needs_alignment(self) -> bool:
        """Whether it can only be filled from an alignment."""
        return self.source == "alignment"

    @property
    def late(self) -> bool:
        """Whether it is known only once a hit has been described."""
        return self.source in ("fit", "alignment")

    def of(self, hit: Hit) -> Value:
        """Return the value of one hit, None where it is not known."""
        return self.value(hit) if self.value is not None else self.values(hit.alone)[hit.hsp]

    def text(self, hit: Hit) -> str:
        """Return the value of one hit as written to files; empty where it is not known."""
        return written(self, [self.of(hit)], clean_text)[0]

    def texts(self, hits: HitTable, clean: Callable[[str], str] = clean_text) -> list[str]:
        """Return the value of each line of a table as written to files (`texts_of`)."""
        return texts_of(self, hits, clean)

    def read_all(self, source: HitTable) -> Values:
        """Return the value of each line as it is read."""
        if self.read is not None:
            return self.read(source)
        assert self.value is not None
        return list(map(self.value, source.rows))


def _of_rank(rank: str) -> Column:
    description = f"The {rank} of the organism, where the database has a tree of organisms ('makedb --taxonomy')."
    read = FromOrganism(lambda organism: organism.lineage.get(rank, ""))
    return Column(rank, rank.capitalize(), description, "text", "header", read=read, on_request=True)


_ALL: Final = (
    Column("rank", "Rank", "Place in the list of this query: by E-value, then by score, then as in the database.",
           "integer", "search", read=lambda t: t.ranks[t.hit], short="#"),
    Column("qseqid", "Query", "Identifier of the query.", "text", "search", read=get.query_ids,
           blast="query id"),
    Column("qtitle", "Query description", "Description of the query, without its identifier.", "text", "search",
           read=get.query_titles, blast="query title", on_request=True),
    Column("sseqid", "Subject", "Identifier of the subject; the window shows the short name inside it where the header "
           "follows a known layout.", "text", "header", read=get.subject_ids, blast="subject id"),
    Column("stitle", "Description", "Description of the subject, without its identifier; the window leaves out "
           "parts that have their own columns.", "text", "header", read=get.subject_titles, blast="subject title"),
    Column("database", "Database", "Name of the database that the subject is of, where several are searched as one.",
           "text", "search", read=get.databases, on_request=True),
    Column("organism", "Organism", "Organism of the subject, from its header or from the database.", "text",
           "header", read=FromOrganism(lambda organism: organism.name), on_request=True),
    Column("accession", "Accession", "Accession number of the subject; its identifier if the header follows no known "
           "layout.", "text", "header", read=FromHeader(lambda header: header.accession), on_request=True),
    Column("gene", "Gene", "Gene named in a UniProt or Ensembl header.", "text", "header",
           read=FromHeader(lambda header: header.gene), on_request=True),
    Column("taxid", "Taxon", "Number of the organism in NCBI's taxonomy, where a UniProt header or the database has "
           "it.", "text", "header", read=FromOrganism(lambda organism: str(organism.taxid or "")), on_request=True),
    *map(_of_rank, LINEAGE),
    Column("link", "Link", "Page of the subject at UniProt, NCBI, Ensembl or wwPDB, by its accession.", "text",
           "header", read=FromHeader(lambda header: "".join(link.url for link in header.links[:1])), on_request=True),
    Column("score", "Score", "Smith-Waterman score: the sum of matrix values of the aligned pairs minus the costs of "
           "the gaps. Exact for every subject.", "integer", "search", read=lambda t: t.scores, blast="score"),
    Column("bitscore", "Bit score", "Score on a scale that does not depend on matrix and gap costs: "
           "(λ × score − ln K) / ln 2, less the correction for composition: the bits that belong to E.",
           "real", "search", read=lambda t: t.bit_scores, unit="bits", decimals=1, short="Bits", blast="bit score"),
    Column("evalue", "E-value", "How many subjects would score at least this much by chance in a database of this "
           "size, corrected for composition unless the search has no correction.", "evalue", "search",
           read=lambda t: t.log10_evalues, short="E", blast="evalue"),
    Column("log10_evalue", "Logarithm of E", "Decadic logarithm of the E-value; it never underflows.", "real", "search",
           read=lambda t: t.log10_evalues, decimals=4, short="log₁₀ E"),
    Column("evalue_uncorrected", "E without composition", "E-value before the correction for composition.", "evalue",
           "search", read=lambda t: t.log10_uncorrected, short="E uncorr.", on_request=True),
    Column("bitscore_uncorrected", "Bits without composition", "Bit score before the correction for composition.",
           "real", "search", read=lambda t: t.bit_scores + get.bias(t), unit="bits", decimals=1, short="Bits uncorr.",
           on_request=True),
    Column("bias", "Bias", "Bits that the correction for composition takes off.", "real", "search", read=get.bias,
           unit="bits", decimals=1, on_request=True),
    Column("lambda_ratio", "Lambda ratio", "Scale of chance scores between sequences of these compositions, over that "
           "of average ones; below 0.8 both are rich in the same residues.", "real", "search",
           read=lambda t: t.lambda_ratio[t.hit], decimals=3, short="λ ratio", on_request=True),
    Column("shuffle_z", "Z of shuffles", "Standard deviations of the score above those of shuffled copies of the "
           "aligned region; empty where lambda alone decided.", "real", "search", read=lambda t: t.shuffle_z[t.hit],
           decimals=1, short="Z shuf.", on_request=True),
    Column("back_score", "Score back", "Score of the subject's own profile against the query, of a search in both "
           "directions; the score is that of the query's profile against the subject.", "integer", "search",
           read=lambda t: [score if score >= 0 else None for score in t.both_directions.back_scores[t.hit].tolist()],
           short="Back", on_request=True),
    Column("evalue_forward", "E forward", "E-value of the score alone, of a search in both directions; the E-value is "
           "that of both.", "evalue", "search", read=lambda t: t.both_directions.forward[t.hit], short="E forward",
           on_request=True),
    Column("evalue_back", "E back", "E-value of the score back alone, of a search in both directions.", "evalue",
           "search", read=lambda t: t.both_directions.back[t.hit], short="E back", on_request=True),
    Column("verdict", "Verdict", f"Whether the hit is more than chance. In a word, {explain_kinds()}.", "text",
           "search", read=get.verdicts, on_request=True),
    Column("zscore", "Z-score", "How far the score is above those of unrelated subjects of the same length: 50 is "
           "their mean, 10 more a standard deviation. From the fit to this search.", "real", "fit",
           read=lambda t: t.z_scores, decimals=1, short="Z", on_request=True),
    Column("evalue_fit", "Fitted E-value", "E-value by the extreme-value fit to the scores of this search, instead of "
           "the published constants.", "evalue", "fit", read=lambda t: t.fitted, short="fitted E",
           on_request=True),
    Column("pident", "Identity", "Columns with the same residue on both sides, in percent of all columns of the "
           "alignment, gaps included.", "real", "alignment", read=get.share("nident"), unit="%", decimals=3,
           short="Id %", blast="% identity"),
    Column("ppos", "Positives", "Columns whose pair has a matrix value above zero, in percent of all columns of the "
           "alignment.", "real", "alignment", read=get.share("positive"), unit="%", decimals=2, short="Pos %",
           blast="% positives"),
    Column("nident", "Identities", "Columns with the same residue on both sides.", "integer", "alignment",
           read=get.counted("nident"), unit="columns", blast="identical"),
    Column("positive", "Positives, count", "Columns whose pair has a matrix value above zero.", "integer", "alignment",
           read=get.counted("positive"), unit="columns", short="Positives", blast="positives"),
    Column("mismatch", "Mismatches", "Aligned pairs of different residues.", "integer", "alignment",
           read=get.counted("mismatch"), unit="columns", blast="mismatches"),
    Column("gaps", "Gap residues", "Residues aligned to gaps, both sides together.", "integer", "alignment",
           read=get.counted("gaps"), unit="columns", short="Gaps", blast="gaps"),
    Column("gapopen", "Gap openings", "Number of gaps, whatever their length.", "integer", "alignment",
           read=get.counted("gapopen"), blast="gap opens"),
    Column("length", "Alignment length", "Columns of the alignment, gaps included.", "integer", "alignment",
           read=get.counted("length"), unit="columns", short="Length", blast="alignment length"),
    Column("qstart", "Query start", "First residue of the query inside the alignment, counted from 1; of a translated "
           "query the first base in the direction of reading.", "integer",
           "alignment", read=get.end_of(0), short="Query from", blast="q. start"),
    Column("qend", "Query end", "Last residue of the query inside the alignment, counted from 1.", "integer",
           "alignment", read=get.end_of(1), short="Query to", blast="q. end"),
    Column("sstart", "Subject start", "First residue of the subject inside the alignment, counted from 1; on the minus "
           "strand larger than the end, across the origin of a circular record the other way round. Of a translated "
           "subject the first base in the direction of reading.", "integer", "alignment", read=get.end_of(2),
           short="Subject from", blast="s. start"),
    Column("send", "Subject end", "Last residue of the subject inside the alignment, counted from 1.", "integer",
           "alignment", read=get.end_of(3), short="Subject to", blast="s. end"),
    Column("join", "Join", "Where the alignment lies across the origin of a circular record, as GenBank writes it.",
           "text", "alignment", read=get.of_alignment(get.joins_of), on_request=True),
    Column("qlen", "Query length", "Residues of the whole query.", "integer", "search", read=lambda t: t.query_lengths,
           unit="residues", blast="query length"),
    Column("slen", "Subject length", "Residues of the whole subject.", "integer", "search",
           read=get.subject_lengths, unit="residues", blast="subject length"),
    Column("qcovhsp", "Query coverage", "Part of the query inside the alignment, in percent of the whole query.",
           "real", "alignment",
           read=get.covered("query", lambda t: t.query_lengths, query_frames), unit="%", decimals=1, short="Query %",
           blast="% query coverage per hsp"),
    Column("scovhsp", "Subject coverage", "Part of the subject inside the alignment, in percent of the whole subject.",
           "real", "alignment",
           read=get.covered("subject", get.subject_lengths, subject_frames), unit="%", decimals=1, short="Subject %"),
    Column("hsp", "Alignment", "Number of the alignment within its subject, the best one first; no two share an "
           "aligned pair of residues.", "integer", "alignment",
           read=get.of_alignment(lambda t: t.hsp + 1), short="Alignment",
           on_request=True),
    Column("n_hsps", "Alignments", "How many alignments of the subject are listed, both strands together.", "integer",
           "alignment", read=get.of_alignment(lambda t: t.alignments[t.hit]), on_request=True),
    Column("total_score", "Total score", "Sum of the scores of all alignments of the subject.", "integer", "alignment",
           read=get.of_alignment(lambda t: np.add.reduceat(t.scores, t.first)[t.hit]), short="Total", on_request=True),
    Column("sum_evalue", "Sum E-value", "E-value of all alignments of the subject together, by the sum statistics of "
           "Karlin and Altschul.", "evalue", "alignment",
           read=get.of_alignment(get.sum_evalues), short="Sum E", on_request=True),
    Column("qcovs", "Query coverage, all alignments", "Part of the query inside any alignment of the subject, in "
           "percent of the whole query.", "real", "alignment", read=get.covered_by_all(0), unit="%",
           decimals=1, short="Query all %", blast="% query coverage per subject", on_request=True),
    Column("scovs", "Subject coverage, all alignments", "Part of the subject inside any of its alignments, in "
           "percent of the whole subject.", "real", "alignment", read=get.covered_by_all(1), unit="%",
           decimals=1, short="Subject all %", on_request=True),
    Column("sstrand", "Strand", "Plus, or minus if the reverse complement of the query scored better; of a translated "
           "subject the strand that was read, or of a translated query.", "text",
           "search", read=get.of_strand(get.strand_of), blast="subject strand"),
    Column("qframe", "Query frame", "Frame in which the query is translated, -1 to -3 on the opposite strand; empty "
           "where it is not.", "integer", "search",
           read=get.of_frames(lambda query, _: query or None), blast="query frame", on_request=True),
    Column("sframe", "Subject frame", "Frame in which the subject is translated, -1 to -3 on the opposite strand; "
           "empty where it is not.", "integer", "search",
           read=get.of_frames(lambda _, subject: subject or None), blast="sbjct frame", on_request=True),
    Column("frames", "Frames", "Frames of query and subject; 0 for the one that is not translated.", "text",
           "search", read=get.of_frames(get.frames_of), blast="query/sbjct frames", on_request=True),
    Column("frameshifts", "Frameshifts", "How often the reading shifts by one or two bases; of searches that allow it.",
           "integer", "alignment", read=get.counted("frameshifts"), short="Shifts", on_request=True),
    Column("cigar", "CIGAR", "The alignment as runs: M aligned pairs, I query residues against a gap, D subject "
           "residues against a gap; F bases that are skipped and R bases that are read twice where the reading shifts.",
           "text", "alignment", read=get.of_alignment(get.cigars)),
    Column("qseq", "Query residues", "The aligned part of the query, with gap signs.", "text", "alignment",
           read=get.of_alignment(lambda t: aligned_texts(t, of_query=True)), blast="query seq", on_request=True),
    Column("sseq", "Subject residues", "The aligned part of the subject, with gap signs.", "text", "alignment",
           read=get.of_alignment(lambda t: aligned_texts(t, of_query=False)), blast="subject seq", on_request=True),
    Column("rmsd", "RMSD", "Root of the mean squared distance of the CA atoms of aligned residues, the subject laid on "
           "the query so that it is smallest; of structures alone, as all columns of this kind.", "real", "alignment",
           read=get.of_shape(lambda fit: fit.rmsd), unit="Å", decimals=2, on_request=True),
    Column("qtmscore", "TM-score by query", "TM-score of the aligned residues, by the length of the query: 1 is "
           "identical, above 0.5 mostly the same fold, below 0.2 chance.", "real", "alignment",
           read=get.of_shape(lambda fit: fit.tm_query), decimals=4, short="TM query", on_request=True),
    Column("stmscore", "TM-score by subject", "TM-score of the aligned residues, by the length of the subject.",
           "real", "alignment", read=get.of_shape(lambda fit: fit.tm_subject), decimals=4, short="TM subject",
           on_request=True),
    Column("lddt", "LDDT", "Share of the distances up to 15 Å between CA atoms of the query that are the same in the "
           "subject, averaged over differences of 0.5, 1, 2 and 4 Å; aligned residues only.", "real", "alignment",
           read=get.of_shape(lambda fit: fit.lddt), decimals=4, on_request=True),
    Column("first_round", "First round", "First round of an iterated search that included the subject in a profile.",
           "integer", "search",
           read=get.of_rounds(lambda columns: [first or None for first in columns.first_included.tolist()]),
           short="Round",
           on_request=True),
    Column("round_status", "Status in rounds", "Whether the last round of an iterated search includes the subject: "
           "new, kept since the round before, or lost after it was included; query for the query itself, which is no "
           "other row of its profile.", "text", "search", read=get.round_statuses,
           short="In profile", on_request=True),
    Column("evalue_as_member", "E as a member", "E-value in the last round of an iterated search with the sequence in "
           "the profile it is scored by, which favours it: how well it fits in, not whether it belongs. The E-value "
           "is that without it. Of profiles against profiles, the E-value by all members of both, where members in "
           "doubt raise the score.", "evalue", "fit", read=get.as_members, short="E as member", on_request=True),
    Column("round_evalues", "E in rounds", "E-value in every round of an iterated search, the first one first; a "
           "full stop where the subject was not listed.", "text", "search", read=get.of_rounds(get.evalues_of),
           short="E in rounds", on_request=True),
    Column("profile_bits", "Profiles, bits", "Score of the profile made with the subject as the query against that of "
           "the query; only where profiles were compared.", "real", "search",
           read=get.of_evidence(lambda of: of.profile_bits), unit="bits", decimals=1,
           short="Profiles", on_request=True),
    Column("profile_evalue", "Profiles, E", "How many subjects would have such a profile by chance, fitted to shuffled "
           "profiles: a second opinion in addition to the E-value.", "evalue", "search",
           read=get.of_evidence(lambda of: of.profile_log10_evalue),
           short="by profiles", on_request=True),
    Column("forward_bits", "Forward, bits", "Forward score of HMMER for the profile of the last round, by pyhmmer.",
           "real", "search",
           read=get.of_evidence(lambda of: of.forward_bits), unit="bits", decimals=1, short="Forward", on_request=True),
    Column("forward_evalue", "Forward, E", "E-value of the Forward score, as HMMER calibrates it.", "evalue", "search",
           read=get.of_evidence(lambda of: of.forward_log10_evalue), short="by Forward", on_request=True),
    Column("path", "Path", "The hit that finds the subject where the query alone does not say enough, and the subject; "
           "(another domain) where the query and the subject share different regions of that hit.",
           "text", "search", read=get.of_evidence(lambda of: of.path.name if of.path else None), on_request=True),
    Column("path_evalues", "E along the path", "E-value of both steps of the path: of the hit, and of the subject in "
           "the search with that hit. The path has none as a whole.", "text", "search",
           read=get.of_evidence(get.path_evalues),
           short="E of steps", on_request=True),
    Column("star", "Star", "Marks hits you want to find again: a click or the key S gives and takes the star. Kept "
           "by the identifier of the subject; 1 in files.", "text", "marks", read=get.stars, on_request=True),
    Column("note", "Note", "Your note on the hit under Details (key N). Kept with the search.", "text", "marks",
           read=get.notes, on_request=True),
)  # fmt: skip

HIT_COLUMNS: Final[dict[str, Column]] = {column.key: column for column in _ALL}

DEFAULT_COLUMNS: Final = tuple(column.key for column in _ALL if not column.on_request)


def is_of_alignment(column: Column) -> bool:
    """Return whether the alignments of one subject may differ in a column."""
    return column.key in _OF_EACH or (column.needs_alignment and column.key not in SUBJECT_COLUMNS)


def evidence_columns(result: SearchResult) -> tuple[str, ...]:
    """Return the columns that say something of the further evidence of a result."""
    evidence = [item for query in result.queries if query.rounds for item in query.rounds.evidence.values()]
    present = {
        "profile": any(not math.isnan(item.profile_bits) for item in evidence),
        "forward": any(not math.isnan(item.forward_bits) for item in evidence),
        "path": any(item.path is not None for item in evidence),
    }
    return tuple(key for key in EVIDENCE_COLUMNS if present[key.partition("_")[0]])


def _part_of(key: str, name: str) -> Column:
    """Return a column of percentages as the fractions that MMseqs2 writes, by its name for them."""
    column = HIT_COLUMNS[key]

    def read(table: HitTable) -> Values:
        return [None if value is None else float(value) / 100.0 for value in column.values(table)]

    return replace(column, read=read, unit="", decimals=3, asked=name)


def _header(identifiers: get.Read, titles: get.Read, key: str, name: str) -> Column:
    """Return a column of whole headers, by MMseqs2's name for it."""

    def read(table: HitTable) -> Values:
        both = zip(identifiers(table), titles(table), strict=True)
        return [f"{first} {rest or ''}".rstrip() for first, rest in both]

    return replace(HIT_COLUMNS[key], read=read, asked=name)


# Columns of MMseqs2 only: values that are written in another way.
_REWRITTEN: Final = {
    column.asked: column
    for column in (
        _part_of("pident", "fident"),
        _part_of("qcovhsp", "qcov"),
        _part_of("scovhsp", "tcov"),
        _header(get.query_ids, get.query_titles, "qtitle", "qheader"),
        _header(get.subject_ids, get.subject_titles, "stitle", "theader"),
    )
}


def columns_of(result: SearchResult, keys: Sequence[str] | None) -> tuple[Column, ...]:
    """Return columns by key; for None the default ones, and those of alignments, rounds or frames where any are.

    Raises
    ------
    InvalidParameter
        If there is no such column.
    """
    of_hsps = HSP_COLUMNS if result.search.max_hsps > 1 else ()
    of_rounds = ROUND_COLUMNS if any(query.rounds for query in result.queries) else ()
    of_frames = FRAME_COLUMNS if result.translation is not None else ()
    of_shifts = SHIFT_COLUMNS if shifting(result.translation) else ()
    of_evidence = evidence_columns(result)
    of_circles = CIRCLE_COLUMNS if result.search.circles.behind else ()
    of_members = MEMBER_COLUMNS if len(result.database.names) > 1 else ()
    return choose_columns(
        keys, (*DEFAULT_COLUMNS, *of_circles, *of_members, *of_hsps, *of_rounds, *of_evidence, *of_frames, *of_shifts)
    )


def with_query(keys: Sequence[str], queries: int) -> tuple[str, ...]:
    """Return columns that say of which query each line is: with its identifier first, where there are several."""
    return tuple(keys) if queries < 2 or "qseqid" in keys else ("qseqid", *keys)


def names_query(columns: Sequence[Column]) -> bool:
    """Return whether one of the columns says of which query a line is."""
    return any(column.key in ("qseqid", "qtitle") for column in columns)


def choose_columns(keys: Sequence[str] | None, usual: Sequence[str] = DEFAULT_COLUMNS) -> tuple[Column, ...]:
    """Return columns by key, each once; the usual ones for None, and before a first key that begins with `ADDED`.

    Raises
    ------
    InvalidParameter
        If there is no such column.
    """
    if keys is None:
        return tuple(HIT_COLUMNS[key] for key in usual)
    chosen: dict[str, Column] = {}
    for key in _ungrouped(keys, usual):
        column = _named(key)
        chosen.setdefault(column.name, column)
    return tuple(chosen.values())


def has_usual(keys: Sequence[str] | None) -> bool:
    """Return whether the request includes the usual columns."""
    return keys is None or (bool(keys) and keys[0].startswith(ADDED))


def columns_need_alignment(keys: Sequence[str] | None) -> bool:
    """Return whether any of the columns can only be filled from an alignment."""
    return any(column.needs_alignment for column in choose_columns(keys))


def columns_need_fit(keys: Sequence[str] | None) -> bool:
    """Return whether any of the columns comes from the fit to all scores of the search; of the usual ones if None."""
    chosen = choose_columns(keys) if keys is not None else [col for col in HIT_COLUMNS.values() if not col.on_request]
    return any(col.source == "fit" for col in chosen)


def _ungrouped(keys: Sequence[str], usual: Sequence[str]) -> Iterator[str]:
    if keys and has_usual(keys):
        yield from usual
    for key in keys:
        name = key.removeprefix(ADDED)
        yield from GROUPS.get(name, (name,))


def _named(key: str) -> Column:
    if key in HIT_COLUMNS:
        return HIT_COLUMNS[key]
    if key in OTHER_NAMES:
        return replace(HIT_COLUMNS[OTHER_NAMES[key]], asked=key)
    if key in _REWRITTEN:
        return _REWRITTEN[key]
    choices = ", ".join((*GROUPS, *HIT_COLUMNS))
    raise InvalidParameter("columns", key, f"There is no column '{key}'.", hint=f"Columns are {choices}.")
