"""RNAs of E. coli K-12 against its genome and against sets of ribosomal RNA: hits of nhmmer that swgui finds.

    aragorn -t -gcbact -w -o aragorn.txt k12.fa
    cmsearch --cpu 1 --tblout cm.tbl -o /dev/null tRNA.cm k12.fa      # Infernal's example tRNA1415G.c.cm
    python packaging/measuring/rna_sets.py queries k12.fa aragorn.txt cm.tbl queries.fa
    python packaging/measuring/rna_sets.py sample ssu.fa 68 ssu_sample.fa
    nhmmer --max --rna --cpu 1 -E 0.001 -Z 299.658 --noali -o /dev/null --tblout nhmmer.tbl queries.fa ssu_sample.fa
    python packaging/measuring/rna_sets.py ours queries.fa ssu_sample.swdb swgui.tbl -Z 299.658 [--rounds]
    python packaging/measuring/rna_sets.py compare nhmmer.tbl swgui.tbl

The genome is NC_000913.3; its tRNAs are those that ARAGORN and Infernal's model both find (86, of which 48 differ). The
sets are SSURef_93 and LSURef_93 of Debian's ncbi-rrna-data (`blastdbcmd -entry all`); a sample is every n-th of their
sequences, and -Z gives E the size of the whole set. A hit of nhmmer is found where a row of ours on the same strand
overlaps half of the shorter one.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import threading
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from rna_families import read_fasta, read_table, write_fasta

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from swgui.commands.msa import rounds_of
from swgui.commands.serve import serve_arguments
from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.limits import Limits
from swgui.core.profiles.iteration import IterationSettings
from swgui.io.database.any_file import open_any_database
from swgui.io.sequences.reader import read_sequences
from swgui.jobs.events import run_to_end
from swgui.jobs.iterate.inclusion import Inclusion, included_hits
from swgui.jobs.iterate.rows import aligned_with
from swgui.jobs.iterate.run import iteration_steps
from swgui.serve import nhmmer

RRNA = {"16S": (223771, 225312), "23S": (225759, 228662), "5S": (228756, 228875)}  # of operon H, on the plus strand
SHARED = 30  # bases that two predictions of one tRNA share
TURNED = bytes.maketrans(b"ACGT", b"TGCA")


class Row(NamedTuple):
    """A hit of one query."""

    name: str
    start: int  # from 1, below `end`
    end: int
    strand: str
    evalue: str


def queries(arguments: argparse.Namespace) -> None:
    """Write the RNAs of the genome, each sequence once."""
    ((_, genome),) = read_fasta(Path(arguments.genome))
    by_model = [(*sorted((int(words[7]), int(words[8]))), words[9]) for words in read_table(Path(arguments.cmsearch))]
    found = re.findall(r"(tRNA-\w+)\s+(c?)\[(\d+),(\d+)\]\s+\d+\s+\((\w+)\)", Path(arguments.aragorn).read_text())
    places = [(name, *span, "+") for name, span in RRNA.items()]
    for name, turned, first, last, codon in found:
        start, end, strand = int(first), int(last), "-" if turned else "+"
        if any(min(end, b) - max(start, a) > SHARED and strand == other for a, b, other in by_model):
            places.append((f"{name}-{codon}-{start}", start, end, strand))
    texts: dict[str, str] = {}
    for name, start, end, strand in places:
        text = genome[start - 1 : end].encode()
        texts.setdefault((text[::-1].translate(TURNED) if strand == "-" else text).decode(), name)
    write_fasta(Path(arguments.out), ((name, text) for text, name in texts.items()))
    print(f"{len(places) - len(RRNA)} tRNAs; {len(texts)} RNAs differ")


def sample(arguments: argparse.Namespace) -> None:
    """Write every n-th sequence; of equal names the first."""
    entries = list(dict(reversed(read_fasta(Path(arguments.all))[:: arguments.step])).items())[::-1]
    write_fasta(Path(arguments.out), entries)
    print(f"{len(entries):,} sequences, {sum(len(text) for _, text in entries):,} bases")


def ours(arguments: argparse.Namespace) -> None:
    """Search with each query: once by swgui-nhmmer, or in rounds as `swgui msa`; write the hits as a table."""
    records = list(read_sequences(arguments.queries, alphabet=NUCLEOTIDE))
    with Path(arguments.out).open("w") as out, tempfile.TemporaryDirectory() as folder:
        for record in records:
            if arguments.rounds:
                rows = in_rounds(record, arguments)
            else:
                query, table = Path(folder, "query.fa"), Path(folder, "hits.tbl")
                query.write_bytes(b">" + record.id.encode() + b"\n" + record.residues + b"\n")
                size = ["-Z", str(arguments.megabases)] if arguments.megabases else []
                words = ["--noali", "-E", "0.001", *size, "--tblout", str(table), str(query), arguments.database]
                if nhmmer.main(words):
                    sys.exit(1)
                rows = hits(table)[record.id] if table.exists() else []
            for row in rows:
                first, last = (row.start, row.end) if row.strand == "+" else (row.end, row.start)
                out.write(f"{row.name} - {record.id} - 1 1 {first} {last} 1 1 0 {row.strand} {row.evalue} 0 0 -\n")
            out.flush()


def in_rounds(record: object, arguments: argparse.Namespace) -> list[Row]:
    """Return the rows of three rounds for one query, of equal ones all; without -Z E is that of the database."""
    database = open_any_database(Path(arguments.database), alphabet=NUCLEOTIDE)
    share = arguments.megabases * 1e6 / database.residues if arguments.megabases else 1.0
    cancel, settings = threading.Event(), IterationSettings(rounds=3)
    given = serve_arguments(), [record], NUCLEOTIDE, database, Limits(1_000_000, 0.001 / share), settings
    result = run_to_end(iteration_steps(rounds_of(*given), cancel))
    assert result is not None
    inclusion = Inclusion(0.001 / share, 1_000_000)
    included, recipe = included_hits(result, 0, inclusion), settings.profile_recipe(NUCLEOTIDE.name)
    alignment = aligned_with(result, 0, included, inclusion, recipe)
    made = []
    for row in alignment.rows[1:]:
        first, last = row.start + 1, row.start + row.strand * (row.length - 1) + 1
        made.append(Row(row.id, min(first, last), max(first, last), "+-"[row.strand < 0], f"1e{row.log10_evalue:.0f}"))
    return made


def hits(table: str | Path) -> dict[str, list[Row]]:
    """Return the hits of a table in nhmmer's columns, by query."""
    found: dict[str, list[Row]] = defaultdict(list)
    for words in read_table(Path(table)):
        start, end = sorted((int(words[6]), int(words[7])))
        found[words[2]].append(Row(words[0], start, end, words[11], words[12]))
    return found


def compare(arguments: argparse.Namespace) -> None:
    """Print how many hits of nhmmer are among ours, and which are not."""
    wanted, given, missed, total = hits(arguments.nhmmer), hits(arguments.ours), [], 0
    for query, rows in wanted.items():
        of = defaultdict(list)
        for row in given.get(query, []):
            of[row.name, row.strand].append(row)
        for row in rows:
            shared = ((min(row.end, one.end) - max(row.start, one.start) + 1, one) for one in of[row.name, row.strand])
            length = row.end - row.start + 1
            if not any(2 * same >= min(length, one.end - one.start + 1) for same, one in shared):
                missed.append((query, row))
        total += len(rows)
    number = sum(map(len, given.values()))
    print(f"{total - len(missed):,} of {total:,} hits of {len(wanted)} queries found; {number:,} rows of ours")
    for query, row in missed:
        print(f"missed: {query} {row.name}/{row.start}-{row.end} {row.strand} E {row.evalue}")


def main() -> None:
    """Do as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(required=True)
    for work, names in (
        (queries, ("genome", "aragorn", "cmsearch", "out")),
        (sample, ("all", "step", "out")),
        (ours, ("queries", "database", "out")),
        (compare, ("nhmmer", "ours")),
    ):
        part = parts.add_parser(work.__name__)
        part.set_defaults(work=work)
        for name in names:
            part.add_argument(name, type=int if name == "step" else str)
        if work is ours:
            part.add_argument("-Z", dest="megabases", type=float, default=0.0)
            part.add_argument("--rounds", action="store_true", help="three rounds, as swgui msa")
    arguments = parser.parse_args()
    arguments.work(arguments)


if __name__ == "__main__":
    main()
