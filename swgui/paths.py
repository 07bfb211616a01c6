"""Where things live: shipped kernels and resources, and the user's own folders."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from swgui.core.folders import user_folder

if TYPE_CHECKING:
    from platformdirs import PlatformDirs

PROJECT = "project.json"  # the record of a project, next to its folder of runs
_PACKAGE = Path(__file__).resolve().parent


def _shipped(folder: str) -> Path:
    """Find a shipped top-level folder: wheel, frozen program or checkout, in this order."""
    homes = [
        _PACKAGE / f"_{folder}",
        Path(getattr(sys, "_MEIPASS", _PACKAGE)) / folder,
        _PACKAGE.parent / folder,
    ]
    for home in homes:
        if home.is_dir():
            return home
    raise FileNotFoundError(f"The folder '{folder}' is missing from this installation; looked in {homes}.")


def kernels_dir() -> Path:
    """Folder with the CUDA C++ sources."""
    return _shipped("kernels")


def resources_dir() -> Path:
    """Folder with statistics tables, colour schemes, icons and the sample."""
    return _shipped("resources")


def documentation() -> Path | None:
    """First page of the documentation: HTML where it was built, otherwise its source in Markdown; None without any."""
    pages = [
        _PACKAGE / "_docs" / "index.html",
        Path(getattr(sys, "_MEIPASS", _PACKAGE)) / "docs" / "index.html",
        _PACKAGE.parent / "build" / "docs" / "html" / "index.html",
        _PACKAGE / "_docs" / "index.md",
        _PACKAGE.parent / "docs" / "index.md",
    ]
    return next((page for page in pages if page.is_file()), None)


def config_dir() -> Path:
    """Folder of the user's settings (``SWGUI_CONFIG_DIR`` overrides). Not created here."""
    return _user_dir("CONFIG", ".config", lambda of: of.user_config_dir)


def cache_dir() -> Path:
    """Folder of converted databases and compiled kernels (``SWGUI_CACHE_DIR`` overrides). Not created here."""
    return _user_dir("CACHE", ".cache", lambda of: of.user_cache_dir)


def shared_cache_dir() -> Path | None:
    """Cache of the site, which is only read (``SWGUI_SHARED_CACHE``); None without any."""
    given = os.environ.get("SWGUI_SHARED_CACHE")
    return Path(given) if given else None


def site_defaults(named: str | None = None) -> Path | None:
    """File of the site's defaults: the one named, that of ``SWGUI_CONFIG_FILE``, or the first of the system; or None.

    Parameters
    ----------
    named : str, optional
        The file that ``--config`` names.
    """
    if given := named or os.environ.get("SWGUI_CONFIG_FILE"):
        return Path(given)
    folders = (os.environ.get("XDG_CONFIG_DIRS") or "/etc/xdg").split(os.pathsep)
    files = (os.path.join(folder, "swgui", "defaults.toml") for folder in folders)
    return next((Path(file) for file in files if os.path.isfile(file)), None)


def data_dir() -> Path:
    """Folder of databases built by the user (``SWGUI_DATA_DIR`` overrides). Not created here."""
    return _user_dir("DATA", ".local/share", lambda of: of.user_data_dir, roaming=False)


def is_project(folder: Path) -> bool:
    """Whether a folder is a project."""
    return (folder / PROJECT).is_file()


def project_dir() -> Path | None:
    """Folder of the project in use: its runs and files come before the user's (``SWGUI_PROJECT``); None without one."""
    given = os.environ.get("SWGUI_PROJECT")
    return Path(given) if given else None


def use_project(folder: Path | None) -> None:
    """Use a project in this program and in those that it starts; None: use none."""
    if folder is None:
        os.environ.pop("SWGUI_PROJECT", None)
    else:
        os.environ["SWGUI_PROJECT"] = str(folder.absolute())


def users_runs() -> Path:
    """Folder of the runs that belong to no project. Not created here."""
    return data_dir() / "runs"


def runs_dir() -> Path:
    """Folder of the runs of the project in use, or of the user's. Not created here.

    Raises
    ------
    InvalidParameter
        If ``SWGUI_PROJECT`` names no project.
    """
    if (project := project_dir()) is None:
        return users_runs()
    if not is_project(project):
        from swgui.core.errors import InvalidParameter

        message = f"SWGUI_PROJECT names '{project}', which is no project."
        raise InvalidParameter("SWGUI_PROJECT", str(project), message, hint="Make it by 'swgui project make'.")
    return project / "runs"


def beside_project(name: str, project: Path | None = None) -> list[Path]:
    """Files of this name in the folder of databases of a project, in the project, and next to it, best first.

    Parameters
    ----------
    name : str
        Of the file, with or without the folder that it once was in, also of another system.
    project : Path, optional
        By default the one in use.
    """
    folder, plain = project or project_dir(), name.replace("\\", "/").rpartition("/")[2]
    if folder is None or plain in ("", ".", "..") or "\0" in plain:
        return []
    places = (folder / "databases" / plain, folder / plain, folder.absolute().parent / plain)
    return [place for place in places if place.is_file()]


def moved(path: Path) -> Path:
    """Return a file, or, where it is not there any more, the one of its name next to the project in use."""
    return path if path.exists() else next(iter(beside_project(str(path))), path)


def _user_dir(kind: str, on_linux: str, folder: Callable[[PlatformDirs], str], *, roaming: bool = True) -> Path:
    """Return a folder of the user, as the system names it; settings follow users of Windows to other computers.

    The package that knows the systems other than Linux takes 4 ms of every start.

    Raises
    ------
    RuntimeError
        If the user has no home.
    MissingPackage
        If platformdirs is not installed, on another system than Linux.
    """
    if (known := user_folder(kind, on_linux)) is not None:
        return Path(known)
    try:
        from platformdirs import PlatformDirs
    except ImportError as missing:
        from swgui.core.errors import MissingPackage

        raise MissingPackage("platformdirs") from missing
    return Path(folder(PlatformDirs("swgui", appauthor=False, roaming=roaming)))


def tuning_file() -> Path:
    """File of the sweeps that were kept, and of the settings in use."""
    return config_dir() / "tuning.json"


def tiles_dir() -> Path:
    """Folder of the tiles that were measured, a file for each GPU. Not created here."""
    return data_dir() / "tiles"


def resolved(path: Path) -> Path:
    """Return where a path leads, also one of a file that is not there yet.

    Raises
    ------
    OSError
        If it is a link that leads round in a circle.
    """
    place = os.path.realpath(path)
    if os.path.islink(place):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    return Path(place)


def is_own(path: Path) -> bool:
    """Whether a path lies in the folders that the program keeps for the user: sequences there are private."""
    place = os.path.realpath(path)
    for folder in (config_dir, cache_dir, data_dir):
        with suppress(RuntimeError):  # without a home there is no such folder
            if Path(place).is_relative_to(os.path.realpath(folder())):
                return True
    return False


def make_folder(folder: Path) -> None:
    """Make a folder and those above it that are missing; only the user may enter those of `is_own`.

    Raises
    ------
    OSError
        If one cannot be made.
    """
    if (wrong := no_folder(folder / "in it")) is not None:
        raise NotADirectoryError(f"'{wrong}' is not a folder, so '{folder}' cannot be made.")
    missing = [part for part in (folder, *folder.parents) if not part.exists()]
    for part in reversed(missing):
        part.mkdir(mode=0o700 if is_own(part) else 0o777, exist_ok=True)


def no_folder(path: Path) -> Path | None:
    """Return the first part of a path that is no folder; None if all existing parts are folders."""
    for part in reversed(path.parents):
        with suppress(OSError):  # a folder that may not be entered is one
            if part.exists() and not part.is_dir():
                return part
    return None
