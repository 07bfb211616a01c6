"""Numbers and objects that make no sense, in the terminal and in Python; queries that cannot be translated."""

import pytest

import swgui

SEARCH = ("search", "-q", "a.fa", "-d", "a.fa")
PROTEIN = "MKTAYIAKQRQISFVKSHFSRQLEERLG"
BASES = "ATGAAAACCGCGTATATTGCGAAACAGCGTCAGATTAGCTTTGTGAAAAGCCATTTTAGCCGTCAG"
HUGE = 10**22


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.fa").write_text(f">a\n{PROTEIN}\n")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((*SEARCH, "--engine", "cpu", "--set", f"chunk_residues={HUGE}"), "takes a whole number from 1 to"),
        ((*SEARCH, "--engine", "cpu", "--set", "chunk_residues=" + "9" * 5_000), "takes a whole number from 1 to"),
        ((*SEARCH, "--top", str(HUGE)), "is longer than any can be. Ask for 1,000,000,000 at most."),
        ((*SEARCH, "--top", str(2**63)), "is longer than any can be."),
        (("msa", "-q", "a.fa", "-d", "a.fa", "-o", "a.a3m", "--max-rows", str(HUGE)), ""),
    ],
)
def test_numbers_without_a_limit(folder, arguments, sentence, typed):
    ended = typed(*arguments)
    assert ended.status == 2
    assert sentence in ended.err


def test_hits_of_a_saved_search_without_a_limit(folder, typed):
    assert typed(*SEARCH, "--engine", "reference", "--save", "r.swgui").status == 0
    ended = typed("show", "r.swgui", "--top", str(HUGE))
    assert (ended.status, "longer than any" in ended.err) == (2, True)


def _saved(folder):
    return swgui.search(PROTEIN, {"a": PROTEIN}, engine="reference")


@pytest.mark.parametrize(
    "call",
    [
        lambda folder: swgui.load(None),
        lambda folder: swgui.load(5),
        lambda folder: swgui.load(b"r.swgui"),
        lambda folder: swgui.Database(None),
        lambda folder: swgui.Database.build(None, folder / "a.swdb"),
        lambda folder: swgui.Database.build([folder / "a.fa"], None),
        lambda folder: _saved(folder).save(None),
        lambda folder: _saved(folder).write(None),
        lambda folder: _saved(folder).write(3, "tsv"),
        lambda folder: swgui.search(PROTEIN, {"a": PROTEIN}, engine="cpu", settings={"chunk_residues": HUGE}),
        lambda folder: swgui.search(PROTEIN, {"a": PROTEIN}, top=HUGE),
        lambda folder: swgui.search(None, {"a": PROTEIN}),
        lambda folder: swgui.search(PROTEIN, None),
        lambda folder: swgui.pair(PROTEIN, PROTEIN, engine="reference").write(None),
    ],
)
def test_every_refusal_of_the_library_is_an_error_of_the_library(folder, call):
    with pytest.raises(swgui.SwguiError) as said:
        call(folder)
    assert str(said.value)


@pytest.mark.parametrize("given", [{"a": ""}, "", ["", ""], {"a": "", "b": " "}])
def test_an_empty_sequence_is_called_one(given):
    with pytest.raises(swgui.SwguiError) as said:
        swgui.search(given, {"a": PROTEIN})
    assert "folder" not in str(said.value)
    assert "sequence" in str(said.value)


def test_a_read_without_a_codon_is_left_out_and_reported(folder, typed):
    (folder / "r.fa").write_text(f">long\n{BASES}\n>short\nAC\n>other\n{BASES}\n")
    arguments = ("search", "-q", "r.fa", "-d", "a.fa", "--engine", "reference")
    ended = typed(*arguments, "--program", "blastx")
    assert ended.status == 0
    assert "left out: 'short'." in ended.err
    queries = {line.split("\t")[1] for line in ended.out.splitlines()[1:]}
    assert queries == {"long", "other"}
    hits = swgui.search(folder / "r.fa", folder / "a.fa", engine="reference")
    assert [remark for remark in hits.remarks if "left out: 'short'" in remark]


def test_a_query_of_unknown_residues_has_no_hits_in_rounds(folder, typed):
    (folder / "x.fa").write_text(">x\n" + "X" * 60 + "\n")
    ended = typed("search", "-q", "x.fa", "-d", "a.fa", "--iterations", "2", "--evalue", "1e9", "--engine", "cpu")
    assert (ended.status, len(ended.out.splitlines())) == (0, 1)


def test_reads_of_which_none_has_a_codon_are_refused(folder, typed):
    (folder / "r.fa").write_text(">short\nAC\n>less\nA\n")
    ended = typed("search", "-q", "r.fa", "-d", "a.fa", "--type", "nucleotide", "--engine", "reference")
    assert (ended.status, "no codon to" in ended.err) == (2, True)


@pytest.mark.parametrize(("program", "query"), [("tblastn", "a.fa"), ("tblastx", "r.fa"), ("blastn", "r.fa")])
def test_a_database_of_ambiguous_bases_is_what_the_program_says(folder, program, query, typed):
    (folder / "d.fa").write_text(">d\n" + "RYKMSWBDHVN" * 20 + "\n")
    (folder / "r.fa").write_text(f">r\n{BASES}\n")
    ended = typed("search", "-q", query, "-d", "d.fa", "--program", program, "--engine", "reference")
    assert ended.status == 0, ended.err


AMBIGUOUS = ">q\n" + "RYKMSWBDHVN" * 20 + "\n"


@pytest.mark.parametrize(("program", "database"), [("blastx", "a.fa"), ("tblastx", "d.fa"), ("blastn", "d.fa")])
def test_a_query_of_ambiguous_bases_is_what_the_program_says(folder, program, database, typed):
    (folder / "d.fa").write_text(f">d\n{BASES}\n")
    (folder / "q.fa").write_text(AMBIGUOUS)
    ended = typed("search", "-q", "q.fa", "-d", database, "--program", program, "--engine", "reference")
    assert ended.status == 0, ended.err
    for queries in (folder / "q.fa", AMBIGUOUS, {"q": AMBIGUOUS.split()[1]}):
        hits = swgui.search(queries, folder / database, program=program, engine="reference")
        assert hits.result.search.query_alphabet.name == "nucleotide"


def test_a_query_of_protein_is_none_of_bases(folder, typed):
    ended = typed(*SEARCH, "--program", "blastx", "--engine", "reference")
    assert (ended.status, "query is protein" in ended.err) == (2, True)


def test_a_peptide_of_four_letters_is_searched_where_its_kind_is_said(folder, typed):
    (folder / "q.fa").write_text(">q\nGATTACAGATTACA\n")
    arguments = ("search", "-q", "q.fa", "-d", "a.fa", "--program", "blastp", "--engine", "reference")
    refused = typed(*arguments)
    assert (refused.status, "or say with --type what the query is" in refused.err) == (2, True)
    assert typed(*arguments, "--type", "protein").status == 0


def test_a_database_of_protein_is_none_of_bases(folder, typed):
    ended = typed(*SEARCH, "--program", "tblastn", "--engine", "reference")
    assert (ended.status, "the database protein" in ended.err) == (2, True)
