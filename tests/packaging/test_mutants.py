"""The table of faults that the tests must notice still fits the program."""

import importlib.util
import sys

import pytest


@pytest.fixture(scope="module")
def mutate(repository):
    path = repository / "packaging" / "measuring" / "mutate.py"
    spec = importlib.util.spec_from_file_location("measuring_mutate", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_every_fault_can_still_be_made(mutate, repository):
    table = mutate.mutants()
    assert len(table) >= 40
    assert len({one.name for one in table}) == len(table)
    assert {one.file.split("/")[1] for one in table} >= {"core", "io", "engines", "jobs"}
    assert [one.name for one in table if mutate.places(one) != 1 or one.old == one.new] == []
    named = {test.split("::")[0] for one in table for test in one.tests.split()}
    assert [test for test in sorted(named) if not (repository / test).exists()] == []
