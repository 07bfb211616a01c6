// One tile of the score matrix of one pair, an anti-diagonal of its blocks at a time (after the paper on tiling with
// concurrent and dynamic kernels).
//
//            columns of the tile, TILE_BLOCK to a block    block (i, j) needs those above and left of it, so all
//          +------+------+------+------+                   blocks with the same i + j are independent: one launch
//          |  0   |  1   |  2   |  3   |                   of `fill_diagonal` for each such anti-diagonal. The
//   rows   +------+------+------+------+                   paper has one launch per anti-diagonal of cells; inside a
//          |  1   |  2   |  3   |      |                   block the cells' anti-diagonals follow each other here, a
//          +------+------+------+------+                   thread per row.
//          |  2   |  3   |      |      |
//
// `top` and `left` hold the values above and left of the tile and end as those of its last row and column: a block
// overwrites its part of both. `corners` holds H up-left of the next block on each diagonal of blocks.
//
//   launched from the host on one of several streams, or as a graph captured once, or from `launch_tile` on the
//   device (dynamic parallelism; needs relocatable code and libcudadevrt)
//
//   tile     Tile[1]: where it lies. Launches do not depend on it, so that one captured graph serves every tile
//   query    uint8[m], subject uint8[n]; table int16[kinds][TILE_LETTERS]: rows by query letter, or by query position
//   top      Border[size], left Border[size], corners int[2 x blocks + 2], middle = the first block's diagonal; the
//            last one counts launches, so that none can be lost unnoticed
//   best     uint64[1]: score, then places from the end, so that the largest is the best cell that ends first in the
//            subject, then first in the query
//   directions uint32[size][size / 8]: 4 bits per cell: where H comes from (0 nowhere, 1 diagonal, 2 E, 3 F), 4 if E
//            extends, 8 if F extends (TILE_DIRECTIONS)
#include "tile_params.cuh"

struct Tile {
    int row0, column0, rows, columns;
};

#define TILE_ARGUMENTS                                                                                               \
    const Tile *tile, const unsigned char *query, const unsigned char *subject, const short *table, int by_position, \
        Border *top, Border *left, int *corners, wide *best, word *directions, int blocks
#define TILE_PASSED tile, query, subject, table, by_position, top, left, corners, best, directions, blocks

extern "C" __global__ void __launch_bounds__(TILE_BLOCK)
fill_diagonal(TILE_ARGUMENTS, int diagonal) {
    __shared__ Border above[TILE_BLOCK];      // the block's part of `top`; behind the last thread, its own output
    __shared__ Border handed[2][TILE_BLOCK];  // from each thread to the one below, a step ago and now
    __shared__ unsigned char letters[TILE_BLOCK];
    __shared__ wide found;
    const Tile place = *tile;
    if (blockIdx.x == 0 && threadIdx.x == 0) corners[2 * blocks + 1]++;
    const int i = max(0, diagonal - blocks + 1) + (int)blockIdx.x, j = diagonal - i;
    const int rows = min(TILE_BLOCK, place.rows - i * TILE_BLOCK);
    const int columns = min(TILE_BLOCK, place.columns - j * TILE_BLOCK);
    if (rows <= 0 || columns <= 0) return;  // of a tile at the edge of the matrix
    const int thread = threadIdx.x, row = i * TILE_BLOCK + thread, first = j * TILE_BLOCK;

    if (thread < columns) {
        above[thread] = top[first + thread];
        letters[thread] = subject[place.column0 + first + thread];
    }
    if (thread == 0) found = 0;
    const bool real = thread < rows;
    const Border before = real ? left[row] : TILE_BORDER(0, TILE_NEVER);
    int h = TILE_H(before), f = TILE_GAP(before);
    int up_left = thread == 0 ? corners[blocks + i - j] : real ? TILE_H(left[row - 1]) : 0;
    const int kind = !real ? 0 : by_position ? place.row0 + row : query[place.row0 + row];
    const short* scores = table + (size_t)kind * TILE_LETTERS;
    int score = 0, column = 0;
    word packed = 0;
    __syncthreads();
    for (int step = 0; step < rows + columns - 1; step++) {
        const int at = step - thread;
        if (real && at >= 0 && at < columns) {
            const Border over = thread ? handed[(step & 1) ^ 1][thread - 1] : above[at];
            const int pair = up_left + scores[letters[at]];
            const int e_longer = TILE_GAP(over) - TILE_FURTHER, e_opened = TILE_H(over) - TILE_FIRST;
            const int f_longer = f - TILE_FURTHER, f_opened = h - TILE_FIRST;
            const int e = TILE_AFFINE ? max(e_longer, e_opened) : e_opened;
            f = TILE_AFFINE ? max(f_longer, f_opened) : f_opened;
            const bool e_wins = e > pair, f_wins = f > max(pair, e);
            h = max(max(pair, e), max(f, 0));
            up_left = TILE_H(over);
            if (h > score) score = h, column = at;
            const Border here = TILE_BORDER(h, e);
            handed[step & 1][thread] = here;
            if (thread == rows - 1) above[at] = here;
            if constexpr (TILE_DIRECTIONS) {
                const word from = h <= 0 ? 0 : f_wins ? 3 : e_wins ? 2 : 1;
                const word longer = !TILE_AFFINE ? 0 : (e_longer > e_opened ? 4 : 0) | (f_longer > f_opened ? 8 : 0);
                packed |= (from | longer) << 4 * (at & 7);
                if ((at & 7) == 7 || at == columns - 1) {
                    directions[(size_t)row * (blocks * TILE_BLOCK / 8) + (first + at) / 8] = packed;
                    packed = 0;
                }
            }
        }
        __syncthreads();
    }
    if (thread < columns) top[first + thread] = above[thread];
    if (real) {
        left[row] = TILE_BORDER(h, f);
        if (thread == rows - 1) corners[blocks + i - j] = h;
        if (score) {
            const wide last = (1 << TILE_POSITIONS) - 1;
            const wide from_end =
                (last - (place.column0 + first + column)) << TILE_POSITIONS | (last - (place.row0 + row));
            atomicMax(&found, (wide)score << 2 * TILE_POSITIONS | from_end);
        }
    }
    __syncthreads();
    if (thread == 0 && found > *(volatile wide*)best) atomicMax(best, found);
}

#ifdef TILE_DYNAMIC
// All anti-diagonals, launched by one thread of the device. They follow each other, since launches of one block into
// its own stream do. CUDA lets 2048 launches wait; tiles that are under way at once have 1024 at most, for pairs of
// 65,536 residues have no more than 65,536 / size tiles on an anti-diagonal.
extern "C" __global__ void __launch_bounds__(32)
launch_tile(TILE_ARGUMENTS) {
    if (threadIdx.x) return;
    for (int diagonal = 0; diagonal < 2 * blocks - 1; diagonal++) {
        fill_diagonal<<<min(diagonal + 1, 2 * blocks - 1 - diagonal), TILE_BLOCK>>>(TILE_PASSED, diagonal);
    }
}
#endif

// The path through a tile whose directions were kept, from a cell back to the tile's border or to where it begins; one
// thread. `cursor` int[5]: row and column (in the tile, from 1) and matrix (0 H, 1 E, 2 F) before and after, then how
// many columns of the alignment were found and whether it begins here. ops uint8[2 x size], from the first on: 0 pair,
// 1 query letter, 2 subject letter, the last column of the alignment first.
extern "C" __global__ void __launch_bounds__(32)
walk_tile(const word* directions, int blocks, int* cursor, unsigned char* ops) {
    if (threadIdx.x) return;
    int row = cursor[0], column = cursor[1], matrix = cursor[2], count = 0, begins = 0;
    while (row > 0 && column > 0) {
        const size_t place = (size_t)(row - 1) * (blocks * TILE_BLOCK / 8) + (column - 1) / 8;
        const word cell = directions[place] >> 4 * ((column - 1) & 7);
        if (matrix == 0) {
            const int from = cell & 3;
            if (from == 0) {
                begins = 1;
                break;
            }
            if (from > 1) {
                matrix = from - 1;
                continue;
            }
        }
        ops[count++] = (unsigned char)matrix;
        if (matrix == 0) {
            row--, column--;
        } else if (matrix == 1) {
            row--;
            if (!(cell & 4)) matrix = 0;
        } else {
            column--;
            if (!(cell & 8)) matrix = 0;
        }
    }
    cursor[0] = row, cursor[1] = column, cursor[2] = matrix, cursor[3] = count, cursor[4] = begins;
}
