"""Networks among the runs: requests and outcomes of comparisons all against all as plain values and arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from swgui.core.contexts import NO_CONTEXT, OWN_CONTEXT
from swgui.core.database import EncodedDatabase
from swgui.core.network.edges import STRANDS_SAID
from swgui.core.plain import replace
from swgui.core.table import Table
from swgui.io.database.any_file import open_any_database
from swgui.io.methods.networks import network_methods
from swgui.io.network.file import SUFFIX, is_network_file, load_network, save_network
from swgui.io.network.graphs import Network
from swgui.jobs.network.request import NetworkOutcome, NetworkRequest
from swgui.runs.kept import About, Ended, Packed
from swgui.runs.packing import (
    edges_of,
    fields_of,
    packed_edges,
    packed_place,
    packed_texts,
    place_of,
    plain_fields,
    scheme_facts,
    scheme_of,
    texts_of,
)
from swgui.runs.plain import Codec, Kept, PlainRuns, kind_of_file
from swgui.runs.records import RunError

_PLAIN: Final = (
    "evalue",
    "engine",
    "strand",
    "context",
    "name",
    "options",
)  # fields of a request that are plain values
_SAID: Final = ("name", "evalue", "source", "checksum", "scoring", "strand", "compared", "context")  # of a network
BEFORE: Final = {"context": NO_CONTEXT}  # in files of before


class NetworkCodec(Codec):
    """Comparisons all against all; sequences are kept by their file or, without one, by their residues."""

    def pack_request(self, asked: NetworkRequest) -> Packed:
        """Return the plain values of a request."""
        place, arrays = packed_place(asked.sequences, asked.source)
        own = {"scheme": scheme_facts(asked.scheme), "sequences": place}
        return Packed(plain_fields(asked, _PLAIN) | own, arrays)

    def request(self, packed: Packed) -> NetworkRequest:
        """Make a request again; its file is opened by its steps."""
        facts = BEFORE | packed.facts
        values = fields_of(NetworkRequest, facts, _PLAIN)
        place = place_of(facts["sequences"], packed.arrays)
        return NetworkRequest(place, scheme=scheme_of(facts["scheme"]), **values)

    def travelling(self, asked: NetworkRequest) -> NetworkRequest:
        """Return a request with its sequences in memory; `RunError` if it reads a saved network."""
        if asked.is_saved:
            raise RunError("A saved network is not compared again, so that no other computer is needed.")
        check_library(asked)
        here = replace(asked.options, on="")
        if isinstance(asked.sequences, Path) or asked.source:
            file = Path(asked.file)
            return replace(asked, sequences=open_any_database(file), source="", name=asked.name, options=here)
        return replace(asked, options=here) if asked.options.on else asked

    def brought(self, asked: NetworkRequest, outcome: NetworkOutcome) -> NetworkOutcome:
        """Return an outcome that names the file of its sequences here."""
        return replace(outcome, network=replace(outcome.network, source=asked.file)) if asked.file else outcome

    def content(self, asked: NetworkRequest) -> str:
        """Return the checksum of sequences in memory; a saved network, which is not compared again, has none."""
        return asked.sequences.checksum if isinstance(asked.sequences, EncodedDatabase) else ""

    def about(self, asked: NetworkRequest) -> About:
        """Return the facts of a request for a list."""
        database = asked.sequences
        number = 0 if isinstance(database, Path) else len(database.ids)
        name = Path(asked.file).name if asked.file else database.name
        how = STRANDS_SAID["plus" if asked.strand == "plus" else ""]
        how = ", context scores" if asked.context != NO_CONTEXT else how
        about = f"All against all, E up to {asked.evalue:g}{how}"
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
        facts, arrays = BEFORE | packed.facts, packed.arrays
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


def check_library(asked: Any) -> None:
    """Refuse another computer for context scores by a library of this one; `RunError`."""
    if asked.options.on and asked.context not in (NO_CONTEXT, OWN_CONTEXT):
        raise RunError(
            f"The context library '{asked.context}' is on this computer, the comparison is to be on another one.",
            hint="Take --context own, or compare here.",
        )


def kept_network(made: Network, path: Path | None = None) -> Kept:
    """Return a network with a request for it: of the file of its sequences, or, if none is known, of its own file."""
    place = Path(made.source) if made.source else path or made
    name = made.name or place.name
    return Kept(
        NetworkRequest(place, "", made.evalue, made.scheme, strand=made.strand, context=made.context, name=name),
        NetworkOutcome(made, cells=_cells_of(made) if made.source else 0),  # others are not compared again
    )


def _cells_of(made: Network) -> int:
    """Return the cells of all pairs of a network, as `AllAgainstAll` counts them; 0 of a partial one."""
    if not made.complete:
        return 0
    lengths = np.asarray(made.lengths, dtype=np.int64)
    times = 2 if made.strand == "both" or made.context != NO_CONTEXT else 1
    return times * int(lengths.sum() ** 2 - (lengths**2).sum()) // 2
