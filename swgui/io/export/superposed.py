"""Two chains laid on each other as a PDB file, and as scripts for ChimeraX and PyMOL that show it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TextIO

import numpy as np

from swgui.core.hits.results import SearchResult
from swgui.core.hits.table import Hit
from swgui.core.records import SequenceRecord
from swgui.core.structures.compact import unpack
from swgui.core.structures.superposition import Motion, Superposition, superposition_of
from swgui.io.export.base import ExportOptions

_NAMES: Final = {
    "A": "ALA", "C": "CYS", "D": "ASP", "E": "GLU", "F": "PHE", "G": "GLY", "H": "HIS", "I": "ILE", "K": "LYS",
    "L": "LEU", "M": "MET", "N": "ASN", "P": "PRO", "Q": "GLN", "R": "ARG", "S": "SER", "T": "THR", "V": "VAL",
    "W": "TRP", "Y": "TYR", "U": "SEC", "O": "PYL",
}  # fmt: skip
_STAY: Final = Motion(np.eye(3), np.zeros(3))
_WIDEST: Final = 9_999.0  # ångström that the columns of PDB have room for
_LONGEST: Final = 9_999  # residues that a chain of PDB can number
QUERY, SUBJECT = "A", "B"  # names of their chains


def pdb_of(hit: Hit, fit: Superposition) -> str:
    """Return query (chain A) and subject (chain B) laid on it as a PDB file: CA atoms, numbered from 1."""
    lines = [
        f"TITLE     {_title(hit)[:70]}",
        f"REMARK   3 RMSD {fit.rmsd:.2f} A OVER {fit.pairs} CA ATOMS",
        f"REMARK   3 TM-SCORE {fit.tm_query:.4f} BY CHAIN A, {fit.tm_subject:.4f} BY CHAIN B; LDDT {fit.lddt:.4f}",
        *atoms(hit.query_record, QUERY, _STAY),
        *atoms(hit.subject, SUBJECT, fit.motion),
        "END",
    ]
    return "\n".join(lines) + "\n"


def atoms(record: SequenceRecord, chain: str, motion: Motion) -> Iterator[str]:
    """Yield the CA atoms of a record as lines of PDB, moved; nothing if its places are not known."""
    places = unpack(record.places, len(record.residues))
    if places is None:
        return
    plddt = np.zeros(len(record.residues)) if places.plddt is None else places.plddt
    for number, (residue, place) in enumerate(zip(record.residues.decode(), motion.moved(places.ca), strict=True), 1):
        if np.isnan(place).any() or np.abs(place).max() >= _WIDEST / 10 or number > _LONGEST:
            continue
        x, y, z = place.tolist()
        name = _NAMES.get(residue, "UNK")
        yield (
            f"ATOM  {number:5d}  CA  {name} {chain}{number:4d}    {x:8.3f}{y:8.3f}{z:8.3f}"
            f"  1.00{plddt[number - 1]:6.2f}           C"
        )
    yield "TER"


def chimerax_of(hit: Hit, fit: Superposition, pdb: str) -> str:
    """Return a ChimeraX script that shows the superposed file `pdb`, in the same folder."""
    lines = [
        f"# {_title(hit)}",
        f'open "{pdb}"',
        "hide atoms; show cartoons; set bgColor white; lighting soft",
        f"color /{QUERY} #0072B2; color /{SUBJECT} #B34700",
        f"cartoon style /{QUERY},{SUBJECT} modeHelix default",
        "view",
        "# To lay the whole structure of the subject (model #3, say) on that of the query:",
        f"# view matrix models #3,{','.join(f'{value:.6f}' for value in _rows(fit.motion)[:12])}",
    ]
    return "\n".join(lines) + "\n"


def pymol_of(hit: Hit, fit: Superposition, pdb: str) -> str:
    """Return a PyMOL script that shows the superposed file `pdb`, in the same folder."""
    matrix = ", ".join(f"{value:.6f}" for value in _rows(fit.motion))
    lines = [
        f"# {_title(hit)}",
        f"load {pdb}, superposed",
        "bg_color white",
        "set cartoon_trace_atoms, 1",
        "hide everything; show cartoon",
        f"color marine, chain {QUERY}",
        f"color orange, chain {SUBJECT}",
        "orient",
        "# To lay the whole structure of the subject (an object called subject, say) on that of the query:",
        f"# cmd.transform_selection('subject', [{matrix}], homogenous=1)",
    ]
    return "\n".join(lines) + "\n"


def _title(hit: Hit) -> str:
    return f"{hit.subject.id} (chain {SUBJECT}) on {hit.query_record.id} (chain {QUERY})"


def _rows(motion: Motion) -> list[float]:
    """Return the motion as the sixteen numbers of a matrix, row by row, for points in columns."""
    matrix = np.eye(4)
    matrix[:3, :3] = motion.rotation.T
    matrix[:3, 3] = motion.shift
    values: list[float] = matrix.ravel().tolist()
    return values


def write_traces(result: SearchResult, hits: Iterable[Hit], file: TextIO, options: ExportOptions) -> None:
    """Write the CA atoms of the query as model 1, and those of every hit with coordinates as another."""
    model = 0
    for hit in hits:
        fit = superposition_of(hit)
        if fit is None:
            continue
        if not model:
            model = 1
            _model(file, model, hit.query_record.id, atoms(hit.query_record, QUERY, Motion(np.eye(3), np.zeros(3))))
        model += 1
        about = f"{hit.subject.id} RMSD {fit.rmsd:.2f} OVER {fit.pairs} TM-SCORE {fit.tm_query:.4f}"
        _model(file, model, about, atoms(hit.subject, SUBJECT, fit.motion))
    if not model:
        file.write("REMARK   3 NO HIT HAS COORDINATES ON BOTH SIDES\n")
    file.write("END\n")


def _model(file: TextIO, number: int, about: str, lines: Iterable[str]) -> None:
    file.write(f"REMARK   3 MODEL {number}: {about}\nMODEL     {number:4d}\n")
    file.writelines(f"{line}\n" for line in lines)
    file.write("ENDMDL\n")
