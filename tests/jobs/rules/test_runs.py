"""Runs by rule: counts, blocks, controls, checks of what was found, stop and resume."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineFault, EngineUnavailable, InvalidParameter, Stopped, SwguiError
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.rules.matching import AMBIGUITIES
from swgui.core.rules.request import RuleRequest
from swgui.core.rules.rule import Edits, Guides, Identity, Mismatches, Primers, Window, Words
from swgui.engines.base import DeviceInfo
from swgui.engines.cuda import device
from swgui.engines.rules import make_scanner
from swgui.engines.rules.host import HostScanner
from swgui.jobs.rules import blocks
from swgui.jobs.rules.blocks import Block, digest_of
from swgui.jobs.rules.checks import check_places
from swgui.jobs.rules.resume import kept_state
from swgui.jobs.rules.run import RuleRun, certificate

RULES = (
    Mismatches(3),
    Edits(2),
    Edits(2, matching_ends=True, gaps=1),
    Identity(Fraction(1, 2)),
    Identity(Fraction(1, 2), over="query"),
    Window(6, Fraction(1, 2)),
    Window(12, Fraction(1, 3)),
    Words(3),
    Guides("NG", "3", 1, 1, 1),
    Guides("TV", "5", 3, 1, 0, 3),
    Primers(5, 2, 10, 60),
)


def records(texts, prefix):
    return tuple(SequenceRecord(f"{prefix}{n}", "", text) for n, text in enumerate(texts))


def asked(rule, ambiguity="strict"):
    """Return a request of a rule, and a database that has places of it."""
    alphabet = NUCLEOTIDE if isinstance(rule, Guides | Primers) else PROTEIN
    symbols = np.frombuffer(alphabet.plain[:4].encode() + alphabet.wildcard.encode(), np.uint8)
    rng = np.random.default_rng(7)

    def text(size):
        return symbols[rng.choice(5, size, p=[0.24] * 4 + [0.04])].tobytes()

    subjects = [text(size) for size in rng.integers(1, 60, 40)]
    queries = records([text(8) for _ in range(4)], "q")
    request = RuleRequest(rule, queries, alphabet, "", ambiguity, engine="cpu")
    return request, encode_database(records(subjects, "s"), alphabet, "d")


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(blocks, "SMALLEST", 150)


def went(request, database):
    run = RuleRun(request, database)
    run.scan_all()
    return run


@pytest.mark.parametrize("ambiguity", AMBIGUITIES)
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: type(rule).__name__)
@pytest.mark.sampled
def test_counts_are_those_of_the_formula_and_blocks_change_nothing(rule, ambiguity, monkeypatch):
    request, database = asked(rule, ambiguity)
    run = went(request, database)
    facts = certificate(run)
    strands = 2 if request.both_strands else 1
    sizes = [len(record.residues) for record in request.queries]
    formula = strands * sum(rule.places(n, int(m)) for n in sizes for m in database.lengths)
    assert facts["expected"] == facts["tested"] == formula
    assert facts["left_out"] == 0
    assert facts["complete"]
    assert facts["found"] > 0
    assert sum(facts["found_by_differences"].values()) == facts["found"]
    checks = run.checks
    assert checks.places == facts["found"]
    assert checks.recounted + checks.fitted + checks.aligned > 0
    assert len(run.blocks) > 3
    monkeypatch.setattr(blocks, "SMALLEST", 1 << 20)
    monkeypatch.setattr(blocks, "FEWEST", 1)
    other = went(request, database)
    assert len(other.blocks) == 1
    assert digest_of(other.found()) == digest_of(run.found())


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: type(rule).__name__)
def test_a_place_that_is_not_as_it_was_found_is_seen(rule):
    request, database = asked(rule)
    places = went(request, database).found().take(slice(0, 1))
    assert check_places(request, database, places, lambda: None).places == 1
    for name in ("start", "mismatches"):
        wrong = places.take(slice(0, 1))
        if isinstance(rule, Words) and name == "mismatches":
            continue
        getattr(wrong, name)[0] += 1
        with pytest.raises(EngineFault, match="the sequence there is another"):
            check_places(request, database, wrong, lambda: None)


def stopping_after(number):
    def keep(run):
        if len(run.blocks) == number:
            raise Stopped

    return keep


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: type(rule).__name__)
@pytest.mark.sampled(6)
def test_a_run_goes_on_from_its_state(rule, tmp_path):
    request, database = asked(rule)
    whole = went(request, database)
    state = str(tmp_path / "state")
    for number in (2, 3):
        run = RuleRun(request, database)
        with kept_state(state, run) as keep, pytest.raises(Stopped):
            run.scan_all(keep=lambda run, keep=keep, number=number: (keep(run), stopping_after(number)(run)))
        assert len(run.blocks) == number
        facts = certificate(run)
        assert not facts["complete"]
        assert facts["left_out"] == len(database) - run.blocks[-1].last == len(facts["left_out_sequences"])
        assert facts["tested"] < facts["expected"]
    with open(state, "ab") as file:
        file.write(b"half a record")
    run = RuleRun(request, database)
    with kept_state(state, run) as keep:
        run.scan_all(keep=keep)
    assert run.resumed
    facts = certificate(run)
    assert facts["complete"]
    assert facts["resumed"]
    assert facts["expected"] == facts["tested"]
    assert run.blocks == whole.blocks
    assert digest_of(run.found()) == digest_of(whole.found())


def test_a_state_of_something_else_is_refused(tmp_path):
    request, database = asked(Mismatches(3))
    state = str(tmp_path / "state")
    run = RuleRun(request, database)
    with kept_state(state, run), pytest.raises(SwguiError, match="in use"), kept_state(state, run):
        pass
    fewer = RuleRequest(request.rule, request.queries[1:], request.alphabet, "", engine="cpu")
    other = encode_database(records([b"ARNDARND"], "s"), PROTEIN, "d")
    for what, run in {
        "another rule": RuleRun(asked(Mismatches(2))[0], database),
        "other queries": RuleRun(fewer, database),
        "another database": RuleRun(request, other),
        "another reading of ambiguous residues": RuleRun(asked(Mismatches(3), "wild")[0], database),
    }.items():
        with pytest.raises(SwguiError, match=what), kept_state(state, run):
            pass
    (tmp_path / "other").write_text(">a\nACGT\n")
    with pytest.raises(SwguiError, match="no state"), kept_state(str(tmp_path / "other"), RuleRun(request, database)):
        pass
    assert (tmp_path / "other").read_text() == ">a\nACGT\n"


def test_controls_hold_for_queries_that_are_parts_of_others_or_match_nothing():
    texts = b"ARNDCQEGHI", b"ARNDCQEGH", b"ARXDCQEGH", b"XXXXARND", b"ARNBZDJUO"
    database = encode_database(records([b"ARNDCQEGHILKMF"], "s"), PROTEIN, "d")
    for rule in (
        Mismatches(0),
        Mismatches(4),
        Edits(3, mismatches=1),
        Words(4),
        Window(9),
        Window(40, Fraction(1, 10)),
    ):
        for ambiguity in AMBIGUITIES:
            run = went(RuleRequest(rule, records(texts, "q"), PROTEIN, "", ambiguity, engine="cpu"), database)
            assert run.controls.ok
            assert run.controls.within > 10
            assert run.complete


def test_blocks_are_small_where_a_residue_costs_many_cells(monkeypatch):
    request, database = asked(Window(6, Fraction(1, 2)))
    few = went(request, database)
    monkeypatch.setattr(blocks, "CELLS", 5_000)
    many = went(request, database)
    assert len(many.blocks) > 2 * len(few.blocks)
    assert digest_of(many.found()) == digest_of(few.found())


def test_what_the_cpu_finds_before_a_gpu_begins_does_not_wait_for_one():
    """A GPU is not even looked for: that takes longer than the scan."""
    request, database = asked(Mismatches(1))
    run = RuleRun(replace(request, engine="auto"), database)
    assert isinstance(run.scanner(), HostScanner)
    assert "kernel SHA-256" not in run.code
    assert isinstance(make_scanner("auto", 0.0)[0], HostScanner)


def test_a_rule_runs_on_the_gpu_that_was_chosen(monkeypatch):
    """Also where the CPU would have been done before a GPU begins; a device that is not there is refused."""
    gpus = tuple(DeviceInfo(str(number), f"GPU {number}", memory=1 << 30, free_memory=1 << 30) for number in range(2))
    made = []
    monkeypatch.setattr(device, "probe", lambda: SimpleNamespace(available=True, devices=gpus, reason="", hint=""))
    monkeypatch.setattr(device, "import_cupy", lambda: None)
    monkeypatch.setattr("swgui.engines.cuda.gpu.Gpu", lambda _cupy, info: made.append(info.id))
    monkeypatch.setattr("swgui.engines.rules.device.DeviceScanner", lambda gpu: gpu)
    request, database = asked(Mismatches(1))
    for engine in ("auto", "cuda"):
        run = RuleRun(replace(request, engine=engine, options=EngineOptions(("1",))), database)
        run.scanner()
        assert run.device == "GPU 1"
    with pytest.raises(InvalidParameter, match="no CUDA device '7'"):
        make_scanner("auto", 0.0, EngineOptions(("7",)))
    assert made == ["1", "1"]


def test_a_chosen_gpu_that_is_not_there_is_an_error(monkeypatch):
    monkeypatch.setattr(device, "probe", lambda: SimpleNamespace(available=False, devices=(), reason="No.", hint=""))
    with pytest.raises(EngineUnavailable, match="No"):
        make_scanner("auto", 0.0, EngineOptions(("0",)))


def test_ambiguous_residues_are_counted_a_part_at_a_time(monkeypatch):
    monkeypatch.setattr(blocks, "COUNTED", 7)
    database = encode_database(records([b"ARNXBD", b"XXARNDZ", b"ARND"], "s"), PROTEIN, "d")
    text, _ = blocks.open_block(database, Block(0, 3))
    assert blocks.ambiguous_residues(text, PROTEIN) == 5
