"""Arguments and output of ``python packaging/measuring/speed``."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Sequence

from speed import methods
from speed.common import PROGRAM, positive, refuse, refuse_without_gpu, save_text
from speed.data import DATA_DEFAULT, DATA_VARIABLE, data_files, data_folder
from speed.document import document
from speed.jobs import JOBS, Setting
from speed.measure import Measurement
from speed.pairs import command as pairs
from speed.whole import command as whole
from swgui.commands.parser import Parser
from swgui.core.devices import device_ids
from swgui.core.errors import SwguiError
from swgui.engines.facts import GPU
from swgui.engines.registry import probe
from swgui.io.outputs import check_outputs

DEFAULT_JOBS = ("queries",)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run benchmarks; returns the exit status."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    if methods.WORD in words:
        return methods.main(words)
    if pairs.WORD in words:
        return pairs.main(words)
    if whole.WORD in words:
        return whole.main(words)
    given = _parser().parse_args([word for word in words if word != "--"])
    status = probe(GPU.name)
    if not status.available:
        return refuse_without_gpu(status)
    devices = device_ids(given.device or "") or tuple(device.id for device in status.devices)
    setting = Setting(data_folder(given.data), given.times, given.repeats, devices)
    measurements: list[Measurement] = []
    try:
        check_outputs({"json": given.json}, data_files(data_folder(given.data)))
        for name in given.jobs or DEFAULT_JOBS:
            print(_heading(name))
            done = len(measurements)
            for measurement in JOBS[name](setting):
                measurements.append(measurement)
                print(_row(measurement), flush=True)
            print(_summary(measurements[done:]))
    except SwguiError as error:
        return refuse(error)
    finally:
        if given.json and measurements:
            described = [{"id": d.id, "name": d.name, **d.facts} for d in status.devices]
            save_text(given.json, json.dumps(document([one.as_json() for one in measurements], described), indent=1))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=PROGRAM,
        description="Measure the speed of the CUDA engine on real sequences.",
        epilog="Search methods side by side: --methods. Long pairs, beside the papers' times: --pairs. Whole jobs as "
        "users run them, on the CPU as well, beside other programs: --whole. Each has a --help of its own.",
    )
    parser.add_argument("jobs", nargs="*", type=_job, metavar="JOB", help=f"{', '.join(JOBS)} (default: queries)")
    parser.add_argument("--data", help=f"folder of the sequences (default: ${DATA_VARIABLE} or {DATA_DEFAULT})")
    parser.add_argument("--times", type=positive, default=4, help="copies of the protein database (default: 4)")
    parser.add_argument("--repeats", type=positive, default=5, help="runs of which the median counts (default: 5)")
    parser.add_argument("--device", help="devices, for example 0,1 (default: all; most jobs use the first)")
    parser.add_argument("--json", metavar="FILE", help="write all figures to a file")
    return parser


def _job(name: str) -> str:
    if name not in JOBS:
        raise argparse.ArgumentTypeError(f"there is no benchmark '{name}'; choose from {', '.join(JOBS)}")
    return name


def _heading(job: str) -> str:
    title = (JOBS[job].__doc__ or "").strip()
    return f"\n{job}: {title}\n{'':38} {'length':>8} {'whole ms':>10} {'GCUPS':>8} {'kernel ms':>10} {'GCUPS':>8}"


def _row(measured: Measurement) -> str:
    kernel = f"{measured.kernel_seconds * 1000:10.2f} {measured.kernel_gcups:8.0f}" if measured.kernel_seconds else ""
    return (
        f"{measured.label[:38]:38} {measured.length:8d} {measured.seconds * 1000:10.2f} {measured.gcups:8.0f} {kernel}"
    ).rstrip()


def _summary(measured: list[Measurement]) -> str:
    if not measured:
        return "nothing measured"
    mean = math.exp(sum(math.log(one.gcups) for one in measured) / len(measured))
    return f"geometric mean {mean:.0f} GCUPS, best {max(one.gcups for one in measured):.0f}"
