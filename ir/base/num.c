/* ir/base/num.c -- number text, without the C library and without the locale.
**
** Reading.  The first 19 significant digits and a power of ten make one 128-bit product with a row of a table, whose upper bits
** are the rounded double (D. Lemire, "Number Parsing at a Gigabyte per Second", 2021; that no other case is needed for up to 19
** digits: N. Mushtak and D. Lemire, "Fast Number Parsing Without Fallback", 2022).  Where more digits follow and could matter,
** the number is compared with the midpoint of the two doubles in question, in whole numbers of a fixed size (W. Clinger, "How to
** Read Floating Point Numbers Accurately", 1990).
** Writing.  R. Giulietti, "The Schubfach way to render doubles", 2020: at most one multiple of the next power of ten lies in the
** interval that rounds to the double; if one does, it is the shortest; else the closer of two neighbours is.
** Both use the same table, num_tables.h, with products of 192 bits.  Its rows are rounded up, unlike those in the papers; that
** they still decide every case is proved row by row in tests/unit/base_num.c.
** No floating-point operation takes part, so the host's rounding mode has no influence either. */
#include "ir/base/num.h"

#include "ir/base/num_tables.h"

#include <string.h>

typedef unsigned __int128 u128;

enum { SIG_BITS = 52, EXP_BIAS = 1023, EXP_INF = 2047, DIGITS_MAX = 19 }; /* 19 digits always fit 64 bits */
#define HIDDEN_BIT (UINT64_C(1) << SIG_BITS)
#define BITS_INF ((uint64_t)EXP_INF << SIG_BITS)
#define BITS_SIGN (UINT64_C(1) << 63)

static double from_bits(uint64_t bits) {
  double v;
  memcpy(&v, &bits, sizeof v);
  return v;
}

static uint64_t to_bits(double v) {
  uint64_t bits;
  memcpy(&bits, &v, sizeof bits);
  return bits;
}

/* Rounded down; right for every row of the table, the other two for every binary exponent.  (Shifts of negative numbers go down
** with gcc and clang.) */
static int log2_10(int q) { return (q * 108853) >> 15; }
static int log10_2(int q) { return (q * 315653) >> 20; }
static int log10_3_4(int q) { return (q * 315653 - 131008) >> 20; } /* of 3/4 * 2^q */

/* ---- Scanning ---------------------------------------------------------------------------------------------------- */

/* What stands in a text: first 19 significant digits * 10^exp, and whatever was cut. */
typedef struct decimal {
  uint64_t digits;
  int64_t exp;
  bool is_negative;
  bool is_plain;           /* neither dot nor exponent */
  bool is_cut;             /* there are more than 19 significant digits */
  const char *first, *end; /* where digits and dot stand; if is_cut, from the first significant digit */
} decimal;

static inline bool is_digit(char c) { return (unsigned char)(c - '0') < 10; }

/* Eight bytes, the first one lowest. */
static inline uint64_t load8(const char *p) {
  uint64_t v;
  memcpy(&v, p, sizeof v);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  v = __builtin_bswap64(v);
#endif
  return v;
}

/* '0' to '9' are the bytes whose high half is 3, also when 6 is added. */
static inline bool are_digits8(uint64_t v) {
  const uint64_t zeros = UINT64_C(0x3030303030303030), sixes = UINT64_C(0x0606060606060606);
  return (((v ^ zeros) | ((v + sixes) ^ zeros)) & UINT64_C(0xf0f0f0f0f0f0f0f0)) == 0;
}

/* Neighbours are joined to pairs, pairs to fours, fours to eight. */
static inline uint64_t value8(uint64_t v) {
  v -= UINT64_C(0x3030303030303030);
  v = (v * 10 + (v >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
  v = (v * 100 + (v >> 16)) & UINT64_C(0x0000ffff0000ffff);
  return (v * 10000 + (v >> 32)) & UINT64_C(0xffffffff);
}

/* Appends digits to *value (modulo 2^64) and returns where they end. */
static inline const char *scan_digits(const char *p, const char *end, uint64_t *value) {
  uint64_t v = *value;
  while (end - p >= 8) {
    uint64_t bytes = load8(p);
    if (!are_digits8(bytes)) break;
    v = v * 100000000 + value8(bytes);
    p += 8;
  }
  for (; p < end && is_digit(*p); p++) v = v * 10 + (uint64_t)(*p - '0');
  *value = v;
  return p;
}

/* The digits of an exponent and its sign.  Past 10^16 the number no longer grows: no text is long enough to make up for it. */
static const char *scan_exponent(const char *p, const char *end, int64_t *exp) {
  bool is_negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) p++;
  if (p == end || !is_digit(*p)) return NULL;
  int64_t x = 0;
  for (; p < end && is_digit(*p); p++)
    if (x < INT64_C(10000000000000000)) x = x * 10 + (*p - '0');
  *exp += is_negative ? -x : x;
  return p;
}

/* For more than 19 digits: leading zeros do not count, and what is past the 19th is left to `exact`. */
static void cut(decimal *d, size_t n) {
  const char *p = d->first;
  for (; p < d->end && (*p == '0' || *p == '.'); p++) n -= *p == '0';
  d->first = p;
  if (n <= DIGITS_MAX) return;
  d->is_cut = true;
  d->exp += (int64_t)(n - DIGITS_MAX);
  d->digits = 0;
  for (int left = DIGITS_MAX; left > 0; p++)
    if (*p != '.') {
      d->digits = d->digits * 10 + (uint64_t)(*p - '0');
      left--;
    }
}

static inline bool scan(wb_str text, decimal *d) {
  if (text.n == 0) return false;
  const char *p = text.at, *end = p + text.n;
  *d = (decimal){.is_negative = *p == '-'};
  if (*p == '-' || *p == '+') p++;
  d->first = p;
  p = scan_digits(p, end, &d->digits);
  size_t n = (size_t)(p - d->first);
  d->is_plain = p == end;
  if (p < end && *p == '.') {
    const char *fraction = ++p;
    p = scan_digits(p, end, &d->digits);
    n += (size_t)(p - fraction);
    d->exp = fraction - p;
  }
  d->end = p;
  if (n == 0) return false;
  if (p < end) {
    if (*p != 'e' && *p != 'E') return false;
    p = scan_exponent(p + 1, end, &d->exp);
    if (p != end) return false;
  }
  if (WB_UNLIKELY(n > DIGITS_MAX)) cut(d, n);
  return true;
}

/* ---- The nearest double ------------------------------------------------------------------------------------------ */

/* The bits of the double nearest to w * 10^q. */
static uint64_t nearest(uint64_t w, int64_t q) {
  if (w == 0 || q < POW10_FIRST) return 0; /* 2^64 * 10^-343 is less than half the smallest double */
  if (q > 308) return BITS_INF;
  int zeros = __builtin_clzll(w);
  w <<= zeros;
  const uint64_t *ten = pow10_table[q - POW10_FIRST];
  u128 product = (u128)w * ten[0] + (uint64_t)(((u128)w * ten[1]) >> 64);
  uint64_t high = (uint64_t)(product >> 64), low = (uint64_t)product;

  int up = (int)(high >> 63);
  int shift = 64 - (SIG_BITS + 2) - 1 + up;
  uint64_t sig = high >> shift; /* 53 bits and a half bit */
  int exp = log2_10((int)q) + 63 + up - zeros + EXP_BIAS;
  if (exp <= 0) { /* subnormal; there is no tie this far down.  2^52 after rounding is the smallest normal one, as it should be */
    if (exp <= -(SIG_BITS + 2)) return 0;
    sig >>= 1 - exp;
    return (sig + (sig & 1)) >> 1;
  }
  /* A tie goes to even.  It needs an exact product, which has few factors of five. */
  if (low == 0 && q >= -4 && q <= 23 && (sig & 3) == 1 && sig << shift == high) sig--;
  sig = (sig + (sig & 1)) >> 1;
  uint64_t bits = ((uint64_t)exp << SIG_BITS) + (sig - HIDDEN_BIT); /* a carry is one more in the exponent */
  return WB_MIN(bits, BITS_INF);
}

/* Whole numbers for comparing a long decimal with a midpoint.  Enough for LONG_DIGITS, which are more than a midpoint has (768),
** and for 54 bits * 5^1104, the least power that a number of so many digits near a double can need. */
enum { BIG_WORDS = 48, LONG_DIGITS = 780 };
typedef struct big { size_t n; uint64_t word[BIG_WORDS]; } big; /* lowest word first, the highest is not 0 */

static void big_mul_add(big *b, uint64_t factor, uint64_t carry) {
  for (size_t i = 0; i < b->n; i++) {
    u128 p = (u128)b->word[i] * factor + carry;
    b->word[i] = (uint64_t)p;
    carry = (uint64_t)(p >> 64);
  }
  if (carry == 0) return;
  wb_assert(b->n < BIG_WORDS);
  b->word[b->n++] = carry;
}

static void big_mul_pow5(big *b, int64_t power) {
  for (; power >= 27; power -= 27) big_mul_add(b, UINT64_C(7450580596923828125), 0); /* 5^27 */
  for (; power > 0; power--) big_mul_add(b, 5, 0);
}

static void big_shift(big *b, int64_t bits) {
  size_t words = (size_t)bits / 64;
  big_mul_add(b, UINT64_C(1) << (bits % 64), 0);
  wb_assert(b->n + words <= BIG_WORDS);
  memmove(b->word + words, b->word, b->n * sizeof b->word[0]);
  memset(b->word, 0, words * sizeof b->word[0]);
  b->n += words;
}

static int big_compare(const big *a, const big *b) {
  if (a->n != b->n) return a->n < b->n ? -1 : 1;
  for (size_t i = a->n; i-- > 0;)
    if (a->word[i] != b->word[i]) return a->word[i] < b->word[i] ? -1 : 1;
  return 0;
}

/* All significant digits as a whole number; *exp becomes the power of ten of its last digit.  Past LONG_DIGITS it only matters
** whether anything but zeros follows, which one more digit tells. */
static void big_read(big *b, const decimal *d, int64_t *exp) {
  b->n = 0;
  *exp = d->exp + DIGITS_MAX;
  bool has_more = false;
  int n = 0;
  for (const char *p = d->first; p < d->end && !has_more; p++) {
    if (*p == '.') continue;
    if (n < LONG_DIGITS) {
      big_mul_add(b, 10, (uint64_t)(*p - '0'));
      n++;
    } else {
      has_more = *p != '0';
    }
  }
  if (has_more) big_mul_add(b, 10, 1);
  *exp -= n + has_more;
}

/* The double nearest to all digits of `d`, which is `below` or the one after it. */
static uint64_t exact(const decimal *d, uint64_t below) {
  big left, right = {0};
  int64_t exp10, exp2 = (int64_t)(below >> SIG_BITS);
  big_read(&left, d, &exp10);
  uint64_t sig = (below & (HIDDEN_BIT - 1)) | (exp2 != 0 ? HIDDEN_BIT : 0);
  exp2 = WB_MAX(exp2, 1) - EXP_BIAS - SIG_BITS - 1;
  big_mul_add(&right, 0, 2 * sig + 1); /* the midpoint is right * 2^exp2 */

  big_mul_pow5(exp10 >= 0 ? &left : &right, exp10 >= 0 ? exp10 : -exp10);
  int64_t shift = exp10 - exp2;
  big_shift(shift >= 0 ? &left : &right, shift >= 0 ? shift : -shift);
  int order = big_compare(&left, &right);
  return order > 0 || (order == 0 && (below & 1) != 0) ? below + 1 : below;
}

static double to_double(const decimal *d) {
  uint64_t bits = nearest(d->digits, d->exp);
  if (WB_UNLIKELY(d->is_cut) && bits != nearest(d->digits + 1, d->exp)) bits = exact(d, bits);
  return from_bits(bits | (d->is_negative ? BITS_SIGN : 0));
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

static bool to_int(const decimal *d, int64_t *out) {
  if (!d->is_plain || d->is_cut || d->digits > (uint64_t)INT64_MAX + d->is_negative) return false;
  *out = (int64_t)(d->is_negative ? 0 - d->digits : d->digits);
  return true;
}

bool wb_read_int(wb_str text, int64_t *out) {
  decimal d;
  return scan(text, &d) && to_int(&d, out);
}

bool wb_read_decimal(wb_str text, double *out) {
  decimal d;
  if (!scan(text, &d)) return false;
  *out = to_double(&d);
  return true;
}

/* The text is `word` (in small letters), in any case. */
static bool is_word(wb_str text, wb_str word) {
  if (text.n != word.n) return false;
  for (size_t i = 0; i < text.n; i++)
    if ((text.at[i] | 0x20) != word.at[i]) return false;
  return true;
}

static bool read_special(wb_str text, double *out) {
  bool is_negative = text.n > 0 && text.at[0] == '-';
  if (is_word(text, WB_STR("nan"))) {
    *out = from_bits(BITS_INF | HIDDEN_BIT >> 1);
    return true;
  }
  if (text.n > 0 && (text.at[0] == '-' || text.at[0] == '+')) text = (wb_str){text.at + 1, text.n - 1};
  if (!is_word(text, WB_STR("inf")) && !is_word(text, WB_STR("infinity"))) return false;
  *out = from_bits(BITS_INF | (is_negative ? BITS_SIGN : 0));
  return true;
}

wb_num wb_read_number(wb_str text, int64_t *i, double *f) {
  decimal d;
  if (!scan(text, &d)) return read_special(text, f) ? WB_NUM_FLOAT : WB_NUM_BAD;
  if (to_int(&d, i)) return WB_NUM_INT;
  *f = to_double(&d);
  return WB_NUM_FLOAT;
}

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

static const char pairs[] =
  "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
  "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

static inline void put2(char *out, uint32_t v) { memcpy(out, pairs + 2 * v, 2); }

static inline void put8(char *out, uint32_t v) {
  uint32_t high = v / 10000, low = v % 10000;
  put2(out, high / 100);
  put2(out + 2, high % 100);
  put2(out + 4, low / 100);
  put2(out + 6, low % 100);
}

static inline unsigned count_digits(uint64_t v) {
  static const uint64_t tens[] = {
    0, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, UINT64_C(10000000000),
    UINT64_C(100000000000), UINT64_C(1000000000000), UINT64_C(10000000000000), UINT64_C(100000000000000),
    UINT64_C(1000000000000000), UINT64_C(10000000000000000), UINT64_C(100000000000000000), UINT64_C(1000000000000000000),
    UINT64_C(10000000000000000000),
  };
  unsigned about = (unsigned)(64 - __builtin_clzll(v | 1)) * 1233 >> 12; /* bits * log10(2): right or one too few */
  return about + (v >= tens[about]);
}

/* Writes the n digits of v; returns where they end. */
static inline char *put_digits(char *out, uint64_t v, unsigned n) {
  char *end = out + n, *p = end;
  while (v >= 100000000) {
    put8(p -= 8, (uint32_t)(v % 100000000));
    v /= 100000000;
  }
  uint32_t left = (uint32_t)v;
  for (; left >= 100; left /= 100) put2(p -= 2, left % 100);
  if (left >= 10)
    put2(p - 2, left);
  else
    p[-1] = (char)('0' + left);
  return end;
}

size_t wb_write_int(int64_t v, char out[WB_NUM_MAX]) {
  uint64_t size = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
  char *p = out;
  if (v < 0) *p++ = '-';
  return (size_t)(put_digits(p, size, count_digits(size)) - out);
}

typedef struct shortest { uint64_t digits; int exp; } shortest; /* digits * 10^exp */

/* n * g / 2^128, rounded down, with the lowest bit set where anything was lost.  g is too large by less than a unit and n is
** below 2^60, so that an exact result leaves less than 2^60 of 2^128 behind; an inexact one leaves at least 2^62. */
static inline uint64_t scale(uint64_t n, const uint64_t g[2]) {
  u128 low = (u128)n * g[1], high = (u128)n * g[0] + (uint64_t)(low >> 64);
  return (uint64_t)(high >> 64) | (((uint64_t)high | (uint64_t)low >> 60) != 0);
}

/* At most 16 zeros: eight twice, or what the bits of their number say. */
static inline shortest without_zeros(shortest s) {
  while (s.digits % 100000000 == 0) s.digits /= 100000000, s.exp += 8;
  if (s.digits % 10000 == 0) s.digits /= 10000, s.exp += 4;
  if (s.digits % 100 == 0) s.digits /= 100, s.exp += 2;
  if (s.digits % 10 == 0) s.digits /= 10, s.exp++;
  return s;
}

/* For a positive finite double.  `low`, `mid` and `high` are 4 * 10^-k times the interval's ends and the value; the ends belong
** to the interval when the significand is even. */
static shortest shorten(uint64_t bits) {
  uint64_t fraction = bits & (HIDDEN_BIT - 1);
  int biased = (int)(bits >> SIG_BITS);
  uint64_t sig = biased != 0 ? fraction | HIDDEN_BIT : fraction;
  int q = WB_MAX(biased, 1) - EXP_BIAS - SIG_BITS;
  bool is_uneven = fraction == 0 && biased > 1; /* a power of two: the double below is only half as far */

  int k = is_uneven ? log10_3_4(q) : log10_2(q);
  int h = q + log2_10(-k) + 1;
  const uint64_t *g = pow10_table[-k - POW10_FIRST];
  uint64_t mid = scale(4 * sig << h, g);
  uint64_t low = scale((4 * sig - 2 + is_uneven) << h, g) + (sig & 1);
  uint64_t high = scale((4 * sig + 2) << h, g) - (sig & 1);

  uint64_t s = mid >> 2;
  if (s >= 10) {
    uint64_t tens = s / 10;
    bool down = low <= 40 * tens, up = 40 * (tens + 1) <= high;
    if (down != up) return without_zeros((shortest){tens + up, k + 1});
  }
  bool down = low <= 4 * s, up = 4 * (s + 1) <= high;
  if (down == up) { /* both: the closer one, of equals the even one */
    uint64_t half = 4 * s + 2;
    up = mid > half || (mid == half && (s & 1) != 0);
  }
  return (shortest){s + up, k};
}

static char *put_exponent(char *p, int exp) {
  *p++ = 'e';
  if (exp < 0) *p++ = '-';
  unsigned size = (unsigned)(exp < 0 ? -exp : exp);
  return put_digits(p, size, count_digits(size));
}

/* Plain or with an exponent, always with what tells it from an Int.  A buffer of our own lets pieces be copied in fixed sizes. */
static size_t put_shortest(char *out, shortest s) {
  char digits[40], text[56];
  unsigned n = count_digits(s.digits);
  put_digits(digits, s.digits, n);
  int exp = s.exp + (int)n - 1;
  char *p = text;
  if (exp >= 16 || exp < -5) {
    *p++ = digits[0];
    if (n > 1) {
      *p++ = '.';
      memcpy(p, digits + 1, 16);
      p += n - 1;
    }
    p = put_exponent(p, exp);
  } else if (s.exp >= 0) {
    memcpy(p, digits, 17);
    p += n;
    for (int i = 0; i < s.exp; i++) *p++ = '0';
    *p++ = '.';
    *p++ = '0';
  } else if (exp >= 0) {
    memcpy(p, digits, 16);
    p += exp + 1;
    *p++ = '.';
    memcpy(p, digits + exp + 1, 16);
    p += -s.exp;
  } else {
    memcpy(p, "0.0000", 6);
    p += 1 - exp;
    memcpy(p, digits, 17);
    p += n;
  }
  memcpy(out, text, 28);
  return (size_t)(p - text);
}

size_t wb_write_double(double v, char out[WB_NUM_MAX]) {
  uint64_t bits = to_bits(v), size = bits & ~BITS_SIGN;
  char *p = out;
  if (size > BITS_INF) {
    memcpy(out, "nan", 3);
    return 3;
  }
  if (bits != size) *p++ = '-';
  if (size == BITS_INF) {
    memcpy(p, "inf", 3);
    return (size_t)(p - out) + 3;
  }
  double positive = from_bits(size);
  if (positive < 9007199254740992.0 && positive == (double)(int64_t)positive) { /* every whole number below 2^53 is exact */
    uint64_t whole = (uint64_t)positive;
    p = put_digits(p, whole, count_digits(whole));
    memcpy(p, ".0", 2);
    return (size_t)(p - out) + 2;
  }
  return (size_t)(p - out) + put_shortest(p, shorten(size));
}
