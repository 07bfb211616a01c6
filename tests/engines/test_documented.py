"""The examples of docs/dev/extending.md, as a reader would copy them."""

from __future__ import annotations

import io
import re
import threading
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.engines import EngineOptions
from swgui.core.packing import plan_chunks
from swgui.core.scoring import EncodedQuery
from swgui.io.export.base import NO_OPTIONS
from tests.engines.conftest import database_of
from tests.reference import reference_scores

PAGE = Path(__file__).parents[2] / "docs" / "dev" / "extending.md"


@pytest.fixture
def example():
    blocks = re.findall(r"```python\n# (\S+)\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    found = dict(blocks)

    def run(path):
        names = {}
        exec(compile(found[path], path, "exec"), names)
        return SimpleNamespace(**names)

    return run


def test_the_engine_gives_exact_scores(example, protein_scheme):
    module = example("mine.py")
    assert module.status().available
    rng = np.random.default_rng(1)
    subjects = [rng.integers(0, 27, n).astype(np.uint8) for n in (1, 5, 80, 300)]
    queries = [EncodedQuery(f"q{n}", rng.integers(0, 27, n).astype(np.uint8)) for n in (1, 40)]
    database = database_of(subjects, PROTEIN)
    engine = module.create(EngineOptions())
    plans = plan_chunks(database.offsets, engine.chunk_limits(queries, database))
    found = np.full((2, 4), -1)
    for chunk in engine.score(queries, database, plans, protein_scheme, threading.Event()):
        found[chunk.query_index, chunk.db_index] = chunk.scores
    engine.close()
    for scores, query in zip(found.tolist(), queries, strict=True):
        profile = query.scores(protein_scheme)
        assert scores == reference_scores(profile, subjects, protein_scheme.gap_first, protein_scheme.gap_extend)


def test_the_column_has_a_value(example):
    column = example("my_package/density.py").COLUMN
    assert column.text(SimpleNamespace(subject=SimpleNamespace(residues=b"MKV"), score=8)) == "2.67"
    assert not column.needs_alignment


def test_the_format_writes_a_line_for_each_hit(example):
    hit = SimpleNamespace(rank=1, subject=SimpleNamespace(id="one"), score=42)
    file = io.StringIO()
    (form,) = example("my_package/ranks.py").FORMATS
    form.check(NO_OPTIONS)
    form.write(None, [hit], file, NO_OPTIONS)
    assert file.getvalue() == "1 one 42\n"
    assert form.sentence == "Rank, identifier and score."
