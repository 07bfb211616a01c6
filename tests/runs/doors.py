"""How tests of saved runs come to the store of runs: the only lines that change when its methods do.

Runs of every kind are listed, opened, resumed and run to their ends here by their ids. Results are compared as `Found`:
plain values that do not depend on how the program holds results.
"""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from swgui.gui.runs.jobs import open_file
from swgui.jobs.rules.run import certificate
from swgui.runs import Runs


@dataclass(frozen=True)
class Found:
    """The results of a run.

    Parameters
    ----------
    complete : bool
        Whether all was done.
    values : list
        For a search query, subject, score and decadic logarithm of E of every hit; of a pair the best score, and
        strand,
        score, starts and CIGAR of every alignment; of a rule the checksum of all places, and how many there are.
    """

    complete: bool
    values: list[Any] = field(repr=False)


def store() -> Runs:
    """Return the runs of the user."""
    return Runs()


def records() -> dict[str, Any]:
    """Return the entry of every run in a list, by its id."""
    return {record.id: record for record in store().list()}


def opened(run_id: str) -> Found:
    """Return the content of a run."""
    history, kind = store(), records()[run_id].kind
    if kind == "pair":
        return _of_pair(history.of("pair").open(run_id))
    if kind == "rule":
        return _of_rule(history.of("rule").open(run_id).asked)
    return _of_search(history.open(run_id).result)


def layout(run_id: str) -> dict[str, Any]:
    """Return the marks that the user made in a search."""
    return dict(store().open(run_id).layout)


def resumed(run_id: str) -> Found:
    """Run what is left of a run; the same run holds all then."""
    history, kind = store(), records()[run_id].kind
    if kind == "pair":
        request = history.of("pair").resume(run_id)
        *_, last = history.of("pair").run(request, threading.Event())
        return _of_pair(last.outcome)
    if kind == "rule":
        return _scanned(history, history.of("rule").open(run_id).asked, run_id)
    *_, last = history.run("search", history.resume(run_id), threading.Event())
    return _of_search(last.outcome)


def run_again(run_id: str) -> Found:
    """Run what a run asked for anew, as another run."""
    history, kind = store(), records()[run_id].kind
    if kind == "pair":
        *_, last = history.of("pair").run(history.of("pair").again(run_id), threading.Event())
        return _of_pair(last.outcome)
    if kind == "rule":
        kept = history.of("rule").open(run_id).asked
        return _scanned(history, type(kept)(kept.request, kept.database), "")
    *_, last = history.run("search", history.again(run_id), threading.Event())
    return _of_search(last.outcome)


def exported(path: Path) -> Found:
    """Return the content of a pair that was exported as JSON, as the window opens it."""
    return _of_pair(open_file(path)[1])


def _scanned(history: Runs, run: Any, run_id: str) -> Found:
    run.run_id = run_id
    *_, last = history.of("rule").run(run, threading.Event())
    assert not last.outcome.not_kept, last.outcome.not_kept
    return _of_rule(run)


def _of_search(result: Any) -> Found:
    hits = [
        (query.query.id, result.database.ids[int(index)], int(score), float(evalue))
        for query in result.queries
        for index, score, evalue in zip(query.hits.db_index, query.hits.scores, query.hits.log10_evalues, strict=True)
    ]
    return Found(result.state == "complete", hits)


def _of_pair(result: Any) -> Found:
    made = [(one.strand, one.alignment.score, *one.alignment.path) for one in result.alignments]
    return Found(result.state == "finished", [result.score, result.query.id, result.subject.id, *made])


def _of_rule(run: Any) -> Found:
    facts = json.loads(json.dumps(certificate(run)))
    return Found(facts["complete"], [facts["result_sha256"], facts["found"]])
