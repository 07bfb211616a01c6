"""Defaults of the site for the options of a command; the command line goes before them."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from swgui.commands.engine import engine_group
from swgui.commands.option import Option, options_of
from swgui.commands.parser import Parser
from swgui.commands.table import COMMANDS, Command, declared
from swgui.core.errors import InvalidParameter
from swgui.io.defaults import read_defaults

BY_ENDING: Final = "format"  # decided by the ending of --out where that is given


def apply_defaults(
    path: Path, parser: Parser, command: Command, arguments: argparse.Namespace, words: Sequence[str]
) -> None:
    """Give the options that the command line does not name the values of the site.

    Parameters
    ----------
    path : Path
        The file of defaults.
    words : sequence of str
        The words of the command line.

    Raises
    ------
    InvalidParameter
        If the file cannot be read, or has an option or a value that the command does not take.
    """
    kept = _of_the_run(arguments)
    if getattr(arguments, "out", None):
        kept.add(BY_ENDING)
    for option, value in command_defaults(path, command):
        if option.key not in kept and not parser.gives(words, option.key):
            setattr(arguments, option.key, value)


def _of_the_run(arguments: argparse.Namespace) -> set[str]:
    """Return the keys of the options that a resumed search has from its run; none for other searches."""
    if not getattr(arguments, "resume", None):
        return set()
    from swgui.commands.search import resume_options  # here: few searches are resumed

    return {option.key for option in resume_options()}


def checked_defaults(path: Path) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """Return values for all commands, and those for one command by its name; errors as of `apply_defaults`."""
    everywhere, by_command = read_defaults(path)
    known = COMMANDS | declared()
    for name in by_command:
        if name not in known:
            raise InvalidParameter("config", name, f"'{path}' has defaults for '{name}', which is no command.")
    return everywhere, by_command


def command_defaults(path: Path, command: Command) -> Iterator[tuple[Option, Any]]:
    """Yield the options of a command that a file of defaults sets, each with its value; errors as `apply_defaults`."""
    everywhere, by_command = checked_defaults(path)
    options = {name.lstrip("-"): option for option in options_of(command.groups()) for name in option.names}
    for name, value in {**everywhere, **by_command.get(command.name, {})}.items():
        option = options.get(name.replace("_", "-"))
        if option is not None and not option.positional:
            yield option, _value(path, command, name, option, value)
        elif name not in everywhere:
            raise InvalidParameter("config", name, f"'{path}': 'swgui {command.name}' has no option '{name}'.")


def computer_defaults(path: Path, name: str) -> Mapping[str, Any]:
    """Return the values in a file of defaults for options of a command that change no result, by `Option.key`.

    Those are engine, devices, threads and the like: the library takes them, so that a script keeps to the rules of a
    computer and has the same result on every one. Errors as of `apply_defaults`.
    """
    command = COMMANDS.get(name) or declared().get(name)
    return _of_the_computer(path, changed_at(path), command) if command else {}


def changed_at(path: Path) -> int:
    """Return the time of the last change of a file, in ns; 0 if there is none."""
    return path.stat().st_mtime_ns if path.exists() else 0


@lru_cache(maxsize=16)
def _of_the_computer(path: Path, _changed: int, command: Command) -> Mapping[str, Any]:
    keys = {option.key for option in engine_group().options}
    return {option.key: value for option, value in command_defaults(path, command) if option.key in keys}


def _value(path: Path, command: Command, name: str, option: Option, value: Any) -> Any:
    where = f"'{path}': {command.name}.{name}"
    if option.flag is not None:
        if not isinstance(value, bool):
            raise InvalidParameter("config", name, f"{where} is true or false, not {value!r}.")
        return option.flag if value else option.default
    if isinstance(value, list) != option.many and not (option.many and isinstance(value, str)):
        raise InvalidParameter("config", name, f"{where} is {'a list' if option.many else 'one value'}, not {value!r}.")
    read = [_read(where, name, option, one) for one in (value if isinstance(value, list) else [value])]
    return read if option.many else read[0]


def _read(where: str, name: str, option: Option, value: Any) -> Any:
    try:
        result = option.read(str(value))
    except (ValueError, argparse.ArgumentTypeError) as fault:
        raise InvalidParameter("config", name, f"{where}: {str(fault).rstrip('.')}.") from None
    if option.choices and result not in option.choices:
        raise InvalidParameter("config", name, f"{where} is {value!r}; choose {', '.join(map(str, option.choices))}.")
    return result
