"""One GPU, where it is chosen or ends before the cores, for work other than the search of sequences."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineUnavailable
from swgui.engines.choice import cores_end_first
from swgui.engines.facts import GPU
from swgui.paths import kernels_dir

if TYPE_CHECKING:
    from swgui.engines.base import DeviceInfo


def chosen_gpu(engine: str, options: EngineOptions, on_cores: float, on_gpu: float) -> tuple[Any, DeviceInfo] | None:
    """GPU that computes, and its description; None where the cores do.

    Parameters
    ----------
    engine : str
        ``auto`` takes a GPU where there is one, unless the cores end first.
    options : EngineOptions
        Its first device computes, where it names one.
    on_cores, on_gpu : float
        Seconds that each takes, about.

    Raises
    ------
    EngineUnavailable
        If there is no GPU, and one was chosen.
    """
    named = engine == GPU.name or (engine == "auto" and bool(options.devices))
    if not named and (engine != "auto" or cores_end_first(on_cores, on_gpu)):
        return None
    from swgui.engines.cuda import device
    from swgui.engines.cuda.gpu import Gpu

    probed = device.probe()
    if probed.available:
        info = device.choose(probed.devices, options.devices)[0]
        return Gpu(device.import_cupy(), info), info
    if named:
        raise EngineUnavailable(GPU.name, probed.reason, hint=probed.hint)
    return None


def code_of(kernel: str, info: DeviceInfo) -> dict[str, str]:
    """Return the checksum of the source of a kernel, and the versions of the driver that runs it."""
    digest = hashlib.sha256((kernels_dir() / kernel).read_bytes()).hexdigest()
    driver = {name: info.facts[name] for name in ("driver", "driver supports CUDA") if name in info.facts}
    return {"kernel SHA-256": digest, **driver}
