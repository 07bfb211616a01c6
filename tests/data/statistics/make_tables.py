"""Make the golden tables of this folder with independent programs (see README.md).

Needs blastp, blastn and makeblastdb (NCBI BLAST+), ssearch36 (FASTA) and the real sequences. Takes a few minutes.

    python tests/data/statistics/make_tables.py ../shared/data
"""

from __future__ import annotations

import csv
import gzip
import json
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from swgui.paths import resources_dir

HERE = Path(__file__).resolve().parent
BLASTP = ["blastp", "-comp_based_stats", "0", "-seg", "no", "-max_hsps", "1", "-outfmt", "15"]
BLASTN = ["blastn", "-dust", "no", "-word_size", "7", "-evalue", "1000", "-max_hsps", "1", "-outfmt", "15"]
SSEARCH = ["ssearch36", "-z", "1", "-s", "BL62", "-f", "-11", "-g", "-1", "-m", "9", "-d", "0", "-b", "30", "-E", "10"]


def main(data: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        proteins, queries = work / "sp.fa", data / "proteins" / "cudasw_20queries.fasta"
        proteins.write_bytes(gzip.decompress((data / "proteins" / "swissprot_16species.fasta.gz").read_bytes()))
        run(["makeblastdb", "-in", str(proteins), "-dbtype", "prot", "-out", str(work / "sp")])
        blastp_queries(work, queries)
        blastp_rows(work, queries)
        blastn_rows(work)
        ssearch_tables(proteins, queries)
        masks(work)


def run(command: Sequence[str]) -> str:
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout


def write(name: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    with open(HERE / name, "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, delimiter="\t", lineterminator="\n")
        table.writerow(header)
        table.writerows(rows)


def searches(text: str) -> list[dict]:
    return [entry["report"]["results"]["search"] for entry in json.loads(text)["BlastOutput2"]]


def spread_hits(search: dict, limit: int) -> list[dict]:
    """Return hits whose E-value did not underflow, spread over the list."""
    hits = [h for h in search.get("hits", []) if h["hsps"][0]["evalue"] > 0]
    step = max(1, len(hits) // limit)
    return hits[::step][:limit]


def accession(hit: dict) -> str:
    description = hit["description"][0]
    return description["title"].split()[0] if description["id"].startswith("gnl|") else description["id"]


def blastp_queries(work: Path, queries: Path) -> None:
    command = [*BLASTP, "-evalue", "10", "-max_target_seqs", "100", "-query", str(queries), "-db", str(work / "sp")]
    rows = []
    for search in searches(run(command)):
        query, stat = search["query_title"].split()[0], search["stat"]
        for hit in spread_hits(search, 12):
            hsp = hit["hsps"][0]
            rows.append(
                [query, search["query_len"], stat["hsp_len"], accession(hit), hit["len"], hsp["score"],
                 hsp["bit_score"], hsp["evalue"]]
            )  # fmt: skip
    header = ["query", "query_length", "length_adjustment", "subject", "subject_length", "score", "bits", "evalue"]
    write("blastp_queries.tsv", header, rows)


def table_rows(name: str) -> list[dict[str, str]]:
    with open(resources_dir() / "statistics" / name, encoding="utf-8") as file:
        return list(csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t"))


def blastp_rows(work: Path, queries: Path) -> None:
    """Three hits of one query for every tabulated pair of gap costs of every matrix."""
    single = work / "query.fa"
    single.write_text(">" + queries.read_text().split(">")[3])
    rows = []
    for row in table_rows("protein.tsv"):
        if row["gap_open"] == "-":
            continue
        costs = ["-matrix", row["matrix"], "-gapopen", row["gap_open"], "-gapextend", row["gap_extend"]]
        command = [*BLASTP, *costs, "-evalue", "100", "-max_target_seqs", "50"]
        command += ["-query", str(single), "-db", str(work / "sp")]
        (search,) = searches(run(command))
        stat = search["stat"]
        for hit in spread_hits(search, 3):
            hsp = hit["hsps"][0]
            rows.append(
                [row["matrix"], row["gap_open"], row["gap_extend"], search["query_len"], stat["db_len"],
                 stat["db_num"], stat["hsp_len"], hit["len"], hsp["score"], hsp["bit_score"], hsp["evalue"]]
            )  # fmt: skip
    write("blastp_rows.tsv", ["matrix", "gap_open", "gap_extend", *ROW_COLUMNS], rows)


ROW_COLUMNS = [
    "query_length", "database_residues", "database_sequences", "length_adjustment", "subject_length", "score",
    "bits", "evalue",
]  # fmt: skip


def blastn_rows(work: Path) -> None:
    """Hits of simulated queries, mutated copies of stretches of a simulated genome, for every tabulated scheme."""
    chance = random.Random(20)
    genome = "".join(chance.choice("ACGT") for _ in range(60_000))
    subjects = work / "dna.fa"
    subjects.write_text("".join(f">s{i}\n{genome[i * 6000 : (i + 1) * 6000]}\n" for i in range(10)))
    run(["makeblastdb", "-in", str(subjects), "-dbtype", "nucl", "-out", str(work / "dna")])
    queries = work / "dna_queries.fa"
    with open(queries, "w") as file:
        for i in range(6):
            stretch = list(genome[6000 * i + 500 : 6000 * i + 560 + 31 * i])
            for position in range(11 + i, len(stretch), 17):
                stretch[position] = chance.choice("ACGT")
            file.write(f">q{i}\n{''.join(stretch)}\n")
    rows = []
    for row in table_rows("nucleotide.tsv"):
        costs = ["-reward", row["match"], "-penalty", row["mismatch"]]
        costs += ["-gapopen", row["gap_open"], "-gapextend", row["gap_extend"]]
        for search in searches(run([*BLASTN, *costs, "-query", str(queries), "-db", str(work / "dna")])):
            stat = search["stat"]
            for hit in search.get("hits", [])[:1]:
                hsp = hit["hsps"][0]
                rows.append(
                    [row["match"], row["mismatch"], row["gap_open"], row["gap_extend"], search["query_len"],
                     stat["db_len"], stat["db_num"], stat["hsp_len"], hit["len"], hsp["score"], hsp["bit_score"],
                     hsp["evalue"]]
                )  # fmt: skip
    write("blastn_rows.tsv", ["match", "mismatch", "gap_open", "gap_extend", *ROW_COLUMNS], rows)


FIT = re.compile(
    r"rho\(ln\(x\)\)= *([\d.-]+)\+/-[\d.e-]+; mu= *([\d.-]+)\+/- *[\d.]+\s+mean_var=([\d.]+)\+/- *[\d.]+, "
    r"0's: \d+ Z-trim\([\d.]+\): (\d+)  B-trim: (\d+) in (\d+)/\d+"
)
HIT = re.compile(r"^(\S+\|\S+) .*\(\s*(\d+)\)\s+(\d+)\s+([\d.]+)\s+(\S+)\t", re.MULTILINE)


def ssearch_tables(proteins: Path, queries: Path) -> None:
    fits, hits = [], []
    entries = [entry.partition("\n") for entry in queries.read_text().split(">")[1:]]
    lengths = {header.split()[0]: len("".join(letters.split())) for header, _, letters in entries}
    for block in re.split(r"\n *\d+>>>", run([*SSEARCH, str(queries), str(proteins)]))[1:]:
        query, fit = block.split()[0], FIT.search(block)
        if not fit:
            raise SystemExit(f"ssearch36 wrote something else than expected:\n{block[:1500]}")
        fits.append([query, lengths[query], *fit.groups()])
        hits += [[query, lengths[query], *hit] for hit in HIT.findall(block)[:15]]
    write(
        "ssearch36_fit.tsv",
        ["query", "query_length", "rho", "mu", "variance", "related", "odd_sequences", "odd_bins"],
        fits,
    )
    write("ssearch36_hits.tsv", ["query", "query_length", "subject", "subject_length", "score", "bits", "evalue"], hits)


def masks(work: Path) -> None:
    """Low-complexity stretches of simulated sequences: random ones with repetitive or biased stretches inside."""
    rows = []
    for kind, letters, program in (
        ("protein", "ACDEFGHIKLMNPQRSTVWY", ["segmasker"]),
        ("nucleotide", "ACGT", ["dustmasker"]),
    ):
        chance = random.Random(kind)
        sequences = []
        for _ in range(60):
            text = ""
            for _ in range(chance.randint(2, 4)):
                text += "".join(chance.choices(letters, k=chance.randint(30, 120)))
                few = chance.sample(letters, chance.randint(1, 4))
                unit = "".join(chance.choices(few, k=chance.randint(1, 7)))
                text += unit * (chance.randint(8, 40) // len(unit) + 1)
                text += "".join(chance.choices([*few, chance.choice(letters)], k=chance.randint(0, 25)))
            sequences.append(text)
        fasta = work / f"{kind}.fa"
        fasta.write_text("".join(f">{i}\n{text}\n" for i, text in enumerate(sequences)))
        written = run([*program, "-in", str(fasta), "-outfmt", "interval"]).split(">")[1:]
        for text, entry in zip(sequences, written, strict=True):
            rows.append([kind, text, ",".join(line.replace(" ", "") for line in entry.splitlines()[1:])])
    write("masks.tsv", ["kind", "sequence", "masked"], rows)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
