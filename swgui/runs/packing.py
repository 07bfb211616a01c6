"""Sequences, edges, texts and schemes as the plain values and arrays that runs are kept in, and back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import alphabet_by_name
from swgui.core.database import EncodedDatabase, encode_database
from swgui.core.network.edges import BACK, Edges
from swgui.core.plain import from_plain, plain
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.io.network.graphs import Network
from swgui.io.saved.log import Arrays
from swgui.io.saved.scheme import SchemeFacts
from swgui.paths import moved
from swgui.runs.records import RunError


def plain_fields(record: Any, names: Iterable[str]) -> dict[str, Any]:
    """Return fields of a record as JSON has them."""
    return {name: plain(getattr(record, name)) for name in names}


def fields_of(kind: type, facts: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Make fields of a record of their plain values, each by its type; `ValueError` if one does not fit."""
    hints = get_type_hints(kind)
    return {name: from_plain(hints[name], facts[name]) for name in names}


def packed_place(sequences: Path | EncodedDatabase | Network, source: str = "") -> tuple[dict[str, str], Arrays]:
    """Return where sequences are: in a file, or, where there is none, names and residues."""
    if isinstance(sequences, Path) or source:
        return {"file": str(sequences.absolute() if isinstance(sequences, Path) else Path(source).absolute())}, {}
    if isinstance(sequences, Network):
        raise RunError("A network without a file of its own is not kept among the runs.", hint="Save it first.")
    records = [sequences.record(index) for index in range(len(sequences))]
    residues = np.frombuffer(b"".join(record.residues for record in records), np.uint8)
    lengths = np.array([len(record.residues) for record in records], np.int64)
    texts = packed_texts([record.id for record in records], [record.description for record in records])
    facts = {"alphabet": sequences.alphabet.name, "name": sequences.name}
    return facts, {"residues": residues, "lengths": lengths, "texts": texts}


def place_of(facts: Mapping[str, str], arrays: Arrays) -> Path | EncodedDatabase:
    """Return the file of sequences, or make them again, of what `packed_place` returned."""
    if "file" in facts:
        return moved(Path(facts["file"]))
    residues, ends = arrays["residues"].tobytes(), np.cumsum(arrays["lengths"]).tolist()
    ids, descriptions = texts_of(arrays["texts"])
    parts = (residues[begin:end] for begin, end in zip([0, *ends[:-1]], ends, strict=True))
    records = (SequenceRecord(*of_one) for of_one in zip(ids, descriptions, parts, strict=True))
    return encode_database(records, alphabet_by_name(facts["alphabet"]), facts["name"])


def packed_edges(edges: Edges) -> dict[str, NDArray[Any]]:
    """Return the columns of edges."""
    return edges.columns_by_name


def edges_of(arrays: Arrays) -> Edges:
    """Make edges of their columns."""
    return Edges(**{name: arrays[name] for name in Edges.__dataclass_fields__ if name != BACK or name in arrays})


def packed_texts(*texts: Sequence[str]) -> NDArray[np.uint8]:
    """Return lists of texts as one array, which is compressed: a JSON member of many names is slow to read."""
    return np.frombuffer(json.dumps([list(some) for some in texts]).encode("ascii"), np.uint8)


def texts_of(packed: NDArray[Any]) -> list[list[str]]:
    """Return the lists of texts of such an array."""
    lists: list[list[str]] = json.loads(packed.tobytes())
    return lists


def scheme_facts(scheme: ScoringScheme | None) -> Any:
    """Return a scheme as JSON has it; None if there is none."""
    return plain(SchemeFacts.of(scheme)) if scheme is not None else None


def scheme_of(facts: Any) -> ScoringScheme | None:
    """Make a scheme again."""
    return from_plain(SchemeFacts, facts).scheme() if facts is not None else None
