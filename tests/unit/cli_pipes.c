/* tests/unit/cli_pipes.c -- bytes out: room that is asked for. */
#define _GNU_SOURCE 1 /* memfd_create */
#include "cli/pipes.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/test.h"

Test(cli_pipes, nothing_can_be_put_into_an_output_that_is_still_empty) {
  cli_env env = {.in = -1, .out = memfd_create("out", MFD_CLOEXEC), .err = -1, .wake = -1};
  wb_mem mem;
  cli_output o;
  weir_error e;
  char got[8] = "";
  cr_assert(env.out >= 0);
  wb_door_open(&env.door, NULL, 0);
  wb_mem_init(&mem, &env.door, 0);
  cr_assert_eq(cli_output_open(&o, &env, &mem, NULL, &e), WEIR_OK);
  cr_expect(cli_output_room(&o, 0) != NULL);
  cr_expect(cli_output_put(&o, NULL, 0));
  cr_expect(cli_output_put(&o, "a\n", 2) && cli_output_put(&o, NULL, 0));
  cli_output_line(&o);
  cr_expect_eq(cli_output_close(&o), CLI_PIPE_OK);
  cr_expect_eq(pread(env.out, got, sizeof got, 0), 2);
  cr_expect_str_eq(got, "a\n");
  close(env.out);
  wb_mem_drop(&mem);
}
