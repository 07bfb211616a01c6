"""BLAKE2b of the standard library, without the import of OpenSSL's functions, which takes as long as ten modules."""

from __future__ import annotations

try:
    from _blake2 import blake2b as blake2b  # what `hashlib` hands on
except ImportError:  # another Python
    from hashlib import blake2b as blake2b
