"""Scanners of the rules: which places of a text may be listed, by compiled code on the CPU or on a GPU."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from swgui.core.engines import EngineOptions
from swgui.core.errors import InvalidParameter
from swgui.engines.choice import TUNING
from swgui.engines.facts import CPU, GPU, RULE_ENGINES
from swgui.engines.one_gpu import chosen_gpu, code_of

if TYPE_CHECKING:
    from swgui.engines.rules.scanner import Scanner

ANY: Final = EngineOptions()


def make_scanner(
    engine: str = "auto", seconds: float = math.inf, options: EngineOptions = ANY
) -> tuple[Scanner, str, dict[str, str]]:
    """Return a scanner, the name of its device, and the description of its code: versions and checksums.

    Parameters
    ----------
    engine : {"auto", "cpu", "cuda"}
        ``auto`` takes a GPU where there is one, unless the CPU is done before a GPU begins.
    seconds : float
        How long one core would scan, about.
    options : EngineOptions
        Its first device scans, where it names one; its threads are those of the CPU.

    Raises
    ------
    InvalidParameter
        If there is no such engine or no such device.
    EngineUnavailable
        If a GPU is required, and there is none.
    """
    from swgui.engines import host
    from swgui.engines.native import library
    from swgui.engines.rules.host import HostScanner

    if engine not in ("auto", *RULE_ENGINES):
        raise InvalidParameter("engine", engine, f"A rule runs on '{CPU.name}' or '{GPU.name}', not on '{engine}'.")
    code = {**library.facts(), "compiled code SHA-256": library.checksum()}
    found = chosen_gpu(engine, options, seconds / (options.threads or host.usable_cores()), TUNING.start_of_rules)
    if found is None:
        return HostScanner(options.threads), host.cpu_name(), code
    from swgui.engines.rules.device import FILE, DeviceScanner

    gpu, info = found
    return DeviceScanner(gpu), info.name, code | code_of(FILE, info)
