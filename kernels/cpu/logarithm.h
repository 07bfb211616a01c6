/* The logarithm to base 2, the same with every compiler and instruction set. */
#ifndef SW_LOGARITHM_H
#define SW_LOGARITHM_H

#include <stdint.h>

/* The logarithm to base 2, to the last bits: the exponent, and the series of artanh for what is left. */
static inline double log_2(double x)
{
    union {
        double value;
        uint64_t bits;
    } is = {x};
    if (!(x > 1e-300))
        return -1e3;
    int64_t exponent = (int64_t)(is.bits >> 52) - 1023;
    is.bits = (is.bits & 0xfffffffffffffull) | 0x3ff0000000000000ull;
    if (is.value > 1.4142135623730951) {
        is.value *= 0.5;
        exponent++;
    }
    const double s = (is.value - 1) / (is.value + 1), square = s * s;
    double sum = 0;
    for (int k = 25; k >= 1; k -= 2)
        sum = sum * square + 1.0 / k;
    return (double)exponent + 2 * s * sum * 1.4426950408889634;
}

#endif
