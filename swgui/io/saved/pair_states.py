"""The state of a long pair that is being aligned, as plain facts and arrays: what a log keeps of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Alignment
from swgui.core.pair.problem import PairCheckpoint, PairEnd, Strand
from swgui.core.plain import Count, from_plain, plain
from swgui.io.saved.log import Arrays, Entry, no_log
from swgui.io.saved.pack import FAULTS

KIND: Final = "pair"  # of run, in its log
DIFFERENCES: Final = {  # what the user reads for each fact that may differ; the texts are keys in the log
    "query": "another query",
    "subject": "another subject",
    "matrix": "another matrix",
    "gap costs": "other gap costs",
    "mode": "another mode",
    "strand": "other strands",
    "score only": "another wish for the alignment",
    "limit": "another number of alignments",
    "least score": "another least score",
    "method": "another method",
    "settings": "other settings of the method",
}


@dataclass(frozen=True, slots=True)
class StrandState:
    """How far one strand is."""

    taken: tuple[Alignment, ...] = ()  # those listed so far
    next: Alignment | None = None  # the next best, if it is known
    end: PairEnd | None = None  # where the next best ends, if its score is known
    done: bool = False  # whether nothing more is to be found
    resume: PairCheckpoint | None = None  # from where the engine can continue


@dataclass(frozen=True, slots=True)
class Spent:
    """The resources that the work has used until a state was kept."""

    seconds: Mapping[str, float] = field(default_factory=dict)  # wall time by stage
    # cells, pruned: cells computed and skipped by searches that are over; one that runs has its own in its state
    cells: Count = 0
    pruned: Count = 0
    passed: Count = 0  # cells that need no more work, with those of the search that runs


def packed(states: Mapping[Strand, StrandState], spent: Spent | None = None) -> Entry:
    """Return the state of all strands as an entry of a log; its arrays are those of the states, not copies."""
    arrays: dict[str, NDArray[Any]] = {}
    strands = {name: dict(_facts(state, arrays, name)) for name, state in states.items()}
    return Entry({"strands": strands, "spent": plain(spent or Spent())}, arrays)


def unpacked(entry: Entry, path: Path) -> tuple[dict[Strand, StrandState], Spent]:
    """Return the state of each strand, and what the work had taken.

    Raises
    ------
    LogError
        If the entry is none of a pair; `path` is the file it stands in.
    """
    facts, arrays = entry
    try:
        states: dict[Strand, StrandState] = {
            name: _state(strand, arrays, name) for name, strand in facts["strands"].items()
        }
        return states, from_plain(Spent, facts.get("spent", {}))
    except FAULTS as fault:
        raise no_log(path) from fault


def _facts(state: StrandState, arrays: dict[str, NDArray[Any]], strand: str) -> Iterator[tuple[str, Any]]:
    yield "done", state.done
    yield "taken", [_head(alignment, arrays, f"{strand}/taken{i}") for i, alignment in enumerate(state.taken)]
    yield "next", None if state.next is None else _head(state.next, arrays, f"{strand}/next")
    yield "end", None if state.end is None else [state.end.score, state.end.query_end, state.end.subject_end]
    if state.resume is not None:
        yield (
            "resume",
            {
                "stage": state.resume.stage,
                "cells_done": int(state.resume.cells_done),
                "arrays": list(state.resume.arrays),
            },
        )
        for name, array in state.resume.arrays.items():
            arrays[f"{strand}/resume/{name}"] = np.asarray(array)


def _head(alignment: Alignment, arrays: dict[str, NDArray[Any]], name: str) -> list[int]:
    arrays[f"{name}/ops"], arrays[f"{name}/lengths"] = alignment.ops, alignment.lengths
    return [int(alignment.query_start), int(alignment.subject_start), int(alignment.score)]


def _alignment(head: list[int], arrays: Arrays, name: str) -> Alignment:
    runs = zip(arrays[f"{name}/ops"].tolist(), arrays[f"{name}/lengths"].tolist(), strict=True)
    return Alignment.from_runs(head[0], head[1], runs, head[2])


def _state(facts: Mapping[str, Any], arrays: Arrays, strand: str) -> StrandState:
    resume = facts.get("resume")
    return StrandState(
        taken=tuple(_alignment(head, arrays, f"{strand}/taken{i}") for i, head in enumerate(facts["taken"])),
        next=None if facts["next"] is None else _alignment(facts["next"], arrays, f"{strand}/next"),
        end=None if facts["end"] is None else PairEnd(*facts["end"]),
        done=bool(facts["done"]),
        resume=None
        if resume is None
        else PairCheckpoint(
            resume["stage"],
            int(resume["cells_done"]),
            # copies: what a log gives cannot be written
            {name: np.array(arrays[f"{strand}/resume/{name}"]) for name in resume["arrays"]},
        ),
    )
