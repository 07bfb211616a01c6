"""Options bound to fields of a request (`Option.path`): from options to a request, and back."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from swgui.commands.option import Group, Option
from swgui.core.plain import replace

R = TypeVar("R")


def asked(options: Iterable[Option], arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the fields that options set, by name; those of a record inside as a mapping of their own.

    Parameters
    ----------
    arguments : Namespace
        With the values of the options. One that is None, or missing, sets nothing.
    """
    found: dict[str, Any] = {}
    for option in options:
        value = getattr(arguments, option.key, None)
        if option.path and value is not None:
            *inside, name = option.path.split(".")
            fields = found
            for step in inside:
                fields = fields.setdefault(step, {})
            fields[name] = option.make(value)
    return found


def within(group: Group, field: str) -> Group:
    """Return options that are bound to fields of a record as bound to those of another one, which holds it."""
    return group._replace(
        options=tuple(one._replace(path=f"{field}.{one.path}") if one.path else one for one in group.options)
    )


def replaced(record: R, fields: Mapping[str, Any]) -> R:
    """Return a record with other fields, as `asked` has them; a record inside that is None stays so."""
    changed = {}
    for name, value in fields.items():
        own = getattr(record, name)
        if not isinstance(value, dict) or isinstance(own, dict):
            changed[name] = value
        elif own is not None:
            changed[name] = replaced(own, value)
    return replace(record, **changed) if changed else record  # type: ignore[type-var]


def shown(options: Iterable[Option], record: object) -> dict[str, Any]:
    """Return the values of the options that ask for a record, by `Option.key`; none below a field that is None."""
    values = {}
    for option in options:
        *inside, name = option.path.split(".")
        within: Any = record
        for step in inside:
            within = None if within is None else getattr(within, step)
        if option.path and within is not None:
            values[option.key] = option.show(getattr(within, name))
    return values
