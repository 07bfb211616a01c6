"""Saved searches that are damaged, foreign, or made to do harm: one clear sentence, or the same result."""

import io
import json
import os
import random
import shutil
import struct
import zipfile
import zlib

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from swgui.core.errors import RunFileError, SwguiError
from swgui.io.saved.search import load_search, read_inputs, read_manifest, save_search
from tests.asking import answer
from tests.io.saved.saved_searches import assert_same, nucleotide_request, protein_request

pytestmark = pytest.mark.usefixtures("user_folders")

FUZZ = settings(
    max_examples=int(os.environ.get("SWGUI_FUZZ", "50")),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture(scope="module")
def result():
    return answer(nucleotide_request())


@pytest.fixture(scope="module")
def saved(result, tmp_path_factory):
    """A saved search; tests change copies of it."""
    path = tmp_path_factory.mktemp("saved") / "good.swgui"
    save_search(result, path, layout={"a": [1, 2]})
    return path


@pytest.fixture(scope="module")
def parts(saved):
    with zipfile.ZipFile(saved) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def attempt(path, result):
    """Load; nothing but the same result or a `SwguiError` may come out."""
    try:
        loaded = load_search(path)
        read_manifest(path)
        read_inputs(path)
    except SwguiError as error:
        return error
    assert_same(result, loaded.result)
    return None


def write(path, contents):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in contents.items():
            archive.writestr(name, data)
    return path


def test_the_copy_that_tests_change_is_good(saved, parts, result, tmp_path):
    assert attempt(saved, result) is None
    assert attempt(write(tmp_path / "again.swgui", parts), result) is None


def test_flipped_bits_are_found_or_harmless(saved, result, tmp_path):
    data, path = saved.read_bytes(), tmp_path / "flipped.swgui"
    rng = random.Random(4)
    found = 0
    for at in rng.sample(range(len(data)), 400):
        path.write_bytes(data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :])
        found += attempt(path, result) is not None
    assert found > 200  # the others hit what means nothing: dates, attributes, the length of padding


def test_a_flipped_bit_in_the_scores_is_told_by_checksum(parts, result, tmp_path):
    changed = bytearray(parts["scores.npy"])
    changed[-3] ^= 1
    error = attempt(write(tmp_path / "a.swgui", parts | {"scores.npy": bytes(changed)}), result)
    assert isinstance(error, RunFileError)
    assert error.message == "'a.swgui' is damaged: the part 'scores.npy' does not match its checksum."


def test_truncated_files_are_told(saved, result, tmp_path):
    data, path = saved.read_bytes(), tmp_path / "cut.swgui"
    for length in [0, 1, 4, 22, 100, *range(200, len(data), 211)]:
        path.write_bytes(data[:length])
        assert attempt(path, result) is not None


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is not a saved search"),
        (b">a\nMKV\n", "is not a saved search"),
        (b"PK\x05\x06" + bytes(18), "is not a saved search"),
        (b"PK\x03\x04" + bytes(100), "is damaged"),
    ],
)
def test_foreign_files_are_told(tmp_path, content, sentence):
    path = tmp_path / "x.swgui"
    path.write_bytes(content)
    with pytest.raises(RunFileError, match=sentence):
        load_search(path)


def test_places_without_a_file_are_told(tmp_path):
    with pytest.raises(RunFileError, match="There is no saved search"):
        load_search(tmp_path / "nowhere.swgui")
    with pytest.raises(RunFileError, match="is a folder"):
        load_search(tmp_path)
    with pytest.raises(RunFileError):
        load_search("a\0b")


def test_a_workbook_is_no_saved_search(tmp_path):
    path = write(tmp_path / "x.swgui", {"xl/workbook.xml": b"<x/>"})
    with pytest.raises(RunFileError, match="is not a saved search"):
        load_search(path)
    other = write(tmp_path / "y.swgui", {"manifest.json": b'{"kind": "else", "parts": {}}'})
    with pytest.raises(RunFileError, match="is not a saved search"):
        load_search(other)


def test_a_bomb_is_refused_before_it_is_unpacked(parts, tmp_path):
    bomb = zlib.compress(bytes(1 << 24), 9)
    path = write(tmp_path / "bomb.swgui", parts | {"scores.npy": bytes(1 << 28)})
    assert path.stat().st_size < 1 << 19 < len(bomb) * 64
    with pytest.raises(RunFileError, match="would unpack to"):
        load_search(path)


def test_a_part_that_lies_about_its_size_is_refused(saved, tmp_path, result):
    """The size in the central directory is a promise; output beyond it is not read."""
    data = bytearray(saved.read_bytes())
    at = data.rindex(b"PK\x01\x02", 0, data.rindex(b"PK\x01\x02"))
    struct.pack_into("<I", data, at + 24, 7)
    path = tmp_path / "x.swgui"
    path.write_bytes(data)
    attempt(path, result)


def test_a_manifest_that_promises_too_much_reserves_nothing(parts, tmp_path):
    manifest = json.loads(parts["manifest.json"])
    manifest["database"]["sequences"] = 1 << 50
    manifest["queries"][0]["hits"] = 1 << 50
    path = write(tmp_path / "x.swgui", parts | {"manifest.json": json.dumps(manifest).encode()})
    with pytest.raises(RunFileError, match="damaged"):
        load_search(path)


def test_an_array_header_that_promises_too_much_reserves_nothing(parts, tmp_path):
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": "<i8", "fortran_order": False, "shape": (1 << 50,)})
    manifest = json.loads(parts["manifest.json"])
    manifest["queries"][0]["hits"] = 1 << 50
    changed = {"manifest.json": json.dumps(manifest).encode(), "hits/db_index.npy": stream.getvalue()}
    with pytest.raises(RunFileError, match="too short"):
        load_search(write(tmp_path / "x.swgui", parts | changed))


@pytest.mark.parametrize("name", ["../../evil.npy", "/etc/evil", "a/../../b", "C:\\evil", "hits\\..\\..\\evil"])
def test_nothing_is_ever_unpacked_to_disk(parts, result, tmp_path, name):
    inside = tmp_path / "deep" / "er"
    inside.mkdir(parents=True)
    path = write(inside / "x.swgui", parts | {name: b"evil"})
    before = sorted(tmp_path.rglob("*"))
    assert attempt(path, result) is None  # an unknown part, as a newer version may have
    assert sorted(tmp_path.rglob("*")) == before


def test_pickled_objects_are_not_read(parts, tmp_path):
    class Evil:
        def __reduce__(self):
            return (open, (str(tmp_path / "evil"), "w"))

    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.array([Evil()] * 10, dtype=object), allow_pickle=True)
    with pytest.raises(RunFileError):
        load_search(write(tmp_path / "x.swgui", parts | {"hits/db_index.npy": stream.getvalue()}))
    assert not (tmp_path / "evil").exists()


def test_two_parts_of_the_same_name_are_refused(parts, tmp_path):
    path = write(tmp_path / "x.swgui", parts)
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("scores.npy", b"other")
    with pytest.raises(RunFileError, match="same name"):
        load_search(path)


def test_a_missing_part_is_named(parts, tmp_path):
    for name in parts:
        if name in ("manifest.json", "layout.json"):
            continue
        left = {key: value for key, value in parts.items() if key != name}
        with pytest.raises(RunFileError, match=f"part '{name}' is missing"):
            load_search(write(tmp_path / "x.swgui", left))


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def _places(value, path=()):
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in list(children)[:12]:
        yield from _places(child, (*path, key))


@FUZZ
@given(data=st.data())
def test_any_manifest(parts, tmp_path, data):
    manifest = json.loads(parts["manifest.json"])
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.sampled_from([place for place in _places(manifest) if place]))
        target = manifest
        for key in place[:-1]:
            target = target[key]
        if data.draw(st.booleans()) and isinstance(target, dict):
            del target[place[-1]]
        else:
            target[place[-1]] = data.draw(_JSON)
    _only_our_errors(write(tmp_path / "x.swgui", parts | {"manifest.json": json.dumps(manifest).encode()}))


def test_any_numbers_in_the_arrays(parts, tmp_path):
    """Right checksums over wrong contents, as only this program or an enemy could write them."""

    @FUZZ
    @given(st.sampled_from([name for name in parts if name.endswith(".npy")]), st.data())
    def check(name, data):
        array = np.load(io.BytesIO(parts[name]))
        bounds = np.iinfo(array.dtype) if array.dtype.kind in "iu" else None
        flat = array.reshape(-1)
        for _ in range(data.draw(st.integers(1, 4)) if flat.size else 0):
            value = data.draw(st.integers(bounds.min, bounds.max) if bounds else st.floats())
            flat[data.draw(st.integers(0, flat.size - 1))] = value
        if data.draw(st.booleans()):
            other_order = array.astype(array.dtype.newbyteorder(">"))
            array = data.draw(st.sampled_from([array[:-1], other_order, array[..., None], array.astype(complex)]))
        stream = io.BytesIO()
        np.save(stream, array, allow_pickle=False)
        _only_our_errors(_with_checksums(tmp_path / "x.swgui", parts | {name: stream.getvalue()}))

    check()


@FUZZ
@given(st.binary(max_size=300))
def test_any_layout_and_queries(parts, tmp_path, content):
    path = tmp_path / "x.swgui"
    _only_our_errors(_with_checksums(path, parts | {"layout.json": content}))
    _only_our_errors(_with_checksums(path, parts | {"queries.fasta": content}))


@FUZZ
@given(st.data())
def test_any_bytes_overwritten(saved, tmp_path, data):
    path = tmp_path / "x.swgui"
    content = bytearray(saved.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(content) - 1))
        piece = data.draw(st.binary(max_size=20))
        content[at : at + data.draw(st.integers(0, 30))] = piece
    path.write_bytes(content)
    _only_our_errors(path)


def _with_checksums(path, contents):
    from hashlib import blake2b

    manifest = json.loads(contents["manifest.json"])
    manifest["parts"] = {name: blake2b(data, digest_size=16).hexdigest() for name, data in contents.items()}
    return write(path, contents | {"manifest.json": json.dumps(manifest).encode()})


def _only_our_errors(path):
    """Load, and use what was loaded as a window would."""
    try:
        result = load_search(path).result
    except SwguiError:
        return
    for query in result.queries:
        _ = [result.database.ids[int(at)] for at in query.hits.db_index[:5]]
        assert (result.database.lengths[query.hits.db_index] >= 0).all()
    if shutil.disk_usage(path.parent).free:
        save_search(result, path.with_suffix(".again.swgui"))


def test_a_protein_search_survives_the_same(tmp_path):
    result = answer(protein_request())
    path = tmp_path / "p.swgui"
    save_search(result, path, with_subjects=False)
    data = path.read_bytes()
    rng = random.Random(8)
    for at in rng.sample(range(len(data)), 150):
        path.write_bytes(data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :])
        attempt(path, result)
