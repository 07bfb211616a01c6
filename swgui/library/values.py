"""Paths that are given, packages that are needed, and results as a notebook shows them."""

from __future__ import annotations

import html
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Final

from swgui.core.errors import InvalidParameter, MissingPackage

_DESCRIPTION: Final = "description"


def path_of(given: object, name: str = "path") -> Path:
    """Return a path that was given; `InvalidParameter` if it is none."""
    if isinstance(given, str | os.PathLike):
        with suppress(TypeError):  # one of bytes
            return Path(given)
    raise InvalidParameter(
        name, given, f"{name} is the name of a file, not {given!r:.80}.", hint="Give text or a Path."
    )


def needed(name: str, extra: str = "") -> ModuleType:
    """Return a package that is not always there.

    Parameters
    ----------
    extra : str
        Extra of swgui that brings it; empty if none does.

    Raises
    ------
    MissingPackage
        If it is not.
    """
    try:
        return import_module(name)
    except ImportError as missing:
        raise MissingPackage(name, extra) from missing


def as_html(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]], notes: Iterable[str]) -> str:
    """Return a title, a table and notes below it; all texts are escaped, and only descriptions break into lines."""
    head = "".join(f"<th>{html.escape(text)}</th>" for text in heads)
    opening = ["<td>" if text == _DESCRIPTION else '<td style="white-space: nowrap">' for text in heads]
    body = "".join(
        "<tr>" + "".join(f"{td}{html.escape(text)}</td>" for td, text in zip(opening, row, strict=True)) + "</tr>"
        for row in rows
    )
    below = "".join(f"<p>{html.escape(note)}</p>" for note in notes)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f"<div><p><b>{html.escape(title)}</b></p>{table}{below}</div>"
