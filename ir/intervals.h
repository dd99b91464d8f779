/* ir/intervals.h -- which checks of a body a range test of its inputs makes superfluous. */
#ifndef WIR_INTERVALS_H
#define WIR_INTERVALS_H

#include "ir/order.h"

/* What an Int or a Bool may be. */
typedef struct wir_interval { int64_t low, high; } wir_interval;

/* Which operations may fail while inputs have so many bits (63: whatever they have): 1 for each instruction in `checks`, which has room for
** all; ranges likewise.  Answers how many those are. */
uint32_t wir_checks(const wir_order *g, unsigned bits, uint8_t *checks, wir_interval *ranges);
/* The bits that spare most checks, and as many bits as that allows; 63: they spare nothing.  checks, ranges: for those. */
unsigned wir_checks_bits(const wir_order *g, uint8_t *checks, wir_interval *ranges);
/* Marks what the operations depend on that are checked in `all` and not in `some`. */
void wir_checks_depend(const wir_order *g, const uint8_t *all, const uint8_t *some, uint8_t *marks);
/* Bits so that a range is within [-2^bits, 2^bits); 63: any. */
unsigned wir_interval_bits(wir_interval r);

enum { WIR_LEAST_BITS = 31, WIR_SUM_BITS = 62 }; /* what states of recurrences are tested for: a tile of steps does not leave the range */

#endif
