/* tests/planted/leak.c -- a suite that must fail: the self-test of the leak check.
**
** ./dev test runs it under AddressSanitizer and wants "Failing: 2": the test that loses memory, and its parameterized twin. */
#include "tests/test.h"

#include <stdlib.h>

static void *volatile kept;

static void lose(size_t size) {
  kept = malloc(size);
  kept = NULL;
}

Test(leak, is_found) { lose(123); }

ParameterizedTestParameters(leak, is_found_for_each_parameter) {
  static size_t sizes[] = {77};
  return cr_make_param_array(size_t, sizes, 1);
}
ParameterizedTest(const size_t *size, leak, is_found_for_each_parameter) { lose(*size); }

Test(leak, is_not_imagined) {
  free(malloc(5));
  kept = malloc(6); /* reachable */
}
