"""``swgui search`` with files of alignments and profiles: what it begins with, and what it leaves behind."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

from swgui.commands.starting import request_from
from swgui.core.errors import InvalidParameter
from swgui.core.hits.results import SearchResult
from swgui.io.profiles.formats import StartingPoint
from swgui.io.profiles.saving import ROUND, Content, file_names, format_for
from swgui.io.whole_file import save_text
from swgui.jobs.iterate.saving import round_text
from swgui.jobs.search.request import SearchRequest

SAVED: Final = ("save_alignment", "save_profile")  # of the arguments


def started_with(arguments: argparse.Namespace) -> tuple[SearchRequest, StartingPoint]:
    """Return the search that the arguments describe, and the alignment or profile it begins with.

    Raises
    ------
    SwguiError
        If it cannot be read or carried out.
    """
    if arguments.history is not None:
        raise InvalidParameter(
            "history",
            arguments.history,
            "Searches with profiles are not kept among the runs of the window.",
            hint="Give --save a file instead of --history.",
        )
    request, start = request_from(arguments)
    for remark in start.remarks:
        print(f"swgui: {remark}", file=sys.stderr)
    return request, start


def profile_outputs(arguments: argparse.Namespace, request: SearchRequest) -> dict[str, str]:
    """Return the files that are to be written, by their options; refuses what cannot be.

    Raises
    ------
    InvalidParameter
        If an ending is that of no format, or there are no rounds to write something of.
    """
    outputs: dict[str, str] = {}
    for name in SAVED:
        path = getattr(arguments, name)
        if not path:
            continue
        option = name.replace("_", "-")
        format_for(path, "alignment" if name == "save_alignment" else "profile", option)
        if arguments.iterations == 1:
            raise InvalidParameter(
                option, path, f"--{option} writes the results of the rounds of a search.", hint="Add --iterations."
            )
        ids = [query.id for query in request.queries]
        for files in file_names(path, ids, arguments.iterations):
            outputs |= {f"{option} {file.name}": str(file) for file in files}
    return outputs


def write_profiles(result: SearchResult, arguments: argparse.Namespace) -> None:
    """Write the alignments and profiles of all queries.

    Raises
    ------
    FileNotWritten
        If a file cannot be written.
    """
    ids, asked = [query.query.id for query in result.queries], result.asked.iteration
    assert asked is not None  # or there are no rounds
    for name in SAVED:
        if not (path := getattr(arguments, name)):
            continue
        for query, files in zip(result.queries, file_names(path, ids, asked.rounds), strict=True):
            if query.rounds is None:
                continue
            numbers = range(len(query.rounds)) if ROUND in Path(path).name else [len(query.rounds) - 1]
            for number, file in zip(numbers, files, strict=False):
                content: Content = "alignment" if name == "save_alignment" else "profile"
                text = round_text(query, number, format_for(path, content, name), content, result)
                save_text(file, lambda out, text=text: out.write(text))  # type: ignore[misc]
