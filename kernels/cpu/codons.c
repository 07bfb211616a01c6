/* Codons of many parts of DNA translated in one call. */
#include "level.h"

/* Translate `count` parts, one behind the other into `out`.

   firsts   [count] lowest base of the first codon, f; where the opposite strand is read -1 - f
   steps    [count] bases from a codon to the next: 3, or 1 where the reading may shift
   lengths  [count] codons
   table    [2][4096] the letter of the codon a b c at 256 a + 16 b + c, of the strand as it is given and of the opposite one */
SW_EXPORT int SW(translate_codons)(const uint8_t *bases, const int64_t *firsts, const int64_t *steps, const int64_t *lengths,
                                   int64_t count, const uint8_t *table, uint8_t *out)
{
    for (int64_t part = 0; part < count; part++) {
        const int backwards = firsts[part] < 0;
        const uint8_t *at = bases + (backwards ? ~firsts[part] : firsts[part]), *letters = table + (backwards ? 4096 : 0);
        const int64_t step = backwards ? -steps[part] : steps[part];
        for (int64_t k = 0; k < lengths[part]; k++, at += step)
            *out++ = letters[(256 * at[0] + 16 * at[1] + at[2]) & 4095];
    }
    return 0;
}
