/* cli/csv_v4.c -- the loops over cells of CSV for x86-64-v4: AVX-512. */
#define CLI_CSV_LEVEL cli_csv_v4
#define CLI_CSV_NAME "x86-64-v4"
#include "cli/csv_loops.h"
