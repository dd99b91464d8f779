/* tests/test.h -- what every Criterion suite includes, in place of <criterion/criterion.h>.
**
** A suite is a file tests/unit/<room>_<file>.c (or under fault/, agree/, kill/, golden/), its name that file's, and a test's
** name is the claim it makes:
**
**     #include "tests/test.h"
**     #include "ir/verify.h"
**
**     Test(ir_verify, rejects_a_use_before_its_definition) { ... }
**
** Criterion runs each test in a process of its own, whose exit status it does not look at: a leak that LeakSanitizer finds at
** the end would go unnoticed, and a failure in a `.fini` is printed but not counted (both measured with 2.4.1).  So Test and
** ParameterizedTest are replaced here by ones that look for leaks at the end of each body, where a failure counts.
** A suite has to do nothing for that.  Memory that is still reachable, from a static object that `.fini` frees, is no leak.
**
** TEST_ROOT is the root of the source tree, TEST_BUILD that of the build (the command is TEST_BUILD "/weir"). */
#ifndef TEST_H
#define TEST_H

#include <criterion/criterion.h>
#include <criterion/parameterized.h>

/* Fails the running test when memory was lost.  Does nothing in a build without LeakSanitizer. */
void test_no_leaks(const char *file, unsigned line);

/* The body is a function of its own, never inlined: a pointer left in the frame of a caller would hide the leak. */
#define TEST_BODY(suite, name) suite##_##name##_body

#undef Test
#define Test(suite, name, ...) \
  static void TEST_BODY(suite, name)(void); \
  CR_EXPAND(CR_TEST_BASE(suite, name, ##__VA_ARGS__, .sentinel_ = 0)) { \
    TEST_BODY(suite, name)(); \
    test_no_leaks(__FILE__, __LINE__); \
  } \
  static __attribute__((noinline)) void TEST_BODY(suite, name)(void)

#undef ParameterizedTest
#define ParameterizedTest(parameter, suite, name, ...) \
  static void TEST_BODY(suite, name)(parameter); \
  CR_EXPAND(CR_PARAM_TEST_BASE(void *test_parameter, suite, name, ##__VA_ARGS__, .sentinel_ = 0)) { \
    TEST_BODY(suite, name)(test_parameter); \
    test_no_leaks(__FILE__, __LINE__); \
  } \
  static __attribute__((noinline)) void TEST_BODY(suite, name)(parameter)

#endif
