/* tests/support/guard.c -- what stands around every test's body; why is told in tests/test.h. */
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TEST_HAS_LSAN 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define TEST_HAS_LSAN 1
#endif
#if defined(TEST_HAS_LSAN)
#include <sanitizer/lsan_interface.h>
#endif

static bool in_body; /* a process runs one test */

/* At exit.  A body left by a failed assertion is still "in" here, but then the test has failed anyway. */
static void refuse_exit(int status, void *unused) {
  (void)unused;
  if (in_body && status == 0) abort();
}

void test_begins(void) {
  in_body = true;
  on_exit(refuse_exit, NULL);
}

void test_ends(const char *file, unsigned line) {
  in_body = false;
#if defined(TEST_HAS_LSAN)
  if (__lsan_do_recoverable_leak_check() != 0) cr_assert_fail("%s:%u: the test lost memory; the report is above", file, line);
#else
  (void)file, (void)line;
#endif
}

char *test_repeat(const char *before, const char *piece, size_t count, const char *behind) {
  size_t a = strlen(before), b = strlen(piece), c = strlen(behind);
  char *text = malloc(a + b * count + c + 1);
  cr_assert_not_null(text);
  memcpy(text, before, a);
  for (size_t i = 0; i < count; i++) memcpy(text + a + b * i, piece, b);
  memcpy(text + a + b * count, behind, c + 1);
  return text;
}
