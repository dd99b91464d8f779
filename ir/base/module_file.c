/* ir/base/module_file.c -- whether a file may be given to the system's loader.
**
** The loader maps what the head of a file names without a look at how long the file is: where a part is missing, as behind a full disk or in
** the midst of a copy, the first touch of it ends the process by a signal.  And it opens whatever has the name: a pipe would have it wait. */
#include "ir/base/module.h"

#include <string.h>

#include "ir/base/io.h"

#if defined(__linux__)

#include <elf.h>
#include <link.h>

/* Every part that the head names lies in the file of `size` bytes. */
static wb_module_trouble look(const wb_file *f, uint64_t size) {
  static const unsigned char ident[] = {
    ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32,
    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB, EV_CURRENT};
  ElfW(Ehdr) head;
  ElfW(Phdr) part;
  if (!wb_file_read_at(f, 0, head.e_ident, sizeof ident) || memcmp(head.e_ident, ident, sizeof ident) != 0) return WB_MODULE_NO_LIBRARY;
  if (!wb_file_read_at(f, 0, &head, sizeof head)) return WB_MODULE_CUT;
  if (head.e_type != ET_DYN || head.e_phentsize != sizeof part || head.e_phnum == 0) return WB_MODULE_NO_LIBRARY;
  if (head.e_phoff > size || head.e_phnum > (size - head.e_phoff) / sizeof part) return WB_MODULE_CUT;
  for (size_t i = 0; i < head.e_phnum; i++) {
    if (!wb_file_read_at(f, head.e_phoff + i * sizeof part, &part, sizeof part)) return WB_MODULE_CUT;
    if (part.p_offset > size || part.p_filesz > size - part.p_offset) return WB_MODULE_CUT;
  }
  return WB_MODULE_OPEN;
}

#else

static wb_module_trouble look(const wb_file *f, uint64_t size) {
  (void)f, (void)size;
  return WB_MODULE_OPEN;
}

#endif

wb_module_trouble wb_module_file(const char *path) {
  wb_io io = {0};
  wb_file f;
  weir_code rc = wb_file_open_regular(&f, &io, path, NULL);
  if (rc != WEIR_OK) return rc == WEIR_E_ARGUMENT ? WB_MODULE_NO_FILE : wb_file_is_there(&io, path) ? WB_MODULE_UNREADABLE : WB_MODULE_ABSENT;
  wb_module_trouble trouble = look(&f, wb_file_size(&f));
  (void)wb_file_close(&f, NULL);
  return trouble;
}
