/* runtime/cache_disk.c -- the object cache's folder.
**
** A file is a head (a word that tells what it is, the form of the file, the length of what is kept, the whole key), what is kept, and a digest
** of all that.  It is written under another name and renamed, and read as a whole before any of it is believed; so it needs no locks, and
** nothing is synced: a file that a power failure cuts is a damaged one.
** Files of other names are not ours, and left alone. */
#include "runtime/cache_disk.h"

#include <inttypes.h>
#include <string.h>
#include <sys/random.h>

#include "ir/base/sort.h"

typedef struct head {
  char word[8];
  uint64_t form, bytes; /* bytes: of what is kept */
  wb_digest key;
} head;

enum { FORM = 1, MOST_PARTS = 4, KEY_DIGITS = 2 * WB_DIGEST_BYTES, NAME = KEY_DIGITS + 4, MADE = KEY_DIGITS + 1 + 16 + 4 };
enum { DAY = 24 * 60 * 60 }; /* seconds: so seldom a file is written to because it is found */
static const char word[8] = {'w', 'e', 'i', 'r', ' ', 'o', 'b', 'j'}, is_whole[] = ".obj", is_made[] = ".new";

/* ---- Names ---- */

static char *put_digits(char *to, const uint8_t *from, size_t n) {
  static const char digits[] = "0123456789abcdef";
  for (size_t i = 0; i < n; i++) {
    *to++ = digits[from[i] >> 4];
    *to++ = digits[from[i] & 15];
  }
  return to;
}

static void name_file(const wb_digest *key, char name[NAME + 1]) { memcpy(put_digits(name, key->at, sizeof key->at), is_whole, sizeof is_whole); }

/* The name that the file has until it is whole: nobody else's. */
static void name_made(const wb_digest *key, char made[MADE + 1]) {
  uint8_t own[8] = {0};
  (void)!getrandom(own, sizeof own, GRND_NONBLOCK); /* else the name may be taken, and nothing is kept */
  char *at = put_digits(made, key->at, sizeof key->at);
  *at++ = '.';
  memcpy(put_digits(at, own, sizeof own), is_made, sizeof is_made);
}

static bool is_ours(const char *name) {
  size_t n = strlen(name), digits = strspn(name, "0123456789abcdef");
  if (digits != KEY_DIGITS) return false;
  return (n == NAME && strcmp(name + digits, is_whole) == 0) || (n == MADE && name[digits] == '.' && strcmp(name + n - strlen(is_made), is_made) == 0);
}

/* ---- Files ---- */

static wb_io io_of(const wrt_cache *c) { return (wb_io){.fail_at = c->fail_at, .fail_errno = c->fail_errno}; }

static head head_of(const wb_digest *key, size_t n) {
  head h = {.form = FORM, .bytes = n, .key = *key};
  memcpy(h.word, word, sizeof h.word);
  return h;
}

/* What a file keeps, if it is whole and of this key. */
static bool open_file(wb_str file, const wb_digest *key, wb_str *out) {
  if (file.n < sizeof(head) + WB_DIGEST_BYTES) return false;
  size_t n = file.n - sizeof(head) - WB_DIGEST_BYTES;
  head wanted = head_of(key, n);
  if (memcmp(file.at, &wanted, sizeof wanted) != 0) return false;
  wb_digester d;
  wb_digest_begin(&d);
  wb_digest_add(&d, file.at, file.n - WB_DIGEST_BYTES);
  wb_digest sum = wb_digest_end(&d);
  if (memcmp(file.at + file.n - WB_DIGEST_BYTES, sum.at, sizeof sum.at) != 0 && !WB_PLANTED(87)) return false;
  *out = (wb_str){file.at + sizeof(head), n};
  return true;
}

bool wrt_cache_find(const wrt_cache *c, const wb_digest *key, wb_mem *mem, wb_str *out) {
  char name[NAME + 1];
  wb_io io = io_of(c);
  wb_folder folder;
  wb_str file = {NULL, 0};
  if (c->folder == NULL || wb_folder_open(&folder, &io, c->folder, NULL) != WEIR_OK) return false;
  name_file(key, name);
  bool is_found = wb_folder_read(&folder, name, (size_t)WB_MIN(c->most_bytes, SIZE_MAX), mem, &file, NULL) == WEIR_OK && open_file(file, key, out);
  if (is_found) (void)wb_folder_touch(&folder, name, DAY, NULL); /* what cannot be touched goes sooner */
  wb_folder_close(&folder);
  return is_found;
}

/* Another process may have replaced the file meanwhile, by bytes of the same key: what made these has made those. */
bool wrt_cache_remove(const wrt_cache *c, const wb_digest *key) {
  char name[NAME + 1];
  wb_io io = io_of(c);
  wb_folder folder;
  if (c->folder == NULL || wb_folder_open(&folder, &io, c->folder, NULL) != WEIR_OK) return false;
  name_file(key, name);
  bool is_gone = wb_folder_remove(&folder, name, NULL) == WEIR_OK;
  wb_folder_close(&folder);
  return is_gone;
}

/* ---- The limit ---- */

typedef struct kept { const char *name; uint64_t bytes, written; } kept;

typedef struct listing {
  wb_mem mem;
  WB_VEC(kept) files;
  uint64_t bytes;   /* of all */
  bool has_failed;  /* memory is exhausted */
} listing;

static bool take_file(void *self, const wb_folder_file *file) {
  listing *l = self;
  if (!is_ours(file->name)) return true;
  size_t n = strlen(file->name) + 1;
  char *name = wb_alloc(&l->mem, n, 1, 1);
  l->has_failed = name == NULL || !WB_PUSH(&l->mem, &l->files, (kept){memcpy(name, file->name, n), file->bytes, file->written});
  l->bytes += file->bytes;
  return !l->has_failed;
}

/* What alone is beyond the limit goes first: else all that is older would go with it. */
static bool goes_before(const void *self, const void *a, const void *b) {
  const wrt_cache *c = self;
  const kept *x = a, *y = b;
  bool x_large = x->bytes > c->most_bytes, y_large = y->bytes > c->most_bytes;
  if (x_large != y_large) return x_large;
  return x->written != y->written ? x->written < y->written : strcmp(x->name, y->name) < 0;
}

/* Removes the files that were written or found longest ago until the rest is within the limit. */
static void evict(const wrt_cache *c, wb_folder *folder, wb_door *door) {
  listing l = {.bytes = 0};
  wb_mem_init(&l.mem, door, 0);
  if (wb_folder_list(folder, take_file, &l, NULL) == WEIR_OK && !l.has_failed && l.bytes > c->most_bytes) {
    wb_sort(l.files.at, l.files.n, sizeof *l.files.at, goes_before, c);
    for (size_t i = 0; i < l.files.n && l.bytes > c->most_bytes; i++)
      if (wb_folder_remove(folder, l.files.at[i].name, NULL) == WEIR_OK) l.bytes -= l.files.at[i].bytes;
  }
  wb_mem_drop(&l.mem);
}

/* The file would be larger than all may be.  One of the key that was kept under a higher limit, and is not found any more, goes. */
static weir_cache_state refuse_large(const wrt_cache *c, wb_door *door, uint64_t bytes, weir_error *e) {
  wb_io io = io_of(c);
  wb_folder folder;
  if (wb_folder_open(&folder, &io, c->folder, NULL) == WEIR_OK) {
    evict(c, &folder, door);
    wb_folder_close(&folder);
  }
  (void)wb_fail(e, WEIR_E_LIMIT, WB_NOWHERE, "its %" PRIu64 " bytes are more than the %" PRIu64 " that all files may take", bytes, c->most_bytes);
  return WEIR_CACHE_LARGE;
}

/* The file is written, and the oldest ones go. */
static weir_cache_state write_file(const wrt_cache *c, const wb_digest *key, wb_door *door, const wb_str *parts, size_t n_parts, weir_error *e) {
  char name[NAME + 1], made[MADE + 1];
  wb_io io = io_of(c);
  wb_folder folder;
  weir_code rc = wb_folder_open_made(&folder, &io, c->folder, e);
  if (rc != WEIR_OK) return rc == WEIR_E_ARGUMENT ? WEIR_CACHE_REFUSED : WEIR_CACHE_FAILED;
  name_file(key, name);
  name_made(key, made);
  rc = wb_folder_write(&folder, name, made, parts, n_parts, e);
  if (rc == WEIR_OK) evict(c, &folder, door);
  wb_folder_close(&folder);
  return rc == WEIR_OK ? WEIR_CACHE_KEPT : WEIR_CACHE_FAILED;
}

weir_cache_state wrt_cache_keep(const wrt_cache *c, const wb_digest *key, wb_door *door, const wb_str *parts, size_t n_parts, weir_error *e) {
  wb_str all[MOST_PARTS + 2];
  uint64_t n = 0;
  wb_assert(n_parts <= MOST_PARTS);
  for (size_t i = 0; i < n_parts; i++) n += parts[i].n;
  head h = head_of(key, n);
  if (c->folder == NULL) return WEIR_CACHE_UNASKED;
  if (n + sizeof h + WB_DIGEST_BYTES > c->most_bytes) return refuse_large(c, door, n + sizeof h + WB_DIGEST_BYTES, e);
  all[0] = (wb_str){(const char *)&h, sizeof h};
  memcpy(all + 1, parts, n_parts * sizeof *parts);
  wb_digester d;
  wb_digest_begin(&d);
  for (size_t i = 0; i <= n_parts; i++) wb_digest_add(&d, all[i].at, all[i].n);
  wb_digest sum = wb_digest_end(&d);
  all[n_parts + 1] = (wb_str){(const char *)sum.at, sizeof sum.at};
  return write_file(c, key, door, all, n_parts + 2, e);
}
