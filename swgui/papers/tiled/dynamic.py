"""Kernels that launch kernels: compiled relocatable, and linked with CUDA's device runtime by the driver."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from swgui.core.errors import InvalidParameter
from swgui.engines.cuda.modules import STANDARD, with_defines

LIBRARIES: Final = ("libcudadevrt.a", "cudadevrt.lib")
FOLDERS: Final = ("lib64", "lib", "lib/x64")


def device_runtime(cupy: Any) -> Path | None:
    """Return where the library is that launches from the device need: in the CUDA toolkit, or in NVIDIA's wheels."""
    return next((path for path in _candidates(cupy) if path.is_file()), None)


def _candidates(cupy: Any) -> Iterator[Path]:
    home = cupy.cuda.get_cuda_path()
    for folder in FOLDERS if home else ():
        for name in LIBRARIES:
            yield Path(home) / folder / name
    spec = importlib.util.find_spec("nvidia")
    for root in spec.submodule_search_locations or () if spec else ():
        for name in LIBRARIES:
            yield from sorted(Path(root).glob(f"**/{name}"))


def load_dynamic(cupy: Any, file: str, kernel: str, defines: tuple[str, ...]) -> Any:
    """Compile and link a kernel that launches others, for the current device.

    Returns
    -------
    cupy.cuda.Function

    Raises
    ------
    InvalidParameter
        If it cannot be done here, with the reason and the other ways of launching.
    """
    library = device_runtime(cupy)
    if library is None:
        raise _refusal("the library cudadevrt is not installed.")
    try:
        linker = cupy.cuda.function.LinkState()
        linker.add_ptr_data(_ptx(cupy, with_defines(file, defines), file), f"{file}.ptx")
        linker.add_ptr_file(str(library))
        module = cupy.cuda.function.Module()
        module.load(linker.complete())
        return module.get_function(kernel)
    except (cupy.cuda.nvrtc.NVRTCError, cupy.cuda.driver.CUDADriverError, RuntimeError) as error:
        text = str(error).strip().splitlines()
        raise _refusal(f"CUDA cannot link such kernels ({text[0] if text else type(error).__name__}).") from error


def _ptx(cupy: Any, text: str, name: str) -> bytes:
    nvrtc = cupy.cuda.nvrtc
    program = nvrtc.createProgram(text, name, (), ())
    try:
        options = (f"-arch=compute_{cupy.cuda.Device().compute_capability}", STANDARD, "-rdc=true")
        nvrtc.compileProgram(program, options)
        found = nvrtc.getPTX(program)
    finally:
        nvrtc.destroyProgram(program)
    return found if isinstance(found, bytes) else str(found).encode()


def _refusal(reason: str) -> InvalidParameter:
    return InvalidParameter(
        "launch",
        "dynamic",
        f"Kernels cannot be launched from the device here: {reason}",
        hint="Choose the launches 'streams' or 'graph', or install the CUDA toolkit with its library cudadevrt.",
    )
