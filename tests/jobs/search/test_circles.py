"""Searches across the origin of circular records: every engine against a plain recurrence on records read on."""

import io
import threading

import numpy as np
import pytest

from swgui.core.alignment import rescore, spell_out
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.circular import Circles, text_of
from swgui.core.database import encode_database
from swgui.core.errors import InvalidParameter
from swgui.core.hits.encoding import encode_query
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme, match_mismatch
from swgui.core.several.joined import joined
from swgui.core.translation.programs import Translation
from swgui.io.export import ExportOptions, write_hits
from swgui.io.saved.search import load_search, save_search
from swgui.jobs.events import run_to_end
from swgui.jobs.search.describe import describe_list
from swgui.jobs.search.verify import verify
from swgui.jobs.several.diff import diff_steps
from swgui.library.hits import Hits
from tests.asking import BLOSUM62, DNA_SCHEME, answer, search_request
from tests.reference import reference_scores

pytestmark = pytest.mark.usefixtures("user_folders", "trusted_engines")
LIMITS = {"max_evalue": 1e9, "composition": "none", "strand": "both", "scheme": DNA_SCHEME}
SCHEMES = {
    "2/-3": DNA_SCHEME,
    "1/-1, long gaps": ScoringScheme.from_blast(match_mismatch(NUCLEOTIDE, 1, -1), 1, 1),
    "gaps that cost nothing more": ScoringScheme(match_mismatch(NUCLEOTIDE, 2, -2), 3, 0),
}


def bases(rng, size, letters=b"ACGT"):
    return rng.choice(np.frombuffer(letters, np.uint8), size).tobytes()


def circles(rng, count, longest, letters=b"ACGT"):
    return [
        SequenceRecord(f"r{n}", "", bases(rng, int(rng.integers(1, longest)), letters), circular=bool(n % 4))
        for n in range(count)
    ]


def read_on(record, behind):
    size = min(behind, len(record.residues) - 1) if record.circular else 0
    return record.residues + record.residues[:size]


def turned(residues):
    return residues[::-1].translate(bytes.maketrans(b"ACGT", b"TGCA"))


def rows_of(result, query=0):
    listed = result.hit_list(query)
    return [row for hit in describe_list(listed, range(len(listed))) for row in hit.rows() if row.alignment is not None]


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)
@pytest.mark.parametrize("engine", ["cpu", "reference", pytest.param("cuda", marks=pytest.mark.gpu)])
@pytest.mark.sampled
def test_scores_are_those_of_records_read_twice(engine, scheme, rng):
    records = circles(rng, 15, 40)
    queries = tuple(SequenceRecord(f"q{n}", "", bases(rng, int(rng.integers(1, 25)))) for n in range(3))
    database = encode_database(records, NUCLEOTIDE, "circles")
    result = answer(search_request(**LIMITS | {"scheme": scheme}, queries=queries, database=database, engine=engine))
    twice = [NUCLEOTIDE.encode(read_on(record, len(record.residues))) for record in records]
    for index, query in enumerate(queries):
        best = np.zeros(len(records), np.int64)
        for residues in (query.residues, turned(query.residues)):
            profile = scheme.matrix.scores[NUCLEOTIDE.encode(residues)]
            best = np.maximum(best, reference_scores(profile, twice, scheme.gap_first, scheme.gap_extend))
        np.testing.assert_array_equal(result.queries[index].scores, best)
        for row in rows_of(result, index):
            record, alignment = records[row.db_index], row.alignment
            assert alignment.subject_start < len(record.residues)
            part = NUCLEOTIDE.encode((record.residues * 2)[alignment.subject_start : alignment.subject_end])
            encoded = encode_query(query, scheme, row.strand)
            assert rescore(alignment.on_region(), encoded, part, scheme) == row.score


@pytest.mark.parametrize("most", [2, 5])
def test_copies_of_an_alignment_are_listed_once(most, rng):
    """Of all alignments of the text, in order, those that share no pair on the circle with a better one."""
    across = 0
    for _ in range(15):
        record = SequenceRecord("r", "", bases(rng, int(rng.integers(5, 80)), b"AC"), circular=True)
        query = SequenceRecord("q", "", bases(rng, int(rng.integers(3, 25)), b"AC"))
        given = {**LIMITS, "queries": (query,), "engine": "cpu"}
        found = answer(search_request(**given, max_hsps=most, database=encode_database([record], NUCLEOTIDE)))
        line = replace(record, residues=read_on(record, found.search.circles.behind), circular=False)
        given |= {"max_evalue": 1e12, "max_hsps": 1000}
        every = rows_of(answer(search_request(**given, database=encode_database([line], NUCLEOTIDE))))
        seen, kept = {1: set(), -1: set()}, []
        for row in every:
            columns = spell_out(row.alignment)
            places = zip(columns.query.tolist(), columns.subject.tolist(), strict=True)
            pairs = {(i, j % len(record.residues)) for i, j in places if i >= 0 and j >= 0}
            if not seen[row.strand] & pairs:
                seen[row.strand] |= pairs
                start = row.alignment.subject_start % len(record.residues)
                kept.append((row.score, row.strand, start, row.alignment.cigar))
        listed = [(row.score, row.strand, row.alignment.subject_start, row.alignment.cigar) for row in rows_of(found)]
        assert len(listed) == most or len(listed) <= len(kept)
        assert listed == kept[: len(listed)]
        across += len(kept) < len(every)
    assert across > 10


@pytest.fixture
def plasmid(rng):
    return SequenceRecord("plasmid", "made up", bases(rng, 300), circular=True)


@pytest.fixture
def crossing(plasmid, rng):
    """A search of which the first query lies across the origin, and the second on its other strand."""
    part = plasmid.residues[-30:] + plasmid.residues[:50]
    queries = (SequenceRecord("q", "", part), SequenceRecord("m", "", turned(part)))
    database = encode_database([SequenceRecord("other", "", bases(rng, 200)), plasmid], NUCLEOTIDE, "two")
    limits = {"max_evalue": 1e-9, "scheme": DNA_SCHEME, "strand": "both"}
    return answer(search_request(**limits, queries=queries, database=database, engine="cpu"))


def test_e_is_that_of_the_record_as_long_as_it_is(plasmid, crossing, rng):
    moved = replace(plasmid, residues=plasmid.residues[100:] + plasmid.residues[:100], circular=False)
    other = crossing.database.record(0)
    database = encode_database([other, moved], NUCLEOTIDE, "two")
    queries = tuple(query.query for query in crossing.queries)
    given = {"max_evalue": 1e-9, "strand": "both", "scheme": DNA_SCHEME, "composition": "none", "engine": "cpu"}
    lines = answer(search_request(**given, queries=queries, database=database))
    circle = answer(search_request(**given, queries=queries, database=crossing.database))
    for one, two in zip(lines.queries, circle.queries, strict=True):
        assert one.hits.scores.tolist() == two.hits.scores.tolist() == [160]
        assert one.hits.log10_evalues.tolist() == two.hits.log10_evalues.tolist()


def test_a_search_says_how_records_were_read(plasmid, crossing):
    assert crossing.information == "1 record is circular and was read across the origin, all others as linear."
    whole = {**LIMITS, "queries": (replace(plasmid, id="q"),), "engine": "cpu"}
    database = encode_database([plasmid], NUCLEOTIDE)
    said = answer(search_request(**whole, database=database)).information
    assert "1 query is circular" in said
    line = encode_database([replace(plasmid, circular=False)], NUCLEOTIDE)
    assert "1 query is circular" in answer(search_request(**whole, database=line)).information
    everything = answer(search_request(**whole, database=line, circles=Circles("all"))).information
    assert "read as circular" in everything


def test_what_cannot_be_read_across_origins_is_said_or_refused(plasmid, monkeypatch):
    database = encode_database([plasmid], NUCLEOTIDE, "one")
    other = replace(plasmid, residues=plasmid.residues[:20] + plasmid.residues[60:])
    both = joined([database, encode_database([other], NUCLEOTIDE, "two")])
    query = SequenceRecord("q", "", plasmid.residues[-20:] + plasmid.residues[:20])
    request = search_request(**LIMITS, queries=(query,), database=both, engine="cpu")
    result = answer(request)
    assert "read as circular" in result.information
    assert result.queries[0].scores.tolist() == [80, 80]
    monkeypatch.setattr("swgui.engines.host.memory", lambda: 100)
    result = answer(request)
    assert "2 records of the database are circular and were searched as a line" in result.information
    assert "too little memory" in result.information
    assert result.queries[0].hits.scores.max() < 80
    with pytest.raises(InvalidParameter, match="too little memory"):
        answer(replace(request, search=replace(request.search, circles=Circles("all"))))
    protein = SequenceRecord("p", "", b"MKVLAWTRPQ")
    translated = search_request(
        queries=(protein,), database=database, scheme=BLOSUM62, translation=Translation("tblastn"), engine="cpu"
    )
    assert "tblastn translates records as lines" in answer(translated).information
    proteins = encode_database([protein], PROTEIN)
    request = search_request(queries=(protein,), database=proteins, scheme=BLOSUM62, circles=Circles("all"))
    with pytest.raises(InvalidParameter, match="no origin"):
        answer(request)


@pytest.mark.parametrize("with_database", [True, False])
def test_a_saved_search_comes_back_as_it_was(crossing, with_database, tmp_path):
    file = tmp_path / "run.swgui"
    save_search(crossing, file)
    again = load_search(file, database=crossing.database if with_database else None).result
    assert (again.database.at_hand is None) is with_database
    before, after = [written(result, "tsv") for result in (crossing, again)]
    assert before == after
    assert "join(271..300,1..50)" in before
    assert run_to_end(verify(again, threading.Event(), engine="reference")).ok
    save_search(again, tmp_path / "again.swgui")
    assert written(load_search(tmp_path / "again.swgui").result, "tsv") == before


def test_a_search_of_an_earlier_version_stays_one_of_lines(plasmid, crossing, tmp_path):
    given = {**LIMITS, "queries": (crossing.queries[0].query,), "engine": "cpu", "circles": Circles("none")}
    lines = answer(search_request(**given, database=crossing.database))
    assert lines.queries[0].scores.max() == 100
    old = replace(lines, search=replace(lines.search, circles=Circles()))  # as its file has no circles
    save_search(old, tmp_path / "old.swgui")
    again = load_search(tmp_path / "old.swgui", database=crossing.database).result
    assert text_of(again.database) is again.database
    assert run_to_end(verify(again, threading.Event(), engine="reference")).ok


def written(result, name):
    hits = [hit for index in range(len(result.queries)) for hit in describe_list(result.hit_list(index), [0])]
    file = io.StringIO()
    write_hits(name, result, hits, file, ExportOptions())
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("tsv", ["\t271\t50\t", "\t50\t271\t", "join(271..300,1..50)"]),
        ("csv", ["join(271..300,1..50)"]),
        ("json", ['"join": "join(271..300,1..50)"', '"circular": "declared"']),
        ("blast6", ["\t271\t50\t", "\t50\t271\t"]),
        ("blast-xml", ["<hit-from>271</hit-from>\n<hit-to>50</hit-to>", "<hit-from>50</hit-from>"]),
        ("text", ["Across the origin of the subject: join(271..300,1..50)", "  50\n"]),
        ("sam", ["SN:plasmid\tLN:300\tTP:circular", "\t271\t255\t80M"]),
        ("paf", ["\tplasmid\t300\t270\t350\t80\t80\t"]),
        ("gff3", ["\tregion\t1\t300\t.\t+\t.\tIs_circular=true", "\tnucleotide_match\t271\t350\t"]),
        ("genbank", ["join(271..300,1..50)", "complement(join(271..300,1..50))", "circular"]),
        ("fasta-aligned", [">plasmid/271-50 ", ">plasmid/50-271 "]),
        ("fasta-dna", [">plasmid/271-50 ", ">plasmid/50-271 "]),
        ("html", ["join(271..300,1..50)"]),
    ],
)
def test_outputs_say_where_it_lies(crossing, name, parts):
    text = written(crossing, name)
    for part in parts:
        assert part in text


def test_flanks_go_round(plasmid, crossing):
    hits = [hit for index in range(2) for hit in describe_list(crossing.hit_list(index), [0])]
    for name in ("fasta-aligned", "fasta-dna"):
        file = io.StringIO()
        write_hits(name, crossing, hits, file, replace(ExportOptions(), flank=10))
        first, second = ("".join(entry.split("\n")[1:]) for entry in file.getvalue().split(">")[1:])
        assert first.encode() == plasmid.residues[260:] + plasmid.residues[:60]
        assert second.encode() == turned(first.encode())
        assert ">plasmid/261-60 " in file.getvalue()


def test_the_library_gives_both_ends_and_the_join(plasmid, crossing):
    hit = Hits(crossing)[0]
    alignment = hit.alignment
    assert (alignment.subject_start, alignment.subject_end, alignment.join) == (270, 50, "join(271..300,1..50)")
    sequence = plasmid.residues.decode()
    assert alignment.rows.subject == sequence[270:] + sequence[:50]
    assert hit["scovhsp"] == pytest.approx(100 * 80 / 300)
    assert hit["scovs"] == pytest.approx(100 * 80 / 300)


def test_an_alignment_may_run_round_more_than_once_and_covers_no_more_than_all(rng):
    record = SequenceRecord("small", "", bases(rng, 60), circular=True)
    query = SequenceRecord("q", "", (record.residues * 2)[5:100])
    given = {**LIMITS, "queries": (query,), "database": encode_database([record], NUCLEOTIDE), "engine": "cpu"}
    row, *_ = rows_of(answer(search_request(**given)))
    assert (row.score, row.subject_coverage) == (190, 100.0)
    assert "join(6..60,1..40)" in written(answer(search_request(**given)), "tsv")


@pytest.mark.parametrize("circular", [True, False])
def test_a_diff_scores_again_what_is_read_otherwise(plasmid, crossing, circular):
    """The same residues are a circle in one release, and a line in the other."""
    records = [crossing.database.record(0), replace(plasmid, circular=not circular)]
    before = answer(
        search_request(
            **LIMITS,
            queries=queries_of(crossing),
            database=encode_database(records, NUCLEOTIDE, "before"),
            engine="cpu",
        )
    )
    newer = encode_database([records[0], replace(plasmid, circular=circular)], NUCLEOTIDE, "newer")
    found = run_to_end(diff_steps(before, newer, threading.Event(), engine="cpu"))
    assert found.searched == 1
    plain = answer(search_request(**LIMITS, queries=queries_of(before), database=newer, engine="cpu"))
    for one, two in zip(found.now.queries, plain.queries, strict=True):
        assert one.scores.tolist() == two.scores.tolist()
    assert found.now.queries[0].scores[1] == (160 if circular else 100)


def queries_of(result):
    return tuple(query.query for query in result.queries)
