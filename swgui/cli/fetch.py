"""``swgui fetch-query``: sequences by their accession, to search with."""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from swgui.core.control import stop_on_interrupt
from swgui.core.database import EncodedDatabase
from swgui.core.entries.lookup import Entry, UnknownAccession, find_entries
from swgui.core.errors import DatabaseError
from swgui.io.database.library import database_files, open_any_database, user_databases
from swgui.io.online_entries import fetch_entry
from swgui.io.outputs import check_outputs
from swgui.io.saved.facts import fasta
from swgui.io.whole_file import save_bytes


def fetch(arguments: argparse.Namespace) -> int:
    """Write the entries; exit status 0 only if all were found."""
    given = [Path(name) for name in arguments.database or ()]
    files = [("database", file) for path in given for file in database_files(path)]
    check_outputs({"out": arguments.out}, files)
    databases = _open(given)
    wanted = list(dict.fromkeys(arguments.accessions))
    with stop_on_interrupt() as cancel:
        entries = _found(databases, wanted, cancel, online=arguments.online)
    text = fasta(entry.record for entry in entries)
    if arguments.out:
        save_bytes(arguments.out, lambda file: file.write(text))
    else:
        sys.stdout.write(text.decode("utf-8"))
    for entry in entries:
        length = len(entry.record.residues)
        print(f"swgui: {entry.record.id}, {length:,} residues, from {entry.where}", file=sys.stderr)
    return 0


def _open(given: Sequence[Path]) -> list[EncodedDatabase]:
    """Open the databases that are named, or else all that are known and can be opened."""
    if given:
        return [open_any_database(path) for path in given]
    opened = []
    for known in user_databases():
        with suppress(DatabaseError):
            opened.append(open_any_database(known.path))
    return opened


def _found(
    databases: Sequence[EncodedDatabase], wanted: Sequence[str], cancel: threading.Event, *, online: bool
) -> list[Entry]:
    """Return the entries in the order wanted; what no database has is asked for online where that is allowed."""
    if not online:
        try:
            return find_entries(databases, wanted)
        except UnknownAccession as unknown:
            unknown.hint = f"{unknown.hint} With --online UniProt, NCBI and the PDB are asked.".strip()
            raise
    entries = []
    for accession in wanted:
        try:
            entries += find_entries(databases, [accession])
        except UnknownAccession:
            entries.append(fetch_entry(accession, cancel))
    return entries
