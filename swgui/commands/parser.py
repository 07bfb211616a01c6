"""Reading the words of a command: mistakes in them are one sentence and the usage of that command in one line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NoReturn

WRONG_USAGE: Final = 2  # exit status
USUAL: Final = "usual"  # attribute of actions that the line of usage names although they are not required
USAGE: Final = "usage: "
# Options of BLAST with one dash, which argparse would read as a short option and its value: -query as -q uery.
BLAST: Final = {
    "-query": "--query", "-db": "--database", "-out": "--out", "-outfmt": "--format", "-evalue": "--evalue",
    "-max_target_seqs": "--top", "-max_hsps": "--max-hsps", "-num_threads": "--threads", "-matrix": "--matrix",
    "-gapopen": "--gap-open", "-gapextend": "--gap-extend", "-strand": "--strand", "-dbsize": "--dbsize",
    "-query_gencode": "--query-code", "-db_gencode": "--subject-code", "-perc_identity": "--min-identity",
    "-qcov_hsp_perc": "--min-coverage", "-reward": "--match", "-penalty": "--mismatch", "-taxids": "--organism",
    "-negative_taxids": "--exclude-organism", "-num_iterations": "--iterations", "-query_loc": "--query-range",
    "-inclusion_ethresh": "--inclusion-evalue",
}  # fmt: skip


class Parser(argparse.ArgumentParser):
    """A parser that takes no shortened options, since scripts would come to depend on them."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        told = more.pop("add_help", True)
        super().__init__(*arguments, **{"allow_abbrev": False, **more, "add_help": False})
        if told:  # by its group, which does not ask how wide the terminal is and import `shutil` for it
            group = self._optionals
            group.add_argument("-h", "--help", action=_Help, help="-h: the usual options; --help: all")
        self.settled: list[Callable[[argparse.Namespace], object]] = []  # called with the values of all options
        self.former: dict[str, str] = {}  # present names of options, by those of earlier versions
        self.watched: dict[str, Callable[[str, str], str]] = {}  # notices on values, by names of options

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Read the words, and settle what follows from several options together; errors are those of `settled`."""
        words = self._present(sys.argv[1:] if args is None else list(args))
        parsed, rest = super().parse_known_args(words, namespace)
        for settle in self.settled:
            settle(parsed)
        return parsed, rest

    def _present(self, words: list[str]) -> list[str]:
        """Return words with the present names of options, and print a notice for each that changed."""
        if not self._option_string_actions or self._subparsers is not None:
            return words
        made = list(words)
        for place, word in enumerate(words):
            if word == "--":
                break
            name, equals, value = word.partition("=")
            if word in BLAST:
                there = BLAST[word] in self._option_string_actions
                said = f"is {BLAST[word]} here" if there else "is an option of BLAST, which this command does not have"
                self.error(f"{word} {said}")
            known = name.replace("_", "-") if name.startswith("--") else name
            if known in self.former:
                print(f"swgui: {name} is now {self.former[known]}.", file=sys.stderr)
            known = self.former.get(known, known)
            if known in self._option_string_actions:
                made[place] = f"{known}{equals}{value}"
            if known in self.watched:
                given = value if equals else (words[place + 1] if place + 1 < len(words) else "")
                if said := self.watched[known](known, given):
                    print(f"swgui: {said}", file=sys.stderr)
        return made

    def error(self, message: str) -> NoReturn:
        """Print the error and the usage of the command; end with status 2."""
        said = f"{self.prog}: {message[:1].upper()}{message[1:]}"
        said = said if said.endswith((".", "?")) else f"{said}."
        self.exit(WRONG_USAGE, f"{said}\n{self.line()} (see {self.prog} --help)\n")

    def gives(self, words: Sequence[str], key: str) -> bool:
        """Return True if words name an option, also if they give it its default."""
        names = {name for action in self._actions if action.dest == key for name in action.option_strings}
        short = tuple(name for name in names if len(name) == 2)
        return any(word.partition("=")[0] in names or (short and word.startswith(short)) for word in words)

    def unknown(self, words: Sequence[str]) -> NoReturn:
        """Report words that the command does not know, with options that they may stand for."""
        options = [name for action in self._actions for name in action.option_strings]
        self.error(f"unknown: {' '.join(words)}{_suggested(words, options)}")

    def format_help(self) -> str:
        """Return the help, which begins with the usage in one line: every option follows below."""
        self.usage = self.line().removeprefix(USAGE)
        return super().format_help()

    def short_help(self) -> str:
        """Help that ``-h`` prints."""
        return self.format_help()

    def line(self) -> str:
        """Return the usage in one line: what must be given, and what usually is."""
        words = [_word(action) for action in self._actions if _is_usual(action)]
        rest = ["[options]"] if any(action.option_strings and not _is_usual(action) for action in self._actions) else []
        return USAGE + " ".join([self.prog, *words, *rest])


class _Help(argparse._HelpAction):
    """Print the help, the short one for ``-h``, and end."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> NoReturn:
        assert isinstance(parser, Parser)
        parser._print_message(parser.short_help() if option == "-h" else parser.format_help(), sys.stdout)
        parser.exit()


def _is_usual(action: argparse.Action) -> bool:
    return action.required or not action.option_strings or bool(getattr(action, USUAL, False))


def _word(action: argparse.Action) -> str:
    """Return one option or argument as the line of usage names it."""
    name = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    if not action.option_strings:
        name = f"{name} ..." if action.nargs == "+" else name
        return name if action.nargs in (None, "+") or action.required else f"[{name}]"
    return f"{action.option_strings[0]} {name}"


def _suggested(words: Iterable[str], options: Sequence[str]) -> str:
    """Return the options that unknown words look like, as a question; empty if none does."""
    from difflib import get_close_matches  # here: only for mistakes

    given = [word.partition("=")[0] for word in words if word.startswith("-")]
    likely = [near for word in given for near in get_close_matches(word, options, n=1)]
    return f"; did you mean {' '.join(likely)}?" if likely else ""
