"""The table of nightly checks: what it runs exists, and its results are kept."""

import json
import sys
from itertools import product

import pytest

from tests.sampling import chosen
from tests.scripts import load_script


@pytest.fixture
def nightly(repository, tmp_path, monkeypatch):
    script = load_script(repository / "packaging" / "nightly.py")
    monkeypatch.setattr(script, "RESULTS", tmp_path / "nightly.json")
    return script


def test_every_check_is_a_script_or_a_module_that_exists(nightly, repository):
    assert nightly.BEFORE.keys() <= nightly.CHECKS.keys()
    assert all((repository / words[0]).is_file() for words in nightly.BEFORE.values())
    for purpose, arguments in nightly.CHECKS.values():
        assert purpose
        script = next((word for word in arguments if str(word).endswith(".py")), None)
        module = arguments[1].replace(".", "/") if arguments[0] == "-m" else None
        if script:
            assert (repository / script).is_file()
        elif module != "pytest":
            assert (repository / f"{module}.py").is_file() or (repository / module / "__main__.py").is_file()


@pytest.mark.parametrize(
    ("before", "program", "status", "last"),
    [
        ("pass", "print('fine')", 0, "fine"),
        ("pass", "print('bad'); raise SystemExit(3)", 3, "bad"),
        ("print('not made'); raise SystemExit(4)", "print('fine')", 4, "not made"),
    ],
)
def test_results_are_kept_with_date_and_commit(nightly, monkeypatch, before, program, status, last):
    monkeypatch.setattr(nightly, "CHECKS", {"own": ("nothing", ("-c", program))})
    monkeypatch.setattr(nightly, "BEFORE", {"own": ("-c", before)})
    monkeypatch.setattr(sys, "argv", ["nightly.py"])
    assert nightly.main() == bool(status)
    kept = json.loads(nightly.RESULTS.read_text("utf-8"))["own"]
    assert kept["status"] == status
    assert kept["last line"] == last
    assert len(kept["date"]) == 10
    assert kept["commit"]


def test_an_unknown_check_is_named(nightly, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["nightly.py", "everything"])
    with pytest.raises(SystemExit):
        nightly.main()
    assert "there is no check everything" in capsys.readouterr().err


@pytest.mark.parametrize("sizes", [(1,), (7,), (4, 14), (2, 3, 5), (9, 1, 2)])
def test_the_rows_of_every_change_have_every_value(sizes):
    rows = list(product(*map(range, sizes)))
    kept = [rows[place] for place in chosen(rows, None)]
    assert [set(values) for values in zip(*kept, strict=True)] == [set(range(size)) for size in sizes]
    assert len(kept) <= sum(sizes)
    assert len(chosen(rows, 3)) == min(3, len(kept))
