"""A database of another computer: its name, size and checksum are known here, its sequences are there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet, alphabet_by_name
from swgui.core.database import Parts, TextColumn
from swgui.core.errors import DatabaseError, InvalidParameter
from swgui.io.remote.wire import Listed, Refusal
from swgui.io.saved.stored_subjects import WithoutResidues

if TYPE_CHECKING:
    from swgui.io.remote.connections import Link


class DistantDatabase(WithoutResidues):
    """Stands for a database of another computer in a request.

    Its arrays take no memory: every subject has the mean length and no name. Whatever needs residues gets a
    `DatabaseError` that says where they are.

    Parameters
    ----------
    address : str
        Of the computer.
    listed : Listed
        What that computer says of it.
    """

    def __init__(self, address: str, listed: Listed) -> None:
        self.address, self.listed = address, listed
        self.name, self.checksum = listed.name, listed.checksum
        self.alphabet: Alphabet = alphabet_by_name(listed.alphabet)
        nothing = np.broadcast_to(np.int64(0), listed.sequences + 1)
        self.ids = self.descriptions = TextColumn(np.zeros(0, np.uint8), nothing)

    if TYPE_CHECKING:
        name: str
        checksum: str
        ids: TextColumn
        descriptions: TextColumn
    part = places = feature_texts = stored_organisms = profiles = None

    def __len__(self) -> int:
        return self.listed.sequences

    @property
    def residues(self) -> int:
        return self.listed.residues

    @property
    def lengths(self) -> NDArray[np.int32]:
        mean = self.listed.residues // max(len(self), 1)
        return np.broadcast_to(np.int32(mean), len(self))

    @property
    def position(self) -> NDArray[np.signedinteger[Any]]:
        self.arrays()

    @property
    def at_hand(self) -> NDArray[np.int64]:
        return np.zeros(0, np.int64)

    def sources(self, start: int, stop: int) -> NDArray[np.int64]:
        self.arrays()

    def arrays(self) -> NoReturn:
        """Raise `DatabaseError`: its sequences are on the other computer."""
        raise DatabaseError(
            "",
            f"The sequences of '{self.name}' are on '{self.address}', so it is searched there.",
            hint=f"Choose 'on {self.address}', or a database of this computer.",
        )

    def subject(self, db_index: int, strand: int = 1) -> NDArray[np.uint8]:
        self.arrays()

    def placed(
        self,
        db_index: NDArray[np.int64],
        strands: NDArray[np.integer[Any]] | None = None,
        parts: Parts | None = None,
    ) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
        self.arrays()


def databases_on(link: Link) -> list[Listed]:
    """Return the databases of another computer; errors as of `Link.call`."""
    return link.call("databases", list[Listed])


def database_on(link: Link, given: str) -> DistantDatabase:
    """Return the database of another computer with a name, a file name or a checksum.

    Raises
    ------
    Refusal
        If there is none; the hint lists those that are there.
    Unreachable
    """
    listed = databases_on(link)
    name = Path(given).name
    for one in listed:
        if given in (one.name, one.checksum) or name in (one.name, f"{one.name}.swdb"):
            return DistantDatabase(link.address.text, one)
    names = ", ".join(one.name for one in listed[:10])
    hint = (
        f"It has {names}{' and others' if len(listed) > 10 else ''}."
        if listed
        else "It has none: 'swgui makedb' there."
    )
    raise Refusal(f"There is no database '{name}' on '{link.name}'.", hint=hint, kind="database")


def distant_database(address: str, names: Sequence[str]) -> DistantDatabase:
    """Return the database of another computer that is to be searched there.

    Raises
    ------
    InvalidParameter
        If several are named.
    Refusal, Unreachable
        As `database_on`.
    """
    if len(names) > 1:
        message = "On another computer one database is searched at a time."
        raise InvalidParameter("database", names[1], message, hint="Name one, or build one of all of them there.")
    from swgui.io.remote.computers import link_to  # here: runs keep such databases in their lists without a connection

    link = link_to(address)
    try:
        return database_on(link, names[0])
    finally:
        link.close()
