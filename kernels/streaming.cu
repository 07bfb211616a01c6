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
// int16[SW_LETTERS + SW_BESIDE][length]; gaps int16[4][length], only with SW_POSITIONS; counter int, zero before the launch; border uint4[1 + blocks x halves][2] (G, F),
// halves = 1 for two subjects, else 2, entry 0 for nobody. Grid: any number of blocks.
// With SW_SEVERAL pairs of queries share a launch: several int[1 + 4 x pairs], blocks of each pair, then for each where its
// profiles begin behind `profile` and its lengths (first, length, second, length). Of `counter`, `scores` and `redo` there is
// one set behind the other. Grid: blocks of each pair x pairs.
#include "include/sw_cell.cuh"
#include "include/sw_work.cuh"

#define FULL_WARP 0xffffffffu
#define PASSES_BORDER (SW_READ_BORDER || SW_WRITE_BORDER)

// What travels from lane to lane besides the border: a block's letters, and where its border is kept.
struct Letters {
    word lower;
#if SW_BESIDE
    word beside_lower;
#endif
#if SW_PAIRING == SW_PAIR_SUBJECTS
    word upper;
#if SW_BESIDE
    word beside_upper;
#endif
#endif
#if PASSES_BORDER
    word place;
#endif
};

SW_INLINE Letters no_letters() {
    Letters letters;
    letters.lower = SW_PAD * 0x01010101u;
#if SW_BESIDE
    letters.beside_lower = SW_BESIDE_PAD * 0x01010101u;
#endif
#if SW_PAIRING == SW_PAIR_SUBJECTS
    letters.upper = SW_PAD * 0x01010101u;
#if SW_BESIDE
    letters.beside_upper = SW_BESIDE_PAD * 0x01010101u;
#endif
#endif
#if PASSES_BORDER
    letters.place = 0;
#endif
    return letters;
}

// All lanes of a group read the same words.
SW_INLINE Letters read_letters(const Work& work, const Source& source) {
    Letters letters;
#if SW_PAIRING == SW_PAIR_SUBJECTS && SW_BESIDE
    const uint4 both = ((const uint4*)work.stream)[source.block];
    letters.lower = both.x;
    letters.upper = both.y;
    letters.beside_lower = both.z;
    letters.beside_upper = both.w;
#elif SW_PAIRING == SW_PAIR_SUBJECTS
    const uint2 both = ((const uint2*)work.stream)[source.block];
    letters.lower = both.x;
    letters.upper = both.y;
#else
    const word* both = work.stream + (unsigned long long)SW_BLOCK_WORDS * source.block + source.half;
    letters.lower = both[0];
#if SW_BESIDE
    letters.beside_lower = both[2];
#endif
#endif
#if PASSES_BORDER
    letters.place = source.block >= work.padding ? 0
                    : SW_PAIRING == SW_PAIR_SUBJECTS ? 1 + source.block : 1 + 2 * source.block + source.half;
#endif
    return letters;
}

// What the lane before holds; the first lane gets what its group has fetched.
SW_INLINE Letters pass_on(const Letters& own, const Letters& fetched, bool first_lane, int before) {
    Letters letters;
    letters.lower = __shfl_sync(FULL_WARP, own.lower, before, SW_LANES);
    if (first_lane) letters.lower = fetched.lower;
#if SW_BESIDE
    letters.beside_lower = __shfl_sync(FULL_WARP, own.beside_lower, before, SW_LANES);
    if (first_lane) letters.beside_lower = fetched.beside_lower;
#endif
#if SW_PAIRING == SW_PAIR_SUBJECTS
    letters.upper = __shfl_sync(FULL_WARP, own.upper, before, SW_LANES);
    if (first_lane) letters.upper = fetched.upper;
#if SW_BESIDE
    letters.beside_upper = __shfl_sync(FULL_WARP, own.beside_upper, before, SW_LANES);
    if (first_lane) letters.beside_upper = fetched.beside_upper;
#endif
#endif
#if PASSES_BORDER
    letters.place = __shfl_sync(FULL_WARP, own.place, before, SW_LANES);
    if (first_lane) letters.place = fetched.place;
#endif
    return letters;
}

extern "C" __global__ void __launch_bounds__(SW_THREADS, SW_MIN_BLOCKS)
streaming(const word* stream, const word* block_of, const int* unit_start, int units, const int* redo_list,
          word first_block, word padding, const short* profile, int length, const short* profile2, int length2,
          const short* gaps, const short* gaps2, int first_row, int* counter, int* scores, long long stride, int* redo, uint4* border,
          const volatile int* cancel, const int* several) {
    DYN_SHARED(uint4, shared);
#if SW_SEVERAL
    const int pair = (int)blockIdx.x / several[0];
    const int* own = several + 1 + 4 * pair;
    profile2 = profile + own[2], length2 = own[3];
    profile += own[0], length = own[1];
    counter += pair;
    scores += 2 * stride * pair;
    redo += 2 * (stride + 1) * pair;
#endif
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
#if SW_POSITIONS
    load_costs(cells.costs, gaps, length, gaps2, length2, first_row);
#endif
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
#if SW_READ_BORDER
        if (last_lane) {  // of the block that lane 0 works on next
            copy_async(above, border + 2ull * fetched.place);
            copy_async(above + 1, border + 2ull * fetched.place + 1);
        }
#endif
        fetched = read_letters(work, source);  // for the next step
        source.block++;
        source.left--;

        const bool ends = current.lower >= ((word)SW_END << 24);
        FourLetters ahead;
        ahead.lower = __byte_perm(current.lower, next.lower, 0x4321);
#if SW_PAIRING == SW_PAIR_SUBJECTS
        ahead.upper = __byte_perm(current.upper, next.upper, 0x4321);
#else
        ahead.upper = 0;
#endif
#if SW_BESIDE
        ahead.beside_lower = __byte_perm(current.beside_lower, next.beside_lower, 0x4321);
#if SW_PAIRING == SW_PAIR_SUBJECTS
        ahead.beside_upper = __byte_perm(current.beside_upper, next.beside_upper, 0x4321);
#else
        ahead.beside_upper = 0;
#endif
#endif
        best = advance_block(cells, tables, base, ahead, ends, best);
        total = max2(total, best);

#if PASSES_BORDER
        if (last_lane) {
#if SW_WRITE_BORDER
            uint4* below = border + 2ull * current.place;
            below[0] = make_uint4(cells.g[0], cells.g[1], cells.g[2], cells.g[3]);
            below[1] = make_uint4(cells.f[0], cells.f[1], cells.f[2], cells.f[3]);
#if SW_POSITIONS
            // Entry 0 is also read by this pass, above whose first row a deletion may get back what it cost elsewhere.
            if (!current.place) below[1] = make_uint4(top_f(0), top_f(1), top_f(2), top_f(3));
#endif
#endif
#if SW_READ_BORDER
            await_copies();
            const uint4 g = above[0], f = above[1];  // lane 0 gets them by the next shuffle
            cells.g[0] = g.x, cells.g[1] = g.y, cells.g[2] = g.z, cells.g[3] = g.w;
            cells.f[0] = f.x, cells.f[1] = f.y, cells.f[2] = f.z, cells.f[3] = f.w;
#endif
        }
#endif
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
