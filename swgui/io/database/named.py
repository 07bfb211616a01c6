"""Databases by name: those of the site, in the folders of ``SWGUI_DATABASES``, and those that the user built."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from swgui import paths
from swgui.io.database.format import SUFFIX

VARIABLE: Final = "SWGUI_DATABASES"  # folders, with a colon between them as in PATH (a semicolon on Windows)


def site_folders() -> list[Path]:
    """Folders of the databases of this site, in the order in which names are looked up."""
    return [Path(folder) for folder in os.environ.get(VARIABLE, "").split(os.pathsep) if folder]


def user_folder() -> Path:
    """Folder of databases built by the user."""
    return paths.data_dir() / "databases"


def file_of(name: str) -> str:
    """Return the file that the name of a database stands for; the name itself where it is a path, or not known.

    A name without a folder that is no file here stands for ``NAME.swdb`` in the first folder of the site that has it,
    else in the user's folder.
    """
    if not name or os.path.dirname(name) or os.path.exists(name):
        return name
    for folder in (*site_folders(), user_folder()):
        for file in (name, f"{name}{SUFFIX}"):
            if file.endswith(SUFFIX) and (folder / file).is_file():
                return str(folder / file)
    return name
