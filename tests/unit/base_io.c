/* tests/unit/base_io.c -- the door to files: whole, in parts, interrupted, closed, failing at every call. */
#include "ir/base/io.h"
#include "tests/test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* A folder of its own for each test, which runs in a process of its own. */
static char folder[64], path[96];

static void make_folder(void) {
  snprintf(folder, sizeof folder, "/tmp/weir_base_io_XXXXXX");
  cr_assert_not_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/file", folder);
}

static void remove_folder(void) {
  unlink(path);
  rmdir(folder);
}

TestSuite(base_io, .init = make_folder, .fini = remove_folder);

static void put(const char *bytes, size_t n) {
  wb_io io = {0};
  wb_file f;
  weir_error e;
  cr_assert_eq(wb_file_open_write(&f, &io, path, &e), WEIR_OK, "%s", e.text);
  cr_assert_eq(wb_file_write(&f, bytes, n, &e), WB_IO_OK);
  cr_assert_eq(wb_file_close(&f, &e), WEIR_OK);
}

static weir_code append(const char *bytes, size_t n, weir_error *e) {
  wb_io io = {0};
  wb_file f;
  weir_code rc = wb_file_open_append(&f, &io, path, e);
  if (rc != WEIR_OK) return rc;
  cr_expect_eq(wb_file_write(&f, bytes, n, e), WB_IO_OK);
  return wb_file_close(&f, e);
}

static weir_code get_all(wb_io *io, size_t limit, wb_mem *m, wb_str *out, weir_error *e) {
  return wb_file_read_all(io, path, limit, m, out, e);
}

Test(base_io, what_was_written_is_read) {
  wb_io io = {0};
  wb_file f;
  weir_error e;
  char text[32];
  size_t got;
  put("hello", 5);
  put("bye", 3); /* truncates */
  cr_assert_eq(wb_file_open_read(&f, &io, path, &e), WEIR_OK);
  cr_expect_eq(wb_file_size(&f), 3);
  cr_expect(wb_file_is_ready(&f));
  cr_expect_not(wb_file_is_terminal(&f));
  cr_expect_eq(wb_file_read(&f, text, 2, &got, &e), WB_IO_OK);
  cr_expect(got == 2 && memcmp(text, "by", 2) == 0);
  cr_expect_eq(wb_file_read(&f, text, sizeof text, &got, &e), WB_IO_OK);
  cr_expect(got == 1 && text[0] == 'e');
  cr_expect_eq(wb_file_read(&f, text, sizeof text, &got, &e), WB_IO_END);
  cr_expect_eq(got, 0);
  cr_expect_eq(wb_file_close(&f, &e), WEIR_OK);
  cr_expect_eq(f.fd, -1);
  cr_expect_eq(wb_file_close(&f, &e), WEIR_OK, "twice is harmless");
  f = WB_FILE_NONE;
  cr_expect_eq(wb_file_close(&f, &e), WEIR_OK);
}

Test(base_io, an_error_names_the_file_and_the_reason) {
  wb_io io = {0};
  wb_file f;
  weir_error e;
  cr_expect_eq(wb_file_open_read(&f, &io, "/nowhere/file", &e), WEIR_E_IO);
  cr_expect_str_eq(e.text, "cannot read /nowhere/file: no such file or folder");
  cr_expect_eq(e.code, WEIR_E_IO);
  cr_expect_eq(f.fd, -1);
  cr_expect_eq(wb_file_open_read(&f, &io, folder, &e), WEIR_E_IO, "a folder can be opened, but not read");
  cr_expect_not_null(strstr(e.text, "it is a folder"));
  cr_expect_eq(wb_file_open_write(&f, &io, folder, &e), WEIR_E_IO);
  cr_expect_not_null(strstr(e.text, "it is a folder"));
  cr_expect_eq(wb_file_open_read(&f, &io, "/nowhere/file", NULL), WEIR_E_IO, "nobody has to listen");
  io = (wb_io){.fail_at = 1, .fail_errno = 9999};
  cr_expect_eq(wb_file_open_read(&f, &io, path, &e), WEIR_E_IO);
  cr_expect_not_null(strstr(e.text, "system error 9999"));
}

Test(base_io, a_file_is_read_whole_up_to_the_limit) {
  wb_door d;
  wb_door_open(&d, NULL, 0);
  wb_mem m;
  wb_mem_init(&m, &d, 0);
  enum { N = 100000 };
  char *bytes = malloc(N);
  cr_assert_not_null(bytes);
  for (size_t i = 0; i < N; i++) bytes[i] = (char)(i * 7 + i / 256);
  static const size_t sizes[] = {0, 1, 16383, 16384, 16385, N};
  for (size_t i = 0; i < WB_LEN(sizes); i++) {
    size_t n = sizes[i];
    put(bytes, n);
    wb_io io = {0};
    wb_str text;
    weir_error e;
    cr_assert_eq(get_all(&io, n, &m, &text, &e), WEIR_OK, "%s", e.text);
    cr_expect(text.n == n && memcmp(text.at, bytes, n) == 0);
    cr_assert_eq(get_all(&io, SIZE_MAX, &m, &text, &e), WEIR_OK);
    cr_expect_eq(text.n, n);
    if (n == 0) continue;
    size_t used = m.used;
    cr_expect_eq(get_all(&io, n - 1, &m, &text, &e), WEIR_E_LIMIT);
    char right[200];
    snprintf(right, sizeof right, "%s is larger than the limit of %zu bytes", path, n - 1);
    cr_expect_str_eq(e.text, right);
    cr_expect(text.at == NULL && m.used == used, "nothing is left behind");
  }
  free(bytes);
  wb_mem_drop(&m);
}

Test(base_io, a_file_without_a_size_is_read_to_its_end) {
  wb_door d;
  wb_door_open(&d, NULL, 0);
  wb_mem m;
  wb_mem_init(&m, &d, 0);
  wb_io io = {0};
  wb_str text;
  weir_error e;
  cr_assert_eq(wb_file_read_all(&io, "/proc/self/status", 1 << 20, &m, &text, &e), WEIR_OK);
  cr_expect(text.n > 100 && memcmp(text.at, "Name:", 5) == 0);
  cr_expect_eq(wb_file_read_all(&io, "/dev/zero", 1 << 20, &m, &text, &e), WEIR_E_LIMIT, "and not beyond the limit");
  wb_mem_drop(&m);
}

Test(base_io, whichever_call_fails_the_file_is_closed_and_nothing_is_lost) {
  char bytes[5000] = "some text";
  bool ok = false;
  int first_free = dup(0);
  close(first_free);
  for (uint64_t n = 1; !ok; n++) {
    put(bytes, sizeof bytes);
    wb_door d;
    wb_door_open(&d, NULL, 0);
    wb_mem m;
    wb_mem_init(&m, &d, 0);
    wb_io io = {.fail_at = n};
    wb_str text;
    weir_error e = {0};
    weir_code rc = get_all(&io, sizeof bytes, &m, &text, &e);
    ok = io.calls < n;
    if (io.calls > 3 && !ok && rc == WEIR_OK) { /* only the close failed, when all was here */
      cr_expect_eq(text.n, sizeof bytes);
    } else {
      cr_expect_eq(rc, ok ? WEIR_OK : WEIR_E_IO, "call %d", (int)n);
      cr_expect(ok || strstr(e.text, "input/output error") != NULL);
    }
    wb_file f = WB_FILE_NONE;
    io = (wb_io){.fail_at = n, .fail_errno = ENOSPC};
    rc = wb_file_open_write(&f, &io, path, &e);
    if (rc == WEIR_OK && wb_file_write(&f, bytes, sizeof bytes, &e) != WB_IO_OK) rc = WEIR_E_IO;
    weir_code closed = wb_file_close(&f, rc == WEIR_OK ? &e : NULL);
    if (rc == WEIR_OK) rc = closed;
    cr_expect_eq(rc, io.calls < n ? WEIR_OK : WEIR_E_IO, "a late error is not swallowed");
    cr_expect(rc == WEIR_OK || strstr(e.text, "no space left on the device") != NULL);
    wb_mem_drop(&m);
    cr_expect_eq(d.used, 0);
  }
  int now_free = dup(0);
  close(now_free);
  cr_expect_eq(now_free, first_free, "a descriptor was lost");
}

Test(base_io, memory_that_ends_while_reading_is_reported) {
  put("some text", 9);
  bool ok = false;
  for (uint64_t n = 1; !ok; n++) {
    wb_door d;
    wb_door_open(&d, NULL, 0);
    d.fail_at = n;
    wb_mem m;
    wb_mem_init(&m, &d, 0);
    wb_io io = {0};
    wb_str text;
    weir_error e;
    ok = get_all(&io, 100, &m, &text, &e) == WEIR_OK;
    if (!ok) cr_expect_eq(e.code, WEIR_E_MEMORY);
    wb_mem_drop(&m);
  }
}

Test(base_io, a_closed_pipe_is_an_answer_of_its_own) {
  signal(SIGPIPE, SIG_IGN); /* as the command does */
  int ends[2];
  cr_assert_eq(pipe(ends), 0);
  close(ends[0]);
  wb_io io = {0};
  wb_file f;
  weir_error e = {0};
  wb_file_borrow(&f, &io, ends[1]);
  cr_expect_eq(wb_file_write(&f, "x", 1, &e), WB_IO_CLOSED);
  cr_expect_eq(e.code, WEIR_OK, "that is no error by itself");
  cr_expect_eq(wb_file_write(&f, "", 0, &e), WB_IO_OK);
  cr_expect_eq(wb_file_close(&f, &e), WEIR_OK);
  cr_expect_eq(close(ends[1]), 0, "a borrowed descriptor stays open");
}

Test(base_io, a_full_device_is_an_error) {
  wb_io io = {0};
  wb_file f;
  weir_error e;
  cr_assert_eq(wb_file_open_write(&f, &io, "/dev/full", &e), WEIR_OK);
  cr_expect_eq(wb_file_write(&f, "x", 1, &e), WB_IO_FAILED);
  cr_expect_str_eq(e.text, "cannot write: no space left on the device");
  cr_expect_eq(wb_file_close(&f, &e), WEIR_OK);
}

Test(base_io, a_pipe_is_ready_when_there_are_bytes_or_its_end) {
  int ends[2];
  cr_assert_eq(pipe(ends), 0);
  wb_io io = {0};
  wb_file in;
  wb_file_borrow(&in, &io, ends[0]);
  cr_expect_not(wb_file_is_ready(&in));
  cr_expect_eq(wb_file_size(&in), UINT64_MAX);
  cr_assert_eq(write(ends[1], "x", 1), 1);
  cr_expect(wb_file_is_ready(&in));
  char c;
  size_t got;
  weir_error e;
  cr_expect_eq(wb_file_read(&in, &c, 1, &got, &e), WB_IO_OK);
  cr_expect_not(wb_file_is_ready(&in));
  close(ends[1]);
  cr_expect(wb_file_is_ready(&in));
  cr_expect_eq(wb_file_read(&in, &c, 1, &got, &e), WB_IO_END);
  close(ends[0]);
}

static volatile sig_atomic_t rings;
static void ring(int number) {
  (void)number;
  rings++;
}

/* A child copies what it reads slowly, while an alarm rings here all the time. */
static void transfer(bool is_blocking) {
  enum { N = 1 << 20 };
  static char bytes[N];
  for (size_t i = 0; i < N; i++) bytes[i] = (char)(i * 31 + i / 1000);
  int there[2], back[2];
  cr_assert(pipe(there) == 0 && pipe(back) == 0);
  pid_t child = fork();
  cr_assert_geq(child, 0);
  if (child == 0) {
    unsigned sum = 0;
    static unsigned char part[10000];
    close(there[1]);
    for (ssize_t n; (n = read(there[0], part, sizeof part)) > 0; usleep(100))
      for (ssize_t i = 0; i < n; i++) sum = sum * 31 + part[i];
    usleep(20000);
    _exit(write(back[1], &sum, sizeof sum) == (ssize_t)sizeof sum ? 0 : 1);
  }
  close(there[0]);
  close(back[1]);
  struct sigaction act = {.sa_handler = ring}; /* no SA_RESTART */
  sigaction(SIGALRM, &act, NULL);
  setitimer(ITIMER_REAL, &(struct itimerval){{0, 300}, {0, 300}}, NULL);
  if (!is_blocking) {
    cr_assert_eq(fcntl(there[1], F_SETFL, O_NONBLOCK), 0);
    cr_assert_eq(fcntl(back[0], F_SETFL, O_NONBLOCK), 0);
  }
  wb_io io = {0};
  wb_file f;
  weir_error e = {0};
  wb_file_borrow(&f, &io, there[1]);
  cr_expect_eq(wb_file_write(&f, bytes, N, &e), WB_IO_OK, "%s", e.text);
  close(there[1]);
  unsigned sum = 0, right = 0;
  size_t got;
  wb_file_borrow(&f, &io, back[0]);
  cr_expect_eq(wb_file_read(&f, (char *)&sum, sizeof sum, &got, &e), WB_IO_OK, "%s", e.text);
  setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
  for (size_t i = 0; i < N; i++) right = right * 31 + (unsigned char)bytes[i];
  cr_expect(got == sizeof sum && sum == right);
  cr_expect_gt(rings, 3);
  int status;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  cr_expect_eq(status, 0);
}

Test(base_io, interrupted_calls_are_repeated_until_all_is_written) { transfer(true); }
Test(base_io, a_descriptor_that_does_not_block_is_waited_for) { transfer(false); }

Test(base_io, what_a_full_disk_left_of_a_line_is_taken_back) {
  wb_io io = {0};
  wb_file f;
  weir_error e;
  char name[] = "/tmp/weir-io-XXXXXX", left[32];
  int fd = mkstemp(name);
  cr_assert_geq(fd, 0);
  wb_file_borrow(&f, &io, fd);
  cr_assert_eq(wb_file_write(&f, "12\n345", 6, &e), WB_IO_OK);
  cr_expect_eq(f.moved, 6);
  wb_file_take_back(&f, 3);
  cr_assert_eq(wb_file_write(&f, "6\n", 2, &e), WB_IO_OK);
  cr_expect_eq(pread(fd, left, sizeof left, 0), 5);
  cr_expect_arr_eq(left, "12\n6\n", 5);
  (void)close(fd);
  (void)unlink(name);
}

Test(base_io, an_appended_file_is_made_once_and_no_link_is_followed) {
  wb_io io = {0};
  wb_door door;
  wb_mem m;
  wb_str text;
  weir_error e;
  char other[128];
  cr_expect_eq(append("one", 3, &e), WEIR_OK);
  cr_expect_eq(append("two", 3, &e), WEIR_OK);
  wb_door_open(&door, NULL, 0);
  wb_mem_init(&m, &door, 0);
  cr_assert_eq(get_all(&io, 100, &m, &text, &e), WEIR_OK);
  cr_expect(text.n == 6 && memcmp(text.at, "onetwo", 6) == 0);
  wb_mem_drop(&m);
  snprintf(other, sizeof other, "%s/other", folder);
  cr_assert_eq(rename(path, other), 0);
  cr_assert_eq(symlink(other, path), 0);
  cr_expect_eq(append("three", 5, &e), WEIR_E_IO);
  cr_expect_not_null(strstr(e.text, "symbolic links"), "%s", e.text);
  unlink(other);
}

/* Where nobody reads a pipe, and where somebody does; without waiting. */
Test(base_io, nothing_is_appended_to_a_pipe, .timeout = 20) {
  weir_error e;
  cr_assert_eq(mkfifo(path, 0600), 0);
  cr_expect_eq(append("one", 3, &e), WEIR_E_IO);
  int reader = open(path, O_RDONLY | O_NONBLOCK);
  cr_assert_geq(reader, 0);
  cr_expect_eq(append("one", 3, &e), WEIR_E_ARGUMENT);
  cr_expect_not_null(strstr(e.text, "not a file of this user"), "%s", e.text);
  char c;
  cr_expect_eq(read(reader, &c, 1), 0);
  close(reader);
}

Test(base_io, nothing_is_appended_to_what_another_user_has_made) {
  weir_error e;
  cr_assert_eq(append("one", 3, &e), WEIR_OK);
  if (chown(path, 65534, 65534) != 0) return; /* only root can give a file away */
  cr_expect_eq(append("two", 3, &e), WEIR_E_ARGUMENT);
  struct stat st;
  cr_expect(stat(path, &st) == 0 && st.st_size == 3);
}

Test(base_io, a_new_file_takes_no_name_that_is_taken) {
  wb_io io = {0};
  wb_file f;
  weir_error e;
  cr_assert_eq(wb_file_open_new(&f, &io, path, &e), WEIR_OK, "%s", e.text);
  cr_expect_eq(wb_file_write(&f, "one", 3, &e), WB_IO_OK);
  cr_expect_eq(wb_file_close(&f, &e), WEIR_OK);
  cr_expect_eq(wb_file_open_new(&f, &io, path, &e), WEIR_E_ARGUMENT);
  cr_expect_eq(f.fd, -1);
  cr_expect_not_null(strstr(e.text, "is there already"), "%s", e.text);
  struct stat st;
  cr_expect(stat(path, &st) == 0 && st.st_size == 3);
  cr_assert_eq(unlink(path), 0);
  cr_assert_eq(symlink("nothing", path), 0);
  cr_expect_eq(wb_file_open_new(&f, &io, path, &e), WEIR_E_ARGUMENT, "not where a link leads to nothing, either");
}

Test(base_io, a_file_is_removed_where_there_is_one) {
  wb_io io = {0};
  weir_error e;
  char below[128];
  cr_assert_eq(append("one", 3, &e), WEIR_OK);
  snprintf(below, sizeof below, "%s/below", path);
  cr_expect_eq(wb_file_remove(&io, below, &e), WEIR_OK, "nothing is in a file");
  cr_expect_eq(access(path, F_OK), 0);
  cr_expect_eq(wb_file_remove(&io, path, &e), WEIR_OK);
  cr_expect_neq(access(path, F_OK), 0);
  cr_expect_eq(wb_file_remove(&io, path, &e), WEIR_OK, "it is not there any more");
  cr_expect_eq(wb_file_remove(&io, folder, &e), WEIR_E_IO);
  cr_expect_not_null(strstr(e.text, "cannot remove "), "%s", e.text);
  wb_io broken = {.fail_at = 1, .fail_errno = EACCES};
  cr_expect_eq(wb_file_remove(&broken, path, &e), WEIR_E_IO);
}
