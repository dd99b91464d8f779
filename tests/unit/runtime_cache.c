/* tests/unit/runtime_cache.c -- the object cache's folder: what was kept is found whole, or nothing is. */
#include "runtime/cache_disk.h"
#include "tests/support/scratch.h"
#include "tests/test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MANY = 1 << 20 };

static char folder[160], file[512];
static wb_door door;
static wrt_cache cache;
static weir_error why; /* of the last `keep` */

static wb_digest key_of(const char *text) {
  wb_digester d;
  wb_digest_begin(&d);
  wb_digest_add(&d, text, strlen(text));
  return wb_digest_end(&d);
}

static void begin(void) {
  snprintf(folder, sizeof folder, "%s/home/cache", scratch_make());
  wb_door_open(&door, NULL, 0);
  cache = (wrt_cache){.folder = folder, .most_bytes = MANY};
}

TestSuite(runtime_cache, .init = begin, .fini = scratch_remove);

static weir_cache_state keep(const char *key, const char *bytes, size_t n) {
  wb_digest k = key_of(key);
  const wb_str parts[] = {{bytes, n / 3}, {bytes + n / 3, n - n / 3}};
  why = (weir_error){.code = WEIR_OK};
  return wrt_cache_keep(&cache, &k, &door, parts, 2, &why);
}

static weir_cache_state keep_text(const char *key, const char *text) { return keep(key, text, strlen(text)); }

/* Is just that found?  NULL: is nothing? */
static bool finds(const char *key, const char *text) {
  wb_digest k = key_of(key);
  wb_mem mem;
  wb_str got = {NULL, 0};
  wb_mem_init(&mem, &door, 0);
  bool is_found = wrt_cache_find(&cache, &k, &mem, &got);
  bool is_that = text == NULL ? !is_found : is_found && wb_str_eq(got, (wb_str){text, strlen(text)});
  wb_mem_drop(&mem);
  return is_that;
}

/* The files there, hidden ones included; the path of one of them is left in `file`. */
static size_t count_files(void) {
  DIR *d = opendir(folder);
  size_t n = 0;
  for (struct dirent *one; d != NULL && (one = readdir(d)) != NULL;)
    if (strcmp(one->d_name, ".") != 0 && strcmp(one->d_name, "..") != 0) {
      snprintf(file, sizeof file, "%s/%s", folder, one->d_name);
      n++;
    }
  if (d != NULL) closedir(d);
  return n;
}

static size_t read_file(char bytes[4096]) {
  FILE *f = fopen(file, "r");
  cr_assert_not_null(f);
  size_t n = fread(bytes, 1, 4096, f);
  fclose(f);
  return n;
}

static void write_file(const char *bytes, size_t n) { cr_assert(scratch_write(file, bytes, n)); }

Test(runtime_cache, what_was_kept_is_found_under_its_key_alone) {
  cr_expect(finds("a", NULL), "there is no folder yet");
  cr_expect_eq(keep_text("a", "the bytes of a"), WEIR_CACHE_KEPT);
  cr_expect_eq(keep_text("b", ""), WEIR_CACHE_KEPT);
  cr_expect(finds("a", "the bytes of a"));
  cr_expect(finds("b", ""));
  cr_expect(finds("c", NULL));
  cr_expect_eq(keep_text("a", "others"), WEIR_CACHE_KEPT);
  cr_expect(finds("a", "others"));
  cr_expect_eq(count_files(), 2, "nothing is left of what was replaced");
}

Test(runtime_cache, nothing_is_kept_without_a_folder) {
  cache.folder = NULL;
  cr_expect_eq(keep_text("a", "x"), WEIR_CACHE_UNASKED);
  cr_expect(finds("a", NULL));
}

Test(runtime_cache, folders_and_files_are_made_for_their_user_alone) {
  struct stat st;
  mode_t mask = umask(0);
  cr_expect_eq(keep_text("a", "x"), WEIR_CACHE_KEPT);
  umask(mask);
  cr_assert_eq(stat(folder, &st), 0);
  cr_expect_eq(st.st_mode & 07777, 0700u);
  cr_expect_eq(count_files(), 1);
  cr_assert_eq(stat(file, &st), 0);
  cr_expect_eq(st.st_mode & 07777, 0600u);
}

/* Many levels, and paths that say so in other ways. */
Test(runtime_cache, all_folders_above_are_made) {
  static const char *const forms[] = {"%s/a/b/c/d/cache", "%s/e//f/./g///cache//", "%s/h/../i/j/../k"};
  char path[400];
  struct stat st;
  for (size_t i = 0; i < WB_LEN(forms); i++) {
    snprintf(path, sizeof path, forms[i], scratch_folder());
    cache.folder = path;
    cr_expect_eq(keep_text("a", "x"), WEIR_CACHE_KEPT, "%s", path);
    cr_expect(finds("a", "x"), "%s", path);
  }
  snprintf(path, sizeof path, "%s/a/b", scratch_folder());
  cr_assert_eq(stat(path, &st), 0);
  cr_expect_eq(st.st_mode & 07777, 0700u);
  cr_assert_eq(chdir(scratch_folder()), 0);
  cache.folder = "l/m/n";
  cr_expect_eq(keep_text("a", "x"), WEIR_CACHE_KEPT);
  cr_expect(finds("a", "x"));
  cr_assert_eq(chdir("/"), 0);
}

/* Each of them finds some that are there, and some that another one is just making. */
Test(runtime_cache, processes_may_make_the_same_folders_at_once) {
  enum { PROCESSES = 4, TURNS = 50 };
  char path[400];
  for (int turn = 0; turn < TURNS; turn++) {
    snprintf(path, sizeof path, "%s/turn%d/a/b/c/d/e/f/g", scratch_folder(), turn);
    cache.folder = path;
    pid_t children[PROCESSES];
    for (int i = 0; i < PROCESSES; i++)
      if ((children[i] = fork()) == 0) _exit(keep_text("a", "x") == WEIR_CACHE_KEPT ? 0 : 1);
    for (int i = 0; i < PROCESSES; i++) {
      int status = -1;
      cr_assert_eq(waitpid(children[i], &status, 0), children[i]);
      cr_expect_eq(status, 0, "turn %d", turn);
    }
    cr_expect(finds("a", "x"));
  }
}

/* ---- Damage ---- */

Test(runtime_cache, a_file_with_any_bit_changed_is_not_found_and_is_replaced) {
  char bytes[4096];
  cr_assert_eq(keep_text("a", "a dozen bytes"), WEIR_CACHE_KEPT);
  cr_assert_eq(count_files(), 1);
  size_t n = read_file(bytes);
  for (size_t bit = 0; bit < 8 * n; bit++) {
    bytes[bit / 8] = (char)(bytes[bit / 8] ^ (1 << bit % 8));
    write_file(bytes, n);
    bytes[bit / 8] = (char)(bytes[bit / 8] ^ (1 << bit % 8));
    cr_assert(finds("a", NULL), "bit %zu", bit);
  }
  cr_expect_eq(keep_text("a", "a dozen bytes"), WEIR_CACHE_KEPT);
  cr_expect(finds("a", "a dozen bytes"));
}

Test(runtime_cache, a_file_of_another_length_is_not_found) {
  char bytes[4096] = {0};
  cr_assert_eq(keep_text("a", "a dozen bytes"), WEIR_CACHE_KEPT);
  cr_assert_eq(count_files(), 1);
  size_t n = read_file(bytes);
  for (size_t cut = 0; cut < n; cut++) {
    write_file(bytes, cut);
    cr_assert(finds("a", NULL), "%zu bytes", cut);
  }
  write_file(bytes, n + 1);
  cr_expect(finds("a", NULL), "one byte too many");
  write_file(bytes, n);
  cr_expect(finds("a", "a dozen bytes"));
}

Test(runtime_cache, the_file_of_another_key_is_not_found) {
  char bytes[4096];
  cr_assert_eq(keep_text("a", "of a"), WEIR_CACHE_KEPT);
  cr_assert_eq(count_files(), 1);
  size_t n = read_file(bytes);
  cr_assert_eq(unlink(file), 0);
  cr_assert_eq(keep_text("b", "of b"), WEIR_CACHE_KEPT);
  cr_assert_eq(count_files(), 1);
  write_file(bytes, n); /* whole, and under the name of b */
  cr_expect(finds("b", NULL));
}

Test(runtime_cache, what_is_removed_is_not_found) {
  wb_digest a = key_of("a"), none = key_of("none");
  cr_expect_not(wrt_cache_remove(&cache, &a), "there is no folder");
  cr_assert_eq(keep_text("a", "x"), WEIR_CACHE_KEPT);
  cr_assert_eq(keep_text("b", "y"), WEIR_CACHE_KEPT);
  cr_expect(wrt_cache_remove(&cache, &none), "it is not there");
  cr_assert_eq(chmod(folder, 0777), 0);
  cr_expect_not(wrt_cache_remove(&cache, &a), "what others put there is their business");
  cr_assert_eq(chmod(folder, 0700), 0);
  for (uint64_t at = 1; at <= 2; at++) {
    cache.fail_at = at;
    cr_expect_not(wrt_cache_remove(&cache, &a), "call %zu", (size_t)at);
  }
  cache.fail_at = 0;
  cr_expect(finds("a", "x"));
  cr_expect(wrt_cache_remove(&cache, &a));
  cr_expect(finds("a", NULL) && finds("b", "y"));
  cr_expect_eq(count_files(), 1);
  cr_expect(wrt_cache_remove(&cache, &a), "another process may have done it");
  cache.folder = NULL;
  cr_expect_not(wrt_cache_remove(&cache, &a));
}

/* ---- Others ---- */

Test(runtime_cache, a_folder_that_others_may_write_to_is_refused) {
  cr_assert_eq(keep_text("a", "x"), WEIR_CACHE_KEPT);
  static const mode_t modes[] = {0720, 0702, 0777, 01777};
  for (size_t i = 0; i < WB_LEN(modes); i++) {
    cr_assert_eq(chmod(folder, modes[i]), 0);
    cr_expect(finds("a", NULL), "%o", modes[i]);
    cr_expect_eq(keep_text("b", "y"), WEIR_CACHE_REFUSED);
  }
  cr_assert_eq(chmod(folder, 0755), 0);
  cr_expect(finds("a", "x"), "others may read");
  cr_expect_eq(count_files(), 1);
}

Test(runtime_cache, what_belongs_to_another_user_is_refused) {
  cr_assert_eq(keep_text("a", "x"), WEIR_CACHE_KEPT);
  cr_assert_eq(count_files(), 1);
  if (geteuid() != 0) return; /* only root can give files away */
  cr_assert_eq(chown(file, 65534, (gid_t)-1), 0);
  cr_expect(finds("a", NULL), "a file");
  cr_expect_eq(keep_text("a", "y"), WEIR_CACHE_KEPT, "which is replaced");
  cr_expect(finds("a", "y"));
  cr_assert_eq(chown(folder, 65534, (gid_t)-1), 0);
  cr_expect(finds("a", NULL), "the folder");
  cr_expect_eq(keep_text("a", "z"), WEIR_CACHE_REFUSED);
}

Test(runtime_cache, a_file_that_others_may_write_to_is_not_found) {
  cr_assert_eq(keep_text("a", "x"), WEIR_CACHE_KEPT);
  cr_assert_eq(count_files(), 1);
  cr_assert_eq(chmod(file, 0620), 0);
  cr_expect(finds("a", NULL));
}

Test(runtime_cache, what_is_no_plain_file_is_not_found) {
  char elsewhere[512];
  cr_assert_eq(keep_text("a", "x"), WEIR_CACHE_KEPT);
  cr_assert_eq(count_files(), 1);
  snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", scratch_folder());
  cr_assert_eq(rename(file, elsewhere), 0);
  cr_assert_eq(symlink(elsewhere, file), 0);
  cr_expect(finds("a", NULL), "a link");
  cr_assert_eq(unlink(file), 0);
  cr_assert_eq(mkfifo(file, 0600), 0);
  cr_expect(finds("a", NULL), "a pipe, which has nobody wait");
  cr_assert_eq(unlink(file), 0);
  cr_assert_eq(mkdir(file, 0700), 0);
  cr_expect(finds("a", NULL), "a folder");
  cr_expect_eq(keep_text("a", "y"), WEIR_CACHE_FAILED);
  cr_expect_eq(count_files(), 1, "nothing half made is left");
}

Test(runtime_cache, a_folder_that_cannot_be_written_to_is_read) {
  cr_assert_eq(keep_text("a", "x"), WEIR_CACHE_KEPT);
  cr_assert_eq(chmod(folder, 0500), 0);
  cr_expect(finds("a", "x"));
  if (geteuid() != 0) cr_expect_eq(keep_text("b", "y"), WEIR_CACHE_FAILED);
  cr_assert_eq(chmod(folder, 0700), 0);
}

Test(runtime_cache, a_folder_that_cannot_be_made_is_a_reason) {
  static const char *const paths[] = {"/dev/null/cache", "/proc/there/is/none", "", "/"};
  static const char *const reasons[] = {"cannot make the folder /dev/null/cache: a part of the path is no folder", NULL, "cannot make the folder : no such file or folder", NULL};
  for (size_t i = 0; i < WB_LEN(paths); i++) {
    cache.folder = paths[i];
    if (geteuid() == 0 && i == 3) continue; /* it would be kept there */
    weir_cache_state state = keep_text("a", "x");
    cr_expect(state == WEIR_CACHE_FAILED || state == WEIR_CACHE_REFUSED, "%s: %d", paths[i], state);
    if (reasons[i] != NULL) cr_expect_str_eq(why.text, reasons[i]);
    cr_expect(finds("a", NULL));
  }
}

/* Also where the path is long. */
Test(runtime_cache, the_reason_is_told_whatever_the_path) {
  char long_path[1001] = {'/'};
  for (size_t i = 1; i < sizeof long_path - 1; i++) long_path[i] = i % 3 == 0 ? '\xbc' : i % 3 == 2 ? '\xc3' : '/';
  cache.folder = long_path;
  cache.fail_at = 1;
  cache.fail_errno = ENOSPC;
  cr_expect_eq(keep_text("a", "x"), WEIR_CACHE_FAILED);
  cr_expect_not_null(strstr(why.text, "/\xc3\xbc/\xc3\xbc"), "%s", why.text);
  cr_expect_null(strchr(why.text, '?'), "%s", why.text);
  cr_expect_str_eq(why.text + strlen(why.text) - strlen(": no space left on the device"), ": no space left on the device");
  cache.folder = folder;
  cache.fail_at = 0;
  cr_assert_eq(keep_text("a", "x"), WEIR_CACHE_KEPT);
  cr_assert_eq(chmod(folder, 0777), 0);
  cr_expect_eq(keep_text("a", "x"), WEIR_CACHE_REFUSED);
  cr_expect_not_null(strstr(why.text, "others may write to it"), "%s", why.text);
  cache.most_bytes = 50;
  cr_expect_eq(keep_text("a", "0123456789"), WEIR_CACHE_LARGE);
  cr_expect_not_null(strstr(why.text, " bytes are more than the 50 that all files may take"), "%s", why.text);
}

/* ---- Failures of the system ---- */

static const char *const halves[] = {"first", "second, which is longer"};

Test(runtime_cache, every_call_on_a_file_may_fail) {
  static const int numbers[] = {EIO, ENOSPC, EDQUOT, EROFS, EINTR};
  for (size_t k = 0; k < WB_LEN(numbers); k++)
    for (uint64_t at = 1; at <= 40; at++) {
      cache.fail_at = 0;
      cr_assert_eq(keep_text("a", halves[0]), WEIR_CACHE_KEPT);
      cache.fail_at = at;
      cache.fail_errno = numbers[k] == EINTR ? EIO : numbers[k];
      weir_cache_state state = keep_text("a", halves[1]);
      cr_expect(state == WEIR_CACHE_KEPT || state == WEIR_CACHE_FAILED);
      cr_expect(finds("a", NULL) || finds("a", halves[0]) || finds("a", halves[1]));
      cache.fail_at = 0;
      cr_expect(finds("a", halves[0]) || finds("a", halves[1]), "call %zu", (size_t)at);
      if (state == WEIR_CACHE_KEPT) cr_expect(finds("a", halves[1]));
    }
}

Test(runtime_cache, every_request_for_memory_may_fail) {
  cr_assert_eq(keep_text("a", "x"), WEIR_CACHE_KEPT);
  size_t refused = 0;
  for (uint64_t at = 1; at <= 20; at++) {
    wb_door_open(&door, NULL, 0);
    door.fail_at = at;
    weir_cache_state state = keep_text("b", "y");
    cr_expect_eq(state, WEIR_CACHE_KEPT, "the limit is looked after another time");
    refused += finds("a", NULL);
    door.fail_at = 0;
    cr_expect(finds("a", "x") && finds("b", "y"));
  }
  cr_expect_gt(refused, 0);
}

/* ---- The limit ---- */

static void set_age(const char *key, time_t seconds) {
  wb_digest k = key_of(key);
  char path[512], *to = path + snprintf(path, sizeof path, "%s/", folder);
  for (size_t i = 0; i < WB_DIGEST_BYTES; i++) to += sprintf(to, "%02x", k.at[i]);
  strcpy(to, ".obj");
  struct timespec when[2] = {{.tv_sec = 1000000 - seconds}, {.tv_sec = 1000000 - seconds}};
  cr_assert_eq(utimensat(AT_FDCWD, path, when, 0), 0, "%s", path);
}

Test(runtime_cache, the_oldest_files_go_when_there_are_too_many) {
  static const char *const keys[] = {"a", "b", "c", "d"};
  char bytes[1000] = {0};
  cache.most_bytes = 5 * 1100;
  for (size_t i = 0; i < WB_LEN(keys); i++) {
    cr_assert_eq(keep(keys[i], bytes, sizeof bytes), WEIR_CACHE_KEPT);
    set_age(keys[i], (time_t)(i * 3 % 4)); /* a is the newest, then d, c; b is the oldest */
  }
  cr_assert_eq(keep("e", bytes, sizeof bytes), WEIR_CACHE_KEPT);
  cr_expect_eq(count_files(), 5);
  cr_assert_eq(keep("f", bytes, sizeof bytes), WEIR_CACHE_KEPT);
  cr_expect_eq(count_files(), 5);
  cr_expect(finds("b", NULL), "the oldest");
  cache.most_bytes = 2 * 1100;
  cr_assert_eq(keep("g", bytes, sizeof bytes), WEIR_CACHE_KEPT);
  cr_expect_eq(count_files(), 2);
  cr_expect(finds("a", NULL) && finds("c", NULL) && finds("d", NULL));
}

/* What is too large is no failure, and what was kept under a higher limit goes: alone, where the others are within the limit. */
Test(runtime_cache, a_file_larger_than_all_may_be_is_not_kept_and_does_not_stay) {
  char bytes[3000] = {0};
  cr_assert_eq(keep("small", bytes, 100), WEIR_CACHE_KEPT);
  set_age("small", 10);
  cr_assert_eq(keep("large", bytes, sizeof bytes), WEIR_CACHE_KEPT);
  cr_assert_eq(count_files(), 2);
  cache.most_bytes = 1000;
  cr_expect(finds("large", NULL), "it is beyond the limit");
  cr_expect_eq(keep("large", bytes, sizeof bytes), WEIR_CACHE_LARGE);
  cr_expect_eq(count_files(), 1);
  cr_expect_not(finds("small", NULL), "the older one is within it");
  cache.folder = "/there/is/no/folder";
  cr_expect_eq(keep("large", bytes, sizeof bytes), WEIR_CACHE_LARGE, "and makes none");
}

static time_t written(void) {
  struct stat st;
  cr_assert_eq(count_files(), 1);
  cr_assert_eq(stat(file, &st), 0);
  return st.st_mtim.tv_sec;
}

Test(runtime_cache, a_file_that_is_found_does_not_go_as_if_it_were_old) {
  char bytes[1000] = {0};
  time_t now = time(NULL);
  cr_assert_eq(keep("a", bytes, sizeof bytes), WEIR_CACHE_KEPT);
  set_age("a", 1000000 - now + 3600);
  cr_expect(!finds("a", NULL));
  cr_expect_eq(written(), now - 3600, "an hour ago is soon enough");
  set_age("a", 1000000 - now + 25 * 3600);
  cr_expect(!finds("a", NULL));
  cr_expect_geq(written(), now);
  set_age("a", 0);
  cr_assert_eq(keep("b", bytes, sizeof bytes), WEIR_CACHE_KEPT);
  cr_expect(!finds("a", NULL));
  cache.most_bytes = 2 * 1100;
  set_age("b", 1000000 - now + 10);
  cr_assert_eq(keep("c", bytes, sizeof bytes), WEIR_CACHE_KEPT);
  cr_expect(!finds("a", NULL) && finds("b", NULL));
}

Test(runtime_cache, a_damaged_file_grows_old_though_it_is_looked_at) {
  char bytes[4096];
  cr_assert_eq(keep_text("a", "a dozen bytes"), WEIR_CACHE_KEPT);
  cr_assert_eq(count_files(), 1);
  size_t n = read_file(bytes);
  bytes[n - 1] = (char)(bytes[n - 1] ^ 1);
  write_file(bytes, n);
  set_age("a", 0);
  cr_expect(finds("a", NULL));
  cr_expect_eq(written(), 1000000);
}

Test(runtime_cache, files_that_are_not_its_own_are_left_alone) {
  cr_assert_eq(keep_text("a", "x"), WEIR_CACHE_KEPT);
  set_age("a", 0);
  static const char *const names[] = {"notes.txt", "0123456789abcdef.obj", ".obj", "weir.new"};
  for (size_t i = 0; i < WB_LEN(names); i++) {
    snprintf(file, sizeof file, "%s/%s", folder, names[i]);
    write_file("something", 9);
  }
  cache.most_bytes = 120; /* room for one */
  cr_expect_eq(keep_text("b", "y"), WEIR_CACHE_KEPT);
  cr_expect(finds("a", NULL));
  cr_expect(finds("b", "y"));
  cr_expect_eq(count_files(), 1 + WB_LEN(names));
}

Test(runtime_cache, what_a_process_left_half_made_goes_like_the_rest) {
  cr_assert_eq(keep_text("a", "x"), WEIR_CACHE_KEPT);
  cr_assert_eq(count_files(), 1);
  char half[512];
  snprintf(half, sizeof half, "%s", file);
  strcpy(half + strlen(half) - 4, ".0123456789abcdef.new");
  cr_assert_eq(rename(file, half), 0);
  struct timespec when[2] = {{.tv_sec = 5}, {.tv_sec = 5}};
  cr_assert_eq(utimensat(AT_FDCWD, half, when, 0), 0);
  cr_expect(finds("a", NULL));
  cache.most_bytes = 120;
  cr_expect_eq(keep_text("b", "y"), WEIR_CACHE_KEPT);
  cr_expect_eq(count_files(), 1);
}

/* ---- Many at once ---- */

enum { PROCESSES = 4, TURNS = 200, LARGE = 20000 };

/* Writes and reads two keys over and over: what is found is one of what is written.  The process ends with what went wrong. */
static int take_turns(int number) {
  static char bytes[LARGE];
  memset(bytes, 'a' + number, sizeof bytes);
  for (int i = 0; i < TURNS; i++) {
    const char *key = i % 2 == 0 ? "a" : "b";
    wb_digest k = key_of(key);
    wb_mem mem;
    wb_str got;
    if (i % 3 == number % 3 && keep(key, bytes, sizeof bytes) != WEIR_CACHE_KEPT) return 1;
    wb_mem_init(&mem, &door, 0);
    if (wrt_cache_find(&cache, &k, &mem, &got)) {
      if (got.n != LARGE || got.at[0] < 'a' || got.at[0] >= 'a' + PROCESSES) return 2;
      for (size_t b = 1; b < got.n; b++)
        if (got.at[b] != got.at[0]) return 3;
    } else if (i > 10) return 4; /* once there, it is always there */
    wb_mem_drop(&mem);
  }
  return 0;
}

Test(runtime_cache, processes_that_write_and_read_at_once_see_whole_files) {
  pid_t children[PROCESSES];
  for (int i = 0; i < PROCESSES; i++) {
    children[i] = fork();
    cr_assert_geq(children[i], 0);
    if (children[i] == 0) _exit(take_turns(i));
  }
  for (int i = 0; i < PROCESSES; i++) {
    int status = -1;
    cr_assert_eq(waitpid(children[i], &status, 0), children[i]);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "process %d: %d", i, WEXITSTATUS(status));
  }
  cr_expect_eq(count_files(), 2);
}
