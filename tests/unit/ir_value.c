/* tests/unit/ir_value.c -- objects: making, counting, releasing, comparing. */
#include "tests/test.h"
#include "tests/support/host.h"
#include "ir/value.h"

#include <math.h>

typedef struct box { wb_door door; wb_mem mem; } box;

static void open_box(box *b) {
  wb_door_open(&b->door, NULL, 0);
  wb_mem_init(&b->mem, &b->door, 0);
}

static weir_value new_text(box *b, const char *text) {
  weir_value v;
  cr_assert_eq(wir_text_new(&b->mem, text, strlen(text), &v), WEIR_OK);
  return v;
}

/* A list of the given items; it takes their references. */
static weir_value new_list(wb_mem *mem, uint32_t n, const weir_value *items) {
  weir_value v = {.tag = WEIR_NOVAL};
  weir_value *to = wir_obj_new(mem, WEIR_LIST, n, &v);
  for (uint32_t i = 0; to != NULL && i < n; i++) to[i] = items[i];
  return v;
}

/* [[[...]]] of `depth` levels around nothing. */
static weir_value nest(wb_mem *mem, uint32_t depth) {
  weir_value v = new_list(mem, 0, NULL);
  for (uint32_t i = 1; i < depth; i++) v = new_list(mem, 1, &v);
  return v;
}

Test(ir_value, an_object_is_freed_with_its_last_reference) {
  box b;
  open_box(&b);
  weir_value v = new_text(&b, "hello");
  size_t used = b.mem.used;
  cr_expect_gt(used, 0);
  wir_retain(v);
  wir_release(&b.mem, v);
  cr_expect_eq(b.mem.used, used, "one reference is left");
  cr_expect(memcmp(v.as.text, "hello", 5) == 0);
  wir_release(&b.mem, v);
  cr_expect_eq(b.mem.used, 0);
  wb_mem_drop(&b.mem);
}

Test(ir_value, releasing_a_container_releases_what_only_it_holds) {
  box b;
  open_box(&b);
  weir_value kept = new_text(&b, "kept"), lost = new_text(&b, "lost");
  wir_retain(kept);
  weir_value map = {.tag = WEIR_NOVAL};
  weir_entry *entries = wir_obj_new(&b.mem, WEIR_MAP, 1, &map);
  cr_assert(entries != NULL);
  entries[0] = (weir_entry){lost, new_list(&b.mem, 2, (weir_value[]){kept, an_int(3)})};
  wir_release(&b.mem, map);
  cr_expect_eq(wir_obj_of(kept)->refs, 1);
  cr_expect(memcmp(kept.as.text, "kept", 4) == 0);
  wir_release(&b.mem, kept);
  cr_expect(b.mem.blocks == NULL, "nothing is in use");
  wb_mem_drop(&b.mem);
}

Test(ir_value, what_is_not_an_object_is_not_counted) {
  box b;
  open_box(&b);
  const weir_value plain[] = {no_value(), deferred(), {.tag = WEIR_UNIT}, a_bool(true), an_int(1), a_float(1)};
  for (size_t i = 0; i < WB_LEN(plain); i++) {
    wir_retain(plain[i]);
    wir_release(&b.mem, plain[i]);
    wir_release(&b.mem, plain[i]);
  }
  cr_expect_eq(b.mem.used, 0);
}

Test(ir_value, objects_of_a_program_are_never_counted) {
  box b;
  open_box(&b);
  weir_value v = new_text(&b, "shared");
  wir_obj_of(v)->refs = WIR_SHARED;
  wir_retain(v);
  for (int i = 0; i < 5; i++) wir_release(&b.mem, v);
  cr_expect_eq(wir_obj_of(v)->refs, WIR_SHARED);
  weir_value list = new_list(&b.mem, 2, (weir_value[]){v, v});
  wir_release(&b.mem, list);
  cr_expect_eq(wir_obj_of(v)->refs, WIR_SHARED, "nor by the containers that hold them");
  wb_mem_drop(&b.mem);
}

Test(ir_value, a_list_that_holds_one_object_twice_counts_it_twice) {
  box b;
  open_box(&b);
  weir_value v = new_text(&b, "twice");
  wir_retain(v);
  wir_release(&b.mem, new_list(&b.mem, 2, (weir_value[]){v, v}));
  cr_expect(b.mem.blocks == NULL);
  wb_mem_drop(&b.mem);
}

typedef struct deep { uint32_t depth; bool is_made, is_equal, is_unequal, is_empty; } deep;

static void release_deep(void *arg) {
  deep *d = arg;
  box b;
  open_box(&b);
  weir_value x = nest(&b.mem, d->depth), y = nest(&b.mem, d->depth), z = nest(&b.mem, d->depth - 1);
  d->is_made = x.tag == WEIR_LIST && y.tag == WEIR_LIST && z.tag == WEIR_LIST;
  bool equal = false;
  d->is_equal = wir_value_equal(&b.mem, x, y, &equal) == WEIR_OK && equal;
  d->is_unequal = wir_value_equal(&b.mem, x, z, &equal) == WEIR_OK && !equal;
  wir_release(&b.mem, x);
  wir_release(&b.mem, y);
  wir_release(&b.mem, z);
  d->is_empty = b.mem.blocks == NULL;
  wb_mem_drop(&b.mem);
}

Test(ir_value, a_million_levels_are_compared_and_released_on_a_small_stack) {
  deep d = {.depth = 1000000};
  host_on_small_stack(release_deep, &d);
  cr_expect(d.is_made);
  cr_expect(d.is_equal);
  cr_expect(d.is_unequal);
  cr_expect(d.is_empty, "every level was given back");
}

Test(ir_value, an_object_of_more_than_a_count_can_say_is_not_made) {
  box b;
  open_box(&b);
  weir_value v;
  cr_expect_null(wir_obj_new(&b.mem, WEIR_TEXT, (size_t)WIR_MAX_COUNT + 1, &v));
  cr_expect_null(wir_obj_new(&b.mem, WEIR_MAP, SIZE_MAX / 8, &v));
  cr_expect_eq(wir_text_new(&b.mem, "", (size_t)WIR_MAX_COUNT + 1, &v), WEIR_E_VALUE_LIMIT);
  cr_expect_eq(b.mem.used, 0);
}

Test(ir_value, texts_are_ordered_by_their_bytes) {
  const char *const rising[] = {"", "A", "B", "a", "aa", "ab", "b", "\x7f", "\xc3\xa9", "\xf0\x9f\x98\x80"};
  for (size_t i = 0; i < WB_LEN(rising); i++)
    for (size_t k = 0; k < WB_LEN(rising); k++)
      cr_expect_eq(wir_text_compare(a_text(rising[i]), a_text(rising[k])), (i > k) - (i < k), "\"%s\" and \"%s\"", rising[i], rising[k]);
  weir_value with_zero = {.tag = WEIR_TEXT, .count = 3, .as.text = "a\0b"};
  cr_expect_eq(wir_text_compare(a_text("a"), with_zero), -1, "a zero byte is a byte");
}

static bool equal(weir_value x, weir_value y) {
  box b;
  open_box(&b);
  bool xy = false, yx = false;
  cr_expect_eq(wir_value_equal(&b.mem, x, y, &xy), WEIR_OK);
  cr_expect_eq(wir_value_equal(&b.mem, y, x, &yx), WEIR_OK);
  cr_expect_eq(xy, yx, "equality has no direction");
  cr_expect_eq(b.mem.blocks, NULL);
  wb_mem_drop(&b.mem);
  return xy;
}

Test(ir_value, numbers_are_equal_by_value) {
  cr_expect(equal(an_int(1), a_float(1.0)));
  cr_expect(equal(a_float(0.0), a_float(-0.0)));
  cr_expect(equal(an_int((INT64_C(1) << 53) + 1), a_float(9007199254740992.0)), "mixed ones as doubles");
  cr_expect_not(equal(an_int((INT64_C(1) << 53) + 1), an_int(INT64_C(1) << 53)), "Ints exactly");
  cr_expect_not(equal(a_float(NAN), a_float(NAN)));
  cr_expect_not(equal(an_int(1), a_bool(true)));
  cr_expect_not(equal(an_int(1), a_text("1")));
}

Test(ir_value, containers_are_equal_when_all_parts_are) {
  const weir_value ints[] = {an_int(1), an_int(2)}, floats[] = {a_float(1), a_float(2)}, other[] = {an_int(1), an_int(3)};
  cr_expect(equal(a_list(2, ints), a_list(2, floats)));
  cr_expect_not(equal(a_list(2, ints), a_list(2, other)));
  cr_expect_not(equal(a_list(2, ints), a_list(1, ints)));
  cr_expect_not(equal(a_list(2, ints), a_tuple(2, ints)));
  cr_expect(equal(a_list(0, NULL), a_list(0, NULL)));
  cr_expect_not(equal(a_list(0, NULL), a_map(0, NULL)));
  const weir_value nan = a_float(NAN), once = a_list(2, ints), twice = a_list(1, &once), again = a_list(1, &once);
  cr_expect_not(equal(a_list(1, &nan), a_list(1, &nan)));
  cr_expect(equal(twice, again));
  const weir_entry x = {a_text("k"), an_int(1)}, y = {a_text("k"), a_float(1)}, z = {a_text("l"), an_int(1)};
  cr_expect(equal(a_map(1, &x), a_map(1, &y)));
  cr_expect_not(equal(a_map(1, &x), a_map(1, &z)));
  cr_expect(equal((weir_value){.tag = WEIR_UNIT}, (weir_value){.tag = WEIR_UNIT}));
}

Test(ir_value, comparing_without_memory_is_an_error_and_not_an_answer) {
  host_memory memory;
  host_memory_open(&memory);
  memory.fail_at = 1;
  wb_door door;
  wb_mem mem;
  wb_door_open(&door, &memory.allocator, 0);
  wb_mem_init(&mem, &door, 0);
  const weir_value one = an_int(1);
  bool is_equal = false;
  cr_expect_eq(wir_value_equal(&mem, a_list(1, &one), a_list(1, &one), &is_equal), WEIR_E_MEMORY);
  cr_expect_eq(wir_value_equal(&mem, one, one, &is_equal), WEIR_OK, "flat values need none");
}
