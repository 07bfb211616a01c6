"""The kernels of the published methods on the CPU, launched as `swgui.engines.cuda.methods.launch` does."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np

from swgui.engines.cuda.methods.layout import GroupLayout, arrange_profile
from swgui.engines.cuda.methods.variants import Arithmetic, MethodVariant, plan_arithmetic
from tests.kernels.on_cpu import library, pointer

GRID = 2


def arithmetic_for(
    subjects: int, profile: np.ndarray, first: int, further: int, *, dpx: bool = True
) -> Arithmetic | None:
    return plan_arithmetic(subjects, profile.shape[1], first, further, int(profile.max()), dpx=dpx)


def variant_of(kernel: str, arithmetic: Arithmetic, threads: int, **tile: int) -> MethodVariant:
    return MethodVariant(kernel, arithmetic, threads, 1, tuple(sorted(tile.items())))


def built(variant: MethodVariant, sanitize: bool = False) -> ctypes.CDLL:
    named = (f'-DSW_FILE="{variant.file}"', f"-DSW_KERNEL={variant.kernel}")
    return library("methods_on_cpu.cpp", (*variant.defines(), *named), sanitize)


class CpuGroups:
    """Subjects laid out by ``interleave.cu``, in two parts."""

    def __init__(self, subjects: Sequence[np.ndarray], variant: MethodVariant, sanitize: bool = False) -> None:
        self.order = sorted(range(len(subjects)), key=lambda i: -len(subjects[i]))
        stored = [subjects[i] for i in self.order]
        offsets = np.concatenate([[0], np.cumsum([len(one) for one in stored])]).astype(np.int64)
        self.codes = np.concatenate([*stored, np.zeros(1, np.uint8)]).astype(np.uint8)
        self.layout = GroupLayout.of(offsets)
        self.words = np.full(32 * self.layout.rows(0, self.layout.groups) + 1, 0x77777777, dtype=np.uint32)
        halfway = self.layout.groups // 2
        for first, last in ((0, halfway), (halfway, self.layout.groups)):
            begin, end = 32 * first, min(32 * last, len(stored))
            if begin >= end:
                continue
            built(variant, sanitize).run_interleave(
                -(-32 * self.layout.rows(first, last) // 256),
                pointer(self.codes[offsets[begin] :]),
                pointer(np.ascontiguousarray(offsets[begin : end + 1])),
                pointer(self.layout.group_start),
                0,
                begin,
                end,
                pointer(self.words),
            )


class CpuRun:
    """Scores of one query against subjects ``first`` to the last, in storage order."""

    def __init__(self, groups: CpuGroups, profile: np.ndarray, variant: MethodVariant, sanitize: bool = False) -> None:
        self.groups = groups
        self.profile = profile.astype(np.int16)
        self.variant = variant
        self.sanitize = sanitize
        count = groups.layout.subjects
        self.scores = np.full(count + 1, -77, dtype=np.int32)
        self.redo = np.zeros(count + 1, dtype=np.int32)
        self.cancel = np.zeros(1, dtype=np.int32)

    def run(self, first: int = 0, listed: np.ndarray | None = None) -> CpuRun:
        layout, variant = self.groups.layout, self.variant
        columns = layout.columns(0)
        border = np.full(2 * GRID * variant.border_words(columns) + 2, 0x55555555, dtype=np.uint32)
        arranged = arrange_profile(self.profile, variant)
        built(variant, self.sanitize).run_method(
            GRID,
            ctypes.c_size_t(variant.shared_bytes(len(self.profile))),
            pointer(self.groups.words),
            pointer(layout.group_start),
            pointer(layout.words_of),
            0,
            first,
            layout.subjects,
            pointer(listed),
            pointer(arranged),
            variant.rows(len(self.profile)) // 4,
            pointer(border),
            columns,
            pointer(np.zeros(1, dtype=np.int32)),
            pointer(self.scores),
            pointer(self.redo),
            pointer(self.cancel),
        )
        return self

    @property
    def given(self) -> list[int]:
        """Scores in the order the subjects were given."""
        scores = np.empty(self.groups.layout.subjects, dtype=np.int64)
        scores[self.groups.order] = self.scores[: len(scores)]
        return scores.tolist()
