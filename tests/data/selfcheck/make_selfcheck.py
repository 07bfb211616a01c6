"""Make ``resources/selfcheck.json``: small searches with exact scores, for the check every device gets at first use.

The scores come from `tests/reference.py`, the textbook recurrences, which share nothing with the program. The cases
sit where engines go wrong: lengths around powers of two, empty and one-letter subjects, ambiguous letters, a matrix
that is not symmetric, a gap as dear as its extension, scores on both sides of 2**15 and 2**16, a long subject.

    python tests/data/selfcheck/make_selfcheck.py
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence

import numpy as np

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.scoring import SubstitutionMatrix, match_mismatch
from swgui.io.matrices import load_matrix
from swgui.paths import resources_dir
from tests.reference import reference_scores

AMINO_ACIDS = "ARNDCQEGHILKMFPSTWYV"
LENGTHS = [0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 47, 63, 64, 65, 95, 96, 97, 127, 128, 129, 160, 191, 192, 193, 255,
           256, 257, 300]  # fmt: skip
QUERY_LENGTHS = [1, 5, 31, 32, 33, 64, 100, 129, 257]


def letters(chance: random.Random, plain: str, odd: str, count: int) -> str:
    return "".join(chance.choice(odd if chance.random() < 0.02 else plain) for _ in range(count))


def related(chance: random.Random, query: str, plain: str) -> str:
    """A mutated copy of a part of a query, with a gap, between unrelated ends."""
    start = chance.randrange(max(1, len(query) // 3))
    part = list(query[start : start + chance.randint(len(query) // 2, len(query))])
    for at in range(len(part)):
        if chance.random() < 0.25:
            part[at] = chance.choice(plain)
    cut = chance.randrange(len(part))
    part[cut : cut + chance.randint(1, 6)] = letters(chance, plain, plain, chance.randint(0, 6))
    return letters(chance, plain, plain, chance.randint(0, 20)) + "".join(part)


def case(
    name: str,
    matrix: SubstitutionMatrix,
    gap_first: int,
    gap_extend: int,
    queries: Sequence[str],
    subjects: Sequence[str],
) -> dict[str, object]:
    alphabet = matrix.alphabet
    encoded = [alphabet.encode(subject.encode()).astype(np.int64) for subject in subjects]
    scores = [
        reference_scores(
            matrix.scores[alphabet.encode(query.encode())].astype(np.int64), encoded, gap_first, gap_extend
        )
        for query in queries
    ]
    return {
        "name": name,
        "alphabet": alphabet.name,
        "letters": alphabet.letters,
        "matrix": matrix.scores.tolist(),
        "first": gap_first,
        "further": gap_extend,
        "queries": list(queries),
        "subjects": list(subjects),
        "scores": scores,
    }


def mixed(chance: random.Random, plain: str, odd: str) -> tuple[list[str], list[str]]:
    queries = [letters(chance, plain, odd, n) for n in QUERY_LENGTHS]
    subjects = [letters(chance, plain, odd, n) for n in LENGTHS]
    subjects += [related(chance, query, plain) for query in queries[2:] for _ in range(2)]
    chance.shuffle(subjects)
    return queries, subjects


def cases() -> list[dict[str, object]]:
    chance = random.Random("selfcheck")
    blosum62, blosum45 = load_matrix("BLOSUM62", PROTEIN), load_matrix("BLOSUM45", PROTEIN)
    queries, subjects = mixed(chance, AMINO_ACIDS, "BZXJUO*")
    made = [
        case("BLOSUM62, gap 11/1", blosum62, 12, 1, queries, subjects),
        case("BLOSUM45, gap 14/2", blosum45, 16, 2, queries[3:7], subjects),
        case("BLOSUM62, every gap residue 4", blosum62, 4, 4, queries[3:7], subjects),
    ]
    # One number per ordered pair: query and subject cannot be exchanged.
    uneven = blosum62.scores.copy()
    for i in range(20):
        for j in range(i):
            uneven[i, j] += (3 * i + 5 * j) % 4 - 2
    made.append(case("not symmetric", SubstitutionMatrix("uneven", PROTEIN, uneven), 12, 1, queries[3:7], subjects))
    queries, subjects = mixed(chance, "ACGT", "RYSWKMBDHVNU")
    made.append(case("+2/-3, gap 5/2", match_mismatch(NUCLEOTIDE, 2, -3), 7, 2, queries, subjects))
    # 163 matches score 32,600, 164 score 32,800; 327 score 65,400 and 328 score 65,600.
    long_query = letters(chance, "ACGT", "ACGT", 400)
    beyond = [long_query[:n] for n in (162, 163, 164, 165, 326, 327, 328, 329, 400)]
    beyond += [long_query[a : a + 150] + "A" * gap + long_query[a + 150 :] for a, gap in ((20, 1), (60, 9), (100, 40))]
    beyond += [letters(chance, "ACGT", "ACGT", n) for n in (1, 90, 333)]
    scheme = match_mismatch(NUCLEOTIDE, 200, -150)
    made.append(case("+200/-150, beyond 16 bits", scheme, 320, 20, [long_query, long_query[100:280]], beyond))
    ends = queries[5][:20], queries[5][20:]
    far = ends[0] + letters(chance, "ACGT", "ACGT", 6000) + ends[1] + letters(chance, "ACGT", "ACGT", 1500)
    made.append(case("a long subject", match_mismatch(NUCLEOTIDE, 2, -3), 7, 2, queries[2:6], [far, "ACGT", far[::-1]]))
    return made


def main() -> None:
    text = json.dumps({"format": 1, "cases": cases()}, separators=(",", ":")).replace('},{"name"', '},\n{"name"')
    (resources_dir() / "selfcheck.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
