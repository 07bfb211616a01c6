"""Names of structure files and of their chains, and how to choose a chain."""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath
from typing import Final

import msgspec

FORMATS: Final = (".pdb", ".ent", ".cif", ".mmcif", ".pdbx")
PACKINGS: Final = (".gz", ".zst", ".bz2", ".xz")
# Forms are compiled when they are tried: most searches are of no structure.
_ENDING: Final = rf"({'|'.join(map(re.escape, FORMATS))})\d?({'|'.join(map(re.escape, PACKINGS))})?$"
_ARCHIVED: Final = r"pdb[1-9][a-z0-9]{3}"  # as wwPDB calls its files: pdb1tim.ent.gz
_TAR: Final = r"\.(tar(\.(gz|bz2|xz))?|tgz)$"
# After the last colon of a name: a chain, a chain of a model, or a model.
_CHOICE: Final = r"(?:(?P<model>\d+)/)?(?P<chain>[A-Za-z0-9]{0,4})"


class Choice(msgspec.Struct, frozen=True):
    """A file, and which chain of it."""

    path: Path
    chain: str = ""  # as the authors of the structure call it; empty for all
    model: int = 0  # number of the model as the file has it; 0 for the first


def is_structure_name(name: str | os.PathLike[str]) -> bool:
    """Whether a file is called like a structure: ``1tim.pdb``, ``AF-P69905-F1-model_v4.cif.gz``."""
    return bool(_ending(os.fspath(name)))


def is_archive_name(name: str | os.PathLike[str]) -> bool:
    """Whether a file is called like a tar archive."""
    return bool(re.search(_TAR, os.fspath(name), re.IGNORECASE))


def stem(name: str) -> str:
    """Return the name of the file of a structure without its folders and endings, in one word."""
    base = PurePosixPath(name.replace("\\", "/")).name
    ending = _ending(base)
    name = "_".join(base.removesuffix(ending).split())
    return name[3:] if re.fullmatch(_ARCHIVED, name) else name or "structure"


def _ending(name: str) -> str:
    match = re.search(_ENDING, name, re.IGNORECASE)
    return match.group() if match else ""


def chain_id(file: str, chain: str, alone: bool) -> str:
    """Return the identifier of a chain: that of its file if it is the only one in it."""
    return file if alone or not chain else f"{file}:{chain}"


def chosen(text: str | os.PathLike[str]) -> Choice:
    """Return the file and the chain that ``FILE``, ``FILE:CHAIN`` or ``FILE:MODEL/CHAIN`` names.

    A file of that very name comes first, so that a colon may stand in it.
    """
    given = os.fspath(text)
    file, colon, rest = given.rpartition(":")
    match = re.fullmatch(_CHOICE, rest) if colon and rest else None
    if not match or not is_structure_name(file) or os.path.exists(given):
        return Choice(Path(given))
    return Choice(Path(file), match["chain"], int(match["model"] or 0))
