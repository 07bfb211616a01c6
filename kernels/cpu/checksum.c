/* CRC-32 as zlib has it, of much data: all but sixteen bytes are folded away by products without carries.

   What stands in a register of 128 bits is a polynomial over two elements, its lowest bit the highest power. Bits that
   stand n places before others are of the same value, modulo the polynomial of CRC-32, as their product with x^n modulo
   that; the two halves of a register are multiplied with x^(n + 32) and x^(n - 32). The caller continues with the
   sixteen bytes that are left as if they were the data. */
#include "level.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

#define FOLDS __attribute__((target("pclmul,sse4.1")))

FOLDS static inline __m128i folded(__m128i value, __m128i next, __m128i powers)
{
    const __m128i low = _mm_clmulepi64_si128(value, powers, 0x00), high = _mm_clmulepi64_si128(value, powers, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

FOLDS static void fold(const uint8_t *data, int64_t size, uint32_t state, uint8_t *rest)
{
    const __m128i by_512 = _mm_set_epi64x(0x1c6e41596, 0x154442bd4), by_128 = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
    const __m128i *at = (const __m128i *)data, *const end = at + size / 16;
    __m128i four[4];
    for (int k = 0; k < 4; k++)
        four[k] = _mm_loadu_si128(at + k);
    four[0] = _mm_xor_si128(four[0], _mm_cvtsi32_si128((int)state));
    for (at += 4; at < end; at += 4)
        for (int k = 0; k < 4; k++)
            four[k] = folded(four[k], _mm_loadu_si128(at + k), by_512);
    for (int k = 1; k < 4; k++)
        four[k] = folded(four[k - 1], four[k], by_128);
    _mm_storeu_si128((__m128i *)rest, four[3]);
}

static int folds(void)
{
    uint32_t a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && c & 1u << 1 && c & 1u << 19; /* pclmulqdq, sse4.1 */
}
#endif

/* Fold `size` bytes, 64 or a multiple of that, to the 16 at `rest`; returns whether this CPU can.

   state  the checksum of what stands before, before its bits are inverted at the end */
SW_EXPORT int SW(fold_checksum)(const uint8_t *data, int64_t size, int64_t state, uint8_t *rest)
{
#if defined(__x86_64__)
    if (folds()) {
        fold(data, size, (uint32_t)state, rest);
        return 1;
    }
#endif
    (void)data, (void)size, (void)state, (void)rest;
    return 0;
}
