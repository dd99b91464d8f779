/* bench/built_for.h -- sets of instructions that a compiler may use where it is allowed to: X(id, name). */
#ifndef BENCH_BUILT_FOR_H
#define BENCH_BUILT_FOR_H

#define BENCH_INSTRUCTIONS(X) \
  X(SSE4_2, "sse4.2") X(POPCNT, "popcnt") X(AVX, "avx") X(AVX2, "avx2") X(BMI, "bmi") X(BMI2, "bmi2") X(FMA, "fma") \
  X(AVX512F, "avx512f") X(AVX512BW, "avx512bw") X(AVX512DQ, "avx512dq") X(AVX512VL, "avx512vl") X(AVX512CD, "avx512cd") \
  X(AVX512VBMI, "avx512vbmi") X(AVX512VBMI2, "avx512vbmi2") X(AVX512IFMA, "avx512ifma") X(AVX512BITALG, "avx512bitalg") \
  X(AVX512VPOPCNTDQ, "avx512vpopcntdq") X(AVX512VNNI, "avx512vnni") X(GFNI, "gfni")
enum {
#define X(id, name) BENCH_BIT_##id,
  BENCH_INSTRUCTIONS(X)
#undef X
#define X(id, name) BENCH_HAS_##id = 1 << BENCH_BIT_##id,
  BENCH_INSTRUCTIONS(X)
#undef X
};

#endif
