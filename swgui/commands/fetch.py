"""``swgui fetch-query``: its options."""

from __future__ import annotations

from typing import Final

from swgui.commands.messages import MESSAGES
from swgui.commands.option import Group, Option
from swgui.commands.output import out_option

FETCH: Final = (
    Group(
        (
            Option(("accessions",), "entries by accession or name: P69905, HBA_HUMAN, NP_000549.1", "NAME", many=True),
            Option(
                ("-d", "--database", "--db"),
                "where to look; may be repeated (default: every database that is known)",
                "FILE",
                many=True,
            ),
            out_option("where to write them as FASTA"),
            Option(
                ("--online",),
                "ask UniProt, NCBI or the PDB for what no database has; the accession is all that is sent",
                default=False,
                flag=True,
            ),
        )
    ),
    MESSAGES,
)
