/* tests/unit/base_mem.c -- owners, budgets, the fault hook; growable arrays on top of them. */
#include "ir/base/io.h"
#include "ir/base/mem.h"
#include "ir/base/text.h"
#include "ir/base/vec.h"
#include "tests/test.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define IS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IS_ASAN 1
#endif
#endif
#if defined(IS_ASAN)
#include <sanitizer/asan_interface.h>
#endif

static bool all_zero(const char *at, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (at[i] != 0) return false;
  return true;
}

static uint32_t next_random(uint32_t *state) {
  *state = *state * 1664525 + 1013904223;
  return *state >> 8;
}

/* ---- The door ---------------------------------------------------------------------------------------------------- */

typedef struct host { size_t taken, given, most; } host; /* an allocator that counts, and fails beyond `most` blocks */

static void *host_take(void *self, size_t size) {
  host *h = self;
  if (h->most != 0 && h->taken - h->given >= h->most) return NULL;
  h->taken++;
  return malloc(size);
}

static void host_give(void *self, void *block) {
  host *h = self;
  h->given++;
  free(block);
}

Test(base_mem, a_host_allocator_gets_back_all_that_it_gave) {
  host h = {0};
  const weir_allocator allocator = {host_take, host_give, &h};
  wb_door d;
  wb_door_open(&d, &allocator, 0);
  wb_mem m;
  wb_mem_init(&m, &d, 0);
  for (size_t i = 0; i < 300; i++) {
    cr_assert_not_null(wb_alloc(&m, i, 7, 1));
    void *block = wb_block(&m, i * 3);
    cr_assert_not_null(block);
    if (i % 2 == 0) wb_block_free(&m, block);
  }
  void *own = wb_door_take(&d, 1000);
  cr_assert(own != NULL && all_zero(own, 1000));
  wb_door_give(&d, own, 1000);
  wb_mem_drop(&m);
  cr_expect_gt(h.taken, 0);
  cr_expect_eq(h.taken, h.given);
  cr_expect_eq(d.used, 0);
}

Test(base_mem, a_host_that_has_nothing_left_is_an_answer) {
  host h = {.most = 1};
  const weir_allocator allocator = {host_take, host_give, &h};
  wb_door d;
  wb_door_open(&d, &allocator, 0);
  wb_mem m;
  wb_mem_init(&m, &d, 0);
  void *first = wb_block(&m, 1000);
  cr_assert_not_null(first);
  cr_expect_null(wb_block(&m, 10));
  cr_expect_null(wb_alloc(&m, 1, 1, 1));
  cr_expect_null(wb_block_resize(&m, first, 2000));
  memset(first, 7, 1000); /* still ours */
  cr_expect(wb_mem_is_valid(&m));
  wb_mem_drop(&m);
  cr_expect_eq(d.used, 0);
}

Test(base_mem, the_host_never_comes_to_use_mimalloc) {
  wb_door d;
  wb_door_open(&d, NULL, 0);
  void *block = wb_door_take(&d, 100);
  cr_assert_not_null(block);
  wb_door_give(&d, block, 100);
  cr_expect_null(dlsym(RTLD_DEFAULT, "mi_malloc"));
}

Test(base_mem, what_the_door_gives_is_aligned_to_16) {
  wb_door d;
  wb_door_open(&d, NULL, 0);
  wb_mem m;
  wb_mem_init(&m, &d, 0);
  for (size_t size = 0; size < 400; size++) {
    void *own = wb_door_take(&d, size + 1), *block = wb_block(&m, size);
    cr_expect_eq((uintptr_t)own % 16, 0);
    cr_expect_eq((uintptr_t)block % 16, 0);
    wb_door_give(&d, own, size + 1);
  }
  wb_mem_drop(&m);
}

Test(base_mem, the_limit_of_the_door_holds_for_all_owners_together) {
  wb_door d;
  wb_door_open(&d, NULL, 100000);
  wb_mem a, b;
  wb_mem_init(&a, &d, 0);
  wb_mem_init(&b, &d, 0);
  cr_assert_not_null(wb_block(&a, 60000));
  cr_expect_null(wb_block(&b, 60000));
  cr_assert_not_null(wb_block(&b, 100000 - d.used - 32)); /* to the last byte: a block's head has 32 */
  cr_expect_eq(d.used, 100000);
  cr_expect_null(wb_block(&a, 0));
  cr_expect_null(wb_door_take(&d, 1));
  wb_mem_drop(&a);
  cr_expect_not_null(wb_block(&b, 60000));
  cr_expect_null(wb_block(&b, SIZE_MAX - 32));
  wb_mem_drop(&b);
  cr_expect_eq(d.used, 0);
}

static void *churn(void *door) {
  wb_mem m;
  wb_mem_init(&m, door, 0);
  void *held[64] = {0};
  uint32_t state = 1;
  for (int i = 0; i < 20000; i++) {
    void **slot = &held[next_random(&state) % 64];
    wb_block_free(&m, *slot);
    *slot = wb_block(&m, next_random(&state) % 2000);
  }
  bool is_valid = wb_mem_is_valid(&m);
  wb_mem_drop(&m);
  return is_valid ? door : NULL;
}

Test(base_mem, owners_of_several_threads_share_a_door) {
  wb_door d;
  wb_door_open(&d, NULL, 100000); /* some requests are refused */
  pthread_t threads[4];
  for (size_t i = 0; i < 4; i++) cr_assert_eq(pthread_create(&threads[i], NULL, churn, &d), 0);
  for (size_t i = 0; i < 4; i++) {
    void *ok;
    pthread_join(threads[i], &ok);
    cr_expect_not_null(ok);
  }
  cr_expect_eq(d.used, 0);
}

/* ---- Chunks ------------------------------------------------------------------------------------------------------ */

Test(base_mem, pieces_are_zeroed_aligned_and_apart) {
  wb_door d;
  wb_door_open(&d, NULL, 0);
  wb_mem m;
  wb_mem_init(&m, &d, 0);
  enum { N = 2000 };
  char *at[N];
  size_t size[N];
  uint32_t state = 2;
  for (int round = 0; round < 3; round++) {
    for (size_t i = 0; i < N; i++) {
      size_t align = (size_t)1 << next_random(&state) % 7;
      size[i] = i % 100 == 99 ? next_random(&state) % 100000 : next_random(&state) % 60;
      at[i] = wb_alloc(&m, 1, size[i], align);
      cr_assert_not_null(at[i]);
      cr_assert_eq((uintptr_t)at[i] % align, 0);
      cr_assert(all_zero(at[i], size[i]));
      memset(at[i], (int)(i % 255) + 1, size[i]);
    }
    for (size_t i = 0; i < N; i++)
      for (size_t k = 0; k < size[i]; k++) cr_assert_eq((unsigned char)at[i][k], i % 255 + 1);
    cr_assert(wb_mem_is_valid(&m));
    wb_mem_reset(&m);
    cr_assert(wb_mem_is_valid(&m));
  }
  wb_mem_drop(&m);
  cr_expect_eq(d.used, 0);
}

Test(base_mem, a_product_that_does_not_fit_is_refused) {
  wb_door d;
  wb_door_open(&d, NULL, 0);
  wb_mem m;
  wb_mem_init(&m, &d, 0);
  cr_expect_null(wb_alloc(&m, SIZE_MAX / 2, 3, 8));
  cr_expect_null(wb_alloc(&m, SIZE_MAX, 1, 64));
  cr_expect_null(wb_alloc(&m, 1, SIZE_MAX - 20, 1));
  cr_expect_null(wb_block(&m, SIZE_MAX));
  cr_expect_not_null(wb_alloc(&m, SIZE_MAX, 0, 8));
  cr_expect_not_null(wb_alloc(&m, 0, 0, 1));
  wb_mem_drop(&m);
}

Test(base_mem, a_reset_keeps_one_chunk_so_that_ticks_come_to_need_no_request) {
  wb_door d;
  wb_door_open(&d, NULL, 0);
  wb_mem m;
  wb_mem_init(&m, &d, 0);
  char *block = wb_block(&m, 5);
  cr_assert_not_null(block);
  strcpy(block, "kept");
  uint64_t calls = 0;
  for (int tick = 0; tick < 20; tick++) {
    if (tick == 10) calls = d.calls;
    for (int i = 0; i < 500; i++) cr_assert_not_null(wb_alloc(&m, 1, 40, 8));
    wb_mem_reset(&m);
  }
  cr_expect_eq(d.calls, calls);
  cr_expect_str_eq(block, "kept");
  wb_mem_drop(&m);
}

Test(base_mem, an_owner_may_be_used_again_after_its_drop) {
  wb_door d;
  wb_door_open(&d, NULL, 0);
  wb_mem m;
  wb_mem_init(&m, &d, 0);
  wb_mem_drop(&m);
  for (int i = 0; i < 3; i++) {
    cr_assert(wb_alloc(&m, 10, 10, 8) != NULL && wb_block(&m, 10) != NULL);
    wb_mem_drop(&m);
    cr_expect_eq(m.used, 0);
  }
  wb_mem_reset(&m);
  cr_expect_eq(d.used, 0);
}

Test(base_mem, a_limit_is_reached_to_the_byte_even_when_chunks_would_double) {
  wb_door d;
  wb_door_open(&d, NULL, 0);
  for (size_t limit = 1000; limit < 20000; limit += 611) {
    wb_mem m;
    wb_mem_init(&m, &d, limit);
    size_t got = 0;
    while (wb_alloc(&m, 1, 100, 4) != NULL) got += 100;
    cr_expect(wb_mem_is_valid(&m));
    cr_expect(got * 2 + 300 > limit, "only %zu bytes of a limit of %zu", got, limit); /* heads, red zones, ends of chunks */
    size_t left = limit - m.used;
    cr_expect(left < 100 + 16 + 32, "%zu bytes were left", left);
    wb_mem_drop(&m);
  }
}

#if defined(IS_ASAN)
Test(base_mem, asan_sees_a_step_beyond_a_piece_and_a_use_after_reset) {
  wb_door d;
  wb_door_open(&d, NULL, 0);
  wb_mem m;
  wb_mem_init(&m, &d, 0);
  char *a = wb_alloc(&m, 1, 13, 1), *b = wb_alloc(&m, 1, 13, 1);
  cr_assert(a != NULL && b != NULL);
  cr_expect_not(__asan_region_is_poisoned(a, 13) != NULL);
  cr_expect(__asan_address_is_poisoned(a + 13));
  cr_expect(__asan_address_is_poisoned(b - 1));
  cr_expect(__asan_address_is_poisoned(b + 13));
  wb_mem_reset(&m);
  cr_expect(__asan_address_is_poisoned(a));
  char *c = wb_block(&m, 13);
  cr_assert_not_null(c);
  cr_expect(__asan_address_is_poisoned(c + 13));
  wb_mem_drop(&m);
}
#endif

/* ---- Blocks ------------------------------------------------------------------------------------------------------ */

Test(base_mem, blocks_come_and_go_in_any_order) {
  wb_door d;
  wb_door_open(&d, NULL, 0);
  wb_mem m;
  wb_mem_init(&m, &d, 0);
  enum { N = 200 };
  char *at[N] = {0};
  size_t size[N] = {0};
  uint32_t state = 3;
  for (int step = 0; step < 20000; step++) {
    size_t i = next_random(&state) % N, want = next_random(&state) % (step % 50 == 0 ? 5000 : 300);
    for (size_t k = 0; k < size[i]; k++) cr_assert_eq((unsigned char)at[i][k], i, "another block wrote here");
    if (next_random(&state) % 3 == 0) {
      char *moved = wb_block_resize(&m, at[i], want);
      cr_assert_not_null(moved);
      for (size_t k = 0; k < WB_MIN(size[i], want); k++) cr_assert_eq((unsigned char)moved[k], i);
      at[i] = moved;
    } else {
      wb_block_free(&m, at[i]);
      at[i] = wb_block(&m, want);
      cr_assert_not_null(at[i]);
    }
    size[i] = want;
    memset(at[i], (int)i, want);
    if (step % 500 == 0) cr_assert(wb_mem_is_valid(&m));
  }
  cr_expect(m.peak >= m.used);
  wb_mem_drop(&m);
  cr_expect_eq(d.used, 0);
}

Test(base_mem, spare_blocks_go_before_a_request_is_refused) {
  wb_door d;
  wb_door_open(&d, NULL, 0);
  wb_mem m;
  wb_mem_init(&m, &d, 4096);
  for (int round = 0; round < 3; round++) {
    void *small[40];
    for (size_t i = 0; i < 40; i++) cr_assert_not_null(small[i] = wb_block(&m, i));
    for (size_t i = 0; i < 40; i++) wb_block_free(&m, small[i]);
    cr_assert(wb_mem_is_valid(&m));
    void *large = wb_block(&m, 4096 - 32); /* all that there is */
    cr_assert_not_null(large);
    cr_expect_eq(m.used, 4096);
    cr_expect_null(wb_block(&m, 0));
    wb_block_free(&m, large);
  }
  cr_expect_eq(m.peak, 4096);
  wb_mem_drop(&m);
}

/* A part with a block in use and one spare; the whole's own bytes, and its limit, are as they are told. */
static void expect_shared(size_t limit) {
  wb_door d;
  wb_door_open(&d, NULL, 0);
  wb_mem whole, part;
  wb_mem_init(&whole, &d, limit);
  wb_mem_init_part(&part, &whole);
  cr_assert(wb_block(&whole, 1000) != NULL && wb_block(&part, 1000) != NULL);
  void *own = wb_block(&whole, 100), *other = wb_block(&part, 100);
  cr_assert(own != NULL && other != NULL);
  wb_block_free(&whole, own);
  wb_block_free(&part, other);
  cr_assert(wb_mem_is_valid(&whole) && wb_mem_is_valid(&part));
  cr_expect_eq(d.used, whole.used + whole.spare_bytes, "what the part keeps is taken too");
  if (limit == 0) {
    cr_expect_not_null(wb_block(&part, 5000));
  } else {
    cr_expect_null(wb_block(&part, limit - 2064 - 31), "a byte too much for both");
    cr_expect_not_null(wb_block(&part, limit - 2064 - 32), "all that is left, without what both keep");
    cr_expect_null(wb_block(&whole, 0));
    cr_expect_eq(whole.used, limit);
  }
  cr_assert(wb_mem_is_valid(&whole) && wb_mem_is_valid(&part));
  size_t most = whole.used;
  wb_mem_drop(&part);
  cr_expect(whole.lent == 0 && whole.peak == most && whole.used == 1032, "%zu of %zu", whole.used, most);
  cr_expect_not_null(wb_block(&whole, 1000), "what the part had is free again");
  wb_mem_drop(&whole);
  cr_expect_eq(d.used, 0);
}

Test(base_mem, what_a_part_takes_is_its_wholes_too) {
  expect_shared(0);
  expect_shared(8192);
}

Test(base_mem, a_failed_resize_leaves_the_block_alone) {
  wb_door d;
  wb_door_open(&d, NULL, 0);
  wb_mem m;
  wb_mem_init(&m, &d, 300);
  char *block = wb_block(&m, 100);
  cr_assert_not_null(block);
  memset(block, 'x', 100);
  cr_expect_null(wb_block_resize(&m, block, 200)); /* both have to be there for a moment */
  cr_expect_null(wb_block_resize(&m, block, SIZE_MAX));
  cr_expect_eq(wb_block_resize(&m, block, 50), block);
  cr_expect_eq(block[99], 'x');
  wb_block_free(&m, NULL);
  wb_mem_drop(&m);
}

/* ---- Arrays ------------------------------------------------------------------------------------------------------ */

Test(base_mem, an_array_grows_and_keeps_its_elements) {
  wb_door d;
  wb_door_open(&d, NULL, 0);
  wb_mem m;
  wb_mem_init(&m, &d, 0);
  WB_VEC(uint32_t) v = {0};
  for (uint32_t i = 0; i < 10000; i++) cr_assert(WB_PUSH(&m, &v, i * 3));
  for (uint32_t i = 0; i < 10000; i++) cr_assert_eq(v.at[i], i * 3);
  cr_expect(d.calls < 20, "it grows geometrically");
  cr_expect_eq(WB_TOP(&v), 29997);
  cr_expect_eq(WB_POP(&v), 29997);
  cr_expect_eq(v.n, 9999);
  uint32_t *before = v.at;
  cr_expect_not(WB_VEC_ROOM(&m, &v, SIZE_MAX - 5)); /* n + more wraps */
  cr_expect_not(WB_VEC_ROOM(&m, &v, SIZE_MAX / 4));
  cr_expect(v.at == before && v.n == 9999);
  WB_VEC_FREE(&m, &v);
  cr_expect(v.at == NULL && v.n == 0 && v.cap == 0);
  WB_VEC(const char *) names = {0};
  cr_assert(WB_PUSH(&m, &names, "of any type"));
  wb_mem_drop(&m);
}

/* ---- Every request fails once ------------------------------------------------------------------------------------ */

/* A bit of everything that asks for memory.  True if it got through. */
static bool mixed(wb_door *d) {
  wb_mem m;
  wb_mem_init(&m, d, 0);
  bool ok = false;
  wb_names names;
  wb_names_init(&names, &m);
  WB_VEC(uint64_t) v = {0};
  char *block = NULL;
  void *own = wb_door_take(d, 123);
  if (own == NULL) goto out;
  for (uint32_t i = 0; i < 200; i++) {
    char text[16] = "name 000";
    text[5] = (char)('0' + i / 100);
    text[6] = (char)('0' + i / 10 % 10);
    text[7] = (char)('0' + i % 10);
    uint32_t id = wb_intern(&names, (wb_str){text, 8});
    if (id == WB_NO_NAME) {
      cr_assert_eq(wb_names_find(&names, (wb_str){text, 8}), WB_NO_NAME, "half interned");
      cr_assert_eq(names.texts.n, i);
      goto out;
    }
    cr_assert_eq(id, i);
    size_t n = v.n;
    if (!WB_PUSH(&m, &v, i)) {
      cr_assert_eq(v.n, n);
      goto out;
    }
    char *grown = wb_block_resize(&m, block, i * 5);
    if (grown == NULL) goto out;
    block = grown;
    if (wb_alloc(&m, i, 9, 8) == NULL) goto out;
  }
  ok = true;
out:
  cr_assert(wb_mem_is_valid(&m));
  for (size_t i = 0; i < v.n; i++) cr_assert_eq(v.at[i], i);
  wb_door_give(d, own, 123);
  wb_mem_drop(&m);
  cr_assert_eq(d->used, 0);
  return ok;
}

Test(base_mem, whichever_request_fails_nothing_is_lost_or_half_made) {
  uint64_t n = 0;
  for (bool ok = false; !ok;) {
    wb_door d;
    wb_door_open(&d, NULL, 0);
    d.fail_at = ++n;
    ok = mixed(&d);
    cr_assert_eq(ok, d.calls < n, "request %d failed and nobody noticed", (int)n);
  }
  cr_expect_gt(n, 10);
}
