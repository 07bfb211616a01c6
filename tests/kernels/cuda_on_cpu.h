// Runs our kernels on the CPU, so that their arithmetic can be tested where there is no GPU.
//
// A thread of a block is a coroutine; all of a block's take turns on one thread of the system, and blocks run
// one after the other. A coroutine gives way where a CUDA thread would wait for others: at warp exchanges and
// at block barriers. So divergence and missing barriers show as a standstill, and memory errors show under
// AddressSanitizer; races between blocks do not show.
//
// Only what the kernels use is here, worded after the CUDA programming guide.
#pragma once
#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#define __global__
#define __device__
#define __forceinline__ inline
#define __shared__ static  // blocks run one after the other
#define __launch_bounds__(...)
#define DYN_SHARED(type, name) type* name = reinterpret_cast<type*>(cpu::running->shared.data())

struct alignas(8) uint2 { unsigned x, y; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
struct alignas(8) int2 { int x, y; };
struct alignas(16) int4 { int x, y, z, w; };
inline int2 make_int2(int x, int y) { return {x, y}; }
inline int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
using std::max;
using std::min;

namespace cpu {

struct Index { unsigned x; };

struct Coroutine {
    ucontext_t place;
    jmp_buf turn;  // where it gave way
    std::unique_ptr<char[]> stack;
    bool begun = false;
};

// What a thread waits for: that a counter of its block is another number. Without a counter it waits for nothing.
struct Wait {
    const unsigned* counter = nullptr;
    unsigned number = 0;
    bool finished = false;
};

// What the lanes of one warp have brought to the exchange they are in. Two rounds are kept: a lane that has
// read the last round may already have entered the next one, but no lane is two ahead.
struct Exchange {
    uint64_t brought[2][32];
    unsigned present = 0, round = 0;
};

struct alignas(16) Line { char bytes[16]; };

struct Block {
    std::vector<Coroutine> threads;
    std::vector<Wait> waits;  // one for each thread, beside each other: most turns are only looked at
    std::vector<Exchange> warps;
    std::vector<Line> shared;
    ucontext_t scheduler;
    jmp_buf back;  // where the thread that has its turn gives way to
    Index block, grid;
    unsigned current = 0, at_barrier = 0, barriers = 0;
    int votes[2] = {0, 0};
    const std::function<void()>* kernel = nullptr;
};

extern Block* running;

[[noreturn]] inline void fail(const char* what) {
    std::fprintf(stderr, "thread %u of block %u: %s\n", running->current, running->block.x, what);
    std::abort();
}

// Compiled once for all kernels, in cuda_on_cpu.cpp.
void launch(unsigned grid, unsigned threads, size_t shared_bytes, const std::function<void()>& kernel);

// The same with all blocks at work at once, some faster than others, and their threads in changing order: for
// kernels whose blocks wait for each other.
void launch_together(unsigned grid, unsigned threads, size_t shared_bytes, const std::function<void()>& kernel);

// All 32 lanes bring a value; returns what they brought.
const uint64_t* exchange(unsigned mask, uint64_t value);

template <class F>
unsigned per_half(F f) {
    return (uint16_t)f(0) | (unsigned)(uint16_t)f(16) << 16;
}
inline int half(unsigned x, int shift) { return (int16_t)(x >> shift); }

}  // namespace cpu

#define threadIdx (cpu::Index{cpu::running->current})
#define blockIdx (cpu::running->block)
#define gridDim (cpu::running->grid)

void __syncthreads();
int __syncthreads_or(int predicate);
inline void __syncwarp() { cpu::exchange(0xffffffffu, 0); }
template <class T>
[[gnu::noinline]] T __shfl_sync(unsigned mask, T value, int source, int width) {
    const unsigned lane = cpu::running->current % 32;
    const uint64_t* brought = cpu::exchange(mask, (uint64_t)(uint32_t)value);
    return (T)brought[(lane & ~(width - 1)) | (source & (width - 1))];
}
int __any_sync(unsigned mask, int predicate);
inline int __all_sync(unsigned mask, int predicate) { return !__any_sync(mask, !predicate); }
template <class T>
T atomicMax(T* place, T value) {
    const T before = *place;
    *place = std::max(before, value);
    return before;
}
template <class T>
T atomicMin(T* place, T value) {
    const T before = *place;
    *place = std::min(before, value);
    return before;
}
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __nanosleep(unsigned) {}
inline int atomicAdd(int* place, int value) {
    const int before = *place;
    *place += value;
    return before;
}
inline unsigned long long atomicAdd(unsigned long long* place, unsigned long long value) {
    const unsigned long long before = *place;
    *place += value;
    return before;
}
inline unsigned __byte_perm(unsigned low, unsigned high, unsigned selector) {
    const uint64_t bytes = (uint64_t)high << 32 | low;
    unsigned result = 0;
    for (int i = 0; i < 4; i++) result |= (unsigned)(bytes >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
    return result;
}
inline int cpu_dp2a(int words, int bytes, int sum, int first) {
    unsigned total = (unsigned)sum;
    for (int i = 0; i < 2; i++) total += (unsigned)((int16_t)(words >> 16 * i) * (int8_t)(bytes >> 8 * (first + i)));
    return (int)total;
}
inline int __dp2a_lo(int words, int bytes, int sum) { return cpu_dp2a(words, bytes, sum, 0); }
inline int __dp2a_hi(int words, int bytes, int sum) { return cpu_dp2a(words, bytes, sum, 2); }
inline unsigned __dp4a(unsigned a, unsigned b, unsigned sum) {
    for (int i = 0; i < 32; i += 8) sum += (a >> i & 0xff) * (b >> i & 0xff);
    return sum;
}
inline float __uint_as_float(unsigned bits) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}
inline int __float_as_int(float value) {
    int bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}
inline unsigned __vmaxs2(unsigned a, unsigned b) {
    return cpu::per_half([&](int h) { return max(cpu::half(a, h), cpu::half(b, h)); });
}
inline unsigned __vimax3_s16x2(unsigned a, unsigned b, unsigned c) { return __vmaxs2(__vmaxs2(a, b), c); }
inline unsigned __viaddmax_s16x2(unsigned a, unsigned b, unsigned c) {
    return cpu::per_half([&](int h) { return max((int)(int16_t)(cpu::half(a, h) + cpu::half(b, h)), cpu::half(c, h)); });
}
inline int __vimax3_s32(int a, int b, int c) { return max(max(a, b), c); }
inline int __viaddmax_s32(int a, int b, int c) { return max((int)((unsigned)a + (unsigned)b), c); }
inline unsigned __vadd2(unsigned a, unsigned b) {
    return cpu::per_half([&](int h) { return cpu::half(a, h) + cpu::half(b, h); });
}
inline unsigned __vimax3_s16x2_relu(unsigned a, unsigned b, unsigned c) { return __vmaxs2(__vimax3_s16x2(a, b, c), 0); }
inline unsigned __viaddmax_s16x2_relu(unsigned a, unsigned b, unsigned c) { return __vmaxs2(__viaddmax_s16x2(a, b, c), 0); }
inline int __vimax3_s32_relu(int a, int b, int c) { return max(__vimax3_s32(a, b, c), 0); }
inline int __viaddmax_s32_relu(int a, int b, int c) { return max(__viaddmax_s32(a, b, c), 0); }
template <class T>
T __ldg(const T* place) { return *place; }
