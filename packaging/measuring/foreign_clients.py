#!/usr/bin/env python3
"""Ask a server of swgui with the own code of other programs, and compare their results with those of a search.

    python packaging/measuring/foreign_clients.py --igv /usr/share/java/igv.jar --igv-js FOLDER --bioperl FOLDER

IGV (Debian: igv; Java 11 or later): `BlatClient.blat`, which asks the BLAT address and makes features of the answer.
igv.js (its source, with igv-utils in node_modules): `blat` of js/blat/blatClient.js, in Node. BioPerl (Debian:
libbio-perl-perl, libbio-tools-run-remoteblast-perl, libxml-sax-perl; the folder has Bio/SearchIO/blastxml.pm of the
distribution Bio-SearchIO-blastxml): `RemoteBlast` with the readers of Text and of XML. A client without its option is
left out. The exit status is 1 if a result differs. This repository has no part of these programs.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

import swgui
from swgui.commands.serve import serve_arguments
from swgui.serve.server import FoldingServer

IGV: Final = """
import org.broad.igv.*; import org.broad.igv.feature.*; import org.broad.igv.prefs.*;
import org.broad.igv.util.blat.BlatClient;
public class Ask {
  public static void main(String[] words) throws Exception {
    Globals.setHeadless(true);
    PreferencesManager.getPreferences().put(Constants.BLAT_URL, words[0]);
    for (PSLRecord one : BlatClient.blat("hg38", words[1])) {
      StringBuilder blocks = new StringBuilder();
      for (Exon exon : one.getExons()) blocks.append(exon.getStart() + "-" + exon.getEnd() + " ");
      char strand = one.getStrand() == Strand.NEGATIVE ? '-' : '+';
      System.out.println("ROW " + one.getChr() + " " + strand + " " + one.getMatch() + " " + one.getMisMatch() + " "
        + one.getqSize() + " " + blocks.toString().trim());
    }
  }
}
"""
IGV_JS: Final = """
const {blat} = await import(process.argv[2] + "/js/blat/blatClient.js");
for (const one of await blat({url: process.argv[3], userSeq: process.argv[4], db: "hg38"})) {
  const blocks = one.exons.map(exon => `${exon.start}-${exon.end}`).join(" ");
  console.log("ROW", one.chr, one.strand, one.tokens[0], one.tokens[1], one.tokens[10], blocks);
}
"""
BIOPERL: Final = r"""
use Bio::Tools::Run::RemoteBlast;
my ($url, $file, $form) = @ARGV;
my $asks = Bio::Tools::Run::RemoteBlast->new(-prog => 'blastp', -data => 'proteins', -expect => '10',
                                             -readmethod => $form eq 'XML' ? 'blastxml' : 'SearchIO');
$asks->set_url_base($url);
$asks->retrieve_parameter('FORMAT_TYPE', $form);
$asks->submit_blast($file);
while (my @waiting = $asks->each_rid) {
  for my $rid (@waiting) {
    my $found = $asks->retrieve_blast($rid);
    if (!ref $found) { die "failed: $found" if $found < 0; sleep 1; next; }
    while (my $result = $found->next_result) {
      my ($name) = ($form eq 'XML' ? $result->query_description : $result->query_name) =~ /(\S+)/;
      while (my $hit = $result->next_hit) {
        my $one = $hit->next_hsp;
        print join(' ', 'ROW', $name, $hit->name, $one->score, $one->evalue, $one->start('query'),
                   $one->end('query'), $one->start('hit'), $one->end('hit')), "\n";
      }
    }
    $asks->remove_rid($rid);
  }
}
"""


class Data(NamedTuple):
    """Made-up sequences: a genome with stretches to look for, proteins with queries; the same in every run."""

    genome: Path
    stretches: Mapping[str, str]
    proteins: Path
    queries: Path


def made(folder: Path) -> Data:
    """Write the files of both databases and of the queries."""
    random = np.random.default_rng(54)

    def text(letters: str, length: int) -> str:
        return "".join(random.choice(list(letters), length))

    one, two = text("ACGT", 5000), text("ACGT", 5000)
    reverse = two[2000:2300][::-1].translate(str.maketrans("ACGT", "TGCA"))
    stretches = {"plain": one[100:400], "minus": reverse, "inserted": one[500:600] + "A" + one[600:700],
                 "deleted": two[300:400] + two[403:500], "nowhere": text("ACGT", 200)}  # fmt: skip
    residues = "ACDEFGHIKLMNPQRSTVWY"
    parents = [text(residues, 150) for _ in range(20)]
    relatives = []
    for parent in parents:
        for _ in range(6):
            changed = random.random(len(parent)) < 0.4
            own = np.where(changed, random.choice(list(residues), len(parent)), list(parent))
            relatives.append("".join(own.tolist()))
    files = {
        "genome.fasta": {"chr1": one, "chr2": two},
        "proteins.fasta": {f"p{n}": one for n, one in enumerate(relatives)},
        "queries.fasta": {f"q{n}": one for n, one in enumerate(parents)},
    }
    for name, records in files.items():
        (folder / name).write_text("".join(f">{key}\n{value}\n" for key, value in records.items()))
    return Data(folder / "genome.fasta", stretches, folder / "proteins.fasta", folder / "queries.fasta")


def rows_of(words: Sequence[str], folder: Path) -> list[list[str]]:
    """Return the lines that a program prints after the word ROW."""
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        raise SystemExit(f"{words[0]} ended with {done.returncode}: {done.stderr[-2000:]}")
    return [line.split()[1:] for line in done.stdout.splitlines() if line.startswith("ROW ")]


def blat_rows(genome: Path, stretch: str, folder: Path) -> list[list[str]]:
    """Return the rows of a search as the programs print those of the BLAT address."""
    place = folder / "own.psl"
    hits = swgui.search(f">q\n{stretch}\n", str(genome), program="blastn", scoring_preset="dna-strict", evalue=1e-3)
    hits.write(place)
    found = []
    for line in place.read_text().splitlines():
        row = line.split("\t")
        sizes, starts = ([int(one) for one in row[column].split(",") if one] for column in (18, 20))
        blocks = [f"{start}-{start + size}" for start, size in zip(starts, sizes, strict=True)]
        found.append([row[13], row[8], row[0], row[1], row[10], *blocks])
    return found


def protein_rows(data: Data) -> list[list[str]]:
    """Return the first alignment of each hit of a search, as BioPerl's script prints it."""
    columns = ["qseqid", "sseqid", "score", "evalue", "qstart", "qend", "sstart", "send"]
    how = {"evalue": 10, "top": 100, "max_hsps": 1, "composition": "none", "mask": True}  # RemoteBlast asks for this
    hits = swgui.search(str(data.queries), str(data.proteins), **how)
    table = hits.to_pandas()[columns]
    return [[str(value) for value in row] for row in table.itertuples(index=False)]


def same(found: Sequence[Sequence[str]], wanted: Sequence[Sequence[str]]) -> bool:
    """Whether two tables have the same rows; numbers with a fraction to two digits, as texts round E."""

    def plain(row: Sequence[str]) -> list[str]:
        return [f"{float(one):.1e}" if "." in one or "e-" in one else one for one in row]

    return sorted(map(plain, found)) == sorted(map(plain, wanted))


def main() -> int:
    """Ask with each program; returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    for name, text in (("igv", "jar of IGV"), ("igv-js", "folder of igv.js"), ("bioperl", "folder with blastxml.pm")):
        parser.add_argument(f"--{name}", type=Path, help=text)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder, results = Path(place), {}
        data = made(folder)
        named = [f"hg38={data.genome}", f"proteins={data.proteins}"]
        arguments = serve_arguments(search_database=named, address="127.0.0.1:0", folder=str(folder / "jobs"))
        server = FoldingServer(arguments)
        server.start(threading.Event())
        try:
            results = {name: ask(server.url, data, folder) for name, ask in clients(given).items()}
        finally:
            server.close()
    print(json.dumps(results, indent=1))
    return int(not all(one["same"] for one in results.values()))


def clients(given: argparse.Namespace) -> dict[str, Callable[[str, Data, Path], dict[str, object]]]:
    """Functions that ask with each named program, by its name."""

    def stretches(data: Data, folder: Path, words: Callable[[str], Sequence[str]]) -> dict[str, object]:
        asked = [(rows_of(words(one), folder), blat_rows(data.genome, one, folder)) for one in data.stretches.values()]
        return {"rows": sum(len(found) for found, _ in asked), "same": all(same(*both) for both in asked)}

    def igv(url: str, data: Data, folder: Path) -> dict[str, object]:
        (folder / "Ask.java").write_text(IGV)
        address = f"{url}/cgi-bin/hgBlat?userSeq=$SEQUENCE&type=DNA&db=$DB&output=json"
        java = ["java", f"-Duser.home={folder}", "-cp", str(given.igv), "Ask.java", address]
        return stretches(data, folder, lambda one: [*java, one])

    def igv_js(url: str, data: Data, folder: Path) -> dict[str, object]:
        (folder / "ask.mjs").write_text(IGV_JS)
        node = ["node", "ask.mjs", str(given.igv_js.absolute()), f"{url}/cgi-bin/hgBlat"]
        return stretches(data, folder, lambda one: [*node, one])

    def bioperl(url: str, data: Data, folder: Path, form: str) -> dict[str, object]:
        (folder / "ask.pl").write_text(BIOPERL)
        perl = ["perl", f"-I{given.bioperl.absolute()}", "ask.pl", f"{url}/Blast.cgi", str(data.queries), form]
        found = rows_of(perl, folder)
        return {"rows": len(found), "same": same(found, protein_rows(data))}

    asks: dict[str, Callable[[str, Data, Path], dict[str, object]]] = {}
    if given.igv:
        asks["IGV"] = igv
    if given.igv_js:
        asks["igv.js"] = igv_js
    if given.bioperl:
        asks |= {f"BioPerl, {form}": lambda *what, form=form: bioperl(*what, form=form) for form in ("Text", "XML")}
    return asks


if __name__ == "__main__":
    sys.exit(main())
