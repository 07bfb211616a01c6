"""Sweeps among the runs: how one, and what it measured, become plain values and arrays; sweeps of earlier versions."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from swgui.core.alphabet import PROTEIN
from swgui.core.engines import EngineOptions
from swgui.core.errors import SwguiError
from swgui.core.plain import from_plain, plain
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.core.sweep.grid import METHOD_AXIS, QUERY_AXIS, Axis, SweepResult
from swgui.core.sweep.report import as_json, cells_table, from_json, sentence
from swgui.core.table import Table
from swgui.io.matrices import load_matrix
from swgui.io.saved.log import Arrays
from swgui.io.tuning import earlier_sweeps, forget_sweeps
from swgui.jobs.sweep.request import SweepRequest
from swgui.runs.kept import About, Ended, Packed
from swgui.runs.packing import packed_place, place_of, scheme_facts, scheme_of
from swgui.runs.plain import Codec, Kept, PlainRuns
from swgui.runs.store import Runs

# Fields of a request that are plain values.
_PLAIN: Final = ("engine", "repeats", "least_seconds", "watts", "budget", "seed", "name")
MADE_UP: Final = "synthetic"  # in the name of sequences that no file has


class SweepCodec(Codec):
    """Of sweeps: sequences by their file, their number of residues where they are made up, or by their residues."""

    def pack_request(self, asked: SweepRequest) -> Packed:
        """Return the plain values of a request."""
        facts: dict[str, Any] = {name: getattr(asked, name) for name in _PLAIN}
        facts |= {"axes": plain(asked.axes), "options": plain(asked.options), "scheme": scheme_facts(asked.scheme)}
        arrays: Arrays = {}
        if isinstance(asked.database, int):
            facts["database"] = {"residues": asked.database}
        else:
            facts["database"], arrays = packed_place(asked.database, asked.source)
        if isinstance(asked.query, int):
            facts["query"] = {"residues": asked.query}
        else:
            facts["query"], arrays = (
                {"name": asked.query.id, "file": asked.query_file},
                {**arrays, "query": asked.query.codes},
            )
        return Packed(facts, arrays)

    def request(self, packed: Packed) -> SweepRequest:
        """Make a request again; its file is opened by its steps."""
        facts, scheme = packed.facts, scheme_of(packed.facts["scheme"])
        assert scheme is not None  # every sweep has one
        said, query = facts["database"], facts["query"]
        return SweepRequest(
            axes=from_plain(tuple[Axis, ...], facts["axes"]),
            database=said["residues"] if "residues" in said else place_of(said, packed.arrays),
            scheme=scheme,
            query=query["residues"] if "residues" in query else EncodedQuery(query["name"], packed.arrays["query"]),
            options=from_plain(EngineOptions, facts["options"]),
            query_file=query.get("file", ""),
            **{name: facts[name] for name in _PLAIN if name in facts},
        )

    def about(self, asked: SweepRequest) -> About:
        """Return the facts of a request for a list."""
        axes = " × ".join(axis.title.lower() for axis in asked.axes)
        settings = [value for value in (asked.options.settings.get(METHOD_AXIS), *asked.options.devices) if value]
        varied = any(axis.name == QUERY_AXIS for axis in asked.axes)
        length = "" if varied else f", query of {asked.length:,} residues"
        return About(asked.name or f"Sweep of {axes}{length}", " ".join([asked.engine, *settings]), 1, _database(asked))

    def pack(self, outcome: SweepResult) -> Packed:
        """Return the plain values of an outcome."""
        return Packed(as_json(outcome), {})

    def outcome(self, asked: SweepRequest, packed: Packed) -> SweepResult:
        """Make an outcome again."""
        return from_json(packed.facts)

    def ended(self, outcome: SweepResult) -> Ended:
        """Return the facts of an outcome for a list."""
        done = sum(cell.state != "waiting" for cell in outcome.cells.values())
        reason = "" if outcome.complete else sentence(outcome)
        share = done / len(outcome.cells)
        return Ended(outcome.complete, len(outcome.measured), outcome.seconds, share, reason=reason)

    def sentences(self, outcome: SweepResult) -> list[str]:
        """Return the results of a sweep, a sentence each."""
        return [sentence(outcome)]

    def tables(self, asked: SweepRequest, outcome: SweepResult) -> Mapping[str, Table[Any]]:
        """Return the cells."""
        return {"cells": cells_table(outcome)}


CODEC: Final = SweepCodec()


def _database(asked: SweepRequest) -> str:
    if isinstance(asked.database, int):
        return f"{asked.database:,} {MADE_UP} residues"
    return asked.database.name


def kept_sweeps(runs: Runs, path: Path | None = None) -> tuple[Kept, ...]:
    """Return the sweeps among the runs, newest first; those of versions before 0.2 become runs the first time.

    Parameters
    ----------
    path : Path, optional
        Of the file in which such a version kept them.
    """
    kept: PlainRuns = runs.of("sweep")
    if earlier := earlier_sweeps(path):
        for number, sweep in enumerate(earlier):
            kept.keep(_asked(sweep), sweep, _id(sweep, number), sweep.made)
        forget_sweeps(path)
    found = []
    for record in sorted(kept.list(), key=lambda record: record.id, reverse=True):
        with suppress(SwguiError, OSError):
            found.append(kept.open(record.id))
    return tuple(found)


def _asked(sweep: SweepResult) -> SweepRequest:
    """Return the request of a sweep of an earlier version, which kept the length of its query and no scheme."""
    made_up = MADE_UP in sweep.database or not sweep.database
    options = EngineOptions(settings=dict(sweep.base))
    scheme = ScoringScheme(load_matrix("BLOSUM62", PROTEIN), 12, 1)
    database = max(sweep.residues, 1) if made_up else Path(sweep.database)
    return SweepRequest(sweep.key.engine, sweep.axes, database, scheme, max(sweep.query_length, 1), options)


def _id(sweep: SweepResult, number: int) -> str:
    """Return the id of a run that was made when the sweep was."""
    try:
        made = datetime.fromisoformat(sweep.made).astimezone()
    except ValueError:
        made = datetime.fromtimestamp(0).astimezone()
    return f"{made:%Y%m%d-%H%M%S}-{number:08x}"
