// The few operations the recurrence is made of, for two 16-bit halves or one 32-bit value per register.
//
// Halves are never negative where they are added, so that one plain 32-bit add adds both: such adds run
// on another pipe than the maxima, in parallel. Only maxima look at the halves one by one. A half that is negative
// (sw_cell.cuh makes them where a subject ends) loses every maximum and is never added to again.
#pragma once
#include "sw_params.cuh"

#define LANES_WIDE SW_WIDE
#define LANES_DPX SW_DPX
// SW_LIMIT keeps scores below 0x7bff; read as binary16, the code of a negative number is a negative number or no
// number, and loses all the same.
#define LANES_FLOATS 1
#include "lanes.cuh"

#define SW_INLINE LANES_INLINE
#define SW_BOTH LANES_BOTH
#define SW_HUGE (SW_WIDE ? 0x7fffffffu : 0x7fff7fffu)

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
