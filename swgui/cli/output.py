"""Output of ``swgui search``: hits, score vectors, statistics, and closing remarks for the user."""

from __future__ import annotations

import argparse
import math
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

import numpy as np

from swgui.commands.output import export_options
from swgui.core.contexts import NO_CONTEXT, OWN_CONTEXT
from swgui.core.errors import InvalidParameter
from swgui.core.hits.results import SearchResult
from swgui.core.hits.table import HitStream, HitTable
from swgui.core.judging.fitting import fit_of
from swgui.core.plain import replace
from swgui.core.scoring import ScoringScheme
from swgui.core.trace import part, parted
from swgui.core.verdict.kinds import SIGNIFICANT
from swgui.core.words import count
from swgui.io.database.any_file import database_files
from swgui.io.export import find_format, find_text_format, save_hits, write_hits
from swgui.io.export.columns import SHOWN, columns_of, names_query
from swgui.io.outputs import check_outputs as check_files
from swgui.io.sequences.sources import STANDARD
from swgui.io.whole_file import save_bytes, save_text
from swgui.jobs.progress import ProgressLine
from swgui.jobs.search.describe import describe
from swgui.jobs.search.request import SearchRequest

if TYPE_CHECKING:
    from swgui.core.hits.marks import Kind, Marks
    from swgui.core.statistics.shuffling import ShufflePlan, ZValue

QUERIES_NAMED: Final = 20  # of those along which the reading of DNA probably shifts
HITS_EXAMINED: Final = 20  # of each query, the best
LINES_ALONE: Final = ("tsv", "csv", "blast6", "xlsx")  # formats that have a column alone to name the query of a line
NO_QUERY: Final = "No column names the query of a line, and there are several: add qseqid to --columns."


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


def all_hits(
    result: SearchResult,
    line: ProgressLine,
    *,
    align: bool,
    fit: bool,
    marks: Marks | None = None,
    only: Kind | None = None,
    cancel: threading.Event | None = None,
) -> Iterator[HitTable]:
    """Describe every hit of every query, in order, in tables of one or more queries, showing how far it is.

    Parameters
    ----------
    marks : Marks, optional
        What was noted about the hits in the window.
    only : {"ticked", "starred", "hidden"}, optional
        Only hits with this mark.
    """
    rows = _rows(result, marks, only)
    total, done = sum(map(len, rows)), 0
    parts = [(result.hit_list(index), chosen) for index, chosen in enumerate(rows)]
    for table in parted("align", describe(parts, align=align, fit=fit, cancel=cancel).several):
        done += len(table)
        line.show(f"Aligning {done:,} of {total:,}")
        yield table if marks is None else replace(table, marks=marks)


def _rows(result: SearchResult, marks: Marks | None, only: Kind | None) -> list[Sequence[int]]:
    """Return which hits of each query are to be written."""
    if only is None:
        return [range(len(query.hits)) for query in result.queries]
    return [[] if marks is None else marks.rows(only, i, query.hits.db_index) for i, query in enumerate(result.queries)]


def for_people(arguments: argparse.Namespace) -> bool:
    """Return True if hits go to a terminal, and neither format nor columns were named."""
    words = getattr(arguments, "words", None)  # none where no command line was read
    if words is None or arguments.out or arguments.columns or getattr(arguments, "metadata", None):
        return False
    if any(getattr(arguments, key, None) is not None for key in ("features", "infernal")):
        return False
    if arguments.parser.gives(words, "format"):
        return False
    return arguments.format == "tsv" and sys.stdout.isatty()


def write_result(
    result: SearchResult,
    arguments: argparse.Namespace,
    line: ProgressLine,
    marks: Marks | None = None,
    only: Kind | None = None,
    cancel: threading.Event | None = None,
) -> int:
    """Write the hits to a file (whole or not at all) or to the standard output; the rest as in `all_hits`.

    Returns
    -------
    int
        How many significant alignments there are; 0 where that is not known.
    """
    form, options = find_format(arguments.format), export_options(arguments, cancel)
    if screen := for_people(arguments):
        options = replace(options, columns=SHOWN)
    elif len(result.queries) > 1 and form.name in LINES_ALONE and not names_query(columns_of(result, options.columns)):
        print(f"swgui: {NO_QUERY}", file=sys.stderr)
    align, fit = form.aligned(options), form.fitted(options)
    significant, shifts = 0, dict[str, str]()  # sentences by query
    unaligned = set[int]()  # queries with hits that have no alignment because of Stop
    listed = Counter[int]()  # hits of each query

    def counted() -> Iterator[HitTable]:
        nonlocal significant
        for table in all_hits(result, line, align=align, fit=fit, marks=marks, only=only, cancel=cancel):
            for index, size in table.counts:
                listed[index] += size
            stopped = cancel is not None and cancel.is_set()
            if stopped and align:
                unaligned.update(one.query_index for one in table.parts if (~one.there & (one.scores > 0)).any())
            elif result.translation is not None and align:
                _look_for_shifts(table, result.scheme, shifts)
            significant += int((table.log10_evalues <= SIGNIFICANT.value).sum()) if align and only is None else 0
            yield table

    stream = HitStream(counted())
    with part("format"):
        if screen:
            _on_screen(stream, line, several=len(result.queries) > 1)
        elif arguments.out:
            save_hits(arguments.out, form.name, result, stream, options)
        else:
            write_hits(form.name, result, stream, sys.stdout, options)
    with part("write"):
        sys.stdout.flush()
    line.clear()
    if cancel is not None and cancel.is_set():
        wanted = [len(rows) for rows in _rows(result, marks, only)]
        print(f"swgui: {_cut_short(wanted, listed, len(unaligned))}.", file=sys.stderr)
    for sentence in islice(shifts.values(), QUERIES_NAMED):
        print(f"swgui: {sentence}", file=sys.stderr)
    if len(shifts) > QUERIES_NAMED:
        print(f"swgui: likewise {count(len(shifts) - QUERIES_NAMED, 'more query', 'more queries')}.", file=sys.stderr)
    return significant


def _on_screen(stream: HitStream, line: ProgressLine, *, several: bool) -> None:
    from swgui.cli.screen import print_hits  # here: not in a pipe

    print_hits(stream.tables, line, several=several)


def _cut_short(wanted: Sequence[int], listed: Mapping[int, int], unaligned: int) -> str:
    """Report the gaps of a stopped list: hits of each query wanted and listed, and queries without alignments."""
    said = "stopped: hits that were not listed by then have their best alignment alone"
    said += f", those of {count(unaligned, 'query', 'queries')} have none" if unaligned else ""
    if short := [index for index, hits in enumerate(wanted) if listed[index] < hits]:
        hits = sum(wanted) - sum(listed.values())
        said += f"; {count(hits, 'hit')} of {count(len(short), 'query', 'queries')} are left out"
    return said


def _look_for_shifts(table: HitTable, scheme: ScoringScheme, shifts: dict[str, str]) -> None:
    """Add the remarks on the first hit of each query along which the reading of DNA probably shifts."""
    from swgui.core.verdict.shifts import may_shift, probable_shifts  # here: for searches that translate

    for hit in map(table.at, may_shift(table, HITS_EXAMINED)):
        query = hit.query_record.id
        if query not in shifts and (said := probable_shifts(hit, scheme)):
            shifts[query] = f"'{query}' and '{hit.table.subjects.ids[hit.place]}': {said}"


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
