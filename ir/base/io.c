/* ir/base/io.c -- the one door to files.
**
** Every call to the system that may fail first passes `refused`, where a test can make it fail.  Interrupted calls are repeated;
** a descriptor that somebody made non-blocking is waited for.  Signals are the host's: a closed pipe is an answer here (EPIPE),
** and whoever owns the process decides about SIGPIPE. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* getdents64: the C library's way through a folder takes memory that no door counts */
#endif
#include "ir/base/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
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

/* Of a long path the end is shown, so that there is room for the reason. */
static weir_code fail_errno(weir_error *e, int number, const char *verb, const char *path) {
  enum { MOST_PATH = 120 };
  const char *lead = path == NULL ? "" : " ";
  size_t n = path == NULL ? 0 : strlen(path);
  if (path == NULL) path = "";
  if (n > MOST_PATH) {
    path += n - MOST_PATH;
    lead = " ...";
    while ((*path & 0xc0) == 0x80) path++; /* not from the middle of a character on */
  }
  for (size_t i = 0; i < WB_LEN(reasons); i++)
    if (reasons[i].number == number)
      return wb_fail(e, WEIR_E_IO, WB_NOWHERE, "cannot %s%s%s: %s", verb, lead, path, reasons[i].what);
  return wb_fail(e, WEIR_E_IO, WB_NOWHERE, "cannot %s%s%s: system error %d", verb, lead, path, number);
}

/* Counts a call.  True, with errno set, where a test wants it to fail. */
static bool refused(wb_io *io) {
  uint64_t call = __atomic_add_fetch(&io->calls, 1, __ATOMIC_RELAXED);
  if (io->fail_at == 0 || call < io->fail_at) return false;
  errno = io->fail_errno != 0 ? io->fail_errno : EIO;
  return true;
}

static int open_in(wb_io *io, int folder, const char *path, int flags, unsigned mode) {
  int fd = -1;
  if (!refused(io)) do fd = openat(folder, path, flags | O_CLOEXEC | O_NOCTTY, mode);
    while (fd < 0 && errno == EINTR);
  return fd;
}

static weir_code file_open(wb_file *f, wb_io *io, const char *path, int flags, const char *verb, weir_error *e) {
  *f = (wb_file){io, -1, false, 0};
  int fd = open_in(io, AT_FDCWD, path, flags, 0666);
  if (fd < 0 && errno == EEXIST) return wb_fail(e, WEIR_E_ARGUMENT, WB_NOWHERE, "%s is there already", path);
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

weir_code wb_file_open_regular(wb_file *f, wb_io *io, const char *path, weir_error *e) {
  *f = (wb_file){io, open_in(io, AT_FDCWD, path, O_RDONLY | O_NONBLOCK, 0), false, 0};
  if (f->fd < 0) return fail_errno(e, errno, "read", path);
  if (wb_file_size(f) != UINT64_MAX) return WEIR_OK;
  (void)wb_file_close(f, NULL);
  return wb_fail(e, WEIR_E_ARGUMENT, WB_NOWHERE, "%s is no regular file", path);
}

weir_code wb_file_open_write(wb_file *f, wb_io *io, const char *path, weir_error *e) {
  return file_open(f, io, path, O_WRONLY | O_CREAT | O_TRUNC, "write", e);
}

weir_code wb_file_open_new(wb_file *f, wb_io *io, const char *path, weir_error *e) {
  return file_open(f, io, path, O_WRONLY | O_CREAT | O_EXCL, "write", e); /* which follows no link */
}

weir_code wb_file_remove(wb_io *io, const char *path, weir_error *e) {
  int why = refused(io) ? errno : 0;
  if (why == 0 && unlink(path) != 0 && errno != ENOENT && errno != ENOTDIR) why = errno;
  return why == 0 ? WEIR_OK : fail_errno(e, why, "remove", path);
}

static int make_folder(wb_io *io, const char *path, mode_t mode) {
  if (refused(io)) return errno;
  return mkdir(path, mode) == 0 || errno == EEXIST ? 0 : errno;
}

static weir_code folder_made(int why, const char *path, weir_error *e) { return why == 0 ? WEIR_OK : fail_errno(e, why, "make the folder", path); }

weir_code wb_folder_make(wb_io *io, const char *path, weir_error *e) { return folder_made(make_folder(io, path, 0777), path, e); }

/* A pipe of that name would have the opener wait for its reader. */
weir_code wb_file_open_append(wb_file *f, wb_io *io, const char *path, weir_error *e) {
  struct stat st;
  WB_TRY(file_open(f, io, path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK, "write", e));
  int why = fstat(f->fd, &st) != 0 ? errno : 0;
  if (why == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid()) return WEIR_OK;
  (void)wb_file_close(f, NULL);
  if (why != 0) return fail_errno(e, why, "write", path);
  return wb_fail(e, WEIR_E_ARGUMENT, WB_NOWHERE, "%s is not a file of this user", path);
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

bool wb_file_read_at(const wb_file *f, uint64_t at, void *to, size_t size) {
  wb_assert(f->fd >= 0);
  for (size_t got = 0; got < size;) {
    uint64_t from;
    if (__builtin_add_overflow(at, got, &from) || from > INT64_MAX) return false;
    ssize_t n = refused(f->io) ? -1 : pread(f->fd, (char *)to + got, WB_MIN(size - got, (size_t)MOVE_MAX), (off_t)from);
    if (n == 0 || (n < 0 && errno != EINTR)) return false;
    if (n > 0) got += (size_t)n;
  }
  return true;
}

bool wb_file_is_there(wb_io *io, const char *path) {
  if (!refused(io) && access(path, F_OK) == 0) return true;
  return errno != ENOENT && errno != ENOTDIR;
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
    if (*n > limit) return wb_fail(e, WEIR_E_LIMIT, WB_NOWHERE, "%s is larger than the limit of %zu byte%s", path, limit, WB_S(limit));
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

/* ---- Folders ---- */

/* Nobody else can have put anything there. */
static bool is_ours(const struct stat *st) { return st->st_uid == geteuid() && (st->st_mode & (WB_PLANTED(88) ? S_IWOTH : S_IWGRP | S_IWOTH)) == 0; }

weir_code wb_folder_open(wb_folder *d, wb_io *io, const char *path, weir_error *e) {
  struct stat st;
  *d = (wb_folder){io, open_in(io, AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0)};
  if (d->fd < 0) return fail_errno(e, errno, "open the folder", path);
  int why = fstat(d->fd, &st) != 0 ? errno : 0;
  if (why == 0 && is_ours(&st)) return WEIR_OK;
  wb_folder_close(d);
  if (why != 0) return fail_errno(e, why, "open the folder", path);
  return wb_fail(e, WEIR_E_ARGUMENT, WB_NOWHERE, "it belongs to somebody else, or others may write to it: the folder %s", path);
}

/* Makes the folder and those that it is in: upwards until one is there or can be made, and down again.  Others may make the same ones meanwhile. */
static int make_folders(wb_io *io, const char *path, mode_t mode) {
  char part[PATH_MAX]; /* the path, with an end in the place of each slash that was cut at */
  size_t n = strlen(path), at = n;
  int why;
  if (n >= sizeof part) return ENAMETOOLONG;
  memcpy(part, path, n + 1);
  while ((why = make_folder(io, part, mode)) == ENOENT) {
    while (at != 0 && part[at - 1] == '/') at--;
    while (at != 0 && part[at - 1] != '/') at--;
    if (at <= 1) return ENOENT; /* what would be above has no name */
    part[--at] = '\0';
  }
  while (why == 0 && at != n) {
    part[at] = '/';
    at += strlen(part + at);
    why = make_folder(io, part, mode);
  }
  return why;
}

weir_code wb_folder_open_made(wb_folder *d, wb_io *io, const char *path, weir_error *e) {
  *d = WB_FOLDER_NONE;
  WB_TRY(folder_made(make_folders(io, path, S_IRWXU), path, e));
  return wb_folder_open(d, io, path, e);
}

void wb_folder_close(wb_folder *d) {
  if (d->fd >= 0) (void)close(d->fd);
  d->fd = -1;
}

weir_code wb_folder_read(wb_folder *d, const char *name, size_t limit, wb_mem *m, wb_str *out, weir_error *e) {
  struct stat st;
  char *block = NULL;
  size_t n = 0;
  *out = (wb_str){NULL, 0};
  /* A pipe of that name would have the opener wait. */
  wb_file f = {d->io, open_in(d->io, d->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0), false, 0};
  if (f.fd < 0) return fail_errno(e, errno, "read", name);
  weir_code rc = WEIR_OK;
  if (fstat(f.fd, &st) != 0) rc = fail_errno(e, errno, "read", name);
  else if (!S_ISREG(st.st_mode) || !is_ours(&st)) rc = wb_fail(e, WEIR_E_ARGUMENT, WB_NOWHERE, "%s is not a file of this user alone", name);
  if (rc == WEIR_OK) rc = read_to_end(&f, limit, m, &block, &n, name, e);
  (void)wb_file_close(&f, NULL);
  if (rc != WEIR_OK) wb_block_free(m, block);
  else *out = (wb_str){block, n};
  return rc;
}

static weir_code write_parts(wb_file *f, const wb_str *parts, size_t n_parts, weir_error *e) {
  for (size_t i = 0; i < n_parts; i++)
    if (parts[i].n != 0 && wb_file_write(f, parts[i].at, parts[i].n, e) != WB_IO_OK) return WEIR_E_IO;
  return WEIR_OK;
}

static weir_code rename_in(wb_folder *d, const char *from, const char *to, weir_error *e) {
  if (!refused(d->io) && renameat(d->fd, from, d->fd, to) == 0) return WEIR_OK;
  return fail_errno(e, errno, "write", to);
}

weir_code wb_folder_write(wb_folder *d, const char *name, const char *made, const wb_str *parts, size_t n_parts, weir_error *e) {
  wb_file f = {d->io, open_in(d->io, d->fd, made, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, S_IRUSR | S_IWUSR), false, 0};
  if (f.fd < 0) return fail_errno(e, errno, "write", made);
  weir_code rc = write_parts(&f, parts, n_parts, e), closed = wb_file_close(&f, rc == WEIR_OK ? e : NULL);
  if (rc == WEIR_OK) rc = closed;
  if (rc == WEIR_OK) rc = rename_in(d, made, name, e);
  if (rc != WEIR_OK) (void)wb_folder_remove(d, made, NULL);
  return rc;
}

weir_code wb_folder_remove(wb_folder *d, const char *name, weir_error *e) {
  if (!refused(d->io) && (unlinkat(d->fd, name, 0) == 0 || errno == ENOENT)) return WEIR_OK;
  return fail_errno(e, errno, "remove", name);
}

weir_code wb_folder_touch(wb_folder *d, const char *name, uint64_t seconds, weir_error *e) {
  struct stat st;
  struct timespec now;
  int why = refused(d->io) || fstatat(d->fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || clock_gettime(CLOCK_REALTIME, &now) != 0 ? errno : 0;
  bool is_due = why == 0 && st.st_mtim.tv_sec <= now.tv_sec - (time_t)seconds;
  if (is_due && utimensat(d->fd, name, NULL, AT_SYMLINK_NOFOLLOW) != 0) why = errno;
  return why == 0 ? WEIR_OK : fail_errno(e, why, "write", name);
}

/* True: go on. */
static bool list_one(const wb_folder *d, const char *name, bool (*each)(void *self, const wb_folder_file *file), void *self) {
  struct stat st;
  if (fstatat(d->fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode)) return true;
  wb_folder_file file = {name, (uint64_t)st.st_size, (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec};
  return each(self, &file);
}

weir_code wb_folder_list(wb_folder *d, bool (*each)(void *self, const wb_folder_file *file), void *self, weir_error *e) {
  union { struct dirent64 align; char bytes[8192]; } entries;
  if (lseek(d->fd, 0, SEEK_SET) < 0) return fail_errno(e, errno, "list", NULL);
  for (;;) {
    ssize_t n = refused(d->io) ? -1 : getdents64(d->fd, entries.bytes, sizeof entries.bytes);
    if (n < 0) return fail_errno(e, errno, "list", NULL);
    if (n == 0) return WEIR_OK;
    for (ssize_t at = 0; at < n;) {
      const struct dirent64 *one = (const struct dirent64 *)(const void *)(entries.bytes + at);
      if (!list_one(d, one->d_name, each, self)) return WEIR_OK;
      at += one->d_reclen;
    }
  }
}
