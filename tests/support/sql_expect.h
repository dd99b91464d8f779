/* tests/support/sql_expect.h -- for suites: a SQL text whose only error is told as it should be. */
#ifndef SQL_EXPECT_H
#define SQL_EXPECT_H

#include "weir.h"

void sql_expect_error_in(const char *text, size_t at, size_t length, weir_code code, const char *message, const char *hint);
/* The place is between « and », which are not in the text. */
void sql_expect_error(const char *marked, weir_code code, const char *message, const char *hint);

#endif
