/* cli/cli.h -- the command as a function, so that tests run it in their own process.
**
** cli_main reads no environment, changes no signal handler and keeps nothing between two calls: what it touches of the outside
** stands in cli_env.  cli/main.c makes the real one.
** Like all of cli/, this includes include/ and, as the one exception to docs/layout's table, the ground floor ir/base. */
#ifndef CLI_H
#define CLI_H

#include <signal.h>

#include "ir/base/io.h"
#include "ir/base/mem.h"

/* Exit statuses (interfaces.md). */
typedef enum cli_status {
  CLI_DONE = 0,      /* it worked */
  CLI_FAILED = 1,    /* output or memory failed; a closed output pipe, quietly */
  CLI_WRONG = 2,     /* the usage or the specification is wrong */
  CLI_UNBOUNDED = 3, /* a query without a bound */
  CLI_REFUSED = 4    /* the input is wrong or a tick failed */
} cli_status;

typedef struct cli_env {
  wb_io io;     /* counts, and for tests fails, all calls on files but those for messages */
  wb_io err_io; /* the same for messages, so that a failed call can still be told */
  wb_door door; /* memory of the command; the engine takes its own from door.from */
  int in, out, err;                  /* standard input, output and error */
  int wake;                          /* becomes readable when a signal asks for the end; -1: none */
  const volatile sig_atomic_t *stop; /* then not 0; NULL: none */
  const char *cache;                 /* folder for native code where the user names no other; NULL: none */
  bool ends_process; /* the process ends with the command: memory and the engine are left to the system, which waits for no compilation */
} cli_env;

/* The command `weir` with these arguments; argv[0] is not looked at. */
int cli_main(int argc, char **argv, cli_env *env);

#endif
