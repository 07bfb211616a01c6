"""How five programs read the archive of a folding server, each written anew from the rules it takes for granted."""

from __future__ import annotations

import csv
import io
import re
import tarfile

UNIREF, ENVIRONMENT, PAIR = "uniref.a3m", "bfd.mgnify30.metaeuk30.smag30.a3m", "pair.a3m"


def members(packed):
    """Return the files of an archive."""
    with tarfile.open(fileobj=io.BytesIO(packed), mode="r:gz") as tar:
        assert all(entry.isfile() and "/" not in entry.name for entry in tar)
        return {entry.name: tar.extractfile(entry).read() for entry in tar}


def _by_number(text):
    """Gather lines by the number in the header behind a zero byte; a line before the first is an error."""
    gathered, begins, number = {}, True, None
    for line in io.StringIO(text):
        if "\0" in line:
            line, begins = line.replace("\0", ""), True
        if line.startswith(">") and begins:
            number, begins = int(line[1:].rstrip()), False
            gathered.setdefault(number, [])
        gathered[number].append(line)
    return {key: "".join(lines) for key, lines in gathered.items()}


def colabfold(files, ids, paired):
    """All files of a chain, concatenated, by their number; a chain without a block is an error."""
    names = [PAIR] if paired else [UNIREF, ENVIRONMENT]
    together = [_by_number(files[name].decode()) for name in names]
    return ["".join(found[int(chain)] for found in together if int(chain) in found) for chain in ids]


def boltz(files, ids, paired):
    """Every second line is a row, no line is empty, and lower case is left out of the columns."""
    chains = []
    for text in colabfold(files, ids, paired):
        lines = text.splitlines()
        rows = lines[1::2]
        assert all(rows)
        assert all(line.startswith(">") for line in lines[::2])
        assert not any(row.startswith(">") for row in rows)
        columns = [re.sub("[a-z]", "", row) for row in rows]
        assert {len(row) for row in columns} == {len(rows[0])}
        assert set("".join(columns)) <= set("ACDEFGHIKLMNPQRSTVWYXBZUOJ-")
        chains.append(columns)
    if paired:
        assert len({len(rows) for rows in chains}) == 1
    return chains


def chai(files, ids, paired):
    """Headers tell where a row is from; of pairs the number of the row is its key, unless it is all gaps."""
    tables = []
    for text in colabfold(files, ids, paired):
        lines = text.splitlines()
        rows = zip(lines[::2], lines[1::2], strict=True)
        tables.append([
            (key, "uniref" if head.startswith(">UniRef") else "bfd", row)
            for key, (head, row) in enumerate(rows) if set(row) != {"-"}
        ])  # fmt: skip
    return tables


def openfold(files, ids, paired):
    """All files that are expected are there and none is empty; a table of templates may be."""
    for name in [PAIR] if paired else [UNIREF, ENVIRONMENT]:
        assert files[name], f"{name} is missing or empty"
    list(csv.reader(files.get("pdb70.m8", b"").decode().splitlines(), delimiter="\t"))
    return [text.count(">") for text in colabfold(files, ids, paired)]


def protenix(files, ids, paired):
    """A dictionary by header, so that equal headers lose rows; of pairs the chunks between zero bytes, but the last."""
    if not paired:
        found = {}
        for name in (ENVIRONMENT, UNIREF):
            found |= _dictionary(files[name].decode().replace("\0", ""))
        return [sum(not name.startswith("query_") for name in found)]
    counts = {}
    for chunk in files[PAIR].decode().split("\0")[:-1]:
        chain = _dictionary(chunk)
        counts[int(chunk.split("\n")[0].split("_")[-1])] = len(chain)
    assert len(set(counts.values())) == 1
    assert len(counts) == len(ids)
    return list(counts.values())


def _dictionary(text):
    found, name = {}, ""
    for line in text.strip().split("\n"):
        if line.startswith(">"):
            name = line[1:].strip()
            found[name] = ""
        else:
            found[name] += line.strip()
    return found


READERS = {"colabfold": colabfold, "boltz": boltz, "chai": chai, "openfold": openfold}


def check_bytes(content, ids, columns):
    """Check a file by the rules byte by byte; return the headers of each block without that of the query."""
    ids = list(ids)
    assert content.startswith(f">{ids[0]}\n".encode())
    assert content.endswith(b"\n\0")
    assert b"\0\n" not in content
    blocks = content[:-1].split(b"\0")
    assert [block.split(b"\n")[0].decode() for block in blocks] == [f">{name}" for name in ids]
    headers = []
    for block, length in zip(blocks, columns, strict=True):
        lines = block.decode("ascii").split("\n")
        assert lines.pop() == ""
        heads, rows = lines[::2], lines[1::2]
        assert len(heads) == len(rows)
        assert all(re.fullmatch(r">[^>\s]+(\t-?[\d.]+(E[+-]\d+)?){9}|>[^>\s]+", head) for head in heads[1:])
        assert len({head.split("\t")[0] for head in heads}) == len(heads)
        assert {len(re.sub("[a-z]", "", row)) for row in rows} == {length}
        headers.append(heads[1:])
    return headers
