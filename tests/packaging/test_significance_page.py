"""The examples of the manual's page on significance are run as they stand there, and give what it says."""

from __future__ import annotations

import csv
import io
import re
import shlex

import pytest

from swgui.cli import main

PAGE = "docs/howto/is-this-hit-real.md"
GENOME = "GCF_000005845.2_ASM584v2_genomic.fna.gz"


@pytest.fixture
def example(repository, data_dir, tmp_path, monkeypatch, capsys):
    """Return a function that runs the commands of one section of the page, in a folder with its files."""
    (tmp_path / GENOME).symlink_to(data_dir / "dna" / GENOME)
    name = "swissprot_16species.fasta.gz"
    (tmp_path / name).symlink_to(data_dir / "proteins" / name)
    for record in (data_dir / "proteins" / "cudasw_20queries.fasta").read_text("ascii").split(">")[1:]:
        head = record.split(maxsplit=1)[0]
        (tmp_path / f"{head.split('|')[-1]}.fasta").write_text(f">{record}", "ascii")
    monkeypatch.chdir(tmp_path)

    def run(title):
        section = re.split(r"^#+ ", (repository / PAGE).read_text("utf-8"), flags=re.MULTILINE)
        (text,) = (part for part in section if part.startswith(title))
        (line,) = re.findall(r"^swgui .*$", text, re.MULTILINE)
        assert main(shlex.split(line.split("  #")[0])[1:]) == 0
        return text, list(csv.DictReader(io.StringIO(capsys.readouterr().out), delimiter="\t"))

    return run


def test_the_leghaemoglobin(example):
    text, rows = example("A leghaemoglobin")
    best, sister = rows[:2]
    assert [row["verdict"] for row in rows if row["verdict"] != "chance"] == ["borderline"]
    assert best["sseqid"].endswith("FHP_YEAST")
    assert (
        f"a score of {best['score']} and E = {float(best['evalue']):.1g}, or {float(best['evalue_uncorrected']):.2g} "
        in text
    )
    assert sister["sseqid"].endswith("FHP_SCHPO")
    assert f"over {float(sister['qcovhsp']):.0f} % of the query" in text


@pytest.mark.slow
@pytest.mark.nightly
def test_the_mucin(example):
    text, rows = example("A mucin")
    assert "none of them is listed as significant" in text
    assert [row["sseqid"] for row in rows if row["verdict"] == "significant"] == []


@pytest.mark.nightly
def test_the_copies_of_16s_rrna(example):
    text, rows = example("16S rRNA")
    assert "contains the gene seven times" in text
    assert [row["verdict"] for row in rows].count("significant") == 7
    assert {row["sstrand"] for row in rows[:7]} == {"plus", "minus"}
