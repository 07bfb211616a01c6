"""Folders of the user as texts, without `pathlib`: a process asks for one before it imports any other module."""

from __future__ import annotations

import os
import sys


def user_folder(kind: str, on_linux: str) -> str | None:
    """Return a folder of the user; None on systems other than Linux, whose folders platformdirs knows.

    Parameters
    ----------
    kind : str
        ``CACHE``, ``CONFIG`` or ``DATA``: the variable ``SWGUI_..._DIR`` overrides what the system says.
    on_linux : str
        The usual folder there, in that of the user.

    Raises
    ------
    RuntimeError
        If the user has no home.
    """
    if given := os.environ.get(f"SWGUI_{kind}_DIR"):
        return given
    if (home := os.path.expanduser("~"))[:1] == "~":
        raise RuntimeError("The user has no home folder.")
    if sys.platform != "linux":
        return None
    named = os.environ.get(f"XDG_{kind}_HOME", "")
    return os.path.join(named if os.path.isabs(named) else os.path.join(home, on_linux), "swgui")
