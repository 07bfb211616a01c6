"""Files and text that are dragged over the window and dropped."""

from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QDialog

from swgui.gui.inputs.drop import dropped, is_database, is_query, is_source
from tests.gui.named import named

MADE = Path(__file__).parents[2] / "io" / "imported" / "made"


def mime(files=(), text=""):
    data = QMimeData()
    if files:
        data.setUrls([QUrl.fromLocalFile(str(file)) for file in files])
    if text:
        data.setText(text)
    return data


def drop(window, data, title):
    """Drag data over the window and drop it on the target called `title`."""
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(50, 50), Qt.DropAction.CopyAction, data, buttons, keys)
    QApplication.sendEvent(window, enter)
    layer = named(window, "dropLayer")
    assert layer.isVisible()
    box = next(box for box, target in layer.boxes() if target.title == title)
    # The platform leaves the window and enters the layer, which now lies under the pointer.
    QApplication.sendEvent(layer, QDragEnterEvent(box.center(), Qt.DropAction.CopyAction, data, buttons, keys))
    event = QDropEvent(QPointF(box.center()), Qt.DropAction.CopyAction, data, buttons, keys)
    QApplication.sendEvent(layer, event)
    assert layer.isHidden()


def test_a_file_can_be_dropped_as_query_or_database(make_window, database_file, qtbot):
    window = make_window()
    window.show_page("results")
    drop(window, mime([database_file]), "Use as query")
    qtbot.waitUntil(lambda: len(window.search_page.query.records) == 3)
    assert window.page == "search"
    drop(window, mime([database_file]), "Use as database")
    qtbot.waitUntil(lambda: window.search_page.ready)
    drop(window, mime(text=">q\nMKVLWAALLVTFLAGCQAK\n"), "Use as query")
    qtbot.waitUntil(lambda: len(window.search_page.query.records) == 1)


def test_files_can_be_dropped_to_build_a_database(make_window, database_file, qtbot):
    window = make_window()
    drop(window, mime([database_file]), "Build a database")
    (dialog,) = [d for d in window.findChildren(QDialog) if d.objectName() == "buildDialog"]
    with qtbot.waitSignal(window.search_page.database.opened):
        dialog.accept()
    assert window.search_page.database.path.suffix == ".swdb"


def test_targets_depend_on_what_is_dropped(tmp_path):
    fasta, database, result = tmp_path / "a.fa", tmp_path / "b.swdb", tmp_path / "c.swgui"
    blast = [MADE / name for name in ("v5.pin", "v5.psq", "mmseqs")]
    for path in (fasta, database, result):
        path.touch()
    table = {
        "fasta": (dropped(mime([fasta])), (True, True, True)),
        "database": (dropped(mime([database])), (False, True, False)),
        "two": (dropped(mime([fasta, fasta])), (True, False, True)),
        "result": (dropped(mime([result])), (False, False, False)),
        "text": (dropped(mime(text="MKV")), (True, False, False)),
        "structure and its folder": (dropped(mime([fasta, tmp_path])), (False, False, True)),
        "folder": (dropped(mime([tmp_path])), (False, False, True)),  # of structures
        "nothing": (dropped(mime()), (False, False, False)),
        "BLAST's index": (dropped(mime(blast[:1])), (False, False, True)),
        "BLAST's files": (dropped(mime(blast[:2])), (False, False, True)),
        "MMseqs2": (dropped(mime(blast[2:])), (False, False, True)),
    }
    for name, (what, expected) in table.items():
        assert (is_query(what), is_database(what), is_source(what)) == expected, name


def test_a_drag_of_nothing_useful_is_left_alone(make_window, tmp_path):
    window = make_window()
    data = mime([tmp_path / "gone"])  # Qt keeps no reference
    event = QDragEnterEvent(
        QPoint(5, 5),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(window, event)
    assert named(window, "dropLayer").isHidden()


def test_a_structure_is_a_query_and_a_folder_of_them_a_database(make_window, tmp_path, qtbot):
    window = make_window()
    text = (Path(__file__).parents[2] / "data" / "structures" / "1l2y.pdb").read_text("ascii")
    (tmp_path / "models").mkdir()
    structure = tmp_path / "models" / "cage.pdb"
    structure.write_text(text)
    drop(window, mime([structure]), "Use as query")
    qtbot.waitUntil(lambda: len(window.search_page.query.records) == 1)
    (record,) = window.search_page.query.records
    assert record.id == "cage"
    assert record.letters.text == b"DQQVVCVVCPNVVNVDHGDD"
    assert record.places
    drop(window, mime([structure.parent]), "Build a database")
    (dialog,) = [d for d in window.findChildren(QDialog) if d.objectName() == "buildDialog"]
    with qtbot.waitSignal(window.search_page.database.opened):
        dialog.accept()
    assert window.search_page.database.database.track.alphabet.name == "3Di"


def test_a_blast_database_is_dropped_with_all_its_files(make_window, qtbot):
    window = make_window()
    drop(window, mime([*sorted(MADE.glob("v5.p*")), *sorted(MADE.glob("mmseqs_h*"))]), "Build a database")
    (dialog,) = [d for d in window.findChildren(QDialog) if d.objectName() == "buildDialog"]
    assert dialog.sources == [MADE / "v5.pin", MADE / "mmseqs.index"]
    with qtbot.waitSignal(window.search_page.database.opened) as opened:
        dialog.accept()
    assert len(opened.args[0].database) == 34
    assert opened.args[0].database.organisms.organism(0).taxid == 9606
