// The recurrence for the published methods, written once: one 32-bit score or two 16-bit scores per register.
//
//   H(i,j) = max(0, H(i-1,j-1) + s(i,j), E(i,j), F(i,j))
//   E(i,j+1) = max(E(i,j) - further, H(i,j) - first, 0)        along the subject
//   F(i+1,j) = max(F(i,j) - further, H(i,j) - first, 0)        along the query
//
// Cutting E and F off at 0 changes no H, which is at least 0 anyway, and it lets nothing be negative. A gap cost
// above 32,767 may then be given as 32,767 in 16 bits: a score that fits 16 bits minus it is cut off at 0 either way.
//
// 16 bits suffice while best < SW_LIMIT = 32768 - (highest score): the first H that reaches it was made from a
// smaller one without leaving 16 bits, and the running maximum has seen it. Later values may be wrong, but
// such a subject is scored again in 32 bits.
//
// Defines, all from swgui/engines/cuda/intra.py:
//   SW_SUBJECTS   1: a word is one score of 32 bits; 2: a word is two of 16 bits, of two subjects
//   SW_LETTERS    letters of the alphabet; letter SW_LETTERS pads subjects and scores 0
//   SW_FIRST, SW_FURTHER   cost of the first residue of a gap, and of every other one
//   SW_LIMIT      a 16-bit score from here on may have overflowed
//   SW_DPX        1: fused instructions of compute capability 9.0 and later
//   SW_THREADS, SW_MIN_BLOCKS   threads per block, blocks per multiprocessor that registers must be left for
#pragma once

#if !defined(SW_SUBJECTS) || !defined(SW_THREADS) || !defined(SW_MIN_BLOCKS) || !defined(SW_DPX)
#error "the launch is not given: SW_SUBJECTS, SW_THREADS, SW_MIN_BLOCKS, SW_DPX"
#endif
#if !defined(SW_LETTERS) || !defined(SW_FIRST) || !defined(SW_FURTHER) || !defined(SW_LIMIT)
#error "the scheme is not given: SW_LETTERS, SW_FIRST, SW_FURTHER, SW_LIMIT"
#endif
#define SW_WIDE (SW_SUBJECTS == 1)

static_assert(SW_SUBJECTS == 1 || SW_SUBJECTS == 2, "a thread scores 1 or 2 subjects at once");
static_assert(SW_THREADS % 32 == 0, "blocks are made of whole warps of 32 threads");
static_assert(SW_WIDE || (SW_FIRST <= 32767 && SW_FURTHER <= 32767), "gap costs of 16-bit scores are at most 32767");

#ifndef DYN_SHARED
#define DYN_SHARED(type, name) extern __shared__ type name[]
#endif
#define SW_INLINE __device__ __forceinline__
#define FULL_WARP 0xffffffffu

typedef unsigned int word;

#define SW_BOTH(x) (SW_WIDE ? (word)(x) : ((word)(x) & 0xffffu) * 0x10001u)

SW_INLINE word add(word a, word b) {
    if constexpr (SW_WIDE) return a + b;
    else return __vadd2(a, b);
}

SW_INLINE word max2(word a, word b) {
    if constexpr (SW_WIDE) return (word)max((int)a, (int)b);
    else return __vmaxs2(a, b);
}

SW_INLINE word max_of_three_and_0(word a, word b, word c) {
    if constexpr (!SW_DPX) return max2(max2(a, b), max2(c, 0));
    else if constexpr (SW_WIDE) return (word)__vimax3_s32_relu((int)a, (int)b, (int)c);
    else return __vimax3_s16x2_relu(a, b, c);
}

SW_INLINE word add_max_and_0(word a, word b, word c) {
    if constexpr (!SW_DPX) return max2(max2(add(a, b), c), 0);
    else if constexpr (SW_WIDE) return (word)__viaddmax_s32_relu((int)a, (int)b, (int)c);
    else return __viaddmax_s16x2_relu(a, b, c);
}

SW_INLINE bool any_above(word a, word b) { return SW_WIDE ? (int)a > (int)b : max2(a, b) != b; }

// Value of a gap opened at this H at the next residue, before it is cut off at 0.
SW_INLINE word opened(word h) { return add(h, SW_BOTH(-SW_FIRST)); }

// One cell. In: the diagonal's H plus the score, E and F of this cell. Out: H; E of the next column, F of the next row.
SW_INLINE word advance_cell(word sum, word& e, word& f, word& best) {
    const word h = max_of_three_and_0(sum, e, f), gap = opened(h);
    e = add_max_and_0(e, SW_BOTH(-SW_FURTHER), gap);
    f = add_max_and_0(f, SW_BOTH(-SW_FURTHER), gap);
    best = max2(best, h);
    return h;
}
