"""Checks of calls: a path that is one, a package that is installed."""

from __future__ import annotations

import os
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import ModuleType

from swgui.core.errors import InvalidParameter, MissingPackage


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
