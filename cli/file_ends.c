/* cli/file_ends.c -- what the end of a file's name tells: its format, its language, its compression; see options.h. */
#include <string.h>

#include "cli/options.h"

static const struct { const char *end; uint8_t format, language; } ends[] = {
  {".csv", CLI_FORMAT_CSV, 0},      {".ndjson", CLI_FORMAT_NDJSON, 0}, {".jsonl", CLI_FORMAT_NDJSON, 0},
  {".trace", CLI_FORMAT_TRACE, 0},  {".input", CLI_FORMAT_TRACE, 0},
  {".dsrv", 0, CLI_LANGUAGE_DSRV},  {".sql", 0, CLI_LANGUAGE_SQL},
};

static const struct { const char *end; uint8_t packing; } packings[] = {{".gz", CLI_PACKING_GZIP}, {".zst", CLI_PACKING_ZSTD}};

static bool has_end(const char *path, size_t n, const char *end) { return n >= strlen(end) && memcmp(path + n - strlen(end), end, strlen(end)) == 0; }

static size_t find_packing(const char *path) {
  size_t i = 0, n = strlen(path);
  while (i < WB_LEN(packings) && !has_end(path, n, packings[i].end)) i++;
  return i;
}

const char *cli_file_end(size_t i, bool *is_spec) {
  *is_spec = i < WB_LEN(ends) && ends[i].language != 0;
  if (i < WB_LEN(ends)) return ends[i].end;
  return i - WB_LEN(ends) < WB_LEN(packings) ? packings[i - WB_LEN(ends)].end : NULL;
}

static size_t find_end(const char *path) {
  size_t i = 0, n = strlen(path), packing = find_packing(path);
  if (packing < WB_LEN(packings)) n -= strlen(packings[packing].end);
  while (i < WB_LEN(ends) && !has_end(path, n, ends[i].end)) i++;
  return i;
}

cli_packing cli_packing_of(const char *path) {
  size_t i = path ? find_packing(path) : WB_LEN(packings);
  return i < WB_LEN(packings) ? (cli_packing)packings[i].packing : CLI_PACKING_NONE;
}

cli_format cli_format_of(const char *path) {
  size_t i = path ? find_end(path) : WB_LEN(ends);
  return i < WB_LEN(ends) ? (cli_format)ends[i].format : CLI_FORMAT_NONE;
}

cli_language cli_language_of(const char *path) {
  size_t i = find_end(path);
  return i < WB_LEN(ends) ? (cli_language)ends[i].language : CLI_LANGUAGE_NONE;
}
