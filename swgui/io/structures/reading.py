"""Chains of one structure file, whatever it is packed with."""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.errors import SequenceError, SwguiError
from swgui.core.structures.chain import Chain
from swgui.core.words import count
from swgui.io.sequences.unpacking import BOMB_HINT, Bomb, Damaged, packing_of
from swgui.io.structures.backbone import Backbone, parse
from swgui.io.structures.members import LARGEST, check_size
from swgui.io.structures.naming import Choice, chain_id, stem

_SHORTEST: Final = 3  # residues; a shorter chain has no inner residue
_INVALID: Final = b"D"  # Foldseek's symbol of residues that it cannot tell
_MIN_COMPLETE: Final = 0.5  # of the residues with N, CA and C, or the chain has no shape


def shape_of(backbone: Backbone) -> bytes:
    """Return the 3Di symbols of a chain, one for each residue.

    Returns
    -------
    bytes
        Empty if more than half of the residues lack N or C, as in models of CA alone.
    """
    count = len(backbone.residues)
    n, ca, c, cb = backbone.atoms
    complete = ~np.isnan(backbone.atoms[:3]).any(axis=(0, 2))
    if not count or complete.mean() < _MIN_COMPLETE:
        return b""
    if count < _SHORTEST:
        return _INVALID * count
    with np.errstate(invalid="ignore", divide="ignore"):
        states: NDArray[np.uint8] = _encoder().encode_atoms(ca=ca, cb=cb, n=n, c=c).filled()
    symbols: NDArray[np.uint8] = _symbols()[states]
    return symbols.tobytes()


@cache
def _encoder() -> Any:
    try:
        import mini3di
    except ImportError as fault:
        message = "3Di symbols are made by the package mini3di, which is not installed."
        raise SequenceError(message, hint="Install it with: pip install mini3di") from fault
    return mini3di.Encoder()


@cache
def _symbols() -> NDArray[np.uint8]:
    return np.frombuffer(b"ACDEFGHIKLMNPQRSTVWY", np.uint8)


SHAPE: Final = "3Di"  # name of the alphabet of their symbols


@dataclass(frozen=True, slots=True)
class StructureFile:
    """What was read of one file.

    Parameters
    ----------
    chains : tuple of Chain
    notes : tuple of str
        What was noticed, a sentence each.
    """

    chains: tuple[Chain, ...]
    notes: tuple[str, ...] = ()


def read_structure(data: bytes, name: str, chain: str = "", model: int = 0) -> StructureFile:
    """Read the protein chains of a file.

    Parameters
    ----------
    data : bytes
        The file, packed or not.
    name : str
        Of the file: its chains are called after it, and errors name it.
    chain : str
        The one wanted, as its authors call it; all if empty.
    model : int
        As the file numbers it; 0 for the first.

    Raises
    ------
    SequenceError
        If it cannot be read, or has no chain of protein, or not that one.
    """
    parsed = parse(unpacked(data, name), name, model)
    if not parsed.chains:
        hint = "DNA, RNA and ligands have no CA atoms." if parsed.names else "It may be truncated."
        raise SequenceError(f"'{name}' has no chain of protein.", path=name, hint=hint)
    wanted = [one for one in parsed.chains if chain in ("", one.name)]
    if not wanted:
        names = ", ".join(one.name for one in parsed.chains[:20])
        message = f"'{name}' has no chain of protein '{chain}'."
        raise SequenceError(message, path=name, hint=f"It has {names}.")
    file, alone = stem(name), len(parsed.chains) == 1
    chains = tuple(_chain(one, chain_id(file, one.name, alone), parsed.title) for one in wanted)
    return StructureFile(chains, tuple(_notes(chains)))


def read_chosen(choice: Choice) -> StructureFile:
    """Read a file, or its chosen chain; `SequenceError` as `read_structure`, or if it cannot be opened."""
    try:
        check_size(choice.path.stat().st_size, choice.path.name)
        data = choice.path.read_bytes()
    except OSError as fault:
        message = f"'{choice.path.name}' cannot be opened: {fault.strerror or fault}."
        raise SequenceError(message, path=str(choice.path), hint="Check the name and your permission.") from fault
    return read_structure(data, choice.path.name, choice.chain, choice.model)


def unpacked(data: bytes, name: str) -> bytes:
    """Return the text of a file; `SequenceError` if what it is packed with is damaged, or too much comes out."""
    packing = packing_of(data[:32]) if len(data) >= 16 else None
    if packing is None:
        return data
    try:
        text = packing.opened(io.BytesIO(data)).read(LARGEST + 1)
    except Bomb as fault:
        raise SequenceError(f"'{name}' {fault}.", path=name, hint=BOMB_HINT) from None
    except (Damaged, EOFError) as fault:
        message = f"'{name}' is damaged or truncated: its packed data cannot be read."
        raise SequenceError(message, path=name, hint="Copy or download that file again.") from fault
    check_size(len(text), name)
    return text


def _chain(backbone: Backbone, identifier: str, title: str) -> Chain:
    return Chain(identifier, title, backbone.residues, shape_of(backbone), backbone.atoms[1], backbone.plddt)


def _notes(chains: tuple[Chain, ...]) -> list[str]:
    bare = [chain.id for chain in chains if not chain.shape]
    if not bare:
        return []
    what = "has" if len(bare) == 1 else "have"
    return [f"{', '.join(bare[:5])} {what} no N and C atoms: residues alone are known of {count(len(bare), 'chain')}."]


def explained(error: BaseException) -> str:
    """Return in one sentence why a file was left out."""
    return error.message if isinstance(error, SwguiError) else f"{type(error).__name__}: {error}"
