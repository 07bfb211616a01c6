"""``swgui.search`` gives what the command gives, stays quick, and keeps what it did when it is stopped."""

from __future__ import annotations

import inspect
import io
import json
import math
import os
import signal
import subprocess
import sys
import threading
from contextlib import redirect_stdout

import numpy as np
import pytest

import swgui
from swgui.cli import main
from swgui.commands.option import options_of
from swgui.commands.search import search_options
from swgui.core.errors import SwguiError
from swgui.engines import registry
from swgui.library import session
from swgui.library.search import SEARCH
from tests.library.conftest import GLOBIN, PROTEINS

PROTEIN = "MKVLWAALLVTFLAGCQAKVEQAVETEPEPELRQQTEWQSGQRWELALGRFWDYLRW"
CODONS = {
    "M": "ATG", "K": "AAA", "V": "GTT", "L": "CTG", "W": "TGG", "A": "GCT", "T": "ACC", "F": "TTC", "G": "GGT",
    "C": "TGC", "Q": "CAG", "E": "GAA", "P": "CCG", "R": "CGT", "S": "TCT", "D": "GAT", "Y": "TAC",
}  # fmt: skip
GENE = "".join(CODONS[residue] for residue in PROTEIN)
BACK = GENE.translate(str.maketrans("ACGT", "TGCA"))[::-1]


def test_three_lines_give_a_result(database):
    hits = swgui.search(GLOBIN, database, top=3)
    assert [hit.id for hit in hits] == ["sp|P1|ALPHA", "sp|P2|NEAR", "sp|P3|GAPPED"]
    best = hits[0]
    assert (best.rank, best.query_id, best.description, best.sequence) == (1, "query", "of the test", GLOBIN)
    assert best.score == hits.scores()[0] == best.alignment.score
    assert best.evalue == pytest.approx(10**best.log10_evalue)
    assert best["pident"] == best.alignment.identity == 100.0
    assert best["evalue"] == best.evalue
    assert not hits.partial
    assert hits.state == "complete"


def test_the_table_is_that_of_the_command(database, tmp_path):
    query = tmp_path / "query.fasta"
    query.write_text(f">one\n{GLOBIN[5:50]}\n>two\n{GLOBIN[10:40]}\n")
    options = {"top": 4, "matrix": "BLOSUM50", "gap_open": 10, "gap_extend": 2, "engine": "cpu"}
    words = [word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    with redirect_stdout(io.StringIO()) as said:
        assert main(["search", "-q", str(query), "-d", str(database), "--format", "tsv", *words]) == 0
    hits = swgui.search(query, database, **options)
    hits.write(tmp_path / "hits.tsv")
    assert (tmp_path / "hits.tsv").read_text() == said.getvalue()
    arrays = hits.to_arrays()
    lines = [line.split("\t") for line in said.getvalue().splitlines()]
    assert list(arrays) == lines[0]
    assert arrays["score"].tolist() == [int(line[lines[0].index("score")]) for line in lines[1:]]
    assert arrays["evalue"].dtype == arrays["pident"].dtype == float


def test_parameters_are_the_options_of_the_command():
    parameters = inspect.signature(swgui.search).parameters
    options = {option.key: option for option in options_of(search_options())}
    taken = {name for name in parameters if name not in ("queries", "database", "progress")}
    assert taken <= set(options)
    of_terminals = {"out", "save", "format", "columns", "history", "scores", "timings", "plan", "quiet", "log"}
    for function in (swgui.search, swgui.iterate, swgui.msa, swgui.pair):
        assert of_terminals.isdisjoint(inspect.signature(function).parameters), function
    assert {"top", "evalue", "gap_open", "min_identity", "engine", "organism", "iterations", "query_range"} <= taken
    for name in taken:
        default = options[name].default
        assert parameters[name].default == (None if default in ("", [], ()) else default), name
    assert parameters["device"].default is parameters["query_range"].default is parameters["settings"].default is None
    for name in taken:
        assert f"\n{name} : " in swgui.search.__doc__, name
    assert inspect.signature(swgui.iterate).parameters["iterations"].default == 6


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"topp": 3}, "Did you mean 'top'?"),
        ({"top": "many"}, "top cannot be 'many'."),
        ({"top": 1.5}, "top cannot be 1.5."),
        ({"mask": "yes"}, "It is True or False."),
        ({"composition": "some"}, "It may be none, lambda, full."),
        ({"top": 0}, "hit"),
        ({"matrix": "BLOSUM99"}, "There is no matrix"),
        (
            {"inclusion_evalue": 0.1},
            "inclusion_evalue is for searches in rounds, and this search has a single round. Add",
        ),
        ({"matrix": "BLOSUM62", "scoring_preset": "close"}, "The preset 'close' says what matrix asks for, too."),
        ({"start_from": "profile.hmm"}, "query and start_from exclude each other."),
        ({"out": "hits.tsv"}, "swgui.search has no parameter 'out'."),
    ],
)
def test_what_the_command_refuses_is_refused(database, options, sentence):
    with pytest.raises(swgui.SwguiError) as refused:
        swgui.search(GLOBIN, database, **options)
    assert sentence in str(refused.value)


def test_every_error_of_the_program_is_of_the_public_class(database):
    for given in ((GLOBIN, database.with_name("no.swdb")), (database.with_name("no.fasta"), database), (7, database)):
        with pytest.raises(swgui.SwguiError):
            swgui.search(*given)
    assert swgui.SwguiError is SwguiError


def test_values_may_come_as_python_has_them(database):
    as_text = swgui.search(GLOBIN, database, top="2", evalue="1e-3")
    as_numbers = swgui.search(GLOBIN, database, top=np.int64(2), settings={}, evalue=1e-3, matrix=None)
    assert [hit.id for hit in as_text] == [hit.id for hit in as_numbers]
    arguments = SEARCH.arguments({"settings": {"a": 1}, "device": ["0", 1], "organism": "9606", "tuned": False})
    assert arguments.settings == ["a=1"]
    assert (arguments.device, arguments.organism, arguments.tuned) == ("0,1", ["9606"], False)


def test_several_queries_are_a_mapping_and_one_list(database):
    hits = swgui.search({"one": GLOBIN, "two": GLOBIN[:30]}, database, top=2)
    assert list(hits.queries) == ["one", "two"]
    assert [(hit.query_id, hit.rank) for hit in hits] == [("one", 1), ("one", 2), ("two", 1), ("two", 2)]
    assert [hit.id for hit in hits["two"]] == [hit.id for hit in hits[2:]]
    assert hits["two"].scores().tolist() == hits.scores("two").tolist()
    assert [(hit.query_id, hit.rank) for hit in hits[1:3]] == [("one", 2), ("two", 1)]
    assert hits[1:3].to_arrays(["qseqid", "rank"])["rank"].tolist() == [2, 1]
    assert hits[-1].query_id == "two"
    with pytest.raises(KeyError, match="no query called 'three'"):
        hits["three"]
    with pytest.raises(swgui.InvalidParameter, match="2 queries"):
        hits.scores()
    with pytest.raises(IndexError):
        hits[4]


def test_queries_of_one_name_stay_apart(database):
    hits = swgui.search(f">a\n{GLOBIN}\n>a\n{GLOBIN[:30]}\n", database, top=1)
    assert list(hits.queries) == ["a", "a#2"]
    assert hits["a"][0].score > hits["a#2"][0].score


def test_any_subject_is_found(database):
    hits = swgui.search(GLOBIN, database, top=1)
    found = hits.find("P3")
    assert found.id == "sp|P3|GAPPED"
    assert found.rank == 3
    assert found.score == hits.scores()[hits.database.ids.index(found.id)] == found.alignment.score
    assert found.alignment.counts.gaps == 2
    with pytest.raises(swgui.NotFound, match="no sequence called 'P9'"):
        hits.find("P9")


def test_alignments_say_where_they_are(database):
    hit = swgui.search("WWW" + GLOBIN[5:45], database)[0]
    alignment = hit.alignment
    assert ("WWW" + GLOBIN[5:45])[alignment.query_start : alignment.query_end] == alignment.rows.query
    assert hit.sequence[alignment.subject_start : alignment.subject_end] == alignment.rows.subject
    assert alignment.cigar == f"{len(alignment)}M"
    assert "Identities = 40/40 (100%)" in alignment.text
    assert alignment.text in hit.text
    assert alignment.rows.query in str(alignment)


def test_the_minus_strand_counts_on_the_sequences_as_given():
    subject = "TTGACCAGTCCGATTACAGGCTAA"
    hit = swgui.search("TGTAATCGGACT", [("TTTTTTTT"), subject], engine="reference", composition="none")[0]
    alignment = hit.alignment
    assert (hit.strand, alignment.strand) == (-1, -1)
    assert subject[alignment.subject_start : alignment.subject_end] == "AGTCCGATTACA"
    assert (alignment.query_start, alignment.query_end) == (0, 12)
    assert alignment.rows.query == alignment.rows.subject == "TGTAATCGGACT"


def test_databases_and_engines_stay_open(database, trusted_engines, monkeypatch):
    made = []
    make = registry.make_engine
    monkeypatch.setattr(registry, "make_engine", lambda *given: made.append(given) or make(*given))
    first = swgui.search(GLOBIN, database, engine="cpu")
    second = swgui.search(GLOBIN, str(database), engine="cpu", top=2)
    assert len(made) == 1
    assert second.result.database is first.result.database
    database.write_text(f">new\n{GLOBIN}\n")
    assert [hit.id for hit in swgui.search(GLOBIN, database, engine="cpu")] == ["new"]
    swgui.close()
    swgui.search(GLOBIN, database, engine="cpu")
    assert len(made) == 2
    assert first[0].alignment.score == first[0].score  # results stay usable


def test_threads_do_not_share_an_engine(database):
    found = {}

    def work(name):
        found[name] = [hit.score for hit in swgui.search(GLOBIN, database, top=3)]

    threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert len({tuple(scores) for scores in found.values()}) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
@pytest.mark.parametrize("engine", ["cpu", "reference"])
def test_a_process_forked_after_a_search_searches(engine, tmp_path):
    family = tmp_path / "family.fasta"  # so many that their alignments are made on several threads
    family.write_text("".join(f">{at}\n{GLOBIN[at % 50 :]}{GLOBIN}\n" for at in range(400)))
    script = f"""
import multiprocessing, swgui
def scores(top):
    return [hit.score for hit in swgui.search({GLOBIN!r}, {str(family)!r}, engine={engine!r}, top=top, threads=2)]
whole = scores(400)
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert pool.map(scores, [400, 300, 200]) == [whole, whole[:300], whole[:200]]
print("searched")
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=60, check=False)
    assert ended.stdout == b"searched\n", ended.stderr.decode()


def test_progress_is_told(database, capsys):
    told = []
    swgui.search(GLOBIN, database, progress=lambda *step: told.append(step))
    assert any(stage == "Scoring" and done == total > 0 for stage, done, total in told)
    assert all(isinstance(stage, str) and 0 <= done <= total for stage, done, total in told if total)
    assert capsys.readouterr().err == ""
    swgui.search(GLOBIN, database, progress=True)
    assert "Preparing the engine" in capsys.readouterr().err


def test_an_error_of_the_callback_ends_the_search(database):
    def fail(*_):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        swgui.search(GLOBIN, database, progress=fail)
    assert swgui.search(GLOBIN, database, top=1)[0].rank == 1


def press_once():
    """Return a callback that presses Ctrl+C the first time that it is called."""
    pressed = []

    def press(*_):
        if not pressed:
            pressed.append(True)
            signal.raise_signal(signal.SIGINT)

    return press


@pytest.fixture
def interrupted(small_chunks, monkeypatch):
    """Return a callback that presses Ctrl+C once some has been scored."""
    monkeypatch.setattr("swgui.jobs.search.run.PROGRESS_INTERVAL", 0)

    press = press_once()

    def later(stage, done, total):
        if stage == "Scoring" and done:
            press()

    before = signal.getsignal(signal.SIGINT)
    yield later
    assert signal.getsignal(signal.SIGINT) is before


def test_an_interrupt_keeps_what_is_done(database, interrupted):
    with pytest.warns(swgui.SwguiWarning, match="was stopped when"):
        hits = swgui.search(GLOBIN, database, progress=interrupted)
    assert hits.partial
    assert hits.state == "stopped"
    scored = hits.scores() >= 0
    assert 0 < scored.sum() < len(PROTEINS)
    assert "stopped" in repr(hits)


def test_an_interrupt_before_anything_is_done_is_one(database):
    with pytest.raises(KeyboardInterrupt):
        swgui.search(GLOBIN, database, progress=press_once())


def test_what_was_changed_is_said(database, tmp_path):
    hits = swgui.search(">odd\n" + GLOBIN.replace("G", "1", 1), database, top=1)
    assert any("odd" in remark for remark in hits.remarks)
    odd = tmp_path / "odd.fasta"
    odd.write_text(f">a\n{GLOBIN}!\n")
    with pytest.warns(swgui.SwguiWarning, match="odd.fasta"):
        hits = swgui.search(GLOBIN, odd)
    assert any("odd.fasta" in remark for remark in hits.remarks)


def test_rounds_are_a_search(database):
    hits = swgui.iterate(GLOBIN, database, iterations=2, include_ids=["P2"])
    statuses = {hit.id: hit["round_status"] for hit in hits}
    assert statuses["sp|P2|NEAR"] in ("new", "kept")
    assert statuses["sp|P1|ALPHA"] == "query"
    assert "first_round" in hits.to_arrays()
    same = swgui.search(GLOBIN, database, iterations=2, include_ids="P2")
    assert [hit.score for hit in same] == [hit.score for hit in hits]


def test_a_search_may_begin_with_an_alignment(database, tmp_path):
    family = tmp_path / "family.a3m"
    family.write_text(f">globin\n{GLOBIN}\n>near\n{GLOBIN.replace('KTNVKAAW', 'KANIKATW')}\n")
    hits = swgui.search(None, database, start_from=family)
    with redirect_stdout(io.StringIO()) as said:
        assert main(["search", "--start-from", str(family), "-d", str(database), "--columns", "sseqid,score"]) == 0
    assert [f"{hit.id}\t{hit.score}" for hit in hits] == said.getvalue().splitlines()[1:]
    assert hits[0].query_id == "globin"
    assert swgui.iterate(None, database, start_from=family, iterations=2)[0].query_id == "globin"
    with pytest.raises(swgui.InvalidParameter, match="would replace it"):
        hits.write(family, "fasta")


def test_outputs_never_replace_what_was_read(database, tmp_path):
    hits = swgui.search(GLOBIN, database, top=2)
    with pytest.raises(swgui.InvalidParameter, match="would replace it"):
        hits.write(database, "fasta")
    with pytest.raises(swgui.InvalidParameter, match="that of no format"):
        hits.write(tmp_path / "hits.unknown")
    hits.write(tmp_path / "hits.json")
    assert len(json.loads((tmp_path / "hits.json").read_text())["queries"]) == 1
    hits["query"][:1].write(tmp_path / "one.txt", "blast6")
    assert {line.split("\t")[1] for line in (tmp_path / "one.txt").read_text().splitlines()} == {"sp|P1|ALPHA"}
    hits.write(tmp_path / "two.tsv", columns=["sseqid", "score"])
    assert (tmp_path / "two.tsv").read_text().splitlines()[0] == "sseqid\tscore"


def test_a_search_is_saved_and_opened_again(database, tmp_path, capsys):
    hits = swgui.search({"one": GLOBIN, "two": GLOBIN[:30]}, database, top=3)
    hits.save(tmp_path / "run.swgui")
    again = swgui.load(tmp_path / "run.swgui")
    assert [(hit.id, hit.score, hit.evalue) for hit in again] == [(hit.id, hit.score, hit.evalue) for hit in hits]
    assert again.scores("two").tolist() == hits.scores("two").tolist()
    assert again[0].alignment.cigar == hits[0].alignment.cigar
    assert main(["show", str(tmp_path / "run.swgui"), "--columns", "sseqid"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == [hit.id for hit in hits]
    hits["two"][:1].save(tmp_path / "part.swgui")
    assert [hit.query_id for hit in swgui.load(tmp_path / "part.swgui")] == ["two"]
    with pytest.raises(swgui.InvalidParameter, match="would replace it"):
        again.save(tmp_path / "run.swgui")
    with pytest.raises(swgui.SwguiError):
        swgui.load(database)


def test_the_signal_of_others_is_left_alone(database, monkeypatch):
    seen = []
    before = signal.signal(signal.SIGTERM, lambda *_: seen.append(True))
    try:
        swgui.search(GLOBIN, database, progress=lambda *_: signal.raise_signal(signal.SIGTERM))
    finally:
        signal.signal(signal.SIGTERM, before)
    assert seen


def test_a_forked_process_opens_its_own(database):
    swgui.search(GLOBIN, database)
    kept = session.SessionCache()
    kept.databases, kept.last_engine = dict(session.CACHE.databases), session.CACHE.last_engine
    kept.forget()
    assert kept.databases == {}
    assert kept.last_engine is None


# Hits as tables of other libraries: the same values, and a sentence where one is missing.

COLUMNS = ["qseqid", "sseqid", "score", "evalue", "pident", "zscore", "organism"]


@pytest.fixture
def hits(database):
    return swgui.search({"one": GLOBIN, "two": GLOBIN[:30]}, database, top=3)


def as_lists(name, frame):
    if name == "pandas":
        return {key: [None if value is None or value != value else value for value in frame[key]] for key in frame}
    return frame.to_pydict() if name == "pyarrow" else frame.to_dict(as_series=False)


@pytest.mark.parametrize(("name", "method"), [("pandas", "pandas"), ("polars", "polars"), ("pyarrow", "arrow")])
def test_frames_hold_the_columns(hits, name, method):
    pytest.importorskip(name)
    frame = getattr(hits, f"to_{method}")(COLUMNS)
    found = as_lists(name, frame)
    assert list(found) == COLUMNS
    assert found["score"] == hits.to_arrays(["score", "pident"])["score"].tolist()
    assert found["qseqid"][0] == "one"
    assert found["organism"] == [None] * len(found["score"])
    assert found["evalue"][0] == pytest.approx(hits[0].evalue)
    assert {type(value) for value in found["score"]} == {int} or name == "pandas"


@pytest.mark.parametrize(("name", "method"), [("pandas", "pandas"), ("polars", "polars"), ("pyarrow", "arrow")])
def test_a_missing_library_is_named(hits, name, method, monkeypatch):
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(swgui.MissingPackage, match=f"'{name}' is not installed. Install it with: pip install 'swgui"):
        getattr(hits, f"to_{method}")()
    with pytest.raises(ImportError):
        getattr(hits, f"to_{method}")()


def test_arrays_need_nothing(hits):
    found = hits.to_arrays(["std", "organism", "n_hsps"])
    assert list(found)[:3] == ["qseqid", "sseqid", "pident"]
    assert found["sseqid"].dtype == object
    assert found["n_hsps"].dtype == int
    assert {len(values) for values in found.values()} == {len(found["evalue"])}
    assert found["evalue"][0] == pytest.approx(hits[0].evalue)
    quick = hits.to_arrays(["sseqid", "score", "evalue"])
    assert quick["score"].tolist() == [hit.score for hit in hits]
    with pytest.raises(swgui.InvalidParameter, match="no column 'nothing'"):
        hits.to_arrays(["nothing"])


def test_what_is_not_known_is_no_number(hits):
    assert hits[0]["organism"] is None
    assert hits[0]["zscore"] is None
    assert all(map(math.isnan, hits.to_arrays(["zscore"])["zscore"]))


# Translated searches from Python


@pytest.mark.usefixtures("user_folders", "trusted_engines")
def test_a_gene_on_the_other_strand_is_found_in_bases():
    hits = swgui.search(PROTEIN, [f"CCTTC{BACK}ATTAGG"], engine="cpu", composition="none")
    (alignment,) = hits[0].alignments[:1]
    assert (alignment.subject_start, alignment.subject_end) == (5, 5 + len(GENE))
    assert (alignment.strand, alignment.query_frame, alignment.subject_frame) == (-1, 0, -1)


@pytest.mark.usefixtures("user_folders", "trusted_engines")
def test_parameters_say_how_it_is_translated():
    hits = swgui.search(f"CC{BACK}", [PROTEIN], engine="cpu", composition="none", frames="minus", query_code=11)
    alignment = hits[0].alignments[0]
    assert (alignment.query_start, alignment.query_end, alignment.query_frame) == (2, 2 + len(GENE), -1)
    with pytest.raises(swgui.SwguiError, match="no genetic code 99"):
        swgui.search(GENE, [PROTEIN], engine="cpu", query_code=99)
