"""The table of faults that the tests must notice still fits the program."""

import pytest

from tests.scripts import load_script


@pytest.fixture(scope="module")
def mutate(repository):
    return load_script(repository / "packaging" / "measuring" / "mutate.py")


def test_every_fault_can_still_be_made(mutate, repository):
    table = mutate.mutants()
    assert len(table) >= 40
    assert len({one.name for one in table}) == len(table)
    assert {one.file.split("/")[1] for one in table} >= {"core", "io", "engines", "jobs"}
    assert [one.name for one in table if mutate.places(one) != 1 or one.old == one.new] == []
    named = {test.split("::")[0] for one in table for test in one.tests.split()}
    assert [test for test in sorted(named) if not (repository / test).exists()] == []
