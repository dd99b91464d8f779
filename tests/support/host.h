/* tests/support/host.h -- a host of the public API, as short as a test wants it.
**
**     host h;
**     host_open(&h, "in x: Int  out y: Int  y = x[1]");
**     host_push(&h, (weir_value[]){an_int(1)});
**     cr_expect(host_is(&h, "y", deferred()));
**     host_close(&h); */
#ifndef TEST_HOST_H
#define TEST_HOST_H

#include <string.h>

#include "weir.h"

typedef struct host {
  weir_engine *engine;
  weir_program *program;
  weir_monitor *monitor;
  weir_monitor *canonical; /* another one, that runs the same rows by the graphs */
  weir_code code; /* of host_try's compilation */
  char said[240]; /* and its first diagnostic */
  weir_span span;
  weir_error e;   /* of the last push that failed */
} host;

/* Compiles with limits (NULL: defaults) and makes a monitor; false, with code, said and span, if the text is refused. */
bool host_try(host *h, const char *text, size_t length, const weir_compile_options *limits);
/* The same for a text that must compile. */
void host_open(host *h, const char *text);
void host_close(host *h);
/* Also runs the row canonically; aborts where that ends otherwise.  (Not once the monitor has had ticks that are none of host_push's.) */
weir_code host_push(host *h, const weir_value *row);
const weir_value *host_out(const host *h, const char *name);
/* Is the output this value, bit by bit (all NaNs are one) and through all parts? */
bool host_is(const host *h, const char *name, weir_value want);
bool host_same(weir_value a, weir_value b);

static inline weir_value no_value(void) { return (weir_value){.tag = WEIR_NOVAL}; }
static inline weir_value deferred(void) { return (weir_value){.tag = WEIR_DEFERRED}; }
static inline weir_value a_bool(bool b) { return (weir_value){.tag = WEIR_BOOL, .as.b = b}; }
static inline weir_value an_int(int64_t i) { return (weir_value){.tag = WEIR_INT, .as.i = i}; }
static inline weir_value a_float(double f) { return (weir_value){.tag = WEIR_FLOAT, .as.f = f}; }
static inline weir_value a_text(const char *text) { return (weir_value){.tag = WEIR_TEXT, .count = (uint32_t)strlen(text), .as.text = text}; }
static inline weir_value a_list(uint32_t n, const weir_value *items) { return (weir_value){.tag = WEIR_LIST, .count = n, .as.items = items}; }
static inline weir_value a_tuple(uint32_t n, const weir_value *items) { return (weir_value){.tag = WEIR_TUPLE, .count = n, .as.items = items}; }
static inline weir_value a_map(uint32_t n, const weir_entry *entries) { return (weir_value){.tag = WEIR_MAP, .count = n, .as.entries = entries}; }

static inline weir_report report_of(const weir_monitor *m) {
  weir_report r = {.size = sizeof r};
  weir_monitor_report(m, &r);
  return r;
}

/* Runs fn on a thread with a stack of 64 kB.  (No cr_assert in there: it would leave by the main thread's way.) */
void host_on_small_stack(void (*fn)(void *), void *arg);

/* An allocator whose requests fail from the fail_at-th on (0: never), and which knows what it has not got back. */
typedef struct host_memory {
  weir_allocator allocator; /* self is this */
  uint64_t calls, fail_at;
  size_t live;
} host_memory;
void host_memory_open(host_memory *m);

#endif
