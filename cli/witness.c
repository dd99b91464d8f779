/* cli/witness.c -- inputs that show why the memory of an unbounded query must grow, as files of a folder. */
#include "cli/witness.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST_PATH = 4096 };

/* "FOLDER/history-07.ndjson", as wide as the last number. */
static void file_name(char *path, size_t size, const char *folder, bool is_history, uint32_t i, uint32_t count) {
  char digits[12];
  const char *shown = digits + 9;
  for (uint32_t k = count - 1; k >= 10; k /= 10) shown--;
  snprintf(digits, sizeof digits, "%010" PRIu32, i);
  snprintf(path, size, "%s/%s-%s.ndjson", folder, is_history ? "history" : "continuation", shown);
}

static weir_code write_file(cli *c, const char *path, const char *text, size_t n, weir_error *e) {
  wb_file f = WB_FILE_NONE;
  weir_error unused;
  WB_TRY(wb_file_open_write(&f, &c->env->io, path, e));
  bool ok = n == 0 || wb_file_write(&f, text, n, e) == WB_IO_OK;
  weir_code rc = wb_file_close(&f, ok ? e : &unused);
  return ok ? rc : WEIR_E_IO;
}

static weir_code write_files(cli *c, const weir_witness *w, const char *folder, bool of_histories, weir_error *e) {
  char path[LONGEST_PATH];
  uint32_t count = of_histories ? weir_witness_history_count(w) : weir_witness_continuation_count(w);
  for (uint32_t i = 0; i < count; i++) {
    size_t n;
    const char *text = of_histories ? weir_witness_history(w, i, &n) : weir_witness_continuation(w, i, &n);
    file_name(path, sizeof path, folder, of_histories, i, count);
    WB_TRY(write_file(c, path, text, n, e));
  }
  return WEIR_OK;
}

/* The files of a family that was written before: those of another size or of another query would pass for some of the one that is asked for. */
static weir_code remove_files(cli *c, const char *folder, weir_error *e) {
  char path[LONGEST_PATH];
  for (uint32_t n = 1; n <= CLI_WITNESS_MOST; n++)
    for (int of_histories = 0; of_histories < 2; of_histories++)
      for (uint32_t i = 0, count = of_histories ? 1u << n : n; i < count; i++) {
        file_name(path, sizeof path, folder, of_histories, i, count);
        WB_TRY(wb_file_remove(&c->env->io, path, e));
      }
  return WEIR_OK;
}

/* *out: NULL where there is none, which is told unless the query is bounded. */
static cli_status find(cli *c, const weir_verdict *v, weir_witness **out) {
  weir_error e;
  *out = NULL;
  if (v->is_bounded) return CLI_DONE;
  weir_code rc = weir_query_witness(c->spec.query, (uint32_t)c->set.witness, out, &e);
  if (rc == WEIR_E_MEMORY) return cli_refuse_memory(c);
  if (rc != WEIR_OK && !c->set.wants_json) cli_warn(c, &(cli_mark){.file = c->spec.path}, e.text, NULL);
  return CLI_DONE;
}

/* Leaves the files of this family in the folder and of no other; without one no folder is made. */
static weir_code replace_files(cli *c, const weir_witness *w, const char *folder, weir_error *e) {
  if (strlen(folder) > LONGEST_PATH - 64) return wb_fail(e, WEIR_E_IO, WB_NOWHERE, "the name of the folder is too long");
  if (w != NULL) WB_TRY(wb_folder_make(&c->env->io, folder, e));
  WB_TRY(remove_files(c, folder, e));
  if (w == NULL) return WEIR_OK;
  WB_TRY(write_files(c, w, folder, true, e));
  return write_files(c, w, folder, false, e);
}

cli_status cli_witness_write(cli *c, const weir_verdict *v, const char **folder) {
  weir_witness *w;
  weir_error e;
  *folder = NULL;
  if (c->set.witness == 0) return CLI_DONE;
  cli_status status = find(c, v, &w);
  if (status != CLI_DONE) return status;
  const char *to = c->set.output ? c->set.output : "witness";
  weir_code rc = replace_files(c, w, to, &e);
  if (rc == WEIR_OK && w != NULL) *folder = to;
  weir_witness_free(w);
  return rc == WEIR_OK ? CLI_DONE : cli_refuse_error(c, CLI_FAILED, NULL, "", &e);
}

void cli_witness_say(cli *c, cli_say *out, const char *folder) {
  char one[LONGEST_PATH], other[LONGEST_PATH];
  uint32_t n = (uint32_t)c->set.witness;
  file_name(one, sizeof one, folder, true, 1, 1u << n);
  file_name(other, sizeof other, folder, false, 0, n);
  cli_say_number(out, (uint64_t)1 << n);
  cli_say_text(out, " histories and ");
  cli_say_number(out, n);
  cli_say_text(out, n == 1 ? " continuation are in " : " continuations are in ");
  cli_say_safe(out, (wb_str){folder, strlen(folder)});
  cli_say_text(out, ": for any two histories there is a continuation after which the results differ.\nOne input of them: cat ");
  cli_say_safe(out, (wb_str){one, strlen(one)});
  cli_say_text(out, " ");
  cli_say_safe(out, (wb_str){other, strlen(other)});
  cli_say_text(out, "\n");
}
