"""``swgui makedb``, ``info``, ``get`` and ``fetch-query``: their options."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import Final

from swgui.commands.files import LETTERS, database_name, out_option
from swgui.commands.option import Group, Option
from swgui.core.alphabet import KINDS
from swgui.core.contexts import OWN_CONTEXT
from swgui.core.profiles.iteration import ROUNDS
from swgui.core.structures.chain import PLDDT_FULL

PROFILE_ROUNDS: Final = 4
UPDATE: Final = (
    Group(
        (
            Option(("database",), "a .swdb file, or the name of a database", "DB", database_name, required=True),
            Option(
                ("--from",),
                "the files of the newer release (default: those it was built from, as they are now)",
                "FILE",
                many=True,
                run=True,
                dest="sources",
            ),
            Option(
                ("-o", "--out"),
                "write to another file, and keep the older one, which 'swgui diff' uses",
                "NAME.swdb",
            ),
            Option(("--release",), "name of the newer release in a packed file", "NAME", default=""),
            Option(
                ("--changes",),
                "write the identifiers that were added or removed, and those whose sequence changed",
                "FILE.tsv",
            ),
        )
    ),
)
INFO: Final = (
    Group(
        (
            Option(("database",), "a .swdb file, or the name of a database", "DB", database_name, required=True),
            Option(("--check",), "read everything and compare the checksums", default=False, flag=True),
            Option(
                ("--blocks",),
                "list the blocks of a packed file: number, first sequence, sequences, residues, checksums of residues "
                "and of names",
                default=False,
                flag=True,
            ),
            Option(
                ("--organisms",), "list organisms: subjects, number in NCBI's taxonomy, name", default=False, flag=True
            ),
        )
    ),
)
GET: Final = (
    Group(
        (
            Option(
                ("name",),
                "a public set, also proteome:ORGANISM and structures:ORGANISM (number, code or name); without a name "
                "all are listed",
                "NAME",
                default="",
            ),
            Option(
                ("-o", "--out"),
                "a database, NAME.swdb, or another name for the loaded file (default: NAME.swdb in the "
                "folder of databases, where the window lists it)",
                "FILE",
            ),
            Option(("--type",), "kind of sequence (default: auto)", default="auto", choices=KINDS),
            Option(("--from",), "the file of the set, loaded by hand, in place of a download", "FILE", dest="source"),
        )
    ),
)
FETCH: Final = (
    Group(
        (
            Option(
                ("accessions",), "entries by accession, name or link: P69905, HBA_HUMAN, NP_000549.1", "NAME", many=True
            ),
            Option(
                ("-d", "--database", "--db"),
                "database to search; may be repeated (default: all known databases)",
                "FILE",
                database_name,
                many=True,
            ),
            out_option("where to write them as FASTA"),
            Option(
                ("--online",),
                "ask UniProt, NCBI or the PDB for entries that no database has; sends the accession only",
                default=False,
                flag=True,
            ),
        )
    ),
)


def plddt(text: str) -> float:
    """Return a confidence of structures.

    Raises
    ------
    argparse.ArgumentTypeError
        If it is not one.
    """
    value = float(text)
    if not 0 <= value <= PLDDT_FULL:
        raise ArgumentTypeError(f"pLDDT is a number from 0 to 100, not {text}")
    return value


MAKEDB: Final = (
    Group(
        (
            Option(
                ("sources",),
                "sequence files, plain or compressed, - for the standard input; databases of BLAST, MMseqs2 and "
                "DIAMOND; Parquet; with --structures, folders, tar archives and files of structures",
                "FILE",
                many=True,
            ),
            Option(("-o", "--out"), "the database file to write", "NAME.swdb", required=True),
            Option(("--name",), "name shown to users (default: that of the file)", default=""),
            Option(
                ("--type", "--alphabet"),
                "kind of sequence (default: auto)",
                default="auto",
                choices=KINDS,
            ),
            Option(
                ("--columns",),
                "columns of Parquet files with unusual names: sequence=NAME,id=NAME; also description, taxid; "
                "taxid=- leaves it out",
                "WHAT=NAME",
                default="",
            ),
            Option(
                ("--letters", "--3di"),
                "a second track: a file with a letter for every residue, under the same identifiers; with it and the "
                "query's letters a search scores both",
                "FILE",
            ),
            Option(("--letters-alphabet",), "alphabet of the second track (default: 3Di)", "NAME", default=LETTERS),
            Option(
                ("--structures",),
                "the sources are structures in PDB or mmCIF format, plain or compressed: folders, tar archives, files, "
                "FILE:CHAIN, FILE:MODEL/CHAIN; the database gets residues, 3Di symbols and coordinates. If it is "
                "stopped, the same command continues",
                default=False,
                flag=True,
            ),
            Option(
                ("--min-plddt",),
                "with --structures: mask the 3Di symbols of residues of models with a lower confidence (default: 0)",
                "PLDDT",
                default=0.0,
                read=plddt,
            ),
            Option(("--remarks",), "write changes, omissions and remarks to a file, a line each", "FILE"),
            Option(
                ("--organisms",),
                "a list of the organisms of sequences, in two columns: identifier, name or taxid (default: from the "
                "headers)",
                "FILE",
                default="",
            ),
            Option(
                ("--taxonomy",),
                "NCBI's taxonomy dump, unpacked: nodes.dmp, names.dmp, and merged.dmp and prot.accession2taxid if they "
                "are there; ranks and clades become known",
                "DIR",
                default="",
            ),
            Option(
                ("--mask",),
                "mask stretches of low complexity in the sequences (SEG, DUST)",
                default=False,
                flag=True,
            ),
            Option(
                ("--merge-identical",),
                "with --packed: keep one of identical sequences, and the names of the others in its description",
                default=False,
                flag=True,
            ),
            Option(
                ("--packed",),
                "write the form for large sets: 5 bits a residue, 2 a base, names compressed, built in one pass; a "
                "database file as the only source is rewritten in it",
                default=False,
                flag=True,
            ),
        )
    ),
    Group(
        (
            Option(
                ("--profiles",),
                "write a database of profiles, with which searches compare profiles: the sources are alignments (A3M, "
                "Stockholm, several in a file) and models of HMMER3, or folders of them",
                default=False,
                flag=True,
            ),
            Option(
                ("--build-database",),
                "with --profiles: the sources are proteins, and each one's profile is made by rounds of searching this "
                "database. If it is stopped, the same command continues",
                "FILE",
                database_name,
            ),
            Option(
                ("--iterations",),
                f"rounds, {ROUNDS[0]} to {ROUNDS[1]} (default: {PROFILE_ROUNDS})",
                "N",
                int,
                PROFILE_ROUNDS,
            ),
            Option(
                ("--context",),
                "library of contexts for pseudocounts: own, or a file in the text form of HH-suite (default: own)",
                "LIBRARY",
                default=OWN_CONTEXT,
            ),
            Option(("-t", "--threads"), "threads for profiles (default: all)", "N", int, 0),
        ),
        "databases of profiles",
    ),
)
