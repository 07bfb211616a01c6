"""Headers are split only where their layout is known."""

import random

import pytest

from swgui.core.headers import FIELD, Header, fields_of, parse_header


def test_uniprot_swissprot():
    header = parse_header("sp|P02649|APOE_HUMAN", "Apolipoprotein E OS=Homo sapiens OX=9606 GN=APOE PE=1 SV=1")
    assert header == Header("P02649", "APOE_HUMAN", "Apolipoprotein E", "Homo sapiens", "APOE", "9606", "UniProtKB")
    assert header.links[0].url == "https://www.uniprot.org/uniprotkb/P02649/entry"


def test_uniprot_organism_with_brackets_and_no_gene():
    header = parse_header(
        "tr|A0A024R161|A0A024R161_HUMAN",
        "Protein (Fragment) OS=Salmonella typhimurium (strain LT2 / SGSC1412 / ATCC 700720) OX=99287 PE=3 SV=1",
    )
    assert header.accession == "A0A024R161"
    assert header.organism == "Salmonella typhimurium (strain LT2 / SGSC1412 / ATCC 700720)"
    assert (header.gene, header.taxid, header.title) == ("", "99287", "Protein (Fragment)")


@pytest.mark.parametrize("name", ["LST1-10_HUMAN", "LST1.2_HUMAN", "A/B_HUMAN", "LST1_HUMAN/1-60"])
def test_uniprot_names_with_unusual_signs(name):
    header = parse_header(f"sp|O00453-10|{name}", "Isoform 10 of protein OS=Homo sapiens OX=9606 GN=LST1")
    assert header == Header("O00453-10", name, "Isoform 10 of protein", "Homo sapiens", "LST1", "9606", "UniProtKB")


@pytest.mark.parametrize(
    "record_id", ["sp|CON_P00761|TRYP_PIG", "rev_sp|P02649|APOE_HUMAN", "P02649", "sp|Q6ZS81_VAR_1|X"]
)
def test_the_gene_is_read_beside_an_organism_whatever_the_identifier(record_id):
    header = parse_header(record_id, "Protein OS=Homo sapiens OX=9606 GN=APOE PE=1 SV=1")
    assert (header.gene, header.organism, header.taxid) == ("APOE", "Homo sapiens", "9606")
    assert parse_header(record_id, "Protein OS=mine GN=APOE").gene == ""


def test_uniref():
    header = parse_header("UniRef90_P02649", "Apolipoprotein E n=12 Tax=Homo sapiens TaxID=9606 RepID=APOE_HUMAN")
    assert header == Header(
        "UniRef90_P02649", "APOE_HUMAN", "Apolipoprotein E", "Homo sapiens", taxid="9606", source="UniRef"
    )


@pytest.mark.parametrize(
    ("record_id", "description", "accession", "name", "title", "organism"),
    [
        ("NP_000032.1", "apolipoprotein E isoform b [Homo sapiens]", "NP_000032.1", "NP_000032.1",
         "apolipoprotein E isoform b", "Homo sapiens"),
        ("gi|4557325|ref|NP_000032.1|", "apolipoprotein E [Homo sapiens]", "NP_000032.1", "NP_000032.1",
         "apolipoprotein E", "Homo sapiens"),
        ("gi|124460|sp|P05013.1|IFNA6_HUMAN", "RecName: Full=Interferon alpha-6; AltName: Full=Interferon alpha-K",
         "P05013.1", "IFNA6_HUMAN", "Interferon alpha-6", ""),
        ("WP_003131952.1", "MULTISPECIES: 30S ribosomal protein S18 [Bacteria]\x01NP_1.1 other [Other]",
         "WP_003131952.1", "WP_003131952.1", "MULTISPECIES: 30S ribosomal protein S18", "Bacteria"),
        ("AAA51751.1", "synthase [NADPH] [[Candida] albicans]", "AAA51751.1", "AAA51751.1",
         "synthase [NADPH]", "[Candida] albicans"),
        ("NC_012920.1", "Homo sapiens mitochondrion, complete genome", "NC_012920.1", "NC_012920.1",
         "Homo sapiens mitochondrion, complete genome", ""),
    ],
)  # fmt: skip
def test_ncbi(record_id, description, accession, name, title, organism):
    header = parse_header(record_id, description)
    assert (header.accession, header.name, header.title, header.organism) == (accession, name, title, organism)
    assert header.source == "NCBI"


def test_ensembl_and_pdb():
    ensembl = parse_header(
        "ENSP00000252486.4",
        "pep chromosome:GRCh38:19:1:2:1 gene:ENSG00000130203.10 gene_symbol:APOE "
        "description:apolipoprotein E [Source:HGNC Symbol;Acc:HGNC:613]",
    )
    assert (ensembl.accession, ensembl.gene, ensembl.title) == ("ENSP00000252486", "APOE", "apolipoprotein E")
    pdb = parse_header("4hhb_A", "mol:protein length:141  HEMOGLOBIN (DEOXY) (ALPHA CHAIN)")
    assert (pdb.accession, pdb.name, pdb.title) == ("4HHB", "4HHB chain A", "HEMOGLOBIN (DEOXY) (ALPHA CHAIN)")


@pytest.mark.parametrize(
    ("record_id", "description"),
    [
        ("contig_12", "length=3000 OS=mine"),
        ("my|odd|id", "with [brackets]"),
        ("seq_1", ""),
        ("1abc_A", "not a PDB line"),
        ("sp|notanaccession|X", "text GN=x"),
        ("", "only text"),
    ],
)
def test_unknown_headers_stay_as_they_are(record_id, description):
    assert parse_header(record_id, description) == Header(record_id, record_id, description)


def test_fields_are_those_of_the_expression_in_odd_headers_too():
    chance = random.Random(5)
    parts = ("OS", "=", "OX", " ", "GN", "x", "PE=", "SV", " OS=", " OX=", "  ", "=")
    for _ in range(20_000):
        text = "".join(chance.choice(parts) for _ in range(chance.randrange(10)))
        title, *found = FIELD.split(text)
        values = dict(zip(found[-2::-2], map(str.strip, found[::-2]), strict=True))  # of several the first counts
        assert fields_of(text) == (title.strip(), values), text
