"""``swgui merge``: its options, and how ``swgui search`` is told which part to score."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError
from typing import Final

from swgui.commands.messages import FILES, MESSAGES
from swgui.commands.option import Group, Option
from swgui.core.errors import InvalidParameter
from swgui.core.several.shares import Share


def share_of(text: str) -> Share:
    """Return the share of a database that ``3/16`` means.

    Raises
    ------
    argparse.ArgumentTypeError
        If there is no such share.
    """
    found = re.fullmatch(r"\s*(\d{1,9})\s*/\s*(\d{1,9})\s*", text)
    if found is None:
        raise ArgumentTypeError(f"'{text}' is no part: 3/16 is the third of sixteen")
    try:
        return Share(int(found[1]), int(found[2]))
    except InvalidParameter as error:
        raise ArgumentTypeError(f"{error.message} {error.hint}".rstrip(".")) from None


SHARE: Final = Group(
    (
        Option(
            ("--part",),
            "score part I of N of the database alone, parts having about the same residues, and write its scores to "
            "--out; 'swgui merge' makes of all N what one search would have written",
            "I/N",
            share_of,
        ),
    ),
    FILES,
)


def merge_options() -> tuple[Group, ...]:
    """Return the options of ``swgui merge``."""
    from swgui.commands.output import hits_out  # here, as below: formats take a while to import
    from swgui.commands.search import SAVE

    given = Group(
        (
            Option(("parts",), "what 'swgui search --part' wrote: all parts of one search", "PART", many=True),
            Option(
                ("-d", "--database", "--db"),
                "the database, where it is not found by itself; several as they were given to the search",
                "FILE",
                many=True,
            ),
        ),
        FILES,
    )
    return given, hits_out(FILES), Group((SAVE,), FILES), MESSAGES
