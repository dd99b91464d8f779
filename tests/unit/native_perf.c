/* tests/unit/native_perf.c -- the map that names kernels for Linux's perf: written where it is asked for, and nowhere else.
**
** In a build without the native module this suite is empty. */
#include "tests/test.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "weir.h"

#ifdef TEST_HAS_NATIVE

static char path[64];

static void find_path(void) {
  snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
  unlink(path);
}

static void remove_map(void) { unlink(path); }

TestSuite(native_perf, .init = find_path, .fini = remove_map);

typedef struct host { weir_engine *engine; weir_program *program; weir_monitor *m; } host;

static void open_spec(host *h, bool perf_map, const char *name, const char *spec) {
  weir_engine_options with = {.size = sizeof with, .native_module = TEST_NATIVE, .perf_map = perf_map};
  weir_compile_options called = {.size = sizeof called, .name = name};
  weir_options options = {.size = sizeof options, .tier = WEIR_TIER_NATIVE};
  cr_assert_eq(weir_engine_new(&with, &h->engine, NULL), WEIR_OK);
  cr_assert_eq(weir_compile(h->engine, spec, strlen(spec), &called, &h->program, NULL), WEIR_OK);
  cr_assert_eq(weir_monitor_new(h->engine, h->program, &options, &h->m, NULL), WEIR_OK);
}

static void open_host(host *h, bool perf_map, const char *name) {
  open_spec(h, perf_map, name, "in x: Int  out s: Int  s = default(s[1], 0) + x");
}

static void close_host(host *h) {
  weir_monitor_free(h->m);
  weir_program_release(h->program);
  weir_engine_free(h->engine);
}

/* The whole file, terminated; false: there is none. */
static bool read_map(char *to, size_t size) {
  FILE *f = fopen(path, "r");
  if (f == NULL) return false;
  to[fread(to, 1, size - 1, f)] = '\0';
  fclose(f);
  return true;
}

/* Is every byte in memory that this process can execute? */
static bool is_code(uintptr_t at, size_t bytes) {
  char line[512];
  bool is = false;
  FILE *maps = fopen("/proc/self/maps", "r");
  cr_assert_not_null(maps);
  while (fgets(line, sizeof line, maps) != NULL) {
    uintptr_t begin, end;
    char rights[8];
    if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %7s", &begin, &end, rights) == 3 && rights[2] == 'x') is |= at >= begin && at + bytes <= end;
  }
  fclose(maps);
  return is;
}

static bool is_kernel(const char *name) {
  static const char *const names[] = {"general", "sparse", "warm", "batch_sparse", "batch_warm"};
  static const char prefix[] = "weir:pump.dsrv:";
  if (strncmp(name, prefix, sizeof prefix - 1) != 0) return false;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name + sizeof prefix - 1, names[i]) == 0) return true;
  return false;
}

Test(native_perf, each_kernel_is_named_where_it_stands) {
  host h;
  char map[2000];
  open_host(&h, true, "pump.dsrv");
  cr_assert(read_map(map, sizeof map));
  int n = 0;
  for (char *line = strtok(map, "\n"); line != NULL; line = strtok(NULL, "\n"), n++) {
    uintptr_t at;
    size_t bytes;
    char name[100];
    cr_assert_eq(sscanf(line, "%" SCNxPTR " %zx %99s", &at, &bytes, name), 3, "%s", line);
    cr_expect(bytes > 8 && is_code(at, bytes), "%s", line);
    cr_expect(is_kernel(name), "%s", name);
  }
  cr_expect_gt(n, 2, "of rows: any and warm; of tiles");
  close_host(&h);
}

static int count_lines(const char *at) {
  int n = 0;
  for (; (at = strchr(at, '\n')) != NULL; at++) n++;
  return n;
}

Test(native_perf, later_code_comes_behind_and_a_name_is_one_line) {
  host a, b;
  char map[2000];
  open_host(&a, true, NULL);
  cr_assert(read_map(map, sizeof map));
  int n_first = count_lines(map);
  open_host(&b, true, "two\nlines");
  cr_assert(read_map(map, sizeof map));
  cr_expect_eq(count_lines(map), 2 * n_first);
  cr_expect_not_null(strstr(map, " weir:program:warm\n"));
  cr_expect_not_null(strstr(map, " weir:two?lines:warm\n"));
  close_host(&a);
  close_host(&b);
}

Test(native_perf, kernels_of_regions_are_named_by_their_numbers) {
  host h;
  char map[2000];
  open_spec(&h, true, "pump.dsrv", "in x: Int  in s: Str  out y: Int  out v: Bool  out z: Int  y = x + 1  v = s == \"a\" && y > 3  z = if v then y else x");
  cr_assert(read_map(map, sizeof map));
  cr_expect_eq(count_lines(map), 2);
  cr_expect_not_null(strstr(map, " weir:pump.dsrv:region_1\n"));
  cr_expect_not_null(strstr(map, " weir:pump.dsrv:region_2\n"));
  close_host(&h);
}

Test(native_perf, nothing_is_written_unasked) {
  host h;
  char map[10];
  open_host(&h, false, "pump.dsrv");
  cr_expect(!read_map(map, sizeof map));
  close_host(&h);
}

Test(native_perf, a_map_that_cannot_be_written_stops_nothing) {
  host h;
  weir_cell x = {.i = 7}, s;
  char other[80];
  snprintf(other, sizeof other, "%s.elsewhere", path);
  cr_assert_eq(symlink(other, path), 0);
  open_host(&h, true, "pump.dsrv");
  cr_expect_eq(weir_monitor_push_typed(h.m, &x, NULL, NULL, &s, NULL, NULL, NULL), WEIR_OK);
  cr_expect_eq(s.i, 7);
  weir_report r = {.size = sizeof r};
  weir_monitor_report(h.m, &r);
  cr_expect_eq(r.rows[WEIR_TIER_NATIVE], 1);
  cr_expect_neq(access(other, F_OK), 0);
  close_host(&h);
}

#endif
