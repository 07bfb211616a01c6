"""The command that the Search page copies does the same search, and the methods text describes it, for every kind."""

from __future__ import annotations

import random
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

import swgui
from swgui.cli import main
from swgui.core.alphabet import PROTEIN
from swgui.core.plain import replace
from swgui.core.query_range import QueryRange
from swgui.core.translation.genetic_codes import BASES, genetic_code
from swgui.gui.kit.tables.row_table import Role
from swgui.gui.search.page import SearchPage
from swgui.io.database.structures import build_from_structures
from swgui.io.matrices import load_matrix
from swgui.io.methods.searches import paragraph, references
from swgui.io.saved.search import load_search
from swgui.settings import SearchSettings
from tests.asking import answer

TRP_CAGE = Path(__file__).parents[2] / "data" / "structures" / "1l2y.pdb"
GLOBIN = "MVLSPADKTNVKAAWGKVGAHAGEYGAEALERMFLSFPTTKTYFPHFDLSHGSAQVKGHG"
CODONS = {
    residue: codon
    for codon, residue in zip(map("".join, product(BASES, repeat=3)), genetic_code(1).residues, strict=True)
}
GENE = "".join(CODONS[residue] for residue in GLOBIN)
OTHER_STRAND = str.maketrans("ACGT", "TGCA")


def _matrix_file(folder: Path) -> str:
    """Write BLOSUM50 under another name."""
    matrix = load_matrix("BLOSUM50", PROTEIN)
    letters = PROTEIN.letters[:20]
    rows = [f"{a} " + " ".join(str(matrix.scores[PROTEIN.code(a), PROTEIN.code(b)]) for b in letters) for a in letters]
    (folder / "mine.txt").write_text("\n".join(["  " + " ".join(letters), *rows]) + "\n")
    return str(folder / "mine.txt")


@dataclass(frozen=True)
class Case:
    """A kind of search: its files, what is set on the page, and what the methods text must say and cite."""

    query: str
    database: str
    says: tuple[str, ...]
    cites: tuple[str, ...] = ()
    settings: dict[str, object] = field(default_factory=dict)  # of the page
    scoring: dict[str, object] = field(default_factory=dict)  # of the kind of sequence
    search: dict[str, object] = field(default_factory=dict)  # what else differs from the defaults
    does: Callable[[SearchPage], None] = lambda _page: None


CASES = {
    "protein": Case("protein", "proteins", ("1 protein query", "gap costs of 11 + 1"),
                    ("Henikoff1992", "Schaffer2001")),
    "no correction": Case("protein", "proteins", ("E ≤ 3 were kept",), (),
                          search={"composition": "none", "limits": {"max_evalue": 3.0}}),
    "own matrix": Case("protein", "proteins", ("scores mine", "gap costs of 12 + 2"),
                       scoring={"matrix": "mine", "gap_open": 12, "gap_extend": 2}),
    "first residue": Case("protein", "proteins", ("gap costs of 10 + 2",),
                          scoring={"gap_open": 12, "gap_extend": 2, "rule": "first"}),
    "part": Case("protein", "proteins", ("residues 5-50 of each",),
                 does=lambda page: page.query.part.choose(QueryRange(5, 50))),
    "organisms": Case("protein", "proteins", ("Homo sapiens",),
                      does=lambda page: page.database.organisms.only.setText("Homo sapiens")),
    "both strands": Case("dna", "dna", ("Both strands of the queries were searched.",)),
    "minus strand": Case("dna", "dna", ("Only the minus strand",), search={"strand": "minus"}),
    "blastx": Case("dna", "proteins", ("all six frames were translated, of the queries", "code 11 (blastx)"),
                   settings={"translation": {"query_code": 11}}),
    "frameshifts": Case("read", "proteins", ("at a cost of 15 each time",), ("GuanUberbacher1996", "Zhang1997"),
                        settings={"translation": {"shift": 15}}),
    "tblastn": Case("protein", "dna", ("of the database by NCBI's genetic code 1 (tblastn)", "of less than 12 codons"),
                    settings={"translation": {"min_orf": 12}}),
    "tblastx": Case("dna", "dna", ("(tblastx)",), settings={"program": "tblastx"}),
    "rounds": Case("protein", "proteins",
                   ("in rounds, the first with the scores BLOSUM62", "with a profile", "with E ≤ 0.01, at most 600",
                    "weight of 20", "2 rounds were done (converged, no new sequences)", "included 1 sequence"),
                   ("Altschul1997", "Henikoff1994", "WoottonFederhen1993", "Lupas1991"),
                   search={"iteration": {"rounds": 3, "preset": "careful"}}),
    "two tracks": Case("structure", "structures", ("1 protein query", "the symbols 3Di", "those of symbols times 1"),
                       ("vanKempen2024",)),
}  # fmt: skip


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return queries and databases by name."""
    folder, draw = tmp_path_factory.mktemp("copied"), random.Random(7)
    proteins = {
        "ALPHA": f"{GLOBIN} OS=Homo sapiens OX=9606".split(" ", 1),
        "NEAR": [GLOBIN.replace("KTNVKAAW", "KANIKATW"), "OS=Mus musculus OX=10090"],
        **{f"P{i}": ["".join(draw.choices(PROTEIN.letters[:20], k=80)), "OS=Homo sapiens OX=9606"] for i in range(30)},
    }
    strands = ["".join(draw.choices("ACGT", k=400)) for _ in range(8)]
    strands[2] += GENE
    strands[5] += GENE.translate(OTHER_STRAND)[::-1]
    texts = {
        "protein": f">q of the test\n{GLOBIN}\n",
        "dna query": f">gene\n{GENE}\n",
        "read": f">read\n{GENE[:80]}{GENE[81:]}\n",
        "proteins": "".join(f">{name} {said}\n{residues}\n" for name, (residues, said) in proteins.items()),
        "dna": "".join(f">n{number}\n{bases}\n" for number, bases in enumerate(strands)),
    }
    paths = {name: folder / f"{name}.fasta" for name in texts}
    for name, text in texts.items():
        paths[name].write_text(text)
    build_from_structures([TRP_CAGE], folder / "models.swdb")
    _matrix_file(folder)
    return {**paths, "structure": TRP_CAGE, "structures": folder / "models.swdb", "matrix": folder / "mine.txt"}


@pytest.fixture
def described(page, qtbot, files):
    """Return a function that describes the search of a case on the page."""

    def describe(case: Case) -> SearchPage:
        chosen: SearchSettings = page.settings.search
        for name, value in case.settings.items():
            setattr(chosen, name, value)
        page.query.open_file(files[{"dna": "dna query"}.get(case.query, case.query)])
        page.database.open(files[case.database])
        qtbot.waitUntil(lambda: page.ready)
        values = {name: str(files["matrix"]) if value == "mine" else value for name, value in case.scoring.items()}
        for name, value in {**values, "search": case.search or page.scoring.values.search}.items():
            setattr(page.scoring.values, name, value)
        page.scoring.fill()
        case.does(page)
        qtbot.waitUntil(lambda: page.ready)
        return page

    return describe


def searched(page: SearchPage):
    return answer(page.request())


def hits_of(result):
    return [
        (query.query.id, result.database.ids[at], score, round(evalue, 9))
        for query in result.queries
        for at, score, evalue in zip(
            *(column.tolist() for column in (query.hits.db_index, query.hits.scores, query.hits.log10_evalues)),
            strict=True,
        )
    ]


@pytest.mark.usefixtures("user_folders")
@pytest.mark.parametrize("name", CASES)
@pytest.mark.sampled(4)
def test_every_kind_of_search_is_repeated_and_told(name, described, tmp_path):
    case = CASES[name]
    page = described(case)
    result = searched(page)
    expected = hits_of(result)
    assert expected
    saved = tmp_path / "found.swgui"
    assert main([*shlex.split(page.command_line())[1:], "--out", str(tmp_path / "hits.tsv"), "--save", str(saved)]) == 0
    again = load_search(saved).result
    assert hits_of(again) == expected
    names: dict[str, swgui.Hits] = {}
    exec(page.python_call(), names)
    assert hits_of(names["found"].result) == expected
    swgui.close()
    for told in (result, again):  # also of a result that was saved
        text = paragraph(told)
        assert [words for words in case.says if words not in text] == []
        assert {*case.cites} <= {reference.key for reference in references(told)}
        for reference in references(told)[1:]:
            assert reference.short in text
    main(["show", str(saved), "--format", "html", "--out", str(tmp_path / "report.html")])
    assert paragraph(again)[:60] in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.usefixtures("user_folders")
def test_some_sequences_of_a_file_are_not_copied_as_all_of_it(described, files, qtbot):
    page = described(replace(CASES["protein"], query="dna", database="dna"))
    page.query.open_file(files["dna"])
    qtbot.waitUntil(lambda: page.ready and len(page.query.records) == 8)
    assert str(files["dna"]) in page.command_line().split(" -d ")[0]
    page.query.table.setData(page.query.table.index(1, 0), Qt.CheckState.Unchecked, Role.CheckStateRole)
    assert page.command_line().startswith("swgui search -q queries.fasta -d ")


@pytest.mark.usefixtures("user_folders")
def test_rounds_come_back_with_whom_they_include(described, qtbot):
    page = described(CASES["rounds"])
    result = searched(page)
    page.choose_job("relatives")
    page.scoring.values.gap_open = 9
    page.scoring.fill()
    assert page.take_result(result) == ()
    qtbot.waitUntil(lambda: page.ready)
    request = page.request()
    assert request.search.iteration == result.asked.iteration
    assert (request.scheme.matrix.name, request.scheme.gap_open) == ("BLOSUM62", 11)
    of_another = replace(result.queries[0], rounds=replace(result.queries[0].rounds, database="others"))
    assert "built from 'others'" in " ".join(page.take_result(replace(result, queries=(of_another,))))


@pytest.mark.usefixtures("user_folders")
@pytest.mark.parametrize("name", CASES)
@pytest.mark.sampled(4)
def test_every_kind_of_search_comes_back_to_the_page(name, described, qtbot):
    page = described(CASES[name])
    before = page.request()
    result = searched(page)
    page.scoring.use_preset("")
    page.choose_job("relatives")
    page.query.set_text(">other\nMKVLAWMKVLAW\n")
    qtbot.waitUntil(lambda: not page.query.busy)
    remarks = page.take_result(result)
    qtbot.waitUntil(lambda: page.ready and not page.query.busy)
    if name == "own matrix":  # its file is not known to the result
        assert "choose its file" in remarks[0]
        return
    assert remarks == ()
    again = page.request()
    assert again.search == before.search
    assert again.queries == before.queries  # with their letters
