"""Entries by their accession: found by every name they have, and near names where there is none."""

import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.entries.lookup import (
    UnknownAccession,
    accessions_in,
    find_entries,
    find_entry,
    find_gene,
    gene_in,
    near_names,
)
from swgui.core.records import SequenceRecord

IDS = (
    ("sp|P69905|HBA_HUMAN", "Hemoglobin subunit alpha"),
    ("NP_000549.1", "hemoglobin subunit alpha [Homo sapiens]"),
    ("P02649", "APOE_HUMAN Apolipoprotein E"),
    ("sp|P69906|OTHER_HUMAN", "like P69905"),
    ("np_000549", "written small"),
)
DATABASE = encode_database([SequenceRecord(*names, b"MKV") for names in IDS], PROTEIN, "made")
SECOND = encode_database([SequenceRecord("Q9XYZ1", "", b"WWW"), SequenceRecord("P02649", "", b"AA")], PROTEIN, "two")
GENES = encode_database(
    [
        SequenceRecord("sp|P00330|ADH1_YEAST", "Dehydrogenase OS=Saccharomyces cerevisiae OX=1 GN=ADH1 PE=1", b"MK"),
        SequenceRecord("tr|Q00330|Q00330_YEAST", "Fragment OS=Saccharomyces cerevisiae OX=1 GN=ADH1 PE=4", b"MKV"),
        SequenceRecord("sp|P0A7G6|RECA_ECOLI", "RecA OS=Escherichia coli (strain K12) OX=83333 GN=recA PE=1", b"MA"),
        SequenceRecord("sp|P00331|ADH2_YEAST", "like ADH1 OS=Saccharomyces cerevisiae OX=1 GN=ADH2 PE=1", b"MI"),
    ],
    PROTEIN,
    "genes",
)


@pytest.mark.parametrize(
    ("accession", "at"),
    [
        ("P69905", 0), ("HBA_HUMAN", 0), ("sp|P69905|HBA_HUMAN", 0), ("hba_human", 0), ("NP_000549.1", 1),
        ("NP_000549", 4), ("APOE_HUMAN", 2), ("P02649", 2), ("P69906", 3),
    ],
)  # fmt: skip
def test_an_entry_is_found_by_each_of_its_names(accession, at):
    assert find_entry(DATABASE, accession) == at


@pytest.mark.parametrize("accession", ["P6990", "HUMAN", "NP_000549.2", "hemoglobin", "P69907"])
def test_part_of_a_name_is_none(accession):
    assert find_entry(DATABASE, accession) is None


def test_entries_come_from_the_first_database_that_has_them():
    found = find_entries([DATABASE, SECOND], ["Q9XYZ1", "P02649"])
    assert [(entry.record.id, entry.where, entry.record.residues) for entry in found] == [
        ("Q9XYZ1", "two", b"WWW"), ("P02649", "made", b"MKV"),
    ]  # fmt: skip


def test_what_is_missing_is_named_with_what_is_near():
    with pytest.raises(UnknownAccession) as told:
        find_entries([DATABASE, SECOND], ["P69907", "P02649", "XX9"])
    assert told.value.accessions == ("P69907", "XX9")
    assert told.value.message == "There is no entry 'P69907', 'XX9' in 'made', 'two'."
    assert told.value.hint.startswith("Near P69907 there are P69905, P69906")
    assert near_names(DATABASE, "P69907")[:2] == ["P69905", "P69906"]
    assert near_names(DATABASE, "XYZ123") == []
    with pytest.raises(UnknownAccession, match="in any database"):
        find_entries([], ["P69905"])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("P69905", ("P69905",)),
        ("  P69905, NP_000549.1;\nHBA1_HUMAN P69905\n", ("P69905", "NP_000549.1", "HBA1_HUMAN")),
        ("sp|P69905|HBA_HUMAN", ("sp|P69905|HBA_HUMAN",)),
        ("4hhb_A", ("4hhb_A",)),
        ("https://www.uniprot.org/uniprotkb/P69905/entry#function", ("P69905",)),
        (
            "https://rest.uniprot.org/uniprotkb/P02649-2.fasta www.uniprot.org/uniprot/HBA_HUMAN",
            ("P02649-2", "HBA_HUMAN"),
        ),
        ("https://alphafold.ebi.ac.uk/entry/AF-P69905-F1", ("P69905",)),
        ("https://alphafold.ebi.ac.uk/entry/P69905", ("P69905",)),
        ("https://alphafold.ebi.ac.uk/files/AF-P69905-F1-model_v6.cif", ("P69905",)),
        ("https://www.rcsb.org/structure/4HHB, https://www.ebi.ac.uk/pdbe/entry/pdb/1tim", ("4HHB", "1tim")),
        ("https://files.rcsb.org/download/4hhb.cif.gz", ("4hhb",)),
        ("https://www.ncbi.nlm.nih.gov/protein/NP_000549.1?report=fasta", ("NP_000549.1",)),
        ("https://www.uniprot.org/help/about", ()),
        ("https://example.org/uniprotkb/P69905", ()),
        ("MKVLAW", ()),
        ("ACGTACGT", ()),
        ("1 acgtacgt 11 acgt", ()),
        (">P69905\nMKV", ()),
        ("P69905 MKVLAW", ()),
        ("12345", ()),
        ("", ()),
    ],
)
def test_a_text_of_nothing_but_accessions(text, found):
    assert accessions_in(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ADH1 yeast", ["sp|P00330|ADH1_YEAST"]),
        ("adh1 Saccharomyces cerevisiae", ["sp|P00330|ADH1_YEAST"]),
        ("recA of E. coli", ["sp|P0A7G6|RECA_ECOLI"]),
        ("recA, Escherichia", ["sp|P0A7G6|RECA_ECOLI"]),
        ("ADH1 human", []),
        ("recA of B. coli", []),
    ],
)
def test_gene_and_organism_name_an_entry(text, found):
    named = gene_in(text)
    assert named is not None
    assert [entry.record.id for entry in find_gene([DATABASE, GENES], *named)] == found


@pytest.mark.parametrize("text", ["ADH1", "MKVLW AALLV 12", "one\ntwo yeast", ">ADH1 yeast", "ADH1 of"])
def test_other_texts_name_no_gene(text):
    assert gene_in(text) is None
