/* cli/compressed.c -- unpacks gzip and zstd; see compressed.h.
**
** What is needed of the two libraries is declared here, as their interfaces have been for many years: nothing of them is needed to
** build.  Members and frames may follow each other.  Data that is damaged or ends too early is an error behind all that could be
** unpacked. */
#include "cli/compressed.h"

#include <dlfcn.h>
#include <limits.h>
#include <string.h>

enum { PACKED = 64 << 10 }; /* bytes that are read in one go */

/* ---- zlib ---------------------------------------------------------------------------------------------------------- */

typedef struct zlib_stream { /* z_stream of zlib.h */
  const unsigned char *next_in;
  unsigned avail_in;
  unsigned long total_in;
  unsigned char *next_out;
  unsigned avail_out;
  unsigned long total_out;
  const char *msg;
  void *state;
  void *(*zalloc)(void *opaque, unsigned items, unsigned size);
  void (*zfree)(void *opaque, void *block);
  void *opaque;
  int data_type;
  unsigned long adler, reserved;
} zlib_stream;

enum { Z_OK_ = 0, Z_STREAM_END_ = 1, Z_SYNC_FLUSH_ = 2, Z_BUF_ERROR_ = -5, Z_MEM_ERROR_ = -4, GZIP_WINDOW = 15 + 16 };

typedef struct zlib {
  int (*init)(zlib_stream *s, int window_bits, const char *version, int size);
  int (*inflate)(zlib_stream *s, int flush);
  int (*reset)(zlib_stream *s);
  int (*end)(zlib_stream *s);
  zlib_stream stream;
} zlib;

/* ---- zstd ---------------------------------------------------------------------------------------------------------- */

typedef struct zstd_out { void *dst; size_t size, pos; } zstd_out;      /* ZSTD_outBuffer and */
typedef struct zstd_in { const void *src; size_t size, pos; } zstd_in;  /* ZSTD_inBuffer of zstd.h */

typedef struct zstd {
  void *(*create)(void);
  size_t (*step)(void *d, zstd_out *out, zstd_in *in);
  unsigned (*is_error)(size_t code);
  size_t (*free)(void *d);
  void *stream;
} zstd;

/* ---- Both ---------------------------------------------------------------------------------------------------------- */

typedef enum step { STEP_ON, STEP_BAD, STEP_MEMORY } step;

struct cli_unpack {
  wb_mem *mem;
  cli_packing packing;
  void *library;        /* of dlopen */
  zlib zlib;
  zstd zstd;
  unsigned char *packed; /* PACKED bytes, of which [at, n) are to be unpacked */
  size_t at, n;
  bool is_inside;       /* a member or frame has begun and not ended */
  bool has_one;         /* one has ended */
  step last;            /* what became of the call before: not STEP_ON, where only what it had unpacked has been told */
};

static const struct { const char *name, *library, *package; } kinds[] = {
  [CLI_PACKING_NONE] = {"", "", ""},
  [CLI_PACKING_GZIP] = {"gzip", "libz.so.1", "zlib1g"},
  [CLI_PACKING_ZSTD] = {"zstd", "libzstd.so.1", "libzstd1"},
};

static void *take(void *opaque, unsigned items, unsigned size) {
  cli_unpack *u = opaque;
  size_t bytes;
  return wb_mul(items, size, &bytes) ? wb_block(u->mem, bytes) : NULL;
}

static void give(void *opaque, void *block) {
  cli_unpack *u = opaque;
  wb_block_free(u->mem, block);
}

/* The address of a function; the C standard has no conversion to one, POSIX has this. */
static bool find(void *library, const char *name, void *function) {
  void *at = dlsym(library, name);
  memcpy(function, &at, sizeof at);
  return at != NULL;
}

static bool find_functions(cli_unpack *u) {
  if (u->packing == CLI_PACKING_GZIP) {
    zlib *z = &u->zlib;
    return find(u->library, "inflateInit2_", &z->init) && find(u->library, "inflate", &z->inflate) && find(u->library, "inflateReset", &z->reset) &&
           find(u->library, "inflateEnd", &z->end);
  }
  zstd *z = &u->zstd;
  return find(u->library, "ZSTD_createDStream", &z->create) && find(u->library, "ZSTD_decompressStream", &z->step) &&
         find(u->library, "ZSTD_isError", &z->is_error) && find(u->library, "ZSTD_freeDStream", &z->free);
}

static bool begin(cli_unpack *u) {
  if (u->packing == CLI_PACKING_GZIP) {
    u->zlib.stream = (zlib_stream){.zalloc = take, .zfree = give, .opaque = u};
    return u->zlib.init(&u->zlib.stream, GZIP_WINDOW, "1", (int)sizeof(zlib_stream)) == Z_OK_;
  }
  u->zstd.stream = u->zstd.create();
  return u->zstd.stream != NULL;
}

void cli_unpack_close(cli_unpack *u) {
  if (u == NULL) return;
  if (u->packing == CLI_PACKING_GZIP && u->zlib.stream.state != NULL) (void)u->zlib.end(&u->zlib.stream);
  if (u->packing == CLI_PACKING_ZSTD && u->zstd.stream != NULL) (void)u->zstd.free(u->zstd.stream);
  if (u->library != NULL) (void)dlclose(u->library);
  wb_block_free(u->mem, u->packed);
}

weir_code cli_input_unpack(cli_input *in, wb_mem *mem, cli_packing packing, weir_error *e) {
  if (packing == CLI_PACKING_NONE) return WEIR_OK;
  cli_unpack *u = WB_NEW(mem, cli_unpack);
  if (u == NULL) return wb_fail_memory(e);
  in->unpack = u;
  u->mem = mem;
  u->packing = packing;
  u->library = dlopen(kinds[packing].library, RTLD_NOW | RTLD_LOCAL);
  if (u->library == NULL || !find_functions(u))
    return wb_fail(e, WEIR_E_IO, WB_NOWHERE, "reading %s needs the library %s (in Debian: %s)", kinds[packing].name, kinds[packing].library,
                   kinds[packing].package);
  u->packed = wb_block(mem, PACKED);
  return u->packed != NULL && begin(u) ? WEIR_OK : wb_fail_memory(e);
}

/* ---- Reading ------------------------------------------------------------------------------------------------------- */

static step unpack_gzip(cli_unpack *u, char *to, size_t size, size_t *got) {
  zlib_stream *s = &u->zlib.stream;
  s->next_in = u->packed + u->at;
  s->avail_in = (unsigned)(u->n - u->at);
  s->next_out = (unsigned char *)to;
  s->avail_out = (unsigned)WB_MIN(size, (size_t)INT_MAX);
  int rc = u->zlib.inflate(s, Z_SYNC_FLUSH_);
  u->at = u->n - s->avail_in;
  *got = (size_t)(s->next_out - (unsigned char *)to);
  u->is_inside = rc != Z_STREAM_END_;
  if (rc == Z_STREAM_END_) {
    u->has_one = true;
    return u->zlib.reset(s) == Z_OK_ ? STEP_ON : STEP_BAD;
  }
  if (rc == Z_MEM_ERROR_) return STEP_MEMORY;
  return rc == Z_OK_ || rc == Z_BUF_ERROR_ ? STEP_ON : STEP_BAD;
}

static step unpack_zstd(cli_unpack *u, char *to, size_t size, size_t *got) {
  zstd_in in = {u->packed, u->n, u->at};
  zstd_out out = {to, size, 0};
  size_t rc = u->zstd.step(u->zstd.stream, &out, &in);
  u->at = in.pos;
  *got = out.pos;
  if (u->zstd.is_error(rc)) return STEP_BAD;
  u->is_inside = rc != 0;
  u->has_one |= rc == 0;
  return STEP_ON;
}

cli_pipe cli_unpack_read(cli_input *in, char *to, size_t size, size_t *got) {
  cli_unpack *u = in->unpack;
  bool may_have_more = u->is_inside; /* the library may hold back what had no room the last time */
  for (*got = 0; u->last == STEP_ON;) {
    if (u->at == u->n && !may_have_more) {
      u->at = u->n = 0;
      cli_pipe rc = cli_input_read_packed(in, (char *)u->packed, PACKED, &u->n);
      if (rc == CLI_PIPE_END && u->has_one && !u->is_inside) return CLI_PIPE_END;
      if (rc == CLI_PIPE_END) {
        (void)wb_fail(&in->error, WEIR_E_IO, WB_NOWHERE, "the %s data ends too early", kinds[u->packing].name);
        return CLI_PIPE_FAILED;
      }
      if (rc != CLI_PIPE_OK) return rc;
    }
    may_have_more = false;
    u->last = u->packing == CLI_PACKING_GZIP ? unpack_gzip(u, to, size, got) : unpack_zstd(u, to, size, got);
    if (*got > 0) return CLI_PIPE_OK;
  }
  if (u->last == STEP_MEMORY) return CLI_PIPE_MEMORY;
  (void)wb_fail(&in->error, WEIR_E_IO, WB_NOWHERE, "the %s data is damaged", kinds[u->packing].name);
  return CLI_PIPE_FAILED;
}

const char *cli_packed_hint(const cli_input *in) {
  if (in->unpack != NULL) return NULL;
  if (memcmp(in->head, "\x1f\x8b", 2) == 0) return "this is gzip data, which is unpacked where the name of the file ends in .gz";
  if (memcmp(in->head, "\x28\xb5\x2f\xfd", 4) == 0) return "this is zstd data, which is unpacked where the name of the file ends in .zst";
  return NULL;
}
