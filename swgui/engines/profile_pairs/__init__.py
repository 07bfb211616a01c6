"""Engines that compare profiles with profiles, every pair: in compiled code, on a GPU, and the plain definition.

`swgui.core.profiles.pairs` defines what they compute; all give the same integers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from swgui.core.engines import EngineOptions
from swgui.core.errors import InvalidParameter
from swgui.engines.choice import TUNING, in_use
from swgui.engines.facts import PAIR_ENGINES, REFERENCE
from swgui.engines.one_gpu import chosen_gpu, code_of

if TYPE_CHECKING:
    from swgui.engines.profile_pairs.base import PairEngine

CPU_SPEED: Final = 1e9  # pairs of columns that a core compares in a second, about
ANY: Final = EngineOptions()


def make_pair_engine(
    engine: str = "auto", cells: float = 0.0, options: EngineOptions = ANY
) -> tuple[PairEngine, str, dict[str, str]]:
    """Return an engine for profiles, the name of its device, and the description of its code: versions and checksums.

    Parameters
    ----------
    engine : {"auto", "cpu", "cuda", "reference"}
        ``auto`` takes a GPU where there is one, unless the cores end before it begins, and the definition where nothing
        else can be used.
    cells : float
        Columns of all queries times those of all targets.
    options : EngineOptions
        Its first device computes, where it names one; its threads are those of the CPU.

    Raises
    ------
    InvalidParameter
        If there is no such engine or no such device.
    EngineUnavailable
        If what is required is not there: a GPU or the compiled library.
    """
    from swgui.engines import host
    from swgui.engines.native import library

    if engine not in ("auto", *PAIR_ENGINES):
        known = ", ".join(f"'{name}'" for name in PAIR_ENGINES)
        raise InvalidParameter("engine", engine, f"Profiles are compared by {known} or 'auto', not by '{engine}'.")
    on_cores = cells / CPU_SPEED / (options.threads or host.usable_cores())
    found = chosen_gpu(engine, options, on_cores, 0.0 if in_use() else TUNING.start_of_rules)
    if found is not None:
        from swgui.engines.profile_pairs.device import FILE, DevicePairs

        gpu, info = found
        return DevicePairs(gpu), info.name, code_of(FILE, info)
    if engine == REFERENCE.name or (engine == "auto" and library.problem()):
        from swgui.engines.profile_pairs.reference import ReferencePairs

        return ReferencePairs(), host.cpu_name(), {}
    from swgui.engines.profile_pairs.cpu import CpuPairs

    code = {**library.facts(), "compiled code SHA-256": library.checksum()}
    return CpuPairs(options.threads), host.cpu_name(), code
