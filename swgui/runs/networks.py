"""Networks among the runs: how a comparison all against all, and what came of it, become plain values and arrays."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import alphabet_by_name
from swgui.core.database import EncodedDatabase, encode_database
from swgui.core.engines import EngineOptions
from swgui.core.network.edges import STRANDS_SAID, Edges
from swgui.core.plain import from_plain, plain
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.core.table import Table
from swgui.io.network.graphs import Network
from swgui.io.saved.facts import SchemeFacts
from swgui.io.saved.log import Arrays
from swgui.jobs.network.request import NetworkOutcome, NetworkRequest
from swgui.runs.plain import About, Codec, Ended, Packed

_PLAIN: Final = ("source", "evalue", "engine", "strand", "name")  # fields of a request that are plain values
_SAID: Final = ("name", "evalue", "source", "checksum", "scoring", "strand", "compared")  # and of a network


class NetworkCodec(Codec):
    """Of comparisons all against all: sequences by their file, or, where there is none, by their residues."""

    def pack_request(self, asked: NetworkRequest) -> Packed:
        """Return what a request is made again from."""
        facts: dict[str, Any] = {name: getattr(asked, name) for name in _PLAIN}
        facts |= {"options": plain(asked.options), "scheme": _scheme_facts(asked.scheme), "file": asked.file}
        if asked.file or isinstance(asked.sequences, Path):
            return Packed(facts, {})
        facts |= {"alphabet": asked.sequences.alphabet.name, "called": asked.sequences.name}
        return Packed(facts, packed_sequences(asked.sequences))

    def request(self, packed: Packed) -> NetworkRequest:
        """Make a request again; its file is opened by its steps."""
        facts = packed.facts
        values = {name: facts[name] for name in _PLAIN}
        options = from_plain(EngineOptions, facts["options"])
        if facts["file"]:
            sequences: Path | EncodedDatabase = Path(facts["file"])
            values["source"] = ""
        else:
            sequences = sequences_of(packed.arrays, facts["alphabet"], facts["called"])
        return NetworkRequest(sequences, scheme=_scheme(facts["scheme"]), options=options, **values)

    def about(self, asked: NetworkRequest) -> About:
        """Return what a list says of a request."""
        database = asked.sequences
        number = len(database) if isinstance(database, EncodedDatabase) else 0
        name = Path(asked.file).name if asked.file else database.name
        about = f"All against all, E up to {asked.evalue:g}{STRANDS_SAID['plus'] if asked.strand == 'plus' else ''}"
        return About(asked.called, about, number, name)

    def pack(self, outcome: NetworkOutcome) -> Packed:
        """Return what an outcome is made again from."""
        made = outcome.network
        facts: dict[str, Any] = {name: getattr(made, name) for name in _SAID}
        facts |= {"seconds": outcome.seconds, "cells": outcome.cells, "scheme": _scheme_facts(made.scheme)}
        arrays: dict[str, NDArray[Any]] = {name: getattr(made.edges, name) for name in Edges.__dataclass_fields__}
        arrays |= {"bits": made.bits, "lengths": np.asarray(made.lengths, np.int32)}
        arrays["texts"] = _packed_texts([list(made.ids), list(made.descriptions)])
        return Packed(facts, arrays)

    def outcome(self, asked: NetworkRequest, packed: Packed) -> NetworkOutcome:
        """Make an outcome again."""
        facts, arrays = packed
        edges = Edges(**{name: arrays[name] for name in Edges.__dataclass_fields__})
        ids, descriptions = _texts(arrays["texts"])
        made = Network(
            ids=ids,
            descriptions=descriptions,
            lengths=arrays["lengths"],
            edges=edges,
            bits=arrays["bits"],
            scheme=_scheme(facts["scheme"]),
            **{name: facts[name] for name in _SAID},
        )
        kept = asked.sequences if isinstance(asked.sequences, EncodedDatabase) else None
        return NetworkOutcome(made, facts["seconds"], facts["cells"], kept)

    def ended(self, outcome: NetworkOutcome) -> Ended:
        """Return what a list says of an outcome."""
        made = outcome.network
        reason = "" if made.complete else f"Stopped by you. {made.partly}"
        return Ended(made.complete, len(made.edges), outcome.seconds, made.compared, outcome.cells, reason)

    def tables(self, asked: NetworkRequest, outcome: NetworkOutcome) -> Mapping[str, Table[Any]]:
        """Return the edges."""
        return {"edges": outcome.network.edges_table()}


CODEC: Final = NetworkCodec()


def packed_sequences(database: EncodedDatabase) -> Arrays:
    """Return the names and the residues of sequences."""
    records = [database.record(index) for index in range(len(database))]
    residues = np.frombuffer(b"".join(record.residues for record in records), np.uint8)
    lengths = np.array([len(record.residues) for record in records], np.int64)
    texts = [[record.id for record in records], [record.description for record in records]]
    return {"residues": residues, "lengths": lengths, "texts": _packed_texts(texts)}


def sequences_of(arrays: Arrays, alphabet: str, name: str) -> EncodedDatabase:
    """Make sequences again of what `packed_sequences` returned; `ValueError` if that is damaged."""
    residues, ends = arrays["residues"].tobytes(), np.cumsum(arrays["lengths"]).tolist()
    ids, descriptions = _texts(arrays["texts"])
    begins = [0, *ends[:-1]]
    parts = (residues[begin:end] for begin, end in zip(begins, ends, strict=True))
    records = (SequenceRecord(*of_one) for of_one in zip(ids, descriptions, parts, strict=True))
    return encode_database(records, alphabet_by_name(alphabet), name)


def _packed_texts(texts: list[list[str]]) -> NDArray[np.uint8]:
    """Return texts as one array, which is compressed: a JSON member of many names is slow to read."""
    return np.frombuffer(json.dumps(texts).encode("ascii"), np.uint8)


def _texts(packed: NDArray[Any]) -> tuple[list[str], list[str]]:
    ids, descriptions = json.loads(packed.tobytes())
    return ids, descriptions


def _scheme_facts(scheme: ScoringScheme | None) -> Any:
    return plain(SchemeFacts.of(scheme)) if scheme is not None else None


def _scheme(facts: Any) -> ScoringScheme | None:
    return from_plain(SchemeFacts, facts).scheme() if facts is not None else None
