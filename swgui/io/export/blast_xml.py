"""BLAST XML2 (BLAST's format 16), which Biopython, Galaxy and annotation programs read."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from html import escape
from typing import Final, TextIO

from swgui.core.hits.results import QueryResult, SearchResult
from swgui.core.hits.table import Hit
from swgui.core.scoring import ScoringScheme
from swgui.core.words import format_evalue
from swgui.io.cells import clean_text
from swgui.io.export.base import ExportOptions
from swgui.io.export.grouping import by_query
from swgui.io.export.provenance import provenance_lines
from swgui.io.export.rows import aligned_rows, span

_HEAD: Final = """<?xml version="1.0" encoding="UTF-8"?>
<BlastXML2
    xmlns="http://www.ncbi.nlm.nih.gov"
    xmlns:xs="http://www.w3.org/2001/XMLSchema-instance"
    xs:schemaLocation="http://www.ncbi.nlm.nih.gov http://www.ncbi.nlm.nih.gov/data_specs/schema_alt/NCBI_BlastOutput2.xsd"
>
"""
_NOT_IN_XML: Final = re.compile("[\ud800-\udfff\ufffe\uffff]")
_SIMPLE_MATRIX: Final = re.compile(r"\+(\d+)/(-\d+)")


def write_blast_xml(result: SearchResult, hits: Iterable[Hit], file: TextIO, options: ExportOptions) -> None:
    """Write one ``BlastOutput2`` per query; hits without an alignment (score 0) have no place in it.

    Readers go by the program's name, so it is that of the BLAST program for such sequences; the version
    says that swgui made the file, and the reference how.
    """
    file.write(_HEAD)
    for number, (of_query, group) in enumerate(by_query(result, hits), 1):
        _write_query(result, of_query, [hit for hit in group if hit.alignment is not None], number, file)
    file.write("</BlastXML2>\n")


def _write_query(result: SearchResult, of_query: QueryResult, group: list[Hit], number: int, file: TextIO) -> None:
    program = "blastp" if result.scheme.alphabet.name == "protein" else "blastn"
    if result.translation is not None:
        program = result.translation.program
    file.write(
        "<BlastOutput2>\n<report>\n<Report>\n"
        f"<program>{program}</program>\n<version>swgui {_text(result.version)}</version>\n"
        f"<reference>{_text('; '.join(provenance_lines(result)))}</reference>\n"
        f"<search-target>\n<Target>\n<db>{_text(result.database.name)}</db>\n</Target>\n</search-target>\n"
    )
    _write_parameters(result, file)
    query = of_query.query
    file.write(
        f"<results>\n<Results>\n<search>\n<Search>\n<query-id>Query_{number}</query-id>\n"
        f"<query-title>{_text(query.header)}</query-title>\n<query-len>{len(query.residues)}</query-len>\n<hits>\n"
    )
    for place, hit in enumerate(group, 1):
        file.write(
            f"<Hit>\n<num>{place}</num>\n<description>\n<HitDescr>\n<id>{_text(hit.subject.id)}</id>\n"
            f"<title>{_text(hit.subject.description)}</title>\n</HitDescr>\n</description>\n"
            f"<len>{len(hit.subject.residues)}</len>\n<hsps>\n"
        )
        for row in hit.rows():
            _write_hsp(row, result.scheme, file)
        file.write("</hsps>\n</Hit>\n")
    file.write(
        "</hits>\n<stat>\n<Statistics>\n"
        f"<db-num>{len(result.database)}</db-num>\n<db-len>{result.database.residues}</db-len>\n"
        "</Statistics>\n</stat>\n</Search>\n</search>\n</Results>\n</results>\n</Report>\n</report>\n</BlastOutput2>\n"
    )


def _write_parameters(result: SearchResult, file: TextIO) -> None:
    scheme = result.scheme
    simple = _SIMPLE_MATRIX.fullmatch(scheme.matrix.name)
    scores = f"<sc-match>{simple[1]}</sc-match>\n<sc-mismatch>{simple[2]}</sc-mismatch>\n" if simple else ""
    matrix = "" if simple else f"<matrix>{_text(scheme.matrix.name)}</matrix>\n"
    file.write(
        f"<params>\n<Parameters>\n{matrix}<expect>{result.search.limits.max_evalue:g}</expect>\n{scores}"
        f"<gap-open>{scheme.gap_open}</gap-open>\n<gap-extend>{scheme.gap_extend}</gap-extend>\n"
        f"<filter>F</filter>\n{_genetic_codes(result)}</Parameters>\n</params>\n"
    )


def _genetic_codes(result: SearchResult) -> str:
    how = result.translation
    if how is None:
        return ""
    query = f"<query-gencode>{how.query_code}</query-gencode>\n" * how.of.translates_query
    return query + f"<db-gencode>{how.subject_code}</db-gencode>\n" * how.of.translates_database


def _write_hsp(hit: Hit, scheme: ScoringScheme, file: TextIO) -> None:
    ends, counts = span(hit), hit.counts
    if ends is None or counts is None:
        return
    nucleotide = bool(scheme.alphabet.complements)
    rows = aligned_rows(hit, scheme)
    fields: list[tuple[str, object]] = [
        ("num", hit.hsp + 1),
        ("bit-score", "NaN" if math.isnan(hit.bit_score) else f"{hit.bit_score:.3f}"),
        ("score", hit.score),
        ("evalue", format_evalue(hit.log10_evalue, 6) or "NaN"),
        ("identity", counts.nident),
        *([] if nucleotide else [("positive", counts.positive)]),
        *_ends("query", (ends.query_start, ends.query_end), hit.frames[0]),
        *([("query-strand", "Plus")] if nucleotide else []),
        *_ends("hit", (ends.subject_start, ends.subject_end), hit.frames[1]),
        *([("hit-strand", "Plus" if hit.strand > 0 else "Minus")] if nucleotide else []),
        ("align-len", counts.length),
        ("gaps", counts.gaps),
        ("qseq", rows.query),
        ("hseq", rows.subject),
        ("midline", rows.match),
    ]
    file.write("<Hsp>\n" + "".join(f"<{name}>{value}</{name}>\n" for name, value in fields) + "</Hsp>\n")


def _ends(side: str, ends: tuple[int, int], frame: int) -> list[tuple[str, object]]:
    """Return the ends on one side; of what is translated ascending, with the frame, as BLAST writes them."""
    first, last = sorted(ends) if frame else ends
    return [(f"{side}-from", first), (f"{side}-to", last), *([(f"{side}-frame", frame)] if frame else [])]


def _text(text: str) -> str:
    return escape(_NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", clean_text(text)), quote=False)
