"""One option of a command: how it is parsed, what its help says, and the words that give it a value."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from swgui.commands.parser import USUAL, Parser

READ: Final = "FILE"  # name of the value of an option that is an input file
WIDEST: Final = 79  # characters of a line of Python, from its beginning


class Option(NamedTuple):
    """One option or argument of a command."""

    # As they are typed, the one that is printed first; a name without a dash is that of an argument.
    names: tuple[str, ...]
    help: str  # what it does, as ``--help`` and the manual say it
    metavar: str | None = None  # what stands for the value there
    read: Callable[[str], object] = str  # makes the value of its text; `ValueError` if that cannot be
    default: object = None  # the value if the option is not given; it is never printed
    choices: Collection[str] = ()  # what the value may be; anything if empty
    flag: object = None  # what the option means without a value; it then takes none
    bare: object = None  # as `flag`, where a value may follow but need not
    many: bool = False  # whether it may be repeated, or an argument may stand several times; the value is a list
    run: bool = False  # whether several values may also follow one name, as shells make them of ``*.fasta``
    required: bool = False
    usual: bool = False  # whether the line of usage names it although it is not required
    dest: str = ""  # name of the value; that of the first long name if not given
    # Which field of the request it sets, with dots between the fields on the way; empty where several decide on one.
    # `make` returns the value of the field from that of the option, `show` the one of the option from that of the field
    path: str = ""
    make: Callable[[Any], Any] = lambda value: value
    show: Callable[[Any], Any] = lambda value: value
    # Of an option that names the format of --out: the formats whose files have an ending, the usual one first. The
    # ending decides where the option is not given; () stands for a file of another kind, which has an option of its own
    endings: Mapping[str, tuple[str, ...]] = {}
    former: tuple[str, ...] = ()  # names that earlier versions had; each still works for one release, with a notice
    notice: Callable[[str, str], str] | None = None  # sentence on a value, from name and text; "" for none

    @property
    def positional(self) -> bool:
        """Whether it is an argument, told apart by its place."""
        return not self.names[0].startswith("-")

    @property
    def key(self) -> str:
        """Name of the value among those of the command."""
        name = next((name for name in self.names if name.startswith("--")), self.names[0])
        return self.dest or name.lstrip("-").replace("-", "_")

    def declare(self, parser: argparse._ActionsContainer) -> None:
        """Add the option to a parser or a group of one."""
        words: dict[str, Any] = {"help": self.help, "default": self.default}
        if self.flag is not None:
            words |= {"action": "store_const", "const": self.flag}
        else:
            words |= {"metavar": self.metavar, "type": self.read, "choices": self.choices or None}
            if self.run:
                words |= {"nargs": "+" if self.bare is None else "*", "action": "extend"}
            elif self.many:
                least = "+" if self.bare is None else "*"
                words |= {"nargs": least} if self.positional else {"action": "append"}
            if self.bare is not None and not self.run and not self.many:
                words |= {"nargs": "?", "const": self.bare}
            elif self.positional and not self.many and not self.required:
                words |= {"nargs": "?"}
        if self.positional:
            parser.add_argument(self.key, **words)
        else:
            action = parser.add_argument(*self.names, dest=self.key, required=self.required, **words)
            setattr(action, USUAL, self.usual)

    def words(self, value: object) -> list[str]:
        """Return the command-line text of a value; nothing for the default."""
        if value is None or value == self.default:
            return []
        name = [] if self.positional else [self.names[0]]
        if self.flag is not None or value == self.bare:
            return name
        if isinstance(value, list | tuple):
            texts = [_text(item) for item in value]
            return texts if self.positional else [word for text in texts for word in (*name, text)]
        return [*name, _text(value)]


class Group(NamedTuple):
    """Options that stand together in the help; without a title among the command's own."""

    options: tuple[Option, ...]
    title: str = ""


def declare(parser: argparse.ArgumentParser, groups: tuple[Group, ...]) -> None:
    """Add the options of a command to its parser; groups of one title become one."""
    made: dict[str, argparse._ActionsContainer] = {}
    for group in groups:
        if group.title and group.title not in made:
            made[group.title] = parser.add_argument_group(group.title)
        for option in group.options:
            # The parser's own groups: of itself the parser would try the option on a formatter of help.
            option.declare(made.get(group.title, parser._positionals if option.positional else parser._optionals))
            if isinstance(parser, Parser):
                parser.former |= dict.fromkeys(option.former, option.names[0])
                if option.notice is not None:
                    parser.watched |= dict.fromkeys(option.names, option.notice)
                if option.endings:
                    parser.set_defaults(**{option.key: None})
                    parser.settled.append(partial(_settle, option))


def _settle(option: Option, arguments: argparse.Namespace) -> None:
    """Let the ending of the output decide on the format, if none is given; errors as of `format_by_ending`."""
    from swgui.commands.endings import format_by_ending  # here: help needs none of it

    given, several = getattr(arguments, option.key), getattr(arguments, "pairs", None)  # --out is a folder then
    out = None if several else arguments.out
    setattr(arguments, option.key, format_by_ending(out, given, option.endings) or given or option.default)


def options_of(groups: tuple[Group, ...]) -> Iterator[Option]:
    """Yield the options of all groups."""
    for group in groups:
        yield from group.options


def command_line(command: str, groups: tuple[Group, ...], values: Mapping[str, object]) -> str:
    """Return the line for a shell that gives a command these values; all others have their defaults.

    Parameters
    ----------
    values : Mapping[str, object]
        By `Option.key`.

    Raises
    ------
    KeyError
        If the command has no such option.
    """
    table = {option.key: option for option in options_of(groups)}
    for key in values:
        _ = table[key]
    import shlex  # here: to show how it is typed

    words = ["swgui", command]
    for key, option in table.items():
        words += option.words(values.get(key, option.default))
    return shlex.join(words)


def python_call(function: str, groups: tuple[Group, ...], values: Mapping[str, object], given: Sequence[str]) -> str:
    """Return the lines of Python in which the library does the same as the command with these values.

    Parameters
    ----------
    function : str
        Of `swgui`.
    values : Mapping[str, object]
        By `Option.key`; all others have their defaults.
    given : sequence of str
        Keys of the values that are given without their names, in order.
    """
    words = [
        repr([_text(item) for item in value] if isinstance(value, list | tuple) else _text(value))
        for value in map(values.__getitem__, given)
    ]
    for option in (option for group in groups for option in group.options):
        value = values.get(option.key, option.default)
        if option.key in given or value is None or value == option.default or (value == () and not option.default):
            continue
        if option.key == "settings" and isinstance(value, list):
            value = dict(str(entry).split("=", 1) for entry in value)
        elif isinstance(value, list | tuple):
            value = [_text(item) for item in value]
        elif not isinstance(value, bool | int | float | str):
            value = _text(value)
        words.append(f"{option.key}={value!r}")
    line = f"swgui.{function}({', '.join(words)})"
    if len(line) > WIDEST:
        line = f"swgui.{function}(\n    " + ",\n    ".join(words) + ",\n)"
    return f"import swgui\n\nfound = {line}\n"


def files_read(groups: tuple[Group, ...], values: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the files that a command reads, each with the key of its option: those whose value is called ``FILE``."""
    given = ((option.key, values[option.key]) for option in options_of(groups) if option.metavar == READ)
    return [(key, str(one)) for key, value in given for one in (value if isinstance(value, list) else [value]) if one]


def _text(value: object) -> str:
    """Return a value as it is typed: numbers short, but exact."""
    if isinstance(value, float):
        short = f"{value:g}"
        return short if float(short) == value else repr(value)
    return str(value)
