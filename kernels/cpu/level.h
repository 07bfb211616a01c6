/* Common beginning of all sources of the CPU library: one source is compiled once for each instruction set.

   SW_LEVEL is the name of the set (`baseline`, `avx2`, `avx512`), given by packaging/native.py. A function for Python
   is written `SW_EXPORT int SW(name)(...)` and becomes `name_avx2`; Python binds the best that this CPU runs.
   Everything else is `static`. No runtime but malloc, free and the mem functions. */
#ifndef SW_LEVEL_H
#define SW_LEVEL_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifndef SW_LEVEL
#error "SW_LEVEL: the name of the instruction set"
#endif

#define SW_JOIN_(name, level) name##_##level
#define SW_JOIN(name, level) SW_JOIN_(name, level)
#define SW(name) SW_JOIN(name, SW_LEVEL)

#if defined(_WIN32)
#define SW_EXPORT __declspec(dllexport)
#else
#define SW_EXPORT __attribute__((visibility("default")))
#endif

/* Bytes of a vector register. */
#if defined(__AVX512BW__)
#define SW_BYTES 64
#elif defined(__AVX2__)
#define SW_BYTES 32
#else
#define SW_BYTES 16
#endif

/* A residue of a subject. Sources that know residues are compiled once more, under the name `avx2_wide` and so on, for
   alphabets of more than 256 symbols: those of two tracks, residues with letters of a second track. */
#ifdef SW_WIDE
typedef uint16_t sw_code;
enum { SW_SYMBOLS = 8192 };
#else
typedef uint8_t sw_code;
enum { SW_SYMBOLS = 256 };
#endif

/* Memory at an address that any vector can be loaded from; free it with `sw_free`. NULL if there is none. */
static inline void *sw_allocate(size_t bytes)
{
    char *raw = malloc(bytes + 2 * 64);
    if (!raw)
        return NULL;
    char *aligned = (char *)(((uintptr_t)raw + 2 * 64 - 1) & ~(uintptr_t)63);
    ((void **)aligned)[-1] = raw;
    return aligned;
}

/* Have room for so many values; returns whether there is. */
static inline int sw_have_room(void **values, int64_t *room, int64_t wanted, size_t each)
{
    if (wanted <= *room)
        return 1;
    const int64_t more = wanted > 2 * *room ? wanted : 2 * *room;
    void *grown = realloc(*values, (size_t)more * each);
    if (!grown)
        return 0;
    *values = grown;
    *room = more;
    return 1;
}

static inline void sw_free(void *memory)
{
    if (memory)
        free(((void **)memory)[-1]);
}

#endif
