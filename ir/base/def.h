/* ir/base/def.h -- attributes, the three assert strengths, checked size arithmetic. */
#ifndef WB_DEF_H
#define WB_DEF_H

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WB_MUST_USE __attribute__((warn_unused_result))
#define WB_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define WB_LIKELY(x) __builtin_expect(!!(x), 1)
#define WB_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define WB_LEN(array) (sizeof(array) / sizeof((array)[0]))
#define WB_MIN(a, b) ((a) < (b) ? (a) : (b))
#define WB_MAX(a, b) ((a) > (b) ? (a) : (b))
#define WB_S(n) ((n) == 1 ? "" : "s") /* the end of a noun behind a number */

/* wb_assert: cheap, states an invariant, off in release.  wb_check_ir: whole objects, in debug and sanitizer builds.
** wb_check_all: slow, for fuzzing.  Never about input: that is refused with an error. */
#if defined(WEIR_CHECK)
#define wb_assert(x) assert(x)
#define wb_check_ir(x) assert(x)
#else
#define wb_assert(x) ((void)0)
#define wb_check_ir(x) ((void)0)
#endif
#if defined(WEIR_CHECK_ALL)
#define wb_check_all(x) assert(x)
#else
#define wb_check_all(x) ((void)0)
#endif

/* Faults that tests plant, to see that they find them: a file is compiled once more with WEIR_PLANT, the number of one (tests/CMakeLists.txt).
** Numbers are never used twice. */
#ifndef WEIR_PLANT
#define WEIR_PLANT 0
#endif
#define WB_PLANTED(n) (WEIR_PLANT == (n))

/* Leaves the function with the code of a step that failed.  For functions that own nothing. */
#define WB_TRY(step) \
  do { \
    weir_code wb_try_rc = (step); \
    if (wb_try_rc != WEIR_OK) return wb_try_rc; \
  } while (0)

/* Sizes and counts that come from outside: false when the result does not fit, and *out is then unspecified. */
static inline bool wb_mul(size_t a, size_t b, size_t *out) { return !__builtin_mul_overflow(a, b, out); }
static inline bool wb_add(size_t a, size_t b, size_t *out) { return !__builtin_add_overflow(a, b, out); }

#endif
