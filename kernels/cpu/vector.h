/* Vectors of 16 and 32 bit integers, as wide as the instruction set has them: `vec16`, `vec32` and the few operations
   that the recurrence is made of. Plus and minus are the compiler's own, and wrap. */
#ifndef SW_VECTOR_H
#define SW_VECTOR_H

#include "level.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

typedef int16_t vec16 __attribute__((vector_size(SW_BYTES)));
typedef int32_t vec32 __attribute__((vector_size(SW_BYTES)));

static inline vec16 set16(int16_t value)
{
    return value - (vec16){0};
}

static inline vec32 set32(int32_t value)
{
    return value - (vec32){0};
}

/* The larger of each pair; any_above: whether any of `a` is above that of `b`; up: each lane from the one below, 0 in
   the first; SW_UP: the same by 2, 4, ... lanes, counted in bytes; three_up16: by three lanes; last16, last32: the last
   three lanes first, 0 behind them. */
#if SW_BYTES == 64

#define SW_UP(a, bytes) _mm512_alignr_epi32((__m512i)(a), _mm512_setzero_si512(), 16 - (bytes) / 4)
#define SW_LAST(a, bytes) _mm512_alignr_epi32(_mm512_setzero_si512(), (__m512i)(a), 16 - (bytes) / 4)

static inline vec16 max16(vec16 a, vec16 b)
{
    return (vec16)_mm512_max_epi16((__m512i)a, (__m512i)b);
}

static inline vec32 max32(vec32 a, vec32 b)
{
    return (vec32)_mm512_max_epi32((__m512i)a, (__m512i)b);
}

static inline int any_above16(vec16 a, vec16 b)
{
    return _mm512_cmpgt_epi16_mask((__m512i)a, (__m512i)b) != 0;
}

static inline int any_above32(vec32 a, vec32 b)
{
    return _mm512_cmpgt_epi32_mask((__m512i)a, (__m512i)b) != 0;
}

static inline vec16 up16(vec16 a)
{
    return (vec16)_mm512_or_si512(_mm512_slli_epi32((__m512i)a, 16), _mm512_srli_epi32(SW_UP(a, 4), 16));
}

static inline vec16 three_up16(vec16 a)
{
    return (vec16)SW_UP(up16(a), 4);
}

static inline vec16 last16(vec16 a)
{
    return (vec16)_mm512_srli_epi64(SW_LAST(a, 8), 16); /* of the last four, which are one of 64 bits */
}

#elif SW_BYTES == 32

#define SW_LOW(a) _mm256_permute2x128_si256((__m256i)(a), (__m256i)(a), 0x08)
#define SW_UP(a, bytes) \
    ((bytes) >= 16 ? _mm256_slli_si256(SW_LOW(a), (bytes) % 16) \
                   : _mm256_alignr_epi8((__m256i)(a), SW_LOW(a), 16 - (bytes) % 16))
#define SW_LAST(a, bytes) _mm256_srli_si256(_mm256_permute2x128_si256((__m256i)(a), (__m256i)(a), 0x81), 16 - (bytes))

static inline vec16 max16(vec16 a, vec16 b)
{
    return (vec16)_mm256_max_epi16((__m256i)a, (__m256i)b);
}

static inline vec32 max32(vec32 a, vec32 b)
{
    return (vec32)_mm256_max_epi32((__m256i)a, (__m256i)b);
}

static inline int any_above16(vec16 a, vec16 b)
{
    return _mm256_movemask_epi8(_mm256_cmpgt_epi16((__m256i)a, (__m256i)b)) != 0;
}

static inline int any_above32(vec32 a, vec32 b)
{
    return _mm256_movemask_epi8(_mm256_cmpgt_epi32((__m256i)a, (__m256i)b)) != 0;
}

static inline vec16 up16(vec16 a)
{
    return (vec16)SW_UP(a, 2);
}

#elif defined(__x86_64__)

#define SW_UP(a, bytes) _mm_slli_si128((__m128i)(a), bytes)
#define SW_LAST(a, bytes) _mm_srli_si128((__m128i)(a), 16 - (bytes))

static inline vec16 max16(vec16 a, vec16 b)
{
    return (vec16)_mm_max_epi16((__m128i)a, (__m128i)b);
}

static inline vec32 max32(vec32 a, vec32 b)
{
    vec32 above = a > b;
    return (a & above) | (b & ~above);
}

static inline int any_above16(vec16 a, vec16 b)
{
    return _mm_movemask_epi8(_mm_cmpgt_epi16((__m128i)a, (__m128i)b)) != 0;
}

static inline int any_above32(vec32 a, vec32 b)
{
    return _mm_movemask_epi8(_mm_cmpgt_epi32((__m128i)a, (__m128i)b)) != 0;
}

static inline vec16 up16(vec16 a)
{
    return (vec16)SW_UP(a, 2);
}

#elif defined(__ARM_NEON)

#define SW_UP(a, bytes) vextq_u8(vdupq_n_u8(0), (uint8x16_t)(a), 16 - (bytes))
#define SW_LAST(a, bytes) vextq_u8((uint8x16_t)(a), vdupq_n_u8(0), 16 - (bytes))

static inline vec16 max16(vec16 a, vec16 b)
{
    return (vec16)vmaxq_s16((int16x8_t)a, (int16x8_t)b);
}

static inline vec32 max32(vec32 a, vec32 b)
{
    return (vec32)vmaxq_s32((int32x4_t)a, (int32x4_t)b);
}

static inline int any_above16(vec16 a, vec16 b)
{
    return vmaxvq_u16(vcgtq_s16((int16x8_t)a, (int16x8_t)b)) != 0;
}

static inline int any_above32(vec32 a, vec32 b)
{
    return vmaxvq_u32(vcgtq_s32((int32x4_t)a, (int32x4_t)b)) != 0;
}

static inline vec16 up16(vec16 a)
{
    return (vec16)SW_UP(a, 2);
}

#else
#error "no vectors for this CPU yet: one more block of these few operations"
#endif

static inline vec32 up32(vec32 a)
{
    return (vec32)SW_UP(a, 4);
}

#if SW_BYTES < 64
static inline vec16 three_up16(vec16 a)
{
    return (vec16)SW_UP(a, 6);
}

static inline vec16 last16(vec16 a)
{
    return (vec16)SW_LAST(a, 6);
}
#endif

static inline vec32 last32(vec32 a)
{
    return (vec32)SW_LAST(a, 12);
}

/* The largest that reaches a lane from itself or any lane below, each lane on the way taking `cost` off; nothing below
 * 0. carried_by_three: from every third lane below, each of these taking `cost` off. */
#define SW_AT_MOST(value, limit) ((value) < (limit) ? (value) : (limit))
/* A step of these: `below` lanes down, `times` as often the cost. */
#define SW_CARRY16(below, times) \
    a = max16(a, (vec16)SW_UP(a, 2 * (below)) - set16((int16_t)SW_AT_MOST(cost * (times), 32767)))
#define SW_CARRY32(below, times) \
    a = max32(a, (vec32)SW_UP(a, 4 * (below)) - set32((int32_t)SW_AT_MOST(cost * (times), INT32_MAX)))

static inline vec16 carried16(vec16 a, int64_t cost)
{
    const vec16 zero = {0};
    a = max16(a, zero);
    a = max16(a, up16(a) - set16((int16_t)SW_AT_MOST(cost, 32767)));
    SW_CARRY16(2, 2);
    SW_CARRY16(4, 4);
#if SW_BYTES >= 32
    SW_CARRY16(8, 8);
#endif
#if SW_BYTES >= 64
    SW_CARRY16(16, 16);
#endif
    return a;
}

static inline vec32 carried32(vec32 a, int64_t cost)
{
    const vec32 zero = {0};
    a = max32(a, zero);
    SW_CARRY32(1, 1);
    SW_CARRY32(2, 2);
#if SW_BYTES >= 32
    SW_CARRY32(4, 4);
#endif
#if SW_BYTES >= 64
    SW_CARRY32(8, 8);
#endif
    return a;
}

static inline vec16 carried_by_three16(vec16 a, int64_t cost)
{
    const vec16 zero = {0};
    a = max16(a, zero);
    a = max16(a, three_up16(a) - set16((int16_t)SW_AT_MOST(cost, 32767)));
    SW_CARRY16(6, 2);
#if SW_BYTES >= 32
    SW_CARRY16(12, 4);
#endif
#if SW_BYTES >= 64
    SW_CARRY16(24, 8);
#endif
    return a;
}

static inline vec32 carried_by_three32(vec32 a, int64_t cost)
{
    const vec32 zero = {0};
    a = max32(a, zero);
    SW_CARRY32(3, 1);
#if SW_BYTES >= 32
    SW_CARRY32(6, 2);
#endif
#if SW_BYTES >= 64
    SW_CARRY32(12, 4);
#endif
    return a;
}
#undef SW_AT_MOST
#undef SW_CARRY16
#undef SW_CARRY32

#endif
