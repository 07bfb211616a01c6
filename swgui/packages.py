"""Installed packages: the entry points they offer to the program, and those that the window needs."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

# Module -> package that the window needs and the command line does not: the extra `window`.
WINDOW: Final = {"PySide6": "PySide6-Essentials", "pyqtgraph": "pyqtgraph"}
INSTALL_WINDOW: Final = "pip install swgui"


def missing_for_window() -> list[str]:
    """Names of the packages that the window needs and that are not installed."""
    from importlib.util import find_spec  # here: searches have no use for it

    return [package for module, package in WINDOW.items() if find_spec(module) is None]


def entry_points(group: str) -> Iterable[EntryPoint]:
    """Return the additions of installed packages under the name of a group that begins with ``swgui.``.

    The standard library's reader of packages is loaded only if one of them offers anything: it brings a reader of
    mails along.
    """
    if not any(_offers(folder) for folder in sys.path):
        return ()
    from importlib.metadata import entry_points

    return entry_points(group=group)


def forget() -> None:
    """Look through the folders of `sys.path` again on the next use: a package was installed since."""
    _offers.cache_clear()


@functools.cache
def _offers(folder: str) -> bool:
    """Whether a package below a folder of `sys.path` has an entry point of ours; an egg is not looked into."""
    if folder.endswith(".egg"):
        return True
    names: list[str] = []
    with suppress(OSError, ValueError):
        names = os.listdir(folder or ".")
    for name in names:
        if name.endswith((".dist-info", ".egg-info")):
            with suppress(OSError), open(os.path.join(folder, name, "entry_points.txt"), "rb") as file:
                if b"[swgui." in file.read():
                    return True
    return False
