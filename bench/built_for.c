/* bench/built_for.c -- which instructions the floor and the harness may use: nothing but a number, so that it can be asked on a processor
** that lacks them. */
#include "bench/bench.h"
#include "bench/built_for.h"

const char bench_built_name[] = BENCH_ARCH;

const unsigned bench_built_for = 0
#ifdef __SSE4_2__
  | BENCH_HAS_SSE4_2
#endif
#ifdef __POPCNT__
  | BENCH_HAS_POPCNT
#endif
#ifdef __AVX__
  | BENCH_HAS_AVX
#endif
#ifdef __AVX2__
  | BENCH_HAS_AVX2
#endif
#ifdef __BMI__
  | BENCH_HAS_BMI
#endif
#ifdef __BMI2__
  | BENCH_HAS_BMI2
#endif
#ifdef __FMA__
  | BENCH_HAS_FMA
#endif
#ifdef __AVX512F__
  | BENCH_HAS_AVX512F
#endif
#ifdef __AVX512BW__
  | BENCH_HAS_AVX512BW
#endif
#ifdef __AVX512DQ__
  | BENCH_HAS_AVX512DQ
#endif
#ifdef __AVX512VL__
  | BENCH_HAS_AVX512VL
#endif
#ifdef __AVX512CD__
  | BENCH_HAS_AVX512CD
#endif
#ifdef __AVX512VBMI__
  | BENCH_HAS_AVX512VBMI
#endif
#ifdef __AVX512VBMI2__
  | BENCH_HAS_AVX512VBMI2
#endif
#ifdef __AVX512IFMA__
  | BENCH_HAS_AVX512IFMA
#endif
#ifdef __AVX512BITALG__
  | BENCH_HAS_AVX512BITALG
#endif
#ifdef __AVX512VPOPCNTDQ__
  | BENCH_HAS_AVX512VPOPCNTDQ
#endif
#ifdef __AVX512VNNI__
  | BENCH_HAS_AVX512VNNI
#endif
#ifdef __GFNI__
  | BENCH_HAS_GFNI
#endif
  ;
