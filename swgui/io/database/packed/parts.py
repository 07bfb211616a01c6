"""Parts of packed files that several readers share: codes of the second track, and organisms outside the blocks."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet
from swgui.core.organisms.subjects import UNKNOWN, SubjectOrganisms
from swgui.io.database.format import BESIDE_BLOCKS, DIRECTORY, NUMBERS, Header
from swgui.io.database.organisms import OF_SUBJECTS, organisms_of
from swgui.io.database.packed.file import PackedFile

_ORGANISMS: Final = "organism_taxids"  # a section that a file has if its subjects have organisms


def has_organisms(header: Header) -> bool:
    """Whether a file says of which organisms its subjects are."""
    return _ORGANISMS in header.sections


def check_codes(file: PackedFile, codes: NDArray[np.uint8], alphabet: Alphabet) -> None:
    """Raise `DatabaseError` if a code is of no letter, which could lead an engine astray."""
    if int(codes.max(initial=0)) >= len(alphabet.letters):
        raise file.fault("a residue")


def stored_organisms(file: PackedFile, of: NDArray[np.int32]) -> SubjectOrganisms | None:
    """Return the organisms that a file stores; `DatabaseError` if they are damaged.

    Parameters
    ----------
    of : ndarray, shape=(n,), dtype=int32
        Number of the organism of each subject that is wanted.
    """
    numbers = file.section(NUMBERS)
    if numbers is not None:
        if int(of.max(initial=UNKNOWN)) >= len(numbers) or int(of.min(initial=UNKNOWN)) < UNKNOWN:
            raise file.fault("the list of its organisms")
        of = np.append(numbers, UNKNOWN).astype(np.int32)[of]  # the unknown one is the last
    arrays: dict[str, NDArray[Any]] = {OF_SUBJECTS: of}
    for name in file.header.sections:
        if name in BESIDE_BLOCKS and name not in (DIRECTORY, NUMBERS) and (section := file.section(name)) is not None:
            arrays[name] = section
    return file.checked("the list of its organisms", organisms_of, arrays, len(of))
