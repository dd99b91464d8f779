/* tests/support/no_exec.h -- a system that refuses executable memory, as hardened ones do: a filter of system calls, which stays until the
** process ends and which its children inherit.  Files may still be mapped executable, or no module could be opened. */
#ifndef NO_EXEC_H
#define NO_EXEC_H

#include <stdbool.h>

typedef enum no_exec_rule {
  NO_EXEC_AT_ALL,       /* no page of ours becomes executable */
  NO_EXEC_WHILE_WRITABLE /* none is executable and writable at once */
} no_exec_rule;

/* From now on such calls fail with EACCES.  False: the system takes no filters. */
bool no_exec_begin(no_exec_rule rule);

#endif
