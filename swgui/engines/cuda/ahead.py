"""Compilation of the kernels of the coming queries in threads during the search, unless the cache has them.

The first search of many queries of different lengths needs dozens of kernels, and compiling one takes longer than the
search itself. The compiler releases the interpreter's lock, and 16 threads are 11 times as fast as one. A search whose
kernels are all kept starts no thread.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future
from itertools import chain
from typing import Final

from swgui.core.control import start_thread
from swgui.engines import host
from swgui.engines.cuda import modules
from swgui.engines.cuda.gpu import Gpu
from swgui.engines.cuda.streaming.launch import QueryPlan
from swgui.engines.cuda.streaming.variants import KernelVariant, passes

log = logging.getLogger(__name__)

MAX_THREADS: Final = 16
LOOK_SECONDS: Final = 0.02  # between two looks whether the search was cancelled

Key = tuple[str, KernelVariant]

_lock = threading.Lock()
_claims: dict[Key, threading.Event] = {}  # by whom ever a kernel is compiled or was: set when it is in the cache


def thread_count() -> int:
    """Return the number of threads that may compile at once, for any number of GPUs; one core is left to the search."""
    return min(max(host.usable_cores() - 1, 0), MAX_THREADS)


permits = threading.BoundedSemaphore(max(thread_count(), 1))


def variants_of(plan: QueryPlan) -> list[KernelVariant]:
    """Return the kernels of a plan, without those of subjects that overflow."""
    return list(dict.fromkeys(variant for _, variant in plan.variants))


def wide_variants_of(plan: QueryPlan) -> list[KernelVariant]:
    """Return the kernels for subjects of a plan that overflow, if one that matches the whole query would."""
    if not plan.may_overflow:
        return []
    return list(dict.fromkeys(variant for _, variant in passes(plan.wide_tile, plan.wide, plan.length)))


class Ahead:
    """Loads the kernels of one search on one GPU, and has others compile those of the plans to come.

    Parameters
    ----------
    plans : sequence of QueryPlan
        In the order in which they will be needed.
    """

    def __init__(self, gpu: Gpu, plans: Sequence[QueryPlan]) -> None:
        self._gpu = gpu
        self._plans = plans
        self._ready: set[tuple[int, ...]] = set()
        self._waiting: deque[KernelVariant] = deque()
        self._started = False
        self._stopped = threading.Event()
        self.compiling: list[Future[None]] = []

    def load(self, plan: QueryPlan, cancel: threading.Event) -> bool:
        """Make the GPU hold the kernels of a plan; False if the search was cancelled while they were waited for.

        Raises
        ------
        KernelCompileError
        """
        if plan.indices not in self._ready:
            if not all(self._load(variant, cancel) for variant in variants_of(plan)):
                return False
            self._ready.add(plan.indices)
        return True

    def load_kept(self) -> None:
        """Make the GPU hold all kernels that are compiled: while it computes, to load one takes far longer."""
        for variant in dict.fromkeys(chain.from_iterable(map(variants_of, self._plans))):
            if not self._gpu.holds(variant) and self._gpu.is_built(variant):
                self._gpu.variant(variant)

    def stop(self) -> None:
        """Begin no further kernel; one that is being compiled is finished, for the cache."""
        self._stopped.set()

    def _load(self, variant: KernelVariant, cancel: threading.Event) -> bool:
        done, mine = self._claim(variant)
        if not self._started:
            self.begin(variant)
        if not mine:
            while not done.wait(LOOK_SECONDS):
                if cancel.is_set():
                    return False
            self._gpu.variant(variant)
            return True
        try:
            self._gpu.variant(variant)
        finally:
            done.set()
        return True

    def begin(self, first: KernelVariant | None = None) -> None:
        """Start as many threads as there are kernels other than the first, which the search itself compiles."""
        self._started = True
        of_plans = ((*variants_of(plan), *wide_variants_of(plan)) for plan in self._plans)
        variants = dict.fromkeys(chain.from_iterable(of_plans))
        self._waiting.extend(variant for variant in variants if variant != first and not self._gpu.is_built(variant))
        for number in range(min(thread_count(), len(self._waiting))):
            # Not a daemon: the compiler must not run during the end of the process.
            self.compiling.append(start_thread(self._work, f"compile ahead {number}"))

    def _work(self) -> None:
        while not self._stopped.is_set() and threading.main_thread().is_alive():
            try:
                variant = self._waiting.popleft()
            except IndexError:
                return
            done, mine = self._claim(variant)
            if mine and not self._compile(variant, done):
                return

    def _compile(self, variant: KernelVariant, done: threading.Event) -> bool:
        """Put a kernel into the cache; False if that was not possible, or not wanted any more."""
        loaded = False
        try:
            with permits, self._gpu as gpu:
                if not self._stopped.is_set():
                    modules.build(gpu.cupy, "streaming.cu", "streaming", variant.defines())
                    loaded = True
        except Exception as error:  # the search meets the same and tells the user
            log.info("A kernel could not be compiled ahead: %s", error)
        finally:
            if not loaded:
                with _lock:
                    _claims.pop(self._key(variant), None)
            done.set()
        return loaded

    def _key(self, variant: KernelVariant) -> Key:
        return self._gpu.info.name, variant  # GPUs of one name run the same compiled kernels

    def _claim(self, variant: KernelVariant) -> tuple[threading.Event, bool]:
        """Return the event of a kernel's arrival in the cache, and True if the caller is to compile it."""
        with _lock:
            key = self._key(variant)
            done = _claims.get(key)
            if done is None:
                done = _claims[key] = threading.Event()
                return done, True
            return done, False
