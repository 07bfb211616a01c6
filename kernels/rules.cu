// Scanners of the rules (swgui/core/rules) on a GPU; swgui/engines/rules/scanner.py defines their input and output.
//
// A text is the residues of subjects one behind the other, codes below 32. residue_masks word[] has for each residue of
// each query, one query behind the other, the symbols that match it, bit s for symbol s. begins int64[queries + 1].
// Hits are counted in *found, also those that there is no room for: the host asks again with more.
typedef unsigned int word;
typedef unsigned long long wide;

struct Hits {
    int* query;
    long long* position;
    unsigned char* differences;
    wide room;
    wide* found;
    __device__ __forceinline__ void add(int which, long long place, int count) const {
        const wide slot = atomicAdd(found, 1ull);
        if (slot >= room) return;
        query[slot] = which;
        position[slot] = place;
        differences[slot] = (unsigned char)count;
    }
};

// Every window within `most` mismatches of a query. A thread has one window and takes the queries one after the other,
// each until it differs too often; neighbours read neighbouring residues and the same one of the query.
extern "C" __global__ void __launch_bounds__(256)
rule_mismatches(const unsigned char* text, long long size, const word* residue_masks, const long long* begins, int queries,
                int most, int* query, long long* position, unsigned char* differences, wide room, wide* found) {
    const Hits hits{query, position, differences, room, found};
    const long long start = blockIdx.x * 256ll + threadIdx.x;
    for (int which = 0; which < queries; which++) {
        const long long begin = begins[which];
        const int length = (int)(begins[which + 1] - begin);
        if (start + length > size) continue;
        int wrong = 0;
        for (int row = 0; row < length && wrong <= most; row++)
            wrong += ~(residue_masks[begin + row] >> text[start + row]) & 1u;
        if (wrong <= most) hits.add(which, start, wrong);
    }
}

// Every end position at which a query of at most 64 residues may fit with `most` differences: the bit-vector recurrence of
// Myers (1999). A query has `tiles` blocks, a thread `chunk` positions of the text, before which it takes as many residues
// as an alignment may reach back. allowed uint8[size], or null: not 0 at the last residues of wanted fits.
extern "C" __global__ void __launch_bounds__(256)
rule_ends(const unsigned char* text, long long size, const word* residue_masks, const long long* begins, int most,
          const unsigned char* allowed, int tiles, int chunk, int* query, long long* position, unsigned char* differences, wide room,
          wide* found) {
    __shared__ wide equal[32];
    const Hits hits{query, position, differences, room, found};
    const int which = blockIdx.x / tiles, tile = blockIdx.x % tiles;
    const long long begin = begins[which];
    const int length = (int)(begins[which + 1] - begin);
    if (threadIdx.x < 32) {
        wide bits = 0;
        for (int row = 0; row < length; row++)
            bits |= (wide)(residue_masks[begin + row] >> threadIdx.x & 1u) << row;
        equal[threadIdx.x] = bits;
    }
    __syncthreads();
    const long long first = (tile * 256ll + threadIdx.x) * chunk, back = length + most;
    const long long last = first + chunk < size ? first + chunk : size;
    wide up = ~0ull, down = 0;
    int score = length;
    for (long long at = first > back ? first - back : 0; at < last; at++) {
        const wide eq = equal[text[at] & 31], vertical = eq | down, diagonal = (((eq & up) + up) ^ up) | eq;
        wide right = down | ~(diagonal | up), left = up & diagonal;
        score += (int)(right >> (length - 1) & 1) - (int)(left >> (length - 1) & 1);
        right <<= 1;
        left <<= 1;
        up = left | ~(vertical | right);
        down = right & vertical;
        if (score <= most && at >= first && (!allowed || allowed[at])) hits.add(which, at + 1, score);
    }
}

// Best score of each whole query for each subject, ends of the subject free: up[subject] for a match, -down[subject]
// for every other column. A query has `tiles` blocks, a thread one subject, text[starts[k]..ends[k]); a step covers
// ROWS residues of the query, and border int32[queries][total], from borders[k] on, keeps the values below them.
// scores int32[queries][subjects].
#define ROWS 16
extern "C" __global__ void __launch_bounds__(128)
rule_scores(const unsigned char* text, const long long* starts, const long long* ends, const long long* borders, int subjects,
            const word* residue_masks, const long long* begins, const int* ups, const int* downs, int tiles, long long total,
            int* border, int* scores) {
    const int which = blockIdx.x / tiles, subject = blockIdx.x % tiles * 128 + threadIdx.x;
    if (subject >= subjects) return;
    const long long first = starts[subject], begin = begins[which];
    const int up = ups[subject], down = downs[subject];
    const int columns = (int)(ends[subject] - first), gain = up + down, length = (int)(begins[which + 1] - begin);
    int* below = border + which * total + borders[subject];
    int best = -length * down;
    for (int top = 0; top < length; top += ROWS) {
        word masks[ROWS];
        int cells[ROWS], corner = -top * down;
#pragma unroll
        for (int row = 0; row < ROWS; row++) {
            masks[row] = top + row < length ? residue_masks[begin + top + row] : 0;
            cells[row] = -(top + row + 1) * down;
        }
        for (int column = 0; column < columns; column++) {
            const word symbol = text[first + column];
            const int entering = top ? below[column] : 0;
            int above = entering, diagonal = corner, last = best;
#pragma unroll
            for (int row = 0; row < ROWS; row++) {
                const int left = cells[row], aligned = diagonal + (int)(masks[row] >> symbol & 1u) * gain - down;
                const int gap = (left > above ? left : above) - down;
                diagonal = left;
                above = cells[row] = aligned > gap ? aligned : gap;
                if (top + row == length - 1) last = above;
            }
            corner = entering;
            below[column] = above;
            if (last > best) best = last;
        }
    }
    scores[(long long)which * subjects + subject] = best;
}
