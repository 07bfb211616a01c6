"""Every reader of files that others may have written, with files it can read.

A target's ``read`` is given bytes and a folder of its own. It may come back, or raise a `SwguiError`: anything else
is a fault. Where a format has checksums, they are put right first, so that changes reach what lies behind them.
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import struct
import sys
import tempfile
import threading
import zipfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import openpyxl
from Bio.Align import substitution_matrices

from swgui import settings
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import EncodedDatabase, encode_database
from swgui.core.errors import SwguiError
from swgui.core.headers import parse_header
from swgui.core.hits.results import SearchResult
from swgui.core.records import SequenceRecord
from swgui.gui.viewer.residues.schemes import read_scheme
from swgui.gui.viewer.rows.wrapped import compile_motif
from swgui.io.database import format as database_format
from swgui.io.database.build import save_database
from swgui.io.database.file import check_database, database_facts, open_database, stored_report
from swgui.io.database.library import open_any_database
from swgui.io.frames import framed
from swgui.io.matrices import load_matrix
from swgui.io.metadata import read_metadata
from swgui.io.organisms.assign import TaxonomyDump, read_table
from swgui.io.read_report import ReadReport
from swgui.io.saved import log, score_log
from swgui.io.saved.search import load_search, read_inputs, read_manifest, save_search
from swgui.io.sequences.reader import SequenceReader
from swgui.io.sequences.sources import TextSource
from swgui.io.tables.hits import read_hit_table
from swgui.jobs.events import finishing
from swgui.jobs.search.run import search_steps

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd
from swgui.paths import resources_dir
from tests.asking import BLOSUM62, answer, search_request
from tests.core.organisms.made import write_dump
from tests.fuzz import network_targets, pair_targets, profile_targets, share_targets, swdb_targets
from tests.fuzz.imported_targets import (
    MADE,
    aliases,
    blast_files,
    blast_reader,
    list_reader,
    mmseqs_files,
    mmseqs_reader,
    packed_entry,
    read_alias,
    read_diamond,
    read_packed,
)
from tests.fuzz.share_targets import with_part

MESSAGE_LIMIT = 1000  # characters of a readable sentence


@dataclass(frozen=True, slots=True)
class Target:
    """A reader.

    Parameters
    ----------
    seeds : callable
        Gives files that are read without fault.
    read : callable
        Takes the bytes of a file and an empty folder.
    """

    seeds: Callable[[], Sequence[bytes]]
    read: Callable[[bytes, Path], None]

    def attempt(self, data: bytes, folder: Path) -> SwguiError | None:
        """Read; return the error if the file was refused with one clear sentence.

        Raises
        ------
        AssertionError
            If the sentence is none.
        Exception
            Whatever a faulty reader lets through.
        """
        try:
            self.read(data, folder)
        except SwguiError as error:
            text = error.message
            assert text.strip(), "no sentence"
            assert len(text) <= MESSAGE_LIMIT, f"a sentence of {len(text)} characters"
            assert text.isprintable(), f"signs that cannot be shown: {text!r}"
            assert text.rstrip().endswith((".", "?", "…")), f"no sentence: {text!r}"
            return error
        return None


def structures() -> tuple[bytes, bytes]:
    """Return a structure in PDB and in mmCIF format."""
    path = Path(__file__).parents[1] / "data" / "structures" / "1l2y.pdb"
    lines = path.read_bytes().splitlines(keepends=True)
    tags = b"group_PDB id type_symbol label_atom_id label_alt_id label_comp_id label_asym_id auth_seq_id".split()
    tags += [b"Cartn_x", b"Cartn_y", b"Cartn_z", b"occupancy", b"B_iso_or_equiv", b"auth_asym_id"]
    atoms = [line.split() for line in lines if line.startswith(b"ATOM")]
    rows = [b" ".join([*one[:2], one[11], one[2], b".", one[3], b"A", *one[5:11], b"A"]) for one in atoms[:36]]
    head = [b"data_1L2Y", b"_struct.title 'a small one'", b"loop_", *(b"_atom_site." + tag for tag in tags)]
    return b"".join(lines[:40]), b"\n".join([*head, *rows, b""])


# --- sequences -----------------------------------------------------------------------------------------------------

_SEQUENCES = (
    b">sp|P1|A_B first OS=Homo sapiens GN=X\nMKVLWAALLVTFLAGCQ\n>two\nMK-V*uo\n\n>three\n>four =1+1\nWWW\n",
    b">a\nACGTNNRY\n>b\nacgtu\n",
    b"@r1 x\nACGTN\n+\nIIII!\n@r2\nAC\n+r2\nII\n",
    b">P1;CRAB\nname of it\nMKVLW AALLV*\n>F1;X\n\nMK*\n",
    b"LOCUS       X 4 bp DNA linear UNA 01-JAN-2000\nDEFINITION  x y\n            z\nACCESSION   A1\nVERSION     A1.1\n"
    b"SOURCE      x\n  ORGANISM  X y\nFEATURES             Location/Qualifiers\n     source          1..4\n"
    b'                     /mol_type="genomic DNA"\nORIGIN\n        1 acgt\n//\n',
    b"ID   X; SV 1; linear; genomic DNA; STD; UNC; 4 BP.\nXX\nAC   X;\nXX\nDE   a b\nXX\nFH   Key\nFT   source   1..4\n"
    b"XX\nSQ   Sequence 4 BP; 1 A; 1 C; 1 G; 1 T; 0 other;\n     acgt                                         4\n//\n",
    b"ID   X_Y                     Reviewed;         3 AA.\nAC   P12345; Q1;\nDT   01-JAN-1990, sequence version 1.\n"
    b"DE   RecName: Full=Thing {ECO:1};\nGN   Name=g;\nOS   Homo sapiens (Human).\nOC   Eukaryota.\n"
    b"OX   NCBI_TaxID=9606;\n"
    b"RN   [1]\nRP   SEQUENCE.\nRL   J. X 1:2-3(1990).\nCC   -!- FUNCTION: x.\nDR   EMBL; X; Y; -; Z.\n"
    b"PE   1: Evidence;\n"
    b"KW   Heme.\nFT   CHAIN           1..3\nSQ   SEQUENCE   3 AA;  375 MW;  6C1F2D0A11223344 CRC64;\n     MKV\n//\n",
    b"\xef\xbb\xbf>a\r\nMKV\r\n",
    ">größe \N{RIGHT-TO-LEFT OVERRIDE}x\nMKV\n".encode("utf-16"),
    *structures(),
)


def _read_sequences(data: bytes, folder: Path) -> None:
    refused = []
    for alphabet in (None, PROTEIN, NUCLEOTIDE):
        report = ReadReport()
        try:
            with TextSource(io.BytesIO(data), "'fuzz'", "fuzz", len(data)) as source:
                records = list(SequenceReader(source, alphabet, report, raw_allowed=alphabet is not None))
        except SwguiError as error:
            refused.append(error)
            continue
        assert report.records == len(records) > 0
        assert report.residues == sum(len(record.residues) for record in records)
        for record in records:
            assert record.id
            assert record.residues
            assert report.alphabet is not None
            assert report.alphabet.decode(report.alphabet.encode(record.residues)) == record.residues
            parse_header(record.id, record.description)
    if len(refused) == 3:
        raise refused[0]


def _read_as_database(data: bytes, folder: Path) -> None:
    path = folder / "a name (1).fa"
    path.write_bytes(data)
    database = open_any_database(path)
    assert len(database) > 0
    assert [len(database.record(at).residues) for at in range(min(len(database), 50))]


# --- databases -----------------------------------------------------------------------------------------------------


@cache
def _records() -> tuple[SequenceRecord, ...]:
    letters = b"MKVLWAALLVTFLAGCQACDEFGHIKLMNPQRSTVWY"
    return tuple(SequenceRecord(f"sp|P{n}|X{n}_Y", "größe =1", letters[n:] * (1 + n % 3)) for n in range(7))


@cache
def _database_file() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.swdb"
        save_database(encode_database(_records(), PROTEIN, "x"), path)
        return path.read_bytes()


def _use(database: EncodedDatabase) -> None:
    for at in range(min(len(database), 20)):
        assert database.record(at).residues is not None


def _read_database(data: bytes, folder: Path) -> None:
    path = folder / "x.swdb"
    path.write_bytes(data)
    for function in (database_facts, stored_report, check_database):
        with suppress(SwguiError):
            function(path)
    _use(open_database(path))


def _database_header() -> Sequence[bytes]:
    data = _database_file()
    _, _, length, offset, _, _ = struct.unpack("<8sIIQQ16s", data[:48])
    return [data[offset : offset + length]]


def _read_database_header(data: bytes, folder: Path) -> None:
    whole = _database_file()
    _, version, _, offset, _, _ = struct.unpack("<8sIIQQ16s", whole[:48])
    numbers = struct.pack("<IIQQ", version, len(data), offset, offset + len(data))
    checksum = hashlib.blake2b(numbers + data, digest_size=16).digest()
    _read_database(database_format.MAGIC + numbers + checksum + whole[48:offset] + data, folder)


# --- saved searches ------------------------------------------------------------------------------------------------


@cache
def _result() -> SearchResult:
    request = search_request(
        queries=_records()[:2],
        database=encode_database(_records(), PROTEIN, "x"),
        scheme=BLOSUM62,
        engine="reference",
    )
    return answer(request)


@cache
def _saved() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.swgui"
        save_search(_result(), path, layout={"columns": [1, 2]})
        return path.read_bytes()


@cache
def _parts() -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(_saved())) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _read_saved(data: bytes, folder: Path) -> None:
    path = folder / "x.swgui"
    path.write_bytes(data)
    for function in (read_manifest, read_inputs):
        with suppress(SwguiError):
            function(path)
    result = load_search(path).result
    for query in result.queries:
        assert len([result.database.ids[int(at)] for at in query.hits.db_index[:5]]) <= 5
        assert (result.database.lengths[query.hits.db_index] >= 0).all()


def _read_part(name: str) -> Callable[[bytes, Path], None]:
    """Make a reader of a saved search one part of which is the given bytes."""
    return lambda data, folder: _read_saved(with_part(_parts(), name, data), folder)


# --- journals ------------------------------------------------------------------------------------------------------


@cache
def _journal_file() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.journal"
        kept = score_log.ScoreLog(path, {"request": {"a": 1}})
        try:
            request = search_request(
                queries=_records()[:2],
                database=encode_database(_records(), PROTEIN, "x"),
                scheme=_result().scheme,
                engine="reference",
            )
            list(finishing(search_steps(request, threading.Event(), journal=kept)))
        finally:
            kept.close()
        return path.read_bytes()


def _read_journal(data: bytes, folder: Path) -> None:
    path = folder / "x.journal"
    path.write_bytes(data)
    score_log.read_facts(path)
    opened = score_log.ScoreLog(path)
    try:
        for chunk in opened.begin(_result().database, 2):
            assert (chunk.db_index >= 0).all()
            assert (chunk.db_index < len(_result().database)).all()
            assert 0 <= chunk.query_index < 2
    finally:
        opened.close()


def _records_of(data: bytes) -> list[bytes]:
    """Cut a journal's file into its records."""
    at, found = len(log.MAGIC), []
    while at < len(data):
        length = struct.unpack_from("<I", data, at)[0]
        found.append(data[at + 12 : at + 12 + length])
        at += 12 + length
    return found


def _read_journal_record(data: bytes, folder: Path) -> None:
    """Put the bytes in the place of each record in turn, under the right checksum."""
    good = _records_of(_journal_file())
    for place in range(len(good)):
        records = [*good[:place], data, *good[place + 1 :]]
        parts = [framed(record) for record in records]
        with suppress(SwguiError):
            _read_journal(log.MAGIC + b"".join(parts), folder)


# --- tables, matrices, settings, colours ---------------------------------------------------------------------------

_TABLES = (
    b"q\ts\t90.0\t10\t1\t0\t1\t10\t1\t10\t1e-5\t50.1\nq\tt\t80\t9\t1\t0\t1\t9\t2\t10\t0.1\t20\n",
    b"# BLASTP 2.12.0+\n# Query: q x\n# Database: d\n# Fields: query acc.ver, subject acc.ver, % identity, bit score\n"
    b"# 1 hits found\nq\ts\t90.0\t50\n# BLAST processed 1 queries\n",
    b'query,target,fident,evalue\nq,"s, or t",0.9,1E-10\n',
    b'<?xml version="1.0"?>\n<!DOCTYPE BlastOutput PUBLIC "-//NCBI//NCBI BlastOutput/EN" "NCBI_BlastOutput.dtd">\n'
    b"<BlastOutput><BlastOutput_version>BLASTP 2.12.0+</BlastOutput_version><BlastOutput_iterations><Iteration>"
    b"<Iteration_query-def>q x</Iteration_query-def><Iteration_hits><Hit><Hit_id>s</Hit_id><Hit_def>t</Hit_def>"
    b"<Hit_len>9</Hit_len><Hit_hsps><Hsp><Hsp_bit-score>50</Hsp_bit-score><Hsp_score>100</Hsp_score>"
    b"<Hsp_evalue>1e-5</Hsp_evalue><Hsp_query-from>1</Hsp_query-from><Hsp_query-to>9</Hsp_query-to>"
    b"<Hsp_hit-from>1</Hsp_hit-from><Hsp_hit-to>9</Hsp_hit-to><Hsp_identity>9</Hsp_identity>"
    b"<Hsp_align-len>9</Hsp_align-len></Hsp></Hit_hsps></Hit></Iteration_hits></Iteration>"
    b"</BlastOutput_iterations></BlastOutput>\n",
    b'<BlastXML2 xmlns="http://www.ncbi.nlm.nih.gov"><BlastOutput2><report><Report><version>BLASTP</version><results>'
    b"<Results><search><Search><query-title>q</query-title><hits><Hit><description><HitDescr><id>s</id></HitDescr>"
    b"</description><len>9</len><hsps><Hsp><score>9</score><evalue>1</evalue><hit-strand>Minus</hit-strand>"
    b"<hit-from>1</hit-from><hit-to>9</hit-to><align-len>0</align-len></Hsp></hsps></Hit></hits></Search></search>"
    b"</Results></results></Report></report></BlastOutput2></BlastXML2>\n",
)


def _dump(name: str) -> list[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        return [(write_dump(Path(folder)) / name).read_bytes()]


def _read_dump(name: str) -> Callable[[bytes, Path], object]:
    def read(data: bytes, folder: Path) -> object:
        (write_dump(folder) / name).write_bytes(data)
        dump = TaxonomyDump(folder)
        dump.find(["human", "Mus musculus"])
        return dump.above(dump.taxids)

    return read


def _read_organisms(data: bytes, folder: Path) -> object:
    path = folder / "list.tsv"
    path.write_bytes(data)
    return read_table(path)


def _read_table(data: bytes, folder: Path) -> None:
    path = folder / "table.tsv"
    path.write_bytes(data)
    table = read_hit_table(path)
    assert len(table.subjects) == len(table.queries)
    assert all(values.shape == (len(table),) for values in table.values.values())


def _own_tables() -> Sequence[bytes]:
    book, file = openpyxl.Workbook(), io.BytesIO()
    for row in (["id", "x", "note"], ["a", 1.5, "t"], ["b", 2, None]):
        book.active.append(row)
    book.save(file)
    return [file.getvalue(), b'id,x,note\na,1.5,"t, u"\nb,2,\n']


def _read_own(data: bytes, folder: Path) -> None:
    path = folder / "own.xlsx"
    path.write_bytes(data)
    own = read_metadata(path)
    assert all(len(one.values) == len(own.names) for one in own.given)


def _matrices() -> Sequence[bytes]:
    return [
        (resources_dir() / "statistics" / "BLOSUM80_half_bits.txt").read_bytes(),
        str(substitution_matrices.load("NUC.4.4")).encode().replace(b".0", b""),
    ]


def _read_matrix(data: bytes, folder: Path) -> None:
    path = folder / "m.txt"
    path.write_bytes(data)
    refused = []
    for alphabet in (PROTEIN, NUCLEOTIDE):
        try:
            matrix = load_matrix(str(path), alphabet)
            assert matrix.scores.shape == (len(alphabet.letters),) * 2
        except SwguiError as error:
            refused.append(error)
    if len(refused) == 2:
        raise refused[0]


def _settings() -> Sequence[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "settings.json"
        settings.save(settings.Settings(), path)
        return [path.read_bytes()]


def _read_settings(data: bytes, folder: Path) -> None:
    path = folder / "settings.json"
    path.write_bytes(data)
    loaded = settings.load(path)
    settings.save(loaded, path)
    assert not settings.load(path).problems


def _schemes() -> Sequence[bytes]:
    return [path.read_bytes() for path in sorted((resources_dir() / "color_schemes").glob("*.json"))]


def _read_scheme(data: bytes, folder: Path) -> None:
    path = folder / "scheme.json"
    path.write_bytes(data)
    scheme = read_scheme(path)
    assert scheme.table().shape == (256,)
    assert len(scheme.fills(dark=True)) == len(scheme.groups)


def _read_motif(data: bytes, folder: Path) -> None:
    text = data.decode("utf-8", "replace")
    for kind in ("residues", "iupac", "prosite", "regex"):
        with suppress(SwguiError):
            compile_motif(text, kind, PROTEIN)


def imported_mmseqs(ending: str) -> Target:
    """Make a target of one file of a database of MMseqs2."""
    return Target(lambda: mmseqs_files(ending), mmseqs_reader(ending))


def share_part(name: str) -> Target:
    """Make a target of one part of the file of a share."""
    return Target(lambda: share_targets.share_parts(name), share_targets.read_share_part(name))


def network_part(name: str) -> Target:
    """Make a target of one part of the file of a network."""
    return Target(lambda: network_targets.network_part(name), network_targets.read_network_part(name))


TARGETS: dict[str, Target] = {
    "sequences": Target(lambda: _SEQUENCES, _read_sequences),
    "packed": Target(lambda: [gzip.compress(data, mtime=0) for data in _SEQUENCES[:3]], _read_sequences),
    "packed-bzip2": Target(lambda: list(map(bz2.compress, _SEQUENCES[:2])), _read_sequences),
    "packed-xz": Target(lambda: list(map(lzma.compress, _SEQUENCES[:2])), _read_sequences),
    "packed-zstd": Target(lambda: list(map(zstd.compress, _SEQUENCES[:2])), _read_sequences),
    "as-database": Target(lambda: _SEQUENCES[:3], _read_as_database),
    "database": Target(lambda: [_database_file()], _read_database),
    "database-header": Target(_database_header, _read_database_header),
    "packed-database": Target(lambda: [swdb_targets.packed_file()], _read_database),
    "packed-block": Target(swdb_targets.blocks, swdb_targets.read_block),
    "packed-names": Target(swdb_targets.names, swdb_targets.read_names),
    "saved": Target(lambda: [_saved()], _read_saved),
    "saved-manifest": Target(lambda: [_parts()["manifest.json"]], _read_part("manifest.json")),
    "saved-scores": Target(lambda: [_parts()["scores.npy"]], _read_part("scores.npy")),
    "share": Target(share_targets.share_files, share_targets.read_whole_share),
    "share-manifest": share_part("manifest.json"),
    "share-scores": share_part("scores.npy"),
    "network": Target(network_targets.network_files, network_targets.read_network),
    "network-manifest": network_part("manifest.json"),
    "network-names": network_part("names.json"),
    "journal": Target(lambda: [_journal_file()], _read_journal),
    "journal-record": Target(lambda: _records_of(_journal_file()), _read_journal_record),
    "table": Target(lambda: _TABLES, _read_table),
    "own-table": Target(_own_tables, _read_own),
    "taxonomy": Target(lambda: _dump("nodes.dmp"), _read_dump("nodes.dmp")),
    "taxonomy-names": Target(lambda: _dump("names.dmp"), _read_dump("names.dmp")),
    "organisms": Target(lambda: [b"# id\torganism\na\tHomo sapiens\nb 9606\n"], _read_organisms),
    "blast-index": Target(lambda: blast_files("v5", "pin"), blast_reader("v5", "pin")),
    "blast-titles": Target(lambda: blast_files("v5", "phr"), blast_reader("v5", "phr")),
    "blast-bases": Target(lambda: blast_files("dna4", "nsq"), blast_reader("dna4", "nsq")),
    "blast-alias": Target(aliases, read_alias),
    "blast-list": Target(lambda: (b"y1\nAAA11111\n", b"gb|AAA11111|\n"), list_reader("SEQIDLIST")),
    "diamond": Target(lambda: [(MADE / "diamond.dmnd").read_bytes()], read_diamond),
    "mmseqs-packed": Target(lambda: [packed_entry()], read_packed),
    "mmseqs-index": imported_mmseqs(".index"),
    "mmseqs-titles": Target(lambda: mmseqs_files("_h.index"), mmseqs_reader("_h.index")),
    "mmseqs-taxids": Target(lambda: mmseqs_files("_mapping"), mmseqs_reader("_mapping")),
    "blast-marks": Target(lambda: [b"\0\0\0\2\xc0"], list_reader("OIDLIST")),
    "matrix": Target(_matrices, _read_matrix),
    "settings": Target(_settings, _read_settings),
    "colours": Target(_schemes, _read_scheme),
    "pair": Target(pair_targets.pair_files, pair_targets.read_pair),
    "checkpoint": Target(pair_targets.checkpoints, pair_targets.read_checkpoint),
    "older-checkpoint": Target(pair_targets.older_checkpoints, pair_targets.read_checkpoint),
    "checkpoint-facts": Target(pair_targets.checkpoint_facts, pair_targets.read_checkpoint_facts),
    "older-checkpoint-facts": Target(pair_targets.older_facts, pair_targets.read_older_facts),
    "profile": Target(profile_targets.profile_files, profile_targets.read_profile),
    "tuned": Target(pair_targets.tuned, pair_targets.read_tuned),
    "motif": Target(lambda: (b"N-{P}-[ST]-{P}", b"C-x(2,4)-C", b"K[KR].[KR]", b"WQS", b"BZJX"), _read_motif),
}
