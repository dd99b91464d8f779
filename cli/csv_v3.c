/* cli/csv_v3.c -- the loops over cells of CSV for x86-64-v3: AVX2. */
#define CLI_CSV_LEVEL cli_csv_v3
#define CLI_CSV_NAME "x86-64-v3"
#include "cli/csv_loops.h"
