/* tests/planted/broken_tests.c -- a suite that must fail: the self-test of what tests/test.h puts around a body.
**
** ./dev test runs it under AddressSanitizer and wants 3 of 4 to fail. */
#include "tests/test.h"

#include <stdlib.h>

static void *volatile kept;

static void lose(size_t size) {
  kept = malloc(size);
  kept = NULL;
}

Test(broken_tests, a_leak_is_found) { lose(123); }

ParameterizedTestParameters(broken_tests, a_leak_is_found_for_each_parameter) {
  static size_t sizes[] = {77};
  return cr_make_param_array(size_t, sizes, 1);
}
ParameterizedTest(const size_t *size, broken_tests, a_leak_is_found_for_each_parameter) { lose(*size); }

Test(broken_tests, an_exit_is_found) { exit(0); }

Test(broken_tests, nothing_is_imagined) {
  free(malloc(5));
  kept = malloc(6); /* reachable */
}
