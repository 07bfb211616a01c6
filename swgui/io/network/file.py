"""A network as a file (``.swnet``): sequences by name and length, edges with their alignments' figures."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.contexts import NO_CONTEXT
from swgui.core.errors import SwguiError
from swgui.core.network.edges import BACK, Edges
from swgui.core.plain import from_plain, plain, replace
from swgui.core.scoring import ScoringScheme
from swgui.io.matrices import load_matrix, matrix_names
from swgui.io.network.graphs import Network
from swgui.io.saved.pack import PackReader, PackWriter, damaged, manifest_of
from swgui.io.saved.scheme import SchemeFacts
from swgui.io.whole_file import save_bytes

SUFFIX: Final = ".swnet"
_OF_NETWORKS: Final = "swgui network "
FORMAT: Final = f"{_OF_NETWORKS}3"
PARTIAL: Final = f"{_OF_NETWORKS}4"  # not all pairs were compared: earlier versions, which do not know that, refuse it
BY_CONTEXT: Final = f"{_OF_NETWORKS}5"  # two scores of each pair, by context; likewise
_READ: Final = (
    BY_CONTEXT,
    PARTIAL,
    FORMAT,
    f"{_OF_NETWORKS}2",
    f"{_OF_NETWORKS}1",
)  # those before 3 are of the plus strand
_STRANDS: Final = ("", "both", "plus")
_TYPES: Final = dict.fromkeys(Edges.__dataclass_fields__, ("<u2", "<i4")) | {
    "log10_evalues": ("<f8",),
    "strands": ("|i1",),
}
_IN_WORDS: Final = re.compile(r"(.+), gap (\d+)/(\d+) \(BLAST rule\)")  # as `ScoringScheme.describe`


def save_network(network: Network, path: str | Path) -> None:
    """Write a network, whole or not at all.

    Raises
    ------
    FileNotWritten
        If it cannot be written.
    """

    def write(file: object) -> None:
        with PackWriter(file) as pack:  # type: ignore[arg-type]  # a binary file
            for name, column in network.edges.columns_by_name.items():
                pack.array(name, as_small_as_possible(column), compress=name != "log10_evalues")
            pack.array("bits", network.bits)
            pack.array("lengths", np.asarray(network.lengths, dtype=np.int32))
            names = {"ids": list(network.ids), "descriptions": list(network.descriptions)}
            pack.text("names.json", json.dumps(names).encode("ascii"))
            facts = "name", "evalue", "source", "checksum", "scoring", "strand", "compared"
            said = {name: getattr(network, name) for name in facts}
            scheme = plain(SchemeFacts.of(network.scheme)) if network.scheme is not None else None
            form, by_context = FORMAT if network.complete else PARTIAL, network.context != NO_CONTEXT
            more = {"format": BY_CONTEXT, "context": network.context} if by_context else {"format": form}
            pack.finish({**more, **said, "scheme": scheme})

    save_bytes(path, write)


def as_small_as_possible(array: NDArray[Any]) -> NDArray[Any]:
    """Return whole numbers in two bytes each, where they fit: they are compressed in half of the time."""
    fits = array.dtype == np.int32 and array.min(initial=0) >= 0 and array.max(initial=0) < 1 << 16
    return array.astype(np.uint16) if fits else array


def is_network_file(path: Path) -> bool:
    """Whether a file is a network, of this version or another."""
    return str(manifest_of(path).get("format", "")).startswith(_OF_NETWORKS)


def load_network(path: str | Path) -> Network:
    """Read a network.

    Raises
    ------
    RunFileError
        If it cannot be read, is damaged, or is no network.
    """
    with PackReader(path, "a network") as pack, pack.watched():
        if pack.manifest.get("format") not in _READ:
            raise damaged(Path(path), f"it is no network of the format '{FORMAT}'")
        size, sequences = pack.count("first"), pack.count("lengths")
        old, manifest = pack.manifest["format"] not in (BY_CONTEXT, PARTIAL, FORMAT), pack.manifest
        by_context = manifest["format"] == BY_CONTEXT
        left_out = {"strands" if old else "", BACK if not by_context else ""}
        kept = {name: kinds for name, kinds in _TYPES.items() if name not in left_out}
        arrays = {name: pack.array(name, kinds, (size,)) for name, kinds in kept.items()}
        wide: dict[str, Any] = {
            name: array.astype(np.int32) if array.dtype == np.uint16 else array for name, array in arrays.items()
        }
        wide.setdefault("strands", np.ones(size, np.int8))
        edges, lengths = Edges(**wide), pack.array("lengths", "<i4", (sequences,))
        names = json.loads(pack.text("names.json"))
        ends = np.concatenate([edges.first, edges.second])
        if len(names["ids"]) != sequences or len(names["descriptions"]) != sequences:
            raise damaged(Path(path), "it does not name all sequences")
        if len(ends) and (ends.min() < 0 or ends.max() >= sequences):
            raise damaged(Path(path), "an edge names a sequence that is not there")
        bits = pack.array("bits", "<f8", (size,))
        texts = names["ids"], names["descriptions"]
        source, checksum, words = (str(manifest.get(name, "")) for name in ("source", "checksum", "scoring"))
        scheme = _known(words) if words else _scheme(manifest.get("scheme"))
        made = Network(str(manifest["name"]), *texts, lengths, edges, bits, float(manifest["evalue"]))
        nucleotide = scheme is not None and bool(scheme.alphabet.complements)
        strand = str(manifest["strand"]) if not old else "plus" if nucleotide else ""
        if strand not in _STRANDS or not np.isin(edges.strands, (1, -1) if strand == "both" else (1,)).all():
            raise damaged(Path(path), "a strand is none that is known")
        compared = float(manifest.get("compared", 1.0))
        fits = by_context or (compared < 1) == (manifest["format"] == PARTIAL)
        if not 0 <= compared <= 1 or not fits:
            raise damaged(Path(path), "it does not tell which share of the pairs was compared")
        made = replace(made, compared=compared, context=str(manifest["context"]) if by_context else NO_CONTEXT)
        return replace(made, source=source, checksum=checksum, scheme=scheme, scoring=words, strand=strand)


def _scheme(facts: object) -> ScoringScheme | None:
    return None if facts is None else from_plain(SchemeFacts, facts).scheme()


def _known(words: str) -> ScoringScheme | None:
    """Return the scheme that a file of before has in words alone; None if its matrix is none that is known by name."""
    if said := _IN_WORDS.fullmatch(words):
        name, gap_open, gap_extend = said[1], int(said[2]), int(said[3])
        for alphabet in (NUCLEOTIDE, PROTEIN):
            if name in matrix_names(alphabet) or name.startswith("+"):  # and no file is looked for
                with suppress(SwguiError):
                    return ScoringScheme.from_blast(load_matrix(name, alphabet), gap_open, gap_extend)
    return None
