"""Steps of tests of the Search page."""

from PySide6.QtWidgets import QComboBox, QLabel

PROTEINS = ">one\nMKVLWAALLVTFLAGCQAKVEQAVETEPEPELRQQTEW\n>two\nGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGG\n"
DNA = ">dna\nACGTACGTTAGCATCGATCAGCATCAGCATACGACTCGACTACGC\n"


def find(page, kind, name):
    return page.findChild(kind, name)


def plan_of(page):
    return find(page, QLabel, "plan").text().replace("\N{NO-BREAK SPACE}", " ")


def work_of(page):
    return find(page, QLabel, "plan").toolTip()


def read(page, qtbot, text):
    page.query.set_text(text)
    qtbot.waitUntil(lambda: not page.query.busy)


def settle(page, qtbot):
    qtbot.waitUntil(lambda: not page.query.busy and not page.database.busy and "Reading" not in page.problem)


def choose(box: QComboBox, data):
    box.setCurrentIndex(box.findData(data))
    box.activated.emit(box.currentIndex())
