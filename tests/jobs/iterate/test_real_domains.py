"""Rounds on labelled domains of SCOP: more relatives of other families, calibrated, and hardly any others."""

import lzma
import random

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.profiles.iteration import IterationSettings
from swgui.io.sequences.reader import read_sequences
from swgui.jobs.iterate.request import in_rounds
from tests.asking import BLOSUM62, answer, search_request

QUERIES = 40


def found_before_a_false_hit(labels, query, listed):
    """Domains of the superfamily in a list, up to the first one of another fold."""
    count = 0
    for index in listed:
        if labels[index][:2] != labels[query][:2]:
            return count
        count += index != query and labels[index][:3] == labels[query][:3]
    return count


@pytest.mark.data
@pytest.mark.slow
def test_rounds_find_relatives_and_stay_calibrated(data_dir, tmp_path):
    unpacked = tmp_path / "domains.fasta"
    unpacked.write_bytes(lzma.decompress((data_dir / "scop" / "dev_domains.fasta.xz").read_bytes()))
    records = list(read_sequences(unpacked))
    labels = [tuple(record.description.split()[0].split(".")) for record in records]
    superfamilies = [label[:3] for label in labels]
    able = [at for at, label in enumerate(labels) if superfamilies.count(label[:3]) > 3]
    chosen = random.Random(4).sample(able, QUERIES)
    search = search_request(
        queries=tuple(records[at] for at in chosen),
        database=encode_database(records, PROTEIN, "scop"),
        scheme=BLOSUM62,
        engine="cpu",
        top=1000,
    )
    result = answer(in_rounds(search, IterationSettings(rounds=4, preset="careful")))
    counts, false = np.zeros(2), np.zeros((2, 2))
    for at, query in zip(chosen, result.queries, strict=True):
        for which, each in enumerate((query.rounds.rounds[0], query.rounds.last)):
            counts[which] += found_before_a_false_hit(labels, at, each.db_index.tolist())
            other = np.array([labels[index][:2] != labels[at][:2] for index in each.db_index.tolist()], dtype=bool)
            for place, limit in enumerate((0.0, -3.0)):
                false[which, place] += (other & (each.log10_evalues <= limit)).sum()
    assert counts[1] > 1.5 * counts[0]
    assert 0.5 * QUERIES < false[0, 0] < 1.6 * QUERIES  # E <= 1: one is expected for each query
    assert false[1, 1] <= 0.1 * QUERIES  # E <= 0.001
