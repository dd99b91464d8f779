/* cli/csv_x86_64.c -- the loops over cells of CSV for any processor. */
#define CLI_CSV_LEVEL cli_csv_x86_64
#define CLI_CSV_NAME "x86-64"
#include "cli/csv_loops.h"
