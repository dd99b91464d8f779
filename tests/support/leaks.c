/* tests/support/leaks.c -- the leak check at the end of every test; why it stands there is told in tests/test.h. */
#include "tests/test.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TEST_HAS_LSAN 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define TEST_HAS_LSAN 1
#endif

#if defined(TEST_HAS_LSAN)
#include <sanitizer/lsan_interface.h>

void test_no_leaks(const char *file, unsigned line) {
  if (__lsan_do_recoverable_leak_check() != 0) cr_assert_fail("%s:%u: the test lost memory; the report is above", file, line);
}
#else
void test_no_leaks(const char *file, unsigned line) { (void)file, (void)line; }
#endif
