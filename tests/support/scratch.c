#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* nftw */
#endif
#include "tests/support/scratch.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static char folder[64];

const char *scratch_make(void) {
  snprintf(folder, sizeof folder, "/tmp/weir_test_XXXXXX");
  if (mkdtemp(folder) == NULL) abort();
  return folder;
}

const char *scratch_folder(void) { return folder; }

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *where) {
  (void)st, (void)kind, (void)where;
  return remove(path);
}

void scratch_remove(void) { (void)nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS); }

bool scratch_write(const char *path, const void *bytes, size_t n) {
  FILE *f = fopen(path, "wb");
  if (f == NULL) return false;
  bool is_written = fwrite(bytes, 1, n, f) == n;
  return fclose(f) == 0 && is_written;
}
