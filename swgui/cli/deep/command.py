"""The command itself, and its options."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from swgui.cli.queries import read_queries
from swgui.cli.search import watched
from swgui.commands.databases import database_name
from swgui.commands.engine import check_method, engine_group, engine_name, engine_options
from swgui.commands.messages import MESSAGES
from swgui.commands.msa import PROTEINS
from swgui.commands.option import Group, Option
from swgui.commands.output import FILES
from swgui.commands.scoring import DEFAULT_GAPS, DEFAULT_MATRIX
from swgui.core.alphabet import PROTEIN
from swgui.core.control import stop_on_interrupt
from swgui.core.errors import InvalidParameter
from swgui.core.hits.results import SearchResult
from swgui.core.profiles.log_odds import conditional_frequencies
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.core.words import count, format_evalue
from swgui.engines.native.profiles import ProfileMaker
from swgui.io.database.any_file import database_files
from swgui.io.matrices import load_matrix
from swgui.io.outputs import check_outputs
from swgui.io.sequences.sources import STANDARD
from swgui.io.whole_file import save_text
from swgui.jobs.iterate import deeper, forward
from swgui.jobs.iterate.deeper import Deeper
from swgui.jobs.iterate.request import PRESETS, ROUNDS, IterationRequest, IterationSettings
from swgui.jobs.iterate.run import run_iteration
from swgui.jobs.progress import ProgressLine
from swgui.jobs.search.request import SearchRequest

_DEFAULT: Final = IterationSettings()
_BEST: Final = 100
_MAX_BEST: Final = 1000

FILES_OF: Final = Group(
    (
        PROTEINS,
        Option(("-d", "--database", "--db"), "a .swdb file or a sequence file", "FILE", database_name, required=True),
        Option(("-o", "--out"), "where to write the table (default: the standard output)", "FILE"),
    ),
    FILES,
)
EVIDENCE: Final = Group(
    (
        Option(
            ("--profiles",),
            "search with the best hits too, two rounds each, and compare their profiles with that of the query",
            default=False,
            flag=True,
        ),
        Option(
            ("--neighbours",),
            "list what the best hits find with E up to 0.001 and the query does not, with the path that leads there; "
            "costs the same searches as --profiles, once for both",
            default=False,
            flag=True,
        ),
        Option(
            ("--best",), f"how many hits are searched with (default {_BEST}, at most {_MAX_BEST:,})", "N", int, _BEST
        ),
        Option(
            ("--forward",),
            "Forward scores of HMMER for all hits, by the package pyhmmer; no search more",
            default=False,
            flag=True,
        ),
    ),
    "further evidence",
)
SEARCH: Final = Group(
    (
        Option(
            ("--iterations",),
            f"searches with the query, {ROUNDS[0]} to {ROUNDS[1]} (default {_DEFAULT.rounds})",
            "N",
            int,
            _DEFAULT.rounds,
        ),
        Option(("--preset",), "who is included in profiles", default=_DEFAULT.preset, choices=tuple(PRESETS)),
        Option(("--evalue",), "E-value up to which subjects are listed (default 10)", "E", float, 10.0),
        Option(("--top",), "subjects listed at most (default 500)", "N", int, 500),
    ),
    "search",
)


def deeper_options() -> tuple[Group, ...]:
    """Return the options of ``swgui deeper``."""
    return FILES_OF, EVIDENCE, SEARCH, engine_group(), MESSAGES


def check_evidence(arguments: argparse.Namespace) -> None:
    """Refuse what asks for nothing, or for too much.

    Raises
    ------
    InvalidParameter
        If so.
    """
    if not (arguments.profiles or arguments.neighbours or arguments.forward):
        raise InvalidParameter(
            "profiles",
            "",
            "'swgui deeper' was not told what to look at.",
            hint="Add --profiles, --neighbours or --forward; without them 'swgui search --iterations 6' does the same.",
        )
    if not 1 <= arguments.best <= _MAX_BEST:
        raise InvalidParameter(
            "best", arguments.best, f"Searching with the best {arguments.best:,} hits is not from 1 to {_MAX_BEST:,}."
        )


def deeper_request(arguments: argparse.Namespace, queries: Sequence[SequenceRecord]) -> IterationRequest:
    """Return the iterated search that is looked at.

    Raises
    ------
    InvalidParameter
        If it cannot be carried out.
    """
    search = SearchRequest(
        queries=tuple(queries),
        database=Path(arguments.database),
        scheme=ScoringScheme.from_blast(load_matrix(DEFAULT_MATRIX, PROTEIN), *DEFAULT_GAPS[PROTEIN.name]),
        top=arguments.top,
        max_evalue=arguments.evalue,
        engine=engine_name(arguments),
        options=engine_options(arguments),
        max_hsps=1,
    )
    return IterationRequest(search, IterationSettings(rounds=arguments.iterations, preset=arguments.preset))


COLUMNS: Final = (
    "qseqid",
    "sseqid",
    "evalue",
    "profile_bits",
    "profile_evalue",
    "forward_bits",
    "forward_evalue",
    "path",
    "path_evalues",
    "sequences",
)
_DIGITS: Final = 3
_UNKNOWN: Final = "."


def run(arguments: argparse.Namespace) -> int:
    """Search in rounds, look deeper, and write the table; exit status 0 if all was done."""
    check_method(arguments)
    check_evidence(arguments)
    if arguments.forward:
        forward.load()
    queries, _ = read_queries(arguments.query, PROTEIN.name)
    inputs = [("query", one) for one in arguments.query if one != STANDARD]
    inputs += [("database", str(file)) for file in database_files(arguments.database)]
    check_outputs({"out": arguments.out} if arguments.out else {}, inputs)
    request, line = deeper_request(arguments, queries), ProgressLine()
    with stop_on_interrupt() as cancel:
        result = watched(run_iteration(request, cancel), line)
        whole = result is not None and result.state == "complete"
        lines = ["\t".join(COLUMNS)]
        for index in range(len(queries)) if whole else ():
            assert result is not None
            partners = deeper.best_hits(result, index, arguments.best)
            of_hits = None
            if partners and (arguments.profiles or arguments.neighbours):
                searches = count(len(partners), "hit is", "hits are")
                line.say(f"swgui: {searches} searched with, {deeper.ROUNDS} rounds each.")
                of_hits = watched(run_iteration(deeper.searches_of(request, result, partners), cancel), line)
                whole = of_hits is not None and of_hits.state == "complete"
                if not whole:
                    break
            lines += rows_of(arguments, request, result, index, of_hits, partners)
    if not whole:
        print("swgui: stopped before all was looked at; nothing was written.", file=sys.stderr)
        return 1
    text = "\n".join([*lines, ""])
    if arguments.out:
        save_text(Path(arguments.out), lambda out: out.write(text))
    else:
        sys.stdout.write(text)
    return 0


def rows_of(
    arguments: argparse.Namespace,
    request: IterationRequest,
    result: SearchResult,
    index: int,
    of_hits: SearchResult | None,
    partners: list[int],
) -> Iterator[str]:
    """Yield the lines of one query."""
    found = deeper.listed(result, index)
    if of_hits is not None and arguments.profiles:
        found = deeper.with_profiles(found, request, result, index, of_hits, partners)
    if of_hits is not None and arguments.neighbours:
        found = deeper.with_paths(found, result, index, of_hits, partners)
    if arguments.forward:
        maker = ProfileMaker(conditional_frequencies(request.matrix), request.settings.profile_recipe)
        found = forward.with_forward(found, result, index, deeper.profile_of(result, index, maker).profile)
    for one in deeper.in_order(found):
        yield "\t".join([result.queries[index].query.id, *_fields(one, result)])


def _fields(one: Deeper, result: SearchResult) -> list[str]:
    ids, path, evalues = result.database.ids, _UNKNOWN, _UNKNOWN
    if one.path is not None:
        path = f"{ids[one.path.through]} > {ids[one.db_index]}"
        evalues = f"{_evalue(one.path.first)};{_evalue(one.path.second)}"
    return [
        ids[one.db_index],
        _evalue(one.log10_evalue),
        _bits(one.profile_bits),
        _evalue(one.profile_log10_evalue),
        _bits(one.forward_bits),
        _evalue(one.forward_log10_evalue),
        path,
        evalues,
        f"{len(result.database)}",
    ]


def _evalue(log10_evalue: float) -> str:
    return _UNKNOWN if math.isnan(log10_evalue) else format_evalue(log10_evalue, _DIGITS)


def _bits(value: float) -> str:
    return _UNKNOWN if math.isnan(value) else f"{value:.1f}"
