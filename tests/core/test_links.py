"""Identifiers lead to the pages of their databases by their form alone."""

import pytest

from swgui.core.links import links

UNIPROT = ["UniProt", "InterPro", "AlphaFold DB", "PDB structures", "NCBI Protein"]


@pytest.mark.parametrize(
    ("identifier", "names", "first"),
    [
        ("sp|P69905|HBA_HUMAN", UNIPROT, "https://www.uniprot.org/uniprotkb/P69905/entry"),
        ("tr|A0A024R161|A0A024R161_HUMAN", UNIPROT, "https://www.uniprot.org/uniprotkb/A0A024R161/entry"),
        ("P02649-2", UNIPROT, "https://www.uniprot.org/uniprotkb/P02649-2/entry"),
        ("gi|124460|sp|P05013.1|IFNA6_HUMAN", UNIPROT, "https://www.uniprot.org/uniprotkb/P05013/entry"),
        ("AF-P69905-F1-model_v4", ["AlphaFold DB", "UniProt", "InterPro"],
         "https://alphafold.ebi.ac.uk/entry/P69905"),
        ("UniRef90_P02649", ["UniRef", "UniProt", "InterPro", "AlphaFold DB"],
         "https://www.uniprot.org/uniref/UniRef90_P02649"),
        ("UniRef50_UPI00000003E3", ["UniRef", "UniParc"], "https://www.uniprot.org/uniref/UniRef50_UPI00000003E3"),
        ("NP_000549.1", ["NCBI Protein", "Identical proteins"], "https://www.ncbi.nlm.nih.gov/protein/NP_000549.1"),
        ("gi|4557325|ref|NP_000032.1|", ["NCBI Protein", "Identical proteins"],
         "https://www.ncbi.nlm.nih.gov/protein/NP_000032.1"),
        ("NM_000558.5", ["NCBI Nucleotide"], "https://www.ncbi.nlm.nih.gov/nuccore/NM_000558.5"),
        ("NC_000913.3", ["NCBI Nucleotide"], "https://www.ncbi.nlm.nih.gov/nuccore/NC_000913.3"),
        ("AAA51751.1", ["NCBI Protein", "ENA"], "https://www.ncbi.nlm.nih.gov/protein/AAA51751.1"),
        ("gb|U00096.3|", ["NCBI Nucleotide", "ENA"], "https://www.ncbi.nlm.nih.gov/nuccore/U00096.3"),
        ("ENSP00000252486.4", ["Ensembl"], "https://www.ensembl.org/id/ENSP00000252486"),
        ("4hhb_A", ["PDB", "PDBe"], "https://www.rcsb.org/structure/4HHB"),
        ("pdb|1ABC|A", ["PDB", "PDBe"], "https://www.rcsb.org/structure/1ABC"),
        ("1tim:A", ["PDB", "PDBe"], "https://www.rcsb.org/structure/1TIM"),
        ("pdb1tim:B", ["PDB", "PDBe"], "https://www.rcsb.org/structure/1TIM"),
        ("8xyz-assembly1:A-2", ["PDB", "PDBe"], "https://www.rcsb.org/structure/8XYZ"),
        ("d1asha_", ["PDB", "PDBe"], "https://www.rcsb.org/structure/1ASH"),
        ("AF-P69905-F1-model_v4:A", ["AlphaFold DB", "UniProt", "InterPro"],
         "https://alphafold.ebi.ac.uk/entry/P69905"),
    ],
)  # fmt: skip
def test_an_identifier_leads_to_its_pages(identifier, names, first):
    found = links(identifier)
    assert [link.name for link in found] == names
    assert found[0].url == first


def test_pages_of_an_isoform_are_those_of_its_entry():
    urls = {link.name: link.url for link in links("P02649-2")}
    assert urls["AlphaFold DB"] == "https://alphafold.ebi.ac.uk/entry/P02649"
    assert urls["InterPro"] == "https://www.ebi.ac.uk/interpro/protein/UniProt/P02649/"


@pytest.mark.parametrize(
    "identifier",
    ["", "contig_12", "my|odd|id", "seq_1", "sp|notanaccession|X", "1234_A", "query", "P69905 x", "p69905", "A1", "é"],
)
def test_what_has_no_known_form_leads_nowhere(identifier):
    assert links(identifier) == ()
