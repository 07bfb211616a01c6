"""Chains of one structure file, whatever it is packed with."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.errors import SequenceError, SwguiError, sentence_of
from swgui.core.structures.chain import PLDDT_FULL, Chain
from swgui.core.words import agree, count, printable
from swgui.io.structures.members import LARGEST, check_size
from swgui.io.structures.naming import chain_id, stem
from swgui.io.unpacking import BOMB_HINT, Bomb, Damaged, packing_of

ATOMS: Final = ("N", "CA", "C", "CB")
_N, _CA, _C, _CB = range(4)
_NITROGEN, _CARBON = 7, 6
_ELEMENTS: Final = (_NITROGEN, _CARBON, _CARBON, _CARBON)  # CA is also the name of calcium
_PDB_RECORD: Final = re.compile(rb"^(?:ATOM  |HETATM|MODEL |HEADER|TITLE |REMARK|CRYST1|SEQRES|COMPND)", re.MULTILINE)
_FIRST_WORD: Final = re.compile(rb"^[^\S\n]*+([^#\s]\S{0,7})", re.MULTILINE)  # behind blank lines and comments
_ORGANISM: Final = re.compile(rb"ORGANISM_SCIENTIFIC: ([^;\n]+?) *;")
_TAXID: Final = re.compile(rb"ORGANISM_TAXID: (\d+)")
_LONGEST: Final = 200  # characters of what a library says
_HEAD: Final = 1 << 15  # bytes of a PDB file in which its organism stands
_SHORTEST: Final = 3  # residues; a shorter chain has no inner residue
_INVALID: Final = b"D"  # Foldseek's symbol of residues that it cannot tell
_MIN_COMPLETE: Final = 0.5  # of the residues with N, CA and C, or the chain has no shape
_SYMBOLS: Final = np.frombuffer(b"ACDEFGHIKLMNPQRSTVWY", np.uint8)
SHAPE: Final = "3Di"  # name of the alphabet of their symbols


@dataclass(frozen=True, slots=True)
class Backbone:
    """The data used of one chain."""

    name: str  # of the chain, as its authors call it
    residues: bytes  # one-letter code of each residue with a CA atom; X for what has none
    atoms: NDArray[np.float32]  # places of `ATOMS`, shape (4, residues, 3), in ångström; nan where the file has none
    plddt: NDArray[np.float32] | None  # confidence of each residue, 0 to 100, if the file is a model that says it


@dataclass(frozen=True, slots=True)
class Parsed:
    """One file: the protein chains of a model, what the file says it is, and the names of all chains."""

    chains: tuple[Backbone, ...]
    title: str
    names: tuple[str, ...]


def parse(text: bytes, name: str, model: int = 0) -> Parsed:
    """Read the protein chains of one model.

    Parameters
    ----------
    text : bytes
        Of a PDB or mmCIF file, unpacked; which of them is decided by the content.
    name : str
        For errors.
    model : int
        As the file numbers it; 0 for the first.

    Raises
    ------
    SequenceError
        If that is no structure, or has no such model.
    """
    try:
        return _parsed(text, name, model)
    except SequenceError:
        raise
    except (RuntimeError, ValueError, IndexError) as fault:
        said = printable(sentence_of(fault))
        message = f"'{name}' cannot be read as a structure: {said if len(said) <= _LONGEST else said[:_LONGEST] + '…'}"
        raise SequenceError(message, path=name, hint="Download or write it again.") from fault


def _parsed(text: bytes, name: str, model: int) -> Parsed:
    structure, block = _structure(text, name)
    models = [int(entry.num) for entry in _members(structure)]
    if model and model not in models:
        hint = f"Its models have the numbers {models[0]} to {models[-1]}." if models else "It has none."
        raise SequenceError(f"'{name}' has no model {model}.", path=name, hint=hint)
    index = models.index(model) if model else 0
    del structure[index + 1 :]
    del structure[:index]
    if not len(structure):
        return Parsed((), "", ())
    predicted = _is_prediction(structure, block)
    chains = tuple(_chains(structure, predicted))
    return Parsed(chains, _title(structure, block, text), tuple(chain.name for chain in _members(structure[0])))


def _structure(text: bytes, name: str) -> tuple[Any, Any]:
    """Return gemmi's structure, and the block it stands in for mmCIF."""
    gemmi = _gemmi()
    first = _FIRST_WORD.search(text)
    if first is not None and first[1].lower().startswith(b"data_"):
        document = gemmi.cif.read_string(text)
        block = next((block for block in _members(document) if block.find_loop("_atom_site.id")), document[0])
        return gemmi.make_structure_from_block(block), block
    if _PDB_RECORD.search(text):
        return gemmi.read_pdb_string(text), None
    hint = "Choose a file with coordinates, or a FASTA file."
    raise SequenceError(f"'{name}' is neither a PDB nor an mmCIF file.", path=name, hint=hint)


def _members(container: Any) -> Iterator[Any]:
    """Yield the items of a container of gemmi, by index: for Windows gemmi 0.7.5 mixes up its iterators."""
    return (container[index] for index in range(len(container)))


def _gemmi() -> Any:
    try:
        import gemmi
    except ImportError as fault:
        message = "Structures are read with the package gemmi, which is not installed."
        raise SequenceError(message, hint="Install it with: pip install gemmi") from fault
    return gemmi


def _chains(structure: Any, predicted: bool | None) -> Iterator[Backbone]:
    """Yield the chains of protein of the one model that is left."""
    gemmi = _gemmi()
    structure.add_entity_types()  # where the file does not say what is a polymer
    flat = gemmi.FlatStructure(structure)
    number = _residue_numbers(flat)
    atoms, ca = _places(flat, number)
    if not len(number) or not (ca >= 0).any():
        return
    first = np.flatnonzero(np.diff(number, prepend=-1))
    letters, amino = _letters(gemmi, _texts(flat.residue_names), np.where(ca >= 0, ca, first))
    kinds = [int(kind.value) for kind in (gemmi.EntityType.Unknown, gemmi.EntityType.Polymer)]
    polymer = np.isin(flat.entity_type[first], kinds)
    whole = ~np.isnan(atoms[(_N, _C), :, 0]).any(axis=0)
    protein = (ca >= 0) & polymer & (amino | whole | (flat.het_flags[first] == ord("A")))
    names = _texts(flat.chain_ids)[first]
    plddt = _plddt(flat.b_iso, number, ca, predicted)
    for chain in dict.fromkeys(names[protein].tolist()):
        chosen = protein & (names == chain)
        yield Backbone(
            chain.decode("utf-8", "replace"),
            letters[chosen].tobytes(),
            np.ascontiguousarray(atoms[:, chosen]),
            None if plddt is None else plddt[chosen],
        )


def _texts(names: NDArray[np.int8]) -> NDArray[np.bytes_]:
    """Return names of eight bytes as texts."""
    return np.ascontiguousarray(names).view("S8").ravel()


def _residue_numbers(flat: Any) -> NDArray[np.int64]:
    """Return for each atom the number of its residue, from 0; alternative residues at one place are one."""
    if not len(flat.resnums):
        return np.zeros(0, np.int64)
    chain = np.ascontiguousarray(flat.chain_ids).view(np.int64).ravel()
    new = np.zeros(len(chain), np.bool_)
    for of in (chain, flat.resnums, flat.icodes):
        new[1:] |= of[1:] != of[:-1]
    return np.cumsum(new)


def _places(flat: Any, number: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Return the places of `ATOMS`, shape (4, residues, 3), and the atom that is CA, shape (residues,), or -1.

    Of alternate locations the one with the highest occupancy counts, and of equal ones the first.
    """
    residues = int(number[-1]) + 1 if len(number) else 0
    places = np.full((len(ATOMS), residues, 3), np.nan, np.float32)
    ca = np.full(residues, -1, np.int64)
    names, elements = _texts(flat.atom_names), flat.elements
    for kind, (name, element) in enumerate(zip(ATOMS, _ELEMENTS, strict=True)):
        atoms = np.flatnonzero((names == name.encode()) & (elements == element))
        atoms = atoms[np.lexsort((-flat.occ[atoms], number[atoms]))]
        atoms = atoms[np.diff(number[atoms], prepend=-1) > 0]
        places[kind, number[atoms]] = flat.pos[atoms]
        if kind == _CA:
            ca[number[atoms]] = atoms
    return places, ca


def _letters(
    gemmi: Any, names: NDArray[np.bytes_], atoms: NDArray[np.int64]
) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """Return the one-letter code of the residue of each atom in `atoms`, and whether it is known as an amino acid.

    Modified residues have the code of what they were made from: M for MSE.
    """
    kinds, which = np.unique(names[atoms], return_inverse=True)
    letters, amino = np.zeros(len(kinds), np.uint8), np.zeros(len(kinds), np.bool_)
    for kind, name in enumerate(kinds.tolist()):
        residue = gemmi.find_tabulated_residue(name.decode("ascii", "replace"))
        amino[kind] = residue.is_amino_acid()
        letter = residue.one_letter_code.upper()
        letters[kind] = ord(letter if amino[kind] and letter.isalpha() else "X")
    return letters[which], amino[which]


def _plddt(
    b: NDArray[np.float32], number: NDArray[np.int64], ca: NDArray[np.int64], predicted: bool | None
) -> NDArray[np.float32] | None:
    """Return the confidence of each residue: the B-factors of CA, if they are that; shape (residues,).

    Where the file does not say, B-factors are confidences if they are those of residues, not of atoms.
    """
    values = b[np.maximum(ca, 0)]
    if predicted is False or not len(values) or values.min() < 0 or not 0 < values.max() <= PLDDT_FULL:
        return None
    if predicted is None and (np.any(b != values[number]) or values.min() == values.max()):
        return None
    return values * np.float32(PLDDT_FULL if values.max() <= 1 else 1)


def _is_prediction(structure: Any, block: Any) -> bool | None:
    """Whether B-factors are confidences as the file says; None if it does not say."""
    if block is not None and any("plddt" in name.lower() for name in _members(block.find_values("_ma_qa_metric.name"))):
        return True
    method = _said(structure, "_exptl.method")
    if method and "THEORETICAL" not in method.upper():
        return False
    title = _said(structure, "_struct.title").upper()
    if any(program in title for program in ("ALPHAFOLD", "ESMFOLD", "COLABFOLD")):
        return True
    cell = structure.cell
    return False if cell.is_crystal() else None


def _said(structure: Any, key: str) -> str:
    """Return the value of an item of mmCIF in a file; empty if there is none."""
    return str(structure.info[key]) if key in structure.info else ""


def _title(structure: Any, block: Any, text: bytes) -> str:
    """Return the title in a file, with its organism as UniProt writes it if that is one."""
    title = " ".join(_said(structure, "_struct.title").split())
    if block is None:
        organisms, taxids = (
            [word.decode("ascii", "replace") for word in form.findall(text[:_HEAD])] for form in (_ORGANISM, _TAXID)
        )
        organisms = [name.capitalize() if name.isupper() else name for name in organisms]
    else:
        organisms, taxids = (
            [
                value.strip("'\"")
                for value in _members(block.find_values(f"_ma_target_ref_db_details.{tag}"))
                if value not in (".", "?")
            ]
            for tag in ("organism_scientific", "ncbi_taxonomy_id")
        )
    for key, values in (("OS", set(organisms)), ("OX", set(taxids))):
        title += f" {key}={values.pop()}" if len(values) == 1 else ""
    return title.strip()


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
    symbols: NDArray[np.uint8] = _SYMBOLS[states]
    return symbols.tobytes()


@cache
def _encoder() -> Any:
    try:
        import mini3di
    except ImportError as fault:
        message = "3Di symbols are made by the package mini3di, which is not installed."
        raise SequenceError(message, hint="Install it with: pip install mini3di") from fault
    return mini3di.Encoder()


@dataclass(frozen=True, slots=True)
class StructureFile:
    """The chains and facts of one file."""

    chains: tuple[Chain, ...]
    remarks: tuple[str, ...] = ()  # what was noticed, a sentence each


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
    wanted = [entry for entry in parsed.chains if chain in ("", entry.name)]
    if not wanted:
        names = ", ".join(entry.name for entry in parsed.chains[:20])
        message = f"'{name}' has no chain of protein '{chain}'."
        raise SequenceError(message, path=name, hint=f"It has {names}.")
    file, alone = stem(name), len(parsed.chains) == 1
    chains = tuple(_chain(entry, chain_id(file, entry.name, alone), parsed.title) for entry in wanted)
    return StructureFile(chains, tuple(_remarks(chains)))


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
        message = f"'{name}' is damaged or truncated: its compressed data cannot be read."
        raise SequenceError(message, path=name, hint="Copy or download that file again.") from fault
    check_size(len(text), name)
    return text


def _chain(backbone: Backbone, identifier: str, title: str) -> Chain:
    return Chain(identifier, title, backbone.residues, shape_of(backbone), backbone.atoms[1], backbone.plddt)


def _remarks(chains: tuple[Chain, ...]) -> list[str]:
    bare = [chain.id for chain in chains if not chain.shape]
    if not bare:
        return []
    verb = agree(len(bare), "has", "have")
    return [f"{', '.join(bare[:5])} {verb} no N and C atoms: residues alone are known of {count(len(bare), 'chain')}."]


def explained(error: BaseException) -> str:
    """Return in one sentence why a file was left out."""
    return error.message if isinstance(error, SwguiError) else f"{type(error).__name__}: {error}"
