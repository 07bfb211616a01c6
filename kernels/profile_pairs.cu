// Profiles against profiles (swgui/core/profiles/pairs.py defines the scores): local alignment, columns against columns.
//
// A warp has a query of at most 32 x PAIR_ROWS columns, or such a strip of a longer one, PAIR_ROWS to a lane in registers,
// and reads a chunk of targets, one behind the other: lane l is l columns behind lane 0. H and the gap below a lane's
// last row go to the next lane by shuffle, those below a strip through `border`. A lane that comes to the end of a target
// adds its best score to that target's and starts anew, so that targets follow each other without a pause.
//
// Columns are laid out as `codes`, the first 16, and `rests`, the other four and the scale.
#ifndef PAIR_ROWS
#error "PAIR_ROWS: columns of a query that a lane has"
#endif
#define PAIR_CODES 5            // words of codes of a column
#define PAIR_PADDING 512        // scale of a column that is none: it scores below 0 with every other
#define PAIR_OFFSET (8 * 127 - 1)
#define PAIR_SHIFT 20           // of the bits of the fourth power of a sum as a float, which leaves units of 1/32 bit
#define PAIR_MAGIC 0x4b000000u  // the bits of 2^23: a sum below it, added to them, is the float 2^23 + sum
#define PAIR_LOOK 4095          // steps between two looks at `cancel`, a power of two less 1

// Lay out columns: 20 bytes of codes and a scale each.
extern "C" __global__ void __launch_bounds__(256)
pair_pack(const unsigned* words, const short* scales, long long columns, uint4* codes, uint2* rests) {
    const long long at = blockIdx.x * 256ll + threadIdx.x;
    if (at >= columns) return;
    const unsigned* from = words + at * PAIR_CODES;
    codes[at] = make_uint4(from[0], from[1], from[2], from[3]);
    rests[at] = make_uint2(from[4], (unsigned)(int)scales[at]);
}

struct PairColumn {
    uint4 codes;
    uint2 rest;
    __device__ __forceinline__ void read(const uint4* all, const uint2* others, long long at, bool real) {
        codes = make_uint4(0, 0, 0, 0);
        rest = make_uint2(0, PAIR_PADDING);
        if (!real) return;
        codes = all[at];
        rest = others[at];
    }
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

// Columns `first` to before `last` of a chunk, whose targets are `target` and those behind it, against a strip of a query.
struct PairStrip {
    PairColumn query[PAIR_ROWS];
    int h[PAIR_ROWS], along[PAIR_ROWS], best;

    __device__ __forceinline__ void read(const uint4* codes, const uint2* rests, long long begin, int rows) {
        const int lane = threadIdx.x % 32;
#pragma unroll
        for (int row = 0; row < PAIR_ROWS; row++) {
            const int at = lane * PAIR_ROWS + row;
            query[row].read(codes, rests, begin + at, at < rows);
            query[row].rest.y += PAIR_OFFSET;
        }
        clear();
    }

    __device__ __forceinline__ void clear() {
        best = 0;
#pragma unroll
        for (int row = 0; row < PAIR_ROWS; row++) h[row] = along[row] = 0;
    }

    // One column of the target: `corner` and `above` are H of the row above, of the column before and of this one; `down` is
    // the gap that comes from there, and leaves below.
    __device__ __forceinline__ void step(const PairColumn& column, int corner, int& down, int first, int further) {
        const int scale = (int)column.rest.y;
#pragma unroll
        for (int row = 0; row < PAIR_ROWS; row++) {
            const int pair = corner + pair_logarithm(query[row], column) - (int)query[row].rest.y - scale;
            const int now = max(max(pair, along[row]), max(down, 0)), gap = now - first;
            best = max(best, pair);
            along[row] = max(along[row] - further, gap);
            down = max(down - further, gap);
            corner = h[row];
            h[row] = now;
        }
    }
};

// Score queries, [query] = (first column, columns), against targets; a unit of work is a query and a chunk of targets.
//
// chunks int[chunks + 1], the first target of each; offsets: the first column of each target.
// border int2[blocks][width]: H and the gap below a strip, by column of the chunk; for queries of more than one strip.
// scores int[row of the query][targets], 0 at first; rows int[queries].
// next: units that blocks have taken; *cancel is not 0 to give up.
extern "C" __global__ void __launch_bounds__(32, 16)
profile_pairs(const uint4* query_codes, const uint2* query_rests, const long long* begins, const int* lengths, const int* rows,
              int queries, const uint4* codes, const uint2* rests, const long long* offsets, const int* chunks, int chunk_count,
              long long targets, int first, int further, int2* border, long long width, int* scores, int* next,
              const volatile int* cancel) {
    const int lane = threadIdx.x;
    int2* const below = border + blockIdx.x * width;
    PairStrip strip;
    for (;;) {
        int unit = lane ? 0 : atomicAdd(next, 1);
        unit = __shfl_sync(0xffffffffu, unit, 0, 32);
        if (unit >= queries * chunk_count) return;
        const int which = unit % queries, chunk = unit / queries, length = lengths[which];
        const long long start = offsets[chunks[chunk]];
        const int columns = (int)(offsets[chunks[chunk + 1]] - start);
        int* const found = scores + rows[which] * targets;
        for (int top = 0; top < length; top += 32 * PAIR_ROWS) {
            const bool enters = top > 0 && lane == 0, leaves = top + 32 * PAIR_ROWS < length && lane == 31;
            strip.read(query_codes, query_rests, begins[which] + top, length - top);
            int target = chunks[chunk], end = 0, corner = 0, bottom = 0, down = 0;
            PairColumn ahead;
            ahead.read(codes, rests, start - lane, lane == 0);
            int2 entering = make_int2(0, 0);
            if (enters) entering = below[0];
            for (int step = 0; step < columns + 32; step++) {
                const int at = step - lane;
                const PairColumn column = ahead;
                ahead.read(codes, rests, start + at + 1, at + 1 >= 0 && at + 1 < columns);
                int above = __shfl_sync(0xffffffffu, bottom, lane - 1, 32);
                down = __shfl_sync(0xffffffffu, down, lane - 1, 32);
                if (lane == 0) {
                    above = entering.x;
                    down = entering.y;
                    if (enters && at + 1 < columns) entering = below[at + 1];
                }
                if (at == end) {
                    if (at) {
                        if (strip.best) atomicMax(found + target, strip.best);
                        target++;
                    }
                    strip.clear();
                    corner = 0;
                    if (at < columns) end = (int)(offsets[target + 1] - start);
                }
                strip.step(column, corner, down, first, further);
                corner = above;
                bottom = strip.h[PAIR_ROWS - 1];
                if (leaves && at >= 0 && at < columns) below[at] = make_int2(bottom, down);
                if ((step & PAIR_LOOK) == 0 && __any_sync(0xffffffffu, *cancel)) return;
            }
            __syncwarp();
        }
    }
}
