/* tests/unit/cli_compressed.c -- inputs that gzip and zstd have compressed: whole, in parts, cut and damaged. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/ran.h"
#include "tests/support/scratch.h"
#include "tests/test.h"

static const char spec[] = "in x: Int\nout y: Int\ny = x\n";

/* "x", then 1000 rows 0, 1, ... 6, 0, 1, ...: by `gzip -9` and `zstd -19`. */
static const unsigned char by_gzip[] =
  "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xab\xe0\x32\xe0\x32\xe4\x32\xe2\x32\xe6\x32\xe1\x32\xe5\x32\x1b\xe5\x8d\xf2\x46\x79\xa3"
  "\xbc\x51\xde\x28\x6f\x94\x37\x24\x79\x00\x62\xfc\x1c\xb9\xd2\x07\x00\x00";
static const unsigned char by_zstd[] =
  "\x28\xb5\x2f\xfd\x04\x68\xb5\x00\x00\x78\x78\x0a\x30\x0a\x31\x0a\x32\x0a\x33\x0a\x34\x0a\x35\x0a\x36\x01\x00\xc0\xc7\x3f\xeb\x3a"
  "\x0e\x45\xab";
enum { N_GZIP = sizeof by_gzip - 1, N_ZSTD = sizeof by_zstd - 1, ROWS = 1000 };

static void rows_of(char *to, int n) {
  to += sprintf(to, "y\n");
  for (int i = 0; i < n; i++) to += sprintf(to, "%d\n", i % 7);
}

/* Runs over a file of that name with these bytes. */
static ran run_file(const char *end, const void *bytes, size_t n, const char *option) {
  char folder[] = "/tmp/weir-packed-XXXXXX", path[80];
  cr_assert(mkdtemp(folder) != NULL);
  (void)snprintf(path, sizeof path, "%s/a%s", folder, end);
  cr_assert(scratch_write(path, bytes, n));
  ran r = ran_weir(&(ran_how){.spec = spec, .args = {"run", "spec.dsrv", path, option}});
  cr_assert(unlink(path) == 0 && rmdir(folder) == 0);
  return r;
}

/* ---- Made by hand: what is packed can then be told from its place -------------------------------------------------- */

static unsigned char *put4(unsigned char *to, uint32_t v) {
  for (int i = 0; i < 4; i++) *to++ = (unsigned char)(v >> 8 * i);
  return to;
}

static uint32_t crc32_of(const char *text, size_t n) {
  uint32_t c = UINT32_MAX;
  for (size_t i = 0; i < n; i++) {
    c ^= (unsigned char)text[i];
    for (int k = 0; k < 8; k++) c = c & 1 ? c >> 1 ^ 0xEDB88320u : c >> 1;
  }
  return ~c;
}

/* A gzip member, or a zstd frame, of one block that is as it was. */
static size_t pack_gzip(const char *text, size_t n, unsigned char *to) {
  unsigned char *p = to;
  memcpy(p, "\x1f\x8b\x08\0\0\0\0\0\0\xff\1", 11);
  p += 11;
  p = put4(p, (uint32_t)n | (~(uint32_t)n & 0xFFFF) << 16);
  memcpy(p, text, n);
  p = put4(put4(p + n, crc32_of(text, n)), (uint32_t)n);
  return (size_t)(p - to);
}

static size_t pack_zstd(const char *text, size_t n, unsigned char *to) {
  unsigned char *p = to;
  memcpy(p, "\x28\xb5\x2f\xfd\0\x58", 6);
  p = put4(p + 6, (uint32_t)n << 3 | 1) - 1;
  memcpy(p, text, n);
  return (size_t)(p + n - to);
}

typedef size_t pack_fn(const char *text, size_t n, unsigned char *to);
static const struct { const char *end, *name; pack_fn *pack; const unsigned char *real; size_t n; } kinds[] = {
  {".csv.gz", "gzip", pack_gzip, by_gzip, N_GZIP}, {".csv.zst", "zstd", pack_zstd, by_zstd, N_ZSTD},
};

/* ---- Tests --------------------------------------------------------------------------------------------------------- */

Test(cli_compressed, is_unpacked_by_the_end_of_the_name) {
  char want[8 * ROWS];
  rows_of(want, ROWS);
  for (size_t k = 0; k < 2; k++) {
    ran r = run_file(kinds[k].end, kinds[k].real, kinds[k].n, NULL);
    cr_expect_eq(r.status, 0, "%s", r.err);
    cr_expect_str_eq(r.out, want);
    ran_free(&r);
  }
}

Test(cli_compressed, the_format_stands_before_it) {
  static const struct { const char *end, *text, *out; } forms[] = {
    {".csv", "x\n1\n2\n", "y\n1\n2\n"}, {".ndjson", "{\"x\":1}\n{\"x\":2}", "{\"y\":1}\n{\"y\":2}\n"}, {".input", "0: x = 1\n1: x = 2\n", "0: y = 1\n1: y = 2\n"},
  };
  for (size_t i = 0; i < 3; i++)
    for (size_t k = 0; k < 2; k++) {
      unsigned char packed[200];
      char end[20];
      (void)snprintf(end, sizeof end, "%s%s", forms[i].end, strrchr(kinds[k].end, '.'));
      ran r = run_file(end, packed, kinds[k].pack(forms[i].text, strlen(forms[i].text), packed), NULL);
      cr_expect_eq(r.status, 0, "%s", r.err);
      cr_expect_str_eq(r.out, forms[i].out);
      ran_free(&r);
    }
}

Test(cli_compressed, one_that_its_name_does_not_tell_is_recognized) {
  static const char *const ends[] = {".csv", ".ndjson", ".input"};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    for (size_t k = 0; k < 2; k++) {
      char want[80];
      (void)snprintf(want, sizeof want, "\nhint: this is %s data, ", kinds[k].name);
      ran r = run_file(ends[i], kinds[k].real, kinds[k].n, NULL);
      cr_expect_eq(r.status, 4);
      cr_expect(strstr(r.err, want) != NULL, "%s as %s: %s", kinds[k].name, ends[i], r.err);
      ran_free(&r);
    }
}

Test(cli_compressed, parts_follow_each_other) {
  for (size_t k = 0; k < 2; k++) {
    unsigned char packed[400];
    size_t n = kinds[k].pack("x\n1\n2", 5, packed);
    n += kinds[k].pack("3\n", 2, packed + n);
    n += kinds[k].pack("", 0, packed + n);
    n += kinds[k].pack("4\n", 2, packed + n);
    ran r = run_file(kinds[k].end, packed, n, NULL);
    cr_expect_eq(r.status, 0, "%s", r.err);
    cr_expect_str_eq(r.out, "y\n1\n23\n4\n");
    ran_free(&r);
  }
}

Test(cli_compressed, what_is_cut_is_an_error_behind_what_could_be_read) {
  for (size_t k = 0; k < 2; k++) {
    unsigned char packed[400];
    size_t first = kinds[k].pack("x\n1\n2\n", 6, packed), n = first + kinds[k].pack("3\n4\n", 4, packed + first);
    for (size_t cut = 0; cut < n; cut++) {
      ran r = run_file(kinds[k].end, packed, cut, NULL);
      char want[80];
      (void)snprintf(want, sizeof want, "trace: the %s data ends too early\n", kinds[k].name);
      cr_expect_eq(r.status, cut == first ? 0 : 4, "%s cut at %zu", kinds[k].name, cut);
      if (cut != first) cr_expect(strstr(r.err, want) != NULL, "%s cut at %zu: %s", kinds[k].name, cut, r.err);
      cr_expect(strncmp(r.out, "y\n1\n2\n3\n4\n", r.n_out) == 0, "%s", r.out);
      if (cut >= first) cr_expect(r.n_out >= 6, "%s cut at %zu: %s", kinds[k].name, cut, r.out);
      ran_free(&r);
    }
  }
}

Test(cli_compressed, what_is_damaged_never_passes_as_something_else) {
  char want[8 * ROWS];
  rows_of(want, ROWS);
  for (size_t i = 0; i < N_GZIP; i++) { /* gzip has a checksum */
    unsigned char packed[sizeof by_gzip];
    memcpy(packed, by_gzip, sizeof packed);
    packed[i] ^= 0x55;
    ran r = run_file(".csv.gz", packed, N_GZIP, NULL);
    bool is_same = strcmp(r.out, want) == 0;
    cr_expect(r.status == 4 || (r.status == 0 && is_same), "byte %zu: %d", i, r.status);
    ran_free(&r);
  }
  ran r = run_file(".csv.zst", "no such thing", 13, NULL);
  cr_expect_eq(r.status, 4);
  cr_expect(strstr(r.err, ".csv.zst: error: trace: the zstd data is damaged\n") != NULL, "%s", r.err);
  ran_free(&r);
}

Test(cli_compressed, garbage_behind_the_end_is_an_error) {
  for (size_t k = 0; k < 2; k++) {
    unsigned char packed[400];
    size_t n = kinds[k].pack("x\n1\n", 4, packed);
    memcpy(packed + n, "garbage garbage garbage", 23);
    ran r = run_file(kinds[k].end, packed, n + 23, NULL);
    cr_expect_eq(r.status, 4);
    cr_expect_str_eq(r.out, "y\n1\n");
    ran_free(&r);
  }
}

Test(cli_compressed, large_inputs_pass) {
  enum { PART = 60000, PARTS = 40 };
  char *text = malloc(PART + 1);
  unsigned char *packed = malloc((PART + 100) * PARTS);
  cr_assert(text != NULL && packed != NULL);
  for (size_t k = 0; k < 2; k++) {
    size_t n = kinds[k].pack("x\n", 2, packed);
    for (size_t i = 0; i < PART; i++) text[i] = i % 6 == 5 ? '\n' : '7';
    for (int i = 0; i < PARTS; i++) n += kinds[k].pack(text, PART, packed + n);
    ran r = run_file(kinds[k].end, packed, n, NULL);
    cr_expect_eq(r.status, 0, "%s", r.err);
    cr_expect_eq(r.n_out, 2 + PART * PARTS);
    ran_free(&r);
  }
  free(text);
  free(packed);
}

Test(cli_compressed, an_output_is_not_compressed) {
  ran r = ran_weir(&(ran_how){.spec = spec, .trace = "", .more = {"-o", "out.csv.gz"}});
  cr_expect_eq(r.status, 2);
  cr_expect_str_eq(r.err, "out.csv.gz: error: a compressed output cannot be written\n");
  ran_free(&r);
}

Test(cli_compressed, every_request_for_memory_may_fail) {
  char folder[] = "/tmp/weir-packed-XXXXXX", path[80];
  cr_assert(mkdtemp(folder) != NULL);
  (void)snprintf(path, sizeof path, "%s/a.csv.gz", folder);
  cr_assert(scratch_write(path, by_gzip, N_GZIP));
  ran_how how = {.spec = spec, .args = {"run", "spec.dsrv", path}};
  ran good = ran_weir(&how);
  for (how.fail_memory = 1; how.fail_memory <= good.memory_calls; how.fail_memory++) {
    ran r = ran_weir(&how);
    cr_expect(r.status == 1 || r.status == 2 || (r.status == 0 && strcmp(r.out, good.out) == 0), "request %zu: %d %s", (size_t)how.fail_memory, r.status, r.err);
    ran_free(&r);
  }
  ran_free(&good);
  cr_assert(unlink(path) == 0 && rmdir(folder) == 0);
}
