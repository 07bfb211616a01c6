"""Organisms of all headers read together equal those of each header read by itself."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swgui.core.headers import organism_named, parse_header
from swgui.core.organisms import scan
from swgui.core.organisms.scan import scan_organisms
from swgui.core.organisms.subjects import UNKNOWN, describe_organisms, grouped
from swgui.core.texts import TextColumn
from tests.conftest import real_data

IDS = ["sp|P02649|APOE_HUMAN", "UniRef90_P02649", "NP_000032.1", "mine", "1ABC_A", "", "gi|1|ref|NP_000032.1|"]
DESCRIPTIONS = [
    "Apolipoprotein E OS=Homo sapiens OX=9606 GN=APOE PE=1 SV=1",
    "Protein (a=b) OS=Salmonella typhimurium (strain LT2 / SGSC1412) OX=99287",
    "OS=Mus musculus",
    "no field but GN=abc and length=30 OS=mine",
    "a virus OS=uncultured virus OX=340016 PE=4 SV=1",
    "Cluster n=12 Tax=Homo sapiens TaxID=9606 RepID=APOE_HUMAN",
    "globin [Physeter catodon]",
    "synthase [NADPH] [[Candida] albicans]",
    "odd [brackets]",
    "[Homo sapiens]",
    "capsid [Influenza A virus (A/Goose/1(H5N1))]  ",
    "MULTISPECIES: ribosomal protein [Bacteria]\x01NP_1.1 other [Homo sapiens]",
    "first\x01second [Homo sapiens] OS=Homo sapiens OX=9606",
    "größe [Bacillus sp. 1NLA3E]",
    "",
    " ",
]


def scanned(headers):
    found = scan_organisms(*(TextColumn.from_texts(texts) for texts in zip(*headers, strict=True)))
    return [(found.organism(at).name, found.organism(at).taxid) for at in range(len(headers))]


@given(st.lists(st.tuples(st.sampled_from(IDS), st.sampled_from(DESCRIPTIONS)), min_size=1, max_size=30))
def test_headers_read_together_name_the_same_organisms(headers):
    names = [parse_header(*header).organism for header in headers]
    assert [name for name, _ in scanned(headers)] == names


@pytest.mark.parametrize("header", [(one, other) for one in IDS for other in DESCRIPTIONS])
def test_a_header_by_itself(header):
    said = parse_header(*header)
    assert scanned([header]) == [(said.organism, int(said.taxid or 0))]


def test_blocks_have_no_seams(monkeypatch):
    headers = [(IDS[at % 7], DESCRIPTIONS[at % len(DESCRIPTIONS)]) for at in range(119)]
    whole = scanned(headers)
    monkeypatch.setattr(scan, "BLOCK", 100)
    assert scanned(headers) == whole
    assert len(set(whole)) > 5


@pytest.mark.parametrize(
    ("description", "organism"),
    [
        ("globin [Physeter catodon]", ("Physeter catodon", "")),
        ("x OS=Homo sapiens (Human) OX=9606 GN=y", ("Homo sapiens (Human)", "9606")),
        ("length=3000 OS=mine", ("", "")),
        ("with [brackets]", ("", "")),
        ("oxidase [NAD+]", ("", "")),
        ("a [Homo sapiens] b", ("", "")),
    ],
)
def test_headers_of_no_known_layout_name_only_what_is_certain(description, organism):
    assert organism_named(description)[:2] == organism
    header = parse_header("mine", description)
    assert (header.organism, header.taxid, header.title) == (*organism, description)


def test_one_organism_for_every_taxid():
    texts = ["a OS=Homo sapiens OX=9606", "b OS=Homo sapiens (Human) OX=9606", "c OS=Homo sapiens", "d OS=Mus musculus"]
    column = TextColumn.from_texts(texts)
    found = scan_organisms(TextColumn.from_texts(["x"] * 4), column)
    assert found.of[0] == found.of[1] == found.of[2] != found.of[3]
    assert [found.names[at] for at in found.by_count()] == ["Homo sapiens", "Mus musculus"]
    assert found.counts.tolist() == [3, 1]


def test_no_subjects_and_no_names():
    empty = TextColumn.from_texts([])
    assert scan_organisms(empty, empty).by_count() == []
    nameless = scan_organisms(TextColumn.from_texts(["a", "b"]), TextColumn.from_texts(["", "text"]))
    assert nameless.of.tolist() == [UNKNOWN, UNKNOWN]
    assert nameless.by_count() == []


def test_a_taxid_without_a_name_is_an_organism_too():
    import numpy as np

    found = grouped(np.array([UNKNOWN, UNKNOWN, 0]), ("Mus musculus",), np.array([9606, 0, 10090], dtype=np.int32))
    assert found.organism(0).taxid == 9606
    assert found.of[1] == UNKNOWN
    assert found.organism(2).name == "Mus musculus"


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "organisms", "fewest"), [("swissprot_16species", 14, 16), ("uniprot_16proteomes", 16, 2658)]
)
def test_real_headers(name, organisms, fewest):
    with gzip.open(real_data() / "proteins" / f"{name}.fasta.gz", "rt") as file:
        headers = [line[1:].rstrip("\n").partition(" ")[::2] for line in file if line.startswith(">")]
    found = scan_organisms(*(TextColumn.from_texts(texts) for texts in zip(*headers, strict=True)))
    assert len(found.by_count()) == organisms
    assert int(found.counts.min()) == fewest
    assert int(found.counts.sum()) == len(headers)
    for at in range(0, len(headers), 7):
        said = parse_header(*headers[at])
        assert (found.organism(at).name, found.organism(at).taxid) == (said.organism, int(said.taxid))


def test_organisms_are_described_without_a_tree():
    headers = [("a", "globin [Homo sapiens]"), ("b", "globin [Mus musculus]"), ("c", "nothing said")]
    found = scan_organisms(*(TextColumn.from_texts(texts) for texts in zip(*headers, strict=True)))
    assert describe_organisms(found) == "2 organisms, known of 2 of 3 subjects"
