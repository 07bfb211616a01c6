// Profiles against profiles (swgui/core/profiles/pairs.py defines the scores): local alignment, columns against columns.
//
// A warp has a query of at most 32 x PAIR_ROWS columns, or such a strip of a longer one, PAIR_ROWS to a lane in registers,
// and reads a chunk of targets, one behind the other: lane l is l columns behind lane 0. H and the gap below a lane's
// last row go to the next lane by shuffle, those below a strip through `border`. A lane that comes to the end of a target
// adds its best score to that target's and starts anew, so that targets follow each other without a pause.
//
// Columns are laid out as `codes`, the first 16, and `rests`, the other four and the scale, with PAIR_AROUND more on both
// sides: before its first column and behind its last a lane computes what nothing reads.
#ifndef PAIR_ROWS
#error "PAIR_ROWS: columns of a query that a lane has"
#endif
#define PAIR_CODES 5            // words of codes of a column
#define PAIR_PADDING 512        // scale of a column that is none: it scores below 0 with every other
#define PAIR_OFFSET (8 * 127 - 1)
#define PAIR_SHIFT 20           // of the bits of the fourth power of a sum as a float, which leaves units of 1/32 bit
#define PAIR_MAGIC 0x4b000000u  // the bits of 2^23: a sum below it, added to them, is the float 2^23 + sum
#define PAIR_AROUND 32
#define PAIR_LOOK 4096          // steps between two looks at `cancel`
#define PAIR_ALL 0xffffffffu    // lanes

// Lay out columns, 20 bytes of codes and a scale each, and those around them, which match nothing.
extern "C" __global__ void __launch_bounds__(256)
pair_pack(const unsigned* words, const short* scales, long long columns, uint4* codes, uint2* rests) {
    const long long to = blockIdx.x * 256ll + threadIdx.x, at = to - PAIR_AROUND;
    if (to >= columns + 2 * PAIR_AROUND) return;
    if (at < 0 || at >= columns) {
        codes[to] = make_uint4(0, 0, 0, 0);
        rests[to] = make_uint2(0, PAIR_PADDING);
        return;
    }
    const unsigned* from = words + at * PAIR_CODES;
    codes[to] = make_uint4(from[0], from[1], from[2], from[3]);
    rests[to] = make_uint2(from[4], (unsigned)(int)scales[at]);
}

struct PairColumn {
    uint4 codes;
    uint2 rest;
};

// Score of two columns but for their scales and the offset.
__device__ __forceinline__ int pair_logarithm(const PairColumn& a, const PairColumn& b) {
    unsigned sum = __dp4a(a.codes.x, b.codes.x, PAIR_MAGIC + 1);
    sum = __dp4a(a.codes.y, b.codes.y, sum);
    sum = __dp4a(a.codes.z, b.codes.z, sum);
    sum = __dp4a(a.codes.w, b.codes.w, sum);
    sum = __dp4a(a.rest.x, b.rest.x, sum);
    float power = __uint_as_float(sum) - 8388608.0f;
    power *= power;
    power *= power;
    return __float_as_int(power) >> PAIR_SHIFT;
}

// A lane's rows of a query.
struct PairRows {
    PairColumn query[PAIR_ROWS];
    int h[PAIR_ROWS], along[PAIR_ROWS], best;

    // The columns behind the end of the query, `rows` from `top` on, match nothing.
    __device__ __forceinline__ void read(const uint4* codes, const uint2* rests, int rows) {
#pragma unroll
        for (int row = 0; row < PAIR_ROWS; row++) {
            const int at = threadIdx.x % 32 * PAIR_ROWS + row;
            query[row].codes = at < rows ? codes[at] : make_uint4(0, 0, 0, 0);
            query[row].rest = at < rows ? rests[at] : make_uint2(0, PAIR_PADDING);
            query[row].rest.y += PAIR_OFFSET;
        }
    }

    __device__ __forceinline__ void clear() {
        best = 0;
#pragma unroll
        for (int row = 0; row < PAIR_ROWS; row++) h[row] = along[row] = 0;
    }

    // One column of the target: `corner` is H of the row above and the column before; `down` is the gap that comes from above,
    // and leaves below.
    __device__ __forceinline__ void step(const PairColumn& column, int corner, int& down, int first, int extend) {
        const int scale = (int)column.rest.y;
        int before = 0;
#pragma unroll
        for (int row = 0; row < PAIR_ROWS; row++) {
            const int pair = corner + pair_logarithm(query[row], column) - (int)query[row].rest.y - scale;
            const int now = max(max(pair, along[row]), max(down, 0)), gap = now - first;
            if (row % 2) best = max(max(best, before), pair);
            else if (row == PAIR_ROWS - 1) best = max(best, pair);
            before = pair;
            along[row] = max(along[row] - extend, gap);
            down = max(down - extend, gap);
            corner = h[row];
            h[row] = now;
        }
    }
};

// Input and output of the kernels; a unit of work is a query, or a strip of one after the other, and a chunk of targets.
struct PairWork {
    const uint4* query_codes;
    const uint2* query_rests;
    const long long* begins;  // first column of each query
    const int *lengths, *rows;  // columns of each query; which row of `scores` is its
    int queries;
    const uint4* codes;
    const uint2* rests;
    const long long* offsets;  // first column of each target, and the end of the last
    const int* chunks;         // first target of each chunk, and the end of the last
    int chunk_count;
    long long targets;
    int first, extend;
    int2* border;  // [blocks][width]: H and the gap below a strip, by column of the chunk
    long long width;
    int* scores;  // [rows][targets], 0 at first
    int* next;    // units that blocks have taken
    const volatile int* cancel;  // not 0 to give up
};

// One unit. STRIPS: whether queries may be longer than the rows of a warp. Returns whether it was cancelled.
template <bool STRIPS>
__device__ __forceinline__ bool pair_unit(const PairWork& work, int unit) {
    const int lane = threadIdx.x, which = unit % work.queries, chunk = unit / work.queries, length = work.lengths[which];
    const int leader = work.chunks[chunk];
    const long long start = work.offsets[leader], begin = work.begins[which] + PAIR_AROUND;
    const int columns = (int)(work.offsets[work.chunks[chunk + 1]] - start);
    int2* const below = work.border + blockIdx.x * work.width;
    PairRows mine;
    for (int top = 0; top < (STRIPS ? length : 1); top += 32 * PAIR_ROWS) {
        const bool enters = STRIPS && top > 0 && lane == 0, leaves = STRIPS && top + 32 * PAIR_ROWS < length && lane == 31;
        mine.read(work.query_codes + begin + top, work.query_rests + begin + top, length - top);
        mine.clear();
        const uint4* codes = work.codes + (start + PAIR_AROUND - lane);
        const uint2* rests = work.rests + (start + PAIR_AROUND - lane);
        int* found = work.scores + work.rows[which] * work.targets + leader - 1;
        const long long* ends = work.offsets + leader;
        int at = -lane, end = 0, corner = 0, bottom = 0, down = 0;
        PairColumn column{*codes, *rests};
        int2 entering = make_int2(0, 0);
        if (enters) entering = below[0];
        for (int steps = 0; steps < columns + 32;) {
            steps = min(steps + PAIR_LOOK, columns + 32);
            for (; at < steps - lane; at++) {
                int above = __shfl_sync(PAIR_ALL, bottom, lane - 1, 32);
                down = __shfl_sync(PAIR_ALL, down, lane - 1, 32);
                if (lane == 0) above = entering.x;
                if (lane == 0) down = entering.y;
                if (enters && at + 1 < columns) entering = below[at + 1];
                if (at == end) {
                    if (at && mine.best) atomicMax(found, mine.best);
                    mine.clear();
                    corner = 0;
                    found++;
                    if (at < columns) end = (int)(*++ends - start);
                }
                mine.step(column, corner, down, work.first, work.extend);
                column = PairColumn{*++codes, *++rests};
                corner = above;
                bottom = mine.h[PAIR_ROWS - 1];
                if (leaves && at >= 0 && at < columns) below[at] = make_int2(bottom, down);
            }
            if (__any_sync(PAIR_ALL, *work.cancel)) return true;
        }
        __syncwarp();
    }
    return false;
}

template <bool STRIPS>
__device__ __forceinline__ void pair_units(const PairWork& work) {
    for (;;) {
        int unit = threadIdx.x ? 0 : atomicAdd(work.next, 1);
        unit = __shfl_sync(PAIR_ALL, unit, 0, 32);
        if (unit >= work.queries * work.chunk_count || pair_unit<STRIPS>(work, unit)) return;
    }
}

// Two kernels with the same arguments, the fields of `PairWork`.
#define PAIR_KERNEL(name, blocks, strips)                                                                                         \
    extern "C" __global__ void __launch_bounds__(32, blocks)                                                                      \
    name(const uint4* query_codes, const uint2* query_rests, const long long* begins, const int* lengths, const int* rows,       \
         int queries, const uint4* codes, const uint2* rests, const long long* offsets, const int* chunks, int chunk_count,       \
         long long targets, int first, int extend, int2* border, long long width, int* scores, int* next,                         \
         const volatile int* cancel) {                                                                                            \
        const PairWork work{query_codes, query_rests, begins,      lengths, rows,  queries, codes, rests,  offsets, chunks,        \
                            chunk_count, targets,     first,       extend,  border, width,  scores, next,  cancel};                \
        pair_units<strips>(work);                                                                                                 \
    }

PAIR_KERNEL(profile_pairs, 16, false)
PAIR_KERNEL(profile_pairs_in_strips, 12, true)
