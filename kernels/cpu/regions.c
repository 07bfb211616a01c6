/* Where the best local alignment of a query with each of many subjects begins and ends, and what it scores. */
#include "query.h"
#include "vector.h"

enum { REGIONS_WIDE = 1 };

#define WIDTH 16
#include "striped.h"
#include "regions.h"
#undef WIDTH
#define WIDTH 32
#include "striped.h"
#include "regions.h"

/* Find the regions of `count` subjects; subject k has the `lengths[k]` residues from `codes[starts[k]]`.

   profile: [rows][symbols]. found: [count][5], score and half-open ranges in query and subject; zeros where nothing scores.
   Of all best alignments the one that ends first in the subject, then in the query; of these the one that starts last in the
   subject, then in the query. Returns QUERY_FINE or what is wrong. No score may reach 2^31 - 2^25. */
SW_EXPORT int SW(regions)(const int16_t *profile, int64_t rows, int64_t symbols, int32_t first, int32_t extend,
                          const uint8_t *codes, const int64_t *starts, const int64_t *lengths, int64_t count, int32_t *found)
{
    const query_profile query = make_query(profile, rows, symbols, first, extend);
    uint8_t wanted[256];
    memset(wanted, 1, sizeof wanted);
    laid_query16 narrow = {0};
    laid_query32 wide = {0};
    int status = query.narrow ? prepare16(&narrow, &query, wanted) : QUERY_FINE;
    for (int64_t k = 0; k < count && status >= 0; k++) {
        const uint8_t *subject = codes + starts[k];
        if (!codes_fit(&query, subject, lengths[k])) {
            status = QUERY_BAD_CODE;
            break;
        }
        status = query.narrow ? find_region16(&narrow, &query, subject, lengths[k], found + 5 * k) : REGIONS_WIDE;
        if (status != REGIONS_WIDE)
            continue;
        if (!wide.memory)
            status = prepare32(&wide, &query, wanted);
        if (status >= 0)
            status = find_region32(&wide, &query, subject, lengths[k], found + 5 * k);
    }
    sw_free(narrow.memory);
    sw_free(wide.memory);
    return status < 0 ? status : 0;
}
