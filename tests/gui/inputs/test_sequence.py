"""The common part of the boxes of the Search page and of the Pair page."""

import threading

import pytest

from swgui.gui.inputs.detection import TEXT_LIMIT, detect_in_text, find_doubt
from swgui.gui.inputs.query import QueryPanel
from swgui.gui.kit.tasks.task import TaskControl
from swgui.gui.pair.input import SequencePanel
from tests.gui.named import named

FASTA = ">first\nMKTAYIAKQR\n>second\nMKT\n"


@pytest.fixture(params=["query", "pair"])
def panel(request, qtbot, tasks):
    made = QueryPanel(tasks) if request.param == "query" else SequencePanel("query", "Query", tasks)
    qtbot.addWidget(made)
    return made


def part(panel, name):
    """A widget of either panel, whose names begin differently."""
    return named(panel, {"queryPanel": "query", "pair-query": "pairQuery"}[panel.objectName()] + name)


def read(panel, qtbot):
    qtbot.waitUntil(lambda: not panel.busy and not panel.problem)


def test_text_is_read_after_a_pause_and_again_as_another_kind(panel, qtbot):
    assert panel.problem
    panel.box.setPlainText(FASTA)
    assert panel.busy
    read(panel, qtbot)
    assert panel.alphabet.name == "protein"
    assert part(panel, "Kind").itemText(0) == "Auto: protein"
    panel.set_kind("nucleotide")
    assert panel.busy
    qtbot.waitUntil(lambda: not panel.busy)
    assert panel.kind == "nucleotide"
    panel.clear()
    qtbot.waitUntil(lambda: not panel.busy)
    assert panel.alphabet is None
    assert panel.problem


def test_a_large_file_is_held_until_something_else_is_taken(panel, qtbot, tmp_path):
    path = tmp_path / "large & long.fa"
    path.write_text(">large\n" + "MKTAYIAKQR" * (TEXT_LIMIT // 10 + 1) + "\n")
    panel.open_file(path)
    read(panel, qtbot)
    assert panel.source == path
    assert panel.box.isReadOnly()
    assert "more" in panel.box.toPlainText()
    assert "&amp;amp;" not in part(panel, "Source").toolTip()
    panel.set_text(FASTA)
    read(panel, qtbot)
    assert panel.source is None
    assert not panel.box.isReadOnly()


def test_a_file_that_cannot_be_read_leaves_the_box_for_typing(panel, qtbot, tmp_path):
    panel.open_file(tmp_path / "absent.fa")
    qtbot.waitUntil(lambda: "absent.fa" in panel.problem)
    assert not panel.box.isReadOnly()
    panel.box.setPlainText(FASTA)
    read(panel, qtbot)


PROSE = "My DHFR protein \u2013 from the \u201cpaper\u201d:\nMVGSLNCIVAVSQNMGIGKNGDLPWPPLRNEFRYFQRMTTTSSVEGKQNLV\n"


@pytest.mark.parametrize(
    ("text", "question", "meant"),
    [
        (PROSE, "looks like words", b"MVGSLNCIVAVSQNMGIGKNGDLPWPPLRNEFRYFQRMTTTSSVEGKQNLV"),
        ("Met Val Gly Ser Leu Asn Cys Ile Val Ala Ter", "three-letter code: MVGSLNCIVA*", b"MVGSLNCIVA*"),
        (">x\nMetValGlySerLeuAsn\n", "three-letter code: MVGSLN", b"MVGSLN"),
    ],
)
def test_words_and_three_letter_code_are_asked_about(panel, qtbot, text, question, meant):
    panel.set_text(text)
    qtbot.waitUntil(lambda: panel.doubt is not None)
    assert question in part(panel, "Question").text()
    assert "nswer first" in panel.problem  # no search before that
    part(panel, "Meant").click()
    read(panel, qtbot)
    assert panel.doubt is None
    assert panel.reading.rows[0].record.residues == meant


def test_a_text_that_is_kept_is_not_asked_about_again(panel, qtbot):
    panel.set_text("Met Val Gly Ser")
    qtbot.waitUntil(lambda: panel.doubt is not None)
    part(panel, "AsItIs").click()
    assert panel.doubt is None
    assert panel.reading.rows[0].record.residues == b"METVALGLYSER"
    assert not panel.problem
    panel.set_text("Met Val Gly Ser Leu")
    qtbot.waitUntil(lambda: panel.doubt is not None)


@pytest.mark.parametrize(
    "text",
    [
        ">a fine, long header: with words\nMKTAYIAKQR\n", "        1 mkvlwaallv tflagcqakv\n       21 mkvlwaallv tfl\n",
        "ATG GCC ATT GTA ATG", "MKT-AYI.AKQR*\n", "mkvlw aallv\n11 tflag", ";comment, with words\n>x\nMKTAY\n",
        "MKTAYIAKQR",
    ],
)  # fmt: skip
def test_sequences_raise_no_doubt(text):
    assert find_doubt(text) is None


def test_an_empty_file_is_said_to_be_empty(panel, qtbot, tmp_path):
    path = tmp_path / "nothing.fa"
    path.write_text("")
    panel.open_file(path)
    qtbot.waitUntil(lambda: "is empty" in panel.problem)


def test_the_message_about_a_bad_file_goes_when_the_next_is_opened(panel, qtbot, tmp_path):
    bad, good = tmp_path / "bad.fa", tmp_path / "good.fa"
    bad.write_bytes(b"%PDF-1.4")
    good.write_text(FASTA)
    panel.open_file(bad)
    qtbot.waitUntil(lambda: "PDF" in part(panel, "Summary").text())
    panel.open_file(good)
    assert "PDF" not in part(panel, "Summary").text()
    read(panel, qtbot)


def test_a_large_file_tells_how_far_it_is_and_can_be_stopped(panel, qtbot, tasks, tmp_path, monkeypatch):
    path = tmp_path / "many.fa"
    path.write_text("".join(f">s{at}\n{'MKTAYIAKQR' * 20}\n" for at in range(4_000)))
    told, gate = [], threading.Event()

    def tell(control, done, total, text=""):
        told.append(done / total)
        if len(told) > 2:
            gate.wait(60)  # for Stop
        usual(control, done, total, text)

    usual = TaskControl.tell
    monkeypatch.setattr(TaskControl, "tell", tell)
    panel.show()
    panel.open_file(path)
    qtbot.waitUntil(panel.bar.isVisible)
    part(panel, "Stop").click()
    qtbot.waitUntil(lambda: not panel.busy)
    gate.set()
    qtbot.waitUntil(lambda: tasks.idle)
    assert not panel.bar.isVisible()
    assert panel.alphabet is None  # it is gone
    assert told == sorted(told)
    assert len(told) < 4_000 // 256


def test_stops_and_repeated_sequences_get_their_line():
    found = detect_in_text(">a\nMKTAYIAKQRMKT*YIAKQRMKTAYIAKQRMKT*YIAKQR*\n>b\nMKTAY*\n>c\nMKTAY*\n", None)
    assert found.rows[0].remarks == "stop at 14 and 1 more: the reading frame may be wrong"
    assert found.rows[0].warns
    assert "stop" not in found.rows[1].remarks
    assert found.repeated == 1
