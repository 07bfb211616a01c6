"""``swgui show`` and ``swgui verify``: their options."""

from __future__ import annotations

from typing import Final

from swgui.commands.engine import engine_group
from swgui.commands.messages import MESSAGES
from swgui.commands.option import Group, Option
from swgui.commands.output import hits_out
from swgui.io.export import FORMS

FILE: Final = Group(
    (
        Option(("file",), "a saved search", "FILE.swgui", required=True),
        Option(("-d", "--database", "--db"), "its database, where it is not found by itself", "FILE"),
    )
)
METHODS_TEXT: Final = Group(
    (
        Option(
            ("--methods-text",),
            "instead of hits, a paragraph for the methods section of a paper and what to cite: " + ", ".join(FORMS),
            "FORM",
            choices=tuple(FORMS),
        ),
        Option(("--only",), "only hits that were marked so in the window", choices=("ticked", "starred")),
    )
)


def show_options() -> tuple[Group, ...]:
    """Return the options of ``swgui show``."""
    return FILE, hits_out(title=""), METHODS_TEXT, MESSAGES


def verify_options() -> tuple[Group, ...]:
    """Return the options of ``swgui verify``."""
    return FILE, engine_group(), MESSAGES
