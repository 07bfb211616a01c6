"""Places of every rule against their definitions in many small random cases, at borders of blocks and of sequences.

    python -m tests.long.rules                   # 10,000 cases of each rule
    python -m tests.long.rules --cases 500 words # some of one

The cases are those of ``tests/jobs/rules``, with other random numbers. The exit status is 1 if one differs.
"""

from __future__ import annotations

import argparse
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from tests.jobs.rules import test_against_definitions as definitions
from tests.jobs.rules import test_against_plain as plain
from tests.jobs.rules import test_frames as frames

FIRST = 1000  # seeds below are those of every change
SHARE = 50  # cases that a process takes at a time
TRANSLATED = 10  # times as long as others take whole runs in frames: they have so many times fewer cases
RULES = {
    "mismatches and edits": definitions.test_places_of_mismatches_and_edits,
    "identity": definitions.test_places_of_identity,
    "identity over the query": plain.check_identity,
    "edits with gap limits": plain.check_edits,
    "windows and words": definitions.test_places_of_windows_and_words,
    "short windows": definitions.test_places_of_queries_that_are_shorter_than_a_window,
    "guides": definitions.test_sites_of_guides,
    "primers": definitions.test_products_of_primers,
    **{f"{rule.name} in frames": partial(frames.test_places_of_frames, rule) for rule in frames.RULES},
}


def differing(name: str, first: int, last: int) -> list[str]:
    """Return a line for each case that is not as defined."""
    lines = []
    for seed in range(first, last):
        try:
            RULES[name](seed=seed)
        except AssertionError as fault:
            lines.append(f"{name}, seed {seed}: {fault}")
    return lines


def main() -> int:
    """Run the requested cases."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rules", nargs="*", metavar="RULE", help=f"of {', '.join(RULES)}; all without")
    parser.add_argument("--cases", type=int, default=10_000, help="of each rule (default 10,000)")
    asked = parser.parse_args()
    faults, total = 0, 0
    names = asked.rules or list(RULES)
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for name in names:
            cases = -(-asked.cases // TRANSLATED) if name.endswith("in frames") else asked.cases
            shares = range(FIRST, FIRST + cases, SHARE)
            lasts = (min(first + SHARE, FIRST + cases) for first in shares)
            lines = [line for found in pool.map(partial(differing, name), shares, lasts) for line in found]
            faults, total = faults + len(lines), total + cases
            print(*lines, f"{name}: {cases:,} cases, {len(lines):,} differ", sep="\n", flush=True)
    print(f"{total:,} cases, {faults:,} differ")
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
