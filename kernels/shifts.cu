// Best scores of proteins with DNA whose reading may shift (swgui/core/frameshift/__init__.py has the recurrence), and
// where stretches of DNA score.
//
//                  codons of two strands, one from each base on, three to a block
//                 ----------------------------------------------------------------->
//   residues lane 0   [ block k   ]           a warp holds 32 x SW_ROWS residues; of each row H of the last two
//   SW_ROWS  lane 1       [ block k-1 ]       blocks and E of three columns in registers; H and F below a lane's last
//   a lane   ...               ...            row, and the letters, go to the next lane by shuffle
//
// A register holds two 16-bit scores: of two pieces of DNA with one protein. Which of a row's two blocks is replaced
// changes with every step, so nothing is moved; two steps are written out. Letters behind the end of a piece, and rows
// behind that of the protein, lose more than any score. A protein of more rows than a warp holds takes several passes;
// H and F below the last row go through global memory. A score above 32767 minus the highest of the table may have been
// more.
//
// With SW_PEAKS the best scores of every SW_PEAKS blocks of columns are kept instead, where they reach `least`. The three
// columns of a block then have beginnings and lengths of their own: with SW_SHIFT -1, which is no shift, they are three
// sequences that have nothing to do with each other, such as stretches of single frames. Both sides may be read
// backwards.
//
// Pointers: residues and codons uint8; table int16[residue symbols][SW_CODES], the score of a residue with a codon;
// units int64[unit][SW_UNIT] from an atomic counter, zero before the launch: first residue, residues, then first codon
// and codons of either piece, with SW_PEAKS of column 0 of either piece, column 1, column 2, then the step (1, -1),
// `least`, and where its peaks begin; border uint32[block][border_groups][6]; scores int32[unit][2], with SW_PEAKS
// zeros before the launch: int32[blocks / SW_PEAKS, rounded up][6] of each unit, in the order of columns and pieces.
#ifndef SW_ROWS
#error "SW_ROWS is not given"
#endif
#if !defined(SW_CODES) || !defined(SW_FIRST) || !defined(SW_EXTEND) || !defined(SW_SHIFT) || !defined(SW_MIN_BLOCKS)
#error "the scheme is not given: SW_CODES, SW_FIRST, SW_EXTEND, SW_SHIFT, SW_MIN_BLOCKS"
#endif
#ifndef SW_PEAKS
#define SW_PEAKS 0
#endif
#define SW_UNIT (SW_PEAKS ? 17 : 6)
#define TOGETHER (SW_PEAKS ? SW_PEAKS : 1)
#define STEP 14
#define LEAST 15
#define PLACE 16
static_assert(SW_ROWS % 4 == 0, "rows come in units of 4");
static_assert(SW_CODES <= 31, "at most 31 symbols");
static_assert(SW_FIRST <= 16000 && SW_SHIFT <= 16000, "costs are at most 16000");
#ifndef DYN_SHARED
#define DYN_SHARED(type, name) extern __shared__ type name[]
#endif
#define SW_INLINE __device__ __forceinline__
#define FULL 0xffffffffu
#define LANES 32
#define QUADS (SW_ROWS / 4)
#define NEVER 0x80008000u
#define BOTH(x) ((unsigned)((x) & 0xffff) * 0x10001u)
#define NO_LETTERS (SW_CODES * 0x02108421u)  // the letter behind the last, six times

typedef unsigned int word;

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
SW_INLINE word max3(word a, word b, word c) { return __vimax3_s16x2(a, b, c); }
SW_INLINE word max3_zero(word a, word b, word c) { return __vimax3_s16x2_relu(a, b, c); }
SW_INLINE word add_max(word a, word b, word c) { return __viaddmax_s16x2(a, b, c); }
#else
SW_INLINE word max3(word a, word b, word c) { return __vmaxs2(__vmaxs2(a, b), c); }
SW_INLINE word max3_zero(word a, word b, word c) { return __vmaxs2(max3(a, b, c), 0); }
SW_INLINE word add_max(word a, word b, word c) { return __vmaxs2(__vadd2(a, b), c); }
#endif

// The letters of a block of two pieces, five bits each.
SW_INLINE word letters_of(const unsigned char* codons, const long long* unit, long long group) {
    word letters = 0;
#pragma unroll
    for (int c = 0; c < 3; c++) {
#pragma unroll
        for (int piece = 0; piece < 2; piece++) {
            const int column = SW_PEAKS ? 2 * c + piece : piece;
            const long long at = SW_PEAKS ? 3 * group : 3 * group + c, left = SW_PEAKS ? group : at;
            const bool there = left < unit[3 + 2 * column];
            const word letter = there ? codons[unit[2 + 2 * column] + (SW_PEAKS ? unit[STEP] * at : at)] : SW_CODES;
            letters |= letter << (10 * c + 5 * piece);
        }
    }
    return letters;
}

// Scores of the rows of all lanes from `first` on, for each letter, four rows of a lane side by side.
SW_INLINE void lay_profile(uint2* profile, const unsigned char* residues, const long long* unit, const short* table,
                           int first, int lane) {
    for (int quad = 0; quad < QUADS; quad++) {
        const short* rows[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const long long row = first + lane * SW_ROWS + 4 * quad + i;
            const long long at = unit[0] + (SW_PEAKS ? unit[STEP] * row : row);
            rows[i] = row < unit[1] ? table + residues[at] * SW_CODES : 0;
        }
        for (int letter = 0; letter <= SW_CODES; letter++) {
            word scores[4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                scores[i] = letter < SW_CODES && rows[i] ? (word)(unsigned short)rows[i][letter] : 0x8000u;
            }
            const word low = scores[0] | scores[1] << 16, high = scores[2] | scores[3] << 16;
            profile[(letter * QUADS + quad) * LANES + lane] = make_uint2(low, high);
        }
    }
}

// State of a lane. H of a row: two blocks of three columns; `above` is the row before the first.
struct Rows {
    word h[SW_ROWS][6], e[SW_ROWS][3], above[6], f[3], best[3];
};

// Predecessors of a row's pairs, from H of the row before: columns `a` from two blocks ago to the last one, and `n`.
SW_INLINE void follow(word* from, word a0, word a1, word a2, word a3, word a4, word n0, word n1) {
    from[0] = a2, from[1] = a3, from[2] = a4;
    if constexpr (SW_SHIFT >= 0) {
        const word middle = __vmaxs2(a1, a4), right = __vmaxs2(a2, n0);
        from[0] = add_max(max3(a0, a3, middle), BOTH(-SW_SHIFT), a2);
        from[1] = add_max(__vmaxs2(middle, right), BOTH(-SW_SHIFT), a3);
        from[2] = add_max(max3(right, a3, n1), BOTH(-SW_SHIFT), a4);
    }
}

// One block of three columns through all rows of a lane; `PHASE` is the block of each row that is replaced. `rows.f`
// and `rows.above[3 * PHASE ...]` hold the values of the row before the first.
template <int PHASE>
SW_INLINE void advance(Rows& rows, const word* older, word letters, const uint2* profile, int lane) {
    constexpr int NEW = 3 * PHASE, LAST = 3 - NEW;
    word a0 = older[0], a1 = older[1], a2 = rows.above[LAST], a3 = rows.above[LAST + 1], a4 = rows.above[LAST + 2];
    word n0 = rows.above[NEW], n1 = rows.above[NEW + 1];
#pragma unroll
    for (int quad = 0; quad < QUADS; quad++) {
        uint2 score[3][2];
#pragma unroll
        for (int c = 0; c < 3; c++) {
#pragma unroll
            for (int piece = 0; piece < 2; piece++) {
                const word letter = letters >> (10 * c + 5 * piece) & 31;
                score[c][piece] = profile[(letter * QUADS + quad) * LANES + lane];
            }
        }
#pragma unroll
        for (int i = 0; i < 4; i++) {
            word* h = rows.h[4 * quad + i];
            word* e = rows.e[4 * quad + i];
            const word o0 = h[NEW + 1], o1 = h[NEW + 2];
            word from[3];
            follow(from, a0, a1, a2, a3, a4, n0, n1);
#pragma unroll
            for (int c = 0; c < 3; c++) {
                const word low = i < 2 ? score[c][0].x : score[c][0].y, high = i < 2 ? score[c][1].x : score[c][1].y;
                const word sum = __vadd2(from[c], __byte_perm(low, high, i % 2 ? 0x7632 : 0x5410));
                const word cell = max3_zero(sum, e[c], rows.f[c]), open = __vadd2(cell, BOTH(-SW_FIRST));
                e[c] = add_max(e[c], BOTH(-SW_EXTEND), open);
                rows.f[c] = add_max(rows.f[c], BOTH(-SW_EXTEND), open);
                h[NEW + c] = cell;
            }
            if constexpr (SW_PEAKS == 0) {
                rows.best[0] = max3(rows.best[0], h[NEW], h[NEW + 1]);
                rows.best[0] = __vmaxs2(rows.best[0], h[NEW + 2]);
            } else if (i % 2) {
#pragma unroll
                for (int c = 0; c < 3; c++) {
                    rows.best[c] = max3(rows.best[c], rows.h[4 * quad + i - 1][NEW + c], h[NEW + c]);
                }
            }
            a0 = o0, a1 = o1, a2 = h[LAST], a3 = h[LAST + 1], a4 = h[LAST + 2], n0 = h[NEW], n1 = h[NEW + 1];
        }
    }
}

// Take the values of the lane before, or for the first lane those of the row above, and advance by a block.
template <int PHASE>
SW_INLINE void step(Rows& rows, word& letters, word first_letters, const word* border, const uint2* profile, int lane) {
    constexpr int NEW = 3 * PHASE, LAST = 3 - NEW;
    const word older[2] = {rows.above[NEW + 1], rows.above[NEW + 2]};
    const word before = __shfl_sync(FULL, letters, lane - 1, LANES);
    letters = lane ? before : first_letters;
#pragma unroll
    for (int c = 0; c < 3; c++) {
        const word h = __shfl_sync(FULL, rows.h[SW_ROWS - 1][LAST + c], lane - 1, LANES);
        const word f = __shfl_sync(FULL, rows.f[c], lane - 1, LANES);
        rows.above[NEW + c] = lane ? h : border[c];
        rows.f[c] = lane ? f : border[3 + c];
    }
    advance<PHASE>(rows, older, letters, profile, lane);
}

// H and F above a block of columns, for the first lane of a pass behind the first.
SW_INLINE void read_border(word* into, const word* border, int group, int groups, bool reads) {
#pragma unroll
    for (int c = 0; c < 6; c++) into[c] = reads && group < groups ? border[6 * (size_t)group + c] : 0;
}

template <int PHASE>
SW_INLINE void write_border(const Rows& rows, word* border, int group, int groups) {
    if (group < 0 || group >= groups) return;
#pragma unroll
    for (int c = 0; c < 3; c++) {
        border[6 * (size_t)group + c] = rows.h[SW_ROWS - 1][3 * PHASE + c];
        border[6 * (size_t)group + 3 + c] = rows.f[c];
    }
}

// Keep the best scores of the last blocks of a lane once there are SW_PEAKS, or the last of all.
SW_INLINE void note_peaks(Rows& rows, int* peaks, int least, int group, int groups) {
    if (group < 0 || group >= groups || (group % TOGETHER < TOGETHER - 1 && group < groups - 1)) return;
    int* own = peaks + 6 * (group / TOGETHER);
#pragma unroll
    for (int c = 0; c < 3; c++) {
        const int low = rows.best[c] & 0xffff, high = rows.best[c] >> 16;
        if (low >= least) atomicMax(own + 2 * c, low);
        if (high >= least) atomicMax(own + 2 * c + 1, high);
        rows.best[c] = 0;
    }
}

extern "C" __global__ void __launch_bounds__(LANES, SW_MIN_BLOCKS)
shifts(const unsigned char* residues, const unsigned char* codons, const short* table, const long long* units,
       int unit_count, word* borders, int border_groups, int* counter, int* scores, const volatile int* cancel) {
    DYN_SHARED(uint2, profile);
    const int lane = threadIdx.x;
    word* border = borders + 6 * (size_t)border_groups * blockIdx.x;

    while (true) {
        int taken = 0;
        if (lane == 0) taken = *cancel ? unit_count : atomicAdd(counter, 1);
        taken = __shfl_sync(FULL, taken, 0, LANES);
        if (taken >= unit_count) return;
        const long long* unit = units + SW_UNIT * (size_t)taken;
        long long longest = 0;
#pragma unroll
        for (int piece = 0; piece < (SW_PEAKS ? 6 : 2); piece++) longest = max(longest, unit[3 + 2 * piece]);
        const int groups = (int)(SW_PEAKS ? longest : (longest + 2) / 3);
        word best = 0;
        for (int first = 0; first < unit[1]; first += LANES * SW_ROWS) {
            const bool reads = first > 0 && lane == 0, writes = first + LANES * SW_ROWS < unit[1] && lane == LANES - 1;
            __syncwarp();
            lay_profile(profile, residues, unit, table, first, lane);
            __syncwarp();
            Rows rows = {};
            word letters = NO_LETTERS, batch = 0, above[6], next[6];
            read_border(next, border, 0, groups, reads);
            for (int k = 0; k < groups + LANES; k += 2) {
                if (k % LANES == 0) batch = letters_of(codons, unit, k + lane);
#pragma unroll
                for (int c = 0; c < 6; c++) above[c] = next[c];
                read_border(next, border, k + 1, groups, reads);
                step<0>(rows, letters, __shfl_sync(FULL, batch, k % LANES, LANES), above, profile, lane);
                if (writes) write_border<0>(rows, border, k - lane, groups);
                if constexpr (SW_PEAKS != 0) {
                    note_peaks(rows, scores + unit[PLACE], (int)unit[LEAST], k - lane, groups);
                }
#pragma unroll
                for (int c = 0; c < 6; c++) above[c] = next[c];
                read_border(next, border, k + 2, groups, reads);
                step<1>(rows, letters, __shfl_sync(FULL, batch, k % LANES + 1, LANES), above, profile, lane);
                if (writes) write_border<1>(rows, border, k + 1 - lane, groups);
                if constexpr (SW_PEAKS != 0) {
                    note_peaks(rows, scores + unit[PLACE], (int)unit[LEAST], k + 1 - lane, groups);
                }
            }
            best = __vmaxs2(best, rows.best[0]);
        }
        if constexpr (SW_PEAKS != 0) continue;
#pragma unroll
        for (int apart = LANES / 2; apart; apart /= 2) {
            best = __vmaxs2(best, __shfl_sync(FULL, best, lane ^ apart, LANES));
        }
        if (lane == 0) {
            scores[2 * taken] = best & 0xffff;
            scores[2 * taken + 1] = best >> 16;
        }
    }
}
