// Helpers of the passes over one long pair: borders above, letters turned into table entries, and the
// place where a path forwards and a path backwards meet. Every kernel: any grid, any number of threads.
#ifndef PAIR_TOOL_THREADS
#error "the block is not given: PAIR_TOOL_THREADS"
#endif

typedef unsigned int word;

#define FOR_EACH(i, count)                                                                       \
    for (long long i = (long long)blockIdx.x * PAIR_TOOL_THREADS + threadIdx.x; i < (count); \
         i += (long long)gridDim.x * PAIR_TOOL_THREADS)

// Borders before band 0: H above column j (from 0) is -(lead + slope x (j + 1)), no gap is open.
// even, odd: uint2[count]; band 0 reads `even` where the lowest bits are 1, and `odd` looks unwritten to band 1.
// reached: int[bands + 1], of every band no column, then the counter for a launch that begins with band `last`.
extern "C" __global__ void __launch_bounds__(PAIR_TOOL_THREADS)
pair_open(uint2* even, uint2* odd, int count, int lead, int slope, int first, int* reached, int bands, int last) {
    FOR_EACH(band, bands + 1) reached[band] = band < bands ? 0 : last;
    FOR_EACH(j, count) {
        const word g = (word)(-(lead + slope * (int)(j + 1)) - first) << 1 | 1;
        even[j] = make_uint2(g, g);
        odd[j] = make_uint2(0xffffffffu, 0xffffffffu);
    }
}

// Borders from saved values (G, F), to continue with band `number`; the other array looks unwritten to it.
extern "C" __global__ void __launch_bounds__(PAIR_TOOL_THREADS)
pair_resume(uint2* above, uint2* below, int count, const int2* saved, int number) {
    const word tag_in = (word)(number - 1) >> 1 & 1, tag_out = (word)number >> 1 & 1;
    FOR_EACH(j, count) {
        const int2 kept = saved[j];
        above[j] = make_uint2((word)kept.x << 1 | tag_in, (word)kept.y << 1 | tag_in);
        below[j] = make_uint2(tag_out ^ 1, tag_out ^ 1);
    }
}

// Border values below band `number` - 1, as (G, F).
extern "C" __global__ void __launch_bounds__(PAIR_TOOL_THREADS)
pair_keep(const uint2* border, int count, int2* saved) {
    FOR_EACH(j, count) {
        const uint2 read = border[j];
        saved[j] = make_int2((int)read.x >> 1, (int)read.y >> 1);
    }
}

// A best score that was found on another device is known here, too, if it is higher.
extern "C" __global__ void __launch_bounds__(PAIR_TOOL_THREADS)
pair_hear(int* best, const unsigned long long* heard) {
    if (blockIdx.x == 0 && threadIdx.x == 0) atomicMax(best, (int)*heard);
}

// target[i] = table[codes[first + step x i]], and 0 for the padding; without a table the position itself.
extern "C" __global__ void __launch_bounds__(PAIR_TOOL_THREADS)
pair_gather(const unsigned char* codes, int first, int step, int count, int padded, const word* table, word* target) {
    FOR_EACH(i, padded) {
        const int place = first + step * (int)i;
        target[i] = i >= count ? 0 : table ? table[codes[place]] : (word)place;
    }
}

// Where the best path crosses from row r to row r + 1. `backward` is the border below a pass that ran backwards
// from the path's end, its column q being column end - 1 - q; `forward` the saved border below row r, or null for
// the border above the first row, H = -(lead + slope x column). `found` gets the smallest q (number of columns
// behind the crossing) at which both add up to `target`; + 2^32 if they do so within a gap only.
extern "C" __global__ void __launch_bounds__(PAIR_TOOL_THREADS)
pair_join(const uint2* backward, int width, int h_backward, int f_backward, const int2* forward, int end,
          int h_forward, int f_forward, int lead, int slope, int first, int further, int target,
          unsigned long long* found) {
    FOR_EACH(q, (long long)width + 1) {
        const int column = end - (int)q;  // columns before the crossing
        int h = h_backward, f = f_backward, h_before = h_forward, f_before = f_forward;
        if (q > 0) {
            h = ((int)backward[q - 1].x >> 1) + first;
            f = (int)backward[q - 1].y >> 1;
        }
        if (column > 0) {
            h_before = forward ? forward[column - 1].x + first : -(lead + slope * column);
            f_before = forward ? forward[column - 1].y : h_before - first;
        }
        // F of the next row has paid for one more residue of the gap, on both sides, and for its first one twice.
        if (h + h_before == target) atomicMin(found, (unsigned long long)q);
        else if (f + f_before + first + further == target) atomicMin(found, 1ull << 32 | (unsigned long long)q);
    }
}

// The highest H of a saved border (G, F), as (G + 2^31) << 32 | column; a tie gives the last. `found` is 0 before.
extern "C" __global__ void __launch_bounds__(PAIR_TOOL_THREADS)
pair_highest(const int2* border, int count, unsigned long long* found) {
    unsigned long long highest = 0;
    FOR_EACH(j, count) {
        const unsigned long long here = (unsigned long long)((word)border[j].x ^ 0x80000000u) << 32 | (word)j;
        highest = here > highest ? here : highest;
    }
    if (highest > *(volatile unsigned long long*)found) atomicMax(found, highest);
}
