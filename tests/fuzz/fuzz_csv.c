/* tests/fuzz/fuzz_csv.c -- any bytes as CSV: fed_fuzz says what must hold. */
#include "tests/support/fed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const cli_field fields[] = {
  {{"x", 1}, CLI_KIND_INT}, {{"y", 1}, CLI_KIND_FLOAT}, {{"long_name", 9}, CLI_KIND_STR}, {{"z", 1}, CLI_KIND_ANY}, {{"l", 1}, CLI_KIND_RICH},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fed_fuzz((fed_how){.in = CLI_FORMAT_CSV, .out = CLI_FORMAT_CSV, .fields = fields, .n_fields = WB_LEN(fields), .max_nesting = 20, .max_line = 1000}, data, size);
  return 0;
}
