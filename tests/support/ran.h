/* tests/support/ran.h -- runs the command in this process, in a fresh folder that holds spec.dsrv or query.sql, and trace.input. */
#ifndef RAN_H
#define RAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ran_how {
  const char *spec;         /* text of spec.dsrv; NULL: no such file */
  const char *query;        /* text of query.sql; NULL: no such file */
  const char *trace;        /* text of trace.input; NULL: no such file */
  size_t n_trace;           /* its bytes; 0: up to its NUL */
  const char *args[12];     /* behind "weir"; where the first is NULL: run spec.dsrv trace.input */
  const char *more[8];      /* behind those */
  bool is_standard;         /* the trace comes through standard input, as a file */
  const size_t *chunks;     /* the trace comes through standard input in pieces of these sizes, over and over; 0 ends the list */
  uint64_t fail_io;         /* this call on a file and all later ones fail; 0: none */
  int fail_errno;
  uint64_t fail_memory;     /* this request for memory and all later ones fail; 0: none */
  const volatile int *stop; /* the signal's flag */
  int out;                  /* standard output; 0: it is kept in ran.out */
} ran_how;

typedef struct ran {
  int status;
  char *out, *err, *file; /* standard output, standard error, the file `out.trace` if it was made; ran_free */
  size_t n_out;
  uint64_t io_calls, memory_calls;
} ran;

ran ran_weir(const ran_how *how);
void ran_free(ran *r);

#endif
