"""Databases of other programs as targets: one of their files is the given bytes, the others are as they were."""

import shutil
from collections.abc import Callable
from pathlib import Path

from swgui.io.database.build import build_database
from swgui.io.unpacking import zstd_module

MADE = Path(__file__).parents[1] / "io" / "imported" / "made"


def blast_files(name: str, ending: str) -> list[bytes]:
    """Return one file of a database that was made by BLAST."""
    return [(MADE / f"{name}.{ending}").read_bytes()]


def blast_reader(name: str, ending: str) -> Callable[[bytes, Path], None]:
    """Make a reader of a database one file of which is the given bytes."""

    def read(data: bytes, folder: Path) -> None:
        for file in MADE.glob(f"{name}.[pn]*"):
            shutil.copy(file, folder)
        (folder / f"{name}.{ending}").write_bytes(data)
        built = build_database([folder / name], folder / "x.swdb")
        assert [len(built.record(at).residues) for at in range(min(len(built), 20))]

    return read


def mmseqs_files(ending: str) -> list[bytes]:
    """Return one file of a database that was made by MMseqs2."""
    return [(MADE / f"mmseqs{ending}").read_bytes()]


def read_diamond(data: bytes, folder: Path) -> None:
    """Read a database of DIAMOND."""
    (folder / "a.dmnd").write_bytes(data)
    build_database([folder / "a.dmnd"], folder / "x.swdb")


def aliases() -> list[bytes]:
    """Return aliases of a database in the same folder."""
    return [
        b"# a remark\nTITLE t\nDBLIST other\nNSEQ 3\n",
        b'DBLIST "other" other\nSEQIDLIST list\n',
        b"DBLIST other\nFIRST_OID 1\nLAST_OID 2\n",
    ]


def read_alias(data: bytes, folder: Path) -> None:
    """Read a database by an alias."""
    for file in MADE.glob("other.p*"):
        shutil.copy(file, folder)
    (folder / "list").write_bytes(b"y1\n")
    (folder / "a.pal").write_bytes(data)
    build_database([folder / "a"], folder / "x.swdb")


def list_reader(key: str) -> Callable[[bytes, Path], None]:
    """Make a reader of a list that an alias names."""

    def read(data: bytes, folder: Path) -> None:
        (folder / "given").write_bytes(data)
        read_alias(f"DBLIST other\n{key} given\n".encode(), folder)

    return read


def mmseqs_reader(ending: str) -> Callable[[bytes, Path], None]:
    """Make a reader of a database of MMseqs2 one file of which is the given bytes."""

    def read(data: bytes, folder: Path) -> None:
        for file in (*MADE.glob("mmseqs.*"), *MADE.glob("mmseqs_h*"), MADE / "mmseqs", MADE / "mmseqs_mapping"):
            shutil.copy(file, folder)
        (folder / f"mmseqs{ending}").write_bytes(data)
        build_database([folder / "mmseqs"], folder / "x.swdb")

    return read


PACKED_LENGTH = 3001


def packed_entry() -> bytes:
    """Return an entry of MMseqs2 packed with zstd."""
    data: bytes = zstd_module().compress(b"MKVLWAALLV" * (PACKED_LENGTH // 10) + b"\n")
    return len(data).to_bytes(4, "little") + data + b"\0"


def read_packed(data: bytes, folder: Path) -> None:
    """Read a database of MMseqs2 whose only entry is packed."""
    for ending, text in (
        ("", data),
        (".dbtype", b"\0\0\0\x80"),
        (".index", f"0\t0\t{PACKED_LENGTH + 1}\n".encode()),
        ("_h", b"a\n\0"),
        ("_h.dbtype", b"\x0c\0\0\0"),
        ("_h.index", b"0\t0\t3\n"),
    ):
        (folder / f"db{ending}").write_bytes(text)
    build_database([folder / "db"], folder / "x.swdb")
