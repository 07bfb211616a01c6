"""BLAST JSON in one file (BLAST's format 15): the elements of XML2, under names with underscores."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Final, TextIO

from swgui.core.headers import parse_header
from swgui.core.hits.results import QueryResult, SearchResult
from swgui.core.hits.table import Hit
from swgui.io.cells import clean_text
from swgui.io.export.base import ExportOptions
from swgui.io.export.blast_fields import (
    HSP_ORDER,
    NOT_SAID,
    aligned_ones,
    blast_parameters,
    blast_program,
    genetic_codes,
    hsp_fields,
)
from swgui.io.export.grouping import by_query
from swgui.io.export.provenance import provenance_lines

# Fields that the form has as numbers; a number is written as all exports write it, so that E never becomes 0.
_NUMBERS: Final = frozenset({"bit-score", "evalue", "expect", "sc-match", "sc-mismatch"})


def write_blast_json(result: SearchResult, hits: Iterable[Hit], file: TextIO, options: ExportOptions) -> None:
    """Write an object with the list ``BlastOutput2``, which has a report for each query."""
    file.write('{"BlastOutput2":[')
    for number, (of_query, group) in enumerate(by_query(result, hits), 1):
        file.write(f"{',' if number > 1 else ''}\n{_report(result, of_query, aligned_ones(group), number)}")
    file.write("\n]}\n")


def _report(result: SearchResult, of_query: QueryResult, group: list[Hit], number: int) -> str:
    query = of_query.query
    search = {
        "query_id": _value(f"Query_{number}"),
        "query_title": _value(query.header),
        "query_len": _value(len(query.residues)),
        "hits": f"[{','.join(_hit(result, hit, place) for place, hit in enumerate(group, 1))}]",
        "stat": _object(
            [("db-num", len(result.database)), ("db-len", result.database.residues), *NOT_SAID],
        ),
        **({} if group else {"message": _value("No hits found")}),
    }
    report = {
        "program": _value(blast_program(result)),
        "version": _value(f"swgui {result.version}"),
        "reference": _value("; ".join(provenance_lines(result))),
        "search_target": _join({"db": _value(result.database.name)}),
        "params": _object([*blast_parameters(result), *genetic_codes(result)]),
        "results": _join({"search": _join(search)}),
    }
    return _join({"report": _join(report)})


def _hit(result: SearchResult, hit: Hit, place: int) -> str:
    subject = hit.subject
    described = {
        "id": subject.id,
        "accession": parse_header(subject.id, subject.description).accession or subject.id,
        "title": subject.description,
    }
    of_rows = (hsp_fields(row, result.scheme) for row in hit.rows())
    rows = [_object((name, row[name]) for name in HSP_ORDER if name in row) for row in of_rows if row is not None]
    return _join(
        {
            "num": _value(place),
            "description": f"[{_object(described.items())}]",
            "len": _value(len(subject.residues)),
            "hsps": f"[{','.join(rows)}]",
        }
    )


def _object(fields: Iterable[tuple[str, object]]) -> str:
    return _join({name.replace("-", "_"): _value(value, number=name in _NUMBERS) for name, value in fields})


def _join(members: Mapping[str, str]) -> str:
    return "{" + ",".join(f'"{name}":{value}' for name, value in members.items()) + "}"


def _value(value: object, *, number: bool = False) -> str:
    """Return a value as JSON has it; a number that is not known is null."""
    text = str(value)
    if number:
        return "null" if text == "NaN" else text.removeprefix("+")
    return json.dumps(clean_text(value)) if isinstance(value, str) else text
