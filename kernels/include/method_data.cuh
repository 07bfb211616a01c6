// Input and output of the published methods: interleaved subjects, query profiles in units of four rows, scores.
//
// Subjects lie in storage order, longest first, 32 to a group. The words of a group, four letters each, are
// interleaved, so that the 32 threads of a warp, one subject each, read 128 bytes that follow each other:
//
//     words of group g:   | s0 w0 | s1 w0 | ... | s31 w0 | s0 w1 | s1 w1 | ...          letters from the low byte up
//
// A group has as many words per subject as its longest (first) subject needs. Behind a subject's last letter
// come letters SW_LETTERS, which score 0 against everything.
//
// A profile unit is 8 bytes, int16[4]: the scores of four successive query rows against one letter. The order
// of the units is each method's own; rows beyond the query score 0.
//
// With SW_STREAM, `words` are the program's own layout instead (streaming.cu): two subjects to a twin, `group_start`
// the first block of each twin, a word of either subject in a block; the last letter of a twin is SW_LETTERS + 1 and
// read as padding.
#pragma once
#include "method_cell.cuh"

#ifndef SW_STREAM
#define SW_STREAM 0
#endif
#define SW_STRIDE (SW_STREAM ? 2ull : 32ull)  // words between two of a subject

#define SW_CODES (SW_LETTERS + 1)
#define SW_PADDING (SW_LETTERS * 0x01010101u)

// Where one thread (or vector, or block) finds the letters of its subjects.
struct Letters {
    const word* start[SW_SUBJECTS];
    int count[SW_SUBJECTS];             // words of each, the first being the longest
};

struct Codes {
    word of[SW_SUBJECTS];
};

// Subject at a storage position; nothing but padding from `end` on.
SW_INLINE void open_subject(Letters& letters, int s, const word* words, const word* group_start, const word* length_of,
                            int base_group, int position, int end) {
    const bool there = position < end;
    if constexpr (SW_STREAM) {
        const int twin = there ? position / 2 : 0;
        letters.start[s] = words + 2ull * (group_start[twin] - (word)base_group) + position % 2;
        letters.count[s] = there ? (int)(group_start[twin + 1] - group_start[twin]) : 0;
    } else {
        const int group = there ? position / 32 : base_group;
        letters.start[s] = words + 32ull * (group_start[group] - group_start[base_group]) + position % 32;
        letters.count[s] = there ? (int)length_of[position] : 0;
    }
}

// Four letters of each subject.
SW_INLINE Codes four_letters(const Letters& letters, int at) {
    Codes codes;
#pragma unroll
    for (int s = 0; s < SW_SUBJECTS; s++) {
        codes.of[s] = at < letters.count[s] ? __ldg(letters.start[s] + SW_STRIDE * at) : SW_PADDING;
        if (SW_STREAM && at + 1 == letters.count[s]) codes.of[s] = __byte_perm(codes.of[s], SW_PADDING, 0x4210);
    }
    return codes;
}

SW_INLINE int letter(const Codes& codes, int s, int column) { return codes.of[s] >> 8 * column & 0xff; }

// The scores of four rows against one letter of each subject.
struct Scores {
    uint2 of[SW_SUBJECTS];
};

SW_INLINE word score(const Scores& scores, int row) {
    const uint2 own = scores.of[0], other = scores.of[SW_SUBJECTS - 1];
    const word low = row < 2 ? own.x : own.y;
    if constexpr (SW_WIDE) return row % 2 ? (word)((int)low >> 16) : (word)(int)(short)low;
    else return __byte_perm(low, row < 2 ? other.x : other.y, row % 2 ? 0x7632 : 0x5410);
}

// Note the scores of the subjects at positions `first` (and `second`), as far as they are before `end`.
// In 16 bits, a subject that may have overflowed is listed for the 32-bit kernel: redo[0] counts them.
SW_INLINE void note_one(int* scores, int* redo, int position, int end, int best) {
    if (position >= end) return;
    if (!SW_WIDE && best >= SW_LIMIT) redo[1 + atomicAdd(redo, 1)] = position;
    scores[position] = best;
}

SW_INLINE void note_scores(int* scores, int* redo, int first, int second, int end, word best) {
    note_one(scores, redo, first, end, (int)(SW_WIDE ? best : best & 0xffff));
    if constexpr (!SW_WIDE) note_one(scores, redo, second, end, (int)(best >> 16));
}

// The next unit of work for a warp, or -1 after a stop.
SW_INLINE int take_unit(int* counter, const volatile int* cancel) {
    int taken = 0;
    if (threadIdx.x % 32 == 0) taken = *cancel ? -1 : atomicAdd(counter, 1);
    return __shfl_sync(FULL_WARP, taken, 0, 32);
}

// Whether the search was cancelled; the same in all lanes of a warp.
SW_INLINE bool cancelled(const volatile int* cancel) { return __any_sync(FULL_WARP, threadIdx.x % 32 == 0 && *cancel); }
