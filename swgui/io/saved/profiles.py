"""Profiles of the queries of a saved search, in a part of their own."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from swgui.core.records import SequenceRecord
from swgui.io.profiles.own import document_of, record_of
from swgui.io.saved.facts import QueryFacts, read_queries
from swgui.io.saved.pack import PackReader, PackWriter

PART: Final = "profiles.json"
STARTS: Final = "starts.json"  # what first rounds searched with


def write_profiles(pack: PackWriter, records: Sequence[SequenceRecord], part: str = PART) -> None:
    """Write the profiles of queries, if any has one."""
    if any(record.profile is not None for record in records):
        documents = [None if record.profile is None else document_of(record) for record in records]
        pack.text(part, json.dumps(documents).encode("ascii"))


def read_records(pack: PackReader, facts: Sequence[QueryFacts], part: str = PART) -> tuple[SequenceRecord, ...]:
    """Return the queries, with the profiles they were searched with, or (`STARTS`) those of their first rounds.

    Raises
    ------
    ValueError
        If the parts do not fit together.
    """
    records = read_queries(facts, pack.text("queries.fasta"))
    if part not in pack:
        return records
    documents = json.loads(pack.text(part))
    if not isinstance(documents, list):
        raise ValueError("profiles of queries")
    return tuple(_with_profile(*pair) for pair in zip(records, documents, strict=True))


def _with_profile(record: SequenceRecord, document: object) -> SequenceRecord:
    if document is None:
        return record
    profile = record_of(document).profile
    if profile is None or len(profile) != len(record.residues):
        raise ValueError("length of a profile")
    return replace(record, profile=profile)
