/* Lines of tables: numbers to text, and the cells of each row one behind the other.

   Cells are written as Python writes them (swgui/io/cells.py): whole numbers, numbers with a fixed number of decimals,
   rounded by their exact value and half to even, E from its first figures and its exponent, texts, CIGAR strings. A
   column with anything else is refused, so that Python writes it and gives it as texts. */
#include "level.h"

enum { INTEGER, REAL, EVALUE, TEXT, CIGAR };                            /* kinds of columns */
enum { NO_FORMULAS = 1, NO_BLANKS = 2, PLAIN_LETTERS = 4 };             /* what is refused in texts, as bits */
enum { NOT_KNOWN = -1, BELOW_ALL = -2, ABOVE_ALL = -3 };                /* in place of the first figures of E */
enum { LONGEST_NUMBER = 32, LONGEST_RUN = 22, MAX_DECIMALS = 6 };      /* bytes; decimals */
enum { FIRST_WRITTEN_OUT = -4, LAST_WRITTEN_OUT = 5, EVALUE_FIGURES = 3 }; /* exponents of E; as in core/words.py */

/* One column. `values` has int64_t or double by row, the figures of E, the bytes of texts, or the kinds of runs;
   `others` the exponents of E, where texts begin (and the last ends), or the lengths of runs; `places` which of the
   texts each row has (NULL: that of its number), or where runs begin; `backwards` which rows have their runs in the
   other direction (NULL: none). `how` is the number of decimals, or bits that say what is refused. `nothing` is written
   where a cell is empty. */
typedef struct {
    int64_t kind, how;
    const void *values;
    const int64_t *others, *places;
    const uint8_t *backwards;
    const char *nothing;
    int64_t nothing_size;
} line_column;

static const char OPERATIONS[] = "MIDFR";
static const uint64_t TENS[] = {1, 10, 100, 1000, 10000, 100000, 1000000};

static char *write_whole(char *to, uint64_t value)
{
    char digits[20];
    int size = 0;
    do
        digits[size++] = (char)('0' + value % 10);
    while (value /= 10);
    while (size)
        *to++ = digits[--size];
    return to;
}

static char *write_integer(char *to, int64_t value)
{
    if (value < 0)
        *to++ = '-';
    return write_whole(to, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

/* Write figures with so many of them behind the point. */
static char *write_decimals(char *to, uint64_t figures, int64_t decimals)
{
    to = write_whole(to, figures / TENS[decimals]);
    if (!decimals)
        return to;
    *to++ = '.';
    uint64_t rest = figures % TENS[decimals];
    for (int64_t k = decimals - 1; k >= 0; k--, rest /= 10)
        to[k] = (char)('0' + rest % 10);
    return to + decimals;
}

/* Write a number rounded to some decimals; NULL if it is too large for that. */
static char *write_real(char *to, double value, int64_t decimals)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const int64_t power = (int64_t)(bits >> 52 & 0x7ff);
    uint64_t fraction = bits & (((uint64_t)1 << 52) - 1);
    if (power == 0x7ff)
        return fraction ? to : NULL; /* nothing where it is not known */
    if (bits >> 63)
        *to++ = '-';
    const int64_t shift = 1075 - (power ? power : 1); /* the value is fraction / 2^shift */
    fraction |= power ? (uint64_t)1 << 52 : 0;
    if (shift < 0)
        return NULL;
    const unsigned __int128 scaled = (unsigned __int128)fraction * TENS[decimals];
    if (shift >= 80) /* below half of the last decimal: scaled is below 2^73 */
        return write_decimals(to, 0, decimals);
    const unsigned __int128 whole = scaled >> shift, rest = scaled - (whole << shift);
    const unsigned __int128 half = shift ? (unsigned __int128)1 << (shift - 1) : 0;
    if (whole >> 62)
        return NULL;
    const uint64_t figures = (uint64_t)whole;
    return write_decimals(to, figures + (shift && (rest > half || (rest == half && (figures & 1)))), decimals);
}

/* Write E of its first figures and its exponent; one figure more where rounding went over. */
static char *write_evalue(char *to, int64_t figures, int64_t exponent)
{
    const int64_t behind = EVALUE_FIGURES - 1;
    if (figures == NOT_KNOWN)
        return to;
    if (figures == BELOW_ALL || figures == ABOVE_ALL) {
        const char *word = figures == BELOW_ALL ? "0" : "inf";
        memcpy(to, word, strlen(word));
        return to + strlen(word);
    }
    if (figures >= (int64_t)TENS[EVALUE_FIGURES])
        figures = (int64_t)TENS[behind], exponent++;
    if (exponent < FIRST_WRITTEN_OUT || exponent > LAST_WRITTEN_OUT) {
        to = write_decimals(to, (uint64_t)figures, behind);
        *to++ = 'e';
        *to++ = exponent < 0 ? '-' : '+';
        const uint64_t size = (uint64_t)(exponent < 0 ? -exponent : exponent);
        if (size < 10)
            *to++ = '0';
        return write_whole(to, size);
    }
    return exponent > behind ? write_whole(to, (uint64_t)figures * TENS[exponent - behind])
                             : write_decimals(to, (uint64_t)figures, behind - exponent);
}

/* Whether a text is written as it is. */
static int is_fit(const uint8_t *text, int64_t size, int64_t how)
{
    if (!size)
        return 1;
    if (how & PLAIN_LETTERS) {
        uint8_t bad = 0;
        for (int64_t k = 0; k < size; k++)
            bad |= (uint8_t)(text[k] < 0x20) | (uint8_t)(text[k] > 0x7e);
        if (bad || text[0] == ' ' || text[size - 1] == ' ')
            return 0;
    }
    if (how & NO_FORMULAS && (text[0] == '=' || text[0] == '+' || text[0] == '-' || text[0] == '@'))
        return 0;
    return !(how & NO_BLANKS) || !memchr(text, ' ', (size_t)size);
}

/* Write a text, between quotation marks where commas separate the cells and it has a comma or such a mark. */
static char *write_text(char *to, const uint8_t *text, int64_t size, int quoted)
{
    if (!quoted || (!memchr(text, ',', (size_t)size) && !memchr(text, '"', (size_t)size))) {
        memcpy(to, text, (size_t)size);
        return to + size;
    }
    *to++ = '"';
    for (int64_t k = 0; k < size; k++) {
        if (text[k] == '"')
            *to++ = '"';
        *to++ = (char)text[k];
    }
    *to++ = '"';
    return to;
}

static char *write_cigar(char *to, const line_column *column, int64_t row)
{
    const uint8_t *operations = column->values;
    const int64_t first = column->places[row], last = column->places[row + 1] - 1;
    const int turned = column->backwards && column->backwards[row];
    for (int64_t k = 0; k <= last - first; k++) {
        const int64_t run = turned ? last - k : first + k;
        to = write_whole(to, (uint64_t)column->others[run]);
        *to++ = OPERATIONS[operations[run]];
    }
    return to;
}

/* Write a cell; NULL if it is refused. */
static char *write_cell(char *to, const line_column *column, int64_t row, int quoted)
{
    const int64_t place = column->places ? column->places[row] : row;
    switch (column->kind) {
    case INTEGER:
        return write_integer(to, ((const int64_t *)column->values)[row]);
    case REAL:
        return write_real(to, ((const double *)column->values)[row], column->how);
    case EVALUE:
        return write_evalue(to, ((const int64_t *)column->values)[row], column->others[row]);
    case CIGAR:
        return write_cigar(to, column, row);
    }
    const uint8_t *text = (const uint8_t *)column->values + column->others[place];
    const int64_t size = column->others[place + 1] - column->others[place];
    return is_fit(text, size, column->how) ? write_text(to, text, size, quoted) : NULL;
}

/* Find the bytes that some rows need at most. */
SW_EXPORT int SW(room_of_lines)(const line_column *columns, int64_t count, int64_t rows, int64_t *room)
{
    int64_t bytes = 0;
    for (int64_t k = 0; k < count; k++) {
        const line_column *column = columns + k;
        bytes += rows * (LONGEST_NUMBER + column->nothing_size);
        if (column->kind == CIGAR && rows)
            bytes += LONGEST_RUN * (column->places[rows] - column->places[0]);
        for (int64_t row = 0; column->kind == TEXT && row < rows; row++) {
            const int64_t place = column->places ? column->places[row] : row;
            bytes += 2 * (column->others[place + 1] - column->others[place]); /* each letter a quotation mark */
        }
    }
    *room = bytes;
    return 0;
}

/* Write rows of cells, `separator` between them, a line break behind each row; `written` is the bytes of all.

   Returns 0, or the number of a column, from 1, that is refused. */
SW_EXPORT int SW(write_lines)(const line_column *columns, int64_t count, int64_t rows, int64_t separator, char *out,
                              int64_t *written)
{
    const int quoted = separator == ',';
    char *to = out;
    for (int64_t row = 0; row < rows; row++) {
        for (int64_t k = 0; k < count; k++) {
            const line_column *column = columns + k;
            char *const end = write_cell(to, column, row, quoted);
            if (!end)
                return (int)k + 1;
            if (end == to && column->nothing_size) {
                memcpy(to, column->nothing, (size_t)column->nothing_size);
                to += column->nothing_size;
            } else
                to = end;
            *to++ = (char)separator;
        }
        to[-1] = '\n';
    }
    *written = to - out;
    return 0;
}
