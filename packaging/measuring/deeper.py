"""Measure how the evidence of ``swgui deeper`` ranks relatives, beside the list it is about.

    swgui deeper -q QUERIES -d DOMAINS --profiles --neighbours --forward --evalue 100 -o TABLE
    python packaging/measuring/deeper.py DOMAINS TABLE [TABLE ...]

DOMAINS holds labelled domains (``>id class.fold.superfamily.family``). What counts is, as in `iterated_sensitivity.py`,
the share of relatives before the first domain of another fold; only queries that are in a table count.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from iterated_sensitivity import Domains, Found, difference, line_of, log10, measured, opened, ranked

UNKNOWN = "."


def labels_of(path: Path) -> dict[str, list[str]]:
    """Return the labels of domains."""
    heads = (line[1:].split()[:2] for line in opened(path) if line.startswith(">"))
    return {name: label.split(".") for name, label in heads}


def lists_of(rows: list[dict[str, str]]) -> dict[str, Found]:
    """Return what each kind of evidence ranks, hits without it left out; neighbours come behind hits beyond doubt."""

    def by(column: str) -> Found:
        known = [row for row in rows if row[column] != UNKNOWN]
        return ranked((row["qseqid"], row["sseqid"], log10(row[column])) for row in known)

    listed = by("evalue")
    best = {(row["qseqid"], row["sseqid"]) for row in rows if row["profile_evalue"] != UNKNOWN}
    same = {query: [hit for hit in hits if (query, hit[0]) in best] for query, hits in listed.items()}
    confident: Found = {query: [hit for hit in hits if hit[1] <= -3] for query, hits in listed.items()}
    for row in rows:
        if row["path"] != UNKNOWN:
            weaker = max(map(log10, row["path_evalues"].split(";")))
            confident.setdefault(row["qseqid"], []).append((row["sseqid"], weaker))
    for query, hits in listed.items():
        there = {name for name, _ in confident[query]}
        confident[query] += [hit for hit in hits if hit[0] not in there]
    return {
        "evalue": listed,
        "evalue, hits with profiles alone": same,
        "profile_evalue": by("profile_evalue"),
        "forward_evalue": by("forward_evalue"),
        "evalue up to 0.001, neighbours, all others": confident,
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("domains", type=Path)
    parser.add_argument("tables", type=Path, nargs="+")
    arguments = parser.parse_args()
    domains = Domains(labels_of(arguments.domains))
    rows = []
    for path in arguments.tables:
        head, *lines = (line.rstrip("\n").split("\t") for line in opened(path))
        rows += [dict(zip(head, line, strict=True)) for line in lines]
    queries = list(dict.fromkeys(row["qseqid"] for row in rows))
    print(f"{len(queries)} queries\n\n| ranked by | family | superfamily | any | false, E ≤ 1 | false, E ≤ 0.001 | |")
    print("|---|---|---|---|---|---|---|")
    found = {name: measured(domains, queries, one) for name, one in lists_of(rows).items()}
    for name, (shares, false) in found.items():
        print(line_of(name, shares, false))
    plain = found["evalue"][0]
    for name, (shares, _) in found.items():
        print(f"{name} - evalue: {difference(shares, plain)}")


if __name__ == "__main__":
    main()
