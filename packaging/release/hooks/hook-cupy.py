"""PyInstaller hook: the files that CuPy needs and PyInstaller does not see.

CuPy is compiled with Cython, so its imports are invisible to PyInstaller. A separate interpreter imports it and
tells which modules came along; that works without a GPU and without a driver.
"""

import importlib.util
from pathlib import Path

from PyInstaller import isolated
from PyInstaller.utils.hooks import collect_data_files, collect_submodules, copy_metadata


@isolated.decorate
def modules_loaded_by_cupy():
    """Return the names of all modules that importing CuPy loads."""
    import importlib
    import sys

    before = set(sys.modules)
    for name in ("cupy", "cupy.cuda.compiler", "cupy_backends.cuda.libs.nvrtc", "cupyx"):
        importlib.import_module(name)
    return sorted(set(sys.modules) - before)


def nvidia_files():
    """Return NVRTC's libraries and the CUDA headers from NVIDIA's packages, as (binaries, datas)."""
    spec = importlib.util.find_spec("nvidia")
    roots = [Path(place) for place in (spec.submodule_search_locations or [])] if spec else []
    # NVRTC looks for its second library in its own folder.
    libraries = [
        (str(file), ".")
        for root in roots
        for file in root.rglob("*nvrtc*")
        if file.is_file() and (file.suffix == ".dll" or ".so" in file.name)
    ]
    headers = [
        (str(folder), str(Path("nvidia") / folder.relative_to(root)))
        for root in roots
        for folder in root.rglob("include")
        if folder.is_dir()
    ]
    return libraries, headers


hiddenimports = [
    *(name for name in modules_loaded_by_cupy() if not name.startswith(("numpy.", "__"))),
    *collect_submodules("cupy_backends"),
    *collect_submodules("cuda.pathfinder"),
]
binaries, nvidia_headers = nvidia_files()
datas = [
    *collect_data_files("cupy", includes=["_core/include/**", ".data/*"]),
    *collect_data_files("cuda.pathfinder"),
    *copy_metadata("cuda-pathfinder"),
    *nvidia_headers,
]
