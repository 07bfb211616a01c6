"""Texts in other languages: catalogues of Qt Linguist (``.ts``) in ``resources/translations``, read as they are.

The texts of the tables (commands, columns, pages, help, tour, buttons) are asked for through `tr`;
``packaging/texts.py`` collects them. A catalogue is one file named by its language, ``swgui_de.ts``; there is no
other step. What a catalogue lacks stays English.
"""

from __future__ import annotations

import logging
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLocale, QTranslator

from swgui import paths

CONTEXT = "swgui"
LARGEST = 8 << 20  # bytes of a catalogue
log = logging.getLogger(__name__)


def tr(text: str) -> str:
    """Return a text in the language of the window."""
    return QCoreApplication.translate(CONTEXT, text) if text else text


class Catalogue(QTranslator):
    """Texts of one language.

    Parameters
    ----------
    texts : dict of str to str
        English to translated.
    """

    def __init__(self, texts: dict[str, str], parent: QCoreApplication | None = None) -> None:
        super().__init__(parent)
        self._texts = texts

    def translate(self, context: str, source: str, disambiguation: str | None = None, number: int = -1) -> str | None:
        """Return a text, None if it is not in the catalogue."""
        return self._texts.get(source) if context == CONTEXT else None

    def isEmpty(self) -> bool:
        """Whether there is nothing in it."""
        return not self._texts


def read_catalogue(path: Path) -> dict[str, str]:
    """Return the finished translations of a file.

    Raises
    ------
    ValueError
        If it is no catalogue.
    OSError
        If it cannot be read.
    """
    if path.stat().st_size > LARGEST:
        raise ValueError(f"'{path.name}' is too large for a catalogue of texts.")
    content = path.read_bytes()
    if b"<!ENTITY" in content:
        raise ValueError(f"'{path.name}' defines entities, which no catalogue needs.")
    from xml.etree import ElementTree  # here: most users read English

    try:
        root = ElementTree.fromstring(content)
    except ElementTree.ParseError as error:
        raise ValueError(f"'{path.name}' is not XML: {error}.") from error
    if root.tag != "TS":
        raise ValueError(f"'{path.name}' is no catalogue of Qt Linguist.")
    texts = {}
    for message in root.iter("message"):
        source, translation = message.findtext("source") or "", message.find("translation")
        if translation is not None and translation.get("type") is None and translation.text:
            texts[source] = translation.text
    return texts


def install(app: QCoreApplication, languages: list[str] | None = None, folder: Path | None = None) -> Catalogue | None:
    """Use the best catalogue there is for the user's languages; None if English remains.

    Parameters
    ----------
    languages : list of str, optional
        As in ``de-CH``, best first; those of the desktop if not given.
    """
    folder = folder or paths.resources_dir() / "translations"
    for language in languages if languages is not None else QLocale.system().uiLanguages():
        short = language.replace("_", "-").split("-")
        if short[0] in ("en", "C"):
            return None
        for name in ("_".join(short), short[0]):
            path = folder / f"swgui_{name}.ts"
            if path.is_file():
                try:
                    made = Catalogue(read_catalogue(path), app)
                except (OSError, ValueError) as error:
                    log.warning("Translation: %s", error)
                    continue
                app.installTranslator(made)
                return made
    return None
