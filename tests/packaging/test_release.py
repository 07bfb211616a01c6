"""Parts of a release: its version, icons, licences and recipes."""

import re
import runpy
import shutil
import struct
import subprocess
import sys
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import swgui
from swgui import version as module


@pytest.fixture
def release(repository, monkeypatch):
    """Return a function that loads a module of packaging/release."""
    folder = repository / "packaging" / "release"
    monkeypatch.syspath_prepend(str(folder))
    yield lambda name: runpy.run_path(str(folder / f"{name}.py"))
    for name in ("stamp", "icons", "layout", "native", "shared", "man_page", "reference"):
        sys.modules.pop(name, None)


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Return the folder of a program that lies in a made-up checkout."""
    folder = tmp_path / "swgui"
    folder.mkdir()
    monkeypatch.setattr(module, "_PACKAGE", str(folder))
    return folder


COMMIT = "0123456789abcdef0123456789abcdef01234567"


def test_a_checkout_is_told_apart_by_its_commit(package):
    git = package.parent / ".git"
    (git / "refs" / "heads").mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    assert module.version() == module.RELEASE  # no commit yet
    (git / "packed-refs").write_text(f"# pack-refs\n{'9' * 40} refs/heads/other\n{COMMIT} refs/heads/main\n")
    assert module.version() == f"{module.RELEASE}+g012345678"
    (git / "refs" / "heads" / "main").write_text("f" * 40 + "\n")
    assert module.commit() == "f" * 40
    (git / "HEAD").write_text(COMMIT + "\n")  # detached
    assert module.commit() == COMMIT


def test_a_work_tree_names_the_commit_of_its_own_branch(package):
    home = package.parent / "elsewhere" / ".git"
    own = home / "worktrees" / "tree"
    own.mkdir(parents=True)
    (package.parent / ".git").write_text(f"gitdir: {own}\n")
    (own / "HEAD").write_text("ref: refs/heads/tree\n")
    (own / "commondir").write_text("../..\n")
    (home / "refs" / "heads").mkdir(parents=True)
    (home / "refs" / "heads" / "tree").write_text(COMMIT + "\n")
    assert module.commit() == COMMIT


def test_an_installation_keeps_the_commit_it_was_made_from(package):
    assert module.version() == module.RELEASE
    (package / "_commit.txt").write_text(COMMIT + "\n")
    assert module.version() == f"{module.RELEASE}+g012345678"


def test_a_release_has_its_number_alone(package, monkeypatch):
    (package / "_commit.txt").write_text(COMMIT + "\n")
    monkeypatch.setattr(module, "RELEASE", "9.9.9")
    assert module.version() == "9.9.9"


def test_the_program_says_the_version_of_this_checkout():
    assert swgui.__version__ == module.version()
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev\d+)?(\+g[0-9a-f]{9})?", swgui.__version__)


@pytest.mark.skipif(not shutil.which("dpkg"), reason="dpkg is not installed")
def test_debian_puts_what_leads_to_a_release_before_it(release):
    early = release("deb")["debian_version"]("0.2.0.dev0+g012345678")
    for sooner, later in (("0.1.0", early), (early, "0.2.0")):
        assert subprocess.run(["dpkg", "--compare-versions", sooner, "lt", later], check=False).returncode == 0


def test_icons_have_the_sizes_their_names_say(release, tmp_path):
    icons = release("icons")
    icons["write_icons"](tmp_path)
    for size in icons["SIZES"]:
        data = (tmp_path / f"icons/hicolor/{size}x{size}/apps/swgui.png").read_bytes()
        assert data[:4] == b"\x89PNG"
        assert struct.unpack(">II", data[16:24]) == (size, size)
    ico = icons["ico"]()
    _, kind, count = struct.unpack("<HHH", ico[:6])
    assert (kind, count) == (1, len(icons["WINDOWS_SIZES"]))
    for at in range(count):
        length, offset = struct.unpack("<II", ico[6 + 16 * at + 8 : 6 + 16 * at + 16])
        assert ico[offset : offset + 4] == b"\x89PNG"
        assert offset + length <= len(ico)


def test_every_dependency_brings_its_licence(release, repository):
    licences = release("licences")
    parts = licences["packages"](Path(sys.prefix) / _site())
    (numpy,) = (part for part in parts if part.name == "numpy")
    assert numpy.texts
    assert "BSD" in numpy.licence
    project = tomllib.loads((repository / "pyproject.toml").read_text("utf-8"))["project"]
    lines = [*project["dependencies"], *project["optional-dependencies"]["window"]]
    needed = {canonicalize_name(Requirement(line).name) for line in lines}
    names = {canonicalize_name(part.name) for part in parts}
    assert needed <= names
    assert licences["python_itself"]().version == ".".join(map(str, sys.version_info[:3]))


def _site():
    return "Lib/site-packages" if sys.platform == "win32" else f"lib/python3.{sys.version_info[1]}/site-packages"


def test_the_desktop_knows_what_the_program_opens(repository, release):
    linux = repository / "packaging" / "release" / "linux"
    info = ElementTree.fromstring(release("layout")["metainfo"]())
    assert (linux / f"{info.find('id').text}.metainfo.xml").is_file()
    assert len(info.find("id").text.split(".")) == 3
    assert info.find("launchable").text == "swgui.desktop"
    desktop = dict(line.split("=", 1) for line in (linux / "swgui.desktop").read_text().splitlines() if "=" in line)
    types = {kind for kind in desktop["MimeType"].split(";") if kind}
    assert {one.text for one in info.iter("mediatype")} == types
    defined = {one.attrib["type"] for one in ElementTree.parse(linux / "swgui.xml").getroot()}
    assert types == defined
    assert info.find("releases/release").attrib["version"] == swgui.__version__
    assert (
        desktop["Exec"].split()[0]
        in tomllib.loads((repository / "pyproject.toml").read_text())["project"]["gui-scripts"]
    )


def test_the_layout_has_what_manual_shells_and_desktop_look_for(release, tmp_path):
    layout = release("layout")
    bundle = tmp_path / "bundle"
    bundle.mkdir()
    for program in layout["PROGRAMS"]:
        (bundle / program).touch(mode=0o755)
    layout["lay_out"](bundle, tmp_path / "root")
    shared = [path for path in layout["WANTED"] if path.startswith("usr/share/")]
    assert any("bash-completion" in path for path in shared)
    assert [path for path in shared if not (tmp_path / "root" / path).is_file()] == []


# Names of packages that conda calls otherwise.
CONDA = {"pyside6-essentials": "pyside6"}


def test_the_recipe_for_conda_asks_for_what_the_program_needs(repository):
    recipe = (repository / "packaging" / "release" / "conda" / "recipe.yaml").read_text()
    core, whole = (
        re.findall(r"^        - ([\w.-]+)", re.split(r"\n      \w|\n    \w", part)[0], re.MULTILINE)
        for part in recipe.split("      run:\n")[1:]
    )
    project = tomllib.loads((repository / "pyproject.toml").read_text())["project"]
    needed = {Requirement(line).name.lower() for line in project["dependencies"]}
    window = {Requirement(line).name.lower() for line in project["optional-dependencies"]["window"]}
    assert set(core) == {"python"} | {CONDA.get(name, name) for name in needed}
    assert set(whole) == {"swgui-core"} | {CONDA.get(name, name) for name in window}
    assert "- swgui-core ==${{ version }}\n" in recipe
    for script, function in (project["scripts"] | project["gui-scripts"]).items():
        assert f"- {script} = {function}\n" in recipe


def test_the_container_takes_extras_that_there_are(repository):
    text = (repository / "packaging" / "release" / "container" / "Containerfile").read_text()
    extras = tomllib.loads((repository / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    named = set(re.findall(r"EXTRA=(\w+)", text))
    assert named
    assert named <= set(extras)


def test_the_installer_for_windows_has_the_programs_and_types_of_files_there_are(repository):
    script = (repository / "packaging" / "release" / "windows" / "swgui.iss").read_text()
    spec = (repository / "packaging" / "release" / "swgui.spec").read_text()
    programs = set(re.findall(r"\{app\}\\\\?([\w-]+)\.exe", script))
    assert programs
    assert programs <= set(re.findall(r'name="([\w-]+)"', spec) + re.findall(r"\"(swgui[\w-]*)\"", spec))
    types = ElementTree.parse(repository / "packaging" / "release" / "linux" / "swgui.xml")
    ours = {glob.get("pattern", "").removeprefix("*") for glob in types.iter() if glob.tag.endswith("glob")}
    assert set(re.findall(r"Classes\\(\.\w+)\"", script)) == ours & {".swgui", ".swdb"}
    for name in re.findall(r"^LicenseFile=(.+)$", script, re.MULTILINE):
        assert (repository / "packaging" / "release" / "windows" / name.replace("\\", "/")).is_file()


def test_the_steps_of_a_release_use_files_that_exist(release):
    made = release("make")
    steps = list(made["steps"](("cuda13",)))
    files = [Path(word) for step in steps for word in step.command if word.endswith(".py")]
    assert files
    assert all(file.is_file() for file in files)
    assert sum(step.name.startswith("wheel") for step in steps) == len(
        runpy.run_path(str(files[0].parent / "native.py"))["TARGETS"]
    )
    assert any("no release" in problem for problem in made["problems"]()) == (".dev" in module.RELEASE)
