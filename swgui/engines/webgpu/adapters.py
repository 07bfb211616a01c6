"""Adapters of this computer: GPUs as Vulkan, Metal or D3D12 show them.

Nothing is loaded before the first question.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.util
import logging
import os
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from swgui.core.errors import EngineUnavailable, InvalidParameter
from swgui.engines.base import DeviceInfo, EngineStatus
from swgui.engines.facts import WEBGPU

NAME: Final = WEBGPU.name
PACKAGE: Final = "wgpu"
INSTALL: Final = "Install it with: pip install 'swgui-core[webgpu]'."
# By their names in wgpu, best first. OpenGL has neither subgroups nor 16 bits and would show every card twice.
BACKENDS: Final = ("Vulkan", "Metal", "D3D12")
INSTANCE: Final = ("Vulkan", "Metal", "DX12")  # the same, as the package's settings name them
CARDS: Final = ("DiscreteGPU", "IntegratedGPU", "VirtualGPU")
SOFTWARE: Final = "CPU"
FEATURES: Final = ("shader-f16", "subgroup")
LIMITS: Final = (
    "max-buffer-size",
    "max-storage-buffer-binding-size",
    "max-compute-workgroup-storage-size",
    "max-compute-invocations-per-workgroup",
    "max-compute-workgroup-size-x",
    "max-compute-workgroups-per-dimension",
)
MIN_LIMITS: Final = {"max-compute-workgroup-storage-size": 1 << 13, "max-compute-invocations-per-workgroup": 1 << 6}
KINDS: Final = {"DiscreteGPU": "board", "IntegratedGPU": "part of the CPU", "VirtualGPU": "virtual"}
_log = logging.getLogger(__name__)


class Adapter(msgspec.Struct, frozen=True, eq=False):
    """One adapter."""

    info: DeviceInfo
    software: bool  # whether a processor computes in its place
    discrete: bool
    features: tuple[str, ...]  # of `FEATURES`
    limits: Mapping[str, int]  # by `LIMITS`
    handle: Any  # object of wgpu

    @property
    def missing(self) -> str:
        """Sentence on the limit that keeps it from running any kernel; empty if it runs some."""
        for name, least in MIN_LIMITS.items():
            if self.limits[name] < least:
                has = f"{self.limits[name]:,}"
                return f"The adapter '{self.info.name}' has a limit of {has} for {name}; {least:,} are needed."
        return ""


def installed() -> bool:
    """Whether the package is installed; it is not loaded."""
    return importlib.util.find_spec(PACKAGE) is not None


@functools.cache
def adapters() -> tuple[Adapter, ...]:
    """Return the adapters, cards first, software last; each card once, by the best back end that shows it.

    Raises
    ------
    Exception
        Whatever the package raises if it, or a driver, is damaged.
    """
    os.environ.setdefault("NODEVICE_SELECT", "1")  # a layer of Mesa that looks for a screen, and complains without one
    wgpu = importlib.import_module(PACKAGE)
    with contextlib.suppress(Exception):  # an instance that is there already, or another version: then all back ends
        importlib.import_module(f"{PACKAGE}.backends.wgpu_native.extras").set_instance_extras(backends=INSTANCE)
    found: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    for handle in wgpu.gpu.enumerate_adapters_sync():
        about = handle.info
        if about["backend_type"] not in BACKENDS:
            continue
        rank = BACKENDS.index(about["backend_type"])
        key = about["vendor_id"], about["device_id"], about["device"]
        if key not in found or rank < found[key][0]:
            found[key] = rank, handle
    ranks = {kind: place for place, kind in enumerate((*CARDS, SOFTWARE))}
    handles = sorted((handle for _, handle in found.values()), key=lambda one: ranks.get(one.info["adapter_type"], 9))
    return tuple(_adapter(number, handle) for number, handle in enumerate(handles))


def _adapter(number: int, handle: Any) -> Adapter:
    about, software = handle.info, handle.info["adapter_type"] == SOFTWARE
    backend = about["backend_type"]
    features = tuple(name for name in FEATURES if name in handle.features)
    facts = {
        "interface": backend,
        "kind": "software" if software else KINDS.get(about["adapter_type"], "unknown"),
        "driver": about["description"],
        "16-bit numbers": "yes" if "shader-f16" in features else "no",
        "subgroups": "yes" if "subgroup" in features else "no",
    }
    info = DeviceInfo(f"{backend.lower()}:{number}", about["device"], facts=facts)
    limits = {name: int(handle.limits[name]) for name in LIMITS}
    return Adapter(info, software, about["adapter_type"] == CARDS[0], features, limits, handle)


def status() -> EngineStatus:
    """Return the adapters, without raising."""
    if not installed():
        return _without(f"The package '{PACKAGE}' is not installed.", INSTALL)
    try:
        found = adapters()
    except Exception as error:  # whatever a damaged driver or package raises must not take the other engines along
        _log.exception("The adapters could not be listed")
        return _without(f"The adapters could not be listed: {error}.", "Install the driver of the GPU again.")
    if not found:
        return _without(
            "No GPU was found through Vulkan, Metal or D3D12.",
            "Install its driver; on Linux also the loader (libvulkan1).",
        )
    usable = tuple(one.info for one in found if not one.missing)
    if not usable:
        return _without(found[0].missing, "Install the newest driver of the GPU, or run on the CPU.")
    return EngineStatus(NAME, available=True, devices=usable, worth=any(one.discrete for one in found))


def _without(reason: str, hint: str) -> EngineStatus:
    return EngineStatus(NAME, available=False, reason=reason, hint=hint)


def choose(wanted: Sequence[str]) -> tuple[Adapter, ...]:
    """Return the adapters that a user names, or the first.

    Raises
    ------
    EngineUnavailable
        If there is none.
    InvalidParameter
        If there is none with that id.
    """
    now = status()
    if not now.available:
        raise EngineUnavailable(NAME, now.reason, hint=now.hint)
    by_id = {one.info.id: one for one in adapters() if not one.missing}
    for one in wanted:
        if one not in by_id:
            raise InvalidParameter("device", one, f"There is no adapter '{one}'.", hint=f"Choose {', '.join(by_id)}.")
    return tuple(by_id[one] for one in wanted or list(by_id)[:1])
