/* tests/support/tile_programs.c -- the tables of tile_programs.h. */
#include "tests/support/tile_programs.h"

const tiled_pattern tile_patterns[TILE_PATTERNS] = {
  {.magnitude = 9}, {.magnitude = 1000000}, {.magnitude = 100, .per_mille_far = 2}, {.magnitude = 50, .per_mille_far = 80},
  {.magnitude = 9, .per_mille_absent = 10}, {.magnitude = 1000, .per_mille_absent = 10, .per_mille_far = 1},
  {.magnitude = 9, .per_mille_absent = 300}, {.magnitude = 9, .per_mille_absent = 10, .per_mille_late = 1},
  {.magnitude = 9, .per_mille_late = 2, .first = 20}, {.magnitude = 9, .per_mille_absent = 300, .first = 300},
  {.magnitude = 9, .per_mille_absent = 985, .per_mille_late = 1},
};

/* Many inputs and outputs: more than a word has bits. */
#define TEN(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) X(n##8) X(n##9)
#define SEVENTY(X) TEN(X, 1) TEN(X, 2) TEN(X, 3) TEN(X, 4) TEN(X, 5) TEN(X, 6) TEN(X, 7)
#define PLAIN(n) "in x" #n ": Int  out y" #n ": Int  y" #n " = x" #n " * 3 + x\n"
#define DELAYED(n) "in x" #n ": Bool  out y" #n ": Int  y" #n " = if x" #n " then default(x[1], 0) else x\n"

#define IN "in x: Int  in y: Int  in f: Float  in g: Float  in b: Bool  in c: Bool\n"
const char *const tile_programs[TILE_PROGRAMS] = {
  /* Recurrences with a form */
  IN "out s: Int  s = default(s[1], 0) + x  out d: Int  d = x - 1 + default(d[1], 5)  out m: Int  m = default(m[1], 0) - x",
  IN "out s: Float  s = default(s[1], 0.0) + f  out d: Float  d = default(d[1], 1.0) - f  out e: Float  e = f + default(e[1], f)",
  IN "out n: Int  n = if b then default(n[1], 0) + 1 else 0  out k: Int  k = if c then 7 else default(k[1], 0) + 3",
  IN "out n: Int  n = if b then default(n[1], 0) + x else y  out k: Int  k = if c then x else y + default(k[1], 0)",
  IN "aux p: Int  p = default(n[1], 0)  out n: Int  n = if b then p + x else p  aux q: Int  q = default(k[1], 0)  out k: Int  k = if c then q else x + q",
  IN "out n: Float  n = if b then default(n[1], 0.0) + f else g  out k: Float  k = if c then g else f + default(k[1], 0.0)",
  IN "aux p: Float  p = default(n[1], 0.0)  out n: Float  n = if b then p + f else p  aux q: Float  q = default(k[1], 0.0)  out k: Float  k = if c then q else f + q",
  IN "out p: Int  p = default(n[1], 0)  aux s: Int  s = p + 1  out n: Int  n = if b then s else 0  out t: Int  t = p + s",
  IN "aux p: Int  p = default(n[1], 0)  out n: Int  n = if b then p + 1 else 0  out long: Bool  long = n > 3  out was: Int  was = p",
  IN "out e: Float  e = 0.25 * f + 0.75 * default(e[1], f)  out h: Float  h = default(h[1], 0.0) * 0.5 + f  out k: Float  k = default(k[1], g) * f + g",
  IN "out on: Bool  on = b || (default(on[1], false) && !c)  out off: Bool  off = if b then true else if c then false else default(off[1], false)",
  IN "out t: Bool  t = if b then !default(t[1], false) else default(t[1], false)  out u: Bool  u = (default(u[1], true) == b) => c",
  IN "aux p: Int  p = default(a[1], x)  out a: Int  a = if x < p then x else p  aux q: Int  q = default(d[1], x)  out d: Int  d = if q >= x then q else x",
  IN "aux p: Int  p = default(a[1], x)  out a: Int  a = if x >= p then p else x  aux q: Int  q = default(d[1], x)  out d: Int  d = if x > q then x else q",
  IN "out s: Int  s = default(s[1], 0) + x  out d: Int  d = default(d[1], 5) - y  out n: Int  n = if b then default(n[1], 0) + 2 else 9\n"
     "out k: Int  k = if c then 7 else default(k[1], 0) + 3  out a: Int  a = x + y - 3 + x - y - 7 + x - x * 5",
  IN "out least: Float  least = if f < default(least[1], f) then f else default(least[1], f)",
  IN "out s: Int  s = default(s[1], 4611686018427387904) + (if b then x else 0)",
  /* Recurrences without */
  IN "out fib: Int  fib = (default(fib[1], 1) + default(fib[2], 0)) % 1000003",
  IN "out z: Int  z = (default(z[3], 1) * 1103515245 + 12345 + x) % 2147483648",
  IN "out a: Int  a = (default(q[1], 1) + x) % 1000  out q: Int  q = default(a[2], 2) * 3 % 777",
  IN "out z: Int  z = x - default(z[1], 0)  out w: Float  w = f - default(w[1], 0.0) * g / 2.0",
  IN "out z: Int  z = if b then (if default(z[1], 1) == 0 then 3 else 12 / default(z[1], 1)) else x % 5",
  IN "out z: Int  z = if c && default(z[1], 1) != 0 && 12 / default(z[1], 1) > 3 then x % 3 else y % 3",
  IN "out z: Int  z = if c || (b => 7 % default(z[1], 1) == 0) then x else 1 + y",
  IN "out z: Int  z = if default(z[1], 1) == 0 then 5 else (if b then 60 / default(z[1], 1) else default(x[1], 1) * 3) % 4",
  IN "aux p: Int  p = default(d[1], 1)  out d: Int  d = p + p  aux q: Float  q = default(e[1], 1.0)  out e: Float  e = q * q + q  out z: Int  z = x",
  IN "aux p: Int  p = default(d[1], 1)  out d: Int  d = if b then p + p else x  aux q: Int  q = default(e[1], 1)  out e: Int  e = if q < q then q else y - (q - q)",
  IN "out big: Int  big = default(big[1], 1) * 3",
  IN "out p: Int  p = if b then (default(p[1], 2) ** 2) % 10 else 3",
  IN "out deep: Int  deep = default(deep[300], 0) + x  out d2: Int  d2 = default(d2[255], 0) + x  out d3: Int  d3 = default(d3[256], 0) + x",
  IN "out w: Bool  w = default(w[2], false) != b  out v: Bool  v = !default(v[1], false)",
  /* Delays */
  IN "out s: Int  s = x + default(x[1], 0) + default(x[2], 0)  out f10: Float  f10 = f - default(f[10], f)  out bb: Bool  bb = b != default(b[7], false)",
  IN "aux s: Int  s = x * 3  out d: Int  d = default(s[5], 0) + default(s[1], 0)  out far: Int  far = default(s[1000], 0)  out k: Int  k = default(s[256], 0)",
  IN "out e: Int  e = default((x + y)[3], 0)  out h: Bool  h = default((x < y)[2], true)  out n: Int  n = default((x + y)[700], 1)",
  IN "aux s: Int  s = x - 3  out d: Int  d = y - default(s[3], 0)  aux w: Bool  w = b != c  out k: Bool  k = default(w[3], false)",
  /* Division */
  IN "out r: Int  r = x % 7  out q: Int  q = x / 7  out m: Int  m = x % (0 - 3)  out n: Int  n = y / (0 - 5)  out o: Int  o = x % 1",
  IN "out q: Int  q = if y == 0 then 0 else x / y  out r: Int  r = if y == 0 then 0 else x % y  out s: Int  s = if y == 0 then 1 else 100 / y",
  IN "out q: Int  q = if y > 0 then x / (if y > 0 then y else 1) else 99  out r: Int  r = if y < 0 then 77 % (if y < 0 then y else 1) else 5",
  IN "out q: Int  q = x / y",
  IN "out q: Int  q = x % y",
  IN "out q: Int  q = 1000 / (x + 1000)  out r: Int  r = 1000 % (y + 1000)",
  IN "out q: Int  q = if b then x / 2 else x % 4096  out t: Int  t = if b then x * 4611686018427387904 / 3 else x / 9223372036854775807",
  IN "out q: Int  q = if b then x / 3 else (if c then x / (0 - 1) else x % (0 - 1))",
  IN "out q: Int  q = x / 1  out r: Int  r = x % 2251799813685247  out s: Int  s = x / 2251799813685248  out t: Int  t = y % 2",
  IN "out q: Int  q = if b && x / (y - y) > 0 then 1 else 2",
  IN "out q: Int  q = if (b && c) && x / (if b then 1 else 0) > 0 then 1 else 2  out v: Bool  v = c || !b || x % (if b then 3 else 0) == 1",
  /* What may fail, and where it counts */
  IN "out a: Int  a = x + y  out s: Int  s = x - y  out m: Int  m = x * 3  out n: Int  n = x * y  out k: Int  k = 5 - x",
  IN "out a: Int  a = if b then x + y else 0  out s: Int  s = if b then x - y else 1  out m: Int  m = if b then x * 3 else 2  out n: Int  n = if c then x * y else 3",
  IN "out a: Int  a = if b then x + 9000000000000000000 else y - 9000000000000000000  out n: Int  n = if c then -x else abs(y)  out k: Int  k = if c then 1 - x else x - 1",
  IN "out n: Int  n = -x",
  IN "out a: Int  a = abs(y)",
  IN "out n: Int  n = -x  out a: Int  a = abs(x)  out m: Int  m = x * (0 - 1)  out o: Int  o = x * 0  out p: Int  p = x * (0 - 9)",
  IN "out p: Int  p = if b then x ** 3 else x  out q: Int  q = if y >= 0 && y < 30 then 2 ** y else 0",
  IN "out p: Int  p = x ** (if b then 2 else 3)",
  IN "out d: Bool  d = is_defined(if b then x / y else x)  out e: Int  e = if c then default(x / y, 3) else 4",
  IN "out a: Int  a = (if b then x / y else 1) + (if c then y / x else 2)  out z: Bool  z = b => x / y > 0",
  IN "out a: Int  a = if (if b then x / y > 0 else c) then 1 / x else 2 / y",
  IN "out a: Int  a = if b then (if c then x / y else 1 / x) + x * y else -5",
  IN "out u: Int  u = if b then (if is_defined(x / (y + 1000000)) then x else 1) else 2  out e: Int  e = if c then default(x, x / (y + 1000000)) else 4",
  IN "out g1: Int  g1 = if b then latch(x, y / (x + 1000000)) else 3  out u: Int  u = if c then update(x / (y + 1000000), x) else y",
  IN "out z: Int  z = if x > -1000000000000 then 5 else (if x > -100 then x / (if x > -1000000000000 then 0 else 1) else x * 4)",
  /* Floats and Bools */
  IN "out a: Float  a = f + g  out s: Float  s = f - g  out m: Float  m = f * g  out d: Float  d = f / g  out r: Float  r = f % g  out p: Float  p = f ** g",
  IN "out a: Float  a = f + 1.5  out s: Float  s = f - 0.1  out t: Float  t = 2.5 - f  out m: Float  m = f * 3.0  out d: Float  d = f / 7.0  out i: Float  i = 1.0 / f",
  IN "out n: Float  n = -f  out a: Float  a = abs(f)  out s: Float  s = sin(f)  out c1: Float  c1 = cos(f)  out t: Float  t = tan(f)  out i: Float  i = x + f",
  IN "out a: Bool  a = f < g  out d: Bool  d = f <= g  out e: Bool  e = f > g  out h: Bool  h = f >= g  out i: Bool  i = f == g  out j: Bool  j = f != g",
  IN "out a: Bool  a = f < 0.0  out d: Bool  d = f <= 0.0  out e: Bool  e = f > 0.0  out h: Bool  h = f >= 0.0  out i: Bool  i = f == 0.0  out j: Bool  j = f != 0.0",
  IN "out a: Bool  a = 1.0 < f  out d: Bool  d = 1.0 <= f  out e: Bool  e = 1.0 > f  out h: Bool  h = 1.0 >= f",
  IN "out a: Bool  a = x < y  out d: Bool  d = x <= y  out e: Bool  e = x > y  out h: Bool  h = x >= y  out i: Bool  i = x == y  out j: Bool  j = x != y",
  IN "out a: Bool  a = x < 3  out d: Bool  d = x <= 3  out e: Bool  e = x > 3  out h: Bool  h = x >= 3  out i: Bool  i = x == 3  out j: Bool  j = 3 != x",
  IN "out a: Bool  a = b && c  out d: Bool  d = b || c  out e: Bool  e = b => c  out h: Bool  h = !b  out i: Bool  i = b == c  out j: Bool  j = if b then c else !c",
  IN "out a: Bool  a = if b then false else c  out d: Bool  d = if b then c else true  out e: Bool  e = if b then true else c  out h: Bool  h = if b then c else false\n"
     "out i: Bool  i = if b then false else true  out j: Int  j = if b then 0 else 1  out k: Bool  k = default((if c then false else b)[2], c)",
  IN "out a: Int  a = if b then x else y  out d: Int  d = if b then x else 3  out e: Int  e = if b then 3 else y  out h: Int  h = if b then 3 else 4  out i: Int  i = if b then 1 else 0",
  IN "out a: Float  a = if b then f else g  out d: Float  d = if b then 1.5 else g  out k: Int  k = 5  out t: Bool  t = true",
  IN "out i: Float  i = x + f  out k: Float  k = (if b then x else y) * 0.5",
  /* Copies, and what is read besides */
  IN "out a: Int  a = x  out a2: Int  a2 = a  out bo: Bool  bo = b  out fo: Float  fo = f  out l: Int  l = latch(x, y)  out u: Int  u = update(x, y)",
  IN "out i: Float  i = default(init(x, 0.5), 0.5)  out j: Float  j = default(init(y, 1.5), 0.5) * 2.0",
  IN "out i: Int  i = default(init(x + y, 5), 3)  out k: Float  k = default(init(y + f, 0.5), 1.5)  out l: Bool  l = default(init(!b, true), false)",
  IN "out s: Int  s = x + y  out s2: Int  s2 = s  out p: Int  p = s2 * s  out w: Bool  w = when(x)  out i: Int  i = init(x, 3)",
  /* Wide */
  IN SEVENTY(PLAIN), IN SEVENTY(DELAYED),
};
