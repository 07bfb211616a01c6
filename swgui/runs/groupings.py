"""Clusters, splits, judgements and leaks among the runs: their requests and outcomes as plain values and arrays."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Final, TextIO

import numpy as np
from numpy.typing import NDArray

from swgui.core.database import EncodedDatabase
from swgui.core.network.clusters import Clusters
from swgui.core.network.measures import EdgeLimit
from swgui.core.plain import from_plain, plain, replace
from swgui.core.table import Table
from swgui.io.database.any_file import open_any_database
from swgui.io.methods.forms import MethodsText
from swgui.io.methods.networks import grouping_methods
from swgui.io.network.edge_tables import EdgeRows, JudgedRows
from swgui.io.network.sequence_tables import NamedClusters
from swgui.io.saved.log import Arrays
from swgui.jobs.network.certificate import leak_certificate
from swgui.jobs.network.grouping import (
    ClusterOutcome,
    ClusterRequest,
    GroupingRequest,
    JudgeOutcome,
    JudgeRequest,
    SplitOutcome,
    SplitRequest,
)
from swgui.jobs.network.leak import LeakOutcome, LeakRequest, Leaks, SequenceSet, parts_of
from swgui.runs.kept import About, Ended, Packed
from swgui.runs.networks import BEFORE, CODEC, check_library
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
from swgui.runs.plain import Codec

_LEAK: Final = ("limit", "evalue", "engine", "options", "strand", "context", "split", "space")
_COMPARED: Final = "network"  # in a saved request: the comparison that the rest follows from
_COMMON: Final = ("relation", "seconds", "cells")  # of every outcome that follows from all pairs of one set
_CLUSTER: Final = ("rule", "counted", *_COMMON)
_SPLIT: Final = ("names", "largest", "between", "strand", *_COMMON)
_JUDGE: Final = ("parted", *_COMMON)


class AllPairsCodec(Codec):
    """Of kinds of runs that follow from all pairs of sequences: their outcomes tell of themselves."""

    def ended(self, outcome: Any) -> Ended:
        """Return the facts of an outcome for a list."""
        return Ended(outcome.complete, outcome.found, outcome.seconds, cells=outcome.cells)

    def sentences(self, outcome: Any) -> list[str]:
        """Return the results of a run, a sentence each."""
        sentences: list[str] = outcome.sentences
        return sentences

    def tables(self, asked: Any, outcome: Any) -> Mapping[str, Table[Any]]:
        """Return the table of an outcome."""
        return {"table": outcome.table()}

    def methods(self, asked: Any, outcome: Any) -> str:
        """Return a paragraph for a Methods section."""
        return self.methods_text(asked, outcome).paragraph

    def methods_text(self, asked: Any, outcome: Any) -> MethodsText:
        """Return the paragraph with its references."""
        return grouping_methods(
            self.names(asked), asked.comparison.scoring, asked.comparison.context, outcome.sentences
        )

    def names(self, asked: Any) -> list[str]:
        """Return the names of the sets of sequences."""
        return [self.about(asked).database]


class _Grouping(AllPairsCodec):
    """Of kinds of runs that follow from all pairs of one set of sequences.

    Parameters
    ----------
    kind : type
        Of the request: its fields are kept by their types, `network` as the comparison that it is.
    """

    def __init__(self, kind: type[GroupingRequest]) -> None:
        self._kind = kind
        self._fields = [field.name for field in fields(kind) if field.name != _COMPARED]

    def pack_request(self, asked: Any) -> Packed:
        """Return the plain values of a request."""
        inner = CODEC.pack_request(asked.network)
        return Packed({**plain_fields(asked, self._fields), _COMPARED: inner.facts}, inner.arrays)

    def request(self, packed: Packed) -> Any:
        """Make a request again."""
        network = CODEC.request(Packed(packed.facts[_COMPARED], packed.arrays))
        return self._kind(network=network, **fields_of(self._kind, packed.facts, self._fields))

    def travelling(self, asked: Any) -> Any:
        """Return a request with its sequences in memory; `RunError` if it reads a saved network."""
        network = CODEC.travelling(asked.network)
        return asked if network is asked.network else replace(asked, network=network)

    def content(self, asked: Any) -> str:
        """Return the checksum of sequences in memory."""
        return CODEC.content(asked.network)

    def about(self, asked: Any) -> About:
        """Return the facts of a request for a list."""
        return CODEC.about(asked.network)._replace(about=f"{self.said(asked)}, {asked.limit.describe()}")

    @abstractmethod
    def said(self, asked: Any) -> str:
        """Return the request in few words."""


class _ClusterCodec(_Grouping):
    def said(self, asked: ClusterRequest) -> str:
        """Return the request in few words."""
        return f"Clusters by the rule {asked.rule}"

    def pack(self, outcome: ClusterOutcome) -> Packed:
        """Return the plain values of an outcome."""
        named, facts = outcome.named, plain_fields(outcome, _CLUSTER)
        arrays: dict[str, NDArray[Any]] = {
            "representative": named.clusters.representative,
            "sizes": np.asarray(named.lengths),
        }
        arrays["sequence_names"] = packed_texts(named.names)
        more = {"identities": named.identities, "strands": named.strands}
        arrays |= {name: array for name, array in more.items() if array is not None}
        return Packed({**facts, "compared": named.compared}, arrays)

    def outcome(self, asked: ClusterRequest, packed: Packed) -> ClusterOutcome:
        """Make an outcome again."""
        facts, arrays = packed
        (names,) = texts_of(arrays["sequence_names"])
        more = arrays.get("identities"), arrays.get("strands"), facts["compared"]
        named = NamedClusters(Clusters(arrays["representative"]), names, arrays["sizes"], *more)
        return ClusterOutcome(named=named, **fields_of(ClusterOutcome, facts, _CLUSTER))


class _SplitCodec(_Grouping):
    def said(self, asked: SplitRequest) -> str:
        """Return the request in few words."""
        return f"Parts {', '.join(asked.names)}"

    def pack(self, outcome: SplitOutcome) -> Packed:
        """Return the plain values of an outcome."""
        arrays: dict[str, NDArray[Any]] = {"part": outcome.part, "sequence_names": packed_texts(outcome.sequences)}
        return Packed(plain_fields(outcome, _SPLIT), arrays)

    def outcome(self, asked: SplitRequest, packed: Packed) -> SplitOutcome:
        """Make an outcome again."""
        (names,) = texts_of(packed.arrays["sequence_names"])
        facts = {**packed.facts, "names": tuple(packed.facts["names"])}
        return SplitOutcome(sequences=names, part=packed.arrays["part"], **facts)


class _JudgeCodec(_Grouping):
    def said(self, asked: JudgeRequest) -> str:
        """Return the request in few words."""
        return f"Judgement of {Path(asked.file).name}"

    def pack(self, outcome: JudgeOutcome) -> Packed:
        """Return the plain values of an outcome."""
        rows = outcome.judged.rows
        facts = {**plain_fields(outcome, _JUDGE), "strands_compared": rows.strands}
        arrays = packed_edges(rows.edges) | {"sizes": np.asarray(rows.lengths[0])}
        return Packed(facts, arrays | {"sequence_names": packed_texts(rows.names[0])})

    def outcome(self, asked: JudgeRequest, packed: Packed) -> JudgeOutcome:
        """Make an outcome again."""
        facts, arrays = packed
        (names,), edges = texts_of(arrays["sequence_names"]), edges_of(arrays)
        sizes, unknown = arrays["sizes"], np.full(len(edges), np.nan)
        rows = EdgeRows(edges, (names, names), (sizes, sizes), unknown, facts["strands_compared"])
        kinds = ["parted"] * facts["parted"] + ["joined"] * (len(edges) - facts["parted"])
        return JudgeOutcome(judged=JudgedRows(kinds, rows), **fields_of(JudgeOutcome, facts, _JUDGE))


class _LeakCodec(AllPairsCodec):
    """Of the nearest training sequences of test sequences."""

    def pack_request(self, asked: LeakRequest) -> Packed:
        """Return the plain values of a request."""
        facts = plain_fields(asked, (*_LEAK, "parts")) | {"scheme": scheme_facts(asked.scheme)}
        arrays: dict[str, NDArray[Any]] = {}
        for name, source in zip(("train", "test"), asked.sources, strict=True):
            place = None if asked.split and name == "test" else getattr(asked, name)
            if place is not None:
                facts[name], packed = packed_place(place, source)
                arrays |= {f"{name}_{key}": array for key, array in packed.items()}
        return Packed(facts, arrays)

    def request(self, packed: Packed) -> LeakRequest:
        """Make a request again."""
        facts, arrays = BEFORE | packed.facts, packed.arrays
        places = {
            name: place_of(
                facts[name], {key.removeprefix(f"{name}_"): of for key, of in arrays.items() if key.startswith(name)}
            )
            for name in ("train", "test")
            if name in facts
        }
        return LeakRequest(
            places["train"],
            places.get("test"),
            scheme=scheme_of(facts["scheme"]),
            **dict(zip(("train_part", "test_part"), facts["parts"], strict=True)),
            **fields_of(LeakRequest, facts, _LEAK),
        )

    def travelling(self, asked: LeakRequest) -> LeakRequest:
        """Return a request with both sets in memory."""
        check_library(asked)
        here = replace(asked.options, on="")
        if asked.split:
            train, test, space = parts_of(asked.train_file, asked.split, asked.parts, threading.Event())
            return replace(asked, train=train, test=test, space=space, split="", sources=("", ""), options=here)
        files = [Path(file) if file else None for file in (asked.train_file, asked.test_file)]
        if not any(files) and not asked.options.on:
            return asked
        sets = [open_any_database(file) if file else None for file in files]
        return replace(asked, train=sets[0] or asked.train, test=sets[1] or asked.test, sources=("", ""), options=here)

    def content(self, asked: LeakRequest) -> str:
        """Return the checksums of both sets; empty if one is not in memory."""
        sets = [one for one in (asked.train, asked.test) if isinstance(one, EncodedDatabase)]
        return " ".join(one.checksum for one in sets) if len(sets) == 2 else ""

    def about(self, asked: LeakRequest) -> About:
        """Return the facts of a request for a list."""
        test, train = self.names(asked)
        number = 0 if asked.test is None or isinstance(asked.test, Path) else len(asked.test)
        return About(f"{test} against {train}", f"Leak, E up to {asked.evalue:g}", number, train)

    def names(self, asked: LeakRequest) -> list[str]:
        """Return the names of the sets of testing and of training."""
        train, test = (
            Path(file or "").name or (place.name if place is not None else "")
            for file, place in ((asked.train_file, asked.train), (asked.test_file, asked.test))
        )
        return [asked.test_part if asked.split else test, train]

    def pack(self, outcome: LeakOutcome) -> Packed:
        """Return the plain values of an outcome."""
        leaks = outcome.leaks
        facts: dict[str, Any] = {"limit": plain(leaks.limit), "strands_compared": leaks.strands}
        facts |= {"seconds": outcome.seconds, "cells": outcome.cells}
        arrays = packed_edges(leaks.edges)
        arrays |= {name: getattr(leaks, name) for name in ("order", "nearest", "identity", "coverage")}
        for name, some in (("test", leaks.test), ("train", leaks.train)):
            facts[name] = {"name": some.name, "checksum": some.checksum}
            arrays |= {f"{name}_sizes": np.asarray(some.lengths), f"{name}_ids": packed_texts(list(some.ids))}
        return Packed(facts, arrays)

    def outcome(self, asked: LeakRequest, packed: Packed) -> LeakOutcome:
        """Make an outcome again, without residues."""
        facts, arrays = packed
        test, train = (_set(facts[name], arrays, name) for name in ("test", "train"))
        found = arrays["order"], arrays["nearest"], edges_of(arrays), arrays["identity"], arrays["coverage"]
        leaks = Leaks(test, train, *found, from_plain(EdgeLimit, facts["limit"]), facts["strands_compared"])
        return LeakOutcome(leaks, None, facts["seconds"], facts["cells"])

    def certificate(self, asked: LeakRequest, outcome: LeakOutcome, command: str = "") -> dict[str, Any]:
        """Return the comparison and its results, as JSON values; of an outcome of a file the sets are read again.

        Parameters
        ----------
        command : str
            The command line of the run, if there is one.
        """
        pairs = outcome.asked or asked.opened(threading.Event())
        files = {"training": asked.train_file, "test": asked.test_file, "split": asked.split}
        places = {name: place for name, place in files.items() if place}
        return leak_certificate(outcome.leaks, pairs, places, asked.parts if asked.split else (), command)

    def report(self, asked: LeakRequest, outcome: LeakOutcome, file: TextIO, cancel: threading.Event) -> None:
        """Write a page with counts, a histogram and the most identical pairs; the sets are read again if need be."""
        from swgui.jobs.network.report import write_report  # here: rarely needed

        write_report(outcome.leaks, outcome.asked or asked.opened(cancel), file)


def _set(facts: Mapping[str, str], arrays: Arrays, name: str) -> SequenceSet:
    (ids,) = texts_of(arrays[f"{name}_ids"])
    return SequenceSet(facts["name"], ids, arrays[f"{name}_sizes"], facts["checksum"])


CLUSTER: Final = _ClusterCodec(ClusterRequest)
SPLIT: Final = _SplitCodec(SplitRequest)
JUDGE: Final = _JudgeCodec(JudgeRequest)
LEAK: Final = _LeakCodec()
