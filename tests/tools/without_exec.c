/* tests/tools/without_exec.c -- runs a command, and whatever that starts, where no page of memory becomes executable:
** without_exec COMMAND ARGUMENT... */
#include "tests/support/no_exec.h"

#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
  if (argc < 2 || !no_exec_begin(NO_EXEC_AT_ALL)) {
    fputs("without_exec: no command, or a system without filters of calls\n", stderr);
    return 125;
  }
  (void)execvp(argv[1], argv + 1);
  perror(argv[1]);
  return 126;
}
