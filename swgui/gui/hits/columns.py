"""The columns a hit table can show: one record each. Keys are the names the exports use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from swgui.gui.words import formatting


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the hit table.

    Parameters
    ----------
    key : str
        Name in exports and in `HitData.values`.
    title : str
        Head of the column.
    name : str
        Full name, for the chooser, filter chips and screen readers.
    definition : str
        One or two sentences: what is counted, with the formula.
    kind : {"tick", "star", "text", "number", "bar", "map"}
        How it is drawn: ``bar`` is a percentage with a bar behind the number, ``map`` the stretch of
        the query inside the alignment.
    source : {"search", "alignment", "header", "marks"}
        Where values come from; those of the alignment are filled in the background, marks are the user's own.
    show : Callable[[float], str]
        Text of a number.
    width : int
        In characters of the table's font.
    shown : bool
        Whether it stands in the table from the start.
    falling : bool
        Whether the first click on the head puts the largest value on top.
    """

    key: str
    title: str
    name: str
    definition: str
    kind: Literal["tick", "star", "text", "number", "bar", "map"] = "number"
    source: Literal["search", "alignment", "header", "marks"] = "search"
    show: Callable[[float], str] = formatting.count
    width: int = 7
    shown: bool = False
    falling: bool = False

    def tool_tip(self, translate: Callable[[str], str] = str) -> str:
        """Return name, definition and the name in export files."""
        name, definition = translate(self.name), translate(self.definition)
        files = translate("In files")
        return f"<p style='white-space:pre-wrap'><b>{name}</b><br>{definition}</p><p>{files}: {self.key}</p>"


COLUMNS: tuple[Column, ...] = (
    Column("tick", "", "Basket", "Ticked hits form the basket: kept while you filter, sort or change the query, "
           "and exported together. The blue selection is something else.", kind="tick", source="marks", width=2,
           shown=True),
    Column("rank", "#", "Rank", "Place in the list by score; equal scores keep the order of the database.",
           width=6, shown=True),
    Column("star", "", "Star", "Hits you want to find again: a click or the key S gives and takes the star. Stars "
           "are kept with the search.", kind="star", source="marks", width=2, shown=True, falling=True),
    Column("sseqid", "Subject", "Subject", "Short name of the subject sequence; the whole identifier where the header "
           "follows no known layout.", kind="text", source="header", width=15, shown=True),
    Column("stitle", "Description", "Description", "What the database says about the subject.", kind="text",
           source="header", width=30, shown=True),
    Column("organism", "Organism", "Organism", "Organism named in a UniProt or NCBI header.", kind="text",
           source="header", width=18, shown=True),
    Column("accession", "Accession", "Accession", "Accession number of the subject.", kind="text", source="header",
           width=13),
    Column("gene", "Gene", "Gene", "Gene named in a UniProt or Ensembl header.", kind="text", source="header",
           width=10),
    Column("score", "Score", "Score", "Smith-Waterman score: the sum of matrix values of the aligned pairs minus the "
           "costs of the gaps. Exact for every subject.", width=6, shown=True, falling=True),
    Column("bitscore", "Bits", "Bit score", "Score on a scale that does not depend on matrix and gap costs: "
           "(λ × score − ln K) / ln 2.", show=formatting.bits, width=7, shown=True, falling=True),
    Column("evalue", "E", "E-value", "How many subjects would score at least this much by chance in a database of "
           "this size.", show=formatting.evalue, width=9, shown=True),
    Column("log10_evalue", "log₁₀ E", "Logarithm of E", "Decadic logarithm of the E-value; it never underflows.",
           show=formatting.log_ten, width=10),
    Column("sstrand", "Strand", "Strand", "Plus, or minus if the reverse complement of the query scored better.",
           show=lambda value: "plus" if value > 0 else "minus", width=7),
    Column("pident", "Id %", "Identity", "Columns with the same letter on both sides, in percent of all columns of "
           "the alignment, gaps included.", source="alignment", show=formatting.percent, width=6, shown=True,
           falling=True),
    Column("qcovhsp", "Query %", "Query coverage", "Part of the query inside the alignment, in percent of the "
           "whole query.", kind="bar", source="alignment", show=formatting.percent, width=8, shown=True, falling=True),
    Column("scovhsp", "Subject %", "Subject coverage", "Part of the subject inside the alignment, in percent of the "
           "whole subject.", kind="bar", source="alignment", show=formatting.percent, width=8, shown=True,
           falling=True),
    Column("ppos", "Pos %", "Positives", "Columns whose pair has a matrix value above zero, in percent of all "
           "columns of the alignment.", source="alignment", show=formatting.percent, width=6, shown=True, falling=True),
    Column("length", "Length", "Alignment length", "Columns of the alignment, gaps included.", source="alignment",
           shown=True, falling=True),
    Column("gaps", "Gaps", "Gap residues", "Residues that stand against a gap, both sides together.",
           source="alignment", width=6, shown=True, falling=True),
    Column("gapopen", "Gap openings", "Gap openings", "Number of gaps, whatever their length.", source="alignment",
           width=11, falling=True),
    Column("nident", "Identities", "Identities", "Columns with the same letter on both sides.", source="alignment",
           width=9, falling=True),
    Column("positive", "Positives", "Positives, count", "Columns whose pair has a matrix value above zero.",
           source="alignment", width=9, falling=True),
    Column("mismatch", "Mismatches", "Mismatches", "Aligned pairs of different letters.", source="alignment", width=10,
           falling=True),
    Column("zscore", "Z", "Z-score", "How far the score stands above those of unrelated subjects of the same "
           "length: 50 is their mean, 10 more a standard deviation. From the fit to this search.", source="alignment",
           show=formatting.percent, width=7, falling=True),
    Column("evalue_fit", "fitted E", "Fitted E-value", "E-value by the extreme-value fit to the scores of this "
           "search, instead of the published constants.", source="alignment", show=formatting.evalue, width=9),
    Column("qstart", "Query from", "Query start", "First residue of the query inside the alignment, counted from 1.",
           source="alignment", width=10),
    Column("qend", "Query to", "Query end", "Last residue of the query inside the alignment, counted from 1.",
           source="alignment", width=9),
    Column("sstart", "Subject from", "Subject start", "First residue of the subject inside the alignment, counted "
           "from 1; on the minus strand larger than the end.", source="alignment", width=11),
    Column("send", "Subject to", "Subject end", "Last residue of the subject inside the alignment, counted from 1.",
           source="alignment", width=10),
    Column("slen", "Subject length", "Subject length", "Residues of the whole subject sequence.", width=12,
           falling=True),
    Column("cigar", "CIGAR", "CIGAR", "The alignment as runs: M aligned pairs, I query residues against a gap, "
           "D subject residues against a gap.", kind="text", source="alignment", width=24),
    Column("map", "On the query", "Place on the query", "Stretch of the query inside the alignment, drawn over the "
           "whole length of the query.", kind="map", source="alignment", width=16, shown=True),
    Column("note", "Note", "Note", "What you wrote about the hit under Details (key N). Notes are kept with the "
           "search.", kind="text", source="marks", width=20),
)  # fmt: skip

BY_KEY = {column.key: column for column in COLUMNS}

# What can be filtered by a range, in the order of the filter panel.
RANGE_KEYS = ("evalue", "score", "bitscore", "pident", "ppos", "qcovhsp", "scovhsp", "length", "gaps", "slen")
