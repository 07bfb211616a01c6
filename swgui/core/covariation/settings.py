"""Settings of covariation."""

from __future__ import annotations

import msgspec

from swgui.core.errors import InvalidParameter


class CovariationSettings(msgspec.Struct, frozen=True):
    """Rows and columns that are compared, and pairs that are listed.

    Raises
    ------
    InvalidParameter
        If one of them makes no sense.
    """

    evalue: float = 0.05  # pairs up to it are listed
    max_identity: float = 0.97  # rows more identical than this to one above are left out, 0 to 1
    max_gaps: float = 0.5  # columns in which a larger share of rows has no base are left out, 0 to 1
    classes: int = 0  # of pairs of bases: 16, or 2 (paired, unpaired); 0 chooses by the size
    copies: int = 0  # alignments of columns that change alone; 0 chooses by the size
    seed: int = 1  # of these copies

    def __post_init__(self) -> None:
        if not self.evalue > 0:
            raise InvalidParameter("evalue", self.evalue, f"E-values are above 0, so that none is {self.evalue:g}.")
        if self.copies < 0 or self.seed < 0:
            name = "copies" if self.copies < 0 else "seed"
            raise InvalidParameter(name, getattr(self, name), f"The number of {name} is below 0.")
