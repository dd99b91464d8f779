/* tests/support/sqlgen.h -- random queries: streams and tables, times in every relation to each other, joins, bounds, lists, sets and bags. */
#ifndef SQLGEN_H
#define SQLGEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sqlgen_query {
  char text[8192];    /* terminated */
  bool has_self_join; /* a stream under two aliases */
  bool is_union;      /* several SELECTs */
  bool has_finite;    /* a stream with UNTIL */
  bool splits_times;  /* `<>` between the times of two aliases */
} sqlgen_query;

/* The query number `seed`.  `order` permutes each FROM (0: as made), and nothing else. */
void sqlgen_make(uint64_t seed, uint64_t order, sqlgen_query *out);
/* The same from bytes in place of chance: each choice takes one, and the first where there is none left. */
void sqlgen_make_from(const uint8_t *bytes, size_t n, uint64_t order, sqlgen_query *out);

#endif
