"""The CUDA engine: the only room that imports CuPy, and only when a search starts."""
