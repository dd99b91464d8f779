/* ir/base/build_id.c -- what a linker says that a file is: the note NT_GNU_BUILD_ID, a digest of the file's contents.
**
** It stands in the first page, of the file as of its image in memory, for the linkers that put notes first, as all do.  Where it does not, there
** is no answer. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr */
#endif
#include "ir/base/module.h"

#include <dlfcn.h>
#include <string.h>

#include "ir/base/io.h"

#if defined(__linux__)

#include <elf.h>

/* One note after the other, of `n` bytes. */
static bool find_in(const unsigned char *at, size_t n, wb_build *out) {
  Elf64_Nhdr note;
  while (n >= sizeof note) {
    memcpy(&note, at, sizeof note);
    size_t name = ((size_t)note.n_namesz + 3) & ~(size_t)3, value = ((size_t)note.n_descsz + 3) & ~(size_t)3;
    if (name + value > n - sizeof note) return false;
    const unsigned char *words = at + sizeof note;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(words, "GNU", 4) == 0 && note.n_descsz <= sizeof out->at && note.n_descsz != 0) {
      out->n = note.n_descsz;
      memcpy(out->at, words + name, out->n);
      return true;
    }
    at += sizeof note + name + value;
    n -= sizeof note + name + value;
  }
  return false;
}

bool wb_build_in(const unsigned char *page, size_t n, wb_build *out) {
  static const unsigned char ident[] = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT};
  Elf64_Ehdr head;
  Elf64_Phdr part;
  *out = (wb_build){.n = 0};
  if (n < sizeof head) return false;
  memcpy(&head, page, sizeof head);
  if (memcmp(head.e_ident, ident, sizeof ident) != 0 || head.e_phentsize != sizeof part || head.e_phoff > n) return false;
  if (head.e_phnum > (n - head.e_phoff) / sizeof part) return false;
  for (size_t i = 0; i < head.e_phnum; i++) {
    memcpy(&part, page + head.e_phoff + i * sizeof part, sizeof part);
    if (part.p_type != PT_NOTE || part.p_offset > n || part.p_filesz > n - part.p_offset) continue;
    if (find_in(page + part.p_offset, (size_t)part.p_filesz, out)) return true;
  }
  return false;
}

#else

bool wb_build_in(const unsigned char *page, size_t n, wb_build *out) {
  (void)page, (void)n;
  *out = (wb_build){.n = 0};
  return false;
}

#endif

bool wb_build_of_file(const char *path, wb_build *out) {
  unsigned char page[WB_BUILD_PAGE];
  wb_io io = {0};
  wb_file f;
  size_t n = 0, got;
  *out = (wb_build){.n = 0};
  if (wb_file_open_regular(&f, &io, path, NULL) != WEIR_OK) return false;
  while (n < sizeof page && wb_file_read(&f, (char *)page + n, sizeof page - n, &got, NULL) == WB_IO_OK) n += got;
  (void)wb_file_close(&f, NULL);
  return wb_build_in(page, n, out);
}

/* The loader maps whole pages, and the first one begins with the file's. */
bool wb_build_of_loaded(const void *in_it, wb_build *out) {
  Dl_info info;
  *out = (wb_build){.n = 0};
  return dladdr(in_it, &info) != 0 && info.dli_fbase != NULL && wb_build_in(info.dli_fbase, WB_BUILD_PAGE, out);
}
