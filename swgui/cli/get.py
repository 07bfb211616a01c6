"""``swgui get`` and ``fetch-query``: public sets as databases, and sequences by their accession."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from swgui import paths
from swgui.cli.databases import described, facts_of
from swgui.cli.remarks import tell_remarks
from swgui.cli.running import Report, deliver
from swgui.core.alphabet import ALPHABETS
from swgui.core.database import EncodedDatabase
from swgui.core.entries.lookup import Entry, UnknownAccession, find_entries, find_gene, gene_in
from swgui.core.errors import DatabaseError, InvalidParameter
from swgui.core.links import accession_of
from swgui.core.plain import plain
from swgui.core.signals import stop_on_interrupt
from swgui.core.words import count, file_size
from swgui.io.database.build import build_database
from swgui.io.database.download import download, look_up
from swgui.io.database.format import SUFFIX
from swgui.io.database.library import database_files, open_any_database, user_databases, user_folder
from swgui.io.database.organism_sets import set_named
from swgui.io.database.public_sets import PublicSet, public_sets
from swgui.io.database.structures import are_structures, build_from_structures
from swgui.io.database.web import DownloadError, file_name
from swgui.io.online_entries import fetch_entry
from swgui.io.outputs import check_outputs
from swgui.io.saved.facts import fasta
from swgui.io.sequences.reader import ReadReport
from swgui.io.structures.naming import is_archive_name
from swgui.io.whole_file import check_place, save_bytes
from swgui.jobs.progress import ProgressLine, bar

SPACE: Final = 4  # times the size of what is loaded: with the database made of it
ARCHIVE_SPACE: Final = 2  # the same for an archive of structures, of which the database keeps residues alone


def run(arguments: argparse.Namespace) -> int:
    """Load a set, or list all of them."""
    if not arguments.name:
        sets = public_sets().values()
        names = {public.key: f"{public.key}:ORGANISM" if public.organisms else public.key for public in sets}
        lines = [f"{names[public.key]:<19} {public.title}: {public.about} {public.terms}." for public in sets]
        return deliver(arguments, Report(lines=lines, facts={"sets": [plain(public) for public in sets]}))
    with stop_on_interrupt() as cancel:
        wanted = set_named(arguments.name, cancel, online=not arguments.source)
    out = Path(arguments.out) if arguments.out else user_folder() / f"{wanted.key.replace(':', '-')}{SUFFIX}"
    if not arguments.out:
        paths.make_folder(out.parent)
    check_place(out)
    line = ProgressLine()
    if arguments.source:
        if out.suffix != SUFFIX:
            message = f"'{out.name}' does not end in {SUFFIX}."
            raise InvalidParameter("out", str(out), message, hint="--from builds a database: name it so.")
        check_outputs({"out": str(out)}, [("source", arguments.source)])
        database = build(Path(arguments.source), out, wanted.title, arguments.type, line)
        return deliver(arguments, Report(lines=described(out, database), facts=facts_of(out, database)))
    if out.suffix != SUFFIX:
        load(wanted, out, line, 1)
        return deliver(arguments, Report(lines=[str(out)], facts={"file": str(out)}))
    loaded = paths.data_dir() / "downloads" / file_name(wanted.url)
    paths.make_folder(loaded.parent)
    load(wanted, loaded, line, ARCHIVE_SPACE if is_archive_name(loaded) else SPACE)
    database = build(loaded, out, wanted.title, arguments.type, line)
    loaded.unlink(missing_ok=True)
    return deliver(arguments, Report(lines=described(out, database), facts=facts_of(out, database)))


def load(wanted: PublicSet, out: Path, line: ProgressLine, space: int) -> None:
    """Load the file of a set, or the rest of it.

    Parameters
    ----------
    space : int
        How many times its size must be free.

    Raises
    ------
    DownloadError, Stopped
        If that does not succeed; the loaded part is kept.
    """
    try:
        remote = look_up(wanted)
    except DownloadError as fault:
        if not fault.status:
            again = f"swgui get {wanted.key} --from {file_name(wanted.url)}"
            fault.hint = f"{fault.hint} Or load {wanted.url} elsewhere, and give the file: {again}.".strip()
        raise
    size = file_size(remote.size) if remote.size else "of unknown size"
    proof = "verified by a checksum" if remote.md5 else "without a checksum"
    print(f"swgui: {wanted.title}, {size}, {proof}, {wanted.terms}: {wanted.url}", file=sys.stderr)
    free = shutil.disk_usage(os.path.dirname(os.path.realpath(out))).free
    if space * remote.size > free:
        raise DownloadError(
            wanted.url,
            f"{wanted.title} takes about {file_size(space * remote.size)} in '{out.parent}', and {file_size(free)} are "
            "free.",
            hint="Make room first.",
        )
    with stop_on_interrupt() as cancel:
        download(
            wanted.url,
            out,
            md5=remote.md5,
            progress=lambda done, total: line.show(f"Loading {bar(done, total)}  {file_size(done)}"),
            cancel=cancel,
        )
    line.clear()


def build(source: Path, out: Path, name: str, kind: str, line: ProgressLine) -> EncodedDatabase:
    """Make a database of a file that was loaded; report the changes to its records."""
    report = ReadReport()

    def read(done: int, total: int) -> None:
        line.show(f"Reading {bar(done, total)}" if total else f"Reading: {count(done, 'file')}")

    if are_structures([source]):
        database = build_from_structures([source], out, name=name, report=report, progress=read)
    else:
        alphabet = None if kind == "auto" else ALPHABETS[kind]
        database = build_database([source], out, alphabet=alphabet, name=name, report=report, progress=read)
    line.clear()
    tell_remarks(report)
    return database


def fetch(arguments: argparse.Namespace) -> int:
    """Write the entries; exit status 0 only if all were found."""
    given = [Path(name) for name in arguments.database or ()]
    files = [("database", file) for path in given for file in database_files(path)]
    check_outputs({"out": arguments.out}, files)
    databases = _open(given)
    wanted = list(dict.fromkeys(map(accession_of, arguments.accessions)))
    with stop_on_interrupt() as cancel:
        entries = _found(databases, wanted, cancel, online=arguments.online)
    text = fasta(entry.record for entry in entries)
    if arguments.out:
        save_bytes(arguments.out, lambda file: file.write(text))
    else:
        sys.stdout.write(text.decode("utf-8"))
    for entry in entries:
        length = len(entry.record.residues)
        print(f"swgui: {entry.record.id}, {count(length, 'residue')}, from {entry.where}", file=sys.stderr)
    return 0


def _open(given: Sequence[Path]) -> list[EncodedDatabase]:
    """Open the databases that are named, or else all that are known and can be opened."""
    if given:
        return [open_any_database(path, in_blocks=True) for path in given]
    opened = []
    for entry in user_databases():
        with suppress(DatabaseError):
            opened.append(open_any_database(entry.path, in_blocks=True))
    return opened


def _found(
    databases: Sequence[EncodedDatabase], wanted: Sequence[str], cancel: threading.Event, *, online: bool
) -> list[Entry]:
    """Return the entries in the order wanted; those that no database has are requested online where that is allowed."""
    genes = {name: find_gene(databases, *named) for name in wanted if (named := gene_in(name)) is not None}
    names = [name for name in wanted if not genes.get(name)]
    entries: dict[str, Entry] = {}
    if not online:
        try:
            entries = dict(zip(names, find_entries(databases, names), strict=True))
        except UnknownAccession as unknown:
            unknown.hint = f"{unknown.hint} --online asks UniProt, NCBI and the PDB.".strip()
            raise
    for name in names if online else ():
        try:
            (entries[name],) = find_entries(databases, [name])
        except UnknownAccession:
            entries[name] = fetch_entry(name, cancel)
    return [entry for name in wanted for entry in genes.get(name) or [entries[name]]]
