/* Functions of other files that whole alignments and profiles call: included where they are defined, too, so that the
   compiler compares them. */
#ifndef SW_CALLS_H
#define SW_CALLS_H

#include "query.h"

#define POSITIONS const int16_t *, int64_t, int64_t, const int16_t *, const int16_t *, const int16_t *, const int16_t *
#define PLAIN const int16_t *, int64_t, int64_t, int32_t, int32_t
#define SUBJECTS const uint8_t *, const int64_t *, const int64_t *
#define SYMBOLS const sw_code *, const int64_t *, const int64_t *
#define STOP const volatile int32_t *
SW_EXPORT int SW(position_scores)(POSITIONS, SUBJECTS, const int64_t *, int64_t, int32_t *, STOP);
SW_EXPORT int SW(position_regions)(POSITIONS, SUBJECTS, const int64_t *, int64_t, int32_t *, STOP);
SW_EXPORT int SW(scores)(PLAIN, SYMBOLS, const int64_t *, int64_t, int32_t *, STOP);
SW_EXPORT int SW(regions)(PLAIN, SYMBOLS, const int64_t *, int64_t, int32_t *, STOP);

#endif
