/* ir/base/digest.h -- a number that stands for bytes: other bytes have another one, also where somebody looks for bytes that have not.
**
** BLAKE2b with 32 bytes, as RFC 7693 defines it, without a key: written here from that text, since it is short, as fast as memory is read
** from a disk, and what Debian packages of it would be one more library to open.  It names what the object cache keeps, and tells whether a
** file there is what was written. */
#ifndef WB_DIGEST_H
#define WB_DIGEST_H

#include "ir/base/def.h"

enum { WB_DIGEST_BYTES = 32, WB_DIGEST_BLOCK = 128 };

typedef struct wb_digest { uint8_t at[WB_DIGEST_BYTES]; } wb_digest;

typedef struct wb_digester {
  uint64_t h[8];
  uint64_t n;                       /* bytes that came before those in the block */
  size_t held;                      /* bytes in the block, which is worked off when more come */
  uint8_t block[WB_DIGEST_BLOCK];
} wb_digester;

void wb_digest_begin(wb_digester *d);
void wb_digest_add(wb_digester *d, const void *bytes, size_t n);
wb_digest wb_digest_end(wb_digester *d); /* the digester is to be begun anew after that */

bool wb_digest_eq(const wb_digest *a, const wb_digest *b);

#endif
