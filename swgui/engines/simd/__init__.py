"""The SIMD libraries behind the CPU engine and the traceback, each behind a small door of its own.

Both doors map letters themselves and know the library's traps; nothing else in the program imports
pyopal or parasail.
"""
