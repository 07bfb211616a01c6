/* Shuffled copies of stretches of subjects, the same on every computer and in any order.

   There is no state that a copy would leave behind: the number of a copy, its kind, the stretch and a seed give its
   random numbers. With `mixed` the last step of SplitMix64 (Steele, Lea and Flood 2014) and all sums modulo 2^64:

     sum   = seed * GOLDEN + mixed(32 * 0 + code 0) + mixed(32 * 1 + code 1) + ...
     key   = mixed(mixed(sum + kind) + number)
     words = mixed(key + GOLDEN), mixed(key + 2 * GOLDEN), ...      each two draws of 32 bits, the low one first

   To shuffle n things, thing k is exchanged with thing `draw k * (k + 1) >> 32`, for k = 1 ... n - 1 (Fisher and
   Yates). */
#ifndef SW_COPIES_H
#define SW_COPIES_H

#include "query.h"

enum { WINDOWS = 1, PERIODS = 2 };
enum { ROOM = 1 << 22 };           /* residues of copies that are made for `scores` at a time, unless one is longer */
#define GOLDEN 0x9e3779b97f4a7c15u

/* Copies `number`, `number` + 1, ... of a stretch of a subject, and the rows of the query that they are
   scored against. */
typedef struct {
    int64_t row, rows, start, length, kind, width, number, count, out;
} shuffle_job;

static uint64_t mixed(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint64_t key_of(const uint8_t *codes, const shuffle_job *job, uint64_t seed)
{
    uint64_t sum = seed * GOLDEN;
    for (int64_t k = 0; k < job->length; k++)
        sum += mixed((uint64_t)(32 * k + codes[k]));
    return mixed(sum + (uint64_t)job->kind);
}

static void shuffle(uint8_t *codes, int64_t length, const uint32_t *draws)
{
    for (int64_t k = 1; k < length; k++) {
        const int64_t other = (int64_t)(((uint64_t)draws[k] * (uint64_t)(k + 1)) >> 32);
        const uint8_t code = codes[k];
        codes[k] = codes[other];
        codes[other] = code;
    }
}

static void repeat_order(uint8_t *copy, const uint8_t *codes, int64_t length, int64_t period, const uint32_t *draws)
{
    uint8_t order[256];
    for (int64_t k = 0; k < period; k++)
        order[k] = (uint8_t)k;
    shuffle(order, period, draws);
    for (int64_t start = 0; start < length; start += period)
        for (int64_t k = 0; k < period; k++)
            if (start + order[k] < length)
                *copy++ = codes[start + order[k]];
}

/* Draw the numbers of a copy, of which one from behind takes none. */
static void draw(const shuffle_job *job, uint64_t key, int64_t number, uint32_t *draws)
{
    const int64_t drawn = number < 0 ? 0 : job->kind == PERIODS ? job->width : job->length;
    key = mixed(key + (uint64_t)number);
    for (int64_t k = 0; 2 * k < drawn; k++) {
        const uint64_t both = mixed(key + (uint64_t)(k + 1) * GOLDEN);
        draws[2 * k] = (uint32_t)both;
        draws[2 * k + 1] = (uint32_t)(both >> 32);
    }
}

static void make_drawn(uint8_t *copy, const uint8_t *codes, const shuffle_job *job, int64_t number,
                       const uint32_t *draws)
{
    const int64_t length = job->length;
    if (number < 0) {
        for (int64_t k = 0; k < length; k++)
            copy[k] = codes[length - 1 - k];
        return;
    }
    if (job->kind == PERIODS) {
        repeat_order(copy, codes, length, job->width, draws);
        return;
    }
    memcpy(copy, codes, (size_t)length);
    for (int64_t start = 0; start < length; start += job->width)
        shuffle(copy + start, start + job->width < length ? job->width : length - start, draws + start);
}

/* Up to as many copies of a job as lanes share a table: those from `first` on. */
typedef struct {
    const shuffle_job *job;
    uint64_t key;
    int64_t first, some;
} shuffle_unit;

static int any_without_score(const int32_t *scores, int64_t count)
{
    int without = 0;
    for (int64_t k = 0; k < count; k++)
        without |= scores[k] < 0;
    return without;
}

#endif
