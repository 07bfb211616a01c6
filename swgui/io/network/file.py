"""A network as a file (``.swnet``): sequences by name and length, edges with their alignments' figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import numpy as np

from swgui.core.network.edges import Edges
from swgui.io.network.graphs import Network
from swgui.io.saved.pack import PackReader, PackWriter, damaged
from swgui.io.whole_file import save_bytes

SUFFIX: Final = ".swnet"
FORMAT: Final = "swgui network 1"
_TYPES: Final = {"log10_evalues": "<f8"}


def save_network(network: Network, path: str | Path) -> None:
    """Write a network, whole or not at all.

    Raises
    ------
    FileNotWritten
        If it cannot be written.
    """

    def write(file: object) -> None:
        with PackWriter(file) as pack:  # type: ignore[arg-type]  # a binary file
            for name in Edges.__dataclass_fields__:
                pack.array(name, getattr(network.edges, name))
            pack.array("bits", network.bits)
            pack.array("lengths", np.asarray(network.lengths, dtype=np.int32))
            names = {"ids": list(network.ids), "descriptions": list(network.descriptions)}
            pack.text("names.json", json.dumps(names).encode("ascii"))
            said = {name: getattr(network, name) for name in ("name", "evalue", "source", "scoring")}
            pack.finish({"format": FORMAT, **said})

    save_bytes(path, write)


def load_network(path: str | Path) -> Network:
    """Read a network.

    Raises
    ------
    SavedSearchError
        If it cannot be read, is damaged, or is no network.
    """
    with PackReader(path, "a network") as pack, pack.watched():
        if pack.manifest.get("format") != FORMAT:
            raise damaged(Path(path), f"it is no network of the format '{FORMAT}'")
        size, sequences = pack.count("first"), pack.count("lengths")
        arrays = {name: pack.array(name, _TYPES.get(name, "<i4"), (size,)) for name in Edges.__dataclass_fields__}
        edges, lengths = Edges(**arrays), pack.array("lengths", "<i4", (sequences,))
        names = json.loads(pack.text("names.json"))
        ends = np.concatenate([edges.first, edges.second])
        if len(names["ids"]) != sequences or len(names["descriptions"]) != sequences:
            raise damaged(Path(path), "it does not name all sequences")
        if len(ends) and (ends.min() < 0 or ends.max() >= sequences):
            raise damaged(Path(path), "an edge names a sequence that is not there")
        bits = pack.array("bits", "<f8", (size,))
        manifest = pack.manifest
        texts = names["ids"], names["descriptions"]
        source, scoring = (str(manifest.get(name, "")) for name in ("source", "scoring"))
        name, evalue = str(manifest["name"]), float(manifest["evalue"])
        return Network(name, *texts, lengths, edges, bits, evalue, source=source, scoring=scoring)
