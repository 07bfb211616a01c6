"""The kernel as WGSL, written for one shape: arithmetic, lanes, rows, letters, and gap costs by position or not.

A cluster of lanes holds rows of the query, one subject or two pass by. Lane ``k`` is ``4 k`` columns behind the first:
a step takes four columns of each subject through the rows of each lane, and the last row of a lane reaches the next
lane by a shuffle. The last lane stores its row for the next tile of rows. One lane alone needs no shuffle, and
therefore no subgroups. All clusters of a workgroup take the same steps: `swgui.engines.webgpu.layout` pads subjects.

Every number is a whole number, also where the arithmetic is floating: `NUMBERS` says up to which score it is exact.
"""

from __future__ import annotations

from typing import Final

import msgspec

SUBJECTS: Final = 32  # of a workgroup, whatever the shape, so that one layout of a database serves all kernels
COLUMNS: Final = 4  # of a step: residues of one word
LOWEST: Final = -8_000_000  # a deletion that has not begun; exact in 32 bits of either kind


class Number(msgspec.Struct, frozen=True):
    """Arithmetic of a kernel."""

    name: str
    scalar: str  # type of one score
    cell: str  # type of the scores of a cell
    packed: int  # subjects of a cell
    limit: int  # smallest score that may be wrong
    steepest: int  # largest absolute value that a score of a pair, or a gap cost, may have
    feature: str = ""  # of the adapter
    head: str = ""  # first lines of the shader
    rows: int = 4  # rows of the query that one load of the table gives

    def of(self, value: int) -> str:
        """Return a number as the shader spells it."""
        return f"{self.cell}({value})"


NUMBERS: Final = {
    one.name: one
    for one in (
        Number("i32", "i32", "i32", 1, 1 << 30, 1 << 20),
        Number("f32", "f32", "f32", 1, 1 << 24, 1 << 20),
        Number("f16", "f16", "vec2<f16>", 2, 1 << 11, 1 << 11, "shader-f16", "enable f16;\n", 8),
    )
}


class Shape(msgspec.Struct, frozen=True):
    """Everything that the text of a kernel depends on."""

    number: str  # key of `NUMBERS`
    lanes: int  # of a cluster; 1 needs no subgroups
    rows: int  # of the query in each lane: a multiple of `Number.rows`
    letters: int  # symbols of subjects, the padding included
    gaps: bool = False  # whether gap costs differ by position

    @property
    def arithmetic(self) -> Number:
        return NUMBERS[self.number]

    @property
    def tile(self) -> int:
        """Rows of the query that a workgroup holds at a time."""
        return self.lanes * self.rows

    @property
    def clusters(self) -> int:
        return SUBJECTS // self.arithmetic.packed

    @property
    def width(self) -> int:
        """Invocations of a workgroup."""
        return self.lanes * self.clusters

    @property
    def loads(self) -> int:
        """Loads of the table for the rows of a lane."""
        return self.rows // self.arithmetic.rows

    @property
    def stride(self) -> int:
        """Entries of the table between two letters: clusters of fewer than eight lanes then meet in fewer banks."""
        return self.loads * self.lanes + (self.lanes if 1 < self.lanes < 8 else 0)

    @property
    def workgroup_bytes(self) -> int:
        """Workgroup memory."""
        size = 2 if self.number == "f16" else 4
        costs = self.tile * 4 * size if self.gaps else 0
        return self.letters * self.stride * self.arithmetic.rows * size + costs

    @property
    def features(self) -> tuple[str, ...]:
        """Features of an adapter without which it cannot run this."""
        wanted = (self.arithmetic.feature, "subgroup" if self.lanes > 1 else "")
        return tuple(feature for feature in wanted if feature)


def shader(shape: Shape) -> str:
    """Text of the kernel; its entry point is ``main``."""
    return "\n".join([*_head(shape), *_body(shape)])


def _head(shape: Shape) -> list[str]:
    number = shape.arithmetic
    cell, scalar = number.cell, number.scalar
    quad = f"vec4<{scalar}>"
    lines = [
        number.head + "struct Params { tiles: u32, first_tile: u32, end_tile: u32, first_best: u32,",
        "  rows_at: u32, gap_first: i32, gap_extend: i32, unused: u32 }",
        f"struct Edge {{ h: array<{cell}, {COLUMNS}>, f: array<{cell}, {COLUMNS}> }}",
        f"struct Rows {{ {', '.join(f'r{part}: {quad}' for part in range(number.rows // 4))} }}",
        "@group(0) @binding(0) var<uniform> params: Params;",
        "@group(0) @binding(1) var<storage, read> words: array<u32>;",
        "@group(0) @binding(2) var<storage, read> spans: array<vec2<u32>>;",
        "@group(0) @binding(3) var<storage, read> profile: array<i32>;",
        "@group(0) @binding(4) var<storage, read_write> edges: array<Edge>;",
        "@group(0) @binding(5) var<storage, read_write> bests: array<u32>;",
        f"var<workgroup> table: array<Rows, {shape.letters * shape.stride}>;",
    ]
    if shape.gaps:
        lines += [f"var<workgroup> costs: array<{quad}, {shape.tile}>;"]
    return lines


def _body(shape: Shape) -> list[str]:
    number = shape.arithmetic
    zero, cell = number.of(0), number.cell
    per_tile = shape.letters * shape.tile + (4 * shape.tile if shape.gaps else 0)
    return [
        f"@compute @workgroup_size({shape.width})",
        "fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) index: u32) {",
        f"  let cluster = index / {shape.lanes}u; let lane = index % {shape.lanes}u;",
        "  let group = workgroup.x; let span = spans[group];",
        f"  let first = {cell}({number.scalar}(params.gap_first)); ",
        f"  let further = {cell}({number.scalar}(params.gap_extend));",
        f"  var best = {zero};",
        "  for (var tile = params.first_tile; tile < params.end_tile; tile++) {",
        f"    let at_tile = params.rows_at + tile * {per_tile}u;",
        "    workgroupBarrier();",
        *_table(shape),
        "    workgroupBarrier();",
        "    let last = tile + 1u == params.tiles;",
        *(f"    var h{row} = {zero}; var e{row} = {zero};" for row in range(shape.rows)),
        *(f"    var above{c} = {zero}; var down{c} = {_unopened(shape)};" for c in range(COLUMNS)),
        f"    var corner = {zero};",
        f"    for (var step = 0u; step < span.y + {shape.lanes - 1}u; step++) {{",
        *_step(shape),
        "    }",
        "    storageBarrier();",
        "  }",
        *_ending(shape),
        "}",
    ]


def _unopened(shape: Shape) -> str:
    """Score of a deletion above the first row, which no gap has opened."""
    return shape.arithmetic.of(LOWEST if shape.gaps else 0)


def _table(shape: Shape) -> list[str]:
    """Copy the profile of a tile, [letter][load][lane][row], and its costs, [lane][row][cost]."""
    number = shape.arithmetic
    entries = shape.letters * shape.loads * shape.lanes
    parts = [
        f"vec4<{number.scalar}>({', '.join(f'{number.scalar}(profile[p + {4 * part + k}u])' for k in range(4))})"
        for part in range(number.rows // 4)
    ]
    lines = [
        f"    for (var t = index; t < {entries}u; t += {shape.width}u) {{",
        f"      let p = at_tile + t * {number.rows}u;",
        f"      table[(t / {shape.loads * shape.lanes}u) * {shape.stride}u + t % {shape.loads * shape.lanes}u]"
        f" = Rows({', '.join(parts)});",
        "    }",
    ]
    if shape.gaps:
        cost = ", ".join(f"{number.scalar}(profile[p + {k}u])" for k in range(4))
        lines += [
            f"    for (var t = index; t < {shape.tile}u; t += {shape.width}u) {{",
            f"      let p = at_tile + {shape.letters * shape.tile}u + t * 4u;",
            f"      costs[t] = vec4<{number.scalar}>({cost});",
            "    }",
        ]
    return lines


def _step(shape: Shape) -> list[str]:
    """Take four columns through the rows of a lane."""
    number = shape.arithmetic
    zero = number.of(0)
    pad = sum((shape.letters - 1) << 8 * place for place in range(COLUMNS))
    halves = range(number.packed)
    lines = []
    if shape.lanes > 1:
        for c in range(COLUMNS):
            lines += [f"      above{c} = subgroupShuffleUp(above{c}, 1u); down{c} = subgroupShuffleUp(down{c}, 1u);"]
    lines += [
        "      let at = step - lane;",  # wraps to a large number before the first column
        f"      let place = at * {SUBJECTS}u + cluster * {number.packed}u;",
        f"      let edge = (span.x + at * {SUBJECTS}u) / {number.packed}u + cluster;",
        f"      let inside = {'at < span.y' if shape.lanes > 1 else 'true'};",
        *(f"      var letters{k} = {pad}u;" for k in halves),
        f"      if (inside) {{ {' '.join(f'letters{k} = words[span.x + place + {k}u];' for k in halves)} }}",
        "      if (lane == 0u) {" if shape.lanes > 1 else "      {",
        "        if (tile > 0u && inside) {",
        *(f"          above{c} = edges[edge].h[{c}]; down{c} = edges[edge].f[{c}];" for c in range(COLUMNS)),
        "        } else {",
        *(f"          above{c} = {zero}; down{c} = {_unopened(shape)};" for c in range(COLUMNS)),
        "        }",
        "      }",
    ]
    for column in range(COLUMNS):
        lines += _column(shape, column)
    condition = "!last && inside" + (f" && lane == {shape.lanes - 1}u" if shape.lanes > 1 else "")
    lines += [
        f"      if ({condition}) {{",
        *(f"        edges[edge].h[{c}] = above{c}; edges[edge].f[{c}] = down{c};" for c in range(COLUMNS)),
        "      }",
    ]
    return lines


def _column(shape: Shape, column: int) -> list[str]:
    """Take one column through the rows; ``above`` and ``down`` become those of the row below."""
    number = shape.arithmetic
    zero = number.of(0)
    lines = ["      {"]
    for k in range(number.packed):
        letter = f"((letters{k} >> {8 * column}u) & 255u)"
        lines += [f"        let from{k} = {letter} * {shape.stride}u + lane;"]
    lines += [f"        var d = corner; corner = above{column}; var h = above{column}; var f = down{column};"]
    for row in range(shape.rows):
        load, inside = divmod(row, number.rows)
        if inside == 0:
            lines += [
                f"        let s{load}_{k} = table[from{k} + {load * shape.lanes}u];" for k in range(number.packed)
            ]
        score = [f"s{load}_{k}.r{inside // 4}.{'xyzw'[inside % 4]}" for k in range(number.packed)]
        pair = score[0] if number.packed == 1 else f"{number.cell}({', '.join(score)})"
        if shape.gaps:
            lines += [
                f"        let c{row} = costs[lane * {shape.rows}u + {row}u];",
                f"        f = max(f - c{row}.w, h - c{row}.z);",
            ]
        lines += [f"        h = max(max(max(d + {pair}, {zero}), e{row}), f); d = h{row}; h{row} = h;"]
        if row % 2:
            lines += [f"        best = max(max(best, h{row - 1}), h);"]
        if shape.gaps:
            lines += [f"        e{row} = max(e{row} - c{row}.y, h - c{row}.x);"]
        else:
            lines += [
                f"        {{ let opened = h - first; e{row} = max(e{row} - further, opened);"
                " f = max(f - further, opened); }"
            ]
    return [*lines, f"        above{column} = h; down{column} = f;", "      }"]


def _ending(shape: Shape) -> list[str]:
    """Bring the best scores of the lanes together, and with those of earlier tiles."""
    number = shape.arithmetic
    lines = []
    stride = 1
    while stride < shape.lanes:
        lines += [f"  best = max(best, subgroupShuffleXor(best, {stride}u));"]
        stride *= 2
    most = number.of(number.limit)
    lines += [
        f"  best = min(best, {most});",
        "  if (lane == 0u) {",
        f"    let place = params.first_best + group * {SUBJECTS}u + cluster * {number.packed}u;",
    ]
    for k in range(number.packed):
        value = "best" if number.packed == 1 else f"best.{'xy'[k]}"
        lines += [
            f"    var score{k} = u32({value});",
            f"    if (params.first_tile > 0u) {{ score{k} = max(score{k}, bests[place + {k}u]); }}",
            f"    bests[place + {k}u] = score{k};",
        ]
    return [*lines, "  }"]
