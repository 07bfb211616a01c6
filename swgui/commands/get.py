"""``swgui get``: its options."""

from __future__ import annotations

from typing import Final

from swgui.commands.messages import MESSAGES
from swgui.commands.option import Group, Option
from swgui.core.alphabet import ALPHABETS

GET: Final = (
    Group(
        (
            Option(("name",), "a public set; without a name all are listed", "NAME", default=""),
            Option(
                ("-o", "--out"),
                "a database, NAME.swdb, or another name for the file as it is loaded (default: NAME.swdb in the "
                "folder of databases, where the window lists it)",
                "FILE",
            ),
            Option(("--type",), "kind of sequence (default: auto)", default="auto", choices=("auto", *ALPHABETS)),
        )
    ),
    MESSAGES,
)
