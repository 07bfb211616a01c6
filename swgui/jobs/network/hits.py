"""Query and hits of a search as sequences that are compared with each other."""

from __future__ import annotations

from collections.abc import Iterable

from swgui.core.database import EncodedDatabase, encode_database
from swgui.core.hits.results import SearchResult
from swgui.core.records import SequenceRecord


def query_and_hits(
    result: SearchResult, queries: Iterable[SequenceRecord], subjects: Iterable[int], name: str
) -> EncodedDatabase:
    """Return queries and subjects of a search, each once; of a translated search the subjects alone.

    Parameters
    ----------
    subjects : iterable of int
        Source indices of subjects; those that come again are passed over.
    """
    records = {} if result.translation is not None else {record.id: record for record in queries}
    for index in dict.fromkeys(subjects):
        record = result.database.record(index)
        records.setdefault(record.id, record)
    return encode_database(records.values(), result.database.alphabet, name)
