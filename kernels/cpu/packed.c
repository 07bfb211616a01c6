/* Residues of packed databases (`.swdb` version 3): bytes to 2 or 5 bits and back.

   Sixty-four residues are a group. Of 5 bits each, the lower four stand in one plane (32 bytes a group: residue j and
   residue j + 32 share byte j), the highest in another behind it (8 bytes a group: bit k of byte j is that of residue
   8 k + j). Of 2 bits, residues j, j + 16, j + 32 and j + 48 share byte j of 16. What the last group has too many is 0. */
#include "level.h"

enum { GROUP = 64, STAGE = 64 * GROUP };
#define EACH 0x0101010101010101u  /* the lowest bit of eight bytes */

static uint64_t eight(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, 8);
    return value;
}

static void put(uint8_t *at, uint64_t value)
{
    memcpy(at, &value, 8);
}

static void pack_five(const uint8_t *in, int64_t groups, uint8_t *low, uint8_t *high)
{
    for (int64_t g = 0; g < groups; g++, in += GROUP, low += 32, high += 8) {
        uint64_t top = 0;
        for (int k = 0; k < 4; k++) {
            const uint64_t a = eight(in + 8 * k), b = eight(in + 32 + 8 * k);
            put(low + 8 * k, (a & 15 * EACH) | (b & 15 * EACH) << 4);
            top |= (a >> 4 & EACH) << k | (b >> 4 & EACH) << (k + 4);
        }
        put(high, top);
    }
}

static void unpack_five(const uint8_t *low, const uint8_t *high, int64_t groups, uint8_t *out)
{
    for (int64_t g = 0; g < groups; g++, low += 32, high += 8, out += GROUP) {
        const uint64_t top = eight(high);
        for (int k = 0; k < 4; k++) {
            const uint64_t both = eight(low + 8 * k);
            put(out + 8 * k, (both & 15 * EACH) | (top >> k & EACH) << 4);
            put(out + 32 + 8 * k, (both >> 4 & 15 * EACH) | (top >> (k + 4) & EACH) << 4);
        }
    }
}

static void pack_two(const uint8_t *in, int64_t groups, uint8_t *out)
{
    for (int64_t g = 0; g < groups; g++, in += GROUP, out += 16)
        for (int j = 0; j < 16; j++)
            out[j] = (uint8_t)((in[j] & 3) | (in[j + 16] & 3) << 2 | (in[j + 32] & 3) << 4 | (in[j + 48] & 3) << 6);
}

static void unpack_two(const uint8_t *in, int64_t groups, uint8_t *out)
{
    for (int64_t g = 0; g < groups; g++, in += 16, out += GROUP)
        for (int j = 0; j < 16; j++) {
            out[j] = in[j] & 3;
            out[j + 16] = in[j] >> 2 & 3;
            out[j + 32] = in[j] >> 4 & 3;
            out[j + 48] = in[j] >> 6;
        }
}

static void pack_groups(int64_t bits, const uint8_t *in, int64_t first, int64_t groups, int64_t all, uint8_t *out)
{
    if (bits == 5)
        pack_five(in, groups, out + 32 * first, out + 32 * all + 8 * first);
    else
        pack_two(in, groups, out + 16 * first);
}

static void unpack_groups(int64_t bits, const uint8_t *in, int64_t first, int64_t groups, int64_t all, uint8_t *out)
{
    if (bits == 5)
        unpack_five(in + 32 * first, in + 32 * all + 8 * first, groups, out);
    else
        unpack_two(in + 16 * first, groups, out);
}

/* Pack sequences of `codes`, one behind the other.

   offsets  [count + 1] where each sequence begins
   order    [count] which comes first, second, ...
   all      groups of all residues; `out` has room for them */
SW_EXPORT int SW(pack_residues)(const uint8_t *codes, const int64_t *offsets, const int64_t *order, int64_t count,
                                int64_t bits, int64_t all, uint8_t *out)
{
    uint8_t stage[STAGE];
    int64_t held = 0, done = 0;  /* residues that wait, groups that are packed */
    for (int64_t k = 0; k < count; k++) {
        const uint8_t *from = codes + offsets[order[k]];
        int64_t left = offsets[order[k] + 1] - offsets[order[k]];
        while (left) {
            const int64_t part = left < STAGE - held ? left : STAGE - held;
            memcpy(stage + held, from, (size_t)part);
            held += part, from += part, left -= part;
            if (held == STAGE) {
                pack_groups(bits, stage, done, STAGE / GROUP, all, out);
                done += STAGE / GROUP, held = 0;
            }
        }
    }
    memset(stage + held, 0, (size_t)(STAGE - held));
    pack_groups(bits, stage, done, (held + GROUP - 1) / GROUP, all, out);
    return 0;
}

/* Unpack residues edges[k] to edges[k + 1] to `out` + places[k], for each of `count` stretches. */
SW_EXPORT int SW(unpack_residues)(const uint8_t *packed, const int64_t *edges, const int64_t *places, int64_t count,
                                  int64_t bits, int64_t all, uint8_t *out)
{
    uint8_t stage[GROUP];
    for (int64_t k = 0; k < count; k++) {
        uint8_t *to = out + places[k];
        int64_t at = edges[k];
        while (at < edges[k + 1]) {
            const int64_t inside = at % GROUP, left = edges[k + 1] - at;
            if (inside || left < GROUP) {
                const int64_t part = left < GROUP - inside ? left : GROUP - inside;
                unpack_groups(bits, packed, at / GROUP, 1, all, stage);
                memcpy(to, stage + inside, (size_t)part);
                to += part, at += part;
            } else {
                unpack_groups(bits, packed, at / GROUP, left / GROUP, all, to);
                to += left / GROUP * GROUP, at += left / GROUP * GROUP;
            }
        }
    }
    return 0;
}
