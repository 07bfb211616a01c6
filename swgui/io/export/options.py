"""What can be chosen about an export."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """Choices of one export; each format looks at those that concern it.

    Parameters
    ----------
    columns : tuple of str, optional
        Keys of `HIT_COLUMNS`; None for the format's own choice.
    comments : bool
        Begin CSV and TSV with ``#`` lines that say where the result comes from.
    flank : int
        Residues of the subject to write on either side of an aligned part.
    gaps : bool
        Write aligned parts with their gap signs.
    """

    columns: tuple[str, ...] | None = None
    comments: bool = False
    flank: int = 0
    gaps: bool = False
