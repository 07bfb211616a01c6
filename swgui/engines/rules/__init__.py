"""Scanners of the rules: which places of a text may be listed, by compiled code on the CPU or on a GPU."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineUnavailable, InvalidParameter
from swgui.engines.choice import TUNING, cores_end_first
from swgui.engines.facts import CPU, GPU, RULE_ENGINES

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
    named = engine == GPU.name or (engine == "auto" and bool(options.devices))
    on_cores = seconds / (options.threads or host.usable_cores())
    if named or (engine == "auto" and not cores_end_first(on_cores, TUNING.start_of_rules)):
        from swgui.engines.cuda import device
        from swgui.engines.cuda.gpu import Gpu
        from swgui.engines.rules.device import DeviceScanner, kernel_checksum

        probed = device.probe()
        if probed.available:
            info = device.choose(probed.devices, options.devices)[0]
            driver = {name: info.facts[name] for name in ("driver", "driver supports CUDA") if name in info.facts}
            code |= {"kernel SHA-256": kernel_checksum(), **driver}
            return DeviceScanner(Gpu(device.import_cupy(), info)), info.name, code
        if named:
            raise EngineUnavailable(GPU.name, probed.reason, hint=probed.hint)
    return HostScanner(options.threads), host.cpu_name(), code
