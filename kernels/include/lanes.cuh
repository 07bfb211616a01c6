// The few operations both recurrences are made of, for two 16-bit halves or one 32-bit value per register.
// Who includes it says LANES_WIDE, LANES_DPX, and LANES_FLOATS: whether no half is below 0 or above 0x7bff.
#pragma once

#ifndef DYN_SHARED
#define DYN_SHARED(type, name) extern __shared__ type name[]
#endif
#define LANES_INLINE __device__ __forceinline__
#define LANES_BOTH(x) ((word)(x) * (LANES_WIDE ? 1u : 0x10001u))

typedef unsigned int word;

LANES_INLINE word max2(word a, word b) {
    if constexpr (LANES_WIDE) {
        return (word)max((int)a, (int)b);
    } else {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
        // Integers from 0 to 0x7bff sort as binary16 numbers as they do as integers.
        if constexpr (!LANES_DPX && LANES_FLOATS) {
            word larger;
            asm("max.f16x2 %0, %1, %2;" : "=r"(larger) : "r"(a), "r"(b));
            return larger;
        }
#endif
        return __vmaxs2(a, b);
    }
}

LANES_INLINE word max3(word a, word b, word c) {
    if constexpr (!LANES_DPX) return max2(max2(a, b), c);
    else if constexpr (LANES_WIDE) return (word)__vimax3_s32((int)a, (int)b, (int)c);
    else return __vimax3_s16x2(a, b, c);
}

// max2(a + b, c) with a constant b for each half.
LANES_INLINE word add_max(word a, int b, word c) {
    if constexpr (!LANES_DPX) return max2(a + LANES_BOTH(b), c);
    else if constexpr (LANES_WIDE) return (word)__viaddmax_s32((int)a, b, (int)c);
    else return __viaddmax_s16x2(a, (word)(b & 0xffff) * 0x10001u, c);
}
