"""Alignments of RNA, in the archive that ColabFold's server writes at ``/ticket/nuclmsa``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import ClassVar, Final

import swgui
from swgui.commands.msa import ROWS
from swgui.commands.option import options_of
from swgui.core.alphabet import NUCLEOTIDE, Alphabet
from swgui.core.plain import replace
from swgui.core.profiles.bases import spelled
from swgui.serve.protocol import NUCLEOTIDES, RECEIPT, archive
from swgui.serve.work import ChainAlignment, Job, Work

SCRIPT: Final = "riboseek.sh"
SAID: Final = b"# swgui made this alignment; swgui.json says how.\n"


class NucleotideWork(Work):
    """The maker of alignments of RNA: one database, both strands, rows with U."""

    kinds = frozenset(("nuclmsa",))
    alphabet: ClassVar[Alphabet] = NUCLEOTIDE

    def _archive(
        self, job: Job, alignments: dict[Path, dict[str, ChainAlignment]], seconds: float
    ) -> tuple[bytes, int]:
        """Return the archive of a job, and how many rows it has."""
        place = self._places[0]
        of_chains = {
            residues: replace(made, alignment=spelled(made.alignment, "U"))
            for residues, made in alignments[place].items()
        }
        blocks, rows, table = self._blocks(job, of_chains)
        receipt = {
            "program": f"swgui {swgui.__version__}",
            "mode": job.mode_text,
            "all_sequences_scored_in_full": True,
            "both_strands": True,
            "settings": {option.key: getattr(self.arguments, option.key) for option in options_of((ROWS,))},
            "databases": {NUCLEOTIDES: self._facts(place)},
            "chains": table,
            "seconds": round(seconds, 3),
        }
        said = (json.dumps(receipt, indent=1) + "\n").encode()
        return archive({NUCLEOTIDES: blocks, SCRIPT: SAID, RECEIPT: said}), rows
