/* tests/install/allocators.c -- uses libweir as a plug-in, beside other allocators: fault 20.
**
** usage: allocators LIBRARY [deepbind]
** Opens the library and uses each kind of object, with the host's allocator hooks and without.  Every block that the library takes from
** the hooks must come back to them, once.  Built with OWN_MALLOC, this program is also a host whose malloc is its own, for everything in
** the process: it ends when a block is freed that it has not made. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir.h>

static void must(int ok, const char *what) {
  if (ok) return;
  fprintf(stderr, "allocators: %s\n", what);
  _Exit(1);
}

/* ---- The host's own malloc ---- */

#if defined(OWN_MALLOC)
extern void *__libc_malloc(size_t size);
extern void __libc_free(void *block);

typedef struct head { uint64_t mark; size_t size; } head;
#define MARK UINT64_C(0x6f776e206d616c6c)

void *malloc(size_t size) {
  head *h = size > SIZE_MAX - sizeof *h ? NULL : __libc_malloc(size + sizeof *h);
  if (h == NULL) return NULL;
  *h = (head){MARK, size};
  return h + 1;
}

void free(void *block) {
  if (block == NULL) return;
  head *h = (head *)block - 1;
  if (h->mark != MARK) {
    static const char said[] = "allocators: a foreign block reached the host's free\n";
    fputs(said, stderr);
    _Exit(1);
  }
  h->mark = 0;
  __libc_free(h);
}

void *calloc(size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) return NULL;
  void *block = malloc(bytes);
  return block == NULL ? NULL : memset(block, 0, bytes);
}

void *realloc(void *block, size_t size) {
  void *to = malloc(size);
  if (to == NULL || block == NULL) return to;
  size_t old = ((head *)block - 1)->size;
  memcpy(to, block, old < size ? old : size);
  free(block);
  return to;
}
#endif

/* ---- The host's hooks ---- */

typedef struct hooks { size_t live, taken; } hooks;
typedef struct tag { hooks *owner; uint64_t mark; } tag;
#define TAG UINT64_C(0x7765697220746167)

static void *take(void *self, size_t size) {
  hooks *h = self;
  tag *t = malloc(size + sizeof *t);
  if (t == NULL) return NULL;
  *t = (tag){h, TAG};
  h->live++;
  h->taken++;
  return t + 1;
}

static void give(void *self, void *block) {
  hooks *h = self;
  tag *t = (tag *)block - 1;
  must(t->owner == h && t->mark == TAG, "a block came back that was not taken, or twice");
  t->mark = 0;
  h->live--;
  free(t);
}

/* ---- The library ---- */

#define FUNCTIONS(X) \
  X(weir_engine_new) X(weir_engine_free) X(weir_compile) X(weir_program_release) X(weir_program_is_typed) X(weir_diagnostics_count) \
  X(weir_diagnostics_free) X(weir_monitor_new) X(weir_monitor_free) X(weir_monitor_push) X(weir_monitor_output) \
  X(weir_monitor_push_typed) X(weir_monitor_push_batch)

typedef struct library {
#define X(name) __typeof__(&name) name;
  FUNCTIONS(X)
#undef X
} library;

static library open_library(const char *path, int flags) {
  library w;
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | flags), *symbol;
  if (handle == NULL) fprintf(stderr, "%s\n", dlerror());
  must(handle != NULL, "the library cannot be opened");
#define X(name) \
  symbol = dlsym(handle, #name); \
  must(symbol != NULL, #name " is not exported"); \
  memcpy(&w.name, &symbol, sizeof symbol);
  FUNCTIONS(X)
#undef X
  return w;
}

static const char texts[] = "in s: Str  in n: Int  out all: Str  out sum: Int\n"
                            "all = default(all[1], \"\") ++ s  sum = default(sum[1], 0) + n";
static const char numbers[] = "in n: Int  out sum: Int  sum = default(sum[1], 0) + n";

static weir_monitor *new_monitor(const library *w, weir_engine *engine, const char *text, weir_program **program) {
  weir_monitor *monitor = NULL;
  must(w->weir_compile(engine, text, strlen(text), NULL, program, NULL) == WEIR_OK, "the text does not compile");
  must(w->weir_monitor_new(engine, *program, NULL, &monitor, NULL) == WEIR_OK, "no monitor");
  return monitor;
}

static void push_texts(const library *w, weir_engine *engine) {
  weir_program *program = NULL;
  weir_monitor *monitor = new_monitor(w, engine, texts, &program);
  for (int i = 0; i < 300; i++) {
    weir_value row[2] = {{.tag = WEIR_TEXT, .count = 4, .as.text = "text"}, {.tag = WEIR_INT, .as.i = i}};
    must(w->weir_monitor_push(monitor, row, 2, NULL) == WEIR_OK, "a row fails");
  }
  must(w->weir_monitor_output(monitor, 0)->count == 1200, "the text is wrong");
  const uint32_t offsets[] = {0, 2, 4};
  const int64_t n[] = {1, 2};
  int64_t sums[2];
  char bytes[4000];
  uint32_t all[3];
  const weir_in_column ins[] = {{.as.offsets = offsets, .bytes = "abcd", .n_bytes = 4}, {.as.i = n}};
  const weir_out_column outs[] = {{.as.offsets = all, .bytes = bytes, .n_bytes = sizeof bytes}, {.as.i = sums}};
  must(w->weir_monitor_push_batch(monitor, 2, ins, 2, outs, 2, NULL, NULL) == WEIR_OK, "the batch fails");
  must(sums[1] == 300 * 299 / 2 + 3, "the sum is wrong");
  w->weir_program_release(program); /* the monitor keeps it alive */
  w->weir_monitor_free(monitor);
}

static void push_numbers(const library *w, weir_engine *engine) {
  weir_program *program = NULL;
  weir_monitor *monitor = new_monitor(w, engine, numbers, &program);
  must(w->weir_program_is_typed(program), "the program is typed");
  weir_cell in[1], out[1] = {{.i = 0}};
  for (in[0].i = 1; in[0].i <= 100; in[0].i++)
    must(w->weir_monitor_push_typed(monitor, in, NULL, NULL, out, NULL, NULL, NULL) == WEIR_OK, "a typed row fails");
  must(out[0].i == 5050, "the typed sum is wrong");
  w->weir_monitor_free(monitor);
  w->weir_program_release(program);
}

static void use(const library *w, const weir_allocator *allocator) {
  weir_engine_options options = {.size = sizeof options, .allocator = allocator};
  weir_engine *engine = NULL;
  weir_program *program = NULL;
  weir_diagnostics *said = NULL;
  must(w->weir_engine_new(&options, &engine, NULL) == WEIR_OK, "no engine");
  must(w->weir_compile(engine, "out y Int", 9, NULL, &program, &said) == WEIR_E_PARSE, "a wrong text compiles");
  must(w->weir_diagnostics_count(said) != 0, "nothing is said");
  w->weir_diagnostics_free(said);
  push_texts(w, engine);
  push_numbers(w, engine);
  w->weir_engine_free(engine);
}

int main(int argc, char **argv) {
  must(argc >= 2, "usage: allocators LIBRARY [deepbind]");
  library w = open_library(argv[1], argc > 2 && strcmp(argv[2], "deepbind") == 0 ? RTLD_DEEPBIND : 0);
  hooks h = {0};
  weir_allocator own = {take, give, &h};
  for (int i = 0; i < 3; i++) {
    use(&w, NULL);
    use(&w, &own);
    must(h.live == 0, "blocks have not come back");
  }
  must(h.taken > 10, "the hooks were not used");
  puts("every block went home");
  return 0;
}
