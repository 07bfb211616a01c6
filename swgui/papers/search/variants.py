"""What is compiled for a published method: one record, from which defines and shared memory follow."""

from __future__ import annotations

import functools
import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from swgui.engines.cuda import intra
from swgui.engines.cuda.arithmetic import Arithmetic
from swgui.engines.cuda.intra import launch_defines

if TYPE_CHECKING:
    from swgui.papers.search.method import PublishedMethod


@dataclass(frozen=True, slots=True)
class MethodVariant:
    """One compiled form of a method's kernel.

    Parameters
    ----------
    kernel : str
        Entry point; the file is ``<kernel>.cu``.
    threads : int
        Threads per block.
    min_blocks : int
        Blocks per multiprocessor that registers are left for.
    tile : tuple of (str, int)
        Setting and value: what the kernel's own constants are.
    """

    kernel: str
    arithmetic: Arithmetic
    threads: int
    min_blocks: int
    tile: tuple[tuple[str, int], ...]

    @property
    def method(self) -> PublishedMethod:
        """What the kernel's method says of it."""
        return published_method(self.kernel)

    @property
    def file(self) -> str:
        """File in the kernels folder."""
        return intra.FILE if self.kernel == intra.KERNEL else f"papers/{self.kernel}.cu"

    def of(self, setting: str) -> int:
        """Value of one of the kernel's own constants."""
        return dict(self.tile)[setting]

    @property
    def height(self) -> int:
        """Query rows are padded to a multiple of this."""
        return self.method.height(self)

    def defines(self) -> tuple[str, ...]:
        """Return the compiler's ``-D`` options."""
        own = self.method.defines(self)
        values = {**launch_defines(self.arithmetic, self.threads, self.min_blocks), **own}
        return tuple(f"-DSW_{name}={value}" for name, value in values.items())

    def rows(self, length: int) -> int:
        """Query rows with padding."""
        return max(1, -(-length // self.height)) * self.height

    def shared_bytes(self, length: int) -> int:
        """Dynamic shared memory of a block, for a query of `length` residues."""
        return self.method.shared_bytes(self, length)

    def most_shared_bytes(self, length: int, limit: int) -> int:
        """Return what the kernel is allowed of shared memory, the same for every query of this variant.

        The driver keeps one figure for a compiled kernel; a shorter query must not lower it.

        Parameters
        ----------
        limit : int
            Bytes that a block may have on the GPU.
        """
        return limit if self.method.largest_shared else self.shared_bytes(length)

    def unit(self) -> int:
        """Subjects that are handed out at once: to a warp, or to a block."""
        return self.method.unit(self)

    def border_words(self, columns: int) -> int:
        """Border cells of one block, for subjects of up to `columns` columns."""
        return self.method.border(self) * columns


@functools.cache
def published_method(name: str) -> PublishedMethod:
    """Return the method of a name in `SEARCH_METHODS`; one of a search that is none of the program's own kernel."""
    module = importlib.import_module(f"swgui.papers.search.methods.{name}")
    return cast("PublishedMethod", module.METHOD)
