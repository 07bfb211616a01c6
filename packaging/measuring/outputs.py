#!/usr/bin/env python3
"""Write every output file of a fixed set of runs of all kinds, to compare a changed program with an older one.

    python packaging/measuring/outputs.py FOLDER [NAME ...] [--against OLDER] [--program CHECKOUT]

Each search of `SEARCHES` runs with the CPU engine and is written in every format that takes it, with all columns;
pairs, deep alignments and saved alignments and profiles likewise. `PARTS` has the other commands: the seven rules with
their certificates, networks in all formats, clusters, splits, judged clusters, leaks, changes of a database, audits,
parts of a search, and what the library returns. `VOLATILE` replaces dates, versions, times, speeds and the checksums
that follow from them by `#`. With ``--against`` the files that differ from those of an older folder are named, and the
status is 1; with names only the files of these parts are compared. A command that refuses leaves its sentence, and
``.said`` files hold what a command prints. ``--program`` names the checkout whose code runs, by default that of this
script. All parts take about two minutes on two cores. Reads the real sequences of SWGUI_DATA (default ../shared/data).
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import hashlib
import io
import json
import lzma
import os
import re
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[2]
DATA: Final = Path(os.environ.get("SWGUI_DATA") or ROOT.parent / "shared" / "data").resolve()
EXAMPLES: Final = ROOT / "resources" / "examples"

PROTEINS: Final = ("-q", "queries.fa", "-d", "proteins.fa")
DNA: Final = ("-q", "gene.fa", "-d", "genome.fa")
SEARCHES: Final = {
    "plain": (*PROTEINS, "--evalue", "100"),
    "uncorrected": (*PROTEINS, "--composition", "none", "--top", "20"),
    "lambda": (*PROTEINS, "--composition", "lambda", "--max-hsps", "1", "--mask"),
    "limits": (*PROTEINS, "--min-identity", "25", "--min-coverage", "30", "--query-range", "5-100"),
    "matrix": (*PROTEINS, "--matrix", "BLOSUM45", "--gap-open", "14", "--gap-extend", "2"),
    "rounds": (*PROTEINS, "--iterations", "3"),
    "profile": ("--start-from", "rounds.json", "-d", "proteins.fa"),
    "strands": DNA,
    "plus": (*DNA, "--strand", "plus", "--match", "1", "--mismatch", "-1"),
    "blastx": ("-q", "reads.fa", "-d", "translated.fa"),
    "tblastn": ("-q", "translated.fa", "-d", "genome.fa"),
    "tblastx": (
        "-q",
        "reads.fa",
        "-d",
        "genome.fa",
        "--program",
        "tblastx",
        "--frames",
        "plus",
        "--subject-code",
        "11",
    ),
    "frameshift": ("-q", "reads.fa", "-d", "translated.fa", "--frameshift", "15"),
    "frameshift_genome": ("-q", "translated.fa", "-d", "genome.fa", "--frameshift", "15"),
    "tracks": ("-q", "model.pdb.gz", "-d", "models.swdb"),
}
PAIRS: Final = {
    "mitochondria": ("MT-human.fa", "MT-chimp.fa"),
    "proteins": ("first.fa", "second.fa", "--limit", "3"),  # the former name of --top: older programs know no other
    "global": ("first.fa", "second.fa", "--mode", "global"),
    "semiglobal": ("gene.fa", "genome.fa", "--query-id", "dnaK_part", "--subject-id", "first", "--mode", "semiglobal"),
    "strands": ("gene.fa", "genome.fa", "--query-id", "reversed", "--subject-id", "first", "--strand", "both"),
    "score": ("MT-human.fa", "MT-chimp.fa", "--score-only"),
}
PAIR_FORMATS: Final = ("text", "json", "sam", "paf", "csv", "vcf", "fasta", "maf")
EPITOPES: Final = ("-q", "peptides.fa", "-d", "proteins.fa")
RULES: Final = {
    "peptides": ("peptides", *EPITOPES, "--mismatches", "4"),
    "peptides_wild": ("peptides", *EPITOPES, "--mismatches", "3", "--ambiguous", "wild"),
    "peptides_frames": (
        *("peptides", "-q", "coded.fa", "-d", "genome.fa"),
        *("--frames", "all", "--subject-code", "11", "--mismatches", "3"),
    ),
    "edits": ("edits", *EPITOPES, "--edits", "3"),
    "edits_ends": ("edits", *EPITOPES, "--edits", "3", "--gaps", "1", "--gaps-in", "subject", "--every-end"),
    "edits_matching": ("edits", *EPITOPES, "--edits", "3", "--matching-ends", "--ambiguous", "sets"),
    "identity": ("identity", "-q", "family.fa", "-d", "relatives.fa", "--identity", "40%"),
    "identity_query": ("identity", "-q", "family.fa", "-d", "relatives.fa", "--identity", "0.35", "--over", "query"),
    "window": ("window", "-q", "family.fa", "-d", "relatives.fa"),
    "window_short": ("window", "-q", "family.fa", "-d", "relatives.fa", "--length", "60", "--no-background"),
    "words": ("words", *PROTEINS, "--length", "6"),
    "guides": (
        *("guides", "-q", "guides.fa", "-d", "genome.fa", "--mismatches", "4"),
        *("--dna-bulges", "1", "--rna-bulges", "1", "--edits", "4"),
    ),
    "guides_side": ("guides", "-q", "guides.fa", "-d", "genome.fa", "--pam", "TTTV", "--pam-side", "5"),
    "primers": ("primers", "-q", "primers.fa", "-d", "genome.fa", "--mismatches", "5", "--exact-end", "2"),
    "nothing": ("peptides", "-q", "nothing.fa", "-d", "proteins.fa"),
}
RULE_FORMATS: Final = ("tsv", "bed", "gff3", "pepmatch")
NETWORKS: Final = {
    "domains": ("relatives.fa", "--evalue", "0.01"),
    "genes": ("genes.fa", "--evalue", "1e-10"),
    "matrix": ("family.fa", "--matrix", "BLOSUM45", "--gap-open", "14", "--gap-extend", "2", "--evalue", "1"),
}
GRAPHS: Final = ("graphml", "xgmml", "gexf", "cx2", "sif", "edges", "nodes", "newick", "upgma")
LIMITS: Final = ("--min-alignment-score", "8", "--min-identity", "0.3", "--min-coverage", "0.6")
CLUSTERS: Final = {
    "components": ("--rule", "components", "--identity", "0.3"),
    "greedy": ("--rule", "greedy", "--identity", "0.4", "--identity-over", "shorter"),
    "complete": ("--rule", "complete", "--identity", "0.4", "--coverage", "0.5", "--coverage-of", "both"),
    "upgma": ("--rule", "upgma", "--identity", "0.3", "--identity-over", "longer"),
}
VOLATILE: Final = (
    (re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:?\d\d)?)?"), "#date"),
    (re.compile(r"\d\d-[A-Z]{3}-\d{4}"), "#date"),
    (re.compile(r"\b\d+\.\d+\.\d+(\.dev\d+)?(\+[\w.]+)?"), "#version"),
    (re.compile(r"\d[\d.,]* ?(GCUPS|TCUPS|MCUPS|ms|seconds|s\b|min\b|G?M?k? ?cells/s)"), "#speed"),
    (re.compile(r"^swgui: [\w ]+\[[#.]+\] +\d+ %.*\n", re.MULTILINE), ""),  # progress of a slow part
    (
        re.compile(r"(\b(?:seconds|gcups)\b(?:</dt><dd>|</t></is></c><c [^>]*>(?:<v>|<is><t>)?|: ?))[\d.,]+", re.I),
        r"\1#",
    ),
    (re.compile(r"((?:Scoring|Aligning|Finding the start)\"?:? )[\d.e-]+"), r"\1#"),  # stages of a pair
    (re.compile(r"(\"(?:seconds|gcups|elapsed\w*|duration|host|created|time)\": )[^,\n}]+"), r"\1#"),
    # Of certificates: the computer, and checksums of the certificate and of the code.
    (re.compile(r"(\"(?:computer|certificate_sha256)\": )\"[^\"]*\""), r"\1#"),
    (re.compile(r"(\"code\": )\{[^}]*\}"), r"\1#"),
    (re.compile(r"(<td[^>]*>(?:Program|Code|SHA-256 of the certificate)</td><td>).*?(</td>)"), r"\1#\2"),
)


def records(path: Path) -> list[str]:
    """Return the records of a FASTA file as text."""
    opener: Callable[..., io.TextIOBase] = gzip.open if path.suffix == ".gz" else open  # type: ignore[assignment]
    with opener(path, "rt") as file:
        return [">" + part for part in file.read().split(">")[1:]]


def mutated(residues: str, step: int) -> str:
    """Return bases with one left out and one added now and then, as in a poor read."""
    changed = "".join(base if place % step else "" for place, base in enumerate(residues, 1))
    return "".join(base + ("A" if place % (2 * step) == 0 else "") for place, base in enumerate(changed, 1))


def make_inputs(folder: Path) -> None:
    """Write the sequences that are searched, the same in every run."""
    queries = records(EXAMPLES / "sample_queries.fasta")
    sample = records(EXAMPLES / "sample_database.fasta.gz")
    (folder / "queries.fa").write_text("".join(queries[:4]))
    (folder / "proteins.fa").write_text("".join(sample[:1500] + sample[-500:]))
    genome = "".join(records(DATA / "dna" / "GCF_000005845.2_ASM584v2_genomic.fna.gz")[0].split("\n")[1:])
    dnak = genome[12162:14079]  # b0014; thrA is b0002
    thra = genome[336:2799]
    turned = dnak[300:1500][::-1].translate(str.maketrans("ACGT", "TGCA"))
    (folder / "genome.fa").write_text(f">first part of K-12\n{genome[:30000]}\n>second part\n{genome[200000:230000]}\n")
    (folder / "gene.fa").write_text(f">dnaK_part\n{dnak[200:1100]}\n>reversed\n{turned[:600]}\n")
    (folder / "reads.fa").write_text(
        f">read1\n{mutated(dnak, 301)}\n>read2 turned\n{mutated(turned, 407)}\n>read3\n{mutated(thra, 353)}\n"
    )
    table = dict(zip(_codons(), "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG", strict=True))
    proteins = "".join(
        f">{name}\n" + "".join(table[gene[k : k + 3]] for k in range(0, len(gene) - 3, 3)) + "\n"
        for name, gene in (("dnaK", dnak), ("thrA", thra))
    )
    (folder / "translated.fa").write_text(proteins)
    for name in ("MT-human.fa", "MT-chimp.fa"):
        (folder / name).write_bytes((DATA / "dna" / name).read_bytes())
    (folder / "first.fa").write_text(sample[0])
    (folder / "second.fa").write_text(sample[1])
    models = folder / "models"
    models.mkdir()
    structures = sorted((DATA / "structures").glob("*.pdb.gz"))
    for path in structures:
        (models / path.name).write_bytes(path.read_bytes())
    (folder / "model.pdb.gz").write_bytes(structures[5].read_bytes())
    make_rule_inputs(folder, genome, proteins)
    make_network_inputs(folder, genome)


def make_rule_inputs(folder: Path, genome: str, coded: str) -> None:
    """Write the peptides, guides and primers that rules look for."""

    def write(name: str, parts: list[str]) -> None:
        (folder / name).write_text("".join(f">{name[:-4]}{n}\n{part}\n" for n, part in enumerate(parts, 1)))

    def residues(record: str) -> str:
        return "".join(record.split("\n")[1:])

    proteins = [residues(record) for record in records(folder / "proteins.fa")]
    cuts = [text[len(text) // 2 :][: 9 + 3 * (n % 3)] for n, text in enumerate(proteins[::97]) if len(text) > 60]
    write("peptides.fa", [*cuts, "AAXAAAGAA", "WWWWWWWWWWWW"])
    write("nothing.fa", ["WWWWWWWWWWWW", "CWCWCWCWC"])
    write("coded.fa", [residues(record)[k : k + 12] for record in coded.split(">")[1:] for k in (40, 150, 290)])
    sites = [at for at in range(21, 30000) if genome[at : at + 2] == "GG"][100::400][:6]
    guides = [genome[at - 21 : at - 1] for at in sites]
    altered = [one[:6] + one[7:14] + "T" + one[14:] for one in guides[:2]] + [one[:9] + "A" + one[9:] for one in guides]
    write("guides.fa", [*guides, *(one[-20:] for one in altered)])
    turned = str.maketrans("ACGT", "TGCA")
    pairs = [(genome[at : at + 20], genome[at + 400 + at % 7 : at + 420 + at % 7]) for at in (1500, 12000, 22800)]
    write("primers.fa", [one for first, second in pairs for one in (first, second[::-1].translate(turned))])


def make_network_inputs(folder: Path, genome: str) -> None:
    """Write families of proteins and of genes, copies of some of them with changes, and databases that changed."""
    with lzma.open(DATA / "scop" / "dev_domains.fasta.xz", "rt") as file:
        domains = [">" + part for part in file.read().split(">")[1:]]
    families = ("a.1.1.2", "b.1.1.1", "b.34.2.1", "c.3.1.5", "b.47.1.2")
    chosen = [one for one in domains if one.split("\n", 1)[0].split()[1] in families]
    others = [one for one in domains[::40] if one not in chosen]
    copies = [changed(one, f"copy{n}_", 4 + 5 * (n % 6), "ARNDCQEGHILKMFPSTWYV") for n, one in enumerate(chosen[::4])]
    (folder / "family.fa").write_text("".join(chosen[::12]))
    (folder / "relatives.fa").write_text("".join([*chosen, *others, *copies]))
    (folder / "train.fa").write_text("".join([*chosen[::2], *others[::2]]))
    (folder / "test.fa").write_text("".join([*chosen[1::6], *others[1::6], *copies]))
    genes = [f">gene{n} part\n{genome[at : at + 600]}\n" for n, at in enumerate(range(337, 24000, 1600))]
    relatives = [changed(one, "like_", 9 + n, "ACGT") for n, one in enumerate(genes[::2])]
    (folder / "genes.fa").write_text("".join([*genes, *relatives]))
    proteins = records(folder / "proteins.fa")
    renamed = [">new_" + one[1:] for one in proteins[5:400:60]]
    mutated_ones = [changed(one, "", 31, "ARNDCQEGHILKMFPSTWYV") for one in proteins[7:600:50]]
    left = [one for n, one in enumerate(proteins) if n % 60 != 5 and n % 50 != 7 and n % 41]
    added = [changed(one, "added_", 13, "ARNDCQEGHILKMFPSTWYV") for one in proteins[3:2000:45]]
    (folder / "newer.fa").write_text("".join([*left, *renamed, *mutated_ones, *added]))


def changed(record: str, prefix: str, step: int, letters: str) -> str:
    """Return a FASTA record with another residue at every so many places, and a prefix before its name."""
    head, _, text = record.partition("\n")
    residues = list(text.replace("\n", ""))
    for place in range(step // 2, len(residues), step):
        at = letters.find(residues[place])
        residues[place] = letters[(at + 1 + place) % len(letters)]
    return f">{prefix}{head[1:]}\n{''.join(residues)}\n"


def _codons() -> list[str]:
    return [a + b + c for a in "TCAG" for b in "TCAG" for c in "TCAG"]


def steady(path: Path) -> None:
    """Replace what differs between two runs of one program in a file; a workbook becomes the text of its sheets."""
    if path.suffix == ".xlsx":
        with zipfile.ZipFile(path) as book:
            text = "\n".join(f"{name}\n{book.read(name).decode()}" for name in sorted(book.namelist()))
        path.unlink()
        path = path.with_suffix(".xlsx.txt")
    elif path.suffix == ".swnet":
        with zipfile.ZipFile(path) as pack:
            text = "\n".join(f"{name} {_digest(pack, name)}" for name in sorted(pack.namelist()))
        path = path.with_suffix(".swnet.txt")  # the network itself is still read
    else:
        data = path.read_bytes()
        text = data.decode("utf-8", "replace")
    text = (
        text.replace(str(path.parent), "#out").replace(str(Path.cwd()), "#folder").replace(Path.cwd().name, "#folder")
    )
    for pattern, instead in VOLATILE:
        text = pattern.sub(instead, text)
    path.write_text(text, "utf-8", newline="")


def _digest(pack: zipfile.ZipFile, name: str) -> str:
    """Return a part of a packed file: JSON as it is, else its checksum."""
    data = pack.read(name)
    return data.decode() if name.endswith(".json") else hashlib.sha256(data).hexdigest()


def run(*arguments: str) -> tuple[int, str]:
    """Run a command of the program in this process; its status, and what it says on the standard error."""
    from swgui.cli import main

    said, before = io.StringIO(), sys.argv
    sys.argv = ["swgui", *arguments]  # certificates and reports name the command
    with contextlib.redirect_stderr(said):
        try:
            status = main(list(arguments))
        except SystemExit as error:
            status = int(error.code or 0)
        finally:
            sys.argv = before
    return status, said.getvalue()


def command(log: Path, *arguments: str) -> bool:
    """Run a command; what it says goes to a file if it fails."""
    status, said = run(*arguments)
    if status:
        log.write_text(f"{status} {said}")
        steady(log)
    return not status


def printed(out: Path, name: str, *arguments: str, writes: tuple[str, ...] = ()) -> bool:
    """Run a command with the CPU engine; status and all that it prints become a file, and the files that it writes."""
    text = io.StringIO()
    for file in writes:
        (out / file).unlink(missing_ok=True)
    with contextlib.redirect_stdout(text):
        status, said = run(*arguments, "--engine", "cpu")
    (out / f"{name}.said").write_text(f"status {status}\n{said}{text.getvalue()}")
    for file in (f"{name}.said", *writes):
        if (out / file).exists():
            steady(out / file)
    return not status


def write_search(out: Path, name: str, arguments: tuple[str, ...]) -> None:
    """Run a search and write it in every format; rounds leave alignments and profiles too."""
    from swgui.io.export import FORMATS, HIT_COLUMNS

    run = Path(f"{name}.swgui")
    run.unlink(missing_ok=True)
    kept = ["--save-profile", "rounds.hmm", "--save-alignment", "rounds.sto"] if name == "rounds" else []
    common = ("--engine", "cpu", "--quiet")
    if not command(
        out / f"{name}.refused", "search", *arguments, *common, *kept, "--save", str(run), "-o", "first.tsv"
    ):
        return
    if kept:
        for path in [*Path().glob("rounds*.hmm"), *Path().glob("rounds*.sto")]:
            path.rename(out / path.name)
            steady(out / path.name)
        if not Path("rounds.json").exists():
            single = ("-q", "first.fa", "-d", "proteins.fa", "--iterations", "2", "--save-profile", "rounds.json")
            command(out / "profile.refused", "search", *single, *common, "-o", "first.tsv")
    columns = ",".join(HIT_COLUMNS) if isinstance(HIT_COLUMNS, dict) else ",".join(item.name for item in HIT_COLUMNS)
    for form in FORMATS:
        target = out / f"{name}.{form}{'.xlsx' if form == 'xlsx' else ''}"
        target.unlink(missing_ok=True)
        more = ("--columns", columns) if form in ("tsv", "csv", "xlsx") else ()
        refused = out / f"{name}.{form}.refused"
        if command(refused, "show", str(run), "--format", form, "-o", str(target), "--quiet", *more):
            steady(target)
    subjects = Path(arguments[arguments.index("-d") + 1])
    anybody = records(subjects)[-1][1:].split()[0] if subjects.suffix == ".fa" else "d1asha_"
    for what, given in (("find", (anybody,)), ("verify", ()), ("compare", (str(run),))):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            command(out / f"{name}.{what}.refused", what, str(run), *given)
        (out / f"{name}.{what}").write_text(printed.getvalue())
        steady(out / f"{name}.{what}")


def write_pairs(out: Path) -> None:
    """Align the pairs, and write each in every format."""
    for name, arguments in PAIRS.items():
        for form in PAIR_FORMATS:
            target = out / f"pair_{name}.{form}"
            target.unlink(missing_ok=True)
            call = ("pair", *arguments, "--format", form, "-o", str(target), "--method", "cpu", "--quiet")
            if command(out / f"pair_{name}.{form}.refused", *call):
                steady(target)


def write_msa(out: Path) -> None:
    """Write a deep alignment in every format."""
    for ending in ("a3m", "sto", "afa"):
        target = out / f"msa.{ending}"
        target.unlink(missing_ok=True)
        call = ("msa", "-q", "first.fa", "-d", "proteins.fa", "-o", str(target), "--engine", "cpu", "--quiet")
        if command(out / f"msa.{ending}.refused", *call):
            steady(target)


def write_rules(out: Path) -> None:
    """Search by every rule; write places and certificate, check it, and audit a list that lacks every third place."""
    for name, arguments in RULES.items():
        certificate, page = Path(f"rule_{name}.json").absolute(), f"rule_{name}.html"
        for form in RULE_FORMATS:
            target, certified = f"rule_{name}.{form}", ("--certificate", str(certificate))
            more = (*certified, "--certificate-page", str(out / page)) if form == "tsv" else ()
            written = (target, page) if more else (target,)
            call = ("rule", *arguments, "--format", form, "-o", str(out / target), *more)
            if not printed(out, f"rule_{name}.{form}", *call, writes=written) or not more:
                continue
            lines = (out / target).read_text("utf-8").splitlines(keepends=True)
            Path("places.tsv").write_text("".join(line for n, line in enumerate(lines) if n % 3 != 1))
            (out / certificate.name).write_bytes(certificate.read_bytes())
            steady(out / certificate.name)
            printed(out, f"rule_{name}.verify", "verify", str(certificate), "--full")
            audit = ("audit", "--rule", str(certificate), "--table", "places.tsv")
            printed(out, f"rule_{name}.audit", *audit)


def write_networks(out: Path) -> None:
    """Compare sequences all against all; write the networks as files, in all formats, and with limits of edges."""
    for name, arguments in NETWORKS.items():
        target = f"network_{name}.swnet"
        printed(out, f"network_{name}", "network", *arguments, "-o", str(out / target), writes=(target,))
        for form in GRAPHS:
            for ending, more in (("", ()), (".limits", LIMITS)):
                shown = f"network_{name}{ending}.{form}"
                call = ("network", str(out / target), "--export", str(out / shown), "--format", form, *more)
                printed(out, shown, *call, writes=(shown,))
        (out / target).replace(f"{name}.swnet")


def similar_pairs() -> str:
    """Return the network that clusters and splits are made of, compared once."""
    if not Path("similar.swnet").exists():
        run("network", "relatives.fa", "-o", "similar.swnet", "--evalue", "10", "--engine", "cpu", "--quiet")
    return "similar.swnet"


def write_clusters(out: Path) -> None:
    """Cluster by every rule, in every format; once of sequences, else of a network."""
    for name, arguments in CLUSTERS.items():
        for form in ("tsv", "clstr", "csv"):
            target = f"cluster_{name}.{form}"
            call = ("cluster", similar_pairs(), *arguments, "--format", form, "-o", str(out / target))
            printed(out, target, *call, writes=(target,))
    printed(out, "cluster_sequences", "cluster", "genes.fa", "--identity", "0.8")
    printed(out, "cluster_family", "cluster", "family.fa", "--identity", "0.3", "--coverage", "0.5")


def write_splits(out: Path) -> None:
    """Split sequences into parts, with and without dropping."""
    printed(out, "split_network", "split", similar_pairs())
    printed(out, "split_drop", "split", similar_pairs(), "--bins", "60,40", "--names", "train,test", "--drop")
    printed(out, "split_sequences", "split", "family.fa", "--bins", "50,50", "--identity", "0.5")


def write_judged(out: Path) -> None:
    """Compare clusters of other limits and programs with all pairs."""
    for form in ("tsv", "clstr"):
        call = ("cluster", similar_pairs(), "--identity", "0.5", "--format", form, "-o", f"judged.{form}", "--quiet")
        run(*call, "--engine", "cpu")
        for joined in ("every", "representative"):
            limits = ("--identity", "0.4", "--joined", joined)
            printed(out, f"judge_{form}_{joined}", "judge", f"judged.{form}", similar_pairs(), *limits)
    printed(out, "judge_sequences", "judge", "judged.tsv", "relatives.fa", "--identity", "0.6")


def write_leaks(out: Path) -> None:
    """Find the nearest training sequences, of two files and of a split, and check the certificates."""
    run("split", similar_pairs(), "-o", "parts.tsv", "--identity", "0.5", "--engine", "cpu", "--quiet")
    calls = {
        "files": ("train.fa", "test.fa"),
        "limits": ("train.fa", "test.fa", "--coverage", "0.8", "--identity-over", "shorter", "--evalue", "0.001"),
        "split": ("relatives.fa", "--split", "parts.tsv"),
    }
    for name, arguments in calls.items():
        certificate, table, page = Path(f"leak_{name}.json").absolute(), f"leak_{name}.tsv", f"leak_{name}.html"
        files = ("-o", str(out / table), "--report", str(out / page), "--certificate", str(certificate))
        if printed(out, f"leak_{name}", "leak", *arguments, *files, writes=(table, page)):
            (out / certificate.name).write_bytes(certificate.read_bytes())
            steady(out / certificate.name)
            printed(out, f"leak_{name}.verify", "verify", str(certificate), "--full")


def write_diffs(out: Path) -> None:
    """Print the changes of hits in a newer release, of a search with and without correction."""
    for name, more in (("full", ()), ("none", ("--composition", "none", "--top", "30", "--evalue", "100"))):
        run("search", *PROTEINS, *more, "--engine", "cpu", "--quiet", "--save", "older.swgui", "-o", "older.tsv")
        printed(out, f"diff_{name}", "diff", "older.swgui", "newer.fa", "--save", "newer.swgui")
        table = out / f"diff_{name}.csv"
        if command(out / f"diff_{name}.refused", "show", "newer.swgui", "--format", "csv", "--quiet", "-o", str(table)):
            steady(table)


def write_audits(out: Path) -> None:
    """Compare tables that lack hits, or have others, with the exact hits."""
    for form in ("blast6", "blast7", "blast-xml"):
        call = ("search", *PROTEINS, "--composition", "none", "--top", "40", "--format", form)
        run(*call, "-o", f"audited.{form}", "--engine", "cpu", "--quiet")
        table = Path(f"audited.{form}")
        if form == "blast6":
            lines = table.read_text().splitlines(keepends=True)
            table.write_text("".join(line for n, line in enumerate(lines) if n % 4 != 2))
        printed(out, f"audit_{form}", "audit", *PROTEINS, "--table", str(table), "--comments", "--top", "40")


def write_merged(out: Path) -> None:
    """Search in parts, and merge them."""
    for name, search in (("proteins", PROTEINS), ("dna", DNA)):
        for number in "123":
            printed(
                out, f"merge_part_{name}_{number}", "search", *search, "--part", f"{number}/3", "-o", f"{number}.part"
            )
        for form in ("tsv", "json"):
            target = f"merge_{name}.{form}"
            files = ("--format", form, "-o", str(out / target))
            status, said = run("merge", "1.part", "2.part", "3.part", *files)
            (out / f"{target}.said").write_text(f"status {status}\n{said}")
            for file in (target, f"{target}.said"):
                if (out / file).exists():
                    steady(out / file)


def write_library(out: Path) -> None:
    """Write the arrays and facts that the library returns."""
    import swgui

    def keep(name: str, arrays: dict[str, Any], **facts: Any) -> None:
        columns = {key: [str(value) for value in values] for key, values in arrays.items()}
        kinds = {key: str(values.dtype) for key, values in arrays.items()}
        target = out / f"library_{name}.json"
        target.write_text(json.dumps({"kinds": kinds, "columns": columns, **facts}, indent=1, default=str))
        steady(target)

    for name, arguments in RULES.items():
        if name in ("peptides", "edits", "identity", "window", "words", "guides", "primers"):
            files = arguments[arguments.index("-q") + 1], arguments[arguments.index("-d") + 1]
            places = swgui.rule(name, *files, engine="cpu")
            arrays = places.to_arrays()
            aligned = ["qseq", "sseq"] if "qseqid" in arrays else ["query_row", "subject_row"]
            arrays = {**arrays, **places.to_arrays(aligned)}
            keep(f"rule_{name}", arrays, certificate=places.certificate(), said=repr(places))
    made = swgui.network("family.fa", evalue=1.0, engine="cpu")
    keep("network", made.edges(), ids=made.ids, said=repr(made), clusters=dict(made.clusters(identity=0.3)))
    hits = swgui.search("queries.fa", "proteins.fa", top=20, engine="cpu")
    keep("search", hits.to_arrays(), said=repr(hits), statistics=hits.statistics)
    hits.save("library.swgui")
    changes = swgui.diff("library.swgui", "newer.fa")
    keep("diff", changes.to_arrays(), said=repr(changes))
    pair = swgui.pair("first.fa", "second.fa", method="cpu", limit=2)
    keep("pair", {}, score=pair.score, state=pair.state, text=pair.text, said=repr(pair))


PARTS: Final[dict[str, Callable[[Path], None]]] = {
    "pairs": write_pairs,
    "msa": write_msa,
    "rule": write_rules,
    "network": write_networks,
    "cluster": write_clusters,
    "split": write_splits,
    "judge": write_judged,
    "leak": write_leaks,
    "diff": write_diffs,
    "audit": write_audits,
    "merge": write_merged,
    "library": write_library,
}


def write_all(out: Path, chosen: list[str]) -> None:
    """Write the files of the chosen searches and parts, or of all, into a folder."""
    out.mkdir(parents=True, exist_ok=True)
    out = out.resolve()
    inputs = out.parent / f"{out.name}_inputs"
    if not inputs.exists():
        inputs.mkdir()
        make_inputs(inputs)
    os.chdir(inputs)
    for name in ("CONFIG", "CACHE", "DATA"):
        os.environ[f"SWGUI_{name}_DIR"] = str(inputs / "user" / name)
    if not Path("models.swdb").exists():
        command(out / "makedb.refused", "makedb", "--structures", "models", "-o", "models.swdb", "--quiet")
    for name, arguments in SEARCHES.items():
        if not chosen or name in chosen:
            write_search(out, name, arguments)
            print(name, flush=True)
    for name, write in PARTS.items():
        if not chosen or name in chosen:
            began = time.monotonic()
            write(out)
            print(f"{name} {time.monotonic() - began:.0f} s", flush=True)


def belongs(file: Path, names: list[str]) -> bool:
    """Whether a file is one of some searches and parts; any is where none are named."""
    beginnings = {**{name: f"{name}." for name in SEARCHES}, **{name: f"{name}_" for name in PARTS}}
    beginnings |= {"rounds": "rounds", "pairs": "pair_", "msa": "msa."}
    return file.is_file() and (not names or file.name.startswith(tuple(beginnings[name] for name in names)))


def differences(new: Path, old: Path, names: list[str]) -> tuple[list[str], int]:
    """Name the files of some parts that are not the same in two folders, and count all."""
    files = {path.name for folder in (new, old) for path in folder.iterdir() if belongs(path, names)}

    def content(path: Path) -> bytes | None:
        return path.read_bytes() if path.exists() else None

    return sorted(name for name in files if content(new / name) != content(old / name)), len(files)


def main() -> int:
    """Write the files, and compare them on request."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join([*SEARCHES, *PARTS])}; all without")
    parser.add_argument("--against", type=Path, metavar="OLDER")
    parser.add_argument("--compare-only", action="store_true", help="do not write anything")
    parser.add_argument("--program", type=Path, metavar="CHECKOUT", default=ROOT, help="whose code runs")
    asked = parser.parse_args()
    if unknown := set(asked.names) - {*SEARCHES, *PARTS}:
        parser.error(f"there is no {', '.join(sorted(unknown))}; there are {', '.join([*SEARCHES, *PARTS])}")
    old, new = asked.against and asked.against.resolve(), asked.folder.resolve()
    if not asked.compare_only:
        sys.path.insert(0, str(asked.program.resolve()))
        new.mkdir(parents=True, exist_ok=True)
        for path in new.iterdir():
            if belongs(path, asked.names):  # a removed file counts as a difference
                path.unlink()
        write_all(new, asked.names)
    if old is None:
        return 0
    changed, compared = differences(new, old, asked.names)
    for name in changed:
        print("differs:", name)
    print(f"{len(changed)} of {compared} files differ")
    return bool(changed)


if __name__ == "__main__":
    sys.exit(main())
