"""Projects from Python."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from swgui.core.errors import NotFound
from swgui.library.calls import public
from swgui.library.values import path_of
from swgui.runs.projects import folder as folders
from swgui.runs.projects import packing

if TYPE_CHECKING:
    from swgui.runs.projects.packing import Packed
    from swgui.runs.records import RunRecord


class Project(folders.Project):
    """A project: a folder with runs, tables, stars and notes.

    ``swgui.Project.make("globins")`` makes one, ``swgui.Project("globins")`` opens it.

    Parameters
    ----------
    folder : path
        Its folder.

    Raises
    ------
    SwguiError
        If it is no project, or its record is damaged.
    """

    def __repr__(self) -> str:
        return f"<Project '{self.name}' in {self.folder}>"

    def listed(self) -> list[RunRecord]:
        """Return its runs, newest first."""
        return self.runs.list()

    @public
    def load(self, name: str) -> Any:
        """Return the result of a run, as `swgui.load` does.

        Parameters
        ----------
        name : str
            Name or id of the run.

        Raises
        ------
        NotFound
            If there is no such run, or several have this name.
        SwguiError
            If it cannot be read.
        """
        meant = [record for record in self.listed() if name in (record.id, record.name)]
        if len(meant) != 1:
            known = ", ".join(f"'{record.name}'" for record in self.listed()[:5]) or "none yet"
            said = f"Several runs of the project are called '{name}'" if meant else f"The project has no run '{name}'"
            raise NotFound("name", f"{said}.", hint=f"It has {known}.")
        kind = meant[0].kind
        opened = self.runs.of(kind).open(meant[0].id)
        if kind == "search":
            from swgui.library.search import loaded_hits  # here, as below: few projects are read from Python

            return loaded_hits(opened, self.runs.path(meant[0].id))
        from swgui.library.opening import result_of

        return result_of(kind, opened, [])

    @public
    def pack(self, path: str | os.PathLike[str], *, databases: bool = False) -> Packed:
        """Write the project into one file (ZIP), whole or not at all.

        Parameters
        ----------
        databases : bool
            Whether databases are included; otherwise they are named by checksum and size.

        Raises
        ------
        SwguiError
            If a run is active, a table is missing, or the file cannot be written.
        """
        return packing.pack(self, path_of(path), databases=databases)

    @classmethod
    def unpack(cls, path: str | os.PathLike[str], folder: str | os.PathLike[str]) -> Project:
        """Make the folder of a project of a packed one, and open it.

        Raises
        ------
        SwguiError
            If the folder is there, or the file is damaged or could do harm.
        """
        return cls(packing.unpack(path_of(path), Path(folder)).folder)
