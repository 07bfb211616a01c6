// Exact local alignment scores of one query (or two) against many subjects: the engine's own kernel.
// The cells are those of sw_cell.cuh; this file is how the tile is laid out and how subjects stream through.
//
//                       subject columns, four to a block, one subject behind the other
//                     ------------------------------------------------------------------>
//   query rows  lane 0   [ block k   ]                   lane 0 takes block k at step k,
//   SW_ROWS     lane 1        [ block k-1 ]              lane l works on block k-l.
//   per lane    lane 2             [ block k-2 ]         Below each lane's last row G and F of four columns
//               ...                     ...              go to the next lane by shuffle, with the letters
//               lane L-1                     [ ... ]     and the best score of the block so far.
//
// Subjects follow each other without a gap: the last column of a subject's last block is empty (letter SW_END)
// and leaves every row as it must be before a first column. So the pipeline of a group never drains.
//
// A query longer than LANES x ROWS takes several launches. A launch with SW_WRITE_BORDER keeps G and F below
// its last row for every column in `border`, one with SW_READ_BORDER starts from there.
//
// Pointers: stream word[blocks + padding][SW_BLOCK_WORDS] (letters 0..3 from the low byte up); profile
// int16[SW_LETTERS + SW_BESIDE][length]; gaps int16[4][length], only with SW_POSITIONS; counter int, zero before the
// launch; border uint4[1 + blocks x halves][2] (G, F), halves = 1 for two subjects, else 2, entry 0 unused.
// Grid: any number of blocks.
// With SW_SEVERAL twins of queries share a launch: several int[1 + 4 x twins], blocks of each twin, then for each where
// its profiles begin behind `profile` and its lengths (first, length, second, length). Of `counter`, `scores` and
// `redo` there is one set behind the other. Grid: blocks of each twin x twins.
#include "include/sw_cell.cuh"
#include "include/sw_work.cuh"

#define FULL_WARP 0xffffffffu

// Values that travel from lane to lane with the border: a block's letters of one subject or two, those of a second
// track, and the place of the block's border.
struct Letters {
    word lower, beside_lower, upper, beside_upper, place;
};

SW_INLINE Letters no_letters() {
    const word pad = SW_PAD * 0x01010101u, beside = SW_BESIDE_PAD * 0x01010101u;
    return {pad, beside, pad, beside, 0};
}

// All lanes of a group read the same words.
SW_INLINE Letters read_letters(const Work& work, const Source& source) {
    Letters letters = no_letters();
    if constexpr (SW_TWO_SUBJECTS && SW_TRACKS) {
        const uint4 both = ((const uint4*)work.stream)[source.block];
        letters.lower = both.x;
        letters.upper = both.y;
        letters.beside_lower = both.z;
        letters.beside_upper = both.w;
    } else if constexpr (SW_TWO_SUBJECTS) {
        const uint2 both = ((const uint2*)work.stream)[source.block];
        letters.lower = both.x;
        letters.upper = both.y;
    } else {
        const word* both = work.stream + (unsigned long long)SW_BLOCK_WORDS * source.block + source.half;
        letters.lower = both[0];
        if constexpr (SW_TRACKS) letters.beside_lower = both[2];
    }
    letters.place = source.block >= work.padding ? 0
                    : SW_TWO_SUBJECTS ? 1 + source.block : 1 + 2 * source.block + source.half;
    return letters;
}

// Values of the lane before; the first lane gets those that its group has fetched.
SW_INLINE word pass_on(word own, word fetched, bool first_lane, int before) {
    const word passed = __shfl_sync(FULL_WARP, own, before, SW_LANES);
    return first_lane ? fetched : passed;
}

SW_INLINE Letters pass_on(const Letters& own, const Letters& fetched, bool first_lane, int before) {
    Letters letters = no_letters();
    letters.lower = pass_on(own.lower, fetched.lower, first_lane, before);
    if constexpr (SW_TRACKS) letters.beside_lower = pass_on(own.beside_lower, fetched.beside_lower, first_lane, before);
    if constexpr (SW_TWO_SUBJECTS) letters.upper = pass_on(own.upper, fetched.upper, first_lane, before);
    if constexpr (SW_TWO_SUBJECTS && SW_TRACKS) {
        letters.beside_upper = pass_on(own.beside_upper, fetched.beside_upper, first_lane, before);
    }
    if constexpr (SW_READ_BORDER || SW_WRITE_BORDER) {
        letters.place = pass_on(own.place, fetched.place, first_lane, before);
    }
    return letters;
}

// The letters of columns 1, 2, 3 and of column 0 of the next block.
SW_INLINE FourLetters letters_ahead(const Letters& current, const Letters& next) {
    FourLetters ahead = {};
    ahead.lower = __byte_perm(current.lower, next.lower, 0x4321);
    if constexpr (SW_TWO_SUBJECTS) ahead.upper = __byte_perm(current.upper, next.upper, 0x4321);
    if constexpr (SW_TRACKS) ahead.beside_lower = __byte_perm(current.beside_lower, next.beside_lower, 0x4321);
    if constexpr (SW_TWO_SUBJECTS && SW_TRACKS) {
        ahead.beside_upper = __byte_perm(current.beside_upper, next.beside_upper, 0x4321);
    }
    return ahead;
}

extern "C" __global__ void __launch_bounds__(SW_THREADS, SW_MIN_BLOCKS)
streaming(const word* stream, const word* block_of, const int* unit_start, int units, const int* redo_list,
          word first_block, word padding, const short* profile, int length, const short* profile2, int length2,
          const short* gaps, const short* gaps2, int first_row, int* counter, int* scores, long long stride, int* redo,
          uint4* border, const volatile int* cancel, const int* several) {
    DYN_SHARED(uint4, shared);
    if constexpr (SW_SEVERAL) {
        const int twin = (int)blockIdx.x / several[0];
        const int* own = several + 1 + 4 * twin;
        profile2 = profile + own[2], length2 = own[3];
        profile += own[0], length = own[1];
        counter += twin;
        scores += 2 * stride * twin;
        redo += 2 * (stride + 1) * twin;
    }
    char* tables = (char*)shared;
    uint4* above = (uint4*)(tables + SW_PROFILE_BYTES) + 2 * (threadIdx.x / SW_LANES);  // border of one block
    Ring* rings = (Ring*)(tables + SW_PROFILE_BYTES + SW_GROUPS * 2 * sizeof(uint4));
    const Work work = {stream, block_of, unit_start, units, redo_list, first_block, padding};
    const Results results = {scores, stride, redo};

    const int lane = threadIdx.x % SW_LANES, before = (lane + SW_LANES - 1) % SW_LANES;
    const bool first_lane = lane == 0, last_lane = lane == SW_LANES - 1;
    Ring& ring = rings[threadIdx.x / SW_LANES];
    if (last_lane) ring.pushed = ring.read = 0;
    build_profile(tables, profile, length, profile2, length2, first_row);
    __syncthreads();

    const int base = threadIdx.x % SW_SLOTS * 16;  // this thread's slot in each row of units
    Cells cells;
    clear_cells(cells);
    if constexpr (SW_POSITIONS != 0) load_costs(cells.costs, gaps, length, gaps2, length2, first_row);
    Letters current = no_letters(), fetched = no_letters();
    word best = SW_BOTH(SW_FLOOR), total = 0;
    Source source = {padding, 0, 1, false, false};  // one empty block, then the first unit

    while (true) {
#pragma unroll
        for (int c = 0; c < SW_COLUMNS; c++) {
            cells.g[c] = __shfl_sync(FULL_WARP, cells.g[c], before, SW_LANES);
            cells.f[c] = __shfl_sync(FULL_WARP, cells.f[c], before, SW_LANES);
            if (!SW_READ_BORDER && first_lane) cells.g[c] = top_g(c), cells.f[c] = top_f(c);
        }
        best = __shfl_sync(FULL_WARP, best, before, SW_LANES);
        if (first_lane) best = SW_BOTH(SW_FLOOR);
        const Letters next = pass_on(current, fetched, first_lane, before);
        if (SW_READ_BORDER && last_lane) {  // of the block that lane 0 works on next
            copy_async(above, border + 2ull * fetched.place);
            copy_async(above + 1, border + 2ull * fetched.place + 1);
        }
        fetched = read_letters(work, source);  // for the next step
        source.block++;
        source.left--;

        const bool ends = current.lower >= ((word)SW_END << 24);
        const FourLetters ahead = letters_ahead(current, next);
        best = advance_block(cells, tables, base, ahead, ends, best);
        total = max2(total, best);

        if (SW_WRITE_BORDER && last_lane) {
            uint4* below = border + 2ull * current.place;
            below[0] = make_uint4(cells.g[0], cells.g[1], cells.g[2], cells.g[3]);
            below[1] = make_uint4(cells.f[0], cells.f[1], cells.f[2], cells.f[3]);
            // Entry 0 is also read by this pass, above whose first row a deletion may get back its cost elsewhere.
            if (SW_POSITIONS && !current.place) below[1] = make_uint4(top_f(0), top_f(1), top_f(2), top_f(3));
        }
        if (SW_READ_BORDER && last_lane) {
            await_copies();
            const uint4 g = above[0], f = above[1];  // lane 0 gets them by the next shuffle
            cells.g[0] = g.x, cells.g[1] = g.y, cells.g[2] = g.z, cells.g[3] = g.w;
            cells.f[0] = f.x, cells.f[1] = f.y, cells.f[2] = f.z, cells.f[3] = f.w;
        }
        current = next;

        // Seldom: a subject ended in the last lane, or a group needs its next unit (or has read another
        // 1024 blocks of a very long one: a good time to ask whether anyone still wants the scores).
        const bool ended = ends && last_lane, asks = source.left % SW_ASK_BLOCKS == 0;
        if (__any_sync(FULL_WARP, ended || asks)) {
            if (ended) {
                emit(ring, results, total);
                total = 0;
            }
            const bool wants = source.left == 0;
            int taken = 0;
            if (wants && last_lane) taken = atomicAdd(counter, 1);
            taken = __shfl_sync(FULL_WARP, taken, SW_LANES - 1, SW_LANES);
            if (wants) open_unit(work, taken, ring, source, last_lane);
            if (__all_sync(FULL_WARP, source.drained)) break;
            if (__any_sync(FULL_WARP, asks && *cancel)) break;
        }
    }
}
