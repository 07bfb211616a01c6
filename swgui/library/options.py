"""Keyword arguments of the library: the options of a command, with its names, defaults and checks."""

from __future__ import annotations

import argparse
import functools
import inspect
import re
import textwrap
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, TypeVar, cast

from swgui.commands.files import FILES
from swgui.commands.option import Group, Option
from swgui.commands.percent import percent, share
from swgui.core.errors import InvalidParameter
from swgui.library.calls import public
from swgui.paths import site_defaults

F = TypeVar("F", bound=Callable[..., object])
_TEXT: Final = {int: "int", float: "float", percent: "float", share: "float"}
_TYPED: Final = re.compile(r"--([a-z][a-z-]*)")  # an option in a sentence


@dataclass(frozen=True)
class Parameters:
    """The keyword arguments of one function.

    Parameters
    ----------
    function : str
        Its name, for errors.
    groups : callable
        Returns the options of the command. Those that name files are left out.
    files : tuple of str
        Keys of such options that the function takes nevertheless.
    without : tuple of str
        Keys of others that it does not take.
    defaults : Mapping[str, object]
        Where they are not those of the command.
    command : str
        The command, where it has another name than the function.
    """

    function: str
    groups: Callable[[], tuple[Group, ...]]
    files: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    defaults: Mapping[str, object] = field(default_factory=dict)
    command: str = ""

    @cached_property
    def options(self) -> Mapping[str, Option]:
        """The possible keywords."""
        return {
            option.key: option._replace(default=self.defaults.get(option.key, option.default))
            for group in self.groups()
            for option in group.options
            if (group.title != FILES or option.key in self.files)
            and option.key not in self.without
            and not option.positional
        }

    @cached_property
    def _former(self) -> Mapping[str, str]:
        """Present keywords, by those of the version before."""
        own = self.options.values()
        return {name.lstrip("-").replace("-", "_"): option.key for option in own for name in option.former}

    def _present(self, name: str) -> str:
        if name in self.options or name not in self._former:
            return name
        warnings.warn(f"{name} is now {self._former[name]}.", FutureWarning, stacklevel=6)
        return self._former[name]

    @cached_property
    def _defaults(self) -> Mapping[str, object]:
        every = {option.key: option.default for group in self.groups() for option in group.options}
        return every | {key: option.default for key, option in self.options.items()}

    def arguments(self, given: Mapping[str, object]) -> argparse.Namespace:
        """Return the command's reading of the same words: every option with its value.

        Parameters
        ----------
        given : Mapping[str, object]
            By keyword; None stands for the default: of how a result is computed (engine, device, threads and the like)
            that of the site. Numbers may come as text, several values as a list, and
            ``settings`` as a dict.

        Raises
        ------
        InvalidParameter
            If there is no such keyword, or the command would not take the value.
        """
        options = self.options
        known = {}
        for name, value in given.items():
            known[self._present(name)] = value
        given = known
        for name in given:
            if name not in options:
                raise InvalidParameter(
                    name, given[name], f"swgui.{self.function} has no parameter '{name}'.", hint=_hint(name, options)
                )
        values = {**self._defaults, **_of_the_site(self.command or self.function)}
        values |= {key: _value(option, given[key]) for key, option in options.items() if given.get(key) is not None}
        return argparse.Namespace(**values)


def _of_the_site(command: str) -> Mapping[str, object]:
    """Return the site's values for options of a command that change no result; errors as of `computer_defaults`."""
    path = site_defaults()
    if path is None:
        return {}
    from swgui.commands.site import computer_defaults  # here: few sites have defaults

    return computer_defaults(path, command)


def described(parameters: Parameters) -> Callable[[F], F]:
    """Give a function with ``**options`` the signature and the documentation of its keyword arguments.

    Errors that name options as they are typed in a terminal name them as parameters.
    """

    def decorate(function: F) -> F:
        options = parameters.options.values()
        plain = inspect.signature(function)
        own = [parameter for parameter in plain.parameters.values() if parameter.kind is not parameter.VAR_KEYWORD]
        keywords = [
            inspect.Parameter(option.key, inspect.Parameter.KEYWORD_ONLY, default=_shown_default(option))
            for option in options
        ]
        wrapped = _in_words_of_python(function)
        wrapped.__signature__ = plain.replace(parameters=[*own, *keywords])  # type: ignore[attr-defined]
        lines = [line for option in options for line in _documented(option)]
        section = "\n".join(["Other Parameters", "----------------", *lines])
        wrapped.__doc__ = f"{inspect.getdoc(function)}\n\n{section}\n"
        return wrapped

    return decorate


def _shown_default(option: Option) -> object:
    """Return the default of a parameter: None where the command has an empty one, which a user would not write."""
    return None if option.default in ("", [], ()) else option.default


def _in_words_of_python(function: F) -> F:
    checked = public(function)

    @functools.wraps(function)
    def wrapped(*arguments: Any, **options: Any) -> object:
        try:
            return checked(*arguments, **options)
        except InvalidParameter as error:
            error.message, error.hint = (_TYPED.sub(_parameter, text) for text in (error.message, error.hint))
            raise

    return cast("F", wrapped)


def _parameter(typed: re.Match[str]) -> str:
    return typed[1].replace("-", "_")


def _documented(option: Option) -> Iterable[str]:
    kind = "bool" if option.flag is not None else _TEXT.get(option.read, "str")
    kind = f"{{{', '.join(option.choices)}}}" if option.choices else kind
    several = f"{kind} or list of {kind}" if option.many else kind
    default = _shown_default(option)
    yield f"{option.key} : {several}, {'optional' if default is None else f'default {default!r}'}"
    said = _TYPED.sub(_parameter, f"{option.help[:1].upper()}{option.help[1:]}.")
    yield from textwrap.wrap(said, 110, initial_indent="    ", subsequent_indent="    ")


def _hint(name: str, options: Iterable[str]) -> str:
    import difflib  # here: for a name that is wrong

    close = difflib.get_close_matches(name, list(options), n=1)
    return f"Did you mean '{close[0]}'?" if close else f"It has {', '.join(options)}."


def _value(option: Option, given: Any) -> object:
    """Return the command line's reading of a value."""
    if option.flag is not None:
        if given not in (option.flag, option.default):
            raise _refused(option, given, "It is True or False.")
        return given
    if option.many:
        if isinstance(given, Mapping):
            given = [f"{name}={value}" for name, value in given.items()]
        several = isinstance(given, Iterable) and not isinstance(given, str | bytes)
        return [_read(option, item) for item in (given if several else [given])]
    return _read(option, ",".join(map(str, given)) if isinstance(given, list | tuple) else given)


def _read(option: Option, given: object) -> object:
    try:
        value = given if type(given) is option.read else option.read(str(given))
    except argparse.ArgumentTypeError as why:
        raise _refused(option, given, f"{why}.") from None
    except ValueError:
        raise _refused(option, given, f"{_TEXT.get(option.read, 'A text')} is expected.") from None
    if option.choices and value not in option.choices:
        raise _refused(option, given, f"It may be {', '.join(option.choices)}.")
    return value


def _refused(option: Option, given: object, hint: str) -> InvalidParameter:
    return InvalidParameter(option.key, given, f"{option.key} cannot be {given!r}.", hint=hint)
