"""A small run of every kind, whose work is kept in small pieces; also as a program that is killed in the middle.

``python -m tests.runs.life FOLDER SITE`` runs each kind in a process of its own, which ends by SIGKILL once some pieces
are kept, and prints how each of them ended. `tests/runs/test_life.py` has the tests.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.control import RunControl
from swgui.core.engines import EngineOptions
from swgui.core.errors import Stopped
from swgui.core.network.measures import EdgeLimit
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.rules.request import RuleRequest
from swgui.core.rules.rule import Mismatches
from swgui.core.sweep.grid import Axis
from swgui.engines import registry
from swgui.engines.pair import cpu
from swgui.io.database.any_file import open_any_database
from swgui.io.network.clusters import ListedClusters
from swgui.io.saved.log import Log
from swgui.jobs.events import Finished
from swgui.jobs.kind import kinds
from swgui.jobs.network import edges as network
from swgui.jobs.network.grouping import ClusterRequest, JudgeRequest, SplitRequest
from swgui.jobs.network.leak import LeakRequest
from swgui.jobs.network.request import NetworkRequest
from swgui.jobs.pair.request import PairRequest
from swgui.jobs.pair.run import plan_pair
from swgui.jobs.rules.run import RuleRun
from swgui.jobs.sweep.request import SweepRequest
from swgui.runs import Runs
from tests.asking import BLOSUM62, DNA_SCHEME
from tests.fakes import SlowAdapter
from tests.io.saved.saved_searches import protein_request_on_disk
from tests.jobs.network.test_edges import families
from tests.jobs.pair.pair_by_hand import dna
from tests.tuning_engine import found_by_the_registry

OUTSIDE = "residues"  # the kind of the package in docs/dev/extending.md
PIECES = 3  # that are kept when a run is stopped or killed
LIMIT = EdgeLimit(0.4, 0.5)


def at_log(patch: pytest.MonkeyPatch, act: Callable[[Log], object], pieces: int) -> None:
    """Do something once so many pieces of work are in a log."""
    add, replace_, seen = Log.add, Log.replace, [0]

    def count(log: Log) -> None:
        seen[0] += 1
        if seen[0] == pieces:
            act(log)

    def adding(log: Log, *what: Any) -> None:
        add(log, *what)
        count(log)

    def replacing(log: Log, *what: Any) -> None:
        replace_(log, *what)
        log.settle()  # it is written by a thread
        count(log)

    patch.setattr(Log, "add", adding)
    patch.setattr(Log, "replace", replacing)


def of_engine(patch: pytest.MonkeyPatch, control: threading.Event, pieces: int) -> None:
    """Stop once an engine has scored so many chunks: its thread would score all before the first is kept."""
    adapter = registry.adapter_of("cpu")
    adapter.scored.clear()
    patch.setattr(adapter, "stop_after", (pieces, control))


def stop_after(patch: pytest.MonkeyPatch, stop: Callable[[], object], pieces: int) -> None:
    """Stop a comparison of all pairs once so many blocks are kept; none begins behind them before that."""
    edges, begun, lock, stopped = network._Scorer.edges, [], threading.Lock(), threading.Event()

    def waiting(scorer: Any, block: Any) -> Any:
        with lock:
            begun.append(block)
            number = len(begun)
        if number > pieces:
            assert stopped.wait(60)
        return edges(scorer, block)

    patch.setattr(network._Scorer, "edges", waiting)
    at_log(patch, lambda _log: (stop(), stopped.set()), pieces)


def of_blocks(patch: pytest.MonkeyPatch, control: threading.Event, pieces: int) -> None:
    """Stop once so many blocks are kept."""
    stop_after(patch, control.set, pieces)


def of_any(patch: pytest.MonkeyPatch, control: threading.Event, pieces: int) -> None:
    """Stop once so many pieces are kept, where one thread computes and keeps."""
    at_log(patch, lambda _log: control.set(), pieces)


class Case(NamedTuple):
    """A small run of a kind.

    Parameters
    ----------
    asked : callable
        Makes the request, of files that it writes into a folder.
    values : callable
        What an outcome has found, to compare.
    small : mapping of str to object
        Constants that make the pieces small, and replaced parts, by their places.
    stop : callable
        Has Stop come once some pieces are kept.
    """

    asked: Callable[[Path], Any]
    values: Callable[[Any], Any]
    small: Mapping[str, Any] = MappingProxyType({})
    stop: Callable[[pytest.MonkeyPatch, threading.Event, int], None] = of_any


def _hits(made: Any) -> list[Any]:
    result = getattr(made, "result", made)
    return [
        (query.query.id, int(index), int(score), float(evalue))
        for query in result.queries
        for index, score, evalue in zip(query.hits.db_index, query.hits.scores, query.hits.log10_evalues, strict=True)
    ]


def _alignments(result: Any) -> list[Any]:
    made = [(one.strand, one.alignment.score, *one.alignment.path) for one in result.alignments]
    return [result.score, result.query.id, result.subject.id, *made]


def _places(kept: Any) -> list[Any]:
    return [kept.outcome[name] for name in ("result_sha256", "found", "tested", "complete")]


def _rows(kept: Any) -> list[Any]:
    codec = importlib.import_module(kinds()[kind_of(kept)].codec.partition(":")[0])
    tables = getattr(codec, kinds()[kind_of(kept)].codec.partition(":")[2]).tables(kept.asked, kept.outcome)
    return [[[str(cell) for cell in row] for row in table.rows()] for table in tables.values()]


def _cells(kept: Any) -> list[Any]:
    return [(place, cell.state) for place, cell in kept.outcome.cells.items()]


def _pair(_folder: Path) -> PairRequest:
    subject = dna(300, 1)
    records = SequenceRecord("q", "", dna(40, 2) + subject[50:250]), SequenceRecord("s", "", subject)
    asked = PairRequest(*records, DNA_SCHEME, method="cpu", options=EngineOptions(threads=1))
    return replace(asked, plan=plan_pair(asked))


def _rule(folder: Path) -> RuleRun:
    letters, rng = np.frombuffer(b"ARND", np.uint8), np.random.default_rng(1)
    path = folder / "proteins.fasta"
    path.write_bytes(b"".join(b">s%d\n%s\n" % (n, letters[rng.integers(0, 4, 40)].tobytes()) for n in range(60)))
    queries = tuple(SequenceRecord(f"q{n}", "", letters[rng.integers(0, 4, 7)].tobytes()) for n in range(3))
    return RuleRun(
        RuleRequest(Mismatches(2), queries, PROTEIN, str(path), engine="cpu"), open_any_database(path, alphabet=PROTEIN)
    )


def fasta_of_families(folder: Path) -> Path:
    """Write some families of proteins, and return their file."""
    database, path = families(5), folder / "families.fa"
    records = (database.record(index) for index in range(len(database)))
    path.write_text("".join(f">{record.id} of a family\n{record.residues.decode()}\n" for record in records))
    return path


def all_pairs(folder: Path) -> NetworkRequest:
    """Return a request for the network of some families."""
    return NetworkRequest(fasta_of_families(folder), evalue=1e-2, engine="cpu")


def _judged(folder: Path) -> JudgeRequest:
    asked = all_pairs(folder)
    names = [record.split()[0] for record in Path(asked.sequences).read_text().split(">")[1:]]
    return JudgeRequest(asked, LIMIT, ListedClusters("", dict.fromkeys(names, "one")), "clusters.tsv")


def _sweep(_folder: Path) -> SweepRequest:
    axes = (Axis("threads", "Threads per block", "threads", ("64", "128", "256", "512")),)
    options = EngineOptions(settings={"method": "simt"})
    return SweepRequest("cuda", axes, 4_000, BLOSUM62, 24, options, repeats=1, least_seconds=0.0)


def _residues(folder: Path) -> Any:
    path = folder / "proteins.fasta"
    path.write_text("".join(f">p{row}\nMKV{'W' * row}A\n" for row in range(25)))
    return importlib.import_module(OUTSIDE).Asked(str(path), "W")


_COMPARED = {"swgui.jobs.network.edges.BLOCK": 3}
_ALIGNED = {
    "swgui.engines.pair.cpu.TUNING": replace(cpu.TUNING, call_cells=0, shortest_tile=16, longest_tile=16),
    "swgui.engines.pair.cpu.TICK_SECONDS": 0.0,
    "swgui.engines.pair.cpu.CHECKPOINT_SECONDS": 0.0,
    "swgui.jobs.pair.run.CHECKPOINT_SECONDS": 0.0,
    "swgui.io.saved.log.Log.due": lambda *_: True,
}
CASES: dict[str, Case] = {
    "search": Case(protein_request_on_disk, _hits, {}, of_engine),
    "pair": Case(_pair, _alignments, _ALIGNED),
    "rule": Case(_rule, _places, {"swgui.jobs.rules.blocks.SMALLEST": 200}),
    "network": Case(all_pairs, _rows, _COMPARED, of_blocks),
    "cluster": Case(lambda folder: ClusterRequest(all_pairs(folder), LIMIT), _rows, _COMPARED, of_blocks),
    "split": Case(
        lambda folder: SplitRequest(
            all_pairs(folder), EdgeLimit(0.3, 0.5, sure=1e-3), (80.0, 20.0), ("train", "test")
        ),
        _rows, _COMPARED, of_blocks,
    ),
    "judge": Case(_judged, _rows, _COMPARED, of_blocks),
    "leak": Case(
        lambda folder: LeakRequest(fasta_of_families(folder), families(6), LIMIT, engine="cpu"),
        _rows, _COMPARED, of_blocks,
    ),
    "sweep": Case(_sweep, _cells),
    OUTSIDE: Case(_residues, _rows, {f"{OUTSIDE}.BLOCK": 5}),
}  # fmt: skip


def kind_of(kept: Any) -> str:
    """Return the kind of an outcome of the kinds that have a codec."""
    asked = type(getattr(kept.asked, "asked", kept.asked)).__name__
    named = {"ClusterRequest": "cluster", "SplitRequest": "split", "JudgeRequest": "judge", "LeakRequest": "leak"}
    return named.get(asked, "network" if asked == "NetworkRequest" else OUTSIDE)


def prepare(kind: str, patch: pytest.MonkeyPatch) -> None:
    """Make the pieces of a kind's work small, and its engines those of tests."""
    for place, value in CASES[kind].small.items():
        patch.setattr(place, value)
    if kind == "search":
        adapter = SlowAdapter()
        patch.setattr(registry, "adapter_of", lambda _name: adapter)
        patch.setattr(registry, "probed", {})
        patch.setattr("swgui.jobs.check.device.require_exact_engine", lambda *_: iter(()))
    elif kind == "sweep":
        found_by_the_registry(patch)


class Ended(NamedTuple):
    """How a run ended: its outcome, None where nothing follows from the work so far, and how much it kept."""

    outcome: Any
    pieces: int


def go(
    runs: Runs, kind: str, asked: Any, control: threading.Event | None = None, stop: int = 0, pause: int = 0
) -> Ended:
    """Run to the end; with `stop` or `pause` that comes once so many pieces are kept."""
    control, pieces, outcome = control or RunControl(), [0], None
    with pytest.MonkeyPatch.context() as patch:
        for name in ("add", "replace"):
            usual = getattr(Log, name)

            def keeping(log: Log, *what: Any, usual: Any = usual) -> None:
                pieces[0] += 1
                usual(log, *what)

            patch.setattr(Log, name, keeping)
        if stop:
            CASES[kind].stop(patch, control, stop)
        if pause:
            at_log(patch, lambda _log: control.pause(), pause)
        try:
            for event in runs.run(kind, asked, control):
                if isinstance(event, Finished):
                    outcome = event.outcome
        except Stopped:
            assert control.is_set()
    return Ended(outcome, pieces[0])


def kill(log: Log) -> None:
    """End this program as the system does where memory is short."""
    os.kill(os.getpid(), signal.SIGKILL)


def main(folder: Path, site: Path) -> None:
    """Run each kind in a process of its own, which is killed; print how each ended."""
    sys.path.insert(0, str(site))
    importlib.import_module(OUTSIDE)
    ended = {}
    for kind in CASES:
        if not (child := os.fork()):
            patch, own = pytest.MonkeyPatch(), folder / kind
            own.mkdir()
            prepare(kind, patch)
            at_log(patch, kill, PIECES)
            go(Runs(own / "runs"), kind, CASES[kind].asked(own))
            os._exit(0)
        ended[kind] = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(json.dumps(ended))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
