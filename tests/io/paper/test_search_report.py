"""Reports on paper: text of the pages, read back from the PDF file."""

import io
import re
import zlib

import pytest

from swgui.core.records import SequenceRecord
from swgui.core.verdict.answers import search_answer
from swgui.io.export import save_hits, write_hits
from swgui.io.paper import search as report
from swgui.io.paper.letters import lines_of, runs_of, shortened, width_of
from swgui.io.paper.marks import HEIGHT, MARGIN, TEXT_WIDTH, WIDTH, Bar, Words
from tests.io.sequences.by_hand import make_hit


def text_of(content: bytes) -> str:
    """Return the words of a PDF file, a mark each line, in the order of its pages."""
    streams = re.findall(rb"stream\n(.*?)\nendstream", content, re.DOTALL)
    marks = re.findall(rb"BT (.*?) ET\n", b"".join(map(zlib.decompress, streams)), re.DOTALL)
    words = ("".join(part.decode("cp1252") for part in re.findall(rb"\((.*?)\) Tj", mark)) for mark in marks)
    return re.sub(r"\\([()\\])", r"\1", "\n".join(words))


@pytest.fixture(scope="module")
def saved(proteins, tmp_path_factory):
    """The report of three queries, as a file."""
    path = tmp_path_factory.mktemp("paper") / "report.pdf"
    save_hits(path, "pdf", *proteins)
    return path.read_bytes()


def test_a_report_has_the_answer_the_queries_and_their_alignments(proteins, saved):
    text = text_of(saved)
    lines = text.split("\n")
    assert lines[0] == f"Search of {proteins[0].database.name}"
    answer = search_answer(proteins[0])
    assert lines[1:5] == [answer.sentence, *(line.text.replace("≤", "£") for line in answer.lines)]  # £: of Symbol
    assert [line for line in lines if line in ("q1", "q2", "q 3")] == ["q1", "q2", "q 3"]
    assert "5 residues, 0 hits." in lines
    assert "above: significant, E £ 0.001" in lines
    assert "Query  1   MKVLWAALLVTFLAGCQAKVEQAVETEPEPELRQQTEWQSGQRWELALGRFWDYLRWVQT  60" in lines
    assert "The alignments of 1 further hit are not here; the formats html and text have all." in lines
    assert "How this was searched" in lines
    assert proteins[0].database.checksum in text


def test_a_report_names_its_pages_and_lists_its_queries(saved):
    pages = len(re.findall(rb"/Type /Page ", saved))
    assert f"{pages} of {pages}" in text_of(saved)
    titles = [bytes.fromhex(title.decode()).decode("utf-16") for title in re.findall(rb"/Title <(\w+)> /Parent", saved)]
    assert titles[1:] == ["q1", "q2", "q 3", "How this was searched"]


def test_every_object_is_where_the_table_of_a_file_says(saved):
    start = int(re.findall(rb"startxref\n(\d+)", saved)[-1])
    places = re.findall(rb"(\d{10}) 00000 n", saved[start:])
    assert len(places) == len(re.findall(rb"^\d+ 0 obj", saved, re.MULTILINE))
    for number, place in enumerate(places, 1):
        assert saved[int(place) :].startswith(b"%d 0 obj" % number)


def test_nothing_stands_outside_of_the_margins(proteins):
    result, hits = proteins
    long = SequenceRecord("long" * 60, "title " * 90, result.queries[0].query.residues)
    hits = [make_hit(result.scheme, result.queries[0].query, long, 0, 1, 0, 0, "63M", log10_evalue=-9.0), *hits[1:]]
    for page in report.report_pages(result, hits):
        for mark in page.marks:
            right = mark.x + (width_of(mark.text, mark.size, mark.font) if isinstance(mark, Words) else mark.width)
            assert MARGIN - 0.1 <= mark.x <= right <= WIDTH - MARGIN + 0.1
            assert MARGIN - 0.1 <= mark.y <= HEIGHT - MARGIN + 0.1


def test_bars_lie_where_the_alignments_lie_along_the_query(proteins):
    _, hits = proteins
    _, marks = report.drawing(hits[:3], 63)
    colours = set(report.CLASS_COLOURS[False])
    legend, bars = len(report.SCORE_CLASSES), [one for one in marks if isinstance(one, Bar) and one.colour in colours]
    room = TEXT_WIDTH - report._NAMES
    assert [round(bar.width / room, 3) for bar in bars[legend:]] == [1, round(15 / 63, 3)]  # 63M; 5M1I9M


def test_one_of_several_queries_is_printed_alone(proteins):
    result, hits = proteins
    pages = list(report.report_pages(result, hits[3:], lambda *_: True, only=result.queries[2]))
    assert [heading.title for page in pages for heading in page.headings][1:] == ["q 3", "How this was searched"]


def test_a_file_for_programs_cannot_be_printed_to_a_stream_of_text(proteins):
    with pytest.raises(Exception, match="no text"):
        write_hits("pdf", *proteins, io.StringIO())


def test_signs_that_the_fonts_lack_are_told_apart():
    runs = list(runs_of("E ≤ 10⁻⁸ café 蛋", "plain"))
    assert [run.font for run in runs] == ["plain", "symbol", "plain", "plain", "plain"]
    assert [run.raised for run in runs] == [False, False, False, True, False]
    assert runs[3].code == b"-8"
    assert runs[4].code == " café ?".encode("cp1252")


def test_lines_fit_their_width():
    lines = lines_of("one two three " + "x" * 90, 60, 9)
    assert all(width_of(line, 9) <= 60 for line in lines)
    assert "".join(lines).replace(" ", "") == "onetwothree" + "x" * 90
    assert lines_of("one two three four", 40, 9, most=1)[0].endswith("…")
    assert shortened("short", 60, 9) == "short"
