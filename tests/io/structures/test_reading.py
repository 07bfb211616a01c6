"""PDB and mmCIF files to chains: what is read, what is refused, and that 3Di symbols are Foldseek's."""

from __future__ import annotations

import gzip
from pathlib import Path

import gemmi
import numpy as np
import pytest

from swgui.core.errors import SequenceError
from swgui.io.structures.naming import Choice, chosen, is_archive_name, is_structure_name, stem
from swgui.io.structures.reading import StructureFile, read_structure

TRP_CAGE = Path(__file__).parents[2] / "data" / "structures" / "1l2y.pdb"
# By `foldseek createdb` and `convert2fasta`, of the first model of 1L2Y.
TRP_CAGE_3DI = b"DQQVVCVVCPNVVNVDHGDD"
TEXT = TRP_CAGE.read_text("ascii")
ATOMS = [line for line in TEXT.splitlines() if line.startswith("ATOM")]


def pdb(lines: list[str]) -> bytes:
    return "\n".join([*lines, "END", ""]).encode()


def changed(line: str, start: int, text: str) -> str:
    return line[:start] + text + line[start + len(text) :]


def read(lines: list[str]) -> StructureFile:
    return read_structure(pdb(lines), "made.pdb")


def test_symbols_are_those_of_foldseek():
    (chain,) = read_structure(TRP_CAGE.read_bytes(), TRP_CAGE.name).chains
    assert chain.id == "1l2y"
    assert chain.residues == b"NLYIQWLKDGGPSSGRPPPS"
    assert chain.shape == TRP_CAGE_3DI
    assert chain.ca.shape == (20, 3)
    np.testing.assert_allclose(chain.ca[0], [-8.608, 3.135, -1.618], atol=1e-3)
    assert chain.plddt is None  # NMR, whatever the B-factors are
    assert chain.description == "NMR STRUCTURE OF TRP-CAGE MINIPROTEIN CONSTRUCT TC5B"


def test_mmcif_and_packed_files_say_the_same():
    cif = gemmi.read_pdb_string(TEXT).make_mmcif_document().as_string().encode()
    for data in (cif, gzip.compress(cif), gzip.compress(TRP_CAGE.read_bytes())):
        (chain,) = read_structure(data, "1l2y.cif").chains
        assert (chain.residues, chain.shape) == (b"NLYIQWLKDGGPSSGRPPPS", TRP_CAGE_3DI)


def test_modified_unknown_and_inserted_residues_are_kept():
    lines = [changed(line, 0, "HETATM") if line[17:20] == "LEU" else line for line in ATOMS]
    lines = [line.replace(" LEU ", " MSE ").replace(" TYR ", " QQQ ") for line in lines]
    lines = [changed(line, 22, "   3A") if line[22:27] == "   4 " else line for line in lines]
    (chain,) = read(lines).chains
    assert chain.residues == b"NMXIQWMKDGGPSSGRPPPS"
    assert chain.shape == TRP_CAGE_3DI


def test_the_alternate_location_with_the_highest_occupancy_counts():
    lines = []
    for line in ATOMS:
        if line[22:26] == "   5":
            lines.append(changed(changed(changed(line, 16, "A"), 54, "  0.40"), 30, "  99.000"))
            line = changed(changed(line, 16, "B"), 54, "  0.60")
        lines.append(line)
    (chain,) = read(lines).chains
    assert chain.residues == b"NLYIQWLKDGGPSSGRPPPS"
    assert chain.shape == TRP_CAGE_3DI
    np.testing.assert_allclose(chain.ca[4], [-4.122, -1.167, -2.743], atol=1e-3)


def test_a_model_of_ca_alone_has_residues_and_no_symbols():
    found = read([line for line in ATOMS if line[12:16] == " CA "])
    assert found.chains[0].residues == b"NLYIQWLKDGGPSSGRPPPS"
    assert found.chains[0].shape == b""
    assert "no N and C atoms" in found.remarks[0]


def test_residues_without_n_or_c_have_the_symbol_that_was_published():
    (chain,) = read([line for line in ATOMS if not (line[22:26] == "   9" and line[12:16] == " N  ")]).chains
    assert chain.shape[7:10] == b"DDD"
    assert chain.shape[:5] == TRP_CAGE_3DI[:5]


def read_chosen(given):
    choice = chosen(given)
    return read_structure(choice.path.read_bytes(), choice.path.name, choice.chain, choice.model)


def test_chains_and_models_are_chosen(tmp_path: Path):
    second = [changed(line, 21, "B") for line in ATOMS]
    path = tmp_path / "two.pdb"
    path.write_bytes(pdb(["MODEL        3", *ATOMS, "TER", *second, "ENDMDL", "MODEL        7", *ATOMS[:40], "ENDMDL"]))
    assert [chain.id for chain in read_chosen(path).chains] == ["two:A", "two:B"]
    assert [chain.id for chain in read_chosen(f"{path}:B").chains] == ["two:B"]
    (short,) = read_chosen(f"{path}:7/A").chains
    assert len(short) == 10
    with pytest.raises(SequenceError, match=r"no chain of protein 'C'.*It has A, B"):
        read_chosen(f"{path}:C")
    with pytest.raises(SequenceError, match=r"no model 2.*3 to 7"):
        read_chosen(f"{path}:2/")


def test_names_of_files():
    assert chosen("C:\\folder\\1tim.pdb") == Choice(Path("C:\\folder\\1tim.pdb"))
    assert chosen("1tim.cif.gz:AA") == Choice(Path("1tim.cif.gz"), "AA")
    assert chosen("sequences.fasta:A") == Choice(Path("sequences.fasta:A"))
    assert stem("folder/AF-P69905-F1-model_v4.cif.gz") == "AF-P69905-F1-model_v4"
    assert stem("my model.PDB") == "my_model"
    assert stem("ti/pdb1tim.ent.gz") == "1tim"
    assert is_structure_name("pdb1tim.ent.gz")
    assert is_structure_name("1tim.pdb1.gz")
    assert not is_structure_name("1tim.fasta")
    assert is_archive_name("UP000005640_9606_HUMAN_v4.tar")
    assert not is_archive_name("1tim.pdb.gz")


DNA = ["ATOM      1  P    DA A   1       1.000   2.000   3.000  1.00 10.00           P"]

CALCIUM = ["HETATM    1 CA    CA A   1       1.000   2.000   3.000  1.00 10.00          CA"]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (pdb(DNA), "has no chain of protein"),
        (
            pdb([line.replace(" CA ", "CA  ").replace("ASN", " CA") + "CA" for line in ATOMS[1:2]]),
            "no chain of protein",
        ),
        (b">a\nACD\n", "neither a PDB nor an mmCIF"),
        (b"", "neither a PDB nor an mmCIF"),
        (b"data_x\nloop_\n_atom_site.id\n_atom_site.Cartn_x\n1 2 3\n", "cannot be read as a structure"),
        (gzip.compress(TRP_CAGE.read_bytes())[:-300], "damaged or truncated"),
        (b"data_empty\n_entry.id x\n", "has no chain of protein"),
    ],
    ids=["DNA", "calcium", "FASTA", "empty", "broken", "truncated", "no atoms"],
)
def test_what_is_no_structure_of_a_protein_is_refused_in_a_sentence(data: bytes, sentence: str):
    with pytest.raises(SequenceError, match=sentence):
        read_structure(data, "bad.pdb")


def with_b(values: dict[int, float], lines: list[str]) -> list[str]:
    return [changed(line, 60, f"{values[int(line[22:26])]:6.2f}") for line in lines]


def test_confidence_is_read_of_predicted_models_alone():
    values = {number: 40.0 + number for number in range(1, 21)}
    title = "TITLE     ALPHAFOLD MONOMER V2.0 PREDICTION FOR TRP-CAGE"
    (model,) = read([title, *with_b(values, ATOMS)]).chains
    assert model.plddt is not None
    np.testing.assert_allclose(model.plddt, list(values.values()))
    assert model.masked(50) == b"X" * 9 + TRP_CAGE_3DI[9:]
    (unnamed,) = read(with_b(values, ATOMS)).chains  # B-factors of residues, not of atoms
    assert unnamed.plddt is not None
    (small,) = read(with_b({number: value / 100 for number, value in values.items()}, ATOMS)).chains
    assert small.plddt is not None
    assert small.plddt.max() == pytest.approx(60, abs=0.5)  # two decimals in the file
    (measured,) = read(["EXPDTA    X-RAY DIFFRACTION", *with_b(values, ATOMS)]).chains
    assert measured.plddt is None
    atoms = [changed(line, 60, f"{10 + at % 7:6.2f}") for at, line in enumerate(ATOMS)]
    assert read(atoms).chains[0].plddt is None


def test_mmcif_that_says_plddt_is_believed():
    structure = gemmi.read_pdb_string(pdb(with_b(dict.fromkeys(range(1, 21), 77.0), ATOMS)))
    document = structure.make_mmcif_document()
    document[0].init_loop("_ma_qa_metric.", ["id", "name"]).add_row(["1", "pLDDT"])
    document[0].set_pair("_ma_target_ref_db_details.organism_scientific", "'Homo sapiens'")
    document[0].set_pair("_ma_target_ref_db_details.ncbi_taxonomy_id", "9606")
    (chain,) = read_structure(document.as_string().encode(), "AF-P69905-F1-model_v4.cif").chains
    assert chain.plddt is not None
    assert set(chain.plddt.tolist()) == {77.0}
    assert chain.description.endswith("OS=Homo sapiens OX=9606")


def test_a_hundred_thousand_atoms_in_mmcif():
    tags = ("group_PDB", "id", "type_symbol", "label_atom_id", "label_alt_id", "label_comp_id", "label_asym_id")
    tags += ("label_entity_id", "label_seq_id", "Cartn_x", "Cartn_y", "Cartn_z", "auth_seq_id", "auth_asym_id")
    rows = []
    for chain in range(64):
        for at in range(1600):
            name = ("N", "CA", "C", "O")[at % 4]
            place = f"{at * 1.2:.2f} {at % 17} {at % 23 + chain}"
            rows.append(f"ATOM {len(rows)} {name[0]} {name} . ALA C{chain} 1 {at // 4} {place} {at // 4} C{chain}")
    assert len(rows) > 100_000
    text = "\n".join(["data_large", "loop_", *(f"_atom_site.{tag}" for tag in tags), *rows, ""])
    found = read_structure(text.encode(), "large.cif", "C61")
    assert found.chains[0].id == "large:C61"
    assert found.chains[0].residues == b"A" * 400
    assert len(found.chains[0].shape) == 400
