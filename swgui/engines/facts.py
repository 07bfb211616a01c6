"""The engines of this program, as everything outside their rooms knows them: one table.

An engine from elsewhere declares such a record in its own package, see `swgui.engines.registry`.
"""

from __future__ import annotations

from typing import Final

from swgui.core.engines import EngineFacts, Kind, SpeedSamples
from swgui.core.methods.base import CPU_SETTINGS

GPU: Final = EngineFacts(
    "cuda",
    "swgui.engines.cuda.adapter",
    title="GPU",
    about="Scores two subjects in each 32-bit word, exactly; scores that overflow are computed again in 32 bits.",
    needs="an NVIDIA GPU of compute capability 7.5 or later, its driver, and CuPy",
    kind=Kind.GPU,
    auto=True,
    methods=True,
    kernels=True,
    samples=SpeedSamples(8_000_000, 40_000_000, (50, 200, 800, 3200)),
)
CPU: Final = EngineFacts(
    "cpu",
    "swgui.engines.cpu",
    title="CPU",
    about="Uses the CPU's vector instructions on all cores; the same scores, slower than a GPU.",
    needs="the compiled library",
    kind=Kind.CPU,
    auto=True,
    threads=True,
    settings=CPU_SETTINGS,
    samples=SpeedSamples(60_000, 3_000_000, (50, 200, 800), per_cores=4),
)
WEBGPU: Final = EngineFacts(
    "webgpu",
    "swgui.engines.webgpu.adapter",
    title="Any GPU",
    about="Scores on GPUs of any maker through Vulkan, Metal or D3D12; slower than CUDA, with the same scores.",
    needs="a GPU with its driver, and the package wgpu",
    kind=Kind.GRAPHICS,
    auto=True,
    samples=SpeedSamples(60_000, 3_000_000, (50, 200, 800)),
)
REFERENCE: Final = EngineFacts(
    "reference",
    "swgui.engines.reference",
    title="Reference",
    about="Plain NumPy, slow and easy to check: the reference for the other engines.",
    needs="nothing more",
    kind=Kind.REFERENCE,
    auto=True,
    aside="slow, for checking",
    samples=SpeedSamples(4_000, 40_000, (50, 200)),
)
CLUSTER: Final = EngineFacts(
    "cluster",
    "swgui.engines.cluster.engine",
    title="Cluster",
    about="One search over several machines.",
    needs="Dask, and workers on those machines",
    kind=Kind.REMOTE,
)

ENGINES: Final = (GPU, WEBGPU, CPU, REFERENCE, CLUSTER)
RULE_ENGINES: Final = (CPU.name, GPU.name)  # those that also find places by rule
PAIR_ENGINES: Final = (CPU.name, GPU.name, REFERENCE.name)  # those that also compare profiles with profiles
