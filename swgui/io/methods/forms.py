"""The forms in which a methods text is written."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import msgspec

from swgui.core.errors import InvalidParameter
from swgui.io.methods.references import Reference

if TYPE_CHECKING:
    from swgui.core.hits.results import SearchResult


class KindMethods(msgspec.Struct, frozen=True):
    """The sentences of a search on what it compared and how that was scored, by its kind of subjects.

    Parameters
    ----------
    sentences : callable
        Takes the result; returns the first sentences of the paragraph.
    cited : callable
        Takes the result; returns the references on the scores.
    """

    sentences: Callable[[SearchResult], tuple[str, ...]]
    cited: Callable[[SearchResult], list[Reference]]


class MethodsText(msgspec.Struct, frozen=True):
    """A methods text as one paragraph, and its references, the program first."""

    paragraph: str
    references: tuple[Reference, ...]


def _plain(text: MethodsText) -> str:
    lines = [f"{number}. {reference.line}" for number, reference in enumerate(text.references, start=1)]
    return "\n".join([text.paragraph, "", "References", "", *lines, ""])


def _markdown(text: MethodsText) -> str:
    lines = [f"{number}. {_marked(reference.line)}" for number, reference in enumerate(text.references, start=1)]
    return "\n".join(["## Methods", "", _marked(text.paragraph), "", "## References", "", *lines, ""])


def _marked(words: str) -> str:
    """Keep signs of names from being read as marks."""
    for sign in ("\\", "*", "_", "`", "[", "]", "<"):
        words = words.replace(sign, f"\\{sign}")
    return words


def _bibtex(text: MethodsText) -> str:
    entries = []
    for reference in text.references:
        names = [author if "," in author else f"{{{author}}}" for author in reference.authors]
        fields = {
            "author": " and ".join(names),
            "title": f"{{{reference.title}}}",
            "year": str(reference.year or ""),
            "journal": reference.journal,
            "volume": reference.volume,
            "pages": reference.pages.replace("-", "--"),
            "doi": reference.doi,
        }
        written = [f"  {name} = {{{_tex(value)}}}" for name, value in fields.items() if value]
        kind = "article" if reference.journal else "misc"
        entries.append(f"@{kind}{{{reference.key},\n" + ",\n".join(written) + "\n}\n")
    comment = "".join(f"% {line}\n" for line in textwrap.wrap(text.paragraph, 100))
    return f"{comment}\n" + "\n".join(entries)


def _tex(text: str) -> str:
    for sign in ("&", "%", "#", "_", "$"):
        text = text.replace(sign, f"\\{sign}")
    return text


def _ris(text: MethodsText) -> str:
    entries = []
    for reference in text.references:
        first, _, last = reference.pages.partition("-")
        fields = [
            ("TY", "JOUR" if reference.journal else "COMP"),
            *(("AU", author) for author in reference.authors),
            ("TI", reference.title),
            ("PY", str(reference.year or "")),
            ("JO", reference.journal),
            ("VL", reference.volume),
            ("SP", first),
            ("EP", last),
            ("DO", reference.doi),
            *([("N1", text.paragraph)] if reference.key == "swgui" else []),
        ]
        lines = [f"{name}  - {value}" for name, value in fields if value]
        entries.append("\n".join([*lines, "ER  - ", ""]))
    return "\n".join(entries)


class MethodsForm(msgspec.Struct, frozen=True):
    """One way to write it: title for people, ending of such files, and the writer."""

    title: str
    suffix: str
    write: Callable[[MethodsText], str]


FORMS: Final[dict[str, MethodsForm]] = {
    "plain": MethodsForm("Plain text", ".txt", _plain),
    "markdown": MethodsForm("Markdown", ".md", _markdown),
    "bibtex": MethodsForm("References as BibTeX", ".bib", _bibtex),
    "ris": MethodsForm("References as RIS", ".ris", _ris),
}


def written(text: MethodsText, form: str = "plain") -> str:
    """Return the methods paragraph with its references, or the references alone, in one of `FORMS`.

    Raises
    ------
    InvalidParameter
        If there is no such form.
    """
    chosen = FORMS.get(form)
    if chosen is None:
        raise InvalidParameter("methods", form, f"There is no form '{form}'.", hint=f"Forms are {', '.join(FORMS)}.")
    return chosen.write(text)
