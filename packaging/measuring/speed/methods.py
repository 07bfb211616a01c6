"""``--methods``: every search method side by side on the 20 queries, as a table, JSON and a picture.

Every method searches the same resident database; before a time counts, its best hits are compared with those of
the program's own kernel. A method that cannot do a query (it would fall back) has no figure there.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, cast

from speed.chart import line_chart
from speed.common import PROGRAM, positive, refuse, refuse_without_gpu, save_text
from speed.data import DATA_DEFAULT, DATA_VARIABLE, data_files, data_folder
from speed.document import document
from speed.jobs import Setting
from speed.measure import TOP, Measurement, whole_scan
from swgui.commands.parser import Parser
from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineFault, SwguiError
from swgui.core.hits.scores import TopHits
from swgui.core.methods.search import DEFAULT_METHOD, SEARCH_METHODS, search_method
from swgui.core.scoring import EncodedQuery
from swgui.engines.cuda.engine import CudaEngine
from swgui.engines.facts import GPU
from swgui.engines.registry import kernel_use, make_engine, probe
from swgui.io.outputs import check_outputs

WORD: Final = "--methods"

# What the papers used on their GPUs, where it says anything: 32-bit scores, one subject per thread.
AS_PUBLISHED: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "simt": {"subjects": "1", "rows": "8", "threads": "256", "blocks": "4", "threshold": "3072"},
        "vsimd": {"subjects": "1", "vector": "16", "partition": "256", "threads": "192", "threshold": "3072"},
        "intra": {"subjects": "1"},
        "shared": {"subjects": "1", "k": "4", "p": "4", "threads": "64", "threshold": "3072"},
        "band": {"subjects": "1", "band": "12", "threads": "256", "threshold": "3072"},
    }
)


@dataclass(frozen=True, slots=True)
class Row:
    """One query by one method.

    Parameters
    ----------
    method : str
    query, length
        Name and residues.
    measured : Measurement or None
        None if the method cannot do this query.
    settings : Mapping[str, str]
        In use.
    remarks : tuple of str
    """

    method: str
    query: str
    length: int
    measured: Measurement | None
    settings: Mapping[str, str] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return everything, figures included."""
        figures = self.measured.as_json() if self.measured else {}
        own = {"method": self.method, "query": self.query, "length": self.length}
        return {**figures, **own, "settings": dict(self.settings), "remarks": list(self.remarks)}


def main(words: Sequence[str]) -> int:
    """Measure; returns the exit status."""
    given = _parser().parse_args([word for word in words if word not in ("--", WORD)])
    status = probe(GPU.name)
    if not status.available:
        return refuse_without_gpu(status)
    devices = (given.device,) if given.device else (status.devices[0].id,)
    setting = Setting(data_folder(given.data), given.times, given.repeats, devices)
    rows: list[Row] = []
    try:
        check_outputs({"json": given.json, "svg": given.svg}, data_files(data_folder(given.data)))
        names = [search_method(name).name for name in given.only.split(",")] if given.only else list(SEARCH_METHODS)
        for row in measure(setting, names, AS_PUBLISHED if given.published else {}):
            rows.append(row)
            print(_line(row), flush=True)
    except SwguiError as error:
        return refuse(error)
    finally:
        if rows:
            print("\n" + table(rows))
            _write(given, rows, [{"id": d.id, "name": d.name, **d.facts} for d in status.devices if d.id in devices])
    return 0


def measure(setting: Setting, names: Sequence[str], settings: Mapping[str, Mapping[str, str]]) -> Iterator[Row]:
    """Time every query by every method.

    Parameters
    ----------
    setting : Setting
    names : sequence of str
        Methods.
    settings : Mapping[str, Mapping[str, str]]
        Of each method, where they are not left to be chosen.

    Raises
    ------
    EngineFault
        If a method lists other hits than the program's own kernel.
    """
    expected = _hits(setting)
    for name in names:
        options = EngineOptions(setting.devices[:1], settings={"method": name, **settings.get(name, {})})
        with closing(cast(CudaEngine, make_engine(GPU.name, options))) as engine:
            for query in setting.queries:
                use = kernel_use(GPU.name, options, (query,), setting.scheme, setting.database)[0]
                told = (use.settings, use.remarks)
                if use.method != name:
                    yield Row(name, query.id, len(query), None, *told)
                    continue
                found = engine.best(query, setting.database, setting.scheme, TOP)
                if found is None or not found[0] == expected[query.id]:
                    raise EngineFault(f"The method '{name}' lists other hits for {query.id} than {DEFAULT_METHOD}.")
                timed = whole_scan("methods", query, setting.database, setting.scheme, engine, setting.repeats)
                yield Row(name, query.id, len(query), timed, *told)


def _hits(setting: Setting) -> dict[str, TopHits]:
    """Return the best hits of every query, by the program's own kernel."""
    hits: dict[str, TopHits] = {}
    queries: Sequence[EncodedQuery] = setting.queries
    with closing(setting.engine()) as engine:
        for query in queries:
            found = engine.best(query, setting.database, setting.scheme, TOP)
            if found is None:
                raise EngineFault("The database does not fit the device's memory.", hint="Give fewer --times.")
            hits[query.id] = found[0]
    return hits


def table(rows: Sequence[Row]) -> str:
    """Return GCUPS of whole scans as a table in Markdown: a line per query, a column per method."""
    methods = list(dict.fromkeys(row.method for row in rows))
    queries = dict(sorted({row.query: row.length for row in rows}.items(), key=lambda item: item[1]))
    figures = {(row.method, row.query): row.measured.gcups for row in rows if row.measured}
    lines = [f"| query | length | {' | '.join(methods)} |", f"|---|---|{'---|' * len(methods)}"]
    for query, length in queries.items():
        cells = [f"{figures[m, query]:.0f}" if (m, query) in figures else "-" for m in methods]
        lines.append(f"| {accession(query)} | {length} | {' | '.join(cells)} |")
    means = [geometric_mean([figures[m, q] for q in queries if (m, q) in figures]) for m in methods]
    lines.append(f"| geometric mean | | {' | '.join(f'{mean:.0f}' if mean else '-' for mean in means)} |")
    return "\n".join(lines)


def accession(name: str) -> str:
    """Return the name of a query in a table: the accession in names like ``gi|1|sp|P02232.2|LGB1``."""
    parts = name.split("|")
    for database in ("sp", "tr"):
        if database in parts[:-1]:
            return parts[parts.index(database) + 1].partition(".")[0]
    return "/".join(parts)


def geometric_mean(values: Sequence[float]) -> float:
    """Return the geometric mean; 0 of nothing."""
    return math.exp(sum(map(math.log, values)) / len(values)) if values else 0.0


def picture(rows: Sequence[Row], device: str, title: str) -> str:
    """Return GCUPS of whole scans over the length of the query, as SVG."""
    lines: dict[str, list[tuple[float, float]]] = {}
    for row in sorted(rows, key=lambda row: row.length):
        points = lines.setdefault(row.method, [])
        if row.measured:
            points.append((row.length, row.measured.gcups))
    return line_chart(title, device, "residues of the query", "GCUPS, whole scan", lines, list(SEARCH_METHODS))


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=f"{PROGRAM} {WORD}", description="Time every search method on the same queries and the same database."
    )
    parser.add_argument("--only", metavar="NAME[,NAME]", help=f"methods (default: {','.join(SEARCH_METHODS)})")
    parser.add_argument("--published", action="store_true", help="with the papers' settings instead of automatic ones")
    parser.add_argument("--data", help=f"folder of the sequences (default: ${DATA_VARIABLE} or {DATA_DEFAULT})")
    parser.add_argument("--times", type=positive, default=4, help="copies of the protein database (default: 4)")
    parser.add_argument("--repeats", type=positive, default=3, help="runs of which the median counts (default: 3)")
    parser.add_argument("--device", help="device (default: the first)")
    parser.add_argument("--json", metavar="FILE", help="write all figures to a file")
    parser.add_argument("--svg", metavar="FILE", help="draw GCUPS over query length")
    return parser


def _line(row: Row) -> str:
    head = f"{row.method:<10} {accession(row.query):<8} {row.length:6d}"
    if row.measured is None:
        return f"{head}  falls back: {row.remarks[0]}"
    timed = row.measured
    settings = " ".join(f"{name}={value}" for name, value in row.settings.items() if value != "auto")
    return (
        f"{head} {timed.seconds * 1000:9.2f} ms {timed.gcups:7.0f} GCUPS, kernel {timed.kernel_gcups:7.0f}   {settings}"
    )


def _write(given: argparse.Namespace, rows: Sequence[Row], devices: list[dict[str, str]]) -> None:
    if given.json:
        made = document([row.as_json() for row in rows], devices)
        save_text(given.json, json.dumps(made, indent=1))
    if given.svg and any(row.measured for row in rows):
        title = "Search methods, the papers' settings" if given.published else "Search methods, automatic settings"
        save_text(given.svg, picture(rows, devices[0]["name"], title))
