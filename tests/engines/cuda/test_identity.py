"""Names of GPUs from the driver's libraries: made-up ones, and the real ones where there is a GPU."""

from __future__ import annotations

import ctypes

import pytest

from swgui.engines.cuda import identity

UUID = bytes(range(16))


class Management:
    """Enough of NVML; `refuses` names the call that fails."""

    def __init__(self, refuses=""):
        self.refuses = refuses

    def nvmlInit_v2(self):
        return int(self.refuses == "nvmlInit_v2")

    def nvmlSystemGetDriverVersion(self, text, size):
        assert size == len(text)
        text.value = b"580.95.05"
        return int(self.refuses == "nvmlSystemGetDriverVersion")


class Driver:
    """Enough of the driver."""

    def __init__(self, refuses=""):
        self.refuses = refuses

    def cuInit(self, flags):
        return int(self.refuses == "cuInit")

    def cuDeviceGet(self, handle, number):
        handle._obj.value = 40 + number
        return int(self.refuses == "cuDeviceGet")

    def cuDeviceGetUuid(self, found, handle):
        assert handle.value == 43
        ctypes.memmove(found, UUID, len(UUID))
        return int(self.refuses == "cuDeviceGetUuid")


def nothing(name):
    raise OSError(f"{name}: cannot open shared object file")


def test_driver_and_uuid_are_as_nvidia_smi_prints_them():
    assert identity.driver_version(lambda name: Management()) == "580.95.05"
    assert identity.uuid_of(3, lambda name: Driver()) == "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f"


@pytest.mark.parametrize("refuses", ["nvmlInit_v2", "nvmlSystemGetDriverVersion"])
def test_a_library_that_does_not_answer_gives_no_version(refuses):
    assert identity.driver_version(lambda name: Management(refuses)) == ""


@pytest.mark.parametrize("refuses", ["cuInit", "cuDeviceGet", "cuDeviceGetUuid"])
def test_a_driver_that_does_not_answer_gives_no_uuid(refuses):
    assert identity.uuid_of(3, lambda name: Driver(refuses)) == ""


def test_without_libraries_there_are_no_names():
    assert (identity.driver_version(nothing), identity.uuid_of(0, nothing)) == ("", "")


@pytest.mark.gpu
def test_a_gpu_has_the_names_that_its_management_library_gives():
    pynvml = pytest.importorskip("pynvml")
    pynvml.nvmlInit()
    uuids = {pynvml.nvmlDeviceGetUUID(pynvml.nvmlDeviceGetHandleByIndex(k)) for k in range(pynvml.nvmlDeviceGetCount())}
    assert identity.uuid_of(0) in uuids
    assert identity.driver_version() == pynvml.nvmlSystemGetDriverVersion()
