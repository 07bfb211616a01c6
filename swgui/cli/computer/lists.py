"""``swgui formats``, ``columns``, ``help`` and ``version``: lists of what there is."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from typing import Final

import swgui
from swgui.cli.aligned import aligned
from swgui.cli.running import Report, deliver
from swgui.commands.option import Group, Option
from swgui.core.errors import InvalidParameter

FORMATS_OPTIONS: Final = (
    Group((Option(("--schema",), "print the JSON schema of --format json", default=False, flag=True),)),
)
HELP: Final = (Group((Option(("name",), "a command; without one all commands are listed", "COMMAND"),)),)


def formats(arguments: argparse.Namespace) -> int:
    """List the formats of hits, and those of two long sequences."""
    if arguments.schema:
        from swgui.io.export.json_format import json_schema  # here: few programs read it

        print(json.dumps(json_schema(), indent=2))
        return 0
    from swgui.io.export import FORMATS
    from swgui.io.export.pairs import PAIR_FORMATS

    rows: list[dict[str, object]] = [
        {"commands": "search, show", "name": one.name, "ending": one.suffix, "holds": one.description}
        for one in FORMATS.values()
    ]
    rows += [
        {"commands": "pair", "name": one.name, "ending": one.suffix, "holds": one.description}
        for one in PAIR_FORMATS.values()
    ]
    _print(rows, as_json=arguments.json)
    return 0


def columns(arguments: argparse.Namespace) -> int:
    """List the columns that tables of hits can have."""
    from swgui.io.export.columns import DEFAULT_COLUMNS, HIT_COLUMNS

    _print(
        [
            {
                "name": column.key,
                "heading": column.heading,
                "usual": column.key in DEFAULT_COLUMNS,
                "meaning": column.description,
            }
            for column in HIT_COLUMNS.values()
        ],
        as_json=arguments.json,
    )
    return 0


def help_(arguments: argparse.Namespace) -> int:
    """Print the help of a command, or the list of all.

    Raises
    ------
    InvalidParameter
        If there is no such command.
    """
    from swgui.cli import build_parser, main
    from swgui.commands.table import COMMANDS, declared

    if arguments.name is None:
        print(build_parser([]).format_help(), end="")
        return 0
    known = COMMANDS | declared()
    if arguments.name not in known:
        from difflib import get_close_matches

        near = get_close_matches(arguments.name, known, n=1)
        raise InvalidParameter(
            "name",
            arguments.name,
            f"There is no command '{arguments.name}'.",
            hint=f"Did you mean {near[0]}?" if near else "'swgui help' lists the commands.",
        )
    return main([arguments.name, "--help"])


def version(arguments: argparse.Namespace) -> int:
    """Print the version."""
    return deliver(arguments, Report(lines=[f"swgui {swgui.__version__}"], facts={"version": swgui.__version__}))


def _print(rows: Sequence[Mapping[str, object]], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(rows, indent=2))
        return
    shown = [
        ["yes" if value is True else "" if value is False else str(value) for value in row.values()] for row in rows
    ]
    print("\n".join(aligned(list(rows[0]), shown, wrap=True)))
