"""``swgui search --part`` and ``swgui merge``: a search in parts, on as many computers as there are."""

from __future__ import annotations

import argparse
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from swgui.cli.output import check_outputs, input_files, report, save_result
from swgui.cli.running import on_terminal, say, scored
from swgui.cli.writing import write_result
from swgui.commands.search import with_places
from swgui.core.database import EncodedDatabase
from swgui.core.errors import InvalidParameter
from swgui.core.several.joined import joined
from swgui.core.several.shares import Share
from swgui.core.words import count
from swgui.io.database.any_file import database_files, open_any_database
from swgui.io.outputs import check_outputs as check_files
from swgui.io.saved.search import SUFFIX, save_search
from swgui.io.saved.share import SavedShare, check_together, open_whole, read_share, save_share
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.several.shares import SharedSearch, merge_steps, share_steps

_ELSEWHERE: Final = {  # outputs of a whole search alone, and the command that writes them from parts
    "save": "merge", "scores": "", "statistics": "", "history": "", "save_alignment": "", "save_profile": "",
    "columns": "merge", "comments": "merge", "headings": "merge", "flank": "merge", "gaps": "merge", "shuffles": "",
}  # fmt: skip


def check_part(arguments: argparse.Namespace) -> None:
    """Refuse options that a part of a search cannot have.

    Raises
    ------
    InvalidParameter
        If it has no file to write to, or options ask for more than scores; or if it is to be resumed.
    """
    share = str(arguments.part)
    if arguments.resume:
        raise InvalidParameter("part", share, "--part and --resume do not go together.", hint="Leave out one of them.")
    if not arguments.out:
        raise InvalidParameter(
            "out", None, "A part of a search needs a file for its scores.", hint="Name it with --out, as 3.part."
        )
    for name, command in _ELSEWHERE.items():
        if getattr(arguments, name) not in (None, False, 0):
            option = "--" + name.replace("_", "-")
            raise InvalidParameter(
                name,
                getattr(arguments, name),
                f"{option} does not go with --part: a part has no hits yet.",
                hint=f"Give {option} to 'swgui {command}'." if command else "Leave it out, or search in one part.",
            )


def run_part(arguments: argparse.Namespace, request: SearchRequest, places: Sequence[Path]) -> int:
    """Score a part of the database, and write what was scored."""
    share: Share = arguments.part
    out = Path(arguments.out)
    check_files({"out": out}, input_files(arguments))
    with on_terminal() as terminal:
        asked = with_places(request, places)
        shared = terminal.run(share_steps(asked, share, terminal.cancel))
        if shared is None:
            say(f"stopped: nothing was written; make '{out.name}' again.")
            return 1
        database, (scores,) = shared.request.database, shared.shares
        assert isinstance(database, EncodedDatabase)
        save_share(
            scores,
            asked.queries,
            asked.search,
            database,
            out,
            database_path=asked.database if isinstance(asked.database, Path) else None,
            queries_masked=asked.queries_masked,
        )
    if (line := terminal.line).talks:
        subjects = scores.stretch[1] - scores.stretch[0]
        line.say(
            f"Part {share}: {count(len(asked.queries), 'query', 'queries')}, {count(subjects, 'subject')} "
            f"of {len(database):,}; {scores.cells / 1e9:,.2f} G cells in {scores.seconds:.2f} s on "
            f"{', '.join(scores.devices) or 'no device'}. 'swgui merge' makes the hits of all {share.of}."
        )
    return 0


def run(arguments: argparse.Namespace) -> int:
    """Write the hits of a search that was done in parts."""
    paths = [Path(name) for name in arguments.parts]
    saved = _saved_name(arguments)
    inputs = [("part", path) for path in paths]
    inputs += [("database", file) for name in arguments.database or () for file in database_files(name)]
    check_files({"out": arguments.out, "save": arguments.save}, inputs)
    with on_terminal() as terminal:
        line, cancel = terminal.line, terminal.cancel
        shares = []
        for number, path in enumerate(paths):
            line.show(f"Reading {number + 1:,} of {count(len(paths), 'part')}")
            shares.append(read_share(path))
        parts = check_together(shares)
        line.clear()
        shared, place = opened(parts, arguments.database or (), cancel)
        if place is not None:
            check_files({"out": arguments.out, "save": arguments.save}, [("database", place)])
        check_outputs(_as_of_search(arguments), len(shared.request.queries))
        result = scored(terminal.run(merge_steps(shared, cancel)))
        if result is None:
            return 1
        if saved is not None and place is not None:
            save_search(result, saved, database_path=place)
        elif saved is not None:
            save_result(result, shared.request, saved)
        alignments = 0
        if saved is None or arguments.out != str(saved):
            alignments = write_result(result, arguments, line, cancel=cancel)
    report(result, line, alignments)
    return terminal.status(complete=result.state == "complete")


def _saved_name(arguments: argparse.Namespace) -> Path | None:
    """Return where the whole search is to be saved: what --save names, or --out if it ends as such files do."""
    if arguments.save:
        return Path(arguments.save)
    return Path(arguments.out) if arguments.out and Path(arguments.out).suffix == SUFFIX else None


def _as_of_search(arguments: argparse.Namespace) -> argparse.Namespace:
    """Return the arguments with the options of a search that merge lacks, empty."""
    others = {"query": None, "scores": None, "statistics": None, "tls_ca": None, "tls_cert": None, "tls_key": None}
    return argparse.Namespace(**{**vars(arguments), **others})


def opened(
    parts: Sequence[SavedShare], databases: Sequence[str], cancel: threading.Event
) -> tuple[SharedSearch, Path | None]:
    """Return the search that parts are of, with its database open, and where that is.

    Raises
    ------
    SwguiError
        If it cannot be read, or is another one.
    """
    given = joined([open_any_database(name, cancel=cancel) for name in databases]) if databases else None
    search, database, place = open_whole(parts, given, cancel)
    request = SearchRequest(parts[0].queries, database, search, queries_masked=parts[0].facts.queries_masked)
    return SharedSearch(request, tuple(part.scores for part in parts)), place
