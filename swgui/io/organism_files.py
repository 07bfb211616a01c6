"""The files that name the organisms of sequences."""

from __future__ import annotations

from typing import Final

import msgspec


class OrganismFiles(msgspec.Struct, frozen=True):
    """Source of the organisms, other than the headers."""

    table: str = ""  # a list of two columns: identifier, organism or taxid; empty for none
    taxonomy: str = ""  # a folder with NCBI's taxonomy dump; empty for none

    def __bool__(self) -> bool:
        return bool(self.table or self.taxonomy)


NO_FILES: Final = OrganismFiles()
