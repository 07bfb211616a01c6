"""Translated searches in files: every format, saved and opened again, and asked for on the command line."""

from __future__ import annotations

import io

import numpy as np
import pytest
from Bio import SeqIO

from swgui.cli import main
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.errors import InvalidParameter
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.translation.frames import translate
from swgui.core.translation.programs import Translation
from swgui.io.export import FORMATS, write_hits
from swgui.io.saved.facts import search_of
from swgui.io.saved.search import load_search, save_search
from swgui.io.saved.stored_subjects import StoredSubjects
from swgui.runs.search_facts import RequestFacts
from tests.asking import BLOSUM62, answer, search_request
from tests.described import describe_hits

pytestmark = pytest.mark.usefixtures("user_folders", "trusted_engines")
PLUS, MINUS = (101, 340), (801, 560)  # where the gene lies in the DNA, in bases from 1


@pytest.fixture
def sequences(rng):
    """DNA with a gene in frame 2 and on the other strand, and its protein."""
    dna = rng.integers(0, 4, 1_001).astype(np.uint8)
    gene = dna[PLUS[0] - 1 : PLUS[1]].copy()
    dna[MINUS[1] - 1 : MINUS[0] - 2] = NUCLEOTIDE.reverse_complement(gene)[: MINUS[0] - MINUS[1] - 1]
    protein = translate(gene, 1)
    return SequenceRecord("dna", "some DNA", NUCLEOTIDE.decode(dna)), SequenceRecord("p", "it", PROTEIN.decode(protein))


def request_of(program, sequences, **changes):
    dna, protein = sequences
    query, subject = (dna, protein) if program == "blastx" else (protein, dna)
    kind = PROTEIN if program == "blastx" else NUCLEOTIDE
    database = encode_database([subject], kind, "given")
    how = {"max_evalue": 1e-10, "engine": "cpu", "translation": Translation(program), **changes}
    return search_request(queries=(query,), database=database, scheme=BLOSUM62, **how)


def search(program, sequences):
    return answer(request_of(program, sequences))


def written(name, result):
    file = io.StringIO()
    write_hits(name, result, describe_hits(result, 0, range(len(result.queries[0].hits))), file)
    return file.getvalue()


@pytest.mark.parametrize("program", ["blastx", "tblastn"])
def test_features_are_where_the_genes_are(program, sequences):
    result = search(program, sequences)
    lines = [line.split("\t") for line in written("gff3", result).splitlines() if not line.startswith("#")]
    assert {line[0] for line in lines} == {"dna"}
    places = {(int(line[3]), int(line[4]), line[6]) for line in lines}
    assert (*PLUS, "+") in places
    assert any(strand == "-" for *_, strand in places)
    entry = SeqIO.read(io.StringIO(written("genbank", result)), "genbank")
    assert bytes(entry.seq) == sequences[0].residues
    protein = sequences[1].residues.decode()
    for feature in entry.features:
        assert str(feature.extract(entry.seq).translate()) in protein
    records = list(SeqIO.parse(io.StringIO(written("fasta-dna", result)), "fasta"))
    assert f"dna/{PLUS[0]}-{PLUS[1]}" in {record.id for record in records}
    assert all(str(record.seq.translate()) in protein for record in records)


@pytest.mark.parametrize("program", ["blastx", "tblastn"])
@pytest.mark.parametrize("name", ["genbank", "gff3"])
def test_two_sequences_of_one_name_are_annotated_each_on_its_own(program, name, sequences):
    dna, protein = sequences
    other = SequenceRecord("dna", "another", dna.residues[90:400])
    queries, subjects = ((dna, other), [protein]) if program == "blastx" else ((protein,), [dna, other])
    request = request_of(program, sequences)
    database = encode_database(subjects, request.database.alphabet, "given")
    request = replace(request, queries=queries, database=database)
    result, hits = described(request)
    text = exported(name, result, hits)
    if name == "genbank":
        entries = list(SeqIO.parse(io.StringIO(text), "genbank"))
        assert {bytes(entry.seq) for entry in entries} == {dna.residues, other.residues}
        assert len({entry.id for entry in entries}) == 2
        for entry in entries:
            assert entry.features
            for feature in entry.features:
                assert str(feature.extract(entry.seq).translate()) in protein.residues.decode()
    else:
        lines = text.splitlines()
        regions = [tuple(line.split()[1:]) for line in lines if line.startswith("##sequence-region")]
        assert sorted(region[1:] for region in regions) == [("1", "1001"), ("1", "310")]
        lengths = {region[0]: int(region[2]) for region in regions}
        ends = [(line.split("\t")[0], int(line.split("\t")[4])) for line in lines if not line.startswith("#")]
        assert {of for of, _ in ends} == set(lengths)
        assert all(end <= lengths[of] for of, end in ends)


def described(request):
    """Return a result, and the hits of all its queries."""
    result = answer(request)
    return result, [
        hit for at, of in enumerate(result.queries) for hit in describe_hits(result, at, range(len(of.hits)))
    ]


def exported(name, result, hits):
    file = io.StringIO()
    write_hits(name, result, hits, file)
    return file.getvalue()


@pytest.mark.parametrize("program", ["blastx", "tblastn"])
def test_two_subjects_of_one_name_are_told_apart(program, sequences):
    request = request_of(program, sequences)
    subject = request.database.record(0)
    twin = SequenceRecord(subject.id, "another", subject.residues)
    database = encode_database([subject, twin], request.database.alphabet, "given")
    result, hits = described(replace(request, database=database))
    rows = [row for hit in hits for row in hit.rows() if row.alignment is not None]
    names = [subject.id if row.db_index == rows[0].db_index else f"{subject.id}_{row.db_index + 1}" for row in rows]
    assert len(set(names)) == 2
    for name in ("fasta-dna", "fasta-corrected"):
        headers = [line for line in exported(name, result, hits).splitlines() if line.startswith(">")]
        if program == "blastx":  # the query is annotated, and the subject named next to it
            assert [header.partition("[hit=")[2].split()[0] for header in headers] == names
        else:
            assert [header[1:].split("/")[0] for header in headers] == names
    lines = [line.split("\t") for line in exported("gff3", result, hits).splitlines() if not line.startswith("#")]
    targets = [line[8].partition("Target=")[2].split()[0] for line in lines]
    assert targets == (names if program == "blastx" else ["p"] * len(names))
    assert [line[0] for line in lines] == (["dna"] * len(names) if program == "blastx" else names)


def test_aligned_parts_of_two_subjects_of_one_name_are_told_apart(sequences):
    protein = sequences[1]
    scheme = request_of("blastx", sequences).scheme
    database = encode_database([protein, replace(protein, description="another")], PROTEIN, "given")
    result, hits = described(search_request(queries=(protein,), database=database, scheme=scheme, engine="cpu"))
    names = [("p", "p_2")[row.db_index] for hit in hits for row in hit.rows() if row.alignment is not None]
    assert {*names} == {"p", "p_2"}
    for name in ("fasta-aligned", "fasta-corrected"):
        headers = [line for line in exported(name, result, hits).splitlines() if line.startswith(">")]
        assert [header[1:].split("/")[0] for header in headers] == names
    features = [line for line in exported("gff3", result, hits).splitlines() if not line.startswith("#")]
    assert [line.split("\t")[0] for line in features] == names


def test_positions_of_text_xml_and_paf(sequences):
    of_dna = search("tblastn", sequences)
    assert f"Sbjct  {PLUS[0]} " in written("text", of_dna)
    assert "Frame = +2" in written("text", of_dna)
    xml = written("blast-xml", search("blastx", sequences))
    assert "<program>blastx</program>" in xml
    assert f"<query-from>{PLUS[0]}</query-from>\n<query-to>{PLUS[1]}</query-to>\n<query-frame>2</query-frame>" in xml
    fields = [line.split("\t") for line in written("paf", of_dna).splitlines()]
    plus = next(line for line in fields if line[4] == "+")
    assert plus[:4] == ["p", "80", "0", "80"]
    assert plus[5:11] == ["dna", "1001", str(PLUS[0] - 1), str(PLUS[1]), "240", "240"]
    assert plus[-1] == "cg:Z:80M"


@pytest.mark.parametrize("program", ["blastx", "tblastn"])
def test_every_format_writes_or_says_why_not(program, sequences):
    result, refused = search(program, sequences), set()
    for name, form in FORMATS.items():
        if not form.is_text:
            continue
        try:
            assert written(name, result)
        except InvalidParameter:
            refused.add(name)
    assert refused == {"psl", "sam"} | ({"a3m", "clustal", "stockholm"} if program == "blastx" else set())


@pytest.mark.parametrize("program", ["blastx", "tblastn"])
def test_a_saved_search_is_the_same_with_and_without_its_database(program, sequences, tmp_path):
    result = search(program, sequences)
    save_search(result, tmp_path / "kept.swgui")
    with_it = load_search(tmp_path / "kept.swgui", database=result.database).result
    alone = load_search(tmp_path / "kept.swgui").result
    assert isinstance(alone.database, StoredSubjects)
    assert with_it.translation == alone.translation == result.translation
    for other in (with_it, alone):
        assert written("blast6", other) == written("blast6", result)


def test_what_is_kept_of_a_request_says_how_it_translates(sequences):
    how = Translation("blastx", 11, frames=(1, -2))
    facts = RequestFacts.begun(request_of("blastx", sequences, translation=how))
    assert search_of(facts.search).translation == how
    opened = replace(facts, opened=replace(facts.opened, residues=7))
    assert opened.cells == 2 * (len(sequences[0].residues) // 3) * 7


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), ""),
        (("--query-code", "99"), "no genetic code 99"),
        (("--frames", "7"), "'7' is not a list of different frames"),
        (("--program", "tblastn"), "tblastn compares protein against translated DNA, but the query is DNA"),
        (("--strand", "plus"), "choose --frames plus or minus"),
    ],
)
def test_the_command_translates_or_says_what_is_wrong(options, said, sequences, tmp_path, capsys):
    for record in sequences:
        (tmp_path / f"{record.id}.fasta").write_bytes(b">" + record.id.encode() + b"\n" + record.residues + b"\n")
    files = ("--query", str(tmp_path / "dna.fasta"), "--database", str(tmp_path / "p.fasta"))
    status = main(["search", *files, "--engine", "cpu", "--format", "blast6", "--evalue", "1e-10", *options])
    out, err = capsys.readouterr()
    assert (status != 0) == bool(said)
    assert said in err.replace("\n", " ")
    if not said:
        first = out.splitlines()[0].split("\t")
        assert first[:2] == ["dna", "p"]
        assert first[6:10] == [*map(str, PLUS), "1", "80"]
