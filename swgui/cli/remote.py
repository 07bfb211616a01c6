"""``swgui remote``: other computers, their databases and runs; and the side that answers."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from swgui.cli.running import Report, deliver
from swgui.core.alphabet import letter_of
from swgui.core.errors import InvalidParameter
from swgui.core.words import count, file_size
from swgui.io.remote.computers import Computer, forget_computer, known_computers, link_to, remember_computer
from swgui.io.remote.connections import Link
from swgui.io.remote.database import databases_on
from swgui.io.remote.wire import Listed, Standing


def run(arguments: argparse.Namespace) -> int:
    """List other computers, or databases or runs of one; or answer one."""
    if arguments.stdio:
        from swgui.serve.remote.agent import serve_streams  # here, as below: of the other side

        return serve_streams()
    if arguments.carry_out:
        from swgui.serve.remote.process import carry_out

        return carry_out(Path(arguments.carry_out))
    if not arguments.host:
        return _list(arguments)
    if arguments.forget:
        forget_computer(arguments.host)
        return 0
    return _look(arguments)


def _list(arguments: argparse.Namespace) -> int:
    given = [name for name in ("token_file", "ca", "runs", "forget") if getattr(arguments, name)]
    if given:
        raise InvalidParameter(given[0], True, "Which computer is meant?", hint="Name it: 'swgui remote HOST'.")
    known = known_computers()
    lines = [f"{one.address}{'   with a token' if one.token else ''}" for one in known]
    said = [] if known else ["you have used no other computer yet: 'swgui remote HOST' lists the databases of one."]
    return deliver(arguments, Report(lines=lines, sentences=said, facts={"computers": [one.address for one in known]}))


def _look(arguments: argparse.Namespace) -> int:
    """List databases or runs of a computer, and remember it once it has answered."""
    before = next((one for one in known_computers() if one.address == arguments.host), Computer(arguments.host))
    computer = Computer(
        arguments.host,
        _token(arguments.token_file) if arguments.token_file else before.token,
        str(Path(arguments.ca).absolute()) if arguments.ca else before.authority,
    )
    link = link_to(computer)
    try:
        report = _runs(link) if arguments.runs else _databases(link)
    finally:
        link.close()
    remember_computer(computer)
    return deliver(arguments, report)


def _token(path: str) -> str:
    """Return the token in a file: its first line."""
    token = next(iter(Path(path).read_text("utf-8").split("\n")), "").strip()
    if not token or len(token) > 500 or not token.isprintable():
        message = f"'{path}' has no token."
        raise InvalidParameter("token_file", path, message, hint="Write it into the first line.")
    return token


def _databases(link: Link) -> Report:
    listed = databases_on(link)
    its = link.greeting
    said = f"{link.name} (swgui {its.version if its else '?'}) has {count(len(listed), 'database')}."
    return Report(lines=database_lines(listed), sentences=[said], facts={"databases": list(map(_facts, listed))})


def database_lines(listed: Sequence[Listed]) -> list[str]:
    """Return a line for each database of another computer: name, kind, sequences, residues, size and date."""
    width = max((len(one.name) for one in listed), default=0)
    return [
        f"{one.name:<{width}}  {one.alphabet:<10}  {one.sequences:>13,} sequences  {one.residues:>17,} "
        f"{letter_of(one.alphabet) + 's':<8}  {file_size(one.size):>9}  {one.made[:10]}"
        for one in listed
    ]


def _facts(listed: Listed) -> dict[str, object]:
    return {name: getattr(listed, name) for name in listed.__struct_fields__}


def _runs(link: Link) -> Report:
    runs = link.call("runs", dict[str, Standing])
    lines = [f"{run}  {standing.state}" for run, standing in runs.items()]
    said = f"{count(len(runs), 'run')} of yours on {link.name}."
    return Report(lines=lines, sentences=[said], facts={"runs": {run: one.state for run, one in runs.items()}})
