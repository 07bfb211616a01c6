"""``swgui project``: its options."""

from __future__ import annotations

from typing import Final

from swgui.commands.files import out_option, table_format
from swgui.commands.option import Group, Option

ACTIONS: Final = ("make", "add", "show", "star", "unstar", "note", "pack", "unpack")
PROJECT: Final = (
    Group(
        (
            Option(
                ("action",),
                "make: a new project; add: files and runs; show: its parts; star, unstar, note: marks; pack: one file "
                "to send; unpack: the folder of such a file",
                choices=ACTIONS,
                required=True,
            ),
            Option(("folder",), "the folder of the project; of unpack: the packed file", "FOLDER", required=True),
            Option(
                ("names",),
                "add: saved runs, databases, tables, and runs of the list by name or id; star, unstar, note: runs, or "
                "identifiers of sequences (none: the project itself); unpack: the new folder",
                "NAME",
                many=True,
                bare=(),
            ),
            Option(("--name",), "make: name of the project (default: of its folder)", "NAME", default=""),
            Option(("--text",), "note: the text; no text deletes the note", "TEXT", default=""),
            Option(
                ("--databases",),
                "pack: include the databases, which are named alone otherwise",
                default=False,
                flag=True,
            ),
            out_option("pack: the file, NAME.zip; show: a table of the parts"),
            table_format(),
        )
    ),
)
