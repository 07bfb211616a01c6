"""CUDA's error codes in words."""

from __future__ import annotations

from typing import Any, Final

from swgui.core.errors import EngineFault

# What happened, by number of the runtime's and the driver's error (they agree where both have it).
_EXPLANATIONS: Final = {
    46: ("is busy or reserved by another program", "Close the other program, or choose another device."),
    101: ("is not there any more", "Look whether the GPU is still listed by nvidia-smi."),
    209: ("cannot run these kernels", "Update the driver and CuPy, or run on the CPU."),
    214: ("reported a memory error (ECC)", "Restart the computer; if it happens again, the GPU may be defective."),
    222: ("needs a newer driver for these kernels", "Update the NVIDIA driver, or run on the CPU."),
    700: ("read or wrote memory it must not", "Report this with the query and the database; run on the CPU meanwhile."),
    702: ("took longer than the system allows", "GPUs that drive a screen have a time limit: use smaller chunks."),
    719: ("stopped while computing", "Look whether the GPU is still listed by nvidia-smi, or run on the CPU."),
}


def explain(device: str, error: BaseException) -> EngineFault:
    """Turn an error of CUDA into a sentence about the device it happened on.

    Parameters
    ----------
    device : str
        Name and number of the device.
    error : BaseException
        ``CUDARuntimeError`` or ``CUDADriverError`` of CuPy, or anything else.
    """
    status: Any = getattr(error, "status", None)
    happened, hint = _EXPLANATIONS.get(
        status, ("failed", "Look whether the GPU is still listed by nvidia-smi, or run on the CPU.")
    )
    return EngineFault(f"{device} {happened} ({error}).", hint=hint)
