/* tests/unit/base_module.c -- opening modules: what is no whole module is a reason, never a signal or a wait. */
#include "ir/base/module.h"
#include "tests/support/scratch.h"
#include "tests/test.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[400];

static void make(void) { snprintf(path, sizeof path, "%s/module.so", scratch_make()); }

TestSuite(base_module, .init = make, .fini = scratch_remove);

static wb_module_trouble opens(const char *at, const char *symbol) {
  void *out;
  wb_module_trouble trouble = wb_module_open(at, symbol, &out);
  cr_expect_eq(out != NULL, trouble == WB_MODULE_OPEN);
  return trouble;
}

static const char a_module[] = TEST_BUILD "/tests/tools/another_build.so", its_symbol[] = "weir_native_tier";

/* The bytes of a module. */
static char *bytes_of(size_t *n) {
  struct stat st;
  FILE *f = fopen(a_module, "rb");
  cr_assert_not_null(f);
  cr_assert_eq(fstat(fileno(f), &st), 0);
  *n = (size_t)st.st_size;
  char *bytes = malloc(*n);
  cr_assert_eq(fread(bytes, 1, *n, f), *n);
  fclose(f);
  return bytes;
}

static void put(const char *bytes, size_t n) { cr_assert(scratch_write(path, bytes, n)); }

/* Where the last part ends that is mapped. */
static size_t mapped_end(const char *bytes) {
  Elf64_Ehdr head;
  Elf64_Phdr part;
  size_t end = 0;
  memcpy(&head, bytes, sizeof head);
  for (size_t i = 0; i < head.e_phnum; i++) {
    memcpy(&part, bytes + head.e_phoff + i * sizeof part, sizeof part);
    if (part.p_offset + part.p_filesz > end) end = part.p_offset + part.p_filesz;
  }
  return end;
}

Test(base_module, a_module_is_opened_and_its_symbol_found) {
  cr_expect_eq(opens(a_module, its_symbol), WB_MODULE_OPEN);
  cr_expect_eq(opens(a_module, "there_is_no_such_symbol"), WB_MODULE_OTHER);
}

Test(base_module, what_is_not_there_is_told_apart_from_what_cannot_be_opened) {
  char below[500];
  cr_expect_eq(opens(path, its_symbol), WB_MODULE_ABSENT);
  put("text", 4);
  snprintf(below, sizeof below, "%s/module.so", path);
  cr_expect_eq(opens(below, its_symbol), WB_MODULE_ABSENT, "below a file");
  cr_expect_eq(opens("", its_symbol), WB_MODULE_ABSENT);
  cr_expect_eq(opens(path, its_symbol), WB_MODULE_NO_LIBRARY);
  put("", 0);
  cr_expect_eq(opens(path, its_symbol), WB_MODULE_NO_LIBRARY);
  cr_expect_eq(opens(scratch_folder(), its_symbol), WB_MODULE_NO_FILE);
  cr_assert_eq(unlink(path), 0);
  cr_assert_eq(symlink(path, path), 0);
  cr_expect_eq(opens(path, its_symbol), WB_MODULE_UNREADABLE, "a link to itself");
}

Test(base_module, a_pipe_is_not_waited_for, .timeout = 20) {
  wb_build build;
  cr_assert_eq(mkfifo(path, 0600), 0);
  cr_expect_eq(opens(path, its_symbol), WB_MODULE_NO_FILE);
  cr_expect_not(wb_build_of_file(path, &build));
}

Test(base_module, a_module_of_which_a_part_is_missing_is_not_given_to_the_loader) {
  size_t n;
  char *bytes = bytes_of(&n);
  size_t end = mapped_end(bytes);
  cr_assert(end > sizeof(Elf64_Ehdr) && end <= n);
  for (size_t cut = 0; cut < end; cut += cut < 1024 ? 1 : 97) {
    put(bytes, cut);
    cr_expect_eq(opens(path, its_symbol), cut < EI_PAD - 2 ? WB_MODULE_NO_LIBRARY : WB_MODULE_CUT, "%zu bytes", cut);
  }
  put(bytes, end - 1);
  cr_expect_eq(opens(path, its_symbol), WB_MODULE_CUT);
  put(bytes, end);
  cr_expect_eq(opens(path, its_symbol), WB_MODULE_OPEN, "what is behind, nothing maps");
  free(bytes);
}

/* Sums that wrap, tables that lie outside. */
Test(base_module, heads_that_name_what_cannot_be_are_refused) {
  size_t n;
  char *bytes = bytes_of(&n);
  Elf64_Ehdr head, wrong;
  Elf64_Phdr part;
  memcpy(&head, bytes, sizeof head);
  for (int i = 0; i < 8; i++) {
    wrong = head;
    if (i == 0) wrong.e_phoff = UINT64_MAX;
    if (i == 1) wrong.e_phoff = UINT64_MAX - sizeof part * head.e_phnum + 1;
    if (i == 2) wrong.e_phoff = n - sizeof part;
    if (i == 3) wrong.e_phnum = UINT16_MAX;
    if (i == 4) wrong.e_phnum = 0;
    if (i == 5) wrong.e_phentsize = sizeof part - 1;
    if (i == 6) wrong.e_type = ET_REL;
    if (i == 7) wrong.e_ident[EI_CLASS] = ELFCLASS32;
    memcpy(bytes, &wrong, sizeof wrong);
    put(bytes, n);
    cr_expect_eq(opens(path, its_symbol), i < 4 ? WB_MODULE_CUT : WB_MODULE_NO_LIBRARY, "head %d", i);
  }
  memcpy(bytes, &head, sizeof head);
  char *first = bytes + head.e_phoff;
  for (int i = 0; i < 4; i++) {
    Elf64_Phdr bad;
    memcpy(&part, first, sizeof part);
    bad = part;
    if (i == 0) bad.p_offset = UINT64_MAX;
    if (i == 1) bad.p_filesz = UINT64_MAX;
    if (i == 2) bad.p_offset = n + 1, bad.p_filesz = 0;
    if (i == 3) bad.p_offset = n, bad.p_filesz = 1;
    memcpy(first, &bad, sizeof bad);
    put(bytes, n);
    memcpy(first, &part, sizeof part);
    cr_expect_eq(opens(path, its_symbol), WB_MODULE_CUT, "part %d", i);
  }
  free(bytes);
}

/* The loader searches elsewhere for such a name. */
Test(base_module, a_name_without_a_slash_is_a_path_as_well) {
  size_t n;
  char *bytes = bytes_of(&n);
  put(bytes, n);
  free(bytes);
  cr_assert_eq(chdir(scratch_folder()), 0);
  cr_expect_eq(opens("module.so", its_symbol), WB_MODULE_OPEN);
  cr_assert_eq(chdir("/"), 0);
}
