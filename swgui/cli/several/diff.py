"""``swgui diff``: what became of the hits of a saved search in a newer release of its database."""

from __future__ import annotations

import argparse
from pathlib import Path

from swgui.cli.running import Report, deliver, on_terminal, say
from swgui.cli.runs import open_run
from swgui.commands.engine import engine_name, engine_options
from swgui.core.compare.changes import changes_in_words
from swgui.core.several.joined import joined
from swgui.core.words import agree, count
from swgui.io.database.library import database_files, open_any_database
from swgui.io.outputs import check_outputs
from swgui.io.saved.search import save_search
from swgui.io.table_files import check_writable
from swgui.io.tables.changes import changes_table
from swgui.jobs.progress import ProgressLine
from swgui.jobs.several.diff import SearchDiff, diff_steps


def run(arguments: argparse.Namespace) -> int:
    """Write which hits were gained, lost or moved, with the cause of each."""
    newer = [Path(name) for name in arguments.newer]
    inputs = [("saved search", arguments.file)]
    named = *newer, *map(Path, arguments.database or ())
    inputs += [("database", str(file)) for name in named for file in database_files(name)]
    check_outputs({"out": arguments.out, "save": arguments.save}, inputs)
    check_writable(arguments.out, arguments.format)
    loaded = open_run(arguments.file, ProgressLine(), arguments.database)
    with on_terminal() as terminal:
        cancel = terminal.cancel
        kind = loaded.result.search.database_alphabet.residue_alphabet
        database = joined([open_any_database(place, alphabet=kind, cancel=cancel) for place in newer])
        by = engine_name(arguments), engine_options(arguments)
        found = terminal.run(diff_steps(loaded.result, database, cancel, engine=by[0], options=by[1]))
        if found is None:
            say("stopped before the changes were known.")
            return 1
        if arguments.save:
            save_search(found.now, arguments.save, database_path=newer[0] if len(newer) == 1 else None)
    counts = {name: found.count(name) for name in ("gained", "lost", "moved")}
    facts: dict[str, object] = {"searched": found.searched, "gone": found.gone if found.gone >= 0 else None}
    said = [in_words(found)] if terminal.line.talks or arguments.json else []
    return deliver(arguments, Report(table=changes_table(found.changes), sentences=said, counts=counts, facts=facts))


def in_words(found: SearchDiff) -> str:
    """Return a sentence on the changes."""
    total, fresh = len(found.now.database), found.searched
    gone = f", {found.gone:,} of the older are gone" if found.gone >= 0 else ""
    return (
        f"{count(fresh, 'sequence')} of {total:,} {agree(fresh, 'was', 'were')} searched{gone}; hits: "
        f"{changes_in_words(found.changes)}"
    )
