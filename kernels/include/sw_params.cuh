// Parameters from the host for one variant. Every constant comes in as -D from one Python record
// (swgui/engines/cuda/streaming/variants.py); nothing is guessed here, and a missing one stops the compiler.
//
//   tile      SW_LANES     threads that hold one query tile together: 4, 8, 16 or 32
//             SW_ROWS      query rows per thread
//             SW_THREADS   threads per block          SW_MIN_BLOCKS  blocks per multiprocessor
//             SW_ABREAST   columns, 2 or 4, that go down the rows side by side
//             SW_SKEW      rows by which each follows the one before, at least SW_PERIOD
//   twins     SW_TWINS     contents of the two 16-bit halves of a register, see below
//             SW_SCORES    how the profile is stored, see sw_profile.cuh
//   scheme    SW_LETTERS   letters of the alphabet
//             SW_FIRST     cost of the first residue of a gap
//             SW_FURTHER   cost of every other one, at most SW_FIRST
//             SW_FLOOR     stored form of a score of zero
//             SW_PERIOD    rows after which the drift of sw_cell.cuh starts again; (PERIOD - 1) x FURTHER <= FIRST
//             SW_WORST     scores below this are raised to it: no alignment uses them (2 gaps are cheaper)
//             SW_LIMIT     a 16-bit score from here on may have overflowed
//             SW_POSITIONS 1: gap costs by position, see sw_positions.cuh; SW_FIRST is the dearest, SW_FURTHER 0;
//                          2: first residues by position, SW_FURTHER for all others
//             SW_BESIDE    letters of a second track, whose scores are added to those of residues; 0 without one
//   passes    SW_READ_BORDER / SW_WRITE_BORDER   the tile has one above / below it
//   launch    SW_SEVERAL   1: several twins of short queries in one launch
//   GPU       SW_DPX       1: fused s16x2 instructions (compute capability 9.0 and later)
#pragma once

#define SW_TWIN_SUBJECTS 0  // one query, two subjects
#define SW_TWIN_QUERIES 1   // two queries (or two strands of one), one subject
#define SW_TWIN_NONE 2      // one query, one subject, 32 bits

#define SW_SCORES_PACKED 0
#define SW_SCORES_WORDS 1

#if !defined(SW_LANES) || !defined(SW_ROWS) || !defined(SW_THREADS) || !defined(SW_MIN_BLOCKS) || \
    !defined(SW_ABREAST) || !defined(SW_SKEW)
#error "the tile is not given: SW_LANES, SW_ROWS, SW_THREADS, SW_MIN_BLOCKS, SW_ABREAST, SW_SKEW"
#endif
#if !defined(SW_TWINS) || !defined(SW_SCORES)
#error "the twins are not given: SW_TWINS, SW_SCORES"
#endif
#if !defined(SW_LETTERS) || !defined(SW_FIRST) || !defined(SW_FURTHER) || !defined(SW_FLOOR) || \
    !defined(SW_PERIOD) || !defined(SW_WORST) || !defined(SW_LIMIT) || !defined(SW_POSITIONS) || !defined(SW_BESIDE)
#error "the scheme is not given: SW_LETTERS, SW_FIRST, SW_FURTHER, SW_FLOOR, SW_PERIOD, SW_WORST, SW_LIMIT, ..."
#endif
#if !defined(SW_READ_BORDER) || !defined(SW_WRITE_BORDER) || !defined(SW_SEVERAL) || !defined(SW_DPX)
#error "the pass, the launch or the GPU is not given: SW_READ_BORDER, SW_WRITE_BORDER, SW_SEVERAL, SW_DPX"
#endif

#define SW_OPENINGS 2

// Features of a variant, for `if constexpr`. Members of records that a variant has no use for take no register.
#define SW_TWO_SUBJECTS (SW_TWINS == SW_TWIN_SUBJECTS)
#define SW_TWO_QUERIES (SW_TWINS == SW_TWIN_QUERIES)
#define SW_WIDE (SW_TWINS == SW_TWIN_NONE)
#define SW_PACKED (SW_SCORES == SW_SCORES_PACKED)
#define SW_TRACKS (SW_BESIDE > 0)
#define SW_BY_OPENING (SW_POSITIONS == SW_OPENINGS)
#define SW_BY_COSTS (SW_POSITIONS == 1)

static_assert(!SW_TRACKS || !SW_POSITIONS, "two tracks know no gap costs by position");
static_assert(!SW_SEVERAL || (SW_TWO_QUERIES && !SW_POSITIONS && !SW_READ_BORDER && !SW_WRITE_BORDER),
              "a launch for several is of twins of queries with plain gap costs, in one pass");
static_assert(SW_LANES == 4 || SW_LANES == 8 || SW_LANES == 16 || SW_LANES == 32, "a group has 4, 8, 16 or 32 lanes");
static_assert(SW_ABREAST == 2 || SW_ABREAST == 4, "2 or 4 columns go side by side");
static_assert(SW_SKEW >= SW_PERIOD, "a column must not overtake what is still read of the one before");
static_assert(SW_PERIOD >= 1 && (SW_PERIOD - 1) * SW_FURTHER <= SW_FIRST,
              "padding rows would score above zero with this drift");
static_assert(!SW_BY_COSTS || (!SW_FURTHER && SW_PERIOD == 1), "gap costs by position know no frames");
static_assert(SW_FURTHER <= SW_FIRST, "the first residue of a gap costs at least as much as the others");
static_assert(SW_TWO_SUBJECTS || !SW_PACKED, "packed profiles are for two subjects");

// Columns of a block; one 32-bit word holds the letters of one subject.
#define SW_COLUMNS 4
#define SW_PAD SW_LETTERS        // scores nothing against everything
#define SW_END (SW_LETTERS + 1)  // the last column of a subject's last block
#define SW_CODES (SW_LETTERS + 2)
#define SW_BESIDE_PAD SW_BESIDE  // the second track's SW_PAD, which scores nothing either
#define SW_BESIDE_CODES (SW_BESIDE ? SW_BESIDE + 2 : 0)
#define SW_BLOCK_WORDS (SW_BESIDE ? 4 : 2)  // of the stream: residues of two subjects, then their letters

