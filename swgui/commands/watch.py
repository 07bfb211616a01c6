"""``swgui watch``: its options, which are those of a search for ``add``."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import Final

from swgui.commands.engine import engine_group
from swgui.commands.files import FILES, out_option, table_format
from swgui.commands.option import Group, Option
from swgui.commands.scoring import SCORING, TRANSLATION
from swgui.commands.search import ALIGNMENTS, CONTEXT, INPUT, LETTERS, LIMITS, ORGANISMS, PART, STRAND

ACTIONS: Final = ("add", "list", "show", "run", "mail", "remove")
EVALUE: Final = 0.001


WATCH: Final = Group(
    (
        Option(
            ("action",),
            "add: a standing query; list: all of them; show: settings, and the changes of the last pass; run: one "
            "pass, which looks for newer releases; mail: send the last message again; remove: delete a watch",
            choices=ACTIONS,
            required=True,
        ),
        Option(("names",), "the watch; run: one or several (default: all)", "NAME", many=True, bare=()),
        Option(("--folder",), "folder of the watches (default: in the user's data folder)", "FOLDER"),
        Option(
            ("--feed",),
            "add: file of its Atom feed, in a folder of a web server for example (default: NAME.atom in the folder of "
            "the watch)",
            "FILE.atom",
        ),
        Option(
            ("--mail",),
            "add: command that is started without a shell for each message, and reads it; {subject} stands for the "
            "subject, without it the message has a head, as sendmail takes it",
            "COMMAND",
        ),
        Option(("--pass",), "show: the changes of this pass (default: of the last one)", "N", int, dest="pass_number"),
        out_option("list, show: where to write the table"),
        table_format(),
    ),
    FILES,
)


def watched_name(name: str) -> str:
    """Return a database as it is named, which each pass looks up.

    Raises
    ------
    argparse.ArgumentTypeError
        If that is the standard input, which no later pass has.
    """
    if name == "-":
        raise ArgumentTypeError("the standard input cannot be watched; name a file or a database")
    return name


def watch_options() -> tuple[Group, ...]:
    """Return the options of ``swgui watch``."""
    query, database, *others = INPUT.options
    asked = Group(
        (
            query._replace(help=f"add: {query.help}", required=False),
            database._replace(
                help="add: a .swdb file or a sequence file, by file or name; given again, several are searched as one",
                read=watched_name,
                many=True,
                required=False,
            ),
            *others,
        ),
        FILES,
    )
    limits = LIMITS._replace(options=tuple(map(_significant, LIMITS.options)))
    how = TRANSLATION, SCORING, CONTEXT, LETTERS, STRAND
    return WATCH, asked, PART, ORGANISMS, *how, limits, ALIGNMENTS, engine_group()


def _significant(option: Option) -> Option:
    """Return an option of limits; the limit of E is lower than that of a list which people read."""
    if option.path != "limits.max_evalue":
        return option
    return option._replace(help=f"hits up to this E-value (default: {EVALUE:g})", default=EVALUE)


def asking_options() -> tuple[Option, ...]:
    """Return the options that ``add`` alone takes, but for those of the engine."""
    with_engine = engine_group().options
    own = [option for group in watch_options() for option in group.options if option not in with_engine]
    shared = ("action", "names", "folder", "pass_number", "out", "format")
    return tuple(option for option in own if option.key not in shared)
