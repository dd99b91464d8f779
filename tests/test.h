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
** Criterion runs each test in a process of its own, but does not look at how that ends: a leak that LeakSanitizer finds there
** goes unnoticed, a failure in a `.fini` is printed but not counted, and a test that calls exit(0) has passed (all measured
** with 2.4.1).  So Test and ParameterizedTest are replaced here by ones that look for leaks at the end of each body, where a
** failure counts, and that take an exit for a crash.  A suite has to do nothing for that.  Memory that is still reachable,
** from a static object that `.fini` frees, is no leak.
**
** TEST_ROOT is the root of the source tree, TEST_BUILD that of the build (the command is TEST_BUILD "/weir"), TEST_NATIVE the path of the
** native module (TEST_HAS_NATIVE), or NULL. */
#ifndef TEST_H
#define TEST_H

#include <criterion/criterion.h>
#include <criterion/parameterized.h>

/* `piece` `count` times between two texts.  The caller frees it. */
char *test_repeat(const char *before, const char *piece, size_t count, const char *behind);

/* Around each body.  The end fails the test when memory was lost; that does nothing in a build without LeakSanitizer. */
void test_begins(void);
void test_ends(const char *file, unsigned line);

/* The body is called through a volatile pointer: inlined, its frame would keep pointers alive and so hide leaks; and gcc drops
** the call of a body that it sees through as one that only crashes. */
#define TEST_BODY(suite, name) suite##_##name##_body

#undef Test
#define Test(suite, name, ...) \
  static void TEST_BODY(suite, name)(void); \
  CR_EXPAND(CR_TEST_BASE(suite, name, ##__VA_ARGS__, .sentinel_ = 0)) { \
    void (*volatile test_body)(void) = TEST_BODY(suite, name); \
    test_begins(); \
    test_body(); \
    test_ends(__FILE__, __LINE__); \
  } \
  static void TEST_BODY(suite, name)(void)

#undef ParameterizedTest
#define ParameterizedTest(parameter, suite, name, ...) \
  static void TEST_BODY(suite, name)(parameter); \
  CR_EXPAND(CR_PARAM_TEST_BASE(void *test_parameter, suite, name, ##__VA_ARGS__, .sentinel_ = 0)) { \
    void (*volatile test_body)(parameter) = TEST_BODY(suite, name); \
    test_begins(); \
    test_body(test_parameter); \
    test_ends(__FILE__, __LINE__); \
  } \
  static void TEST_BODY(suite, name)(parameter)

#endif
