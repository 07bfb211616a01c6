"""The format of an output by the ending of its name: one rule for all commands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from swgui.core.errors import InvalidParameter
from swgui.io.whole_file import ending_of

# Files of our own, and what writes them: a table does not get such a name.
OWN: Final = {
    ".swgui": "a saved search, which --save writes",
    ".result": "a saved result, which --save writes",
    ".swdb": "a database, which 'swgui makedb' builds",
    ".swnet": "a network, which 'swgui network' writes",
}
_ALSO: Final = {  # other usual endings
    ".tab": ".tsv", ".htm": ".html", ".fa": ".fasta", ".fna": ".fasta", ".faa": ".fasta", ".gff": ".gff3",
    ".gbk": ".gb", ".stk": ".sto",
}  # fmt: skip
_ANY_TEXT: Final = ".txt"  # contradicts no format


def endings_of(
    forms: Iterable[tuple[str, str]], more: Mapping[str, tuple[str, ...]] | None = None
) -> dict[str, tuple[str, ...]]:
    """Return the formats that each ending of a file may have.

    Parameters
    ----------
    forms : iterable of (str, str)
        Name and ending of each format; of several with one ending the first is the usual one.
    more : mapping, optional
        Further endings.
    """
    found: dict[str, tuple[str, ...]] = {}
    for name, ending in forms:
        found[ending] = (*found.get(ending, ()), name)
    found |= {other: found[ending] for other, ending in _ALSO.items() if ending in found}
    return found | dict(more or {})


def format_by_ending(out: str | None, given: str | None, endings: Mapping[str, tuple[str, ...]]) -> str | None:
    """Return the format that the ending of an output stands for; None if it stands for none, or a format is given.

    Parameters
    ----------
    out : str, optional
        Name of the file; None for the standard output. Endings of compressed files are passed over.
    given : str, optional
        Name of the format, where one is given.
    endings : mapping
        As of `endings_of`.

    Raises
    ------
    InvalidParameter
        If the ending contradicts the given format, or belongs to a file of another kind.
    """
    ending = ending_of(out or "")
    if ending in OWN and ending not in endings:
        raise InvalidParameter(
            "out", str(out), f"'{out}' has the ending of {OWN[ending]}.", hint="Choose another ending for --out."
        )
    names = endings.get(ending, ())
    if given is None or not names:
        return names[0] if names else None
    if given not in names and ending != _ANY_TEXT:
        raise InvalidParameter(
            "format",
            given,
            f"--format {given} contradicts the ending of '{out}', which stands for {' or '.join(names)}.",
            hint="Leave out --format, or choose another ending.",
        )
    return None
