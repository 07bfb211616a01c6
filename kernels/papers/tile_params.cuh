// Parameters of a tile: every constant comes in as -D.
//
//   TILE_BLOCK    rows and columns of a block of cells, one thread per row
//   TILE_AFFINE   1 if a gap's first residue costs more than the others; 0 keeps H alone
//   TILE_LETTERS  letters of the alphabet
//   TILE_FIRST, TILE_FURTHER  costs of the first and of every other residue of a gap
//   TILE_DIRECTIONS  1 to keep where each cell's values come from
#pragma once

#if !defined(TILE_BLOCK) || !defined(TILE_AFFINE) || !defined(TILE_LETTERS) || !defined(TILE_DIRECTIONS)
#error "the tile is not given"
#endif
#if !defined(TILE_FIRST) || !defined(TILE_FURTHER)
#error "the scheme is not given"
#endif
static_assert(TILE_BLOCK % 32 == 0, "a block of cells has whole warps of rows");
static_assert(TILE_AFFINE || TILE_FIRST == TILE_FURTHER, "with a linear gap every residue costs the same");

#define TILE_NEVER (-(1 << 29))
#define TILE_POSITIONS 17  // bits of a row or column: pairs of at most 65,536 residues

typedef unsigned int word;
typedef unsigned long long wide;

// A value on a border between cells: H, and with affine gaps E (rows) or F (columns).
#if TILE_AFFINE
typedef int2 Border;
#define TILE_BORDER(h, gap) make_int2(h, gap)
#define TILE_H(border) ((border).x)
#define TILE_GAP(border) ((border).y)
#else
typedef int Border;
#define TILE_BORDER(h, gap) (h)
#define TILE_H(border) (border)
#define TILE_GAP(border) TILE_NEVER
#endif
