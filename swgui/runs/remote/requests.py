"""Requests of runs on their way between two computers: plain values and arrays, as the list of runs keeps them."""

from __future__ import annotations

from math import prod
from typing import Any

import msgspec
import numpy as np

from swgui.core.errors import InvalidParameter
from swgui.runs.kept import Packed


class Sent(msgspec.Struct, frozen=True):
    """A request: the kind of run, plain values, and arrays as type, shape and bytes."""

    kind: str
    facts: dict[str, Any]
    arrays: dict[str, tuple[str, list[int], bytes]] = {}


def as_bytes(kind: str, packed: Packed) -> bytes:
    """Return a request of a kind as bytes."""
    arrays = {
        name: (array.dtype.newbyteorder("<").str, list(array.shape), np.ascontiguousarray(array).tobytes())
        for name, array in packed.arrays.items()
    }
    return msgspec.msgpack.encode(Sent(kind, packed.facts, arrays))


def of_bytes(content: bytes) -> tuple[str, Packed]:
    """Return kind and request of bytes; `InvalidParameter` if they are none."""
    try:
        sent = msgspec.msgpack.decode(content, type=Sent)
        arrays = {}
        for name, (form, shape, data) in sent.arrays.items():
            kind = np.dtype(form)
            if kind.hasobject or min(shape, default=0) < 0 or prod(shape) * kind.itemsize != len(data):
                raise ValueError(name)
            arrays[name] = np.frombuffer(data, kind).reshape(shape)
    except (msgspec.MsgspecError, ValueError, TypeError):
        raise InvalidParameter("request", "", "The request of the other computer cannot be read.") from None
    return sent.kind, Packed(sent.facts, arrays)
