"""Output of ``swgui search`` but for its hits: score vectors, statistics, and closing remarks for the user."""

from __future__ import annotations

import argparse
import math
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING

import numpy as np

from swgui.commands.output import export_options
from swgui.core.contexts import NO_CONTEXT, OWN_CONTEXT
from swgui.core.errors import InvalidParameter
from swgui.core.hits.results import SearchResult
from swgui.core.judging.fitting import fit_of
from swgui.core.words import count
from swgui.io.database.any_file import database_files
from swgui.io.export import find_format, find_text_format
from swgui.io.outputs import check_outputs as check_files
from swgui.io.sequences.sources import STANDARD
from swgui.io.whole_file import save_bytes, save_text
from swgui.jobs.progress import ProgressLine
from swgui.jobs.search.request import SearchRequest

if TYPE_CHECKING:
    from swgui.core.statistics.shuffling import ShufflePlan, ZValue


def input_files(arguments: argparse.Namespace) -> Iterator[tuple[str, str | Path | None]]:
    """Yield the input files in the arguments that all searching commands share, for `swgui.io.outputs`."""
    yield from (("query", path) for path in arguments.query or () if path != STANDARD)
    yield "alignment or profile", getattr(arguments, "start_from", None)
    names = arguments.database if isinstance(arguments.database, list) else [arguments.database]
    yield from (("database", file) for name in names if name for file in database_files(name))
    if build := getattr(arguments, "build_database", None):
        yield from (("database of the profiles", file) for file in database_files(build))
    yield "matrix", getattr(arguments, "matrix", None)
    if (context := getattr(arguments, "context", NO_CONTEXT)) not in (NO_CONTEXT, OWN_CONTEXT):
        yield "context library", context
    yield from (("cluster's keys", getattr(arguments, f"tls_{kind}")) for kind in ("ca", "cert", "key"))


def check_outputs(arguments: argparse.Namespace, queries: int, more: Mapping[str, str] | None = None) -> None:
    """Refuse before a search what could not be written after it; `more` are other files, by what names them.

    Raises
    ------
    InvalidParameter
        If the format cannot hold what was chosen, an output is an input, or two outputs have one name.
    FileNotWritten
        If a file cannot be written where it is to be.
    """
    form = find_format(arguments.format) if arguments.out else find_text_format(arguments.format)
    form.check(export_options(arguments), queries)
    outputs = {option: getattr(arguments, option) for option in ("out", "save", "scores", "statistics")}
    check_files({**outputs, **(more or {})}, input_files(arguments))


def write_scores(result: SearchResult, path: Path) -> None:
    """Write the score vectors in the database's original order.

    The file holds ``query_ids`` [queries], ``subject_ids`` [subjects] and ``scores`` int32
    [queries, subjects], with -1 where a stopped run has no score.
    """
    vectors = [query.scores for query in result.queries if query.scores is not None]
    if len(vectors) != len(result.queries):
        raise InvalidParameter("scores", str(path), f"The score vectors were not kept, {path.name} was not written.")

    def write(file: IO[bytes]) -> None:
        np.savez(
            file,
            query_ids=np.array([query.query.id for query in result.queries]),
            subject_ids=np.array(list(result.database.ids)),
            scores=np.stack(vectors),
        )

    save_bytes(path, write)


def write_statistics(
    result: SearchResult,
    path: Path,
    plan: ShufflePlan | None,
    request: SearchRequest,
    line: ProgressLine,
    cancel: threading.Event,
) -> None:
    """Write the fit and the histogram of every query as JSON; with a plan also Z-values of its hits by shuffling."""
    import json  # here, as below: only for those who ask for statistics

    from swgui.core.statistics.histogram import score_histogram

    queries: list[dict[str, object]] = []
    for index, query in enumerate(result.queries):
        fit = fit_of(result, index)
        entry: dict[str, object] = {
            "query": query.query.id,
            "length": len(query.query.residues),
            "fit": fit.statistics.as_dict() if fit.statistics else None,
            "why_no_fit": fit.reason,
        }
        if query.scores is not None:
            entry["histogram"] = score_histogram(query.scores, result.database.lengths, fit.statistics).as_dict()
        if plan is not None and len(query.hits):
            entry["shuffles"] = [as_json(z, result) for z in shuffle(result, index, plan, request, line, cancel)]
        queries.append(entry)
    document = {
        "program": f"swgui {result.version}",
        "database": {"name": result.database.name, "checksum": result.database.checksum},
        "scoring": result.scheme.describe(),
        "statistics": result.statistics,
        "shuffles": plan.describe() if plan else None,
        "queries": queries,
    }
    save_text(path, lambda file: json.dump(document, file, indent=1))


def shuffle(
    result: SearchResult,
    query_index: int,
    plan: ShufflePlan,
    request: SearchRequest,
    line: ProgressLine,
    cancel: threading.Event,
) -> Iterator[ZValue]:
    """Yield the Z-values of all hits of a query."""
    from swgui.core.statistics.shuffling import ZValue
    from swgui.jobs.search.shuffles import ZRequest, z_values

    rows = range(len(result.queries[query_index].hits))
    wanted = ZRequest(result.hit_list(query_index), rows, plan, request.search.engine, request.search.options)
    for event in z_values(wanted, cancel):
        if isinstance(event, ZValue):
            yield event
        else:
            line.event(event)
    line.clear()


def as_json(value: ZValue, result: SearchResult) -> dict[str, object]:
    """Return a Z-value for JSON; null if unknown."""
    facts = {"z": value.z, "log10_p": value.log10_p, "mean": value.mean, "standard_deviation": value.standard_deviation}
    return {
        "rank": value.row + 1,
        "subject": result.database.ids[value.db_index],
        "score": value.score,
        **{name: None if math.isnan(number) else round(number, 6) for name, number in facts.items()},
        "reached": value.reached,
        "counted_p": value.counted_p,
    }


def report(result: SearchResult, line: ProgressLine, alignments: int = 0) -> None:
    """Print a summary on the standard error; in a pipe only necessary remarks.

    Parameters
    ----------
    alignments : int
        Significant ones; 0 if unknown.
    """
    if result.information:
        print(f"swgui: {result.information}", file=sys.stderr)
    if result.message:
        print(f"swgui: warning: {result.message}", file=sys.stderr)
    if result.left_out or (result.search.limits.minimums and not any(len(query.hits) for query in result.queries)):
        less = f"{count(result.left_out, 'hit')} within the other limits had less"
        why = less if result.left_out else "none has it"
        print(f"swgui: the limits of hits are {result.search.limits.minimums.describe()}: {why}.", file=sys.stderr)
    if result.state != "complete":
        part = 100 * result.cells_done // result.cells_total if result.cells_total else 0
        print(
            f"swgui: {result.state}: {part} % of the work was done; the hits are those found by then.",
            file=sys.stderr,
        )
    if line.talks:
        from swgui.core.verdict.answers import search_answer  # here: no output in a pipe

        for text in search_answer(result, alignments=alignments).texts():
            line.say(text)
        line.say(
            f"{count(len(result.queries), 'query', 'queries')}, {count(len(result.database), 'subject')}, "
            f"{result.scheme.describe()}; "
            f"{result.cells_done / 1e9:,.2f} G cells in {result.seconds:.2f} s, {result.gcups:,.1f} GCUPS "
            f"on {', '.join(result.devices)} ({result.engine})."
        )


def save_result(result: SearchResult, request: SearchRequest, path: Path) -> None:
    """Write a search to a file."""
    from swgui.io.saved.facts import RunFacts  # here, as below: few searches are saved
    from swgui.io.saved.search import save_search
    from swgui.runs.search_facts import databases_of

    place, two = databases_of(result, request)
    given = two is not None or isinstance(request.database, Path)
    save_search(result, path, database_path=place if given else None, run=RunFacts(two=two))
