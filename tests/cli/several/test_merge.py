"""``swgui search --part`` and ``swgui merge``: merged parts are the output of one search, or nothing is written."""

import re
import signal
import subprocess
import sys
import time
import zipfile

import numpy as np
import pytest

import swgui
from swgui.cli import main
from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.errors import InvalidParameter
from swgui.core.several.joined import joined
from swgui.core.several.shares import Share
from swgui.io.export import FORMATS
from swgui.io.saved.search import load_search
from tests.cli.several.test_diff import call
from tests.cli.several.test_several import BASES, LETTERS, write
from tests.core.several.test_joined import records, with_relatives

TEXTS = [name for name, form in FORMATS.items() if form.is_text]
CHANGING = re.compile(r"(seconds|finished|gcups)(</dt><dd>)?[^\n,;<]*|\d{4}-\d\d-\d\dT[\d:+-]*|[\d.,]+ (GCUPS|s\b)")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Write databases and queries of proteins and of DNA."""
    folder, chance = tmp_path_factory.mktemp("merge"), np.random.default_rng(17)
    names = {"to": folder}
    for kind, letters, count in (("p", LETTERS, 640), ("n", BASES, 560)):
        queries = [record for record in records(chance, 9, letters, 150) if len(record.residues) > 60][:3]
        made = with_relatives(chance, records(chance, count, letters, organism=True), queries, letters)
        made = [one for one in made if one.residues]
        for name, some in (
            ("q", queries),
            ("1", queries[:1]),
            ("d", made),
            ("few", made[:40]),
            ("a", made[:200]),
            ("b", made[200:]),
        ):
            names[kind + name] = str(write(folder / f"{kind}{name}.fasta", some))
    return names


def in_parts(capsys, folder, count, *words):
    """Search in parts; returns them, the last one first."""
    paths = [folder / f"{number}.part" for number in range(1, count + 1)]
    for number, path in enumerate(paths, start=1):
        call(capsys, "search", "--engine", "cpu", *words, "--part", f"{number}/{count}", "-o", path)
    return paths[::-1]


def written(capsys, form, *words):
    return CHANGING.sub("", call(capsys, *words, "--format", form))


CASES = {
    "protein": ("pq", ["pd"], []),
    "several databases": ("pq", ["pa", "pb"], []),
    "corrected by lambda": ("pq", ["pd"], ["--composition", "lambda", "--evalue", "1000"]),
    "fitted to the scores": ("pq", ["pd"], ["--gap-open", "7", "--gap-extend", "3"]),
    "fitted to shuffles": ("pq", ["pfew"], ["--gap-open", "7", "--gap-extend", "3"]),
    "both strands": ("nq", ["nd"], []),
    "one strand": ("nq", ["na", "nb"], ["--strand", "minus"]),
    "one organism": ("pq", ["pa", "pb"], ["--organism", "Mus musculus"]),
    "limits of alignments": ("pq", ["pd"], ["--min-identity", "40", "--top", "5", "--max-hsps", "1"]),
    "translated database": ("pq", ["nd"], ["--evalue", "1e6", "--top", "9", "--max-hsps", "2"]),
    "translated query": ("nq", ["pd"], ["--evalue", "1000", "--top", "9"]),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.sampled(5)
def test_merged_is_the_whole(files, tmp_path, capsys, case):
    query, databases, how = CASES[case]
    words = ["-q", files[query], *(word for name in databases for word in ("-d", files[name])), *how]
    parts = in_parts(capsys, tmp_path, 2 + sum(map(ord, case)) % 3, *words)
    for form in ("tsv", "json"):
        whole = written(capsys, form, "search", "--engine", "cpu", *words)
        assert written(capsys, form, "merge", *parts) == whole
    assert whole.count("\n") > 30


@pytest.mark.parametrize("count", [1, 44])
def test_any_number_of_parts(files, tmp_path, capsys, count):
    words = ["-q", files["pq"], "-d", files["pfew"]]  # 40 sequences
    parts = in_parts(capsys, tmp_path, count, *words)
    assert written(capsys, "tsv", "merge", *parts) == written(capsys, "tsv", "search", "--engine", "cpu", *words)


def test_a_profile_in_parts(files, tmp_path, capsys):
    family = (files["to"] / "p1.fasta").read_text().splitlines()[1]
    rows = [family, family[:20] + "-" * 5 + family[25:], "A" + family[1:]]
    (tmp_path / "family.a3m").write_text("".join(f">r{n}\n{row}\n" for n, row in enumerate(rows)))
    words = ["--start-from", tmp_path / "family.a3m", "-d", files["pd"]]
    parts = in_parts(capsys, tmp_path, 3, *words)
    assert written(capsys, "tsv", "merge", *parts) == written(capsys, "tsv", "search", "--engine", "cpu", *words)


def test_every_format_and_the_saved_search(files, tmp_path, capsys):
    words = ["-q", files["p1"], "-d", files["pd"]]
    parts = in_parts(capsys, tmp_path, 3, *words)
    for form in TEXTS:
        whole = written(capsys, form, "search", "--engine", "cpu", *words)
        assert written(capsys, form, "merge", *parts) == whole, form
    call(capsys, "search", "--engine", "cpu", *words, "--save", tmp_path / "one.swgui")
    call(capsys, "merge", *parts, "-o", tmp_path / "two.swgui")
    one, two = (load_search(tmp_path / f"{name}.swgui") for name in ("one", "two"))
    assert (one.result.asked, one.result.search) == (two.result.asked, two.result.search)
    assert one.database_path == two.database_path
    assert (one.result.engine, one.result.devices) == (two.result.engine, two.result.devices)
    for mine, theirs in zip(one.result.queries, two.result.queries, strict=True):
        assert np.array_equal(mine.scores, theirs.scores)
    call(capsys, "verify", tmp_path / "two.swgui", "--engine", "cpu")


def test_without_score_vectors(files, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("swgui.jobs.search.run.SCORE_BYTES_LIMIT", 0)
    monkeypatch.setattr("swgui.jobs.search.run.KEPT_BEST", 40)
    words = ["-q", files["pq"], "-d", files["pa"], "-d", files["pb"], "--top", "20", "--evalue", "1000"]
    parts = in_parts(capsys, tmp_path, 4, *words)
    assert "scores.npy" not in zipfile.ZipFile(parts[0]).namelist()
    assert written(capsys, "json", "merge", *parts) == written(capsys, "json", "search", "--engine", "cpu", *words)


def test_shares_are_all_subjects_each_once():
    chance = np.random.default_rng(2)
    made = records(chance, 50, LETTERS)
    whole = encode_database(made, PROTEIN, "whole")
    for database in (whole, joined([encode_database(made[:9], PROTEIN, "a"), encode_database(made[9:], PROTEIN, "b")])):
        for count in (1, 2, 7, 50, 200):
            found = [database.sources(*Share(n, count).stretch(database)) for n in range(1, count + 1)]
            assert np.array_equal(np.sort(np.concatenate(found)), np.arange(50))
            if count == 7:
                sizes = [int(database.lengths[some].sum()) for some in found]
                assert max(sizes) - min(sizes) < 2 * database.lengths.max()
    for wrong in ((0, 3), (4, 3), (1, 0)):
        with pytest.raises(InvalidParameter):
            Share(*wrong)


def refused(capsys, *words):
    assert main([str(word) for word in words]) != 0
    return capsys.readouterr().err


def test_what_does_not_belong_together_is_refused(files, tmp_path, capsys):
    words = ["-q", files["pq"], "-d", files["pd"]]
    parts = in_parts(capsys, tmp_path, 3, *words)[::-1]
    out = tmp_path / "out.tsv"
    assert "1 is missing: 2" in refused(capsys, "merge", parts[0], parts[2], "-o", out)
    twice = tmp_path / "again.part"
    twice.write_bytes(parts[1].read_bytes())
    assert "'2.part' and 'again.part' are both part 2/3" in refused(capsys, "merge", *parts, twice, "-o", out)
    others = {
        "other queries": ["-q", files["nq"], "--type", "protein", "-d", files["pd"]],
        "other databases": ["-q", files["pq"], "-d", files["pfew"]],
        "other settings (limits)": [*words, "--top", "7"],
        "other settings (scheme)": [*words, "--matrix", "BLOSUM45"],
    }
    for said, asked in others.items():
        other = tmp_path / "other.part"
        call(capsys, "search", "--engine", "cpu", *asked, "--part", "3/3", "-o", other)
        err = refused(capsys, "merge", parts[0], parts[1], other, "-o", out)
        assert f"'1.part' and 'other.part' are of {said}" in err
    call(capsys, "search", "--engine", "cpu", *words, "--part", "3/4", "-o", other)
    assert "of 3 and of 4 parts" in refused(capsys, "merge", parts[0], parts[1], other, "-o", out)
    call(capsys, "search", "--engine", "cpu", *words, "--save", tmp_path / "a.swgui", "-o", tmp_path / "x")
    assert "is no part of a search" in refused(capsys, "merge", tmp_path / "a.swgui", "-o", out)
    assert "would replace it" in refused(capsys, "merge", *parts, "-o", parts[0])
    assert not out.exists()


def test_other_versions_and_damage_are_refused(files, tmp_path, capsys, monkeypatch):
    parts = in_parts(capsys, tmp_path, 2, "-q", files["pq"], "-d", files["pfew"])
    whole = parts[0].read_bytes()
    chance = np.random.default_rng(1)
    for place in chance.integers(0, len(whole), 40).tolist():
        damaged = bytearray(whole)
        damaged[place] ^= 1 << int(chance.integers(8))
        parts[0].write_bytes(damaged)
        status = main(["merge", *map(str, parts), "-o", str(tmp_path / "out.tsv")])
        assert "Traceback" not in capsys.readouterr().err
        assert status != 0 or (tmp_path / "out.tsv").read_text().startswith("rank")
    for cut in (0, 10, len(whole) // 2, len(whole) - 1):
        parts[0].write_bytes(whole[:cut])
        assert parts[0].name in refused(capsys, "merge", *parts)
    parts[0].write_bytes(whole)
    release = swgui.__version__.partition("+")[0]
    monkeypatch.setattr("swgui.__version__", f"{release}+g0000000")  # another commit
    call(capsys, "merge", *parts, "-o", tmp_path / "out.tsv")
    for name, value in (("swgui.__version__", "99.0"), ("swgui.io.saved.share.FORMAT", (2, 0))):
        with monkeypatch.context() as patch:
            patch.setattr(name, value)
            assert "another version" in refused(capsys, "merge", *parts)


def test_a_part_has_no_hits(files, tmp_path, capsys):
    words = ["search", "-q", files["pq"], "-d", files["pd"], "--part", "1/2"]
    assert "--out" in refused(capsys, *words)
    for more in (["--save", "x.swgui"], ["--history", "x"], ["--scores", "x.npz"], ["--comments"]):
        assert more[0] in refused(capsys, *words, "-o", tmp_path / "1.part", *more)
    assert "rounds" in refused(capsys, *words, "-o", tmp_path / "1.part", "--iterations", "2")
    with pytest.raises(SystemExit):
        main([*words[:-1], "3/2", "-o", str(tmp_path / "1.part")])
    assert "counted from 1" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_killed_part_leaves_no_file(files, tmp_path):
    words = ["search", "--engine", "cpu", "-q", files["pq"], "-d", files["pd"], "--part", "1/1"]
    for number, wait in enumerate((0.6, 1.1)):
        out = tmp_path / f"{number}.part"
        with subprocess.Popen([sys.executable, "-m", "swgui", *words, "-o", str(out)]) as process:
            time.sleep(wait)
            process.send_signal(signal.SIGKILL)
        if out.exists():  # it is whole
            assert main(["merge", str(out), "-o", str(tmp_path / "hits.tsv")]) == 0
