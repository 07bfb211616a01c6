/* Instruction sets of this CPU and operating system. */
#include "level.h"

#if defined(SW_BASELINE)

#if defined(__x86_64__)
#include <cpuid.h>

static uint64_t saved_registers(void)
{
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}
#endif

/* 0: the baseline; 1: and AVX2 (x86-64-v3); 2: and AVX-512 with bytes and words (x86-64-v4). */
SW_EXPORT int sw_level(void)
{
    int level = 0;
#if defined(__x86_64__)
    uint32_t a, b, c, d;
    const uint32_t v3_1 = 1u << 12 | 1u << 22 | 1u << 27 | 1u << 28 | 1u << 29; /* fma movbe osxsave avx f16c */
    const uint32_t v3_7 = 1u << 3 | 1u << 5 | 1u << 8;                          /* bmi1 avx2 bmi2 */
    const uint32_t v4_7 = 1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31; /* avx512 f dq cd bw vl */
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & v3_1) != v3_1 || (saved_registers() & 6) != 6)
        return 0;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (b & v3_7) != v3_7)
        return 0;
    uint32_t words = b;
    if (!__get_cpuid(0x80000001u, &a, &b, &c, &d) || !(c & 1u << 5)) /* lzcnt */
        return 0;
    level = 1;
    if ((words & v4_7) == v4_7 && (saved_registers() & 0xe6) == 0xe6)
        level = 2;
#endif
    return level;
}

#endif

/* Says that the library holds this instruction set. */
SW_EXPORT int SW(sw_built)(void)
{
    return SW_BYTES;
}
