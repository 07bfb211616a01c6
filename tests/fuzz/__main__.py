"""Fuzz the readers for as long as requested.

    python -m tests.fuzz --seconds 3600                 # every target in turn, by random changes
    python -m tests.fuzz table matrix --seconds 600     # some targets
    python -m tests.fuzz table --guided --seconds 600   # one target, guided by coverage; needs atheris

What is found goes to ``build/fuzz/TARGET/``; once fixed, it belongs to ``tests/fuzz/found/TARGET/``, where it stays a
test.
Memory is limited, so that a file that makes a reader reserve too much is found, too.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import resource
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MEMORY = 3 << 30
INSTRUMENTED = [
    "swgui.io",
    "swgui.settings",
    "swgui.core",
    "swgui.gui.viewer",
    "swgui.gui.hits",
    "swgui.gui.words",
    "Bio",
]
SLOW_S = 5.0  # of processor time; a small file that takes longer is worth a look


def main() -> int:
    """Run the targets; the status is 1 if anything was found."""
    if "--guided" in sys.argv:
        try:
            import atheris
        except ImportError:
            sys.exit("Guided fuzzing needs atheris: pip install atheris.")

        with atheris.instrument_imports(include=INSTRUMENTED):
            from tests.fuzz.targets import TARGETS
    else:
        from tests.fuzz.targets import TARGETS

    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(TARGETS)}; without any: all")
    parser.add_argument("--seconds", type=float, default=60.0, help="in all (default: 60)")
    parser.add_argument("--seed", type=int, default=0, help="of the random changes (default: by the clock)")
    parser.add_argument("--guided", action="store_true", help="guided by coverage, with atheris; one target")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "fuzz")
    options = parser.parse_args()
    names = options.targets or list(TARGETS)
    if unknown := [name for name in names if name not in TARGETS]:
        parser.error(f"there is no target {', '.join(unknown)}")
    if options.guided:
        if len(names) != 1:
            parser.error("--guided takes one target")
        return guided(names[0], options)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    return by_chance(names, options)


def by_chance(names: list[str], options: argparse.Namespace) -> int:
    """Change seeds at random, a second for each target in turn."""
    from tests.fuzz.edits import apply, drawn
    from tests.fuzz.targets import TARGETS

    source = random.Random(options.seed or time.time_ns())
    end = time.monotonic() + options.seconds
    tried, refused, seen = Counter[str](), Counter[str](), set[tuple[str, str]]()
    seeds = {name: list(TARGETS[name].seeds()) for name in names}
    while time.monotonic() < end:
        for name in names:
            until = min(end, time.monotonic() + 1.0)
            while time.monotonic() < until:
                data = apply(source.choice(seeds[name]), drawn(source), seeds[name])
                began = time.process_time()
                tried[name] += 1
                try:
                    with tempfile.TemporaryDirectory() as folder:
                        refused[name] += TARGETS[name].attempt(data, Path(folder)) is not None
                except Exception:
                    keep(name, data, traceback.format_exc(), seen, options.out)
                if time.process_time() - began > SLOW_S:
                    keep(name, data, f"Slow: {time.process_time() - began:.0f} s", seen, options.out)
    for name in names:
        print(f"{name:16} {tried[name]:9} files, {refused[name]:9} refused")
    if untried := [name for name in names if not tried[name]]:
        print(f"No file of {', '.join(untried)} was tried: give it more seconds.")
    print(f"{sum(tried.values())} files in {options.seconds:.0f} s, {len(seen)} faults")
    return 1 if seen or untried else 0


def keep(name: str, data: bytes, why: str, seen: set[tuple[str, str]], out: Path) -> None:
    """Write down the first file of each fault, told apart by where it was raised."""
    lines = [line.strip() for line in why.splitlines() if line.strip()]
    places = [line for line in lines if line.startswith("File ") and "swgui" in line]
    fault = (name, (places[-1] if places else "") + lines[-1][:40])
    if fault in seen:
        return
    seen.add(fault)
    folder = out / name
    folder.mkdir(parents=True, exist_ok=True)
    digest = hashlib.blake2b(data, digest_size=6).hexdigest()
    (folder / digest).write_bytes(data)
    (folder / f"{digest}.txt").write_text(why, "utf-8", "backslashreplace")
    print(f"{name}: {lines[-1][:200]} -> {folder / digest}", flush=True)


def guided(name: str, options: argparse.Namespace) -> int:
    """Let atheris look for inputs that reach new code."""
    import atheris

    from tests.fuzz.targets import TARGETS

    target = TARGETS[name]
    seeds = options.out / f"{name}-seeds"
    seeds.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(target.seeds()):
        (seeds / str(number)).write_bytes(seed)
    faults = options.out / name
    faults.mkdir(parents=True, exist_ok=True)

    def one(data: bytes) -> None:
        with tempfile.TemporaryDirectory() as folder:
            target.attempt(data, Path(folder))

    limits = [f"-max_total_time={options.seconds:.0f}", "-rss_limit_mb=3000", "-timeout=20", "-max_len=65536"]
    atheris.Setup([sys.argv[0], *limits, f"-artifact_prefix={faults}{os.sep}", str(seeds)], one)
    atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main())
