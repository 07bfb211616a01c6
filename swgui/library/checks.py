"""``swgui.verify`` and ``swgui.audit``: results computed again, and compared with another program's table."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from swgui.core.compare.audit import Audit
from swgui.core.compare.audit import audit as compared
from swgui.core.compare.audit_summary import summary
from swgui.core.errors import InvalidParameter
from swgui.core.table import Table
from swgui.engines.registry import AUTO
from swgui.io.statistics import load_statistics
from swgui.io.tables.comparisons import audit_table
from swgui.io.tables.hits import read_hit_table
from swgui.jobs.kind import kinds
from swgui.jobs.pair.verify import verify_pair
from swgui.jobs.rules.verify import verify_certificate
from swgui.jobs.search.verify import verify as verify_search
from swgui.jobs.verifying import certificate_steps, read_any_certificate
from swgui.library.calls import public
from swgui.library.hits import Hits
from swgui.library.kinds import RunResult
from swgui.library.network import SequenceNetwork
from swgui.library.pair import Pair
from swgui.library.result import RowsResult
from swgui.library.rule import RulePlaces
from swgui.library.search import load
from swgui.library.session import OnProgress, finish
from swgui.library.values import path_of
from swgui.runs.networks import kept_network
from swgui.runs.plain import Kept
from swgui.runs.steps import verify_steps


@dataclass(frozen=True)
class Verification:
    """Outcome of `swgui.verify`; it is true if nothing differs.

    Parameters
    ----------
    ok : bool
        Whether something was compared, and nothing differs.
    sentences : tuple of str
        Each names something that was compared, or that differs.
    """

    ok: bool
    sentences: tuple[str, ...]

    def __bool__(self) -> bool:
        return self.ok


class HitAudit(RowsResult):
    """Hits of another program next to the exact ones, a row for each pair of query and subject.

    Parameters
    ----------
    found : Audit
        Its form may change between versions.
    inputs : sequence of (str, path)
        Files that were read, which no output may replace.
    """

    def __init__(self, found: Audit, inputs: Sequence[tuple[str, Path]] = ()) -> None:
        super().__init__(inputs=inputs)
        self.found = found

    def __repr__(self) -> str:
        return f"<HitAudit: {self.sentences[0]}>"

    @property
    def sentences(self) -> list[str]:
        """Findings, a sentence each, as ``swgui audit`` prints them."""
        return summary(self.found)

    def _table(self, columns: Sequence[str] | None) -> Table[Any]:
        return audit_table(self.found).choose(columns)


@public
def audit(table: str | os.PathLike[str], hits: Hits) -> HitAudit:
    """Compare the table of another program with the exact hits of the same queries in the same database.

    Parameters
    ----------
    table : path
        Hits of BLAST, DIAMOND or MMseqs2: format 6 or 7, or BLAST XML.
    hits : Hits
        Of `swgui.search`.

    Raises
    ------
    SwguiError
        If the table cannot be read, or has nothing in common with the hits.
    """
    file = path_of(table, "table")
    found = compared(hits.result, read_hit_table(file), load_statistics(hits.result.scheme))
    return HitAudit(found, [("table", file), *hits._inputs])


@public
def verify(
    run: Hits | Pair | SequenceNetwork | RunResult | RulePlaces | str | os.PathLike[str],
    *,
    database: str | os.PathLike[str] | None = None,
    full: bool = False,
    engine: str = AUTO,
    progress: OnProgress | bool | None = None,
) -> Verification:
    """Compute a result again and compare: all scores of a search, score and alignments of a pair, all of other runs.

    Of a certificate a sample is scanned or compared again, and everything else is counted again.

    Parameters
    ----------
    run : Hits, Pair, SequenceNetwork, RunResult, RulePlaces, or path
        A result; or the file of a saved run of these kinds, or of a certificate.
    database : path, optional
        The database of a certificate, or the sequences of training of a leak, where they are not where it says.
    full : bool
        Compute all of a certificate again, not a sample.
    engine : str
        The engine that computes a certificate again.
    progress : callable or bool, optional
        As of `swgui.search`.

    Raises
    ------
    SwguiError
        If the run cannot be read or computed again, or cannot be verified.
    KeyboardInterrupt
        After Ctrl+C.
    """
    given: Any = run
    if isinstance(run, str | os.PathLike):
        file = path_of(run, "run")
        if (facts := read_any_certificate(file)) is not None:
            place = str(path_of(database, "database")) if database is not None else ""
            again = {"database": place, "engine": engine, "full": full}
            outcome, _ = finish(partial(_certificate, facts, file, again), progress)
            return Verification(*outcome)
        given = load(file)
    if isinstance(given, RulePlaces):
        outcome, _ = finish(partial(_places, given, full), progress)
        return Verification(*outcome)
    for kind, steps in _STEPS.items():
        if isinstance(given, kind):
            outcome, _ = finish(partial(steps, given), progress)
            return Verification(*outcome)
    hint = "Give a result, or a file of one."
    raise InvalidParameter("run", run, f"A {type(given).__name__} cannot be verified.", hint=hint)


_Steps = Generator[Any, None, tuple[bool, tuple[str, ...]] | None]


def _search(hits: Hits, cancel: threading.Event) -> _Steps:
    check = yield from verify_search(hits.result, cancel)
    return None if check is None else (check.ok, (check.describe(), *map(str, check.differences)))


def _pair(pair: Pair, cancel: threading.Event) -> _Steps:
    check = yield from verify_pair(pair.result, cancel)
    return check.ok, tuple(check.describe())


def _other(run: RunResult, cancel: threading.Event) -> _Steps:
    if reason := run.kind.without.get("verify"):
        raise InvalidParameter("run", run, f"A {run.kind.noun} cannot be computed again: {reason}.")
    different = yield from verify_steps(run.kind, Kept(run.asked, run.outcome), cancel)
    said = f"Different: {', '.join(different)}." if different else "All was computed again, and nothing differs."
    return not different, (said,)


def _network(network: SequenceNetwork, cancel: threading.Event) -> _Steps:
    return (yield from _other(RunResult(kinds()["network"], kept_network(network.network)), cancel))


def _certificate(facts: dict[str, Any], file: Path, again: Mapping[str, Any], cancel: threading.Event) -> _Steps:
    check = yield from certificate_steps(facts, file, cancel, **again)
    return check.ok, tuple(check.describe())


def _places(places: RulePlaces, full: bool, cancel: threading.Event) -> _Steps:
    run = places.run
    check = yield from verify_certificate(places.certificate(), run.request, run.database, cancel, full=full)
    return check.ok, tuple(check.describe())


_STEPS: dict[type, Callable[[Any, threading.Event], _Steps]] = {
    Hits: _search,
    Pair: _pair,
    SequenceNetwork: _network,
    RunResult: _other,
}
