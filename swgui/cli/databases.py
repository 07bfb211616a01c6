"""``swgui makedb``, ``swgui update`` and ``swgui info``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from swgui.cli.remarks import tell_remarks
from swgui.cli.running import Report, deliver, say
from swgui.commands.databases import MAKEDB
from swgui.core.alphabet import ALPHABETS, PROTEIN
from swgui.core.database import ArrayDatabase, EncodedDatabase
from swgui.core.errors import InvalidParameter
from swgui.core.organisms.subjects import describe_organisms
from swgui.core.signals import stop_on_interrupt
from swgui.core.statistics.masking import mask_database
from swgui.core.words import count
from swgui.io.alphabets import alphabet_called
from swgui.io.cells import clean_text
from swgui.io.database.build import Finish, LetterFile, build_database, built_first, save_database
from swgui.io.database.changes import Changes
from swgui.io.database.facts import ReleaseFacts
from swgui.io.database.file import check_database, header_facts, open_database
from swgui.io.database.packed.build import pack_file, save_packed
from swgui.io.database.packed.file import PackedFile
from swgui.io.database.packed.keeping import older_of
from swgui.io.database.packed.merging import merge_identical
from swgui.io.database.structures import build_from_structures, update_of_any
from swgui.io.imported.parquet import Columns
from swgui.io.organism_files import OrganismFiles
from swgui.io.outputs import check_outputs, keep_inputs
from swgui.io.sequences.reader import ReadReport
from swgui.io.whole_file import save_text, staged
from swgui.jobs.progress import ProgressLine, bar
from swgui.jobs.waiting import on_disk, what_waits

SUFFIX = ".swdb"
HOW_TO_LIST = "'swgui get' and 'swgui makedb' make one; SWGUI_DATABASES names the folders of your site."
_Build = Callable[[argparse.Namespace, Path, ProgressLine, ReadReport, Finish | None], EncodedDatabase]


def makedb(arguments: argparse.Namespace) -> int:
    """Build a database file."""
    out = Path(arguments.out)
    if out.suffix != SUFFIX:
        raise InvalidParameter(
            "out", str(out), f"'{out.name}' does not end in {SUFFIX}.", hint=f"Name it {out.name}{SUFFIX}."
        )
    if arguments.remarks:
        check_outputs(
            {"remarks": arguments.remarks, "out": arguments.out}, (("source", source) for source in arguments.sources)
        )
    if arguments.merge_identical and not arguments.packed:
        raise InvalidParameter(
            "merge_identical", "", "--merge-identical goes with --packed.", hint="Add --packed, or leave it out."
        )
    if arguments.profiles:
        from swgui.cli.profile_databases import make_profiles  # here: few databases are of profiles

        return make_profiles(arguments, out)
    check_plain(arguments)
    line, report = ProgressLine(), ReadReport()
    masking = partial(_mask, packed=arguments.packed, line=line)
    wanted = ((masking, arguments.mask), (_merge, arguments.merge_identical))
    database = _kind_of_build(arguments)(arguments, out, line, report, _one_by_one([step for step, on in wanted if on]))
    line.clear()
    tell_remarks(report)
    if arguments.remarks:
        save_text(arguments.remarks, lambda file: file.writelines(f"{text}\n" for text in report.listing()))
    return deliver(arguments, Report(lines=described(out, database), facts=facts_of(out, database)))


def check_plain(arguments: argparse.Namespace) -> None:
    """Raise `InvalidParameter` if a database of sequences is built with an option of those of profiles."""
    for option in MAKEDB[-1].options:
        if getattr(arguments, option.key) != option.default and option.names[0] != "-t":
            name = option.names[0]
            raise InvalidParameter(
                option.key,
                str(getattr(arguments, option.key)),
                f"{name} is for databases of profiles.",
                hint=f"Add --profiles, or leave out {name}.",
            )


def described(out: Path, database: EncodedDatabase) -> list[str]:
    """Return lines on a database that was written."""
    kind = database.alphabet.name
    said = [f"{out}: {count(len(database), f'{kind} sequence')}, {count(database.residues, database.alphabet.letter)}"]
    if database.track is not None:
        said.append(f"{out}: each residue has a symbol of the alphabet {database.track.alphabet.name}")
    if database.stored_organisms is not None:
        said.append(f"{out}: {describe_organisms(database.stored_organisms)}")
    if database.profiles is not None:
        said.append(f"{out}: a profile of each sequence, {database.profiles.made}")
    return said


def facts_of(path: Path, database: EncodedDatabase) -> dict[str, object]:
    """Return the facts of a database file, for programs."""
    return {
        "file": str(path),
        "name": database.name,
        "kind": database.alphabet.name,
        "sequences": len(database),
        "residues": database.residues,
        "checksum": database.checksum,
        "track": database.track.alphabet.name if database.track is not None else None,
    }


def _one_by_one(steps: Sequence[Finish]) -> Finish | None:
    """Return the one or two last steps for a file that was built."""
    if len(steps) < 2:
        return steps[0] if steps else None

    def both(first: Path, out: Path) -> None:
        with staged(out) as second:
            steps[0](first, second)
            steps[1](second, out)

    return both


def _mask(first: Path, out: Path, *, packed: bool, line: ProgressLine) -> None:
    database, done, residues = open_database(first, in_blocks=True), 0, 0

    def masked(part: ArrayDatabase) -> ArrayDatabase:
        nonlocal done, residues
        made, more = mask_database(part, lambda here, _: line.show(f"Masking {bar(done + here, len(database))}"))
        done, residues = done + len(part), residues + more
        return made

    if packed:
        save_packed(database, out, change=masked)
    else:
        save_database(masked(database.arrays()), out)
    letter = database.alphabet.letter
    say(f"{count(residues, f'{letter} of low complexity was', f'{letter}s of low complexity were')} masked.")


def _merge(first: Path, out: Path) -> None:
    merged = merge_identical(first, out)
    print(f"swgui: {count(merged, 'sequence')} merged with an identical one before it.", file=sys.stderr)


def _kind_of_build(arguments: argparse.Namespace) -> _Build:
    if arguments.packed and len(arguments.sources) == 1 and Path(arguments.sources[0]).suffix == SUFFIX:
        return _from_database
    return _from_structures if arguments.structures else _from_sequences


def _from_database(
    arguments: argparse.Namespace, out: Path, line: ProgressLine, report: ReadReport, finish: Finish | None
) -> EncodedDatabase:
    """Write a database file again in packed form."""
    for option in ("letters", "organisms", "taxonomy", "structures"):
        if getattr(arguments, option):
            message = f"--{option} does not go with a database file, which keeps the settings of its build."
            raise InvalidParameter(option, str(arguments.sources[0]), message, hint="Name its sequence files.")
    keep_inputs(out, [("database", arguments.sources[0])])
    with built_first(out, finish) as first:
        pack_file(arguments.sources[0], first, name=arguments.name)
    return open_database(out, in_blocks=True)


def _from_sequences(
    arguments: argparse.Namespace, out: Path, line: ProgressLine, report: ReadReport, finish: Finish | None
) -> EncodedDatabase:
    letters = None
    if arguments.letters:
        letters = LetterFile(Path(arguments.letters), alphabet_called(arguments.letters_alphabet))
    return build_database(
        [Path(source) for source in arguments.sources],
        out,
        alphabet=None if arguments.type == "auto" else ALPHABETS[arguments.type],
        name=arguments.name or out.stem,
        report=report,
        progress=lambda done, total: line.show(f"Reading {bar(done, total)}"),
        organisms=OrganismFiles(arguments.organisms, arguments.taxonomy),
        letters=letters,
        columns=Columns.read(arguments.columns),
        packed=arguments.packed,
        finish=finish,
    )


def _from_structures(
    arguments: argparse.Namespace, out: Path, line: ProgressLine, report: ReadReport, finish: Finish | None
) -> EncodedDatabase:
    other_kind = arguments.type if arguments.type not in ("auto", PROTEIN.name) else None
    merged = "yes" if arguments.merge_identical else ""
    for option, given in (("letters", arguments.letters), ("type", other_kind), ("merge-identical", merged)):
        if given:
            message = f"--{option} does not go with --structures, which are proteins with symbols of their own."
            raise InvalidParameter(option, str(given), message, hint=f"Leave out --{option}.")

    def resumed(files: int) -> None:
        print(f"swgui: {count(files, 'file was', 'files were')} read before; not read again.", file=sys.stderr)

    def read(done: int, total: int) -> None:
        line.show(f"Reading structures {bar(done, total)}" if total else f"Reading structures: {count(done, 'file')}")

    return build_from_structures(
        arguments.sources,
        out,
        name=arguments.name or out.stem,
        min_plddt=arguments.min_plddt,
        report=report,
        progress=read,
        organisms=OrganismFiles(arguments.organisms, arguments.taxonomy),
        resumed=resumed,
        packed=arguments.packed,
        finish=finish,
    )


def update(arguments: argparse.Namespace) -> int:
    """Build a database file again, and print the changes."""
    path, line, report = Path(arguments.database), ProgressLine(), ReadReport()
    sources = [Path(source) for source in arguments.sources or ()]
    inputs = [("source", str(source)) for source in sources] + [("database", str(path))]
    check_outputs({"changes": arguments.changes, "out": arguments.out}, inputs)
    older = older_of(path, arguments.release)
    before = older.database if older is not None else open_database(path)
    if older is None and arguments.release:
        message = f"'{path.name}' keeps no releases: it is not packed."
        raise InvalidParameter("release", arguments.release, message, hint="Leave out --release.")
    with stop_on_interrupt() as cancel:
        database = update_of_any(
            path,
            report=report,
            sources=sources,
            out=arguments.out,
            older=older,
            progress=lambda done, total: line.show(f"Reading {bar(done, total)}" if total else f"Reading: {done:,}"),
            cancel=cancel,
        )
    line.clear()
    tell_remarks(report)
    changes = older.changes if older is not None else Changes.between(before, database)
    said = [changes.in_words] if changes is not None else []
    if older is not None:
        said.append(f"{older.kept:,} of {count(older.blocks, 'block')} kept")
    if arguments.changes and changes is not None:
        rows = changes.named(before.ids, database.ids)
        save_text(arguments.changes, lambda file: file.writelines(f"{kind}\t{name}\n" for kind, name in rows))
    facts = facts_of(Path(arguments.out or path), database)
    if changes is not None:
        facts |= changes.counts
    line_of = f"{arguments.out or path}: {count(len(database), 'sequence')}: {', '.join(said)}"
    return deliver(arguments, Report(lines=[line_of], facts=facts))


def info(arguments: argparse.Namespace) -> int:
    """Describe a database file, and list its organisms on request."""
    path = Path(arguments.database)
    database = open_database(path, in_blocks=True)
    header, lengths = header_facts(path), database.lengths
    sizes = [int(lengths.min()), int(np.median(lengths)), int(lengths.max())] if len(lengths) else [None] * 3
    facts: dict[str, object] = {
        "name": database.name,
        "kind": database.alphabet.name,
        "sequences": len(database),
        "residues": database.residues,
        **dict(zip(("shortest", "median", "longest"), sizes, strict=True)),
        "checksum": database.checksum,
    }
    if (packed := header.packed) is not None:
        file = PackedFile(path)
        facts |= {"on disk": on_disk(file), "a pass": what_waits(file)}
        if packed.merged:
            facts["merged"] = f"{count(packed.merged, 'sequence')} with an identical one before it"
    if database.track is not None:
        facts["letters"] = database.track.alphabet.name
    if database.profiles is not None:
        facts["profiles"] = database.profiles.made
    if database.stored_organisms is not None or arguments.organisms:  # otherwise all headers would be read
        facts["organisms"] = describe_organisms(database.organisms)
    lines = [f"{name:<10} {_in_words(value)}" for name, value in facts.items()]
    lines += [f"{'release':<10} {release_in_words(release)}" for release in header.releases]
    said = []
    if arguments.blocks and packed is not None:
        lines += _block_lines(PackedFile(path))
    elif arguments.blocks:
        said.append(f"{path.name} has no blocks: 'swgui makedb --packed' builds a database that has.")
    listed = _organisms(database) if arguments.organisms else []
    lines += ["\t".join((str(one["subjects"]), str(one["taxid"] or ""), clean_text(one["name"]))) for one in listed]
    if arguments.check:
        check_database(path)
        lines.append("check      all checksums are right")
    more = {"releases": [msgspec.to_builtins(release) for release in header.releases]} if header.releases else {}
    listed_too = {"organisms_listed": listed} if arguments.organisms else {}
    checked = {"checked": True} if arguments.check else {}
    facts = {"file": str(path), **{name.replace(" ", "_"): value for name, value in facts.items()}}
    return deliver(arguments, Report(lines=lines, sentences=said, facts={**facts, **more, **listed_too, **checked}))


def _in_words(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else "-" if value is None else str(value)


def _organisms(database: EncodedDatabase) -> list[dict[str, Any]]:
    known = database.organisms
    return [
        {"subjects": int(known.counts[index]), "taxid": int(known.taxids[index]) or None, "name": known.names[index]}
        for index in known.by_count()
    ]


def _block_lines(file: PackedFile) -> Iterator[str]:
    """Yield the entry of each block in the directory of a packed file."""
    for number, entry in enumerate(file.directory, start=1):
        counts = [str(entry[name]) for name in ("first", "sequences", "residues")]
        sums = [entry[name].tobytes().hex() for name in ("digest", "names_digest")]
        yield "\t".join([str(number), *counts, *sums])


def release_in_words(release: ReleaseFacts) -> str:
    """Return the facts of a packed file about a release."""
    said = f"{release.name or 'unnamed'}, {release.made[:10]}: {count(release.sequences, 'sequence')}"
    if release.came >= 0:
        said += f"; {release.came:,} added, {release.went:,} removed, {release.changed:,} changed"
    return said + (f"; {release.kept:,} of {count(release.blocks, 'block')} kept" if release.blocks else "")


def list_databases(arguments: argparse.Namespace) -> int:
    """List the databases of the site, and those of the user."""
    import json

    from swgui.cli.aligned import aligned
    from swgui.io.database.library import user_databases

    known = sorted(user_databases(), key=lambda entry: not entry.shared)
    if arguments.json:
        print(
            json.dumps(
                [
                    {
                        "name": entry.path.stem,
                        "of": "site" if entry.shared else "user",
                        "kind": entry.alphabet.name,
                        "sequences": entry.sequences,
                        "residues": entry.residues,
                        "made": entry.made,
                        "checksum": entry.checksum,
                        "file": str(entry.path),
                    }
                    for entry in known
                ],
                indent=2,
            )
        )
        return 0
    if not known:
        print(f"swgui: there is none. {HOW_TO_LIST}", file=sys.stderr)
        return 0
    heads = ("name", "of", "kind", "sequences", "residues", "file")
    rows = [
        (entry.path.stem, "site" if entry.shared else "user", entry.alphabet.name, f"{entry.sequences:,}",
         f"{entry.residues:,}", str(entry.path))
        for entry in known
    ]  # fmt: skip
    print("\n".join(aligned(heads, rows, right=(3, 4), whole=True)))
    return 0
