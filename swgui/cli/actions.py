"""Commands whose first word is an action: how many names it takes, and which options belong to it."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from typing import Any, Final, Generic, NamedTuple, TypeVar

from swgui.commands.option import Option
from swgui.core.errors import InvalidParameter

MANY: Final = 1 << 30  # names
T = TypeVar("T")


class Action(NamedTuple, Generic[T]):
    """An action.

    Parameters
    ----------
    does : callable
        Carries it out.
    least, most : int
        Names that it takes.
    takes : str
        The same in words.
    example : str
        A command line.
    options : tuple of str
        Keys of the options that not every action has, and this one has.
    """

    does: Callable[..., T]
    least: int
    most: int
    takes: str
    example: str
    options: tuple[str, ...] = ()


def check_action(arguments: argparse.Namespace, action: Action[Any], options: Iterable[Option]) -> None:
    """Refuse too few or too many names, and options of other actions.

    Parameters
    ----------
    options : iterable of Option
        Those that not every action has.

    Raises
    ------
    InvalidParameter
        Naming the action, and the option.
    """
    given = len(arguments.names or ())
    if not action.least <= given <= action.most:
        raise InvalidParameter("names", given, f"'{arguments.action}' takes {action.takes}.", hint=action.example)
    for option in options:
        value = getattr(arguments, option.key)
        if option.key not in action.options and value != option.default:
            name = next(name for name in option.names if name.startswith("--"))
            raise InvalidParameter(option.key, value, f"'{arguments.action}' has no option {name}.")
