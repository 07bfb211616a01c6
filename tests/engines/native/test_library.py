"""The compiled library: it is there, a changed source asks for another, and without one the program says so."""

from __future__ import annotations

import ctypes
import re
import shutil
import threading

import pytest

from swgui.core.errors import EngineUnavailable
from swgui.engines import native
from swgui.engines.native import library, naming
from swgui.engines.native.profiles import ProfileSettings
from swgui.engines.native.rows import MaskSettings
from swgui.jobs.doctor import check_compiled
from swgui.paths import kernels_dir


def test_the_library_is_there():
    # Not skipped: every installation compiles it, and so does the start of these tests.
    assert native.problem() == ""
    assert native.levels()[0] == "baseline"
    assert [finding.level for finding in check_compiled(threading.Event())] == ["fine"]


def test_every_level_is_in_the_library():
    for level in native.levels():
        assert library.function("sw_built", level=level)() >= 16


def test_a_changed_source_asks_for_another_library(tmp_path):
    folder = tmp_path / "cpu"
    shutil.copytree(kernels_dir() / "cpu", folder)
    target = naming.this_target()
    name = naming.library_name(folder, target)
    assert name == naming.library_name(kernels_dir() / "cpu", target)
    text = (folder / "level.c").read_bytes()
    (folder / "level.c").write_bytes(text.replace(b"\n", b"\r\n"))
    assert naming.library_name(folder, target) == name
    (folder / "level.c").write_bytes(text + b"\n/* changed */\n")
    assert naming.library_name(folder, target) != name


def test_without_a_library_the_reason_is_said(without_library):
    assert "has not been built (gone.so is missing)" in native.problem()
    assert native.levels() == ()
    (finding,) = check_compiled(threading.Event())
    assert (finding.level, finding.hint) == ("problem", native.REMEDY)
    assert "has not been built" in finding.message
    with pytest.raises(EngineUnavailable, match="has not been built"):
        library.function("sw_built")


def test_a_file_that_is_no_library_is_a_reason(monkeypatch, tmp_path):
    broken = tmp_path / "broken.so"
    broken.write_bytes(b"not a library")
    monkeypatch.setenv(library.VARIABLE, str(broken))
    library.forget()
    assert "cannot be loaded" in native.problem()
    monkeypatch.undo()
    library.forget()


def test_a_library_of_older_sources_is_warned_of(monkeypatch, tmp_path, caplog):
    monkeypatch.setattr(library, "FOLDER", tmp_path)
    library.forget()
    assert "has not been built" in native.problem()
    assert not caplog.records
    name = naming.library_name(kernels_dir() / "cpu", naming.this_target())
    stem, _, digest = name.rpartition("-")
    (tmp_path / f"{stem}-{'0' * 12}{digest[12:]}").touch()
    library.forget()
    assert "other sources" in native.problem()
    assert "packaging/native.py" in caplog.text
    monkeypatch.undo()
    library.forget()


@pytest.mark.parametrize(
    ("structure", "source", "name"),
    [(MaskSettings, "rows.h", "mask_settings"), (ProfileSettings, "profiles.c", "profile_settings")],
)
def test_structures_have_the_fields_of_the_sources(structure, source, name):
    kinds = {"int64_t": ctypes.c_int64, "double": ctypes.c_double, "mask_settings": MaskSettings}
    text = (kernels_dir() / "cpu" / source).read_text()
    (body,) = re.findall(rf"typedef struct {{\n([^}}]*)}} {name};", text)
    fields = re.findall(r"^    (?:const )?(\w+) (\*?)(\w+);", body, re.MULTILINE)
    assert len(fields) == body.count(";") - len(re.findall(r"/\*[^*]*;", body))
    expected = [(field, ctypes.c_void_p if star else kinds[kind]) for kind, star, field in fields]
    assert [(field, kind) for field, kind in structure._fields_] == expected


def test_the_library_of_a_wheel_is_known_without_its_sources(monkeypatch, tmp_path):
    cpu, system = naming.this_target()
    monkeypatch.setattr(library, "FOLDER", tmp_path)
    monkeypatch.setattr(library, "kernels_dir", lambda: tmp_path / library.IN_WHEELS)
    monkeypatch.setattr(library, "library_name", lambda folder, target: "named by the sources")
    name = f"swgui-{cpu}-{'0' * 12}{naming.SUFFIXES.get(system, '.so')}"
    (tmp_path / name).touch()
    assert library.file_name() == name
    (tmp_path / f"swgui-{cpu}-{'1' * 12}.so").touch()
    assert library.file_name() == "named by the sources"
