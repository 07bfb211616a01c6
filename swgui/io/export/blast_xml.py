"""BLAST XML in both forms: XML 1 (BLAST's format 5), which nearly every reader takes, and XML2 (format 16).

Biopython's ``Bio.Blast`` reads XML2 of several queries as fewer; XML 1 is read right by it and by ``Bio.SearchIO``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import Final, TextIO

from swgui.core.headers import parse_header
from swgui.core.hits.results import QueryResult, SearchResult
from swgui.core.hits.table import Hit
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.io.cells import clean_text
from swgui.io.export.base import ExportOptions
from swgui.io.export.blast_fields import (
    HSP_ORDER,
    NO_TITLE,
    NOT_SAID,
    aligned_ones,
    blast_parameters,
    blast_program,
    genetic_codes,
    hsp_fields,
)
from swgui.io.export.grouping import UniqueNames, by_query
from swgui.io.export.provenance import provenance_lines

_HEAD: Final = """<?xml version="1.0" encoding="UTF-8"?>
<BlastXML2
    xmlns="http://www.ncbi.nlm.nih.gov"
    xmlns:xs="http://www.w3.org/2001/XMLSchema-instance"
    xs:schemaLocation="http://www.ncbi.nlm.nih.gov http://www.ncbi.nlm.nih.gov/data_specs/schema_alt/NCBI_BlastOutput2.xsd"
>
"""
_HEAD_1: Final = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE BlastOutput PUBLIC "-//NCBI//NCBI BlastOutput/EN" "http://www.ncbi.nlm.nih.gov/dtd/NCBI_BlastOutput.dtd">
"""
_NOT_IN_XML: Final = re.compile("[\ud800-\udfff\ufffe\uffff]")
_ORDER_1: Final = (
    "num", "bit-score", "score", "evalue", "query-from", "query-to", "hit-from", "hit-to", "query-frame", "hit-frame",
    "identity", "positive", "gaps", "align-len", "qseq", "hseq", "midline",
)  # fmt: skip


def write_blast_xml(result: SearchResult, hits: Iterable[Hit], file: TextIO, options: ExportOptions) -> None:
    """Write XML2, one ``BlastOutput2`` per query; hits without an alignment (score 0) have no place in it.

    Readers go by the program's name, so it is that of the BLAST program for such sequences; the version
    says that swgui made the file, and the reference how.
    """
    file.write(_HEAD)
    for number, (of_query, group) in enumerate(by_query(result, hits), 1):
        _write_query(result, of_query, aligned_ones(group), number, file)
    file.write("</BlastXML2>\n")


def write_blast_xml1(result: SearchResult, hits: Iterable[Hit], file: TextIO, options: ExportOptions) -> None:
    """Write XML 1, one ``BlastOutput`` with an ``Iteration`` per query; all else as `write_blast_xml`."""
    first = result.queries[0].query if result.queries else SequenceRecord("", "", b"")
    file.write(
        f"{_HEAD_1}<BlastOutput>\n"
        + _elements(
            "BlastOutput",
            [
                ("program", blast_program(result)),
                ("version", f"swgui {_text(result.version)}"),
                ("reference", _text("; ".join(provenance_lines(result)))),
                ("db", _text(result.database.name)),
                ("query-ID", "Query_1"),
                ("query-def", _text(first.header)),
                ("query-len", len(first.residues)),
            ],
        )
        + "<BlastOutput_param>\n<Parameters>\n"
        + _elements("Parameters", _written(blast_parameters(result)))
        + "</Parameters>\n</BlastOutput_param>\n<BlastOutput_iterations>\n"
    )
    names = UniqueNames(
        result, lambda name: "_".join(_text(name).split())
    )  # readers take the first word, and each once
    for number, (of_query, group) in enumerate(by_query(result, hits), 1):
        _write_iteration(result, of_query, aligned_ones(group), number, names, file)
    file.write("</BlastOutput_iterations>\n</BlastOutput>\n")


def _elements(kind: str, fields: Iterable[tuple[str, object]]) -> str:
    """Return one element for each field, with the kind before its name as in XML 1; XML2 has none."""
    before = f"{kind}_" if kind else ""
    return "".join(f"<{before}{name}>{value}</{before}{name}>\n" for name, value in fields)


def _written(fields: Iterable[tuple[str, object]]) -> list[tuple[str, object]]:
    return [(name, _text(str(value))) for name, value in fields]


def _write_query(result: SearchResult, of_query: QueryResult, group: list[Hit], number: int, file: TextIO) -> None:
    file.write(
        "<BlastOutput2>\n<report>\n<Report>\n"
        f"<program>{blast_program(result)}</program>\n<version>swgui {_text(result.version)}</version>\n"
        f"<reference>{_text('; '.join(provenance_lines(result)))}</reference>\n"
        f"<search-target>\n<Target>\n<db>{_text(result.database.name)}</db>\n</Target>\n</search-target>\n"
        f"<params>\n<Parameters>\n{_elements('', _written([*blast_parameters(result), *genetic_codes(result)]))}"
        "</Parameters>\n</params>\n"
    )
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
            if (fields := hsp_fields(row, result.scheme)) is not None:
                names = [name for name in HSP_ORDER if name in fields]
                file.write(f"<Hsp>\n{_elements('', [(name, fields[name]) for name in names])}</Hsp>\n")
        file.write("</hsps>\n</Hit>\n")
    file.write(
        "</hits>\n<stat>\n<Statistics>\n"
        f"<db-num>{len(result.database)}</db-num>\n<db-len>{result.database.residues}</db-len>\n"
        "</Statistics>\n</stat>\n</Search>\n</search>\n</Results>\n</results>\n</Report>\n</report>\n</BlastOutput2>\n"
    )


def _write_iteration(
    result: SearchResult, of_query: QueryResult, group: list[Hit], number: int, names: UniqueNames, file: TextIO
) -> None:
    query = of_query.query
    about = [("query-ID", f"Query_{number}"), ("query-def", _text(query.header)), ("query-len", len(query.residues))]
    file.write(f"<Iteration>\n{_elements('Iteration', [('iter-num', number), *about])}<Iteration_hits>\n")
    for place, hit in enumerate(group, 1):
        subject = hit.subject
        fields = [
            ("num", place),
            ("id", names.subject(hit)),
            ("def", _text(subject.description) or NO_TITLE),
            ("accession", _text(parse_header(subject.id, subject.description).accession)),
            ("len", len(subject.residues)),
        ]
        file.write(f"<Hit>\n{_elements('Hit', fields)}<Hit_hsps>\n")
        for row in hit.rows():
            if (found := hsp_fields(row, result.scheme)) is not None:
                file.write(f"<Hsp>\n{_elements('Hsp', _in_frames(found, result.scheme))}</Hsp>\n")
        file.write("</Hit_hsps>\n</Hit>\n")
    size = [("db-num", len(result.database)), ("db-len", result.database.residues)]
    message = "" if group else "<Iteration_message>No hits found</Iteration_message>\n"
    file.write(
        "</Iteration_hits>\n<Iteration_stat>\n<Statistics>\n"
        f"{_elements('Statistics', [*size, *NOT_SAID])}</Statistics>\n</Iteration_stat>\n{message}</Iteration>\n"
    )


def _in_frames(fields: dict[str, object], scheme: ScoringScheme) -> list[tuple[str, object]]:
    """Return the elements of an alignment in XML 1, in order: strands are frames there, and bases have positives."""
    of_strands = {"query-frame": 1, "hit-frame": 1 if fields.get("hit-strand") == "Plus" else -1}
    frames = of_strands if scheme.alphabet.complements else {"query-frame": 0, "hit-frame": 0}
    whole = {**frames, "positive": fields["identity"], **fields}
    return [(name, whole[name]) for name in _ORDER_1]


def _text(text: str) -> str:
    return escape(_NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", clean_text(text)), quote=False)
