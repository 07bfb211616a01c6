"""JSON: everything, typed, with the parameters of the search."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TextIO

from swgui.core.features import KINDS, Feature
from swgui.core.hits.results import SearchResult
from swgui.core.hits.table import Hit, tables_of
from swgui.core.translation.programs import shifting
from swgui.core.verdict.hits import judge
from swgui.core.verdict.kinds import MEANINGS
from swgui.core.verdict.queries import count_kinds, judge_query
from swgui.io.cells import json_text, literals
from swgui.io.export.base import ExportOptions
from swgui.io.export.columns import (
    FRAME_COLUMNS,
    HIT_COLUMNS,
    HSP_COLUMNS,
    SHIFT_COLUMNS,
    Column,
    choose_columns,
    is_of_alignment,
)
from swgui.io.export.provenance import provenance
from swgui.io.export.rows import subject_parts

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
FORMAT_VERSION: Final = 1  # of the JSON export; a field that goes or changes its meaning makes a new one

_TYPES: Final = {"text": "string", "integer": "integer", "real": "number", "evalue": "number"}
_NUMBER: Final = {"type": "integer", "minimum": 0}


def write_json(result: SearchResult, hits: Iterable[Hit], file: TextIO, options: ExportOptions) -> None:
    """Write one object: ``search``, ``queries`` and ``hits``, a line per hit.

    A hit has the numbers of its best alignment; if a search reports more than one, ``hsps`` next to them lists them all
    with the fields in which they differ. Features of a query are with it, those of a subject that an alignment
    touches with the hit, where their entries had any. Verdicts are there as words and as sentences, of hits and of
    queries.
    ``evalue`` is written with its true exponent even where a double would underflow; ``log10_evalue``
    has it for readers that cannot take that. Unknown values are null.
    """
    several = result.search.max_hsps > 1
    without = {*(() if several else HSP_COLUMNS), *(() if result.translation else FRAME_COLUMNS)}
    without |= set(() if shifting(result.translation) else SHIFT_COLUMNS)
    everything = tuple(key for key in HIT_COLUMNS if key not in without)
    chosen = (*choose_columns(options.columns, everything), *options.joined)
    head = {"format": "swgui hits", "format_version": FORMAT_VERSION, "search": provenance(result)}
    file.write(json_text(head, indent=1)[:-2])
    file.write(',\n "queries": [')
    for number, of_query in enumerate(result.queries):
        query = {
            "qseqid": of_query.query.id,
            "qtitle": of_query.query.description,
            "qlen": len(of_query.query.residues),
            "subjects_scored": of_query.subjects_scored,
            "hits_found": len(of_query.hits),
            **({"features": list(map(_feature, of_query.query.features))} if of_query.query.features else {}),
            "verdict": judge_query(of_query),
            "verdicts": count_kinds(of_query.hits),
        }
        file.write((",\n  " if number else "\n  ") + json_text(query))
    file.write('\n ],\n "hits": [')
    before = ""
    for table in tables_of(hits):
        cells = {column.key: literals(column, table) for column in chosen}
        of_each = [column.key for column in chosen if is_of_alignment(column)] if several else []
        for hit in table.hits():
            fields = _fields(cells, [column.key for column in chosen], hit.line)
            fields += _more(hit, result) if options.columns is None else []
            if several and hit.alignment is not None:
                rows = (f"{{{', '.join(_fields(cells, of_each, row.line))}}}" for row in hit.rows())
                fields.append(f'"hsps": [{", ".join(rows)}]')
            file.write(f"{before}\n  {{{', '.join(fields)}}}")
            before = ","
    file.write("\n ]\n}\n")


def _feature(feature: Feature) -> dict[str, object]:
    """Return a feature with its stretches counted from 1, both ends included."""
    spans = [[start + 1, end] for start, end in feature.spans]
    strand = {"strand": "minus"} if feature.strand < 0 else {}
    return {"kind": feature.kind, "title": KINDS[feature.kind].title, "name": feature.name, "spans": spans, **strand}


def _touched(hit: Hit) -> list[dict[str, object]]:
    """Return those features of the subject that an alignment touches; of a genome that is a small part."""
    features = hit.subject.features
    ranges = [(start - 1, end) for row in hit.rows() for start, end in subject_parts(row)] if features else []
    return [
        _feature(feature)
        for feature in features
        if any(feature.start < end and start < feature.end for start, end in ranges)
    ]


def _more(hit: Hit, result: SearchResult) -> list[str]:
    """Return the fields of a hit that are not columns."""
    sentence, features = judge(hit, result), _touched(hit)
    fields = [f'"verdict_sentence": {json_text(sentence)}'] if sentence else []
    return fields + ([f'"subject_features": {json_text(features)}'] if features else [])


def _fields(cells: Mapping[str, Sequence[str]], keys: Sequence[str], line: int) -> list[str]:
    return [f"{json.dumps(key)}: {cells[key][line]}" for key in keys]


def json_schema() -> dict[str, Any]:
    """Return the schema of ``--format json``.

    Fields of hits are the requested columns. Further fields of ``search`` may come with any
    version; all others are listed.
    """
    return {
        "$schema": DIALECT,
        "title": "Hits of a search by swgui",
        "type": "object",
        "required": ["format", "format_version", "search", "queries", "hits"],
        "additionalProperties": False,
        "properties": {
            "format": {"const": "swgui hits"},
            "format_version": {"const": FORMAT_VERSION},
            "search": {"type": "object", "required": ["program", "database", "database_checksum", "state"]},
            "queries": {"type": "array", "items": {"$ref": "#/$defs/query"}},
            "hits": {"type": "array", "items": {"$ref": "#/$defs/hit"}},
        },
        "$defs": {
            "query": _query(),
            "feature": _feature_schema(),
            "hit": _hit(),
            "hsp": _schema_of([*filter(is_of_alignment, HIT_COLUMNS.values())]),
        },
    }


def _query() -> dict[str, Any]:
    return {
        "type": "object",
        "required": ["qseqid", "qtitle", "qlen", "subjects_scored", "hits_found", "verdict", "verdicts"],
        "additionalProperties": False,
        "properties": {
            "qseqid": {"type": "string"},
            "qtitle": {"type": "string"},
            "qlen": {"type": "integer", "minimum": 1},
            "subjects_scored": _NUMBER,
            "hits_found": _NUMBER,
            "features": {"type": "array", "items": {"$ref": "#/$defs/feature"}},
            "verdict": {"type": "string"},
            "verdicts": {"type": "object", "propertyNames": {"enum": list(MEANINGS)}, "additionalProperties": _NUMBER},
        },
    }


def _feature_schema() -> dict[str, Any]:
    span = {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}
    return {
        "type": "object",
        "required": ["kind", "title", "name", "spans"],
        "additionalProperties": False,
        "properties": {
            "kind": {"enum": list(KINDS)},
            "title": {"type": "string"},
            "name": {"type": "string"},
            "spans": {"type": "array", "items": span, "description": "first and last residue, from 1"},
            "strand": {"const": "minus"},
        },
    }


def _hit() -> dict[str, Any]:
    hit = _schema_of(list(HIT_COLUMNS.values()))
    hit["properties"] |= {
        "verdict_sentence": {"type": "string"},
        "subject_features": {"type": "array", "items": {"$ref": "#/$defs/feature"}},
        "hsps": {"type": "array", "items": {"$ref": "#/$defs/hsp"}, "description": "all alignments, best first"},
    }
    return hit


def _schema_of(columns: list[Column]) -> dict[str, Any]:
    """Return the schema of an object with columns as fields; null where a value is not known."""
    fields = {
        column.key: {"type": [_TYPES[column.kind], "null"], "title": column.heading, "description": column.description}
        for column in columns
    }
    return {"type": "object", "additionalProperties": False, "properties": fields}
