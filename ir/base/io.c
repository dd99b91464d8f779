/* ir/base/io.c -- the one door to files.
**
** Every call to the system that may fail first passes `refused`, where a test can make it fail.  Interrupted calls are repeated;
** a descriptor that somebody made non-blocking is waited for.  Signals are the host's: a closed pipe is an answer here (EPIPE),
** and whoever owns the process decides about SIGPIPE. */
#include "ir/base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOVE_MAX = 1 << 30, READ_ALL_FIRST = 16 << 10 };

/* Our own words: those of the C library follow the locale. */
static const struct { int number; const char *what; } reasons[] = {
  {EACCES, "permission denied"},      {EPERM, "not permitted"},
  {ENOENT, "no such file or folder"}, {ENOTDIR, "a part of the path is no folder"},
  {EISDIR, "it is a folder"},         {ENAMETOOLONG, "the name is too long"},
  {ELOOP, "too many symbolic links"}, {EMFILE, "too many open files in this process"},
  {ENFILE, "too many open files"},    {ENOSPC, "no space left on the device"},
  {EDQUOT, "the disk quota is used up"}, {EFBIG, "the file is too large"},
  {EROFS, "the file system is read-only"}, {EIO, "input/output error"},
  {EPIPE, "the reader is gone"},      {EBADF, "the descriptor is not open for that"},
  {ETXTBSY, "the file is a running program"}, {ENXIO, "no such device"},
  {ENODEV, "no such device"},         {EINVAL, "not possible for this kind of file"},
  {ECONNRESET, "the connection was reset"}, {ETIMEDOUT, "timed out"},
  {ENOMEM, "out of memory"},
};

static weir_code fail_errno(weir_error *e, int number, const char *verb, const char *path) {
  const char *space = path != NULL ? " " : "";
  if (path == NULL) path = "";
  for (size_t i = 0; i < WB_LEN(reasons); i++)
    if (reasons[i].number == number)
      return wb_fail(e, WEIR_E_IO, WB_NOWHERE, "cannot %s%s%s: %s", verb, space, path, reasons[i].what);
  return wb_fail(e, WEIR_E_IO, WB_NOWHERE, "cannot %s%s%s: system error %d", verb, space, path, number);
}

/* Counts a call.  True, with errno set, where a test wants it to fail. */
static bool refused(wb_io *io) {
  io->calls++;
  if (io->fail_at == 0 || io->calls < io->fail_at) return false;
  errno = io->fail_errno != 0 ? io->fail_errno : EIO;
  return true;
}

static weir_code file_open(wb_file *f, wb_io *io, const char *path, int flags, const char *verb, weir_error *e) {
  *f = (wb_file){io, -1, false, 0};
  int fd = -1;
  if (!refused(io)) do fd = open(path, flags | O_CLOEXEC | O_NOCTTY, 0666);
    while (fd < 0 && errno == EINTR);
  if (fd < 0) return fail_errno(e, errno, verb, path);
  struct stat st;
  int why = fstat(fd, &st) != 0 ? errno : S_ISDIR(st.st_mode) ? EISDIR : 0;
  if (why != 0) {
    close(fd);
    return fail_errno(e, why, verb, path);
  }
  f->fd = fd;
  return WEIR_OK;
}

weir_code wb_file_open_read(wb_file *f, wb_io *io, const char *path, weir_error *e) {
  return file_open(f, io, path, O_RDONLY, "read", e);
}

weir_code wb_file_open_write(wb_file *f, wb_io *io, const char *path, weir_error *e) {
  return file_open(f, io, path, O_WRONLY | O_CREAT | O_TRUNC, "write", e);
}

weir_code wb_folder_make(wb_io *io, const char *path, weir_error *e) {
  int why = refused(io) ? errno : 0;
  if (why == 0 && mkdir(path, 0777) != 0 && errno != EEXIST) why = errno;
  return why == 0 ? WEIR_OK : fail_errno(e, why, "make the folder", path);
}

weir_code wb_file_remove(wb_io *io, const char *path, weir_error *e) {
  int why = refused(io) ? errno : 0;
  if (why == 0 && unlink(path) != 0 && errno != ENOENT) why = errno;
  return why == 0 ? WEIR_OK : fail_errno(e, why, "remove", path);
}

weir_code wb_file_open_append(wb_file *f, wb_io *io, const char *path, weir_error *e) {
  return file_open(f, io, path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, "write", e);
}

void wb_file_borrow(wb_file *f, wb_io *io, int fd) { *f = (wb_file){io, fd, true, 0}; }

weir_code wb_file_close(wb_file *f, weir_error *e) {
  int fd = f->fd;
  f->fd = -1; /* whatever close says, the descriptor is gone; it is never tried twice */
  if (fd < 0 || f->is_borrowed) return WEIR_OK;
  int why = refused(f->io) ? errno : 0;
  if (close(fd) != 0 && errno != EINTR) why = errno;
  return why == 0 ? WEIR_OK : fail_errno(e, why, "close the file", NULL);
}

static void wait_for(int fd, short events) {
  struct pollfd p = {fd, events, 0};
  (void)poll(&p, 1, -1); /* however it ends, the call that follows tells what is the matter */
}

static bool is_later(int number) { return number == EAGAIN || number == EWOULDBLOCK; }

wb_io_status wb_file_read(wb_file *f, char *to, size_t size, size_t *got, weir_error *e) {
  wb_assert(f->fd >= 0 && size > 0);
  *got = 0;
  ssize_t n = -1;
  if (!refused(f->io))
    while ((n = read(f->fd, to, WB_MIN(size, (size_t)MOVE_MAX))) < 0 && (errno == EINTR || is_later(errno)))
      if (errno != EINTR) wait_for(f->fd, POLLIN);
  if (n < 0) {
    (void)fail_errno(e, errno, "read", NULL);
    return WB_IO_FAILED;
  }
  *got = (size_t)n;
  return n > 0 ? WB_IO_OK : WB_IO_END;
}

wb_io_status wb_file_write(wb_file *f, const char *from, size_t size, weir_error *e) {
  wb_assert(f->fd >= 0);
  for (f->moved = 0; f->moved < size;) {
    ssize_t n = refused(f->io) ? -1 : write(f->fd, from + f->moved, WB_MIN(size - f->moved, (size_t)MOVE_MAX));
    if (n >= 0) {
      f->moved += (size_t)n;
    } else if (is_later(errno)) {
      wait_for(f->fd, POLLOUT);
    } else if (errno == EPIPE) {
      return WB_IO_CLOSED;
    } else if (errno != EINTR) {
      (void)fail_errno(e, errno, "write", NULL);
      return WB_IO_FAILED;
    }
  }
  return WB_IO_OK;
}

void wb_file_take_back(wb_file *f, size_t bytes) {
  struct stat st;
  off_t at = lseek(f->fd, 0, SEEK_CUR);
  if (at < 0 || (uint64_t)at < bytes || fstat(f->fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size != at) return;
  if (ftruncate(f->fd, at - (off_t)bytes) == 0) (void)lseek(f->fd, at - (off_t)bytes, SEEK_SET);
}

bool wb_file_is_ready(const wb_file *f) {
  struct pollfd p = {f->fd, POLLIN, 0};
  int n;
  do n = poll(&p, 1, 0);
  while (n < 0 && errno == EINTR);
  return n != 0; /* an error returns at once as well */
}

bool wb_file_is_terminal(const wb_file *f) { return f->fd >= 0 && isatty(f->fd) != 0; }

uint64_t wb_file_size(const wb_file *f) {
  struct stat st;
  return fstat(f->fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= 0 ? (uint64_t)st.st_size : UINT64_MAX;
}

/* Reads to the end, or to one byte more than the limit.  The size that the system tells is only where to begin: it may change,
** and is 0 for files that are made while they are read. */
static weir_code read_to_end(wb_file *f, size_t limit, wb_mem *m, char **block, size_t *n, const char *path, weir_error *e) {
  uint64_t told = wb_file_size(f);
  size_t most = limit < SIZE_MAX ? limit + 1 : limit;
  size_t cap = told == 0 || told >= SIZE_MAX ? (size_t)READ_ALL_FIRST : (size_t)told + 1;
  for (cap = WB_MIN(cap, most);; cap = cap > most / 2 ? most : cap * 2) {
    char *grown = wb_block_resize(m, *block, cap);
    if (grown == NULL) return wb_fail_memory(e);
    *block = grown;
    while (*n < cap) {
      size_t got;
      wb_io_status s = wb_file_read(f, *block + *n, cap - *n, &got, e);
      if (s == WB_IO_END) return WEIR_OK;
      if (s != WB_IO_OK) return WEIR_E_IO;
      *n += got;
    }
    if (*n > limit) return wb_fail(e, WEIR_E_LIMIT, WB_NOWHERE, "%s is larger than the limit of %zu bytes", path, limit);
  }
}

weir_code wb_file_read_all(wb_io *io, const char *path, size_t limit, wb_mem *m, wb_str *out, weir_error *e) {
  *out = (wb_str){NULL, 0};
  wb_file f;
  char *block = NULL;
  size_t n = 0;
  WB_TRY(wb_file_open_read(&f, io, path, e));
  weir_code rc = read_to_end(&f, limit, m, &block, &n, path, e);
  (void)wb_file_close(&f, NULL); /* all bytes are here: a late error can't concern them */
  if (rc != WEIR_OK) {
    wb_block_free(m, block);
    return rc;
  }
  *out = (wb_str){block, n};
  return WEIR_OK;
}
