"""BLAST databases, read without BLAST: what blastdbcmd says of each entry, and clear sentences about bad files."""

import gzip
import os
import shutil
import struct
import subprocess
import threading
from contextlib import suppress
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.errors import DatabaseError, Stopped
from swgui.core.organisms.limit import limit_of
from swgui.core.several.part import restricted
from swgui.io.database.build import build_database, update_database
from swgui.io.database.file import database_facts
from swgui.io.database.library import open_any_database
from swgui.io.imported.blast import find_blast_database
from swgui.io.imported.blast_volume import Volume
from swgui.io.imported.deflines import JOINED
from swgui.io.imported.finding import sources_of
from swgui.io.imported.opening import open_source
from swgui.io.organism_files import OrganismFiles
from swgui.io.sequences.reader import SequenceReader
from swgui.paths import resources_dir
from tests.core.organisms.made import write_dump

MADE = Path(__file__).parent / "made"
PROTEINS = "".join(f">p{n} number {n}\n{'MKVLWAALLV' * (n % 9 + 1)}{'X*'[: n % 3]}\n" for n in range(300))
DNA = ">d1 first one\nACGTNNRYACGTACGTACGT\n>d2\nTTTTGGGGCCCC\n"

needs_blast = pytest.mark.skipif(
    not (shutil.which("blastdbcmd") and shutil.which("makeblastdb")), reason="NCBI BLAST+ is not installed"
)


def make(folder, text, kind, *more, name="db"):
    folder.mkdir(exist_ok=True)
    fasta = folder / f"{name}.fasta"
    fasta.write_text(text)
    command = ["makeblastdb", "-in", fasta.name, "-dbtype", kind, "-out", name, *more]
    subprocess.run(command, check=True, capture_output=True, cwd=folder)
    return fasta, folder / name


def read(path):
    with open_source(path) as source:
        return [(r.id, r.description, r.residues) for r in SequenceReader(source)]


def raw(path):
    """All entries as the source has them: (id, taxid, description, letters)."""
    entries = []
    with open_source(path) as source:
        for block in source.blocks():
            columns = ((block.ids, block.id_lengths), (block.descriptions, block.description_lengths),
                       (block.letters, block.lengths))  # fmt: skip
            texts = [np.split(np.frombuffer(text, np.uint8), np.cumsum(sizes)[:-1]) for text, sizes in columns]
            entries += [
                (name.tobytes(), int(taxid), title.tobytes(), letters.tobytes())
                for name, taxid, title, letters in zip(texts[0], block.taxids, *texts[1:], strict=True)
            ]
    return entries


def expected(listing, letters):
    """The same by what blastdbcmd prints: one line a defline, one line of letters an entry."""
    rows = [line.split(b"\t") for line in listing.splitlines()]
    entries = []
    for (_, group), residues in zip(groupby(rows, key=lambda row: row[0]), letters.splitlines(), strict=True):
        deflines = []
        for _, name, taxid, title in group:
            if name.startswith(b"BL_ORD_ID"):
                name, _, title = title.partition(b" ")
            deflines.append((name, int(taxid), title))
        rest = [JOINED + name + (b" " + title if title else b"") for name, _, title in deflines[1:]]
        entries.append((*deflines[0][:2], deflines[0][2] + b"".join(rest), residues))
    return entries


def asked(name, kind):
    """The report of the installed blastdbcmd on a database."""
    command = ["blastdbcmd", "-db", name.name, "-dbtype", kind, "-entry", "all"]
    listing, fasta = (
        subprocess.run([*command, *more], check=True, capture_output=True, cwd=name.parent).stdout
        for more in (["-outfmt", "%o\t%a\t%T\t%t"], ["-outfmt", "%f", "-line_length", "100000"])
    )
    return expected(listing, b"\n".join(line for line in fasta.splitlines() if not line.startswith(b">")))


@pytest.mark.parametrize("name", ["v4", "v5", "plain", "ids", "dna4", "dna5", "other"])
def test_every_entry_is_what_blastdbcmd_said_of_it(name):
    listing, letters = ((MADE / f"{name}.{ending}").read_bytes() for ending in ("tsv", "letters"))
    assert raw(MADE / name) == expected(listing, letters)


@needs_blast
@pytest.mark.parametrize("version", ["4", "5"])
@pytest.mark.parametrize(("text", "kind", "alphabet"), [(PROTEINS, "prot", PROTEIN), (DNA, "nucl", NUCLEOTIDE)])
def test_the_same_sequences_as_in_the_file_it_was_made_of(tmp_path, version, text, kind, alphabet):
    fasta, name = make(tmp_path / "мои данные", text, kind, "-blastdb_version", version)
    assert read(name) == read(fasta)
    built = build_database([name], tmp_path / "b.swdb", alphabet=alphabet)
    assert built.checksum == build_database([fasta], tmp_path / "f.swdb", alphabet=alphabet).checksum
    for ending in ("in", "sq", "hr"):  # any of its files will do
        assert read(name.with_name(f"{name.name}.{kind[0]}{ending}")) == read(fasta)


@needs_blast
@pytest.mark.parametrize("version", ["4", "5"])
def test_several_volumes_and_blocks(tmp_path, monkeypatch, version):
    rng = np.random.default_rng(3)
    letters = np.frombuffer(b"ACDEFGHIKLMNPQRSTVWYX", np.uint8)
    records = (rng.choice(letters, rng.integers(1, 900)).tobytes().decode() for _ in range(6000))
    text = "".join(f">gb|AAA{n:05}.{n % 3 + 1}| t{n} [Homo sapiens]\n{body}\n" for n, body in enumerate(records))
    more = ("-blastdb_version", version, "-parse_seqids", "-max_file_sz", "1000000B", "-taxid", "9606")
    _, name = make(tmp_path, text, "prot", *more)
    assert (tmp_path / "db.02.pin").exists()
    monkeypatch.setattr("swgui.io.imported.blast_source._BLOCK_SEQUENCES", 700)
    monkeypatch.setattr("swgui.io.imported.blast_source._BLOCK_BYTES", 1 << 16)
    assert raw(name) == asked(name, "prot")


@needs_blast
@pytest.mark.slow
@pytest.mark.parametrize("version", ["4", "5"])
def test_a_chromosome_with_the_newer_layout_of_ambiguities(tmp_path, version):
    body = np.random.default_rng(5).choice(np.frombuffer(b"ACGT", np.uint8), 17_000_000)
    for start, sign, count in ((100, b"N", 6000), (50_000, b"R", 1), (16_900_000, b"K", 17), (16_999_990, b"N", 10)):
        body[start : start + count] = sign[0]
    _, name = make(tmp_path, f">c\n{body.tobytes().decode()}\n>d\nACGN\n", "nucl", "-blastdb_version", version)
    assert [entry[3] for entry in raw(name)] == [body.tobytes(), b"ACGN"]


def test_both_layouts_of_ambiguities(tmp_path):
    """A made-up pair: 20 bases, a run of 3 N at 2 and 1 R at 10, once in each layout."""
    packed = bytes([0b00011011] * 5) + b"\0"
    old = struct.pack(">3I", 2, 0xF << 28 | 2 << 24 | 2, 0x5 << 28 | 10)
    new = struct.pack(">5I", 4 | 1 << 31, 0xF << 28 | 2 << 16, 2, 0x5 << 28, 10)
    starts = np.cumsum([1, len(packed) + len(old), len(packed) + len(new)])
    for ending in ("nhr", "nin", "nsq"):
        shutil.copy(MADE / f"dna4.{ending}", tmp_path / f"x.{ending}")
    data = bytearray((MADE / "dna4.nin").read_bytes())
    lists = len(data) - 4 * 3 * 7
    data[lists - 16 : lists - 12] = struct.pack(">I", 2)
    headers = np.frombuffer(data, ">u4", 3, lists)
    numbers = [*headers, *starts, *(starts[:2] + len(packed)), starts[2]]
    (tmp_path / "x.nin").write_bytes(data[:lists] + np.array(numbers, ">u4").tobytes())
    (tmp_path / "x.nsq").write_bytes(b"\0" + packed + old + packed + new)
    assert [letters for *_, letters in raw(tmp_path / "x")] == [b"ACNNNCGTACRTACGTACGT"] * 2


def aliased(folder, text, name="a"):
    for file in MADE.glob("*.p*"):
        shutil.copy(file, folder)
    (folder / f"{name}.pal").write_text(text)
    return folder / name


ALIASES = {
    "volumes come by name": "TITLE both\nDBLIST v5 other\n",
    "each volume once": "TITLE t\nDBLIST other v5 v5 other\n",
    "quoted": '# a remark\nTITLE t\nDBLIST "other" "v5"\n',
    "identifiers": "TITLE t\nDBLIST v5 other\nSEQIDLIST names.txt\n",
    "identifiers as bytes": "TITLE t\nDBLIST v5 other\nSEQIDLIST names.bsl\n",
    "taxids": "TITLE t\nDBLIST v5 other\nTAXIDLIST taxids.list\n",
    "numbers": "TITLE t\nDBLIST v5 other\nGILIST numbers.txt\n",
    "numbers as bytes": "TITLE t\nDBLIST v5 other\nGILIST numbers.gil\n",
    "marks": "TITLE t\nDBLIST v5\nOIDLIST marks.msk\n",
    "a stretch": "TITLE t\nDBLIST other v5\nFIRST_OID 2\nLAST_OID 7\n",
    "part of one, all of another": "TITLE t\nDBLIST part v5\n",
}


def binary_list(names, of=b""):
    """The output of 'blastdb_aliastool -seqid_file_in'."""
    made_for = struct.pack("<QB", 483, 3) + b"now" + struct.pack("<I", len(of)) + of if of else bytes(8)
    ids = b"".join(
        (bytes([len(name)]) if len(name) < 255 else b"\xff" + struct.pack("<I", len(name))) + name for name in names
    )
    rest = struct.pack("<QI", len(names), 2) + b"tt" + b"\x03now" + made_for + ids
    return b"\0" + struct.pack("<Q", len(rest) + 9) + rest


def lists(folder):
    (folder / "names.txt").write_text("P69905\nid2\nz2\nAAA99999.1\n")
    (folder / "names.bsl").write_bytes(binary_list([b"2XYZ_B", b"AAA99999.1", b"P69905", b"id2", b"z2"]))
    (folder / "taxids.list").write_text("9606\n562\n")
    (folder / "numbers.txt").write_text("77\n129295\n")
    (folder / "numbers.gil").write_bytes(struct.pack(">iIII", -1, 2, 77, 129295))
    (folder / "marks.msk").write_bytes(struct.pack(">i3B", 19, 0b01010000, 0b00000001, 0b11000000))
    (folder / "part.pal").write_text("TITLE t\nDBLIST other\nTAXIDLIST taxids.list\n")
    (folder / "part2.pal").write_text("TITLE t\nDBLIST other\nSEQIDLIST names.txt\n")


@needs_blast
@pytest.mark.parametrize("text", ALIASES.values(), ids=ALIASES)
def test_an_alias_leaves_what_it_leaves_for_blastdbcmd(tmp_path, text):
    # Of version 5 databases lists of taxids and identifiers are looked up in an index in the same folder.
    for name, fasta in (("v5", "proteins"), ("other", "other")):
        make(tmp_path, (MADE / f"{fasta}.fasta").read_text(), "prot", "-parse_seqids", "-taxid_map",
             str(MADE / "taxids.txt"), name=name)  # fmt: skip
    lists(tmp_path)
    (tmp_path / "a.pal").write_text(text)
    assert raw(tmp_path / "a") == asked(tmp_path / "a", "prot")


def test_every_truncation_of_a_binary_list_is_refused(tmp_path):
    name = aliased(tmp_path, "DBLIST other\nSEQIDLIST given")
    for whole in (binary_list([b"z2", b"A" * 300]), binary_list([b"z2"], b"other")):
        (tmp_path / "given").write_bytes(whole)
        assert [entry[0] for entry in raw(name)] == [b"z2"]
        for size in range(1, len(whole)):
            (tmp_path / "given").write_bytes(whole[:size])
            with pytest.raises(DatabaseError, match="'given' is truncated or damaged"):
                raw(name)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("DBLIST other", ["y1", "y2", "AAA11111.1"]),
        ("DBLIST other\nSEQIDLIST names.txt", ["z2"]),
        ("DBLIST other\nTAXIDLIST taxids.list", ["y1", "y2"]),
        ("DBLIST other\nGILIST numbers.gil", ["AAA11111.1"]),
        ("DBLIST other\nFIRST_OID 2\nLAST_OID 2", ["y2"]),
        ("DBLIST part part2", ["y1", "y2"]),
    ],
)
def test_what_an_alias_leaves(tmp_path, text, names):
    name = aliased(tmp_path, text)
    lists(tmp_path)
    assert [entry[0].decode() for entry in raw(name)] == names
    assert len(build_database([name], tmp_path / "x.swdb")) == len(names)


def test_an_alias_called_like_a_volume_stands_for_it(tmp_path):
    name = aliased(tmp_path, "TITLE t\nDBLIST other\n", "other")
    assert len(raw(name)) == 3
    assert find_blast_database(name).file.name == "other.pal"


def test_all_files_of_a_database_are_one_source(tmp_path):
    name = aliased(tmp_path, "DBLIST a.00 a.01")
    for ending in ("pin", "phr", "psq"):
        for number in ("00", "01"):
            shutil.copy(MADE / f"other.{ending}", tmp_path / f"a.{number}.{ending}")
    (tmp_path / "b.fasta").write_text(">b\nMKV\n")
    assert sources_of(sorted(tmp_path.glob("[ab]*"))) == [name.with_suffix(".pal"), tmp_path / "b.fasta"]
    assert sources_of([tmp_path / "a.01.pin", tmp_path / "a.00.psq"]) == [tmp_path / "a.01.pin", tmp_path / "a.00.pin"]
    assert len(build_database(sorted(tmp_path.glob("[ab]*")), tmp_path / "x.swdb")) == 7


def test_names_are_looked_for_where_blast_does(tmp_path, monkeypatch):
    aliased(tmp_path, "DBLIST other")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "b.pal").write_text("DBLIST a\n")
    monkeypatch.setenv("BLASTDB", os.pathsep.join(["", str(tmp_path / "nothing"), str(tmp_path)]))
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert find_blast_database("other").name == tmp_path / "other"
    assert len(raw("b")) == 3  # an alias of an alias in another folder


@pytest.mark.parametrize("packed", [False, True])
def test_taxids_go_into_the_database(tmp_path, packed):
    built = build_database([MADE / "v5"], tmp_path / "x.swdb", packed=packed)
    organisms = built.organisms
    taxids = [organisms.organism(index).taxid for index in range(len(built))]
    assert taxids == [int(taxid) for _, taxid, _, _ in raw(MADE / "v5")]
    assert organisms.organism(4).name == "Homo sapiens"  # as its title says
    mixed = build_database([MADE / "proteins.fasta", MADE / "other"], tmp_path / "y.swdb", packed=packed)
    assert mixed.organisms.organism(len(mixed) - 1).taxid == 4932
    assert mixed.organisms.organism(0).name == "Homo sapiens"


def test_a_clade_is_chosen_by_the_taxids_of_a_blast_database(tmp_path):
    taxonomy = write_dump(tmp_path / "taxdump")
    (taxonomy / "merged.dmp").write_text("4932\t|\t10090\t|\n")  # as if it had become a mouse
    built = build_database(
        [MADE / "v5", MADE / "other"], tmp_path / "x.swdb", organisms=OrganismFiles("", str(taxonomy))
    )
    mammals = {name.decode() for name, taxid, *_ in raw(MADE / "v5") + raw(MADE / "other") if taxid in (9606, 4932)}
    for asked_for in ("Mammalia", "40674"):
        part = restricted(built, limit_of([asked_for], []))
        assert set(part.ids) == mammals
    assert set(restricted(built, limit_of(["Mus musculus"], [])).ids) == {"AAA11111.1"}
    assert built.organisms.organism(0).lineage["class"] == "Mammalia"


def test_taxids_go_into_a_packed_database_too(tmp_path):
    sources = [MADE / "proteins.fasta", MADE / "v5", MADE / "other"]
    mapped, packed = (build_database(sources, tmp_path / f"{one}.swdb", packed=one) for one in (False, True))
    assert packed.stored_organisms is not None
    assert [packed.organism(n) for n in range(len(packed))] == [mapped.organism(n) for n in range(len(mapped))]


def test_what_is_said_of_odd_letters_is_said_as_of_a_file(tmp_path):
    from swgui.io.read_report import ReadReport

    report = ReadReport()
    built = build_database([MADE / "v5"], tmp_path / "x.swdb", report=report)
    assert report.format == "BLAST database"
    said = "\n".join(report.listing())
    assert "'Q12345': 'U' (selenocysteine" in said
    assert "'abc': '-' (gap sign) was left out" in said
    assert built.residues == sum(len(letters) for *_, letters in raw(MADE / "v5")) - 1


@needs_blast
def test_it_can_be_updated_when_it_was_made_anew(tmp_path):
    _, name = make(tmp_path, DNA, "nucl")
    target = tmp_path / "x.swdb"
    calls = []
    assert len(build_database([name], target, progress=lambda done, total: calls.append((done, total)))) == 2
    assert calls[-1][0] == calls[-1][1]
    assert [done for done, _ in calls] == sorted(done for done, _ in calls)
    assert database_facts(target).sources[0].path == str(tmp_path / "db.nin")
    make(tmp_path, DNA + ">d3\nACGTACGT\n", "nucl")
    assert len(update_database(target)) == 3


def test_stop_ends_the_reader(tmp_path):
    cancel = threading.Event()
    with pytest.raises(Stopped):
        build_database([MADE / "v5"], tmp_path / "x.swdb", cancel=cancel, progress=lambda done, total: cancel.set())
    assert not (tmp_path / "x.swdb").exists()


def test_files_with_such_endings_that_belong_to_no_database_are_read_as_they_are(tmp_path):
    for name in ("letters.pin", "1abc.pdb", "x.fasta"):
        path = tmp_path / name
        path.write_text(">a\nMKV\n")
    (tmp_path / "letters.pin").rename(tmp_path / "letters.psq")
    assert find_blast_database(tmp_path / "1abc.pdb") is None
    assert find_blast_database(tmp_path / "nothing") is None
    assert find_blast_database("a\0b") is None
    assert find_blast_database(tmp_path) is None
    assert read(tmp_path / "letters.psq") == [("a", "", b"MKV")]
    assert read(tmp_path / "x.fasta") == [("a", "", b"MKV")]


def test_searching_in_one_says_to_build_a_database_first(tmp_path):
    (tmp_path / "db.pin").write_bytes(b"\0\0\0\5")
    with pytest.raises(DatabaseError, match="is a BLAST database") as caught:
        open_any_database(tmp_path / "db")
    assert f"swgui makedb {tmp_path / 'db'}" in caught.value.hint


@needs_blast
def test_the_sample_through_blast(tmp_path):
    text = gzip.decompress((resources_dir() / "examples" / "sample_database.fasta.gz").read_bytes()).decode()
    fasta, name = make(tmp_path, text, "prot")
    assert read(name) == read(fasta)


# -- what is damaged, missing or of another kind


def copied(folder, name="v5"):
    for file in MADE.glob(f"{name}.[pn]*"):
        shutil.copy(file, folder)
    return folder / name


def refused(path, match, tmp_path):
    """Check that building says why it cannot, and writes nothing."""
    with pytest.raises(DatabaseError, match=match) as caught:
        build_database([path], tmp_path / "out.swdb")
    assert not (tmp_path / "out.swdb").exists()
    return caught.value


@pytest.mark.parametrize(
    ("ending", "sentence"),
    [("phr", r"no 'v5\.phr' among the files"), ("psq", r"no 'v5\.psq' among the files")],
)
def test_a_missing_file_is_named(tmp_path, ending, sentence):
    name = copied(tmp_path)
    name.with_suffix(f".{ending}").unlink()
    refused(name, sentence, tmp_path)


@pytest.mark.parametrize("ending", ["pin", "phr", "psq"])
def test_every_truncation_is_refused(tmp_path, ending):
    name = copied(tmp_path)
    file = name.with_suffix(f".{ending}")
    whole = file.read_bytes()
    for size in range(len(whole) - 1, -1, -7):
        file.write_bytes(whole[:size])
        refused(name, r"truncated|no index|ends too early|is damaged|leads back", tmp_path)


@pytest.mark.parametrize("name", ["v5", "dna4"])
def test_changed_numbers_of_the_index_are_refused_or_read(tmp_path, name):
    place = copied(tmp_path, name)
    file = next(tmp_path.glob(f"{name}.?in"))
    whole = file.read_bytes()
    for at in range(0, len(whole), 4):
        for number in (0, 0x7FFFFFFF, 0xFFFFFFFF):
            file.write_bytes(whole[:at] + struct.pack(">I", number) + whole[at + 4 :])
            with suppress(DatabaseError):
                raw(place)


def test_other_versions_and_kinds_are_named(tmp_path):
    name = copied(tmp_path)
    index = name.with_suffix(".pin")
    whole = index.read_bytes()
    index.write_bytes(struct.pack(">I", 6) + whole[4:])
    refused(name, "is of version 6 of BLAST's format; 4 and 5 are read", tmp_path)
    index.write_bytes(b">a\nMKVLLLLLLLLLL\n" * 9)
    refused(name, "is no index of a BLAST database", tmp_path)
    index.write_bytes(whole[:4] + struct.pack(">I", 0) + whole[8:])
    refused(name, "is no index of a BLAST database", tmp_path)


def test_more_sequences_than_the_files_can_have(tmp_path):
    name = copied(tmp_path)
    index = name.with_suffix(".pin")
    data = bytearray(index.read_bytes())
    at = len(data) - 4 * 2 * 18 - 16
    assert struct.unpack_from(">I", data, at) == (17,)
    data[at : at + 4] = struct.pack(">I", 0xFFFFFFFF)
    index.write_bytes(data)
    refused(name, "ends too early for the 4,294,967,295 sequences", tmp_path)


def test_a_sequence_that_does_not_end_where_it_should(tmp_path):
    name = copied(tmp_path)
    residues = bytearray(name.with_suffix(".psq").read_bytes())
    residues[residues.index(0, 1)] = 5
    name.with_suffix(".psq").write_bytes(residues)
    refused(name, "sequence 1 does not end where it should", tmp_path)


def test_a_damaged_title_is_named(tmp_path):
    name = copied(tmp_path)
    titles = bytearray(name.with_suffix(".phr").read_bytes())
    titles[titles.index(b"thing") - 1] = 0x85
    name.with_suffix(".phr").write_bytes(titles)
    refused(name, "the title of sequence 2 cannot be read", tmp_path)


def test_a_database_of_nothing(tmp_path):
    name = copied(tmp_path)
    data = name.with_suffix(".pin").read_bytes()
    at = len(data) - 4 * 2 * 18 - 16
    name.with_suffix(".pin").write_bytes(data[:at] + struct.pack(">I", 0) + data[at + 4 :])
    refused(name, "has no sequences", tmp_path)


def with_memberships(name, memberships):
    """Write numbers of subsets behind the deflines of a database, one defline an entry, as NCBI had them."""
    index, headers = name.with_suffix(".pin"), name.with_suffix(".phr")
    at = len(index.read_bytes()) - 8 * (len(memberships) + 1)  # headers and sequences
    starts = np.frombuffer(index.read_bytes(), ">u4", len(memberships) + 1, at)
    data, made = headers.read_bytes(), [b""]
    for start, stop, numbers in zip(starts[:-1], starts[1:], memberships, strict=True):
        inside = b"".join(b"\x02\x01" + bytes([number]) for number in numbers)
        added = b"\xa3\x80\x30\x80" + inside + bytes(4) if numbers else b""
        made.append(data[start : stop - 4] + added + data[stop - 4 : stop])
    headers.write_bytes(b"".join(made))
    moved = np.cumsum([len(one) for one in made]).astype(">u4")
    index.write_bytes(index.read_bytes()[:at] + moved.tobytes() + index.read_bytes()[at + 4 * len(moved) :])


@pytest.mark.parametrize("made", [False, pytest.param(True, marks=needs_blast)])
def test_subsets_are_chosen_by_a_bit(tmp_path, made):
    if made:
        _, name = make(
            tmp_path, ">lcl|a\nMKV\n>lcl|b\nMKVL\n>lcl|c\nMK\n", "prot", "-blastdb_version", "4", "-parse_seqids"
        )
    else:
        name = copied(tmp_path, "other")
    ids = [entry[0] for entry in read(name)]
    with_memberships(name, [[3], [], [2, 1]])  # the first number counts
    for bit, chosen in (("1", ids[:1]), ("2", [ids[0], ids[2]])):
        (tmp_path / "some.pal").write_text(f"TITLE t\nDBLIST {name.name}\nMEMB_BIT {bit}\n")
        assert [entry[0] for entry in read(tmp_path / "some")] == chosen
        if made:
            command = ["blastdbcmd", "-db", "some", "-entry", "all", "-outfmt", "%a"]
            told = subprocess.run(command, check=True, capture_output=True, text=True, cwd=tmp_path).stdout
            assert told.split() == chosen


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("TITLE t\n", "names no databases"),
        ("DBLIST /", r"names '/', which is no database"),
        ("DBLIST .", r"names '\.', which is no database"),
        ("DBLIST ..", "is missing"),
        ("DBLIST a\0b", "is missing"),
        ("DBLIST missing", r"'missing\.pin', which 'a\.pal' names, is missing"),
        ("DBLIST a", r"'a\.pin', which 'a\.pal' names, is missing"),
        ("DBLIST b", r"'a\.pal' names 'b\.pal', which leads back to it"),
        ("DBLIST other\nGILIST none.gil", r"'none\.gil', which 'a\.pal' names, is missing"),
        ("DBLIST other\nTAXIDLIST names.txt", "is to be a list of numbers and has 'P69905'"),
        ("DBLIST other\nSEQIDLIST marks.msk", "'marks.msk' is truncated or damaged"),
        ("DBLIST other\nGILIST marks.msk", "is a binary list of a kind that is not understood"),
        ("DBLIST v5\nOIDLIST short.msk", r"'short\.msk' has 9 marks, where there are 17 sequences"),
        ("DBLIST other v5\nOIDLIST marks.msk", "for 2 volumes; they are understood for one"),
        ("DBLIST other\nOIDLIST cut.msk", "is no list of marks, or is truncated"),
        ("DBLIST other\nMEMB_BIT 40", "bit 40 of their membership"),
        ("DBLIST other\nMEMB_BIT x", "has no number behind MEMB_BIT"),
        ("DBLIST other\nFIRST_OID two", "no number behind FIRST_OID: 'two'"),
        ("DBLIST other\nSEQIDLIST empty.txt", "no records|no sequences"),
        ("DBLIST loop", r"'loop\.pin', which 'a\.pal' names, is missing"),
    ],
)
def test_what_is_wrong_with_an_alias_is_said(tmp_path, text, sentence):
    name = aliased(tmp_path, text)
    lists(tmp_path)
    (tmp_path / "b.pal").write_text("DBLIST a\n")
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "short.msk").write_bytes(struct.pack(">i2B", 8, 255, 255))
    (tmp_path / "cut.msk").write_bytes(struct.pack(">i", 100))
    if os.name == "posix":
        (tmp_path / "loop.pin").symlink_to(tmp_path / "loop.pin")
    with pytest.raises((DatabaseError, ValueError), match=sentence):
        build_database([name], tmp_path / "out.swdb")
    assert not (tmp_path / "out.swdb").exists()


@pytest.mark.skipif(os.name != "posix", reason="pipes and circles of links")
def test_pipes_folders_and_circles_of_links_are_refused_at_once(tmp_path):
    name = copied(tmp_path, "other")
    for file in (name.with_suffix(".psq"), name.with_suffix(".phr")):
        whole = file.read_bytes()
        file.unlink()
        os.mkfifo(file)
        refused(name, f"'{file.name}' is a pipe or a device", tmp_path)
        file.unlink()
        file.mkdir()
        refused(name, f"'{file.name}' is a folder", tmp_path)
        file.rmdir()
        file.symlink_to(file)
        refused(name, f"no '{file.name}' among the files|cannot be opened", tmp_path)
        file.unlink()
        file.write_bytes(whole)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "a.pal").write_text("DBLIST other\nSEQIDLIST pipe\n")
    refused(tmp_path / "a", "'pipe' is a pipe or a device", tmp_path)


def test_aliases_that_name_each_other_many_times_take_no_longer(tmp_path):
    aliased(tmp_path, "DBLIST other", "n0")
    lists(tmp_path)
    for depth in range(1, 40):  # 2 ** 40 ways, were they followed one by one
        (tmp_path / f"n{depth}.pal").write_text(f"DBLIST n{depth - 1} n{depth - 1} m{depth}\n")
        (tmp_path / f"m{depth}.pal").write_text(f"DBLIST n{depth - 1}\nTAXIDLIST taxids.list\n")
    assert len(raw(tmp_path / "n39")) == 3
    (tmp_path / "n0.pal").write_text("DBLIST other\nSEQIDLIST names.txt\n")
    for depth in range(1, 40):
        (tmp_path / f"k{depth}").write_text(f"{depth}\n9606\n")
        (tmp_path / f"m{depth}.pal").write_text(f"DBLIST n{depth - 1}\nTAXIDLIST k{depth}\n")
    refused(tmp_path / "n39", "chooses parts of one volume in more than 1000 ways", tmp_path)


def test_a_deep_chain_of_aliases_is_followed_or_refused(tmp_path):
    aliased(tmp_path, "DBLIST other", "n0")
    for depth in range(1, 1500):
        (tmp_path / f"n{depth}.pal").write_text(f"DBLIST n{depth - 1}\n")
    assert len(raw(tmp_path / "n20")) == 3
    refused(tmp_path / "n1499", "more than .* aliases", tmp_path)


def test_offsets_beyond_two_to_the_31(tmp_path):
    """A sparse sequence file of almost 4 GB: the last of three sequences lies behind 2^31 and 2^32 - 100."""
    name = copied(tmp_path, "other")
    data = bytearray(name.with_suffix(".pin").read_bytes())
    starts = [1, 6, 0xFFFFFF00, 0xFFFFFF05]
    data[-16:] = struct.pack(">4I", *starts)
    name.with_suffix(".pin").write_bytes(data)
    with open(name.with_suffix(".psq"), "wb") as file:
        file.write(b"\0\1\2\3\4\0")
        file.seek(0xFFFFFF00)
        file.write(b"\4\3\2\1\0")
    with Volume(name, PROTEIN) as volume:
        assert volume.letters(0, 1) == (b"ABCD", [4])
        letters, lengths = volume.letters(2, 3)
        assert (letters, lengths.tolist()) == (b"DCBA", [4])
