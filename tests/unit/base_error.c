/* tests/unit/base_error.c -- messages are always terminated, valid and short enough; each code has its names. */
#include "ir/base/error.h"
#include "ir/base/text.h"
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>

Test(base_error, fills_every_field_and_returns_the_code) {
  weir_error e;
  memset(&e, 0xaa, sizeof e);
  weir_code rc = wb_fail(&e, WEIR_E_TYPE, (weir_span){3, 7}, "%s has %d of %zu, %.*s and %" PRIu64, "x", -1, (size_t)2, 3,
                         "abcdef", UINT64_MAX);
  cr_expect_eq(rc, WEIR_E_TYPE);
  cr_expect_eq(e.code, WEIR_E_TYPE);
  cr_expect(e.span.begin == 3 && e.span.end == 7);
  cr_expect_eq(e.row, WEIR_NO_ROW);
  cr_expect_str_eq(e.text, "x has -1 of 2, abc and 18446744073709551615");
}

Test(base_error, nobody_has_to_bring_an_error_object) {
  cr_expect_eq(wb_fail(NULL, WEIR_E_IO, WB_NOWHERE, "unheard %s", "of"), WEIR_E_IO);
  cr_expect_eq(wb_fail_memory(NULL), WEIR_E_MEMORY);
}

Test(base_error, out_of_memory_has_a_fixed_text) {
  weir_error e;
  cr_expect_eq(wb_fail_memory(&e), WEIR_E_MEMORY);
  cr_expect_str_eq(e.text, "out of memory");
}

/* Texts of one character repeated, shifted by 0 to 3 bytes so that the end of the room falls on each byte of it. */
Test(base_error, a_long_message_is_cut_between_characters) {
  static const char *const characters[] = {"a", "é", "€", "😀"};
  for (size_t c = 0; c < WB_LEN(characters); c++)
    for (size_t shift = 0; shift < 4; shift++) {
      char text[400] = "xxx";
      size_t width = strlen(characters[c]), n = shift;
      for (; n + width < sizeof text; n += width) memcpy(text + n, characters[c], width);
      text[n] = '\0';
      weir_error e;
      wb_fail(&e, WEIR_E_PARSE, WB_NOWHERE, "%s", text);
      size_t kept = strlen(e.text);
      cr_expect_eq(wb_utf8_valid((wb_str){e.text, kept}), kept);
      cr_expect(kept < sizeof e.text && kept + width >= sizeof e.text, "%zu bytes of %s", kept, characters[c]);
      cr_expect(memcmp(e.text, text, kept) == 0);
    }
}

Test(base_error, a_message_that_just_fits_is_not_cut) {
  char text[201];
  memset(text, 'a', sizeof text);
  memcpy(text + 196, "€", 4); /* ends with the 199th byte */
  weir_error e;
  wb_fail(&e, WEIR_E_PARSE, WB_NOWHERE, "%s", text);
  cr_expect_str_eq(e.text, text);
}

Test(base_error, bytes_that_are_no_utf8_become_question_marks) {
  weir_error e;
  wb_fail(&e, WEIR_E_IO, WB_NOWHERE, "cannot read %s", "\xff\xc3|\xed\xa0\x80" "é\xe2\x82");
  cr_expect_str_eq(e.text, "cannot read ??|???é??");
  char text[400];
  memset(text, 0xbf, sizeof text - 1);
  text[sizeof text - 1] = '\0';
  wb_fail(&e, WEIR_E_IO, WB_NOWHERE, "%s", text);
  cr_expect_eq(strspn(e.text, "?"), strlen(e.text));
  cr_expect_geq(strlen(e.text), 190);
}

Test(base_error, every_code_has_its_name_and_phase) {
  cr_expect_str_eq(weir_code_name(WEIR_OK), "OK");
  cr_expect_str_eq(weir_code_name(WEIR_E_OVERFLOW), "E_OVERFLOW");
  cr_expect_str_eq(weir_code_phase(WEIR_E_OVERFLOW), "tick");
  cr_expect_str_eq(weir_code_phase(WEIR_E_PARSE), "parse");
  cr_expect_str_eq(weir_code_phase(WEIR_E_IO), "");
  for (int code = 0; code < (int)WEIR_CODE_COUNT; code++) {
    cr_expect_str_not_empty(weir_code_name((weir_code)code));
    cr_expect_not_null(weir_code_phase((weir_code)code));
  }
  static const int outside[] = {WEIR_CODE_COUNT, 1000, -1, INT32_MIN};
  for (size_t i = 0; i < WB_LEN(outside); i++) {
    weir_code code;
    memcpy(&code, &outside[i], sizeof code); /* what a host may pass, and a cast may not say */
    cr_expect_str_eq(weir_code_name(code), "");
    cr_expect_str_eq(weir_code_phase(code), "");
  }
}

Test(base_error, the_version_has_three_numbers) {
  unsigned n = 0;
  for (const char *p = weir_version(); *p != '\0'; p++) n += *p == '.';
  cr_expect_eq(n, 2);
}
