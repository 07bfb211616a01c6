"""How two GPUs hand arrays to each other, with a made-up runtime that does everything at once."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace

import numpy as np
import pytest

from swgui.engines.base import DeviceInfo
from swgui.engines.cuda.pair.wavefront.device import ALREADY_ENABLED, CudaDevice


class Array(np.ndarray):
    @property
    def data(self):
        return SimpleNamespace(ptr=self.ctypes.data)

    def set(self, host, stream=None):
        self[:] = host

    def get(self, stream=None, blocking=True):
        return np.array(self)


class RuntimeFault(Exception):
    def __init__(self, status):
        super().__init__(f"error {status}")
        self.status = status


class Cupy:
    """Enough of CuPy for two GPUs; `faulty` ways lose what is sent over them."""

    def __init__(self, *, reachable=True, status=0, faulty=False):
        self.reachable, self.status, self.faulty = reachable, status, faulty
        self.current, self.straight, self.enabled = [], 0, set()
        fake = self

        class Device:
            def __init__(self, number):
                self.number = number

            def __enter__(self):
                fake.current.append(self.number)

            def __exit__(self, *exception):
                fake.current.pop()

            def synchronize(self): ...

        class Stream:
            null = None
            ptr = 0

            def __init__(self, **_):
                self.gpu = fake.current[-1]

            def __enter__(self):
                assert fake.current[-1] == self.gpu, "a stream of another GPU"

            def __exit__(self, *exception): ...

            def wait_event(self, event): ...

            def synchronize(self): ...

        event = SimpleNamespace(record=lambda: None, done=True)
        self.cuda = SimpleNamespace(
            Device=Device,
            Stream=Stream,
            Event=lambda **_: event,
            get_current_stream=lambda: Stream(),
            alloc_pinned_memory=lambda size: bytearray(size),
            memory=SimpleNamespace(OutOfMemoryError=MemoryError),
            driver=SimpleNamespace(CUDADriverError=RuntimeFault),
            runtime=SimpleNamespace(
                CUDARuntimeError=RuntimeFault,
                getDeviceProperties=lambda _: {
                    "multiProcessorCount": 4,
                    "sharedMemPerBlockOptin": 1 << 16,
                    "sharedMemPerMultiprocessor": 1 << 17,
                    "major": 9,
                    "minor": 0,
                },
                deviceCanAccessPeer=lambda *_: int(self.reachable),
                deviceEnablePeerAccess=self.enable,
                memcpyAsync=lambda target, source, size, *_: ctypes.memmove(target, source, size),
                memcpyPeerAsync=self.send,
                memsetAsync=lambda target, value, size, _: ctypes.memset(target, value, size),
            ),
        )

    def enable(self, other):
        self.enabled.add((self.current[-1], other))
        if self.status:
            raise RuntimeFault(self.status)

    def send(self, target, there, source, here, size, stream):
        assert here != there
        self.straight += 1
        if not self.faulty:
            ctypes.memmove(target, source, size)

    def empty(self, count, dtype):
        return np.empty(count, dtype=dtype).view(Array)

    def zeros(self, count, dtype):
        return np.zeros(count, dtype=dtype).view(Array)

    def get_default_memory_pool(self):
        return SimpleNamespace(used_bytes=lambda: 5, free_all_blocks=lambda: None)


def two_gpus(cupy):
    return [CudaDevice(cupy, DeviceInfo(str(number), "GPU")) for number in range(2)]


def carry(one, other):
    """Send an array and look at what arrives."""
    values = np.arange(40, dtype=np.int32)
    with one.at_work():
        source = one.upload(values)
        ready = one.mark()
    with other.at_work():
        target = other.empty(20, np.int32)
    arrived = one.send(source[10:30], other, target, (ready,))
    assert other.reached(arrived)
    assert np.array_equal(target, values[10:30])


@pytest.mark.parametrize("status", [0, ALREADY_ENABLED])
def test_gpus_that_reach_each_other_send_straight(status):
    cupy = Cupy(status=status)
    carry(*two_gpus(cupy))
    assert cupy.straight == 2  # a trial, then the array
    assert cupy.enabled == {(0, 1), (1, 0)}


@pytest.mark.parametrize("given", [{"reachable": False}, {"status": 217}, {"faulty": True}])
def test_other_gpus_send_through_the_host(given):
    cupy = Cupy(**given)
    gpus = two_gpus(cupy)
    carry(*gpus)
    tried = cupy.straight
    assert tried == int("faulty" in given)
    carry(*gpus)
    assert cupy.straight == tried, "a way is tried once"


def test_one_gpu_sends_to_itself():
    cupy = Cupy()
    gpu = two_gpus(cupy)[0]
    carry(gpu, gpu)
    assert cupy.straight == 0


def test_gpus_are_halted_together():
    gpus = two_gpus(Cupy())
    for gpu in gpus:
        gpu.halt()
    assert [int(gpu.cancel_flag[0]) for gpu in gpus] == [1, 1]
    for gpu in gpus:
        gpu.settle()
    assert [int(gpu.cancel_flag[0]) for gpu in gpus] == [0, 0]
    assert gpus[0].peek(gpus[0].cancel_flag).tolist() == [0]
