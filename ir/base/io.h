/* ir/base/io.h -- the one door to files.  A test can make the n-th call fail. */
#ifndef WB_IO_H
#define WB_IO_H

#include "ir/base/error.h"
#include "ir/base/text.h"

/* Counts the calls of one user (the command, a snapshot writer), from any of its threads; passed to every call. */
typedef struct wb_io {
  uint64_t calls;   /* opens, reads, writes, closes, syncs and renames so far */
  uint64_t fail_at; /* the call of this number (from 1) and all later ones fail; 0: none.  For tests */
  int fail_errno;   /* with this errno; 0: EIO */
} wb_io;

typedef struct wb_file {
  wb_io *io;
  int fd;           /* -1: none */
  bool is_borrowed; /* standard input or output: never closed by us */
  size_t moved;     /* bytes that the last write has moved, also one that failed */
} wb_file;
#define WB_FILE_NONE ((wb_file){0, -1, false, 0})

/* What became of a call that moves bytes. */
typedef enum wb_io_status {
  WB_IO_OK,
  WB_IO_END,    /* read: the end of the input */
  WB_IO_CLOSED, /* write: the reader is gone (EPIPE) */
  WB_IO_FAILED  /* the error object says how */
} wb_io_status;

weir_code wb_file_open_read(wb_file *f, wb_io *io, const char *path, weir_error *e) WB_MUST_USE;  /* a folder is refused */
/* The same of a regular file; another one is E_ARGUMENT.  Never waits, as a pipe would have the opener do. */
weir_code wb_file_open_regular(wb_file *f, wb_io *io, const char *path, weir_error *e) WB_MUST_USE;
weir_code wb_file_open_write(wb_file *f, wb_io *io, const char *path, weir_error *e) WB_MUST_USE; /* created or truncated */
/* Made; what is there already, be it a link, is left alone, and the answer E_ARGUMENT. */
weir_code wb_file_open_new(wb_file *f, wb_io *io, const char *path, weir_error *e) WB_MUST_USE;
/* Created, or written on behind what is there, where that is a regular file of this user and no link (else E_ARGUMENT or E_IO): for a name
** that anybody could have made before. */
weir_code wb_file_open_append(wb_file *f, wb_io *io, const char *path, weir_error *e) WB_MUST_USE;
void wb_file_borrow(wb_file *f, wb_io *io, int fd);
/* Closes and reports a late error of the file system; harmless where nothing is open. */
weir_code wb_file_close(wb_file *f, weir_error *e);

/* Makes the folder where it is not there yet. */
weir_code wb_folder_make(wb_io *io, const char *path, weir_error *e) WB_MUST_USE;
/* Removes the file where there is one. */
weir_code wb_file_remove(wb_io *io, const char *path, weir_error *e) WB_MUST_USE;

/* ---- A folder that is its user's alone: what stands there was put there by nobody else ---- */

typedef struct wb_folder {
  wb_io *io;
  int fd;           /* -1: none */
} wb_folder;
#define WB_FOLDER_NONE ((wb_folder){0, -1})

/* Opens a folder that belongs to the user of this process and that nobody else may write to; another one is E_ARGUMENT.  Names below are those
** of files in it, without a slash. */
weir_code wb_folder_open(wb_folder *d, wb_io *io, const char *path, weir_error *e) WB_MUST_USE;
/* The same for one that nobody else may look into either, made with all folders that it is in where they are not there yet. */
weir_code wb_folder_open_made(wb_folder *d, wb_io *io, const char *path, weir_error *e) WB_MUST_USE;
void wb_folder_close(wb_folder *d); /* harmless where none is open */

/* As wb_file_read_all, of a regular file that is likewise the user's alone (else E_ARGUMENT) and no link. */
weir_code wb_folder_read(wb_folder *d, const char *name, size_t limit, wb_mem *m, wb_str *out, weir_error *e) WB_MUST_USE;
/* Puts a file there, or in the place of the one that is there: others see the old one or all of the new one.  `made`: the name that it has until
** it is whole; where that is taken, nothing is written. */
weir_code wb_folder_write(wb_folder *d, const char *name, const char *made, const wb_str *parts, size_t n_parts, weir_error *e) WB_MUST_USE;
weir_code wb_folder_remove(wb_folder *d, const char *name, weir_error *e); /* where there is one */
/* Has the file be written now, as wb_folder_list tells it, where that was at least so many seconds ago. */
weir_code wb_folder_touch(wb_folder *d, const char *name, uint64_t seconds, weir_error *e);

typedef struct wb_folder_file {
  const char *name;  /* borrowed for the call */
  uint64_t bytes;
  uint64_t written;  /* nanoseconds since 1970 */
} wb_folder_file;
/* Calls `each` for every regular file, in no order.  It answers false to end that. */
weir_code wb_folder_list(wb_folder *d, bool (*each)(void *self, const wb_folder_file *file), void *self, weir_error *e) WB_MUST_USE;

/* Reads 1 to `size` bytes; interrupted calls are repeated. */
wb_io_status wb_file_read(wb_file *f, char *to, size_t size, size_t *got, weir_error *e);
/* Writes all bytes, however often the system takes only a part. */
wb_io_status wb_file_write(wb_file *f, const char *from, size_t size, weir_error *e);
/* Takes the last `bytes` bytes back that were written, where the file can (a regular one); for what was left of a line by a full disk. */
void wb_file_take_back(wb_file *f, size_t bytes);
/* True if a read would return at once (bytes, end or error are there); a regular file always is. */
bool wb_file_is_ready(const wb_file *f);
bool wb_file_is_terminal(const wb_file *f);
/* The `size` bytes from `at` on of a regular file, whatever has been read before.  False: they are not there, or reading failed. */
bool wb_file_read_at(const wb_file *f, uint64_t at, void *to, size_t size) WB_MUST_USE;
/* False: nothing stands at the path. */
bool wb_file_is_there(wb_io *io, const char *path) WB_MUST_USE;
/* The size of a regular file, else UINT64_MAX. */
uint64_t wb_file_size(const wb_file *f);

/* The whole file, as a block of `m`, at most `limit` bytes (more is E_LIMIT; the text names the limit). */
weir_code wb_file_read_all(wb_io *io, const char *path, size_t limit, wb_mem *m, wb_str *out, weir_error *e) WB_MUST_USE;

#endif
