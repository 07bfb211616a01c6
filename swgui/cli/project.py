"""``swgui project``: makes, fills, shows, packs and unpacks projects, and gives stars and notes."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from swgui.cli.actions import MANY, Action, check_action
from swgui.cli.running import Report, deliver
from swgui.commands.project import PROJECT
from swgui.core.errors import SwguiError
from swgui.core.table import Column, Table
from swgui.core.words import count
from swgui.io.marks import STAR_SIGN, Mark
from swgui.io.table_files import check_writable
from swgui.runs.projects.folder import Added, Project
from swgui.runs.projects.packing import pack, unpack


class Row(NamedTuple):
    """One part of a project, as a table has it."""

    part: str
    name: str
    id: str
    about: str
    found: int | None
    place: str
    mark: Mark


_COLUMNS: Final[tuple[Column[Sequence[Row]], ...]] = (
    Column("part", "Part", "A run by its kind, a database, a table, or a sequence with a star or a note", "word",
           read=lambda rows: [row.part for row in rows]),
    Column("name", "Name", "Name, or identifier of a sequence", "text", read=lambda rows: [row.name for row in rows]),
    Column("star", "Star", f"{STAR_SIGN} if it has a star", "word",
           read=lambda rows: [STAR_SIGN if row.mark.star else None for row in rows]),
    Column("note", "Note", "The user's note", "text", read=lambda rows: [row.mark.note or None for row in rows]),
    Column("found", "Found", "Results of a run", "integer", read=lambda rows: [row.found for row in rows]),
    Column("about", "About", "Settings and database of a run", "text",
           read=lambda rows: [row.about or None for row in rows]),
    Column("id", "Id", "Of a run", "word", read=lambda rows: [row.id or None for row in rows]),
    Column("place", "Place", "Where a database or table is, or what is missing", "text",
           read=lambda rows: [row.place or None for row in rows]),
)  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Do what the action says.

    Raises
    ------
    InvalidParameter
        If the action has too few names, too many, or options of another one.
    SwguiError
        As the action.
    """
    action = _ACTIONS[arguments.action]
    own = ("name", "text", "databases", "out")
    check_action(arguments, action, (option for group in PROJECT for option in group.options if option.key in own))
    return deliver(arguments, action.does(arguments))


def _make(arguments: argparse.Namespace) -> Report:
    made = Project.make(arguments.folder, arguments.name)
    return Report(lines=[f"The project '{made.name}' was made: {made.folder}"], facts={"folder": str(made.folder)})


def _add(arguments: argparse.Namespace) -> Report:
    project, added = Project(arguments.folder), list[Added]()
    for name in arguments.names:
        try:
            added.append(project.add(name))
        except SwguiError as fault:
            before = f"Added before it: {', '.join(one.name for one in added)}." if added else ""
            fault.hint = f"{fault.hint} {before}".strip()
            raise
    lines = [f"{one.part}: {one.name}{f' ({one.run_id})' if one.run_id else ''}" for one in added]
    return Report(lines=lines, facts={"added": [one._asdict() for one in added]})


def _show(arguments: argparse.Namespace) -> Report:
    check_writable(arguments.out, arguments.format)
    project = Project(arguments.folder)
    rows = _rows(project)
    lost = [row.place for row in rows if row.part in ("database", "table") and not Path(row.place).is_absolute()]
    note = [project.facts.note] if project.facts.note else []
    said = [f"{project.name}: {count(sum(bool(row.id) for row in rows), 'run')}.", *note, *lost]
    table = Table(_COLUMNS, lambda: [rows])
    return Report(table=table, sentences=said, facts={"name": project.name, "note": project.facts.note})


def _rows(project: Project) -> list[Row]:
    marks = project.marks
    runs = project.runs.list()
    rows = [
        Row(one.kind, one.name, one.id, ", ".join(filter(None, (one.about, one.database))), one.found, one.reason,
            marks.of_run(one.id))
        for one in runs
    ]  # fmt: skip
    rows += [Row(one.part, one.wanted.name, "", "", None, one.said, Mark()) for one in project.files()]
    return rows + [Row("sequence", name, "", "", None, "", mark) for name, mark in marks.records.items()]


def _star(arguments: argparse.Namespace) -> Report:
    on = arguments.action == "star"
    Project(arguments.folder).star(*arguments.names, on=on)
    number = count(len(arguments.names), "star")
    return Report(lines=[f"{number} {'given' if on else 'removed'}."])


def _note(arguments: argparse.Namespace) -> Report:
    Project(arguments.folder).note(next(iter(arguments.names or ()), ""), arguments.text)
    return Report(lines=["The note was written." if arguments.text.strip() else "The note was deleted."])


def _pack(arguments: argparse.Namespace) -> Report:
    project = Project(arguments.folder)
    path = Path(arguments.out or f"{project.folder.name}.zip")
    packed = pack(project, path, databases=arguments.databases)
    return Report(lines=[f"Packed as {path}.", *packed.sentences], facts={"file": str(path), **packed._asdict()})


def _unpack(arguments: argparse.Namespace) -> Report:
    project = unpack(Path(arguments.folder), Path(arguments.names[0]))
    lost = [part.said for part in project.files() if part.place is None]
    lines = [f"The project '{project.name}' was unpacked: {project.folder}", *lost]
    return Report(lines=lines, facts={"folder": str(project.folder), "missing": lost})


_ACTIONS: Final[dict[str, Action[Report]]] = {
    "make": Action(_make, 0, 0, "a folder", "swgui project make FOLDER", ("name",)),
    "add": Action(_add, 1, MANY, "files or runs", "swgui project add FOLDER run.swgui"),
    "show": Action(_show, 0, 0, "a folder", "swgui project show FOLDER", ("out",)),
    "star": Action(_star, 1, MANY, "names", "swgui project star FOLDER P69905"),
    "unstar": Action(_star, 1, MANY, "names", "swgui project unstar FOLDER P69905"),
    "note": Action(_note, 0, 1, "one name, or none", "swgui project note FOLDER P69905 --text 'look here'", ("text",)),
    "pack": Action(_pack, 0, 0, "a folder", "swgui project pack FOLDER -o project.zip", ("out", "databases")),
    "unpack": Action(_unpack, 1, 1, "a file and a new folder", "swgui project unpack project.zip FOLDER"),
}
