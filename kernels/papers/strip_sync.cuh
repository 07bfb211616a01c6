// Progress counters between blocks.
//
// A block writes values with store_far, lets its warp meet, and one thread raises a counter with store_release.
// Who reads the counter with load_acquire and finds it high enough may read those values with load_far. Neither
// uses the first cache, which multiprocessors do not share.
#pragma once
#include "strip_params.cuh"

STRIP_INLINE int load_acquire(const int* place) {
#if defined(__CUDA_ARCH__)
    int value;
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(place) : "memory");
    return value;
#else
    return *place;
#endif
}

STRIP_INLINE void store_release(int* place, int value) {
#if defined(__CUDA_ARCH__)
    asm volatile("st.release.gpu.global.s32 [%0], %1;" : : "l"(place), "r"(value) : "memory");
#else
    *place = value;
#endif
}

STRIP_INLINE int load_flag(const int* place) { return *(const volatile int*)place; }

template <class T>
STRIP_INLINE T load_far(const T* place) {
#if defined(__CUDA_ARCH__)
    return __ldcg(place);
#else
    return *place;
#endif
}

template <class T>
STRIP_INLINE void store_far(T* place, T value) {
#if defined(__CUDA_ARCH__)
    __stcg(place, value);
#else
    *place = value;
#endif
}

STRIP_INLINE void rest() {
#if defined(__CUDA_ARCH__)
    __nanosleep(40);
#endif
}
