/* tests/unit/base_digest.c -- BLAKE2b-256: the numbers of other implementations, whatever the pieces. */
#include "ir/base/digest.h"
#include "tests/test.h"

#include <stdio.h>
#include <string.h>

static wb_digest digest_of(const void *bytes, size_t n, size_t piece) {
  wb_digester d;
  wb_digest_begin(&d);
  for (size_t i = 0; i < n; i += piece) wb_digest_add(&d, (const char *)bytes + i, WB_MIN(piece, n - i));
  return wb_digest_end(&d);
}

static void expect_digits(wb_digest got, const char *want) {
  char digits[2 * WB_DIGEST_BYTES + 1];
  for (size_t i = 0; i < WB_DIGEST_BYTES; i++) snprintf(digits + 2 * i, 3, "%02x", got.at[i]);
  cr_expect_str_eq(digits, want);
}

/* b2sum -l 256 and Python's hashlib.blake2b(digest_size=32) say so. */
Test(base_digest, it_is_what_others_compute) {
  uint8_t bytes[1000];
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(i * 7 + 1);
  static const struct { size_t n; const char *digits; } known[] = {
    {0, "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8"},
    {1, "ee155ace9c40292074cb6aff8c9ccdd273c81648ff1149ef36bcea6ebb8a3e25"},
    {127, "3b03a73c3c02e3eef11be3e2e16c12ccf6090dea00aa861ded320910892e13ac"},
    {128, "6b89237e0a469a721c700b8bbcb51b6231c48e71ff023e0e3444ec84882ae32e"},
    {129, "524a9dc9d008a9ce1d9d2a111bcd10d2461a02dadf30ec5a47225501608a87eb"},
    {256, "e7001e3026924e6650fcd5b274bc3ddf556a6c7fedfe038383c0f4ad5f26cfc9"},
    {1000, "1d16566788d72e44f7c8ca9aaf73edc64bb03fc69322cb735f49974d7c9ce383"},
  };
  expect_digits(digest_of("abc", 3, 3), "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
  for (size_t i = 0; i < WB_LEN(known); i++)
    for (size_t piece = 1; piece <= 300; piece += 1 + piece / 2) expect_digits(digest_of(bytes, known[i].n, piece), known[i].digits);
}

Test(base_digest, each_bit_counts) {
  uint8_t bytes[300] = {0};
  wb_digest all = digest_of(bytes, sizeof bytes, sizeof bytes);
  for (size_t bit = 0; bit < 8 * sizeof bytes; bit++) {
    bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    wb_digest other = digest_of(bytes, sizeof bytes, sizeof bytes);
    cr_assert_not(wb_digest_eq(&all, &other), "bit %zu", bit);
    bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
  }
  wb_digest shorter = digest_of(bytes, sizeof bytes - 1, 7), same = digest_of(bytes, sizeof bytes, 7);
  cr_expect_not(wb_digest_eq(&all, &shorter), "zeros at the end count too");
  cr_expect(wb_digest_eq(&all, &same));
}
