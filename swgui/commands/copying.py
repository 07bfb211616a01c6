"""Requests of kinds of run as they are copied: as a command of the terminal, and as a call of the library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from swgui.commands.binding import shown
from swgui.commands.option import Group, command_line, options_of, python_call
from swgui.jobs.kind import Kind, load


def groups_of(kind: Kind) -> tuple[Group, ...]:
    """Return the options that ask for a run of a kind."""
    options = load(kind.options)
    groups: tuple[Group, ...] = options() if callable(options) else options
    return groups


def first_of(kind: Kind) -> list[str]:
    """Return the keys of the options that are given without their names, in order: those that must be given."""
    return [option.key for option in options_of(groups_of(kind)) if option.required]


def values_of(kind: Kind, asked: Any) -> Mapping[str, object]:
    """Return the values of the options that ask for a request, by `Option.key`; errors as of `Codec.values`."""
    if kind.values:
        return {**shown(options_of(groups_of(kind)), asked), **load(kind.values)(asked)}
    values: Mapping[str, object] = load(kind.codec).values(asked)
    return values


def command_of(kind: Kind, asked: Any) -> str:
    """Return the command of the terminal that asks for the same; errors as of `values_of`."""
    return command_line(kind.name, groups_of(kind), values_of(kind, asked))


def python_of(kind: Kind, asked: Any) -> str:
    """Return the lines of Python that ask for the same; errors as of `values_of`."""
    return python_call(kind.name, groups_of(kind), values_of(kind, asked), first_of(kind))
