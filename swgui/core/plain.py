"""Records as plain JSON values and back: the one converter for everything that is saved. And changed copies of them.

The fields of a record define the content of a file: reading checks their types, `msgspec.Meta` has their limits, fields
with a default may be missing, and fields that the class does not know are skipped.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_type_hints

import msgspec

T = TypeVar("T")

Count = Annotated[int, msgspec.Meta(ge=0)]
"""A whole number from 0 on."""


def plain(value: object) -> Any:
    """Return a value as JSON has it: a record as a dict of its fields, any mapping as a dict."""
    return msgspec.to_builtins(value, enc_hook=_plain_mapping)


def _plain_mapping(value: object) -> dict[Any, Any]:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not saved")


def from_plain(kind: type[T], value: object) -> T:
    """Make a value of a type from the plain values of JSON.

    Numbers, texts and truth values are not converted into each other, but a whole number is valid for a float.

    Raises
    ------
    ValueError
        If it does not fit, naming the place.
    """
    return msgspec.convert(value, kind)


if TYPE_CHECKING:
    # Type checkers compare names and types of the values with the fields of either kind.
    from dataclasses import replace as replace  # noqa: TID251
else:

    def replace(record: T, /, **values: object) -> T:
        """Return a copy of a record, a Struct or a dataclass, with other values."""
        if isinstance(record, msgspec.Struct):
            return msgspec.structs.replace(record, **values)  # noqa: TID251
        import dataclasses

        return dataclasses.replace(record, **values)  # noqa: TID251


def fill(record: object, values: Mapping[str, object], where: str = "") -> list[str]:
    """Put values into a dataclass and into nested ones, each independently.

    Parameters
    ----------
    record : dataclass
        A field keeps its value if the new one is missing or does not fit; so do fields marked ``kept: False``.
    where : str
        Stands before the names in the sentences.

    Returns
    -------
    list of str
        A sentence for each value that does not fit.
    """
    from dataclasses import is_dataclass

    problems: list[str] = []
    hints = get_type_hints(type(record), include_extras=True)
    for entry in kept_fields(record):
        if entry not in values:
            continue
        value, name = values[entry], f"{where}{entry}"
        inner = getattr(record, entry)
        if is_dataclass(inner) and isinstance(value, Mapping):
            problems += fill(inner, value, f"{name}.")
            continue
        try:
            setattr(record, entry, from_plain(hints[entry], value))
        except ValueError:
            problems.append(f"The setting {name} cannot be {value!r:.80}; its default is used.")
    return problems


def kept_fields(record: Any) -> list[str]:
    """Return the names of the fields of a dataclass that are saved: all but those marked ``kept: False``."""
    from dataclasses import fields

    return [entry.name for entry in fields(record) if entry.metadata.get("kept", True)]
