"""Networks among the runs: requests and outcomes of comparisons all against all as plain values and arrays."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
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
from swgui.io.methods.networks import network_methods
from swgui.io.network.file import SUFFIX, is_network_file, load_network, save_network
from swgui.io.network.graphs import Network
from swgui.io.saved.log import Arrays
from swgui.io.saved.scheme import SchemeFacts
from swgui.jobs.network.request import NetworkOutcome, NetworkRequest
from swgui.runs.kept import About, Ended
from swgui.runs.plain import Codec, Kept, Packed, PlainRuns, kind_of_file
from swgui.runs.records import RunError

_PLAIN: Final = ("evalue", "engine", "strand", "name")  # fields of a request that are plain values
_SAID: Final = ("name", "evalue", "source", "checksum", "scoring", "strand", "compared")  # and of a network


class NetworkCodec(Codec):
    """Comparisons all against all; sequences are kept by their file or, without one, by their residues."""

    def pack_request(self, asked: NetworkRequest) -> Packed:
        """Return the plain values of a request."""
        facts: dict[str, Any] = {name: getattr(asked, name) for name in _PLAIN}
        place, arrays = packed_place(asked.sequences, asked.source)
        facts |= {"options": plain(asked.options), "scheme": scheme_facts(asked.scheme), "sequences": place}
        return Packed(facts, arrays)

    def request(self, packed: Packed) -> NetworkRequest:
        """Make a request again; its file is opened by its steps."""
        facts = packed.facts
        values = {name: facts[name] for name in _PLAIN}
        options, scheme = from_plain(EngineOptions, facts["options"]), scheme_of(facts["scheme"])
        return NetworkRequest(place_of(facts["sequences"], packed.arrays), scheme=scheme, options=options, **values)

    def content(self, asked: NetworkRequest) -> str:
        """Return the checksum of sequences in memory; a saved network, which is not compared again, has none."""
        return asked.sequences.checksum if isinstance(asked.sequences, EncodedDatabase) else ""

    def about(self, asked: NetworkRequest) -> About:
        """Return the facts of a request for a list."""
        database = asked.sequences
        number = 0 if isinstance(database, Path) else len(database.ids)
        name = Path(asked.file).name if asked.file else database.name
        about = f"All against all, E up to {asked.evalue:g}{STRANDS_SAID['plus'] if asked.strand == 'plus' else ''}"
        return About(asked.called, about, number, name)

    def pack(self, outcome: NetworkOutcome) -> Packed:
        """Return the plain values of an outcome."""
        made = outcome.network
        facts: dict[str, Any] = {name: getattr(made, name) for name in _SAID}
        facts |= {"seconds": outcome.seconds, "cells": outcome.cells, "scheme": scheme_facts(made.scheme)}
        arrays = packed_edges(made.edges) | {"bits": made.bits, "lengths": np.asarray(made.lengths, np.int32)}
        arrays["texts"] = packed_texts(list(made.ids), list(made.descriptions))
        return Packed(facts, arrays)

    def outcome(self, asked: NetworkRequest, packed: Packed) -> NetworkOutcome:
        """Make an outcome again."""
        facts, arrays = packed
        ids, descriptions = texts_of(arrays["texts"])
        made = Network(
            ids=ids,
            descriptions=descriptions,
            lengths=arrays["lengths"],
            edges=edges_of(arrays),
            bits=arrays["bits"],
            scheme=scheme_of(facts["scheme"]),
            **{name: facts[name] for name in _SAID},
        )
        kept = asked.sequences if isinstance(asked.sequences, EncodedDatabase) else None
        return NetworkOutcome(made, facts["seconds"], facts["cells"], kept)

    def ended(self, outcome: NetworkOutcome) -> Ended:
        """Return the facts of an outcome for a list."""
        made = outcome.network
        reason = "" if made.complete else f"Stopped by you. {made.partly}"
        return Ended(made.complete, len(made.edges), outcome.seconds, made.compared, outcome.cells, reason)

    def sentences(self, outcome: NetworkOutcome) -> list[str]:
        """Return the results of a run, a sentence each."""
        return [outcome.sentence]

    def methods(self, asked: NetworkRequest, outcome: NetworkOutcome) -> str:
        """Return a paragraph for a Methods section."""
        return network_methods(outcome.network).paragraph

    def tables(self, asked: NetworkRequest, outcome: NetworkOutcome) -> Mapping[str, Table[Any]]:
        """Return the edges."""
        return {"edges": outcome.network.edges_table()}


class NetworkRuns(PlainRuns):
    """The networks."""

    def inputs(self, outcome: Kept) -> Iterable[str]:
        """Return the file of the sequences, if they have one."""
        place = outcome.asked.file
        return () if place.endswith(SUFFIX) else (place,)

    def holds(self, path: Path) -> bool:
        """Whether a file is a network."""
        return is_network_file(path)

    def open_file(self, path: Path) -> Kept:
        """Return the network in a file; `RunFileError` if it cannot be read."""
        return super().open_file(path) if kind_of_file(path) else kept_network(load_network(path), path)

    def export(self, run_id: str, path: Path) -> None:
        """Write a network to a file of its own; errors as of `open`, and `FileNotWritten`."""
        save_network(self.open(run_id).outcome.network, path)


CODEC: Final = NetworkCodec()


def kept_network(made: Network, path: Path | None = None) -> Kept:
    """Return a network with a request for it: of the file of its sequences, or, if none is known, of its own file."""
    place = Path(made.source) if made.source else path or made
    name = made.name or place.name
    return Kept(
        NetworkRequest(place, "", made.evalue, made.scheme, strand=made.strand, name=name), NetworkOutcome(made)
    )


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
        return Path(facts["file"])
    residues, ends = arrays["residues"].tobytes(), np.cumsum(arrays["lengths"]).tolist()
    ids, descriptions = texts_of(arrays["texts"])
    parts = (residues[begin:end] for begin, end in zip([0, *ends[:-1]], ends, strict=True))
    records = (SequenceRecord(*of_one) for of_one in zip(ids, descriptions, parts, strict=True))
    return encode_database(records, alphabet_by_name(facts["alphabet"]), facts["name"])


def packed_edges(edges: Edges) -> dict[str, NDArray[Any]]:
    """Return the columns of edges."""
    return {name: getattr(edges, name) for name in Edges.__dataclass_fields__}


def edges_of(arrays: Arrays) -> Edges:
    """Make edges of their columns."""
    return Edges(**{name: arrays[name] for name in Edges.__dataclass_fields__})


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
