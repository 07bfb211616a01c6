"""Usable CUDA devices. Nothing touches CUDA before the first question."""

from __future__ import annotations

import ctypes
import importlib
import os
from pathlib import Path
from typing import Any, Final

from swgui import paths
from swgui.core.errors import InvalidParameter
from swgui.core.plain import replace
from swgui.engines import host
from swgui.engines.base import NOT_USED, TILES, DeviceInfo, EngineStatus
from swgui.engines.cuda import cubins, opening
from swgui.engines.cuda.cupy_import import import_lean
from swgui.engines.cuda.identity import DRIVER, driver_version, uuid_of
from swgui.engines.facts import GPU

NAME: Final = GPU.name
OLDEST: Final = 75  # compute capability times ten
NO_DRIVER: Final = 35
NO_DEVICE: Final = 100
WITHOUT_DRIVER: Final = EngineStatus(
    NAME,
    available=False,
    reason="There is no NVIDIA driver on this computer.",
    hint="Install the NVIDIA driver, or run on the CPU.",
)
WITHOUT_GPU: Final = EngineStatus(NAME, available=False, reason="This computer has no NVIDIA GPU.")
_INSTALL: Final = "Install it with: pip install 'swgui-core[cuda13]' (or 'swgui-core[cuda12]' for drivers before 580)."


def import_cupy() -> Any:
    """Import CuPy with its compiled kernels kept in our cache folder.

    Where that folder cannot be written, compiled kernels are kept in memory only.
    """
    if "CUPY_CACHE_DIR" not in os.environ and "CUPY_CACHE_IN_MEMORY" not in os.environ:
        folder = paths.cache_dir() / "kernels"
        if _can_write(folder):
            os.environ["CUPY_CACHE_DIR"] = str(folder)
        else:
            os.environ["CUPY_CACHE_IN_MEMORY"] = "1"
    return import_lean() if opening.alone else importlib.import_module("cupy")


def _can_write(folder: Path) -> bool:
    import tempfile  # here: only this function needs it

    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def probe() -> EngineStatus:
    """Return whether there is a usable device, and if not the reason, without raising."""
    try:
        cupy = import_cupy()
    except ImportError as error:
        return _missing(f"CuPy cannot be loaded ({error}).")
    if opening.begun:  # the next call waits for the driver, and the engine is wanted soon
        importlib.import_module("swgui.engines.cuda.engine")
    try:
        if not cubins.any_kept():
            cupy.cuda.nvrtc.getVersion()
    except Exception as error:  # CuPy raises the errors of its loader: ImportError, RuntimeError, OSError
        reason = f"The CUDA compiler library NVRTC cannot be loaded ({_first_line(error)})."
        return _missing(reason)
    try:
        count = cupy.cuda.runtime.getDeviceCount()
        devices = tuple(info for index in range(count) if (info := _describe(cupy, index)) is not None)
    except Exception as error:  # CUDARuntimeError, or any error of a broken installation
        return _why(cupy, error)
    if not devices:
        return _unavailable("No GPU here is new enough (compute capability 7.5).", "Run on the CPU.")
    return EngineStatus(NAME, available=True, devices=_identified(devices))


def choose(devices: tuple[DeviceInfo, ...], wanted: tuple[str, ...]) -> tuple[DeviceInfo, ...]:
    """Return the devices named, in the order named; all of them if none is named.

    Raises
    ------
    InvalidParameter
        If there is no such device, or one is named twice.
    """
    if not wanted:
        return devices[:1]
    by_id = {device.id: device for device in devices}
    if "all" in wanted:
        return devices
    for name in wanted:
        if name not in by_id:
            raise InvalidParameter(
                "device", name, f"There is no CUDA device '{name}'.", hint=f"Choose {', '.join(by_id)} or all."
            )
    if len(set(wanted)) < len(wanted):
        raise InvalidParameter("device", wanted, f"A device is named twice in {', '.join(wanted)}.")
    return tuple(by_id[name] for name in wanted)


def _describe(cupy: Any, index: int) -> DeviceInfo | None:
    properties = cupy.cuda.runtime.getDeviceProperties(index)
    if 10 * properties["major"] + properties["minor"] < OLDEST:
        return None
    with cupy.cuda.Device(index):
        free, total = cupy.cuda.runtime.memGetInfo()
    driver = cupy.cuda.runtime.driverGetVersion()
    return DeviceInfo(
        id=str(index),
        name=properties["name"].decode(),
        memory=total,
        free_memory=free,
        facts={
            "compute capability": f"{properties['major']}.{properties['minor']}",
            "multiprocessors": str(properties["multiProcessorCount"]),
            "driver supports CUDA": f"{driver // 1000}.{driver % 1000 // 10}",
            **_identity(properties),
        },
    )


def _identified(devices: tuple[DeviceInfo, ...]) -> tuple[DeviceInfo, ...]:
    """Add the names under which measurements of the devices are kept, and where their tiles are from."""
    named = (
        replace(device, facts={**device.facts, **{name: value for name, value in facts if value}})
        for device in devices
        for facts in [(("driver", driver_version()), ("UUID", uuid_of(int(device.id))))]
    )
    return tuple(replace(device, facts={**device.facts, **_tiles(device)}) for device in named)


def _tiles(device: DeviceInfo) -> dict[str, str]:
    """Return where the tiles of a GPU are from, in words, and why measured ones are not used."""
    from swgui.engines.cuda.streaming.tables import tables_for  # here: only where there are GPUs

    kept = tables_for(device)[1]
    return {TILES: kept.said, **({NOT_USED: kept.trouble} if kept.trouble else {})}


def _identity(properties: dict[str, Any]) -> dict[str, str]:
    """Return the place of a GPU: programs count GPUs in different orders.

    CuPy cuts the UUID off at its first zero byte, so it is no help.
    """
    if "pciBusID" not in properties:
        return {}
    domain, bus, device = (properties[name] for name in ("pciDomainID", "pciBusID", "pciDeviceID"))
    return {"PCI address": f"{domain:04x}:{bus:02x}:{device:02x}.0"}


def _missing(reason: str) -> EngineStatus:
    """Return a status with the missing package and the remedy; without a driver no package would help."""
    return _unavailable(reason, _INSTALL) if has_driver() else without_driver()


def without_driver() -> EngineStatus:
    """Return the message that there is no driver, and the remedy: none without a GPU."""
    return WITHOUT_GPU if host.has_nvidia_gpu() is False else WITHOUT_DRIVER


def has_driver() -> bool:
    """Whether the library of NVIDIA's driver is on this computer. Takes no CUDA context."""
    try:
        ctypes.CDLL(DRIVER)
    except OSError:
        return False
    return True


def _why(cupy: Any, error: Exception) -> EngineStatus:
    status = getattr(error, "status", None)
    if status == NO_DRIVER:
        supported = _driver_version(cupy)
        if supported:
            needed = cupy.cuda.runtime.runtimeGetVersion()
            return _unavailable(
                f"The NVIDIA driver supports CUDA {supported // 1000}.{supported % 1000 // 10}, "
                f"but CUDA {needed // 1000}.{needed % 1000 // 10} is needed.",
                "Update the NVIDIA driver, or install 'swgui-core[cuda12]'.",
            )
        return without_driver()
    if status == NO_DEVICE:
        return _unavailable(
            "The NVIDIA driver finds no GPU.", "Look whether nvidia-smi lists the GPU, or run on the CPU."
        )
    return _unavailable(
        f"CUDA cannot be started ({_first_line(error)}).", "Look whether nvidia-smi works, or run on the CPU."
    )


def _driver_version(cupy: Any) -> int:
    try:
        return int(cupy.cuda.runtime.driverGetVersion())
    except Exception:
        return 0


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _unavailable(reason: str, hint: str) -> EngineStatus:
    return EngineStatus(NAME, available=False, reason=reason, hint=hint)
