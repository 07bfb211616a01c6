"""Rules asked of a packed file that is not in memory: the same as of a database that is."""

import threading
from concurrent.futures import Future
from dataclasses import asdict

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.errors import Stopped
from swgui.core.rules.request import RuleRequest
from swgui.core.rules.rule import Edits, Mismatches, Words
from swgui.io.database.file import open_database
from swgui.io.database.packed import writer
from swgui.io.database.packed.build import save_packed
from swgui.jobs.events import run_to_end
from swgui.jobs.rules import blocks
from swgui.jobs.rules.background import fasta_identities
from swgui.jobs.rules.blocks import Block, digest_of
from swgui.jobs.rules.resume import kept_state
from swgui.jobs.rules.run import RuleRun, certificate
from swgui.jobs.rules.table import places_table
from swgui.jobs.rules.verify import verify_certificate
from tests.jobs.rules.test_runs import RULES, asked, records, went

IN_FRAMES = Mismatches(2), Edits(1), Words(3)  # of proteins, in a database of DNA


def translated(rule):
    """Return a request of proteins, and a database of DNA that has places of it."""
    rng = np.random.default_rng(5)
    _, database = asked(RULES[-1])
    queries = ["".join(rng.choice(list("ACDEFGHIKLMNPQRSTVWY"), 5)).encode() for _ in range(60)]
    request = RuleRequest(rule, records(queries, "q"), PROTEIN, "", engine="cpu", frames=(1, 2, 3, -1, -2, -3))
    return request, database


@pytest.fixture(params=[*RULES, *IN_FRAMES], ids=lambda rule: type(rule).__name__)
def case(request, tmp_path, monkeypatch):
    """Return a request, its database, and that as a packed file of many blocks."""
    monkeypatch.setattr(blocks, "SMALLEST", 150)
    monkeypatch.setitem(writer.PackedWriter.__init__.__kwdefaults__, "block_sequences", 7)
    made = asked(request.param) if request.param in RULES else translated(request.param)
    save_packed(made[1], tmp_path / "packed.swdb")
    return *made, tmp_path / "packed.swdb"


@pytest.mark.sampled(3)
def test_it_is_the_same_and_nothing_is_put_together(case):
    request, database, path = case
    run, packed = went(request, database), went(request, open_database(path, in_blocks=True))
    assert len(packed.database.pieces) > 3
    assert len(packed.found()) > 0
    assert digest_of(packed.found()) == digest_of(run.found())
    assert packed.checks == run.checks
    tables = [places_table(request, one.database, one.found()) for one in (packed, run)]
    assert list(tables[0].rows()) == list(tables[1].rows())
    facts, others = certificate(packed), certificate(run)
    for name in ("expected", "tested", "found", "found_by_differences", "subjects_found", "result_sha256"):
        assert facts[name] == others[name], name
    for name in ("ambiguous_residues", "shortest", "longest", "residues"):
        assert facts["database"][name] == others["database"][name], name
    assert not vars(packed.database).keys() & {"lengths", "offsets", "order", "position", "stored_organisms"}
    if request.is_allergen_check:
        found = packed.found()
        assert np.array_equal(*(fasta_identities(request, one, found) for one in (database, packed.database)))


@pytest.mark.sampled(3)
def test_its_certificate_holds_wherever_it_is_scanned(case):
    request, _, path = case
    facts = certificate(went(request, open_database(path)))
    assert [asdict(block) for block in went(request, open_database(path, in_blocks=True)).blocks] == facts["blocks"]

    def verified(in_blocks):
        opened = open_database(path, in_blocks=in_blocks)
        return run_to_end(verify_certificate(facts, request, opened, threading.Event(), full=True))

    assert verified(in_blocks=True).ok
    facts["blocks"][0]["ambiguous"] += 1
    problems = "".join(verified(in_blocks=False).problems)
    assert "'blocks.0.ambiguous' is stated as" in problems
    facts["blocks"][-1]["last"] += 1
    assert "which the database does not have as a block" in "".join(verified(in_blocks=True).problems)


@pytest.mark.sampled(3)
def test_stop_does_not_wait_for_a_block_that_is_read(case):
    request, _, path = case
    run = RuleRun(request, open_database(path, in_blocks=True))
    run.database.blocks.get = lambda number: Future().result()  # of a drive that never answers

    def stop():
        raise Stopped

    with pytest.raises(Stopped):
        list(blocks.blocks_of(run.database, check=stop))


@pytest.mark.sampled(3)
def test_it_goes_on_where_it_was_stopped(case, tmp_path):
    request, _, path = case
    whole = went(request, open_database(path, in_blocks=True))
    for number in (1, 2, len(whole.blocks) - 1):
        run = RuleRun(request, open_database(path, in_blocks=True))

        def keep_some(run, number=number):
            keep(run)
            if len(run.blocks) == number:
                raise Stopped

        with kept_state(str(tmp_path / "state"), run) as keep, pytest.raises(Stopped):
            run.scan_all(keep=keep_some)
        assert certificate(run)["left_out"] == len(whole.database) - run.blocks[-1].last
    run = RuleRun(request, open_database(path, in_blocks=True))
    with kept_state(str(tmp_path / "state"), run) as keep:
        run.scan_all(keep=keep)
    assert run.blocks == whole.blocks
    assert digest_of(run.found()) == digest_of(whole.found())
    assert blocks.piece_of(run.database, Block(0, len(run.database))) is None
