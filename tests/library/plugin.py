"""A small package that adds one of everything, as the wheel that pip would install."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from pathlib import Path

from tests.outside_engine import EXAMPLES

CODE = '''
"""One engine, one column, one format, one reader, and two alphabets, one of them with scores."""

from pathlib import Path

from swgui.core.alphabet import Alphabet
from swgui.io.alphabets import read_alphabet
from swgui.io.export.base import ExportFormat
from swgui.io.export.columns import Column
from swgui.io.sequences.reader import SequenceFormat


def write_ranks(result, hits, file, options):
    for hit in hits:
        file.write(f"{hit.rank} {hit.subject.id} {hit.score}\\n")


def read_pairs(text):
    for line in text:
        if not line.startswith("#pairs"):
            name, residues = line.split()
            yield name, "", residues


RANKS = ExportFormat("ranks", "Ranks", ".ranks", "rank, identifier and score", write_ranks, needs_alignment=False)
DENSITY = Column(
    "density", "Score density", "Score per residue of the subject.", kind="real", source="search",
    value=lambda hit: hit.score / len(hit.subject.residues), decimals=2,
)
STATES = Alphabet("states", "HEC?", "?", {"?": "HEC"})
TURNS = read_alphabet(Path(__file__).with_name("turns.txt"))
PAIRS = SequenceFormat("pairs", lambda head: head.startswith(b"#pairs"), read_pairs)
'''
TURNS = """# title: turns and straight stretches
# colours: T #d04040 S #3070d0
# gaps: 6 2
   T  S
T  5 -4
S -4  3
"""
POINTS = """[swgui.engines]
mine = mine:FACTS
[swgui.formats]
ranks = few_of_everything:RANKS
[swgui.columns]
density = few_of_everything:DENSITY
[swgui.readers]
pairs = few_of_everything:PAIRS
[swgui.alphabets]
states = few_of_everything:STATES
turns = few_of_everything:TURNS
"""


def build(folder: Path) -> Path:
    """Write the wheel; returns the file."""
    about = "few_of_everything-1.0.dist-info"
    files = {
        "few_of_everything.py": CODE,
        "turns.txt": TURNS,
        "mine.py": EXAMPLES["mine.py"],
        f"{about}/METADATA": "Metadata-Version: 2.1\nName: few-of-everything\nVersion: 1.0\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{about}/entry_points.txt": POINTS,
    }
    record = "".join(f"{name},sha256={digest(text)},{len(text.encode())}\n" for name, text in files.items())
    files[f"{about}/RECORD"] = f"{record}{about}/RECORD,,\n"
    path = folder / "few_of_everything-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for name, text in files.items():
            wheel.writestr(name, text)
    return path


def digest(text: str) -> str:
    """Return a checksum as RECORD has it."""
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()


def install(folder: Path) -> Path:
    """Unpack the wheel into a folder for packages, which is how a wheel of Python alone is installed; returns it."""
    site = folder / "site"
    with zipfile.ZipFile(build(folder)) as wheel:
        wheel.extractall(site)
    return site
