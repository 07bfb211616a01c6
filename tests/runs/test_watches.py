"""Watches: baseline, news and quiet passes, feed and mail; a fault is named, and no result is lost."""

from __future__ import annotations

import json
import shlex
import sys
import threading
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import swgui
from swgui.cli import main
from swgui.core.compare.changes import Change, Side
from swgui.core.plain import replace
from swgui.jobs.events import run_to_end
from swgui.runs.watches import comparing, mail, passing, telling
from swgui.runs.watches.record import WatchError
from swgui.runs.watches.watch import Watch, one_pass

ATOM = "{http://www.w3.org/2005/Atom}"
HBA = "MVLSPADKTNVKAAWGKVGAHAGEYGAEALERMFLSFPTTKTYFPHFDLSHGSAQVKGHGKKVADALTNAVAHVDDMPNALSALSDLHAHKLRVDPVNFKLL"
HBB = "MVHLTPEEKSAVTALWGKVNVDEVGGEALGRLLVVYPWTQRFFESFGDLSTPDAVMGNPKVKAHGKKVLGAFSDGLAHLDNLKGTFATLSELHCDKLHVD"
HOSTILE = "<script>\u202e]]>&\"'`touch PWNED`$(touch PWNED);\n~!touch PWNED\n.\nBcc: x@y"
OTHERS = [("lyz", "KVFGRCELAAAMKRHGLDNYRGYSLGNWVCAAKFESNFNTQATNRNTDGSTDYGILQINSRWWCNDGRTPGSRNLCNIPCSALLSSDITASVNCAKK")]
OLD = [("hba", HBA), *OTHERS]
NEW = [("hba", HBA), ("hbb", HBB), *OTHERS]


def release(path, records):
    """Write a release of the database in place of the one before."""
    path.write_text("".join(f">{name} about {name}\n{residues}\n" for name, residues in records))
    return path


@pytest.fixture
def place(tmp_path, user_folders):
    """The folder of a database, with its first release and a query."""
    release(tmp_path / "db.fasta", OLD)
    (tmp_path / "q.fasta").write_text(f">query\n{HBA}\n")
    return tmp_path


def added(place, name="globins", **options):
    swgui.watch(name, place / "q.fasta", str(place / "db.fasta"), folder=place / "watches", threads=1, **options)
    return Watch(place / "watches", name)


def passed(watch, cancel=None):
    return run_to_end(passing.pass_steps(watch, cancel or threading.Event()))


def entries(watch):
    return ET.parse(watch.feed).getroot().findall(f"{ATOM}entry")


def mailer(place, script, *more):
    """Return a mail command: Python that has its arguments and its input."""
    return shlex.join([sys.executable, "-c", f"import sys; from pathlib import Path; {script}", str(place), *more])


def test_a_newer_release_is_told_once_and_an_unchanged_one_is_not(place):
    script = "Path(sys.argv[1], 'mail').open('a').write(sys.argv[2] + '\\n' + sys.stdin.read())"
    watch = added(place, mail=mailer(place, script, "{subject}"))
    first = passed(watch)
    assert (first.kind, first.made.hits, first.made.searched) == ("baseline", 1, 2)
    assert passed(watch).kind == "unchanged"
    assert len(entries(watch)) == 1
    assert not (place / "mail").exists()
    before = watch.feed.read_bytes()
    watch.feed.unlink()  # and made again, the same
    assert passed(watch).kind == "unchanged"
    assert watch.feed.read_bytes() == before

    release(place / "db.fasta", NEW)
    second = passed(watch)
    assert (second.kind, second.problems) == ("news", ())
    assert (second.made.searched, second.made.gone) == (1, 0)  # although the older release is gone
    assert [(one.change, one.subject, one.cause) for one in second.made.news] == [("gained", "hbb", "new sequence")]
    text = (place / "mail").read_text()
    assert text.startswith("swgui watch globins: 1 gained (1 significant) in db")
    assert "gained: hbb" in text
    assert passed(watch).kind == "unchanged"
    assert (place / "mail").read_text() == text
    ids = [one.find(f"{ATOM}id").text for one in entries(watch)]
    assert len(set(ids)) == 2
    assert ids[1] in before.decode()  # the entry of before stays

    release(place / "db.fasta", [*NEW, ("far", "W" * 40)])
    assert passed(watch).kind == "quiet"  # E has another size, and no hit came or went
    assert [one.find(f"{ATOM}id").text for one in entries(watch)] == ids
    release(place / "db.fasta", OLD)
    assert [one.change for one in passed(watch).made.news] == ["lost"]
    assert [one.number for one in watch.passes()] == [4, 3, 2, 1]
    assert sorted(path.name for path in watch.folder.glob("hits-*")) == ["hits-4.swgui"]


@pytest.mark.parametrize(
    "options", [{"evalue": 10}, {"context": "own", "both_directions": True}], ids=["plain", "both directions"]
)
def test_a_pass_gives_what_diff_and_a_new_search_give(place, options):
    watch = added(place, **options)
    passed(watch)
    before = swgui.load(watch.result(1))
    release(place / "db.fasta", NEW)
    made = passed(watch).made
    expected = swgui.diff(before, place / "db.fasta")
    assert list(map(repr, watch.made_pass(2).changes)) == list(map(repr, made.changes)) == list(map(repr, expected))
    searched = swgui.search(place / "q.fasta", place / "db.fasta", threads=1, **{"evalue": 0.001} | options)
    found = [[(hit.id, hit.evalue) for hit in hits] for hits in (searched, expected.hits, swgui.load(watch.result(2)))]
    assert found[0] == found[1] == found[2]
    assert len(found[0]) >= 2


def test_hostile_names_are_text_in_feed_and_mail(place):
    script = "Path(sys.argv[1], 'mail').write_bytes(sys.stdin.buffer.read())"
    watch = added(place, mail=mailer(place, script))
    passed(watch)
    name = HOSTILE.replace("\n", " ").replace(" ", "_")
    release(place / "db.fasta", [*OLD, (name, HBB)])
    assert passed(watch).kind == "news"
    cells = [cell.text for cell in ET.parse(watch.feed).iter("{http://www.w3.org/1999/xhtml}td")]
    assert any("<script>" in (text or "") for text in cells)
    assert not list(ET.parse(watch.feed).iter("{http://www.w3.org/1999/xhtml}script"))
    head, _, body = (place / "mail").read_text("utf-8").partition("\n\n")
    assert sorted(line.split(":")[0] for line in head.splitlines()) == [
        "Content-Transfer-Encoding", "Content-Type", "MIME-Version", "Subject",
    ]  # fmt: skip
    assert all(line[:1] == " " or line[:1].isalnum() for line in body.splitlines() if line)
    assert not list(place.glob("**/PWNED"))


@pytest.mark.parametrize(
    ("script", "said", "seconds"),
    [
        ("print('no server', file=sys.stderr); sys.exit(3)", "status 3: no server", 60),
        ("import time; time.sleep(60)", "did not end within 0.2 s", 0.2),
    ],
)
def test_a_message_that_is_not_sent_waits_for_the_next_pass(place, monkeypatch, script, said, seconds):
    good = place / "good"
    command = mailer(place, f"Path(sys.argv[1], 'good').exists() or exec({script!r}); sys.stdin.read()")
    watch = added(place, mail=command)
    passed(watch)
    release(place / "db.fasta", NEW)
    monkeypatch.setattr(passing, "send", lambda *given: mail.send(*given, seconds=seconds))
    outcome = passed(watch)
    assert outcome.kind == "news"  # the pass stands
    assert outcome.failed
    assert said in outcome.problems[0]
    assert watch.state.unsent == (2,)
    assert passed(watch).failed
    good.touch()
    monkeypatch.undo()
    again = passed(watch)
    assert (again.kind, again.problems, watch.state.unsent) == ("unchanged", (), ())


@pytest.mark.parametrize("release_before", [None, OLD], ids=["baseline", "comparison"])
def test_a_stopped_pass_continues_where_it_was(place, monkeypatch, release_before):
    (place / "q.fasta").write_text(f">query\n{HBA}\n>other\n{HBB}\n")
    watch = added(place, engine="reference")
    if release_before:
        passed(watch)
    release(place / "db.fasta", NEW)
    cancel, rows = threading.Event(), list[int]()

    class Log(comparing.ScoreLog):
        def add(self, chunk):
            super().add(chunk)
            rows.append(chunk.query_index)
            cancel.set()

    monkeypatch.setattr(comparing, "ScoreLog", Log)
    outcome = passed(watch, cancel)
    assert (outcome.kind, rows) == ("stopped", [0])
    assert (watch.folder / comparing.JOURNAL).exists()
    assert watch.state.last == (1 if release_before else 0)
    cancel.clear()
    outcome = passed(watch, threading.Event())
    assert outcome.kind == ("news" if release_before else "baseline")
    assert rows == [0, 1]  # the first query was not scored again
    assert not (watch.folder / comparing.JOURNAL).exists()


def broken(place, _watch):
    (place / "db.fasta").unlink()
    return "is not there"


def nucleotides(place, _watch):
    (place / "db.fasta").write_text(">n\n" + "ACGT" * 40 + "\n")
    return "nucleotide"


def damaged_search(place, watch):
    watch.result(1).write_bytes(b"PK damaged")
    release(place / "db.fasta", NEW)
    return watch.result(1).name


def damaged_record(_place, watch):
    (watch.folder / "pass-1.json").write_text("{")
    return "pass-1.json' of the watch is damaged"


def damaged_queries(place, watch):
    facts = json.loads((watch.folder / "watch.json").read_text())
    facts["asked"]["search"]["scheme"] = {}
    (watch.folder / "watch.json").write_text(json.dumps(facts))
    release(place / "db.fasta", NEW)
    return "watch.json' of the watch is damaged"


@pytest.mark.parametrize("harm", [broken, nucleotides, damaged_search, damaged_record, damaged_queries])
def test_a_watch_that_fails_is_named_and_stops_no_other(place, harm, capsys):
    watch = added(place)
    passed(watch)
    (place / "other.fasta").write_text(f">hba\n{HBA}\n")
    swgui.watch("sound", place / "q.fasta", place / "other.fasta", folder=place / "watches", threads=1)
    before = watch.state.last, watch.state.seen, watch.feed.read_bytes()
    said = harm(place, watch)
    capsys.readouterr()
    assert main(["watch", "run", "--folder", str(place / "watches")]) == 1
    out, err = capsys.readouterr()
    assert out.startswith("sound: the watch begins with 1 hit")
    assert [line for line in err.splitlines() if line.startswith("swgui: globins: ") and said in line], err
    assert "Traceback" not in err
    again = Watch(place / "watches", "globins")
    assert (again.state.last, again.state.seen, again.feed.read_bytes()) == before
    assert said in again.state.fault


def test_the_state_moves_on_only_with_the_feed(place):
    watch = added(place, feed=place / "www" / "globins.atom") if (place / "www").mkdir() is None else None
    passed(watch)
    (place / "www" / "globins.atom").unlink()
    (place / "www" / "globins.atom").mkdir()  # as a folder that cannot be written
    release(place / "db.fasta", NEW)
    outcome = passed(watch)
    assert outcome.kind == "failed"
    assert "globins.atom" in outcome.said
    assert watch.state.last == 1
    (place / "www" / "globins.atom").rmdir()
    assert passed(watch).kind == "news"
    assert len(entries(watch)) == 2


def test_a_pass_that_was_killed_before_its_end_is_made_again(place, monkeypatch):
    watch = added(place)
    passed(watch)
    release(place / "db.fasta", NEW)
    with monkeypatch.context() as patch:
        patch.setattr(Watch, "keep", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            passed(watch)
    first = [one.find(f"{ATOM}id").text for one in entries(watch)]
    assert passed(watch).kind == "news"
    assert [one.find(f"{ATOM}id").text for one in entries(watch)] == first
    assert watch.state.last == 2


def test_one_pass_runs_at_a_time(place, capsys):
    added(place)
    with one_pass(place / "watches"):
        assert main(["watch", "run", "--folder", str(place / "watches")]) == 1
        assert "Another pass" in capsys.readouterr().err
        with pytest.raises(WatchError, match="Another pass"):
            swgui.Watch("globins", place / "watches").remove()
    assert main(["watch", "run", "--folder", str(place / "watches")]) == 0


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["add", "globins", "-q", "q.fasta", "-d", "db.fasta"], "already"),
        (["add", "../evil", "-q", "q.fasta", "-d", "db.fasta"], "no name of a watch"),
        (["add", "two", "-q", "q.fasta", "-d", "none.fasta"], "none.fasta"),
        (["add", "two", "-q", "q.fasta", "-d", "db.fasta", "--mail", "no-such-program x"], "no program"),
        (["add", "two", "-q", "q.fasta", "-d", "db.fasta", "--mail", "mail 'x"], "mail command cannot be read"),
        (["add", "two", "-q", "q.fasta", "-d", "db.fasta", "--feed", "db.fasta"], "db.fasta"),
        (["add", "two", "-q", "q.fasta", "-d", "db.fasta", "--feed", "none/x.atom"], "none"),
        (["add", "two", "-q", "q.fasta"], "nothing to search"),
        (["show", "two"], "no watch 'two'"),
        (["show", "globins", "--pass", "3"], "no pass 3"),
        (["show", "globins", "--pass", "0"], "no pass 0"),
        (["mail", "globins"], "no mail command"),
        (["list", "--mail", "x"], "'list' has no option --mail"),
        (["run", "--evalue", "1"], "'run' has no option --evalue"),
        (["remove"], "takes one name"),
    ],
)
def test_what_cannot_be_is_refused(place, monkeypatch, capsys, words, said):
    added(place)
    monkeypatch.chdir(place)
    assert main(["watch", *words, "--folder", "watches"]) in (1, 2)
    assert said in capsys.readouterr().err
    assert [one.name for one in swgui.watches(place / "watches")] == ["globins"]


@pytest.mark.parametrize(("file", "passes"), [("watch.json", None), ("state.json", None), ("pass-1.json", 1)])
def test_a_list_says_of_a_damaged_watch_what_it_could_read(place, file, passes, capsys):
    folder = added(place).folder
    passed(Watch(place / "watches", "globins"))
    (folder / file).write_text("{")
    capsys.readouterr()
    assert main(["watch", "list", "--folder", str(place / "watches"), "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert (row["passes"], row["news"], row["hits"]) == (passes, None, None)
    assert file in row["fault"]
    assert main(["watch", "remove", "globins", "--folder", str(place / "watches")]) == 0  # as its fault says
    assert not folder.exists()


def test_without_e_values_no_number_of_significant_hits_is_named(place, monkeypatch):
    watch = added(place)

    def without(*given, **options):
        result = yield from search_steps(*given, **options)
        unknown = np.full(len(result.queries[0].hits), np.nan)
        return replace(
            result, queries=tuple(replace(one, hits=replace(one.hits, log10_evalues=unknown)) for one in result.queries)
        )

    search_steps = comparing.search_steps
    monkeypatch.setattr(comparing, "search_steps", without)
    outcome = passed(watch)
    assert outcome.made.significant is None
    assert "1 hit (not all with an E-value)" in outcome.said
    made = replace(watch.made_pass(1), number=2, changes=(change("a", float("nan")), change("b", float("nan"))))
    assert telling.news_in_words(made) == "2 gained (no E-values)"
    assert "gained: a  score 50  (query query)" in telling.message("globins", "", made, "")
    made = replace(made, changes=(*made.changes, change("c", -9.0), change("d", 0.0)))
    assert telling.news_in_words(made) == "4 gained (1 significant, 2 without E-value)"


def change(name, log10_evalue):
    return Change("gained", "new sequence", "query", name, "", "", Side(), Side(1, 50, log10_evalue))


def test_a_feed_replaces_no_database(place):
    before = (place / "db.fasta").read_bytes()
    with pytest.raises(swgui.InvalidParameter, match="file of the database"):
        added(place, feed=place / "db.fasta")
    assert swgui.watches(place / "watches") == []
    assert (place / "db.fasta").read_bytes() == before


def test_a_watch_without_a_pass_has_no_message_and_no_hits(place, capsys):
    added(place, mail=mailer(place, "sys.stdin.read()"))
    assert main(["watch", "mail", "globins", "--folder", str(place / "watches")]) == 1
    assert "has no pass 0" in capsys.readouterr().err
    with pytest.raises(WatchError, match="'swgui watch run' makes the first"):
        _ = swgui.Watch("globins", place / "watches").hits


def test_python_and_the_terminal_show_the_same(place, capsys):
    added(place)
    watch = swgui.Watch("globins", place / "watches")
    assert len(watch.run()) == 0
    assert watch.run() is None
    release(place / "db.fasta", NEW)
    changes = watch.run()
    assert [one.subject for one in changes.gained] == [one.subject for one in changes.news] == ["hbb"]
    assert [hit.id for hit in watch.hits] == ["hba", "hbb"]
    capsys.readouterr()
    assert main(["watch", "show", "globins", "--folder", str(place / "watches")]) == 0
    out, _ = capsys.readouterr()
    assert len(out.splitlines()) == 1 + len(changes)
    assert main(["watch", "list", "--folder", str(place / "watches"), "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert (row["watch"], row["passes"], row["hits"]) == ("globins", 2, 2)
    watch.remove()
    assert swgui.watches(place / "watches") == []


def test_a_name_is_looked_up_in_each_pass(place, monkeypatch):
    releases = place / "site"
    releases.mkdir()
    monkeypatch.setenv("SWGUI_DATABASES", str(releases))
    swgui.Database.build(release(place / "db.fasta", OLD), releases / "own.swdb")
    swgui.watch("named", place / "q.fasta", "own", folder=place / "watches", threads=1)
    watch = Watch(place / "watches", "named")
    assert watch.facts.databases == ("own",)
    assert passed(watch).kind == "baseline"
    monkeypatch.setenv("SWGUI_DATABASES", str(place / "later"))
    (place / "later").mkdir()
    swgui.Database.build(release(place / "db.fasta", NEW), place / "later" / "own.swdb")
    outcome = passed(watch)
    assert (outcome.kind, outcome.made.searched) == ("news", 1)  # the older release is there: one is new


def test_a_fault_of_the_engine_is_named(place, monkeypatch):
    watch = added(place)

    def failing(*_given, **_options):
        yield from ()
        return replace(result, state="failed", message="The device is gone.")

    passed(watch)
    result = swgui.load(watch.result(1)).result
    Path(watch.folder / "state.json").unlink()
    monkeypatch.setattr(comparing, "search_steps", failing)
    outcome = passed(watch)
    assert (outcome.kind, outcome.said) == ("failed", "The device is gone.")
