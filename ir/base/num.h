/* ir/base/num.h -- number text: exact, correctly rounded, shortest, the same in every locale.
** The algorithms and their sources are named in num.c. */
#ifndef WB_NUM_H
#define WB_NUM_H

#include "ir/base/text.h"

enum { WB_NUM_MAX = 32 }; /* bytes that wb_write_int and wb_write_double need at most */

typedef enum wb_num {
  WB_NUM_BAD,  /* not a number at all */
  WB_NUM_INT,  /* [+-]?digits that fits 64 bits */
  WB_NUM_FLOAT /* everything else that is numeric */
} wb_num;

/* [+-]?[0-9]+ that fits int64_t; nothing before or after it. */
bool wb_read_int(wb_str text, int64_t *out);
/* The double nearest to the decimal number, ties to even: [+-]? digits [. digits] [(e|E) [+-] digits], with a digit before or after
** the dot; nothing before or after it.  *out is infinite on overflow.  Any length; long exponents do not wrap. */
bool wb_read_decimal(wb_str text, double *out);
/* A number as traces write it (language.md 13): an Int, else a Float: decimal, also "inf -inf infinity nan" in any case (with
** a sign but for nan), and integers beyond 64 bits. */
wb_num wb_read_number(wb_str text, int64_t *i, double *f);

/* Writes the value, returns the number of bytes; not terminated. */
size_t wb_write_int(int64_t v, char out[WB_NUM_MAX]);
/* The shortest digits that read back to the same double (the closest of them), with '.', 'e', "inf" or "nan": 1.0, -0.0,
** 0.0001, 1e21, 1.5e-7, 5e-324.  Plain notation while the decimal exponent is in [-5, 16), else d.ddde[-]x. */
size_t wb_write_double(double v, char out[WB_NUM_MAX]);

#endif
