"""The border of the library: values of a wrong type, and what the system refuses, become errors with a sentence."""

from __future__ import annotations

import functools
import inspect
import os
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from numbers import Integral, Real
from typing import IO, Any, Final, Literal, TypeVar, Union, cast

from swgui.core.errors import InvalidParameter, explaining

F = TypeVar("F", bound=Callable[..., object])
# What a value must be, in words; types that are not here, or not made of these, are looked at by the functions.
_WORDS: Final[Mapping[object, str]] = {
    str: "a text", float: "a number", int: "a whole number", bool: "True or False", os.PathLike: "a Path",
    type(None): "None", IO: "an open file",
}  # fmt: skip


def public(function: F) -> F:
    """Let a function of the library refuse values of a wrong type, and explain errors of the system."""
    signature = inspect.signature(function)
    given = {name: hint for name, hint in function.__annotations__.items() if name != "return"}
    hints = functools.cache(
        lambda: typing.get_type_hints(
            types.SimpleNamespace(__annotations__=given), inspect.unwrap(function).__globals__
        )
    )

    @functools.wraps(function)
    def checked(*arguments: Any, **keywords: Any) -> object:
        for name, value in _bound(signature, arguments, keywords).items():
            kind = hints().get(name)
            if (words := _words(kind)) and not _fits(value, kind):
                raise InvalidParameter(name, value, f"{name} must be {words}, not {value!r:.60}.")
        with explaining():
            return function(*arguments, **keywords)

    return cast("F", checked)


def _bound(signature: inspect.Signature, arguments: Sequence[object], keywords: Mapping[str, object]) -> dict[str, Any]:
    try:
        return signature.bind(*arguments, **keywords).arguments
    except TypeError:  # an argument too many or too few: Python says so when the function is called
        return {}


def _words(kind: object) -> str:
    """Return the type of a value in words; empty if a few words do not suffice."""
    origin, inside = typing.get_origin(kind), typing.get_args(kind)
    if origin is Literal:
        return "a text"
    if origin in (Union, types.UnionType):
        parts = [_words(part) for part in inside if part is not type(None)]
        return " or ".join(dict.fromkeys(parts)) if all(parts) else ""
    if origin is Sequence and inside == (str,):
        return "a list of texts"
    if isinstance(kind, type) and kind.__module__.startswith("swgui.library."):
        return f"a swgui.{kind.__name__}"
    return _WORDS.get(origin or kind, "")


def _fits(value: object, kind: object) -> bool:
    origin, inside = typing.get_origin(kind), typing.get_args(kind)
    if origin is Literal:
        return isinstance(value, str)
    if origin in (Union, types.UnionType):
        return any(_fits(value, part) for part in inside)
    if origin is Sequence:
        return isinstance(value, Sequence) and not isinstance(value, str | bytes) and all(map(_is_text, value))
    if kind in (float, int):
        return isinstance(value, Real if kind is float else Integral) and not isinstance(value, bool)
    if origin is IO:
        return hasattr(value, "write")
    if kind is type(None):
        return value is None
    return isinstance(value, cast("type", origin or kind))


def _is_text(value: object) -> bool:
    return isinstance(value, str)
