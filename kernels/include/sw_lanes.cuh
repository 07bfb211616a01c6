// The few operations the recurrence is made of, for two 16-bit halves or one 32-bit value per register.
//
// Halves are never negative where they are added, so that one plain 32-bit add adds both: such adds run
// beside the maxima on another pipe. Only maxima look at the halves one by one. A half that is negative
// (sw_cell.cuh makes them where a subject ends) loses every maximum and is never added to again.
#pragma once
#include "sw_params.cuh"

#ifndef DYN_SHARED
#define DYN_SHARED(type, name) extern __shared__ type name[]
#endif
#define SW_INLINE __device__ __forceinline__

typedef unsigned int word;

#define SW_BOTH(x) ((word)(x) * (SW_WIDE ? 1u : 0x10001u))
#define SW_HUGE (SW_WIDE ? 0x7fffffffu : 0x7fff7fffu)

SW_INLINE word max2(word a, word b) {
    if constexpr (SW_WIDE) {
        return (word)max((int)a, (int)b);
    } else {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
        // Read as halves of binary16, integers from 0 to 0x7bff sort as they do as integers (SW_LIMIT keeps scores
        // below), and what stands for a negative number is a negative number or no number: it loses all the same.
        if constexpr (!SW_DPX) {
            word larger;
            asm("max.f16x2 %0, %1, %2;" : "=r"(larger) : "r"(a), "r"(b));
            return larger;
        }
#endif
        return __vmaxs2(a, b);
    }
}

SW_INLINE word max3(word a, word b, word c) {
    if constexpr (!SW_DPX) return max2(max2(a, b), c);
    else if constexpr (SW_WIDE) return (word)__vimax3_s32((int)a, (int)b, (int)c);
    else return __vimax3_s16x2(a, b, c);
}

// max2(a + b, c) with a constant b for each half.
SW_INLINE word add_max(word a, int b, word c) {
    if constexpr (!SW_DPX) return max2(a + SW_BOTH(b), c);
    else if constexpr (SW_WIDE) return (word)__viaddmax_s32((int)a, b, (int)c);
    else return __viaddmax_s16x2(a, (word)(b & 0xffff) * 0x10001u, c);
}

// Copy 16 bytes from device to shared memory in the background; await_copies() is when they are there.
SW_INLINE void copy_async(uint4* target, const uint4* source) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;"
                 :
                 : "r"((unsigned)__cvta_generic_to_shared(target)), "l"(source)
                 : "memory");
#else
    *target = *source;
#endif
}

SW_INLINE void await_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" : : : "memory");
#endif
}
