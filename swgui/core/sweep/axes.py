"""Axes of a sweep: from the settings of a method, and ready-made pairs of them. Facts only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from swgui.core.engines import EngineFacts
from swgui.core.errors import InvalidParameter
from swgui.core.methods.base import AUTO, THREADS, Setting
from swgui.core.methods.search import DEFAULT_METHOD, SEARCH_METHODS, search_method
from swgui.core.plain import replace
from swgui.core.sweep.grid import METHOD_AXIS, QUERY_AXIS, Axis

QUERY_LENGTHS: Final = ("32", "64", "128", "256", "350", "512", "1024", "2048", "4096")
MAX_CELLS: Final = 1_000
QUICK_VALUES: Final = {"chunk_residues": ["50000", "250000", "1000000", "2500000"]}


@dataclass(frozen=True, slots=True)
class Preset:
    """A ready-made sweep."""

    name: str
    title: str
    help: str
    axes: tuple[str, ...]  # names of the axes; the first runs along the bottom


PRESETS: Final[Mapping[str, Preset]] = MappingProxyType(
    {
        preset.name: preset
        for preset in (
            Preset(
                "threads-blocks",
                "Threads per block × blocks",
                "As in figures 6 and 7 of the paper on short queries in shared memory.",
                ("threads", "blocks"),
            ),
            Preset("rows-lanes", "Rows × lanes", "How threads share the rows of a query.", ("rows", "lanes")),
            Preset(
                "threads-chunks",
                "Threads × residues per chunk",
                "How work is handed out.",
                ("threads", "chunk_residues"),
            ),
            Preset("methods", "Methods × query length", "Method against method.", ("query", "method")),
            Preset("query", "Query length", "How speed grows with the query.", ("query",)),
        )
    }
)


def settings_of(engine: EngineFacts, method: str, cores: int = 1) -> tuple[Setting, ...]:
    """Return the settings that can be swept for an engine and a method (``auto``: the program's own).

    Parameters
    ----------
    cores : int
        Cores of the computer, for threads of the CPU.
    """
    if engine.methods:
        return tuple(s for s in search_method(method).settings if s.values or s.names)
    counts = sorted({1, cores, *(c for c in (2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128) if c < cores), 2 * cores})
    return tuple(replace(s, values=tuple(counts)) if s.name == THREADS else s for s in engine.settings)


def presets_of(engine: EngineFacts, method: str) -> tuple[Preset, ...]:
    """Return the ready-made sweeps an engine and a method have axes for."""
    available = {setting.name for setting in settings_of(engine, method)} | {QUERY_AXIS}
    if engine.methods:
        available.add(METHOD_AXIS)
    return tuple(preset for preset in PRESETS.values() if available.issuperset(preset.axes))


def make_axis(engine: EngineFacts, method: str, name: str, values: Sequence[str] = (), cores: int = 1) -> Axis:
    """Return an axis by name, with all usual values or those given.

    Raises
    ------
    InvalidParameter
        If there is no such axis, or a value is not allowed.
    """
    if name == QUERY_AXIS:
        return Axis(QUERY_AXIS, "Query length", "residues", tuple(values) or QUERY_LENGTHS)
    if name == METHOD_AXIS and engine.methods:
        for value in values:
            if value != AUTO:
                search_method(value)
        return Axis(METHOD_AXIS, "Method", "", tuple(values) or tuple(SEARCH_METHODS))
    by_name = {setting.name: setting for setting in settings_of(engine, method, cores)}
    if name not in by_name:
        names = ", ".join((*by_name, QUERY_AXIS, *((METHOD_AXIS,) if engine.methods else ())))
        of = f"method {method}" if engine.methods else f"engine {engine.name}"
        raise InvalidParameter("axis", name, f"The {of} has no axis '{name}'.", hint=f"Choose from {names}.")
    setting = by_name[name]
    usual = setting.names or tuple(str(value) for value in setting.values)
    for value in values:
        if value != AUTO and value not in usual:
            _check(setting, value)
    return Axis(setting.name, setting.title, setting.unit, tuple(values) or usual)


def _check(setting: Setting, value: str) -> None:
    """Refuse a value a setting cannot have.

    Raises
    ------
    InvalidParameter
    """
    if not setting.allows(value):
        raise InvalidParameter(
            setting.name, value, f"{setting.title} cannot be '{value}'.", hint=f"It may be {setting.allowed}."
        )


def quick_axes(engine: EngineFacts, length: int, cores: int) -> tuple[Axis, ...]:
    """Return the axes of "Find the fastest settings": few cells, each a sensible one.

    An engine that has nothing to set is measured over the length of the query.

    Parameters
    ----------
    length : int
        Residues of the query: a GPU's rows are those with which it just fills the lanes.
    """
    if engine.settings and not engine.methods:
        quick = {THREADS: [str(count) for count in sorted({1, max(1, cores // 2), cores, 2 * cores})], **QUICK_VALUES}
        return tuple(make_axis(engine, "", s.name, quick.get(s.name, ()), cores) for s in engine.settings[:2])
    if not settings_of(engine, DEFAULT_METHOD):
        return (make_axis(engine, DEFAULT_METHOD, QUERY_AXIS, QUERY_LENGTHS[:5]),)
    method = SEARCH_METHODS[DEFAULT_METHOD]
    rows, lanes = method.setting("rows"), method.setting("lanes")
    wanted = {-(-length // (lane * passes)) for lane in lanes.values for passes in (1, 2)}
    fitting = sorted({min(max(row + row % 2, 8), rows.maximum) for row in wanted if row <= 1.2 * rows.maximum})
    return (
        make_axis(engine, DEFAULT_METHOD, "rows", [str(row) for row in fitting or [rows.maximum]]),
        make_axis(engine, DEFAULT_METHOD, "lanes"),
    )


def method_of(axes: Sequence[Axis], method: str) -> dict[str, str]:
    """Return the setting that fixes the method of a sweep; nothing where it is an axis or automatic."""
    return {} if method in ("", AUTO) or any(axis.name == METHOD_AXIS for axis in axes) else {METHOD_AXIS: method}
