// Alignments of small pieces of a pair from corner to corner, one warp for each: all cells with their directions
// in memory, then the way back.
//
//            columns                        32 lanes hold 8 rows each; lane l takes column t - l at step t. The eight
//          --------------->                 directions of a lane's cells in a column are one word, written as
//   lane 0 [ t   ]                          directions[(band x steps + t) x 32 + lane]: whole lines at a time.
//   lane 1    [ t-1 ]                       H and F below the last lane go to the next band of 256 rows through
//   ...                                     a scratch row in global memory.
//
// A direction: bits 0-1 where H comes from (0 pair, 1 residue of the query against a gap, 2 gap against a residue
// of the subject), bit 2 whether the next column's E continues a gap, bit 3 whether the next row's F does.
// Ties: a pair comes first, then a residue of the query against a gap, then a new gap before an old one.
// The gap at the piece's start (end) may continue from the piece before (behind): then its first
// residue costs no more than the others.
//
// Pointers: pieces long long[count][8]: first row, rows, first column, columns, flags (1: gap at start, 2: gap at
// end), place in `directions` (words), in `scratch` (int2), in `steps` (bytes; rows + columns of them);
// rows int[], row of the matrix; columns unsigned char[], letters; matrix short[][letters]; values int[count];
// lengths int[count]; steps: operations as in core.alignment.Op, the last lengths[p] bytes of each piece's;
// barred_start, barred as in pair_wavefront.cu, or null. Grid: any number of blocks of 32 threads.
#if !defined(PAIR_LETTERS) || !defined(PAIR_FIRST) || !defined(PAIR_FURTHER) || !defined(PAIR_WORST) || \
    !defined(PAIR_BARRED)
#error "the scheme is not given: PAIR_LETTERS, PAIR_FIRST, PAIR_FURTHER, PAIR_WORST, PAIR_BARRED"
#endif

#define FULL_WARP 0xffffffffu
#define ROWS 8
#define BAND (32 * ROWS)
#define NEVER (-0x3fffffff)

typedef unsigned int word;

struct Piece {
    int row, rows, column, columns;
    bool gap_at_start, gap_at_end;
    word* directions;
    int2* scratch;
    unsigned char* steps;
};

__device__ __forceinline__ int left_of(const Piece& piece, int i) {  // H left of row i, from 0; -1: the corner
    return i < 0 ? 0 : -((piece.gap_at_start ? 0 : PAIR_FIRST - PAIR_FURTHER) + PAIR_FURTHER * (i + 1));
}

__device__ __forceinline__ int2 above_of(int column) {  // H and F above the piece's first row
    const int h = -(PAIR_FIRST + PAIR_FURTHER * column);
    return make_int2(h, h - PAIR_FIRST);
}

// Fill the directions; returns H and F (of the last row, not the next) in the last cell, in every lane.
__device__ __forceinline__ int2 fill(const Piece& piece, const int* rows, const unsigned char* columns,
                                     const short* matrix, const int* barred_start, const int* barred) {
    const int lane = threadIdx.x, steps = piece.columns + 31;
    int last_h = 0, last_f = 0;
    for (int band = 0; band * BAND < piece.rows; band++) {
        const int first_row = band * BAND + lane * ROWS, here = min(ROWS, piece.rows - first_row);
        const short* scores[ROWS];
        int h_left[ROWS], e[ROWS];
        int at[ROWS];  // the next column that the row must not be aligned with, in `barred`
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            const int row = piece.row + min(first_row + i, piece.rows - 1);
            scores[i] = matrix + (size_t)rows[row] * PAIR_LETTERS;
            h_left[i] = left_of(piece, first_row + i);
            e[i] = h_left[i] - PAIR_FIRST;
            if constexpr (PAIR_BARRED) {
                at[i] = barred_start[row];
                while (at[i] < barred_start[row + 1] && barred[at[i]] < piece.column) at[i]++;
            }
        }
        int corner = left_of(piece, first_row - 1), h_below = 0, f_below = 0;
        for (int t = 0; t < steps; t++) {
            int2 above = make_int2(0, 0);
            above.x = __shfl_sync(FULL_WARP, h_below, (lane + 31) % 32, 32);
            above.y = __shfl_sync(FULL_WARP, f_below, (lane + 31) % 32, 32);
            const int column = t - lane;
            if (column < 0 || column >= piece.columns) continue;
            if (lane == 0) above = band ? piece.scratch[column] : above_of(column);
            const int letter = columns[piece.column + column];
            int diagonal = corner, f = above.y;
            word word_of_8 = 0;
#pragma unroll
            for (int i = 0; i < ROWS; i++) {
                int d = diagonal + max((int)scores[i][letter], PAIR_WORST);
                if constexpr (PAIR_BARRED) {
                    const int row = piece.row + min(first_row + i, piece.rows - 1);
                    if (at[i] < barred_start[row + 1] && barred[at[i]] == piece.column + column) {
                        d = NEVER;
                        at[i]++;
                    }
                }
                int h = d, from = 0;
                if (f > h) h = f, from = 1;
                if (e[i] > h) h = e[i], from = 2;
                if (i < here && first_row + i == piece.rows - 1) last_h = h, last_f = f;
                const int opened = h - PAIR_FIRST, e_on = e[i] - PAIR_FURTHER, f_on = f - PAIR_FURTHER;
                word_of_8 |= (word)(from | (e_on > opened ? 4 : 0) | (f_on > opened ? 8 : 0)) << 4 * i;
                diagonal = h_left[i];
                h_left[i] = h;
                e[i] = max(e_on, opened);
                f = max(f_on, opened);
                h_below = h;
            }
            f_below = f;
            corner = above.x;
            piece.directions[((size_t)band * steps + t) * 32 + lane] = word_of_8;
            if (lane == 31) piece.scratch[column] = make_int2(h_below, f_below);
        }
        __syncwarp();
    }
    const int holder = (piece.rows - 1) % BAND / ROWS;
    return make_int2(__shfl_sync(FULL_WARP, last_h, holder, 32), __shfl_sync(FULL_WARP, last_f, holder, 32));
}

__device__ __forceinline__ int direction(const Piece& piece, int row, int column) {
    const int lane = row % BAND / ROWS;
    const size_t place = ((size_t)(row / BAND) * (piece.columns + 31) + column + lane) * 32 + lane;
    return (int)(piece.directions[place] >> 4 * (row % ROWS)) & 15;
}

// Walk from the last cell to the first; one thread. Returns the number of steps.
__device__ __forceinline__ int walk(const Piece& piece, bool in_gap) {
    int i = piece.rows - 1, j = piece.columns - 1, state = in_gap ? 1 : 0, left = piece.rows + piece.columns;
    while (i >= 0 && j >= 0) {
        const int here = direction(piece, i, j);
        if (state == 0) state = here & 3;
        piece.steps[--left] = (unsigned char)state;
        if (state == 0) {
            i--, j--;
        } else if (state == 1) {
            i--;
            if (i >= 0 && !(direction(piece, i, j) & 8)) state = 0;
        } else {
            j--;
            if (j >= 0 && !(direction(piece, i, j) & 4)) state = 0;
        }
    }
    for (; i >= 0; i--) piece.steps[--left] = 1;
    for (; j >= 0; j--) piece.steps[--left] = 2;
    return piece.rows + piece.columns - left;
}

extern "C" __global__ void __launch_bounds__(32)
pair_direct(const long long* pieces, int count, const int* rows, const unsigned char* columns, const short* matrix,
            word* directions, int2* scratch, unsigned char* steps, int* values, int* lengths, int* counter,
            const int* barred_start, const int* barred, const int* cancel) {
    while (true) {
        int number = 0;
        if (threadIdx.x == 0) number = atomicAdd(counter, 1);
        number = __shfl_sync(FULL_WARP, number, 0, 32);
        if (number >= count || __any_sync(FULL_WARP, *(const volatile int*)cancel)) return;
        const long long* own = pieces + 8 * number;
        const Piece piece = {(int)own[0], (int)own[1], (int)own[2], (int)own[3], (own[4] & 1) != 0,
                             (own[4] & 2) != 0, directions + own[5], scratch + own[6], steps + own[7]};
        const int2 last = fill(piece, rows, columns, matrix, barred_start, barred);
        if (threadIdx.x == 0) {
            const int in_gap = last.y + PAIR_FIRST - PAIR_FURTHER;
            const bool goes_on = piece.gap_at_end && in_gap > last.x;
            values[number] = goes_on ? in_gap : last.x;
            lengths[number] = walk(piece, goes_on);
        }
        __syncwarp();
    }
}
