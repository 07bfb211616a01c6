"""Runs by file or by name: opening them, ``swgui find`` and ``swgui compare``, and what a search resumes."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from swgui.cli.running import Report, deliver, say
from swgui.commands.search import resume_options
from swgui.core.compare.runs import STATES, compare_results
from swgui.core.database import EncodedDatabase
from swgui.core.errors import InvalidParameter, SwguiError
from swgui.core.hits.results import SearchResult
from swgui.core.judging.subjects import find_headers
from swgui.core.pair.result import PairResult
from swgui.core.plain import replace
from swgui.core.several.joined import joined
from swgui.core.words import count
from swgui.io.database.library import open_any_database
from swgui.io.outputs import check_outputs
from swgui.io.saved.pair import is_pair_file, open_pair_result
from swgui.io.saved.search import LoadedSearch, load_search
from swgui.io.statistics import load_statistics
from swgui.io.table_files import check_writable
from swgui.io.tables.comparisons import comparison_comments, comparison_table, standings_table
from swgui.jobs.kind import kinds
from swgui.jobs.progress import ProgressLine
from swgui.jobs.search.describe import find_subject
from swgui.jobs.search.request import SearchRequest
from swgui.runs import Runs
from swgui.runs.opening import kind_of_saved

if TYPE_CHECKING:
    from swgui.runs.records import RunRecord

_SHOWN: Final = 5  # runs named in an error


class NoSuchRun(SwguiError):
    """No run, or no single one, is meant."""


def open_run(name: str, line: ProgressLine, databases: Sequence[str] | None = None) -> LoadedSearch:
    """Open a saved search: a file, or a run of the history by its name or id; report missing data.

    Parameters
    ----------
    databases : sequence of str, optional
        Its database, where it is not found by itself; several that were searched as one.

    Raises
    ------
    SwguiError
        If there is none, or it cannot be read.
    """
    line.show("Opening", force=True)
    given = joined([open_any_database(Path(place)) for place in databases]) if databases else None
    if os.path.lexists(name) or name.endswith(".swgui"):
        loaded = load_search(name, database=given)
    else:
        history = Runs()
        record = _record(history.list(), name, "kind", "search")
        loaded = history.open(record.id) if given is None else load_search(history.path(record.id), database=given)
    line.clear()
    for remark in loaded.remarks:
        print(f"swgui: {remark}", file=sys.stderr)
    return loaded


def run_of_kind(name: str) -> tuple[str, Path] | None:
    """Return kind and file of a run that is neither a search nor a pair: by file, or by name or id in the list.

    None if no run is meant, or it may be a search: it is looked for among those then. `NoSuchRun` if several are meant.
    """
    if os.path.lexists(name):
        kind = kind_of_saved(Path(name))
        return None if kind in ("", "search", "pair") else (kind, Path(name))
    runs = Runs()
    fit = [record for record in runs.list() if name in (record.id, record.name) and runs.has_result(record.id)]
    if not fit or not all(kinds()[record.kind].shared for record in fit):
        return None
    meant = fit[0] if len(fit) == 1 else _record(fit, name, "name", name)
    return meant.kind, runs.path(meant.id)


def pair_named(name: str) -> PairResult | None:
    """Return a pair: a file that was exported as JSON, or a run by its name or id; None if no single pair is meant.

    Raises
    ------
    SwguiError
        If it cannot be read.
    """
    if os.path.lexists(name):
        return open_pair_result(Path(name)) if is_pair_file(Path(name)) else None
    runs = Runs()
    fit = [record for record in runs.list() if name in (record.id, record.name) and runs.has_result(record.id)]
    if len(fit) != 1 or fit[0].kind != "pair":
        return None
    result: PairResult = runs.open(fit[0].id)
    return result


def _record(records: Iterable[RunRecord], name: str, fact: str, wanted: object) -> RunRecord:
    """Return the one run of a name or an id with a certain fact."""
    fit = [record for record in records if getattr(record, fact) == wanted]
    meant = [record for record in fit if record.id == name] or [record for record in fit if record.name == name]
    if len(meant) == 1:
        return meant[0]
    shown = ", ".join(f"{record.id} ('{record.name}')" for record in (meant or fit)[:_SHOWN])
    if meant:
        raise NoSuchRun(f"{count(len(meant), 'run')} are called '{name}'.", hint=f"Name one by its id: {shown}.")
    hint = f"There are {shown}." if shown else "'swgui search --history NAME' keeps one."
    raise NoSuchRun(f"There is no file and no such run of the history called '{name}'.", hint=hint)


def to_resume(arguments: argparse.Namespace) -> SearchRequest:
    """Return the request of a run that ended early; no other options are allowed.

    Raises
    ------
    InvalidParameter
        If the arguments have queries, a database or options of the search.
    SwguiError
        If there is no such run, or no part of it is left.
    """
    _check_nothing_else(arguments)
    history = Runs()
    searches = [record for record in history.list() if record.kind == "search"]
    request: SearchRequest = history.resume(_record(searches, arguments.resume, "resumable", True).id)
    return request


def finished_search(arguments: argparse.Namespace) -> tuple[SearchRequest, SearchResult] | None:
    """Return request and result of the run that ``--resume`` names if it is complete; None if there is work left.

    Raises
    ------
    InvalidParameter
        As `to_resume`.
    SwguiError
        If the result, or what it was made of, cannot be read.
    """
    _check_nothing_else(arguments)
    history = Runs()
    meant = [record for record in history.list() if arguments.resume in (record.id, record.name)]
    if len(meant) != 1 or meant[0].kind != "search" or meant[0].resumable or not history.has_result(meant[0].id):
        return None
    loaded: LoadedSearch = history.open(meant[0].id)
    return (history.again(meant[0].id), loaded.result) if loaded.result.state == "complete" else None


def taken_up(request: SearchRequest, name: str) -> tuple[SearchRequest, SearchResult | None]:
    """Return a search that continues the run of this name that asks for the same, and the result if that is complete.

    Without a name a run that has none of its own is continued, but a complete one is not looked for. The search stays
    as it is, without a result, if there is no such run. A complete one counts only if its database still has the same
    content.
    """
    runs = Runs().of("search")
    run_id = runs.earlier(replace(request, name=name or runs.about(request).name))
    if not run_id:
        return request, None
    if runs.record(run_id).resumable:
        resumed: SearchRequest = runs.resume(run_id)
        search = replace(resumed.search, engine=request.search.engine, options=request.search.options)
        say(f"run '{resumed.name}' is continued.")
        return replace(resumed, search=search), None
    if not name:
        return request, None
    loaded: LoadedSearch = runs.open(run_id)
    result, two = loaded.result, loaded.facts.two
    whole = result.state == "complete" and result.database.checksum == _checksum_of(request)
    if whole and two is not None and request.build_database is not None:
        whole = two.rounds.checksum == _checksum_of(replace(request, database=request.build_database))
    return request, result if whole else None


def _checksum_of(request: SearchRequest) -> str:
    """Return the checksum of the content of the database of a request, which is opened if need be."""
    if isinstance(request.database, EncodedDatabase):
        return request.database.checksum
    given = request.database if isinstance(request.database, tuple) else (request.database,)
    kind = request.search.database_alphabet.residue_alphabet
    return joined([open_any_database(place, alphabet=kind) for place in given]).checksum


def _check_nothing_else(arguments: argparse.Namespace) -> None:
    """Refuse options of the search next to ``--resume``; `InvalidParameter` then."""
    for option in resume_options():
        if (value := getattr(arguments, option.key)) != option.default:
            raise InvalidParameter(
                option.key,
                value,
                f"A resumed search stays as it was; {option.names[0]} would change it.",
                hint="Leave it out, or search again.",
            )


def find(arguments: argparse.Namespace) -> int:
    """Print the ranks of subjects in a run, listed or not; exit status 0 only if there are any."""
    check_writable(arguments.out, arguments.format)
    line = ProgressLine()
    result = open_run(arguments.run_name, line, arguments.database).result
    queries = [
        index for index, query in enumerate(result.queries) if not arguments.query or query.query.id in arguments.query
    ]
    if not queries:
        names = ", ".join(query.query.id for query in result.queries[:_SHOWN])
        raise InvalidParameter("query", arguments.query, "The run has no such query.", hint=f"It has {names}.")
    where = {name: find_headers(result.database.ids, result.database.descriptions, name) for name in arguments.names}
    missing = [name for name, places in where.items() if not places]
    wanted = list(dict.fromkeys(db_index for places in where.values() for db_index in places))

    table = standings_table(result, queries, wanted, lambda query, subject: find_subject(result, query, subject))
    shown = table if wanted or arguments.out or arguments.json else None
    said = [f"no subject has '{name}' in its name or description." for name in missing]
    status = deliver(arguments, Report(table=shown, sentences=said, facts={"not_found": missing}))
    return 1 if missing else status


def compare(arguments: argparse.Namespace) -> int:
    """Write which hits of two runs are the same, moved, new or lost."""
    line = ProgressLine()
    first, second = (open_run(name, line).result for name in (arguments.first, arguments.second))
    runs = [("run", name) for name in (arguments.first, arguments.second)]
    check_outputs({"out": arguments.out}, runs)
    check_writable(arguments.out, arguments.format)
    compared = compare_results(first, second, load_statistics(first.scheme), load_statistics(second.scheme))
    counts = compared.counts()
    said = [f"{', '.join(f'{counts[state]:,} {state}' for state in STATES)}."]
    for side, names in zip(("first", "second"), compared.unmatched, strict=True):
        if names:
            number = count(len(names), "query is", "queries are")
            said.append(f"{number} in the {side} run alone: {', '.join(names[:_SHOWN])}.")
    return deliver(
        arguments,
        Report(
            table=comparison_table(compared),
            comments=comparison_comments(compared) if arguments.comments else (),
            sentences=said,
            facts={"same": counts.pop("same")},
            counts=counts,
        ),
    )
