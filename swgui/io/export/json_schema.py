"""What the JSON export holds, as a JSON Schema made from the tables of columns."""

from __future__ import annotations

from typing import Any, Final

from swgui.core.entries.features import KINDS
from swgui.core.verdict.kinds import MEANINGS
from swgui.io.export.columns import HIT_COLUMNS, Column, is_of_alignment

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
FORMAT_VERSION: Final = 1  # of the JSON export; a field that goes or changes its meaning makes a new one

_TYPES: Final = {"text": "string", "integer": "integer", "real": "number", "evalue": "number"}
_NUMBER: Final = {"type": "integer", "minimum": 0}


def json_schema() -> dict[str, Any]:
    """Return the schema of what ``--format json`` writes.

    Fields of hits are those of the columns that were asked for. Further fields of ``search`` may come with any
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
        "$defs": {"query": _query(), "feature": _feature(), "hit": _hit(), "hsp": _object(_of_alignment())},
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


def _feature() -> dict[str, Any]:
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
    hit = _object(list(HIT_COLUMNS.values()))
    hit["properties"] |= {
        "verdict_sentence": {"type": "string"},
        "subject_features": {"type": "array", "items": {"$ref": "#/$defs/feature"}},
        "hsps": {"type": "array", "items": {"$ref": "#/$defs/hsp"}, "description": "all alignments, best first"},
    }
    return hit


def _of_alignment() -> list[Column]:
    return [column for column in HIT_COLUMNS.values() if is_of_alignment(column)]


def _object(columns: list[Column]) -> dict[str, Any]:
    """Return the schema of an object with columns as fields; null where a value is not known."""
    fields = {
        column.key: {"type": [_TYPES[column.kind], "null"], "title": column.heading, "description": column.description}
        for column in columns
    }
    return {"type": "object", "additionalProperties": False, "properties": fields}
